"""What stands around the records is checked too: the schema, its triggers, and the head kept outside."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from heldtrue import Memory, Untrusted


def change(home: Path, sql: str) -> None:
    connection = apsw.Connection(str(home / "heldtrue.db"))
    connection.execute(sql).fetchall()
    connection.close()


@pytest.mark.covers("C18", "D2")
@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("DROP TRIGGER ledger_no_update", "trigger ledger_no_update"),
        ("CREATE TRIGGER eavesdrop AFTER INSERT ON sources BEGIN SELECT 1; END", "trigger eavesdrop"),
        ("CREATE TABLE stowaway (id)", "table stowaway"),
        ("DROP INDEX sources_by_seq", "index sources_by_seq"),
    ],
)
def test_a_changed_schema_is_reported(tmp_path: Path, sql: str, named: str) -> None:
    home = tmp_path / "home"
    with Memory.open(home) as memory:
        memory.learn("The bell rings at noon")
        assert memory.verify().ok
    change(home, sql)
    with Memory.open(home) as memory:
        assert [problem.what for problem in memory.verify().problems if named in problem.detail] == ["database"]


@pytest.mark.covers("C18")
def test_a_head_file_that_cannot_be_read_is_reported_and_stops_writing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Memory.open(home) as memory:
        memory.learn("The bell rings at noon")
    (home / "ledger.head").write_text("scribble")
    with Memory.open(home) as memory:
        assert [problem.what for problem in memory.verify().problems] == ["head"]
        with pytest.raises(Untrusted):
            memory.learn("The gate is green")
    (home / "ledger.head").unlink()
    with Memory.open(home) as memory:
        assert memory.learn("The gate is green").outcome == "created"
