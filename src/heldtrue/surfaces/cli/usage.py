"""Usage problems, and the nearest right word for a wrong one."""

from __future__ import annotations

from collections.abc import Iterable

from heldtrue.domain.errors import InvalidInput


class UsageProblem(InvalidInput):
    """The command was not typed as it should be."""

    code = "usage"


def suggest(wrong: str, known: Iterable[str], *, alike: float = 0.6) -> str | None:
    """The known word that was probably meant."""
    import difflib  # only a mistake pays for it

    close = difflib.get_close_matches(wrong, list(known), 1, alike)
    return close[0] if close else None
