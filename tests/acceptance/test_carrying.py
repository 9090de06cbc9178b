"""Backup, restore, export and import carry everything but tokens, through both databases and back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from heldtrue import ManualClock, Memory, NotAllowed
from heldtrue.domain.carried import CARRIED
from heldtrue.domain.ledger import TABLES
from heldtrue.storage.store import SqlStore
from tests.acceptance.homes import MakeHome, head_of, new_clock
from tests.reliability.prepared import prepare_home

NOT_CARRIED = {"tokens"}
"""A token is for one home."""
DERIVED = {
    "memory_keys", "memory_index", "shelves", "threads", "passages", "passage_keys", "postings", "unposted", "models",
    "vectors", "index_state",
}  # fmt: skip
"""Rebuilt from the rows that are carried."""
COMPARED = {
    "memory_keys": "key, no",
    "passages": "no",
    "passage_keys": "key, no",
    "threads": "no",
    "memory_index": "no",
}
"""Derived tables that come out the same, row by row, with their order."""
Rows = dict[str, list[dict[str, Any]]]


def fill(home: Path, clock: ManualClock) -> None:
    """A space with rows in every table that is carried."""
    prepare_home(home)
    clock.advance(days=12)
    with Memory.open(home, clock=clock) as owner:
        owner.add_agent("spotter", role="skill")
        owner.add_agent("shopper", projects=["shop"], repos=["web"], teams=["red"], writes_per_minute=7)
        owner.add_agent("leaver", role="admin")
        owner.revoke_agent("leaver")
        found = owner.recall("PostgreSQL backend")
        owner.feedback(found.recall_id, used=[found.results[0].memory.id])
        owner.learn("The gate is green.", idempotency_key="once")
        owner.as_agent("codex").share(
            "spotter", action="look", memories=[found.results[0].memory.id], expires="20 days"
        )
        owner.work()
        clock.advance(days=8)
        owner.work()
        owner.capture(
            messages=[{"name": "Ana", "content": "We decided to use Valkey for the cache."}], thread="chat 99"
        )
        owner.recall("timeout of the API")


def read_tables(memory: Memory) -> Rows:
    """Every row of every table that is no index, read from the database itself."""
    store = memory._call.instance.store
    assert isinstance(store, SqlStore)
    memory._call.instance.recall_log.flush()
    found: Rows = {}
    with store.connector.reading() as connection:
        for table, columns, order in _columns():
            spelled = store.connector.spell(f"SELECT {', '.join(columns)} FROM {table} ORDER BY {order}")
            found[table] = [
                {
                    name: bytes(value) if isinstance(value, memoryview) else value
                    for name, value in zip(columns, row, strict=True)
                }
                for row in connection.rows(spelled, {})
            ]
    return found


def _columns() -> list[tuple[str, tuple[str, ...], str]]:
    canonical = [(spec.table, spec.columns, ", ".join(spec.key)) for spec in TABLES]
    working = [(spec.table, spec.columns, ", ".join(spec.key)) for spec in CARRIED]
    derived = {
        "memory_keys": ("key", "no"),
        "passages": (
            "no",
            "shelf",
            "source_id",
            "seq",
            "span_start",
            "span_end",
            "speaker",
            "happened_at",
            "terms",
            "hidden_seq",
        ),
        "passage_keys": ("key", "no"),
        "threads": ("no", "shelf", "name", "places"),
        "memory_index": ("no", "shelf", "terms"),
    }
    from heldtrue.domain.ledger import LedgerEntry

    return [
        ("ledger", LedgerEntry.__struct_fields__, "seq"),
        *canonical,
        *working,
        *((table, columns, COMPARED[table]) for table, columns in derived.items()),
    ]


def differences(before: Rows, after: Rows) -> list[str]:
    """Every field that differs, by table and row."""
    found = []
    for table, rows in before.items():
        there = after[table]
        if len(rows) != len(there):
            found.append(f"{table}: {len(rows)} rows, {len(there)} there")
        for number, (row, twin) in enumerate(zip(rows, there, strict=False)):
            found += [f"{table}[{number}].{name}" for name in row if row[name] != twin[name]]
    return found


@pytest.fixture
def filled(make_home: MakeHome) -> tuple[Path, ManualClock]:
    home, clock = make_home(), new_clock()
    fill(home, clock)
    return home, clock


def test_the_tables_of_a_database_are_carried_rebuilt_or_named_as_left_behind(owner: Memory) -> None:
    store = owner._call.instance.store
    assert isinstance(store, SqlStore)
    parts = store.connector.describe_schema()
    tables = {part.name.removeprefix("table ") for part in parts if part.name.startswith("table ")}
    known = {spec.table for spec in TABLES} | {spec.table for spec in CARRIED} | {"ledger", "migrations"}
    assert tables - {"schema_migrations"} == (known | DERIVED | NOT_CARRIED) & tables
    assert known - {"migrations"} <= tables


def moved_by_export(source: Memory, target: Memory, file: Path) -> None:
    source.export(file)
    assert target.import_(file).how == "replayed"


def moved_by_restored_export(source: Memory, target: Memory, file: Path) -> None:
    source.export(file)
    target.restore_backup(file)


def moved_by_backup(source: Memory, target: Memory, file: Path) -> None:
    source.backup(file)
    target.restore_backup(file)


MOVES: tuple[Callable[[Memory, Memory, Path], None], ...] = (moved_by_backup, moved_by_export, moved_by_restored_export)


@pytest.mark.covers("B29", "D28")
@pytest.mark.parametrize("move", MOVES)
def test_a_space_moves_through_both_databases_without_a_field_changed(
    filled: tuple[Path, ManualClock], make_home: MakeHome, tmp_path: Path, move: Callable[[Memory, Memory, Path], None]
) -> None:
    home, clock = filled
    with Memory.open(home, clock=clock) as source:
        first = read_tables(source)
    empty = [table for table, rows in first.items() if not rows]
    assert empty == [], "every table has something to carry"
    for step, kind in enumerate(("sqlite", "postgres", "sqlite")):
        target_home = make_home(kind)
        with Memory.open(home, clock=clock) as source, Memory.open(target_home, clock=clock) as target:
            move(source, target, tmp_path / f"step-{step}")
            assert differences(first, read_tables(target)) == []
            assert target.verify().problems == []
            assert not any(agent.has_token for agent in target.agents().items), "no token has travelled"
        home = target_home


def test_the_comparison_notices_a_changed_field_in_every_table(filled: tuple[Path, ManualClock]) -> None:
    home, clock = filled
    with Memory.open(home, clock=clock) as memory:
        one, other = read_tables(memory), read_tables(memory)
    assert differences(one, other) == []
    for table, rows in other.items():
        name, value = next((name, value) for name, value in rows[-1].items() if isinstance(value, str | int))
        rows[-1][name] = f"{value}!"
        assert differences(one, other) == [f"{table}[{len(rows) - 1}].{name}"]
        rows[-1][name] = value


@pytest.mark.covers("B24")
@pytest.mark.parametrize("move", MOVES)
def test_agents_have_the_reach_they_had_after_a_move(
    filled: tuple[Path, ManualClock], make_home: MakeHome, tmp_path: Path, move: Callable[[Memory, Memory, Path], None]
) -> None:
    home, clock = filled
    with Memory.open(home, clock=clock) as source, Memory.open(make_home(), clock=clock) as target:
        source.learn("The vault code is 4711.", scope="project:bank")
        move(source, target, tmp_path / "file")
        for memory in (source, target):
            with pytest.raises(NotAllowed):
                memory.as_agent("spotter").recall("vault code", scopes=["project:bank"])
            with pytest.raises(NotAllowed):
                memory.as_agent("shopper").learn("The shop closes at six.", scope="global")
            assert memory.as_agent("shopper").learn("The shop closes at six.", scope="project:shop").memory
            assert memory.as_agent("codex").recall("vault code", scopes=["project:bank"]).results, "codex always could"
        assert target.as_agent("spotter").handed().items, "what was shared is still there to be read"


@pytest.mark.covers("D16")
@pytest.mark.parametrize("move", MOVES)
def test_work_that_waits_is_done_after_a_move(
    filled: tuple[Path, ManualClock], make_home: MakeHome, tmp_path: Path, move: Callable[[Memory, Memory, Path], None]
) -> None:
    home, clock = filled
    with Memory.open(home, clock=clock) as source, Memory.open(make_home(), clock=clock) as target:
        waiting = [job.id for job in source.jobs(states=["waiting"]).items if job.name == "extract"]
        assert waiting
        move(source, target, tmp_path / "file")
        assert [job.id for job in target.jobs(states=["waiting"]).items if job.name == "extract"] == waiting
        target.work(names=["extract"])
        assert {target.job(job_id).job.state for job_id in waiting} == {"done"}
        assert any("Valkey" in item.memory.content for item in target.inbox().items)


@pytest.mark.covers("A7")
def test_feedback_counts_the_same_after_a_move(
    filled: tuple[Path, ManualClock], make_home: MakeHome, tmp_path: Path
) -> None:
    home, clock = filled
    with Memory.open(home, clock=clock) as source, Memory.open(make_home("postgres"), clock=clock) as target:
        moved_by_backup(source, target, tmp_path / "file")
        here, there = source.recall("PostgreSQL backend").results[0], target.recall("PostgreSQL backend").results[0]
        assert here.breakdown["priority"] == there.breakdown["priority"] != 0
        assert msgspec.to_builtins(here) == msgspec.to_builtins(there)
        assert [row.question for row in target.recalls().items][1:] == [row.question for row in source.recalls().items][
            1:
        ]
        assert target.learn("The gate is green.", idempotency_key="once").seq < int(head_of(target).partition(":")[0])
