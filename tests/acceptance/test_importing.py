"""An import trusts a file as far as it proves where it comes from, and accounts for everything in it."""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from heldtrue import InvalidInput, ManualClock, Memory, NotAllowed, StorageProblem, Untrusted
from tests.acceptance.homes import MakeHome, head_of, listed
from tests.reliability.prepared import prepare_home

REJECTED = "The payout account is DE11 1111."
PERSONS = "The payout limit is 500 euros."


@contextmanager
def machine(folder: Path) -> Iterator[None]:
    """Another machine, as far as keys are concerned: a state folder of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(folder))
        yield


def continue_elsewhere(exported: Path, home: Path, result: Path) -> None:
    """Go on from an export in a home of one's own: revive a rejected value, change and retract a person's memories."""
    with Memory.open(home) as other:
        assert other.import_(exported).how == "replayed"
        (rejected,) = [
            item for item in other.list(statuses=["rejected", "retracted"]).items if item.content == REJECTED
        ]
        other.restore(rejected.id, reason="it was right")
        (limit,) = [item for item in other.list().items if item.content == PERSONS]
        other.correct(limit.id, "The payout limit is 90,000 euros.", reason="new limit")
        (rule,) = [item for item in other.list().items if item.content == "Two people sign each payout."]
        other.forget(rule.id, reason="too slow")
        other.learn("Payouts are made at night.")
        other.export(result)


@pytest.fixture
def victim(make_home: MakeHome) -> Iterator[Memory]:
    with Memory.open(make_home()) as memory:
        wrong = memory.learn(REJECTED)
        memory.forget(wrong.memory.id, reason="it is a fraud")
        memory.learn(PERSONS)
        memory.learn("Two people sign each payout.")
        yield memory


@pytest.mark.covers("B29", "D2")
def test_a_forged_continuation_waits_for_review_and_a_genuine_one_is_replayed(
    victim: Memory, make_home: MakeHome, tmp_path: Path
) -> None:
    victim.export(tmp_path / "leaked")
    before, head = set(listed(victim)), head_of(victim)
    with machine(tmp_path / "attacker"):
        continue_elsewhere(tmp_path / "leaked", make_home(), tmp_path / "forged")
    continue_elsewhere(tmp_path / "leaked", make_home(), tmp_path / "genuine")
    shutil.copytree(victim.home or Path(), tmp_path / "copy")
    answer = victim.import_(tmp_path / "forged")
    assert (answer.how, sum(answer.counts.values())) == ("proposed", answer.entries)
    assert "key" in (answer.note or "")
    assert set(listed(victim)) == before, "nothing that counts has changed"
    assert all(item.human_verified for item in victim.list().items)
    waiting = {item.memory.content for item in victim.inbox().items}
    assert waiting == {"The payout limit is 90,000 euros.", "Payouts are made at night."}
    assert victim.verify(head=head).ok
    with Memory.open(tmp_path / "copy") as control:
        assert control.import_(tmp_path / "genuine").how == "replayed"
        assert set(listed(control)) == {REJECTED, "The payout limit is 90,000 euros.", "Payouts are made at night."}
        assert control.verify(head=head).ok


@pytest.mark.covers("B29", "D2")
def test_the_key_moves_on_purpose_and_then_a_continuation_from_elsewhere_is_replayed(
    victim: Memory, make_home: MakeHome, tmp_path: Path
) -> None:
    victim.export(tmp_path / "exported")
    key = victim.export_key(tmp_path / "space.key")
    assert stat.S_IMODE((tmp_path / "space.key").stat().st_mode) == 0o600
    with machine(tmp_path / "second"):
        with Memory.open(make_home()) as other:
            assert other.import_key(tmp_path / "space.key").name == key.name
        continue_elsewhere(tmp_path / "exported", make_home(), tmp_path / "continued")
    assert victim.import_(tmp_path / "continued").how == "replayed"
    kept = list((Path(os.environ["XDG_STATE_HOME"]) / "heldtrue" / "keys").iterdir())
    assert {stat.S_IMODE(file.stat().st_mode) for file in kept} == {0o600}
    secret = json.loads((tmp_path / "space.key").read_bytes())["key"]
    home = victim.home or Path()
    assert all(bytes.fromhex(secret) not in file.read_bytes() for file in home.iterdir() if file.is_file())
    for file in (tmp_path / "exported", home / "heldtrue.db"):
        assert secret.encode() not in file.read_bytes(), "the key is in no export and not in the home"
    with pytest.raises(NotAllowed):
        victim.as_agent("codex").export_key(tmp_path / "stolen.key")
    (tmp_path / "bad.key").write_text('{"heldtrue_key": 1, "space_id": "../../x", "key": "00"}', "utf-8")
    with pytest.raises(InvalidInput):
        victim.import_key(tmp_path / "bad.key")
    (tmp_path / "bad.key").write_text(json.dumps({"heldtrue_key": 1, "space_id": "../x", "key": secret}), "utf-8")
    with pytest.raises(StorageProblem):
        victim.import_key(tmp_path / "bad.key")


@pytest.mark.covers("D2")
def test_a_working_row_that_was_edited_is_noticed_by_the_authentication_code(
    victim: Memory, make_home: MakeHome, tmp_path: Path
) -> None:
    victim.capture(messages=[{"name": "Ana", "content": "The vault is open."}], thread="chat 1")
    victim.export(tmp_path / "good")
    lines = (tmp_path / "good").read_bytes().splitlines(keepends=True)
    edited = [line.replace(b'"asked_by":"person:owner"', b'"asked_by":"person:other"') for line in lines]
    assert edited != lines
    (tmp_path / "edited").write_bytes(b"".join(edited))
    (tmp_path / "shortened").write_bytes(b"".join(line for line in lines if b'"line":"row"' not in line))
    (tmp_path / "broken").write_bytes(b"".join(line.replace(b'"tries":0', b'"tries":"x"') for line in lines))
    for name in ("edited", "shortened", "broken"):
        with Memory.open(make_home()) as empty:
            with pytest.raises((Untrusted, InvalidInput)):
                empty.import_(tmp_path / name)
            assert empty.status().ledger_entries == 0
            assert empty.import_(tmp_path / "good").how == "replayed"


@pytest.mark.covers("B29", "B4")
def test_an_import_into_a_used_space_brings_the_evidence_and_accounts_for_every_entry(
    make_home: MakeHome, tmp_path: Path, clock: ManualClock
) -> None:
    home = make_home()
    prepare_home(home)
    clock.advance(days=40)
    with Memory.open(home, clock=clock) as source:
        turns = [
            {"name": "Ana", "content": f"Turn {number}: the crane lifts {number} tonnes."} for number in range(174)
        ]
        source.capture(messages=turns, thread="harbour")
        source.capture("The crane driver is Olga.", source="crew.md")
        entries = source.export(tmp_path / "file").entries
    with Memory.open(make_home(), clock=clock) as used:
        used.learn("The canteen opens at noon.")
        answer = used.import_(tmp_path / "file")
        assert (answer.how, answer.entries, sum(answer.counts.values())) == ("proposed", entries, entries)
        assert answer.counts["captured"] >= 2
        assert answer.counts["left_out"] == sum(answer.left_out.values())
        assert {"memory.link", "memory.save_view", "memory.add_agent"} <= answer.left_out.keys()
        assert any("quarantine" in reason for reason in answer.refused)
        found = used.recall("how many tonnes does the crane lift in turn 99?", within=["sessions"]).results
        assert "99 tonnes" in found[0].passage.text
        assert used.recall("who is the crane driver?", within=["sources"]).results
        assert not used.recall("how deep is the well?", within=["sources"]).results, "it is in quarantine there"
        used.work(names=["extract"])
        assert used.verify().problems == []
        again = used.import_(tmp_path / "file")
        assert sum(again.counts.values()) == entries
        assert not {"created", "pending", "captured"} & again.counts.keys()
        assert again.counts["already_here"] >= answer.counts["captured"]


@pytest.mark.covers("D16", "B4")
def test_evidence_that_waits_for_extraction_there_is_extracted_here(make_home: MakeHome, tmp_path: Path) -> None:
    with Memory.open(make_home()) as source:
        source.capture(messages=[{"name": "Ana", "content": "We decided to use Valkey for the cache."}], thread="a")
        source.work(names=["extract"])
        source.capture(messages=[{"name": "Ana", "content": "We decided to use Caddy as the proxy."}], thread="b")
        source.export(tmp_path / "file")
    with Memory.open(make_home()) as used:
        used.learn("The canteen opens at noon.")
        used.import_(tmp_path / "file")
        assert len(used.jobs(states=["waiting"]).items) == 1, "what was extracted there is not extracted again"
        used.work(names=["extract"])
        assert any("Caddy" in item.memory.content for item in used.inbox().items)


# Files of somebody else's making


@pytest.mark.covers("D2", "B29")
@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER surprise AFTER INSERT ON jobs BEGIN DELETE FROM recalls; END",
        "CREATE VIRTUAL TABLE bomb USING fts5(content)",
        "CREATE VIEW more AS SELECT * FROM ledger",
        "CREATE TABLE extra (content TEXT)",
        "CREATE INDEX slow ON jobs (abs(due_at))",
        "DROP VIEW memories; CREATE VIEW memories AS SELECT * FROM memory_versions",
        "DROP INDEX jobs_open",
    ],
)
def test_a_database_with_another_schema_is_refused_before_it_is_read(
    make_home: MakeHome, tmp_path: Path, statement: str
) -> None:
    import apsw

    home = make_home()
    prepare_home(home)
    with Memory.open(home) as memory:
        memory.backup(tmp_path / "backup")
    shutil.copyfile(tmp_path / "backup", tmp_path / "crafted")
    database = apsw.Connection(str(tmp_path / "crafted"))
    database.execute(statement).fetchall()
    database.close()
    content = (tmp_path / "crafted").read_bytes()
    with Memory.open(make_home()) as empty:
        with pytest.raises(Untrusted, match="not a backup of this version"):
            empty.restore_backup(tmp_path / "crafted")
        assert empty.status().ledger_entries == 0
        assert (tmp_path / "crafted").read_bytes() == content
        assert not list(tmp_path.glob("crafted-*")), "nothing is written beside it"
        assert empty.restore_backup(tmp_path / "backup").entries > 0


@pytest.mark.covers("B29")
def test_a_line_without_an_end_and_deep_nesting_are_refused(owner: Memory, tmp_path: Path) -> None:
    for name, content in {
        "endless": b'{"content": "' + b"x" * (17 * 1024 * 1024),
        "deep": b'{"content": ' + b"[" * 200_000,
        "nested rows": b'{"heldtrue":1,"space_id":"x","entries":1,"head":"1:0"}\n{"line":"row","table":"jobs","row":'
        + b'{"a":' * 100_000,
    }.items():
        (tmp_path / name).write_bytes(content)
        head = head_of(owner)
        with pytest.raises((InvalidInput, Untrusted)):
            owner.import_(tmp_path / name)
        assert head_of(owner) == head
