"""What callers name by id: the whole of it, or as much of its beginning as tells it from all others they may see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from holdfast.domain.errors import InvalidInput
from holdfast.domain.ids import SHORT_CHARS_MIN, begins_id, is_id
from holdfast.ports import Reading

Seen = Callable[[Sequence[str]], Iterable[str]]
"""Those of some ids that the caller may see: of the others nobody is to learn that they are there."""
_NAMED_MAX = 5
_PAGE = 500


def complete_id(reading: Reading, what: str, ref: str, seen: Seen, *, field: str | None = None) -> str | None:
    """The id that a text is, or is the beginning of; None where there is none, an error where there are several.

    `what` is one of memory, source, conflict, job and recall.
    """
    text = ref.strip().lower()
    if is_id(text):
        return text
    found = _find_beginning(reading, what, text, seen) if begins_id(text) else []
    if len(found) > 1:
        raise ambiguous(ref, found, field=field or what)
    return found[0] if found else None


def _find_beginning(reading: Reading, what: str, text: str, seen: Seen) -> list[str]:
    found: list[str] = []
    after, last = text, f"{text}~"
    while len(found) <= _NAMED_MAX and (page := reading.ids_between(what, after, last, limit=_PAGE)):
        found += sorted(seen(page))
        after = page[-1]
    return found


def ambiguous(ref: str, found: Sequence[str], *, field: str) -> InvalidInput:
    """Several things are meant by a beginning: name them."""
    named = ", ".join(found[:_NAMED_MAX]) + (" and more" if len(found) > _NAMED_MAX else "")
    return InvalidInput(
        f"{ref!r} is the beginning of several ids: {named}",
        field=field,
        hint=f"give more of the one you mean; {SHORT_CHARS_MIN} characters are enough where no other begins like it",
    )
