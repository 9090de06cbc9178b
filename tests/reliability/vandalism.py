"""Changes of any kind, anywhere in a home: all tables, columns, rows, triggers, indexes and files.

A change counts as found if `verify --deep` reports it or the home cannot be opened. A change that is not found must not
alter an answer: what is recalled, hidden, refused or allowed. Whether it does is asked of both homes in the same words.
"""

from __future__ import annotations

import os
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import msgspec

from heldtrue import HeldtrueError, Memory
from tests.acceptance.homes import new_clock
from tests.reliability.damage import QUESTIONS, text_of
from tests.reliability.prepared import DATABASE, HEAD, copy_home, prepare_home

OUTSIDE = {"memory_use", "recalls", "jobs", "schedules", "summaries"}
"""The tables that `verify` says it does not cover."""


class Tally(msgspec.Struct):
    """What became of some changes."""

    found: int = 0
    harmless: int = 0
    """Not found, and no answer differs."""
    outside: int = 0
    """Not found, in a table that is outside the claim."""
    missed: list[str] = []
    """Not found, and an answer differs."""
    crashed: list[str] = []
    """What `verify` did not answer, but raised an error that is not one of ours."""
    kinds: Counter[str] = Counter()

    @property
    def made(self) -> int:
        return self.found + self.harmless + self.outside + len(self.missed) + len(self.crashed)


def prepare_everything(home: Path) -> None:
    """A home with rows in every table."""
    home.mkdir()
    with another_machine(home):
        _prepare(home)


def _prepare(home: Path) -> None:
    prepare_home(home)
    clock = new_clock()
    clock.advance(days=8)
    with Memory.open(home, clock=clock) as owner:
        owner.maintain()
        owner.learn("The harbour opens at six.", idempotency_key="harbour")
        told = owner.recall("PostgreSQL backend")
        owner.feedback(told.recall_id, used=[result.memory.id for result in told.results if result.memory])
        owner.capture(messages=[{"content": "We agreed that the tide table is public."}], thread="quay", extract=True)
        owner.work()
    with Memory.open(home, clock=clock) as owner:
        assert owner.verify(deep=True).ok, owner.verify(deep=True).problems


# What may be done


class Change(msgspec.Struct, frozen=True):
    """Something that was done."""

    kind: str
    where: str
    what: str


class Hand:
    """One hand on a home, with every trigger out of its way while it works."""

    def __init__(self, home: Path, chance: random.Random) -> None:
        self.home, self.chance = home, chance
        self.connection = apsw.Connection(str(home / DATABASE))
        self._triggers = self.run("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        for name, _sql in self._triggers:
            self.run(f"DROP TRIGGER {name}")

    def run(self, sql: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        return self.connection.execute(sql, values).fetchall()

    def put_back(self, *, besides: str = "") -> None:
        for name, sql in self._triggers:
            if name != besides:
                self.run(sql)
        self.connection.close()

    @property
    def triggers(self) -> list[str]:
        return [name for name, _sql in self._triggers]

    def names(self, kind: str) -> list[str]:
        rows = self.run("SELECT name FROM sqlite_master WHERE type = ? AND sql IS NOT NULL ORDER BY name", (kind,))
        return [row[0] for row in rows if not row[0].startswith("sqlite_stat")]

    def pick_table(self) -> str:
        filled = [name for name in self.names("table") if self.run(f"SELECT 1 FROM {name} LIMIT 1")]
        return self.chance.choice(filled)

    def columns(self, table: str) -> list[tuple[str, bool]]:
        """The columns of a table, and whether each is part of its key."""
        return [(row[1], bool(row[5])) for row in self.run(f"PRAGMA table_info({table})")]

    def pick_row(self, table: str) -> tuple[str, dict[str, Any]]:
        """A row, and the condition that finds it."""
        names = [name for name, _ in self.columns(table)]
        count = self.run(f"SELECT count(*) FROM {table}")[0][0]
        row = self.run(f"SELECT * FROM {table} LIMIT 1 OFFSET ?", (self.chance.randrange(count),))[0]
        return " AND ".join(f"{name} IS ?" for name in names), dict(zip(names, row, strict=True))


def edit_value(hand: Hand) -> Change | None:
    """One value of one row becomes another."""
    table = hand.pick_table()
    where, row = hand.pick_row(table)
    column = hand.chance.choice([*row])
    value = other_value(hand.chance, row[column])
    try:
        hand.run(f"UPDATE {table} SET {column} = ? WHERE {where}", (value, *row.values()))
    except (apsw.ConstraintError, apsw.MismatchError):
        return None
    same = hand.run(f"SELECT count(*) FROM {table} WHERE {where}", tuple(row.values()))[0][0]
    return None if same else Change("edit", table, f"{table}.{column}: {row[column]!r} -> {value!r}")


def delete_row(hand: Hand) -> Change | None:
    table = hand.pick_table()
    where, row = hand.pick_row(table)
    hand.run(f"DELETE FROM {table} WHERE {where}", tuple(row.values()))
    return Change("delete", table, f"{table}: {list(row.values())[:3]} deleted")


def copy_row(hand: Hand) -> Change | None:
    """A row is there twice, under another key and perhaps with another value."""
    table = hand.pick_table()
    _where, row = hand.pick_row(table)
    for column, is_key in hand.columns(table):
        if is_key or hand.chance.random() < 0.1:
            row[column] = other_value(hand.chance, row[column])
    try:
        marks = ", ".join("?" * len(row))
        hand.run(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))
    except (apsw.ConstraintError, apsw.MismatchError):
        return None
    return Change("copy", table, f"{table}: {list(row.values())[:3]} inserted")


def empty_table(hand: Hand) -> Change | None:
    table = hand.pick_table()
    hand.run(f"DELETE FROM {table}")
    return Change("empty", table, f"{table} emptied")


def set_column(hand: Hand) -> Change | None:
    """A whole column gets one value."""
    table = hand.pick_table()
    _where, row = hand.pick_row(table)
    column = hand.chance.choice([*row])
    value = hand.chance.choice((None, other_value(hand.chance, row[column])))
    try:
        hand.run(f"UPDATE {table} SET {column} = ?", (value,))
    except (apsw.ConstraintError, apsw.MismatchError):
        return None
    if not hand.run(f"SELECT 1 FROM {table} WHERE {column} IS ?", (value,)) or row[column] == value:
        return None
    return Change("column", table, f"{table}.{column} = {value!r} everywhere")


def drop_part(hand: Hand) -> Change | None:
    """An index or a view is gone."""
    kind = hand.chance.choice(("index", "view"))
    name = hand.chance.choice(hand.names(kind))
    hand.run(f"DROP {kind.upper()} {name}")
    return Change("schema", name, f"{kind} {name} dropped")


def add_part(hand: Hand) -> Change | None:
    """A trigger, a table, an index or a view that is not ours, under a name that looks like one of SQLite's."""
    table = hand.pick_table()
    name = hand.chance.choice(("sqlitex_part", "sqlite1part", f"{table}_more", "zz"))
    part = hand.chance.choice(
        (
            f"CREATE TRIGGER {name} AFTER INSERT ON sources BEGIN DELETE FROM memory_keys; END",
            f"CREATE TABLE {name} (text)",
            f"CREATE VIEW {name} AS SELECT * FROM {table}",
            f"CREATE INDEX {name} ON {table} ({hand.columns(table)[0][0]})",
            f"ALTER TABLE {table} ADD COLUMN {name}",
        )
    )
    hand.run(part)
    return Change("schema", name, part)


def change_head(hand: Hand) -> Change | None:
    """The head outside the database is cut, changed, emptied or taken from another moment."""
    file = hand.home / HEAD
    data = bytearray(file.read_bytes())
    place = hand.chance.randrange(len(data))
    done = hand.chance.choice(("cut", "flip", "empty"))
    if done == "flip":
        data[place] ^= 1 << hand.chance.randrange(7)
    file.write_bytes(bytes(data[:place] if done == "cut" else b"" if done == "empty" else data))
    return Change("file", HEAD, f"{HEAD}: {done} at {place}")


def drop_trigger(hand: Hand) -> Change | None:
    name = hand.chance.choice(hand.triggers)
    return Change("trigger", name, f"trigger {name} dropped")


DEEDS: tuple[tuple[Callable[[Hand], Change | None], int], ...] = (
    (edit_value, 56), (delete_row, 14), (copy_row, 10), (set_column, 6), (empty_table, 3), (drop_part, 2),
    (add_part, 3), (change_head, 2), (drop_trigger, 4),
)  # fmt: skip
"""What is done, and how often in a hundred times."""


def other_value(chance: random.Random, value: Any) -> Any:
    """A value of the same type, or now and then of another."""
    if chance.random() < 0.1:
        return chance.choice((None, 7, -1, 0.25, "", "text", b"", b"bytes", 2**40))
    match value:
        case int():
            return value + chance.choice((-1, 1, 3, 1_000_000, -value))
        case float():
            return value / 2 + 0.01
        case str():
            place = chance.randrange(len(value) + 1)
            return value[:place] + chance.choice("abc 1.") + value[place + chance.randrange(2) :]
        case bytes() if value:
            place = chance.randrange(len(value))
            return value[:place] + bytes([value[place] ^ 1 << chance.randrange(8)]) + value[place + 1 :]
        case _:
            return chance.choice((1, 5, "agent:codex", b"\x01"))


def vandalise(home: Path, chance: random.Random) -> Change:
    """Change something in a home."""
    deeds, weights = zip(*DEEDS, strict=True)
    while True:
        hand = Hand(home, chance)
        deed = chance.choices(deeds, weights)[0]
        change: Change | None = deed(hand)
        hand.put_back(besides=change.where if change is not None and change.kind == "trigger" else "")
        if change is not None:
            return change


# What became of it


@contextmanager
def another_machine(home: Path) -> Iterator[None]:
    """A machine that knows no home: copies of one space would else be taken for an earlier state of it."""
    before = os.environ.get("XDG_STATE_HOME")
    os.environ["XDG_STATE_HOME"] = str(home / "state")
    try:
        yield
    finally:
        if before is None:
            del os.environ["XDG_STATE_HOME"]
        else:
            os.environ["XDG_STATE_HOME"] = before


def is_found(home: Path) -> bool:
    """Whether verify reports something; the quick way first, since both together are what a person has."""
    clock = new_clock()
    clock.advance(days=9)
    try:
        with another_machine(home), Memory.open(home, clock=clock) as memory:
            return not memory.verify().ok or not memory.verify(deep=True).ok
    except HeldtrueError:
        return True


def answers_of(home: Path) -> list[object]:
    """What is recalled, hidden, refused and allowed in a home. It is written to: give it a copy."""
    clock = new_clock()
    clock.advance(days=9)
    with another_machine(home), Memory.open(home, clock=clock) as owner:
        found: list[object] = []
        for asker in (owner, owner.as_agent("seo"), owner.as_agent("codex")):
            for question in (*QUESTIONS, "where is the office?"):
                told = asker.recall(question, limit=10, profile="hybrid")
                found.append([(text_of(result), round(result.score, 2)) for result in told.results])
        found.append([(agent.name, agent.role, agent.projects, agent.has_token) for agent in owner.agents().items])
        found.append([message.payload.action for message in owner.as_agent("seo").handed().items])
        found.append([(memory.content, memory.status) for memory in owner.list(limit=100).items])
        found.append([view.name for view in owner.views().items])
        found.append(owner.learn("The harbour opens at six.", idempotency_key="harbour").memory.id)
        for text in ("The office is in Madrid.", "The API timeout is 90 seconds.", "The printer is on floor two."):
            answer = owner.as_agent("claude").learn(text, scope="project:alpha")
            found.append((answer.outcome, answer.reason))
        return found


def judge(pristine: Path, folder: Path, count: int, seed: object) -> Iterator[tuple[str, Change]]:
    """Change a fresh copy again and again, and say what became of each change."""
    expected = answers_of(copy_home(pristine, folder / "expected"))
    for number in range(count):
        home = copy_home(pristine, folder / "vandalised")
        change = vandalise(home, random.Random(f"{seed}/{number}"))
        spare = copy_home(home, folder / "spare")
        verdict = _verdict(home, spare, change, expected)
        shutil.rmtree(home)
        shutil.rmtree(spare)
        yield verdict, change
    shutil.rmtree(folder / "expected")


def _verdict(home: Path, spare: Path, change: Change, expected: list[object]) -> str:
    try:
        if is_found(home):
            return "found"
    except Exception as problem:  # noqa: BLE001 - whatever it is, it is a fault of ours
        return f"crashed: {problem!r}"
    if change.where in OUTSIDE:
        return "outside"
    return "harmless" if _gives(spare, expected) else "missed"


def _gives(home: Path, expected: list[object]) -> bool:
    try:
        return answers_of(home) == expected
    except HeldtrueError:
        return False


def count_changes(pristine: Path, folder: Path, count: int, seed: object) -> Tally:
    """Make some changes, and count what became of them."""
    tally = Tally()
    for verdict, change in judge(pristine, folder, count, seed):
        tally.kinds[change.kind] += 1
        match verdict:
            case "found":
                tally.found += 1
            case "harmless":
                tally.harmless += 1
            case "outside":
                tally.outside += 1
            case "missed":
                tally.missed.append(change.what)
            case _:
                tally.crashed.append(f"{change.what}: {verdict}")
    return tally
