"""A search's conditions as SQL: every column is named here, every value is a parameter, nothing given is syntax."""

from __future__ import annotations

import re
from collections.abc import Callable

from heldtrue.domain.principal import Sight
from heldtrue.ports import VersionFilter
from heldtrue.storage.connector import Connector

_Conditions = tuple[list[str], dict[str, object]]
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
    "private_to": "(v.visibility <> 'private' OR v.author = :private_to)",
}
"""What each single-valued part of a filter asks of a version; the parameter has the name of the part."""


def spell_filter(chosen: VersionFilter, connector: Connector) -> tuple[str, dict[str, object]]:
    """The WHERE conditions on the versions table (as `v`), and their values."""
    conditions, values = _when_recorded(chosen)
    _add_lists(chosen, connector, conditions, values)
    for name, condition in _CONDITIONS.items():
        value = getattr(chosen, name)
        if value is not None:
            conditions.append(condition)
            values[name] = value
    return " AND ".join(conditions), values


def _when_recorded(chosen: VersionFilter) -> _Conditions:
    if chosen.seq is None:
        return ["v.recorded_to IS NULL"], {}
    return ["v.seq <= :as_of_seq AND (v.seq_to IS NULL OR v.seq_to > :as_of_seq)"], {"as_of_seq": chosen.seq}


def _add_lists(chosen: VersionFilter, connector: Connector, conditions: list[str], values: dict[str, object]) -> None:
    within: Callable[[str, str], str] = connector.within
    lists = (
        ("v.scope", "scopes", chosen.scopes),
        ("v.status", "statuses", chosen.statuses or None),
        ("v.kind", "kinds", chosen.kinds or None),
    )
    for column, name, wanted in lists:
        if wanted is not None:
            conditions.append(within(column, name))
            values[name] = connector.listing(wanted)


_SEEN = re.compile(r"\{(sight|scope|reader): (\w+)(?:\.(\w+))?\}")


def spell_sight(sql: str, sight: Sight, connector: Connector) -> tuple[str, dict[str, object]]:
    """A statement with what may be seen put in, and the values of that.

    `{scope: a}` is that the row `a` is in a scope in sight, `{reader: a.column}` that the column names the reader, and
    `{sight: a}` both for a row that may be private to its author.
    """
    values: dict[str, object] = {f"seen_{number}": start for number, start in enumerate(_seen_scopes(sight))}
    if sight.reader is not None:
        values["reader"] = sight.reader

    def spell(found: re.Match[str]) -> str:
        what, row, column = found.groups()
        if what == "reader":
            condition = _is_reader(sight, f"{row}.{column}")
        elif what == "scope":
            condition = _is_in_scope(sight, row)
        else:
            private = f"(coalesce({row}.visibility, '') <> 'private' OR {_is_reader(sight, f'{row}.author')})"
            condition = f"{_is_in_scope(sight, row)} AND {private}"
        return connector.spell(condition)

    return _SEEN.sub(spell, sql), values


def _seen_scopes(sight: Sight) -> tuple[str, ...]:
    return (*(sight.scopes or ()), *sight.beginnings)


def _is_in_scope(sight: Sight, row: str) -> str:
    """Each scope by itself, because to unpack a list takes longer, and only where there is a row to be hidden.

    It is an expression, which no index answers: what is looked up by its id is to be found by its id.
    """
    if sight.scopes is None:
        return "TRUE"
    listed = len(sight.scopes)
    tests = [
        f"{row}.scope || '' = :seen_{number}"
        if number < listed
        else f"substr({row}.scope, 1, {len(scope)}) = :seen_{number}"
        for number, scope in enumerate(_seen_scopes(sight))
    ]
    return f"({' OR '.join(tests)})" if tests else "FALSE"


def _is_reader(sight: Sight, column: str) -> str:
    return "TRUE" if sight.reader is None else f"{column} = :reader"
