"""A search's conditions as SQL: every column is named here, every value is a parameter, nothing given is syntax."""

from __future__ import annotations

import re

from heldtrue.domain.principal import Sight
from heldtrue.domain.privacy import Privacy
from heldtrue.domain.rows import VersionFilter
from heldtrue.storage.connector import Connector

_CONDITIONS = {
    "topic": "v.topic = :topic",
    "project_id": "v.project_id = :project_id",
    "repo_id": "v.repo_id = :repo_id",
    "author": "v.author = :author",
    "min_confidence": "v.confidence >= :min_confidence",
    "observed_after": "v.observed_at >= :observed_after",
    "observed_before": "v.observed_at < :observed_before",
    "valid_at": "coalesce(v.valid_from <= :valid_at, TRUE) AND coalesce(v.valid_to > :valid_at, TRUE)",
    "not_ended_by": "(v.valid_to IS NULL OR v.valid_to > :not_ended_by)",
}
"""What each single-valued part of a filter asks of a version; the parameter has the name of the part."""


def spell_filter(chosen: VersionFilter, connector: Connector) -> tuple[str, dict[str, object]]:
    """The WHERE conditions on the versions table (as `v`), and their values."""
    conditions, values = _when_recorded(chosen)
    _add_sight(chosen.sight, connector, conditions, values)
    for column, name, wanted in (("v.status", "statuses", chosen.statuses), ("v.kind", "kinds", chosen.kinds)):
        if wanted:
            conditions.append(connector.within(column, name))
            values[name] = connector.listing(wanted)
    if chosen.verified_only:
        conditions.append("v.verified_by IS NOT NULL")
    if chosen.unverified_except:
        authors = connector.within("v.author", "unverified_except")
        conditions.append(f"(v.verified_by IS NOT NULL OR NOT {authors})")
        values["unverified_except"] = connector.listing(chosen.unverified_except)
    for name, condition in _CONDITIONS.items():
        value = getattr(chosen, name)
        if value is not None:
            conditions.append(condition)
            values[name] = value
    return " AND ".join(conditions), values


def _when_recorded(chosen: VersionFilter) -> tuple[list[str], dict[str, object]]:
    if chosen.seq is None:
        return ["v.recorded_to IS NULL"], {}
    return ["v.seq <= :as_of_seq AND (v.seq_to IS NULL OR v.seq_to > :as_of_seq)"], {"as_of_seq": chosen.seq}


def _add_sight(sight: Sight, connector: Connector, conditions: list[str], values: dict[str, object]) -> None:
    if sight.scopes is not None:
        # As a list, which an index answers.
        tests = [connector.within("v.scope", "scopes"), *_begin_alike(sight, "v")]
        conditions.append(f"({' OR '.join(tests)})" if sight.beginnings else tests[0])
        values |= {"scopes": connector.listing(sight.scopes)} | _beginnings(sight)
    if sight.reader is not None:
        conditions.append(_is_seen(sight, "v"))
        values["reader"] = sight.reader


# What may be seen

_SEEN = re.compile(r"\{(sight|scope|private|reader): (\w+)(?:\.(\w+))?\}")
_OWNER = re.compile(r"\{owner: (\w+)\}")


def spell_sight(sql: str, sight: Sight, connector: Connector) -> tuple[str, dict[str, object]]:
    """A statement with what may be seen put in, and the values of that.

    `{scope: a}` is that the row `a` is in a scope in sight, `{private: a}` that it is shared or private to the reader,
    `{sight: a}` both. `{private: a.column}` is the second for a column that says whose alone something is, and
    `{reader: a.column}` that the column names the reader.
    """
    values: dict[str, object] = {f"scope_{number}": scope for number, scope in enumerate(sight.scopes or ())}
    values |= _beginnings(sight)
    if sight.reader is not None:
        values["reader"] = sight.reader

    def spell(match: re.Match[str]) -> str:
        what, row, column = match.groups()
        match what:
            case "reader":
                condition = _is_reader(sight, f"{row}.{column}")
            case "scope":
                condition = _is_in_scope(sight, row)
            case "private":
                condition = _is_seen(sight, row, column)
            case _:
                condition = f"{_is_in_scope(sight, row)} AND {_is_seen(sight, row)}"
        return connector.spell(condition)

    return _SEEN.sub(spell, sql), values


def spell_owners(sql: str) -> str:
    """A statement with `{owner: a}` spelled out: whose alone the row `a` is, empty if it is shared."""
    return _OWNER.sub(lambda found: f"CASE WHEN {_is_shared(found[1])} THEN '' ELSE {found[1]}.author END", sql)


def owner_of(privacy: Privacy) -> str:
    """Privacy as a column holds it, and as `{owner: a}` reads it from a row."""
    return privacy.author or ""


def _is_shared(row: str) -> str:
    """What `Privacy.of` says in Python."""
    return f"coalesce({row}.visibility, '') <> 'private'"


def _is_seen(sight: Sight, row: str, column: str | None = None) -> str:
    """What `Sight.sees` says in Python: of a row with a visibility, or of one with a column that names its owner."""
    if sight.reader is None:
        return "TRUE"
    is_shared, owner = (f"{row}.{column} = ''", column) if column else (_is_shared(row), "author")
    return f"({is_shared} OR {_is_reader(sight, f'{row}.{owner}')})"


def _is_in_scope(sight: Sight, row: str) -> str:
    """Each scope by itself, because to unpack a list takes longer, and only where there is a row to be hidden.

    It is an expression, which no index answers: what is looked up by its id is to be found by its id.
    """
    if sight.scopes is None:
        return "TRUE"
    tests = [f"{row}.scope || '' = :scope_{number}" for number in range(len(sight.scopes))]
    tests += _begin_alike(sight, row)
    return f"({' OR '.join(tests)})" if tests else "FALSE"


def _begin_alike(sight: Sight, row: str) -> list[str]:
    return [f"substr({row}.scope, 1, {len(begin)}) = :begin_{number}" for number, begin in enumerate(sight.beginnings)]


def _beginnings(sight: Sight) -> dict[str, object]:
    return {f"begin_{number}": begin for number, begin in enumerate(sight.beginnings)}


def _is_reader(sight: Sight, column: str) -> str:
    return "TRUE" if sight.reader is None else f"{column} = :reader"
