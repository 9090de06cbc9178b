"""Damaged derived rows cost what depends on them, and nothing else (row B6)."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import apsw
import pytest

from heldtrue import ManualClock, Memory
from tests.acceptance.homes import new_clock, times
from tests.reliability.damage import COLUMNS, answers, damage_column, text_of
from tests.reliability.prepared import DATABASE, copy_home, prepare_home
from tests.waiting import wait_until

pytestmark = pytest.mark.without_reader

ROUNDS = 130
"""Each column twice."""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose words are partly posted, with vectors and use counts."""
    home = tmp_path_factory.mktemp("damaged") / "home"
    home.mkdir()
    prepare_home(home)
    with Memory.open(home, clock=new_clock()) as memory:
        memory.maintain()
        told = memory.recall("PostgreSQL backend")
        memory.feedback(told.recall_id, used=[result.memory.id for result in told.results if result.memory])
        memory.learn("The newest memory has not been posted yet.")
    return home


def later() -> ManualClock:
    """A clock that stands still after all that was prepared: scores depend on the time."""
    clock = new_clock()
    clock.advance(days=10)
    return clock


@pytest.mark.slow
@pytest.mark.covers("B6")
def test_recall_answers_whatever_derived_rows_contain_and_is_as_before_once_they_are_rebuilt(
    prepared: Path, tmp_path: Path
) -> None:
    with Memory.open(copy_home(prepared, tmp_path / "sound"), clock=later()) as memory:
        before = answers(memory)
    assert all(before)
    chance, done, failed = random.Random(13), 0, []
    for number in range(times(ROUNDS)):
        table, column = COLUMNS[number % len(COLUMNS)]
        home = copy_home(prepared, tmp_path / "damaged")
        damage = damage_column(home / DATABASE, table, column, chance)
        if damage is not None:
            done += 1
            with Memory.open(home, clock=later()) as memory:
                answers(memory)
            with Memory.open(home, clock=later()) as memory:
                memory.reindex()
                if answers(memory) != before and table != "memory_use":
                    failed.append(damage)
        shutil.rmtree(home)
    assert done > times(ROUNDS) // 2
    assert failed == []


@pytest.mark.covers("B6")
@pytest.mark.parametrize(
    ("damage", "kept"),
    [
        ("UPDATE vectors SET tokens = x'010203'", True),
        ("UPDATE vectors SET vector = 'text'", True),
        ("UPDATE unposted SET terms = x'0102'", False),
        ("UPDATE postings SET data = 'text'", False),
        ("UPDATE passages SET speaker = x'01'", True),
        ("UPDATE shelves SET docs = 'many'", False),
    ],
)
def test_damage_is_noted_and_mended_in_the_background(prepared: Path, tmp_path: Path, damage: str, kept: bool) -> None:
    home = copy_home(prepared, tmp_path / "home")
    question = "how long does the build take?"
    with Memory.open(home) as memory:
        sound = memory.recall(question)
        assert sound.results
        assert not any("damaged" in note for note in sound.notes)
    connection = apsw.Connection(str(home / DATABASE))
    connection.execute(damage)
    connection.close()
    with Memory.open(home) as memory:
        assert not memory.verify(deep=True).ok
        told = memory.recall(question)
        assert any("damaged" in note for note in told.notes)
        if kept:
            assert [text_of(result) for result in told.results][:1] == [text_of(sound.results[0])]
        wait_until(lambda: memory.verify(deep=True).ok)
        mended = memory.recall(question)
        assert [text_of(result) for result in mended.results] == [text_of(result) for result in sound.results]
        assert not any("damaged" in note for note in mended.notes)


@pytest.mark.slow
@pytest.mark.covers("B6")
def test_a_memory_can_be_learned_whatever_derived_rows_contain(prepared: Path, tmp_path: Path) -> None:
    chance = random.Random(14)
    home = copy_home(prepared, tmp_path / "home")
    for number, (table, column) in enumerate(COLUMNS):
        damage_column(home / DATABASE, table, column, chance)
        with Memory.open(home) as memory:
            assert memory.learn(f"The harbour has {number} cranes.").outcome != "refused"
            memory.maintain()


@pytest.mark.covers("B6")
def test_use_counts_that_cannot_be_are_ignored(prepared: Path, tmp_path: Path) -> None:
    home = copy_home(prepared, tmp_path / "home")
    connection = apsw.Connection(str(home / DATABASE))
    connection.execute("UPDATE memory_use SET priority = 'x'")
    assert connection.changes()
    connection.close()
    with Memory.open(home) as memory:
        told = memory.recall("PostgreSQL backend")
        assert told.results
        assert any("damaged" in note for note in told.notes)
