"""Whoever changes history behind our back is found out (bars 10 and 21)."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from heldtrue import HeldtrueError, Memory, Untrusted
from heldtrue.wiring.known_homes import KnownHome
from tests.acceptance.homes import head_of, new_clock, times
from tests.reliability.prepared import DATABASE, HEAD, copy_home, prepare_home
from tests.reliability.vandal import (
    KEYS,
    TAMPERINGS,
    Vandal,
    cut_tail,
    edit_without_salt,
    rebuild_chain,
    rewrite_memory,
    rewrite_reason,
)

pytestmark = pytest.mark.without_reader

BATCHES = 4
FLIPS = 300


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("prepared") / "home"
    home.mkdir()
    prepare_home(home)
    return home


@pytest.fixture
def copies(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Path]:
    """A maker of fresh copies of the prepared home; each is gone when the next one is made, and unknown at first."""
    made: list[Path] = []

    def copy() -> Path:
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / f"state-{len(made)}"))
        if made:
            shutil.rmtree(made[-1])
        made.append(copy_home(prepared, tmp_path / f"copy-{len(made)}"))
        return made[-1]

    return copy


def problems_of(home: Path) -> list[str]:
    """What verify reports."""
    with Memory.open(home) as memory:
        return [f"{problem.what} {problem.where}: {problem.detail}" for problem in memory.verify().problems]


def is_exposed(home: Path) -> bool:
    """Whether verify reports something, or the home says clearly that it cannot be read."""
    try:
        return problems_of(home) != []
    except HeldtrueError:
        return True


def mistreat(home: Path, deed: Callable[[Vandal], object], seed: object = 0) -> str:
    vandal = Vandal(home / DATABASE, random.Random(str(seed)))
    try:
        return str(deed(vandal))
    finally:
        vandal.close()


@pytest.mark.covers("D2")
def test_an_untouched_copy_verifies_after_its_triggers_were_dropped_and_put_back(copies: Callable[[], Path]) -> None:
    assert problems_of(copies()) == []
    home = copies()
    mistreat(home, lambda vandal: vandal.snapshot())
    assert problems_of(home) == []


def test_every_table_of_the_prepared_home_has_rows_to_tamper_with(prepared: Path, copies: Callable[[], Path]) -> None:
    vandal = Vandal(copies() / DATABASE, random.Random(0))
    assert {table: len(vandal.rows(table)) > 0 for table in KEYS} == dict.fromkeys(KEYS, True)
    vandal.close()


@pytest.mark.slow
@pytest.mark.covers("D2", "C18")
@pytest.mark.parametrize("batch", range(BATCHES))
def test_verify_reports_every_tampering(batch: int, copies: Callable[[], Path]) -> None:
    deeds = [deed for deed, count in TAMPERINGS for _ in range(times(count))]
    assert len(deeds) == times(200)
    deeds = deeds[batch::BATCHES]
    missed = []
    for number, deed in enumerate(deeds):
        home = copies()
        done = mistreat(home, deed, f"{batch}/{number}")
        if not problems_of(home):
            missed.append(f"{batch}/{number} {deed.__name__}: {done}")
    assert missed == []


@pytest.mark.covers("D2")
@pytest.mark.parametrize("count", [1, 5, 20])
def test_a_cut_tail_is_reported_and_nothing_is_built_on_it_until_a_person_accepts_it(
    count: int, copies: Callable[[], Path]
) -> None:
    home = copies()
    mistreat(home, lambda vandal: cut_tail(vandal, count))
    assert [problem for problem in problems_of(home) if problem.startswith("head ")] == problems_of(home) != []
    with Memory.open(home) as memory:
        head = head_of(memory)
        with pytest.raises(Untrusted, match="truncated") as refused:
            memory.learn("Nothing was ever lost.")
        assert refused.value.exit_status == 8
        assert "heldtrue trust" in (refused.value.hint or "")
        with pytest.raises(Untrusted):
            memory.as_agent("codex").learn("Nothing was ever lost.")
        assert head_of(memory) == head, "nothing was written"
        assert any("verify" in warning for warning in memory.status().warnings)
        assert memory.recall("PostgreSQL").results, "what is left can still be read"
    (home / HEAD).rename(home / "ledger.head.set-aside")
    with Memory.open(home) as memory:
        assert memory.learn("A person accepted the loss.").outcome == "created"
        assert memory.verify().problems == [], "the cut was consistent: only the head outside gave it away"


@pytest.mark.covers("D2")
@pytest.mark.parametrize("deed", [rewrite_reason, rewrite_memory])
def test_a_rebuilt_chain_is_given_away_by_the_head_file_or_by_a_head_noted_elsewhere(
    deed: Callable[[Vandal], str], prepared: Path, copies: Callable[[], Path]
) -> None:
    with Memory.open(copies()) as memory:
        noted = memory.verify().head
        assert memory.verify(head=noted).ok
    home = copies()
    mistreat(home, deed)
    assert any("history was rewritten" in problem for problem in problems_of(home))
    with Memory.open(home) as memory, pytest.raises(Untrusted):
        memory.learn("On top of a forged past.")
    (home / HEAD).unlink()
    KnownHome(home).file.path.unlink(missing_ok=True)
    with Memory.open(home) as memory:
        report = memory.verify()
        assert report.ok, "the forgery is consistent in itself"
        assert any("proves nothing about the end of the ledger before" in note for note in report.notes)
        told = memory.verify(head=noted)
        assert [problem.what for problem in told.problems] == ["head"]


@pytest.mark.covers("D2", "A14")
def test_time_that_goes_back_is_reported_even_in_a_chain_that_was_rebuilt(copies: Callable[[], Path]) -> None:
    def turn_back(vandal: Vandal) -> None:
        rows = vandal.rows("ledger")
        # An entry that came long after the one before it: the next one is dated into the gap.
        place = next(at for at in range(1, len(rows)) if rows[at]["recorded_at"] - rows[at - 1]["recorded_at"] > 1_000)
        rebuild_chain(vandal, rows[place + 1] | {"recorded_at": rows[place]["recorded_at"] - 5})

    home = copies()
    mistreat(home, turn_back)
    (home / HEAD).unlink()
    assert any("its time is not after" in problem for problem in problems_of(home))


@pytest.mark.covers("D2")
def test_a_text_cannot_be_changed_by_taking_its_salt_away(copies: Callable[[], Path]) -> None:
    for seed in range(12):
        home = copies()
        done = mistreat(home, edit_without_salt, seed)
        assert problems_of(home), done


@pytest.mark.covers("D2")
def test_a_database_put_in_the_place_of_another_is_reported_and_not_written_to(
    copies: Callable[[], Path], tmp_path: Path
) -> None:
    other = tmp_path / "other"
    with Memory.open(other) as memory:
        memory.learn("Another space altogether.")
    home = copies()
    shutil.copyfile(other / DATABASE, home / DATABASE)
    assert any("another store" in problem for problem in problems_of(home))
    with Memory.open(home) as memory, pytest.raises(Untrusted):
        memory.learn("In the wrong house.")


@pytest.mark.covers("B19")
@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM unposted WHERE doc % 5 = 0",
        "DELETE FROM memory_index WHERE no % 5 = 0",
        "DELETE FROM passages WHERE no % 2 = 0",
        "UPDATE unposted SET terms = substr(terms, 1, length(terms) - 2) || ' 1 more 1' WHERE doc = 1",
    ],
)
def test_an_index_that_lost_words_is_reported_and_can_be_made_anew(copies: Callable[[], Path], damage: str) -> None:
    home = copies()
    mistreat(home, lambda vandal: vandal.run(damage))
    assert {problem.split()[0] for problem in problems_of(home)} == {"index"}
    with Memory.open(home) as memory:
        memory.reindex()
    assert problems_of(home) == []


@pytest.mark.covers("D2", "B19")
@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE passages SET hidden_seq = NULL, hidden_spans = NULL",
        "UPDATE passages SET hidden_seq = 1 WHERE hidden_seq IS NULL",
        "UPDATE passages SET span_end = span_end - 1",
        "UPDATE passages SET speaker = 'Eve' WHERE speaker IS NOT NULL",
        "UPDATE passages SET happened_at = happened_at + 1",
        "UPDATE passages SET shelf = 1",
        "DELETE FROM passage_keys WHERE rowid_is_odd",
        "DELETE FROM memory_keys",
        "DELETE FROM memory_keys WHERE no = 3",
        "UPDATE memory_keys SET key = key + 1 WHERE no = 4",
        "UPDATE shelves SET private_to = 'agent:eve' WHERE private_to <> ''",
        "UPDATE shelves SET scope = 'project:gamma' WHERE scope = 'project:alpha'",
        "UPDATE shelves SET tokens = tokens + 1000",
        "UPDATE threads SET name = 'another'  WHERE no = 1",
        "UPDATE unposted SET terms = replace(terms, 'postgresql', 'mysql')",
        "UPDATE unposted SET length = length * 9 WHERE doc = 2",
        "UPDATE memory_index SET terms = terms + 1 WHERE no = 5",
        "UPDATE index_state SET value = 1 WHERE name = 'rebuilding'",
    ],
)
def test_a_derived_row_that_decides_an_answer_is_recomputed_by_deep_verification(
    copies: Callable[[], Path], damage: str
) -> None:
    home = copies()
    assert deep_problems_of(home) == []

    def harm(vandal: Vandal) -> None:
        vandal.run("INSERT OR IGNORE INTO index_state (name, value) VALUES ('rebuilding', 0)")
        vandal.run(damage.replace("rowid_is_odd", "no % 2 = 0"))
        assert vandal.connection.changes(), "there is something to harm"

    mistreat(home, harm)
    found = deep_problems_of(home)
    assert {problem.split()[0] for problem in found} == {"index"}, found
    with Memory.open(home) as memory:
        memory.reindex()
    assert deep_problems_of(home) == []


def deep_problems_of(home: Path) -> list[str]:
    with Memory.open(home) as memory:
        return [f"{problem.what} {problem.where}: {problem.detail}" for problem in memory.verify(deep=True).problems]


@pytest.mark.covers("D2")
def test_verify_says_what_it_covers_and_what_it_does_not(copies: Callable[[], Path]) -> None:
    with Memory.open(copies()) as memory:
        quick, deep = memory.verify(), memory.verify(deep=True)
    assert len(deep.covered) > len(quick.covered)
    assert any("lookup keys" in line for line in quick.outside)
    assert not any("lookup keys" in line for line in deep.outside)
    for report in (quick, deep):
        assert any("use counts" in line and "recall log" in line for line in report.outside)


@pytest.mark.covers("D2")
@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE idempotency SET answer = replace(answer, 'created', 'refused')",
        "UPDATE idempotency SET request_hash = x'00'",
        "UPDATE idempotency SET key = 'another ' || key",
        "DELETE FROM idempotency",
        "INSERT INTO idempotency SELECT principal, key || '!', request_hash, answer, seq, recorded_at FROM idempotency",
    ],
)
def test_a_forged_answer_for_a_retry_is_reported(copies: Callable[[], Path], damage: str, tmp_path: Path) -> None:
    home = copies()
    with Memory.open(home) as memory:
        first = memory.learn("The quay is long.", idempotency_key="quay")
        assert memory.learn("The quay is long.", idempotency_key="quay") == first
        memory.drop_view("stack", idempotency_key="drop")
        assert memory.verify().problems == []
        memory.export(str(tmp_path / "export.jsonl"))
    with Memory.open(tmp_path / "moved") as moved:
        moved.import_(str(tmp_path / "export.jsonl"))
        assert moved.verify().problems == [], "answers that travel are proved there too"
    mistreat(home, lambda vandal: vandal.run(damage))
    assert {problem.split()[0] for problem in problems_of(home)} == {"idempotency"}


@pytest.mark.covers("D2")
def test_answers_that_maintenance_dropped_are_not_missed(copies: Callable[[], Path]) -> None:
    clock = new_clock()
    clock.advance(days=10)
    home = copies()
    with Memory.open(home, clock=clock) as memory:
        memory.learn("The quay is long.", idempotency_key="quay")
        clock.advance(days=30)
        memory.maintain()
        assert memory.verify().problems == []


def places_of_rows(path: Path) -> list[range]:
    """Where in the file the pages of the canonical tables are, most of them written full."""
    connection = apsw.Connection(str(path))
    wanted = ", ".join(f"'{table}'" for table in KEYS)
    pages: list[Any] = connection.execute(
        f"SELECT pgoffset, pgsize FROM dbstat WHERE name IN ({wanted}) AND unused < pgsize / 2"
    ).fetchall()
    connection.close()
    return [range(start, start + size) for start, size in pages]


def flip_bit(path: Path, offset: int, bit: int) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        byte = file.read(1)[0]
        file.seek(offset)
        file.write(bytes([byte ^ 1 << bit]))


def read_rows(path: Path) -> object:
    """Everything canonical as SQL reads it, or that it cannot be read."""
    connection = apsw.Connection(str(path))
    try:
        tables = []
        for table in sorted(KEYS):
            names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            quoted = ", ".join(f"typeof({name}), hex({name})" for name in names)
            tables.append(sorted(connection.execute(f"SELECT {quoted} FROM {table} NOT INDEXED").fetchall()))
        return tables
    except (apsw.Error, UnicodeDecodeError) as problem:
        return type(problem).__name__
    finally:
        connection.close()


@pytest.mark.slow
@pytest.mark.covers("D2")
@pytest.mark.parametrize("batch", range(2))
def test_every_flipped_bit_that_changes_a_row_is_reported(
    batch: int, prepared: Path, copies: Callable[[], Path], record_property: Callable[[str, object], None]
) -> None:
    chance = random.Random(batch)
    original, size = read_rows(prepared / DATABASE), (prepared / DATABASE).stat().st_size
    pages = places_of_rows(prepared / DATABASE)
    assert not is_exposed(copies()), "an untouched copy verifies"
    changed, missed = 0, []
    for number in range(times(FLIPS) // 2):
        # One flip in five falls anywhere: in an index, the schema, a free page.
        place = chance.randrange(size) if number % 5 == 0 else chance.choice(chance.choice(pages))
        home, bit = copies(), chance.randrange(8)
        flip_bit(home / DATABASE, place, bit)
        differs = read_rows(home / DATABASE) != original
        changed += differs
        if is_exposed(home) < differs:
            missed.append((place, bit))
    record_property("flips that changed a row", changed)
    assert changed > times(FLIPS) // 4
    assert missed == []
