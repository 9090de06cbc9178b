"""What agents may do, and what is shared with them, is covered by the ledger: forged rows are reported."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from heldtrue import Memory
from heldtrue.access.identity import NoCredential, find_by_token
from heldtrue.domain.agent import digest_token, mint_token
from heldtrue.domain.principal import Role

DATABASE = "heldtrue.db"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with an agent that has a token, and a message to it."""
    folder = tmp_path / "home"
    with Memory.open(folder) as owner:
        owner.add_agent("seo", projects=["shop"])
        owner.share("seo", action="look", context="The code is 7.", expires="30 days")
    return folder


def forge(home: Path, *statements: str, values: tuple[object, ...] = ()) -> None:
    """Change rows past every rule: drop the triggers, and put them back afterwards."""
    connection = apsw.Connection(str(home / DATABASE))
    triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for name, _sql in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        connection.execute(statement, values)
    for _name, sql in triggers:
        connection.execute(str(sql))
    connection.close()


def reported(home: Path) -> set[str]:
    """The tables that verify reports something about."""
    with Memory.open(home) as memory:
        return {problem.what for problem in memory.verify().problems}


@pytest.mark.covers("D2", "C18")
@pytest.mark.parametrize(
    ("statement", "table"),
    [
        ("UPDATE agents SET role = 'admin'", "agents"),
        ("""UPDATE agents SET projects = '["shop", "bank"]'""", "agents"),
        ("UPDATE agents SET requests_per_second = 1000000", "agents"),
        ("UPDATE agents SET revoked_at = 1", "agents"),
        ("UPDATE agents SET recorded_to = 1", "agents"),
        ("UPDATE handed SET sender = 'agent:boss'", "handed"),
        ("UPDATE handed SET expires_at = expires_at * 2", "handed"),
        ("UPDATE handed SET note = 'The code is 8.'", "handed"),
        ("DELETE FROM handed", "ledger"),
        ("DELETE FROM agents", "ledger"),
        ("DELETE FROM tokens", "tokens"),
        ("UPDATE tokens SET token_digest = x'00'", "tokens"),
        ("INSERT INTO tokens VALUES ('owner', x'00')", "tokens"),
    ],
)
def test_verify_reports_a_forged_agent_message_or_token(home: Path, statement: str, table: str) -> None:
    forge(home)
    assert reported(home) == set(), "dropping the triggers and putting them back changes nothing"
    forge(home, statement)
    assert table in reported(home)


@pytest.mark.covers("C18")
def test_a_token_that_was_written_into_the_database_lets_nobody_in(home: Path) -> None:
    token = mint_token()
    forge(home, "INSERT INTO tokens VALUES ('owner', ?)", values=(digest_token(token),))
    forge(home, "UPDATE tokens SET token_digest = ? WHERE agent = 'seo'", values=(digest_token(token + "x"),))
    with Memory.open(home) as memory, memory._call.instance.store.read() as reading:
        for forged in (token, token + "x"):
            with pytest.raises(NoCredential):
                find_by_token(reading, forged)
    with Memory.open(home) as memory:
        real = memory.rotate_agent("seo").token
        assert real
        with memory._call.instance.store.read() as reading:
            assert find_by_token(reading, real).name == "seo"


def by_export(source: Path, target: Path) -> None:
    with Memory.open(source) as memory:
        memory.export(str(target.with_suffix(".jsonl")))
    with Memory.open(target) as memory:
        memory.import_(str(target.with_suffix(".jsonl")))


def by_backup(source: Path, target: Path) -> None:
    with Memory.open(source) as memory:
        memory.backup(str(target.with_suffix(".db")))
    with Memory.open(target) as memory:
        memory.restore_backup(str(target.with_suffix(".db")))


@pytest.mark.covers("B29")
@pytest.mark.parametrize("move", [by_export, by_backup])
def test_agents_and_messages_travel_with_their_limits_and_without_their_tokens(
    home: Path, tmp_path: Path, move: Callable[[Path, Path], None]
) -> None:
    with Memory.open(home) as memory:
        token = memory.rotate_agent("seo").token
    assert token
    move(home, tmp_path / "moved")
    with Memory.open(tmp_path / "moved") as memory:
        (seo,) = memory.agents().items
        assert (seo.role, seo.projects, seo.has_token) == ("project", ["shop"], False)
        assert [message.payload.context.project_context for message in memory.as_agent("seo").handed().items] == [
            "The code is 7."
        ]
        report = memory.verify()
        assert report.problems == []
        with memory._call.instance.store.read() as reading:
            with pytest.raises(NoCredential):
                find_by_token(reading, token)
            seo_row = reading.agents.named("seo")
            assert seo_row is not None
            assert seo_row.role is Role.PROJECT
        new = memory.rotate_agent("seo").token
        assert new
        with memory._call.instance.store.read() as reading:
            assert find_by_token(reading, new).name == "seo"
        assert memory.verify().ok
