"""Resolve ids that callers give: a full id, or a unique prefix among those they may see."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from heldtrue.domain.errors import InvalidInput
from heldtrue.domain.ids import begins_id, is_id
from heldtrue.domain.principal import Sight
from heldtrue.ports import Reading

_NAMED_MAX = 5


def complete_id(reading: Reading, what: str, ref: str, sight: Sight, *, field: str | None = None) -> str | None:
    """Resolve an id or a prefix of one; None if nothing matches, an error if several do.

    `what` is one of memory, source, conflict, job and recall. Items the caller may not see are ignored: they cannot
    make a prefix ambiguous, and no answer reveals them.
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
    """The error for an ambiguous prefix: it lists the ids and says how many characters are needed."""
    named = ", ".join(found[:_NAMED_MAX]) + (" and more" if len(found) > _NAMED_MAX else "")
    # They are in order, so those that have most in common are neighbours.
    enough = max(_first_difference(*both) for both in pairwise(found)) + 1
    return InvalidInput(
        f"matches several ids: {named}",
        given=ref,
        field=field,
        hint=f"give at least {enough} characters of the id",
    )


def _first_difference(one: str, other: str) -> int:
    return next(place for place, both in enumerate(zip(one, other, strict=True)) if both[0] != both[1])
