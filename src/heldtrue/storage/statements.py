"""Named SQL: one text, one purpose, one name."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from heldtrue.domain.carried import CARRIED
from heldtrue.domain.derived import DERIVED
from heldtrue.domain.erasure import ERASABLE
from heldtrue.domain.ledger import SPEC_NAMED, TABLES, LedgerEntry
from heldtrue.storage.filters import spell_owners

_NAME = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)
_COLUMNS = re.compile(r"\{(\w): (\w+)\}")
_WITHIN = re.compile(r"\{within: ([\w.]+) (\w+)\}")


def _columns(table: str) -> tuple[str, ...]:
    return LedgerEntry.__struct_fields__ if table == "ledger" else SPEC_NAMED[table].columns


def _spell_columns(sql: str) -> str:
    return _COLUMNS.sub(lambda found: ", ".join(f"{found[1]}.{column}" for column in _columns(found[2])), sql)


def package_folder(package: str) -> Path:
    """Where the SQL of a package is."""
    # importlib.resources would say so too, and double the time that a store takes to open.
    return Path(import_module(package).__path__[0])


def _read_file(package: str) -> dict[str, str]:
    text = (package_folder(package) / "queries.sql").read_text("utf-8")
    pieces = _NAME.split(text)
    return {name: _spell_columns(sql.strip().rstrip(";")) for name, sql in zip(pieces[1::2], pieces[2::2], strict=True)}


def _record_statements() -> dict[str, str]:
    """The statements that only list a record's columns, for all tables alike."""
    named: dict[str, str] = {}
    for table in ("ledger", *(spec.table for spec in TABLES)):
        columns = _columns(table)
        values = ", ".join(f":{column}" for column in columns)
        named[f"insert_{table}"] = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({values})"
    for erasable in ERASABLE:
        blanked = ", ".join(f"{column} = :{column}" for column in erasable.words)
        same = " AND ".join(f"{column} = :{column}" for column in erasable.key)
        named[f"erase_{erasable.table}"] = f"UPDATE {erasable.table} SET salt = NULL, {blanked} WHERE {same}"
    for spec in TABLES:
        chosen = f"SELECT {', '.join(spec.columns)} FROM {spec.table}"
        named[f"written_{spec.table}"] = (
            f"{chosen} WHERE seq > :after AND seq <= :until ORDER BY seq, {', '.join(spec.key)}"
        )
        named[f"keyed_{spec.table}"] = f"{chosen} WHERE {' AND '.join(f'{column} = :{column}' for column in spec.key)}"
        named[f"unwritten_{spec.table}"] = f"{chosen} WHERE seq > :until OR seq < 1 LIMIT 20"
        if spec.closing:
            named[f"closed_{spec.table}"] = (
                f"{chosen} WHERE seq_to > :after AND seq_to <= :until ORDER BY seq_to, {', '.join(spec.key)}"
            )
            named[f"unclosed_{spec.table}"] = (
                f"{chosen} WHERE seq_to > :until OR seq_to < 1 OR (seq_to IS NULL) <> (recorded_to IS NULL) LIMIT 20"
            )
    return named


def _carried_statements() -> dict[str, str]:
    """The statements that read and write whole working rows, for all tables alike."""
    named: dict[str, str] = {}
    for spec in CARRIED:
        columns, key = ", ".join(spec.columns), ", ".join(spec.key)
        bounds = ", ".join(f":after_{name}" for name in spec.key)
        named[f"carried_{spec.table}"] = (
            f"SELECT {columns} FROM {spec.table} WHERE ({key}) > ({bounds}) ORDER BY {key} LIMIT :limit"
        )
        same = " AND ".join(f"{name} = :{name}" for name in spec.key)
        named[f"drop_{spec.table}_row"] = f"DELETE FROM {spec.table} WHERE {same}"
        values = ", ".join(f":{name}" for name in spec.columns)
        named[f"put_{spec.table}_row"] = (
            f"INSERT INTO {spec.table} ({columns}) VALUES ({values}) ON CONFLICT DO NOTHING"
        )
    return named


def _derived_statements() -> dict[str, str]:
    """The statements that read whole tables of derived rows, page by page."""
    named: dict[str, str] = {}
    for spec in DERIVED:
        chosen, key = f"SELECT {', '.join(spec.columns)} FROM {spec.table}", ", ".join(spec.key)
        bounds = ", ".join(f":after_{name}" for name in spec.key)
        named[f"first_{spec.table}"] = f"{chosen} ORDER BY {key} LIMIT :limit"
        named[f"next_{spec.table}"] = f"{chosen} WHERE ({key}) > ({bounds}) ORDER BY {key} LIMIT :limit"
    return named


def load_statements(package: str, within: Callable[[str, str], str]) -> dict[str, str]:
    """All statements for one database: the shared ones and those of its own package, in its own words."""
    made = _record_statements() | _carried_statements() | _derived_statements()
    named = made | _read_file("heldtrue.storage") | _read_file(package)
    return {
        name: spell_owners(_WITHIN.sub(lambda found: within(found[1], found[2]), sql)) for name, sql in named.items()
    }
