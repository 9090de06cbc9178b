"""Results that say the same become one; results that do not never do; and no source crowds out the rest."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldtrue.recall.fold import ComparableText, fold_alike, limit_each
from tests.acceptance.homes import times

LONG = (
    "On the second day of the long trip to the old harbour by the sea we met {} near the small red lighthouse and then "
    "went home by the last train"
)


def alike(first: str, second: str) -> bool:
    assert ComparableText(first).is_like(ComparableText(second)) == ComparableText(second).is_like(
        ComparableText(first)
    )
    return ComparableText(first).is_like(ComparableText(second))


@pytest.mark.covers("B24", "B22")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The heron is grey.", "The heron is grey."),
        ("The heron is grey.", "the Heron is GREY"),
        ("The heron is grey!", " The  heron, is grey "),
        ("Retries are capped at 5.", "retries are capped at 5"),
        ("看守每天检查桥梁", "看守每天检查桥梁。"),
        (LONG.format("somebody"), LONG.format("someone")),
        (LONG.format("nobody much"), "So " + LONG.format("nobody much")),
    ],
)
def test_equal_and_nearly_equal_texts_are_alike(first: str, second: str) -> None:
    assert alike(first, second)


@pytest.mark.covers("B24", "B22")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The heron is grey.", "The heron is white."),
        ("Retries are capped at 5.", "Retries are capped at 6."),
        ("", "!!!"),
        ("🐈", "🐕"),
    ],
)
def test_other_texts_are_not(first: str, second: str) -> None:
    assert not alike(first, second)


@pytest.mark.covers("B24", "B22")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Anna", "Maria"),
        ("the team of Anna", "the team of Bert"),
        ("5 people", "6 people"),
        ("3.5 tons", "3.6 tons"),
        ("release v2", "release v3"),
        ("it on Monday", "it on Friday"),
        ("max_retry_count", "max_retry_delay"),
        ("them not", "them also"),
        ("them without luggage", "them with luggage"),
    ],
)
def test_however_long_the_rest_is_other_names_numbers_and_denials_are_something_else(first: str, second: str) -> None:
    assert not alike(LONG.format(first), LONG.format(second))
    assert not alike(
        f"{first.capitalize()} and so on: " + LONG.format("us"), f"{second} and so on: " + LONG.format("us")
    )
    assert alike(LONG.format(first), LONG.format(first.upper())), "the same in capitals is the same"


words = st.sampled_from("amber birch cedar delta ember flint grove heath islet jetty".split())
texts = st.lists(words, min_size=1, max_size=30).map(" ".join)


@pytest.mark.covers("B22")
@settings(max_examples=times(100))
@given(texts, st.integers(0, 99), st.integers(0, 99), st.integers(0, 30))
def test_a_number_is_never_folded_into_another(text: str, number: int, other: int, position: int) -> None:
    told = [" ".join([*text.split()[:position], str(value), *text.split()[position:]]) for value in (number, other)]
    assert alike(*told) == (number == other)


@settings(max_examples=times(100))
@given(st.lists(texts, max_size=12))
def test_folding_keeps_the_order_and_loses_nothing(told: list[str]) -> None:
    folded = fold_alike([(index, ComparableText(text)) for index, text in enumerate(told)])
    heads = [head for head, _ in folded]
    assert heads == sorted(heads), "the best of those that say the same stays, where it was"
    assert sorted(heads + [index for _, others in folded for index in others]) == list(range(len(told)))
    for head, others in folded:
        assert all(other > head and alike(told[head], told[other]) for other in others)
    for index, head in enumerate(heads):
        assert not any(alike(told[head], told[other]) for other in heads[:index])


@pytest.mark.covers("C13")
@settings(max_examples=times(100))
@given(st.lists(st.sampled_from(["a", "b", "c", None]), max_size=30), st.none() | st.integers(1, 5))
def test_no_source_gives_more_than_its_share_and_what_has_none_is_not_limited(
    sources: list[str | None], most: int | None
) -> None:
    kept = limit_each(enumerate_pairs(sources), most)
    if most is None:
        assert kept == list(range(len(sources)))
    for source in ("a", "b", "c"):
        own = [index for index, own_source in enumerate(sources) if own_source == source]
        assert [index for index in kept if sources[index] == source] == own[:most]
    assert [index for index in kept if sources[index] is None] == [
        index for index, own_source in enumerate(sources) if own_source is None
    ]
    assert kept == sorted(kept)


def enumerate_pairs(sources: list[str | None]) -> list[tuple[int, str | None]]:
    return list(enumerate(sources))
