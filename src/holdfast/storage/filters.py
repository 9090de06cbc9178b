"""A search's conditions as SQL. Every column is named here and every value is a parameter: nothing of a caller's is syntax."""

from __future__ import annotations

from collections.abc import Callable

from holdfast.ports import VersionFilter
from holdfast.storage.connector import Connector

_Conditions = tuple[list[str], dict[str, object]]


def spell_filter(chosen: VersionFilter, connector: Connector) -> tuple[str, dict[str, object]]:
    """The WHERE conditions on the versions table (as `v`), and their values."""
    conditions, values = _when_recorded(chosen)
    _add_lists(chosen, connector, conditions, values)
    simple: tuple[tuple[str, object | None], ...] = (
        ("v.topic = :topic", chosen.topic),
        ("v.project_id = :project_id", chosen.project_id),
        ("v.repo_id = :repo_id", chosen.repo_id),
        ("v.author = :author", chosen.author),
        ("v.confidence >= :min_confidence", chosen.min_confidence or None),
        ("v.observed_at >= :observed_after", chosen.observed_after),
        ("(v.valid_from IS NULL OR v.valid_from <= :valid_at) AND (v.valid_to IS NULL OR v.valid_to > :valid_at)", chosen.valid_at),
        ("(v.valid_to IS NULL OR v.valid_to > :not_ended_by)", chosen.not_ended_by),
        ("(v.visibility <> 'private' OR v.author = :private_to)", chosen.private_to),
    )  # fmt: skip
    for condition, value in simple:
        if value is not None:
            conditions.append(condition)
            values[condition.rpartition(":")[2].rstrip(")")] = value
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
