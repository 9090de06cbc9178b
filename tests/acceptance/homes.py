"""Homes on either kind of store, and small things that many sentences need."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from heldtrue import ManualClock, Memory

KINDS = ("sqlite", "postgres")
START = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
MakeHome = Callable[..., Path]


def scale() -> float:
    """How many times the usual counts a run takes (HELDTRUE_TEST_SCALE)."""
    return float(os.environ.get("HELDTRUE_TEST_SCALE", "1"))


def times(count: int) -> int:
    """A count at the scale of this run."""
    return max(1, round(count * scale()))


def provide_homes(request: pytest.FixtureRequest, folder: Path) -> Iterator[MakeHome]:
    """A maker of fresh homes; the schemas behind the ones on PostgreSQL go away afterwards."""
    schemas: list[str] = []

    def make(kind: str = "sqlite", settings: str = "") -> Path:
        home = folder / f"home-{uuid4().hex[:12]}"
        home.mkdir()
        if kind == "postgres":
            schemas.append(f"space_{uuid4().hex}")
            dsn = request.getfixturevalue("postgres_dsn")
            settings += f'\n[storage]\nurl = "{dsn}"\nspace = "{schemas[-1]}"\n'
        if settings:
            (home / "heldtrue.toml").write_text(settings, "utf-8")
        return home

    yield make
    if schemas:
        import psycopg

        with psycopg.connect(request.getfixturevalue("postgres_dsn"), autocommit=True) as connection:
            for schema in schemas:
                connection.execute(f'DROP SCHEMA IF EXISTS "{schema}" CASCADE')


def new_clock() -> ManualClock:
    return ManualClock(START)


def recalled(memory: Memory, words: str, **arguments: Any) -> list[str]:
    """The contents that a question brings up, best first."""
    arguments.setdefault("limit", 100)
    return [result.memory.content for result in memory.recall(words, **arguments).results]


def listed(memory: Memory, **arguments: Any) -> list[str]:
    """The contents of the first page of a list, newest first."""
    arguments.setdefault("limit", 1_000)
    return [item.content for item in memory.list(**arguments).items]


def entries(memory: Memory) -> list[Any]:
    """Every ledger entry of a space, read past every rule of sight."""
    with memory._call.instance.store.read() as reading:
        return list(reading.ledger.entries(after=0, until=2**60, limit=2**31))


def last_entry(memory: Memory) -> Any:
    return entries(memory)[-1]


def head_of(memory: Memory) -> str:
    """The end of the ledger, which no failed write may move."""
    return str(memory.status().head)
