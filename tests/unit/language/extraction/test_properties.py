"""What holds for every text: offsets point into it, the same text gives the same, and nothing breaks or takes long."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldtrue.domain.extracted import Extracted
from heldtrue.domain.memory import Kind
from heldtrue.language.extraction import extract_document, extract_message
from heldtrue.language.extraction.blanking import blank_non_statements
from tests.effort import assert_linear
from tests.unit.language.extraction.judges import judge_by, keep_all

_PHRASES = st.sampled_from(
    [
        *("I prefer", "we always use", "tabs", "because", "the port is 8443", ", ", ". ", "and", "don't", "my sister"),
        *("lives in Rome", "\n- ", "it", "never", "?", '"', "`", "remind me to", "call Bo", "on Friday", "TODO: "),
        *("no, actually ", "let's go with", "# Rules\n", "| a | b |\n", "scratch that", "fixed the bug", "İ", "’"),
    ]
)
_SENTENCES = st.lists(_PHRASES, max_size=25).map(" ".join)
NOW = 1_772_000_000_000_000
JUDGE = keep_all(Kind.NOTE)


def check(text: str, found: list[Extracted]) -> None:
    for statement in found:
        assert 0 <= statement.start < statement.end <= len(text)
        assert text[statement.start : statement.end].strip()
        assert statement.text.strip()
        assert statement.reason


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=300), _SENTENCES))
def test_any_text_can_be_read(text: str) -> None:
    for project, judge in (
        (None, None),
        ("otter", None),
        (None, keep_all(Kind.NOTE)),
        ("otter", keep_all(Kind.TASK_HINT)),
    ):
        said = extract_message(text, judge=judge, speaker="Mira", project=project, said_at=NOW)
        check(text, said)
        assert said == extract_message(text, judge=judge, speaker="Mira", project=project, said_at=NOW)
        extract_message(text, judge=judge, speaker="Mira", before=[("Tom", text)])
        check(text, extract_document(text, judge=judge, path="a.md", project=project))
        check(text, extract_document(text, judge=judge, path="a.py", project=project))


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=300))
def test_cleaning_keeps_every_offset(text: str) -> None:
    assert len(blank_non_statements(text)) == len(text)


def test_offsets_point_at_the_words() -> None:
    text = "Hi all!\n\nBy the way, I prefer oat milk in my coffee, btw. We talked."
    found = extract_message(
        text, judge=judge_by({"By the way, I prefer oat milk in my coffee, btw": Kind.PREFERENCE}), speaker="Mira"
    )[0]
    assert text[found.start : found.end] == "I prefer oat milk in my coffee"


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        " ",
        "we ",
        "i always ",
        "a, we use ",
        ". ",
        "the x is on y ",
        "| a ",
        "`",
        '"',
        "every time i ",
        "\n",
        "my my ",
    ],
)
def test_long_repetitions_are_read_in_linear_time(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    assert_linear(lambda part: extract_message(part, judge=JUDGE, speaker="Mira", project="otter"), text)
    assert_linear(lambda part: extract_document(part, judge=JUDGE, path="a.md"), text)
