"""What callers name by id: the whole of it, or as much of its end as tells it from all others they may see."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from heldtrue.domain.errors import InvalidInput
from heldtrue.domain.ids import ends_id, is_id, plain_reference
from heldtrue.domain.principal import Sight
from heldtrue.ports import ReadTransaction

_CANDIDATES_MAX = 5
_TEXT_CHARS = 60


def complete_id(reading: ReadTransaction, what: str, ref: str, sight: Sight, *, field: str | None = None) -> str | None:
    """The id that a text is, or is the end of; None where there is none, an error where there are several.

    `what` is one of memory, source, conflict, job and recall. What is not in sight is not looked at: it neither stands
    in the way of what is, nor does an answer tell that it is there.
    """
    text = plain_reference(ref)
    if is_id(text):
        return text
    if not ends_id(text):
        return None
    found = reading.records.ids_ending(what, text, limit=_CANDIDATES_MAX + 1, sight=sight)
    if len(found) > 1:
        raise ambiguous(ref, found, field=field or what)
    return found[0][0] if found else None


def ambiguous(ref: str, found: Sequence[tuple[str, str]], *, field: str) -> InvalidInput:
    """Several ids have the same end: list them with their texts, and say how many characters tell them apart."""
    candidates = "; ".join(f"{name} ({_shorten(text)})" for name, text in found[:_CANDIDATES_MAX])
    more = " and more" if len(found) > _CANDIDATES_MAX else ""
    # In order of their ends, those that have most in common are neighbours.
    backwards = sorted(name[::-1] for name, _ in found)
    enough = max(_first_difference(*pair) for pair in pairwise(backwards)) + 1
    return InvalidInput(
        f"is the end of several ids: {candidates}{more}",
        given=ref,
        field=field,
        hint=f"give more of the one you mean: its last {enough} characters are enough",
    )


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TEXT_CHARS else f"{line[: _TEXT_CHARS - 1]}…"


def _first_difference(one: str, other: str) -> int:
    return next(number for number, pair in enumerate(zip(one, other, strict=True)) if pair[0] != pair[1])
