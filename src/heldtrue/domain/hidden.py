"""What is hidden of a passage: all of it, or the sentences in it that state a rejected value, each from an entry on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

GAP = "[…]"
"""What is shown in the place of a hidden sentence."""


class HiddenSpan(msgspec.Struct, frozen=True, array_like=True, gc=False, order=True):
    """A part of a source that is hidden, and from which ledger entry on."""

    start: int
    end: int
    seq: int


_read = msgspec.json.Decoder(list[HiddenSpan]).decode


def write_spans(spans: Iterable[HiddenSpan]) -> str | None:
    """Hidden spans as a passage keeps them; None where there are none."""
    ordered = sorted(spans)
    return msgspec.json.encode(ordered).decode() if ordered else None


def are_spans(written: object) -> bool:
    """Whether a value can be the hidden spans of a passage."""
    if written is None:
        return True
    try:
        return isinstance(written, str) and bool(_read(written))
    except (msgspec.DecodeError, UnicodeError):
        return False


def read_spans(written: str | None, seq: int | None) -> list[HiddenSpan]:
    """The spans that are hidden as of a ledger sequence; without one, now."""
    if written is None:
        return []
    return [span for span in _read(written) if seq is None or span.seq <= seq]


def hidden_text(text: str, spans: Sequence[HiddenSpan], *, offset: int) -> str:
    """What is hidden in a part of a source, which begins at an offset in it."""
    return "\n".join(text[max(0, span.start - offset) : max(0, span.end - offset)] for span in spans)


def mask_text(text: str, spans: Sequence[HiddenSpan], *, offset: int) -> str:
    """A part of a source, which begins at an offset in it, without what is hidden."""
    pieces: list[str] = []
    position = offset
    for span in spans:
        if span.end <= position or span.start >= offset + len(text):
            continue
        before = text[position - offset : max(0, span.start - offset)]
        if before.strip() or not pieces:
            pieces += [before, GAP]
        position = span.end
    return "".join([*pieces, text[position - offset :]]) if pieces else text
