"""Why a result was chosen: one sentence made of its parts, the same for the same parts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldtrue.domain.rows import PassageText
from heldtrue.recall.answer import Trust, TrustTag
from heldtrue.recall.explain import describe_age, explain_memory, explain_passage
from heldtrue.recall.profiles import PARTS
from tests.acceptance.homes import times
from tests.conformance.samples import make_plain_version

MEMORY = make_plain_version(1, "The heron is grey.", author="agent:codex", confidence=0.7, topic="birds")
PASSAGE = PassageText(
    no=1, text="The heron is grey.", source_id="s1", kind="document", reference="birds.md:3", title=None, thread=None,
    place=None, speaker=None, author="agent:codex", scope="global", occurred_at=None, recorded_at=0,
)  # fmt: skip


@pytest.mark.covers("A7", "B15", "B27")
def test_a_memory_is_explained_by_what_fits_who_said_it_and_what_to_mind() -> None:
    told = explain_memory(MEMORY, ["heron"], {"text": 0.4}, [], age="2 days ago")
    assert told == 'Chosen because it matches "heron"; stated by agent:codex 2 days ago (confidence 0.70).'
    verified = make_plain_version(1, "x", author="person:owner", verified_by="person:owner", confidence=1.0)
    tags = [TrustTag(Trust.STALE, "past its daily term"), TrustTag(Trust.UNCERTAIN, "confidence 0.20")]
    parts = {"text": 0.4, "time": 1.0, "when": 1.0}
    told = explain_memory(verified, ["heron", "grey"], parts, tags, age="just now")
    assert told == (
        'Chosen because it matches "heron", "grey", it is from the time you asked about and it says when it happened; '
        "stated by person:owner just now, verified by person:owner (confidence 1.00). Warning: stale (past its daily "
        "term); uncertain (confidence 0.20)."
    )


@pytest.mark.covers("B15", "C13")
def test_a_passage_is_explained_as_raw_evidence_with_where_it_is_from() -> None:
    told = explain_passage(PASSAGE, ["heron"], {"text": 0.4}, age="1 hour ago")
    assert told == (
        'Chosen because it matches "heron"; the source text is from 1 hour ago, '
        "captured by agent:codex from birds.md:3."
    )


@pytest.mark.covers("B15")
@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("text", "the text around it matches"),
        ("meaning", "its meaning is similar"),
        ("speaker", "a person named in your question said it or is mentioned in it"),
        ("time", "it is from the time you asked about"),
        ("when", "it says when it happened"),
        ("proximity", "it is linked to the best match"),
        ("topic", "its topic is birds"),
    ],
)
def test_each_part_has_its_words_and_is_not_claimed_where_it_is_not(part: str, said: str) -> None:
    nothing = dict.fromkeys(PARTS, 0.0)
    assert explain_memory(MEMORY, [], nothing | {part: 1.0}, [], age="just now").startswith(f"Chosen because {said}; ")
    assert said not in explain_memory(MEMORY, [], nothing, [], age="just now")
    others = dict.fromkeys(PARTS, 1.0) | {part: 0.0}
    assert said not in explain_memory(MEMORY, [], others, [], age="just now")


@pytest.mark.covers("B15")
def test_what_hardly_fits_is_not_said_to() -> None:
    barely = explain_memory(MEMORY, ["heron"], {"text": 0.1, "meaning": 0.05, "time": 0.2}, [], age="just now")
    assert barely.startswith('Chosen because it matches "heron"; ')


def test_many_words_are_cut_short() -> None:
    told = explain_passage(PASSAGE, list("abcdefgh"), {"text": 0.4}, age="just now")
    assert 'it matches "a", "b", "c", "d", "e" and 3 more;' in told
    assert "captured by agent:codex." in explain_passage(
        PassageText(**{name: getattr(PASSAGE, name) for name in PASSAGE.__struct_fields__} | {"reference": None}),
        [],
        {},
        age="just now",
    )


@pytest.mark.covers("B27")
@settings(max_examples=times(60))
@given(
    st.dictionaries(st.sampled_from(PARTS), st.floats(0, 1)), st.lists(st.sampled_from(["heron", "grey"]), max_size=2)
)
def test_the_same_parts_give_the_same_words_in_whatever_order_they_come(
    parts: dict[str, float], matched: list[str]
) -> None:
    backwards = dict(reversed(list(parts.items())))
    both: list[tuple[Any, Any]] = [(explain_memory, MEMORY), (explain_passage, PASSAGE)]
    for explain, told in both:
        extra: tuple[list[Any], ...] = ([],) if explain is explain_memory else ()
        assert explain(told, matched, parts, *extra, age="just now") == explain(
            told, matched, backwards, *extra, age="just now"
        )


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "just now"), (59, "just now"), (60, "1 minute ago"), (7_200, "2 hours ago"), (86_400, "1 day ago"),
     (2_592_000, "1 month ago"), (63_072_000, "2 years ago"), (-5, "just now")],
)  # fmt: skip
def test_an_age_is_told_in_its_largest_unit(seconds: int, words: str) -> None:
    assert describe_age(0, seconds * 1_000_000) == words
