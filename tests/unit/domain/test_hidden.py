"""What is left of a text when sentences of it are hidden."""

from __future__ import annotations

import pytest

from heldtrue.domain.hidden import HiddenSpan, hidden_text, mask_text, read_spans, write_spans

TEXT = "One is here. Two is there. Three is gone."


def span(words: str, seq: int = 5) -> HiddenSpan:
    start = TEXT.index(words)
    return HiddenSpan(start, start + len(words), seq)


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        ((), TEXT),
        (("One is here.",), "[…] Two is there. Three is gone."),
        (("Two is there.",), "One is here. […] Three is gone."),
        (("Three is gone.",), "One is here. Two is there. […]"),
        (("One is here.", "Two is there."), "[…] Three is gone."),
        (("One is here.", "Three is gone."), "[…] Two is there. […]"),
    ],
)
def test_a_gap_stands_for_what_is_hidden(hidden: tuple[str, ...], shown: str) -> None:
    assert mask_text(TEXT, [span(words) for words in hidden], offset=0) == shown


def test_a_part_of_a_source_is_masked_by_its_own_offset() -> None:
    start = TEXT.index("Two")
    spans = [span("One is here."), span("Three is gone.")]
    assert mask_text(TEXT[start:], spans, offset=start) == "Two is there. […]"
    assert mask_text(TEXT[start : start + 13], spans, offset=start) == "Two is there."


def test_what_is_hidden_can_be_told_apart() -> None:
    assert hidden_text(TEXT, [span("One is here."), span("Three is gone.")], offset=0) == "One is here.\nThree is gone."


def test_spans_are_hidden_from_their_entry_on() -> None:
    written = write_spans([span("Two is there.", 9), span("One is here.", 3)])
    assert [found.seq for found in read_spans(written, None)] == [3, 9]
    assert [found.seq for found in read_spans(written, 8)] == [3]
    assert read_spans(written, 2) == []
    assert (write_spans([]), read_spans(None, 7)) == (None, [])
