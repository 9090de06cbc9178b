"""Our statements in the words of psycopg and PostgreSQL."""

from __future__ import annotations

import re

from heldtrue.domain.errors import InvalidSettings

_SCHEMA = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,62}")
# What a colon or an apostrophe may stand in comes first, so that nothing inside it is taken for a parameter.
_TOKEN = re.compile(r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | --[^\n]* | :: | :(?P<name>[A-Za-z_]\w*)""", re.VERBOSE)

# What a semicolon may stand in comes first; a body is everything between two equal marks such as $$ or $name$.
_PART = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | --[^\n]* | /\*.*?\*/
    | (?P<mark>\$(?:[A-Za-z_]\w*)?\$).*?(?P=mark) | (?P<end>;)""",
    re.VERBOSE | re.DOTALL,
)


def split_statements(script: str) -> list[str]:
    """The statements of a script one by one, with the comments in front of each and without the semicolons.

    Citus passes each statement on to the node that holds the schema, and refuses a text with several.
    """
    ends = [part.start() for part in _PART.finditer(script) if part["end"]]
    starts = [0, *(end + 1 for end in ends)]
    pieces = [script[start:end].strip() for start, end in zip(starts, [*ends, len(script)], strict=True)]
    return [piece for piece in pieces if _PART.sub(_drop_comment, piece).strip()]


def _drop_comment(part: re.Match[str]) -> str:
    return "" if part[0].startswith(("--", "/*")) else part[0]


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
