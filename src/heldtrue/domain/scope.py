"""Where a memory belongs: `global`, or `team:`, `project:`, `repo:`, `agent:`, `session:` with an id."""

from __future__ import annotations

import re

from heldtrue.domain.errors import InvalidInput
from heldtrue.domain.limits import NAME_CHARS_MAX

GLOBAL = "global"
SCOPE_KINDS = ("team", "project", "repo", "agent", "session")
_ID = re.compile(r"[^\s:*?%\x00-\x1f]+")
_PRECEDENCE = {"session": 6, "agent": 5, "team": 4, "repo": 3, "project": 2, "global": 1}


def parse_scope(text: str, *, field: str = "scope") -> str:
    """Parse a scope, or raise an error that lists the valid forms."""
    scope = text.strip()
    kind, colon, name = scope.partition(":")
    if scope == GLOBAL:
        return scope
    if colon and kind in SCOPE_KINDS and _ID.fullmatch(name) and name.isprintable() and len(name) <= NAME_CHARS_MAX:
        return scope
    raise InvalidInput(
        "is not a scope",
        given=text,
        field=field,
        hint="use global, team:ID, project:ID, repo:ID, agent:ID or session:ID (no spaces, colons or wildcards in ID)",
    )


def scope_kind(scope: str) -> str:
    return scope.partition(":")[0]


def scope_name(scope: str) -> str:
    return scope.partition(":")[2]


def precedence(scope: str) -> int:
    """The precedence of a scope: team over project over global; narrower scopes over all of them."""
    return _PRECEDENCE[scope_kind(scope)]
