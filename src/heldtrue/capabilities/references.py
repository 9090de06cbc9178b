"""Resolve ids that callers give: a full id, or an end that is unique among those they may see."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from heldtrue.domain.errors import InvalidInput
from heldtrue.domain.ids import ends_id, is_id, plain_reference
from heldtrue.domain.limits import AMBIGUOUS_IDS_SHOWN_MAX, AMBIGUOUS_TEXT_CHARS_MAX
from heldtrue.domain.principal import Sight
from heldtrue.ports import ReadTransaction


def complete_id(reading: ReadTransaction, what: str, ref: str, sight: Sight, *, field: str | None = None) -> str | None:
    """Resolve an id or the end of one; None if nothing matches, an error if several do.

    `what` is one of memory, source, conflict, job and recall. Items the caller may not see are ignored: they cannot
    make an end ambiguous, and no answer reveals them.
    """
    text = plain_reference(ref)
    if is_id(text):
        return text
    if not ends_id(text):
        return None
    found = reading.records.ids_ending(what, text, limit=AMBIGUOUS_IDS_SHOWN_MAX + 1, sight=sight)
    if len(found) > 1:
        raise ambiguous(ref, found, field=field or what)
    return found[0][0] if found else None


def ambiguous(ref: str, matches: Sequence[tuple[str, str]], *, field: str) -> InvalidInput:
    """The error for an ambiguous end: it lists the ids with their texts and says how many characters are needed."""
    candidates = "; ".join(f"{name} ({_shorten(text)})" for name, text in matches[:AMBIGUOUS_IDS_SHOWN_MAX])
    more = " and more" if len(matches) > AMBIGUOUS_IDS_SHOWN_MAX else ""
    # In order of their ends, those that have most in common are neighbours.
    backwards = sorted(name[::-1] for name, _ in matches)
    enough = max(_first_difference(*pair) for pair in pairwise(backwards)) + 1
    return InvalidInput(
        f"matches several ids: {candidates}{more}",
        given=ref,
        field=field,
        hint=f"use at least the last {enough} characters of the id",
    )


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= AMBIGUOUS_TEXT_CHARS_MAX else f"{line[: AMBIGUOUS_TEXT_CHARS_MAX - 1]}…"


def _first_difference(first: str, second: str) -> int:
    return next(number for number, pair in enumerate(zip(first, second, strict=True)) if pair[0] != pair[1])
