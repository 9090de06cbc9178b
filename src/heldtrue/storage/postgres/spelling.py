"""Our statements in the words of psycopg and PostgreSQL."""

from __future__ import annotations

import re

from heldtrue.domain.errors import InvalidSettings

_SCHEMA = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,62}")
# What a colon or an apostrophe may stand in comes first, so that nothing inside it is taken for a parameter.
_TOKEN = re.compile(r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | --[^\n]* | :: | :(?P<name>[A-Za-z_]\w*)""", re.VERBOSE)


def spell_parameters(sql: str) -> str:
    """A statement with its `:name` parameters as `%(name)s`, and every percent sign of its own doubled."""
    pieces: list[str] = []
    end = 0
    for token in _TOKEN.finditer(sql):
        name = token["name"]
        pieces.append(sql[end : token.start()].replace("%", "%%"))
        pieces.append(f"%({name})s" if name else token[0].replace("%", "%%"))
        end = token.end()
    return "".join(pieces) + sql[end:].replace("%", "%%")


def quote_schema(name: str) -> str:
    """A schema name that is safe to put into a statement, or an error that says which names are."""
    if not _SCHEMA.fullmatch(name) or name.lower().startswith("pg_") or name.lower() == "information_schema":
        raise InvalidSettings(
            "is not a valid space name in PostgreSQL",
            given=name,
            field="storage.space",
            hint="use 1 to 63 letters, digits, _ and -, starting with a letter or _, and not with pg_",
        )
    return f'"{name}"'
