"""Usage errors, and suggestions for mistyped words."""

from __future__ import annotations

from collections.abc import Iterable

from heldtrue.domain.errors import InvalidInput


class UsageProblem(InvalidInput):
    """The command line is wrong."""

    code = "usage"


def suggest(wrong: str, known: Iterable[str], *, alike: float = 0.6) -> str | None:
    """The known word that was probably meant."""
    import difflib  # loaded only for an error

    close = difflib.get_close_matches(wrong, list(known), 1, alike)
    return close[0] if close else None
