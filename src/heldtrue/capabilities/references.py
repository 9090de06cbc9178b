"""What callers name by id: the whole of it, or as much of its beginning as tells it from all others they may see."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from heldtrue.domain.errors import InvalidInput
from heldtrue.domain.ids import begins_id, is_id
from heldtrue.domain.principal import Sight
from heldtrue.ports import Reading

_NAMED_MAX = 5


def complete_id(reading: Reading, what: str, ref: str, sight: Sight, *, field: str | None = None) -> str | None:
    """The id that a text is, or is the beginning of; None where there is none, an error where there are several.

    `what` is one of memory, source, conflict, job and recall. What is not in sight is not looked at: it neither stands
    in the way of what is, nor does an answer tell that it is there.
    """
    text = ref.strip().lower()
    if is_id(text):
        return text
    if not begins_id(text):
        return None
    found = reading.ids_between(what, text, f"{text}~", limit=_NAMED_MAX + 1, sight=sight)
    if len(found) > 1:
        raise ambiguous(ref, found, field=field or what)
    return found[0] if found else None


def ambiguous(ref: str, found: Sequence[str], *, field: str) -> InvalidInput:
    """Several things are meant by a beginning: name them, and how much of an id tells them apart."""
    named = ", ".join(found[:_NAMED_MAX]) + (" and more" if len(found) > _NAMED_MAX else "")
    # They are in order, so those that have most in common are neighbours.
    enough = max(_first_difference(*both) for both in pairwise(found)) + 1
    return InvalidInput(
        f"is the beginning of several ids: {named}",
        given=ref,
        field=field,
        hint=f"give more of the one you mean: {enough} characters tell these apart",
    )


def _first_difference(one: str, other: str) -> int:
    return next(place for place, both in enumerate(zip(one, other, strict=True)) if both[0] != both[1])
