"""A PostgreSQL server that comes back with an older state, as after a failover: nothing is built on it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from heldtrue import Memory
from heldtrue.domain.continuity import StoredHead
from heldtrue.domain.errors import HomeChanged
from tests.acceptance.homes import MakeHome

pytestmark = pytest.mark.without_reader

TABLES = "SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) FROM pg_tables WHERE schemaname = %s"


class Snapshots:
    """The schema of a space, kept as it is now and put back later."""

    def __init__(self, dsn: str, home: Path) -> None:
        text = (home / "heldtrue.toml").read_text("utf-8")
        self.schema = text.split('space = "')[1].split('"')[0]
        self.kept = f"{self.schema}_kept"
        self._connection = psycopg.connect(dsn, autocommit=True)
        assert f"application_name={self.schema}" in text, "only the sessions of this home are to end"

    def keep(self) -> None:
        self._connection.execute(f'CREATE SCHEMA "{self.kept}"')
        for (table,) in self._connection.execute(TABLES, (self.schema,)).fetchall():
            copy = table.replace(self.schema, self.kept)
            self._connection.execute(f"CREATE TABLE {copy} AS SELECT * FROM {table}")

    def put_back(self, *, breaks_connections: bool) -> None:
        """Every row as it was; sessions end as they do in a failover."""
        with self._connection.transaction():
            for (table,) in self._connection.execute(TABLES, (self.schema,)).fetchall():
                copy = table.replace(self.schema, self.kept)
                self._connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
                self._connection.execute(f"DELETE FROM {table}")
                self._connection.execute(f"INSERT INTO {table} SELECT * FROM {copy}")
                self._connection.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
        if breaks_connections:
            self._connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE application_name = %s AND datname = current_database()",
                (self.schema,),
            )

    def close(self) -> None:
        self._connection.execute(f'DROP SCHEMA IF EXISTS "{self.kept}" CASCADE')
        self._connection.close()


def name_sessions(home: Path) -> Path:
    """Give the database sessions of a home a name of their own."""
    settings = home / "heldtrue.toml"
    text = settings.read_text("utf-8")
    url, schema = (text.split(f'{key} = "')[1].split('"')[0] for key in ("url", "space"))
    named = f"{url}{'&' if '?' in url else '?'}application_name={schema}"
    settings.write_text(text.replace(url, named), "utf-8")
    return home


@pytest.fixture
def snapshots(postgres_dsn: str, request: pytest.FixtureRequest) -> Callable[[Path], Snapshots]:
    def make(home: Path) -> Snapshots:
        made = Snapshots(postgres_dsn, home)
        request.addfinalizer(made.close)
        return made

    return make


@pytest.mark.covers("A5", "D2")
@pytest.mark.parametrize("lost", [1, 7])
@pytest.mark.parametrize("breaks_connections", [True, False])
def test_a_failover_to_an_older_snapshot_is_named_at_once_and_for_good(
    make_home: MakeHome, snapshots: Callable[[Path], Snapshots], lost: int, breaks_connections: bool
) -> None:
    home = name_sessions(make_home("postgres"))
    with Memory.open(home) as memory:
        memory.learn("The bell rings at noon.")
        server = snapshots(home)
        server.keep()
        for number in range(lost):
            assert memory.learn(f"Lamp {number} is lit.").outcome == "created"  # the control: it can be written
        memory._call.instance.refuse_changed()
        before = (home / "ledger.head").read_bytes()
        server.put_back(breaks_connections=breaks_connections)
        for number in range(3):
            with pytest.raises(HomeChanged, match="restored from an older copy"):
                memory.learn(f"Door {number} is shut.")
        with pytest.raises(HomeChanged):
            memory._call.instance.refuse_changed()
        assert (home / "ledger.head").read_bytes() == before, "the head never moves back"
        assert "head" in {problem.what for problem in memory.verify().problems}
    with Memory.open(home) as memory, pytest.raises(HomeChanged):
        memory.learn("The shed is red.")


@pytest.mark.covers("D2")
def test_a_head_is_not_moved_over_entries_that_others_wrote_on_an_older_snapshot(
    make_home: MakeHome, snapshots: Callable[[Path], Snapshots]
) -> None:
    """Another machine, with files of its own, goes on from the older state until the ledger is longer than before."""
    home, other = name_sessions(make_home("postgres")), make_home("sqlite")
    (other / "heldtrue.toml").write_bytes((home / "heldtrue.toml").read_bytes())
    with Memory.open(home) as memory:
        memory.learn("The bell rings at noon.")
        server = snapshots(home)
        server.keep()
        memory.learn("The gate is green.")
    server.put_back(breaks_connections=True)
    with Memory.open(other) as memory:
        for number in range(5):
            memory.learn(f"Lamp {number} is lit.")
    with Memory.open(home) as memory:
        with pytest.raises(HomeChanged, match="replaced with another copy"):
            memory.learn("The shed is red.")
        stored = memory._call.instance.heads.stored()
        assert [head.head.seq for head in stored if isinstance(head, StoredHead)] == [2, 2]
