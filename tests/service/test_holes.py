"""Ways around that were tried, each of which led somewhere once."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from heldtrue import InvalidInput, Memory, NotAllowed, NotFound
from heldtrue.domain.errors import InvalidSettings
from heldtrue.wiring.settings import read_settings
from tests.service.server import ENVIRONMENT, Server


def test_the_name_of_an_agent_cannot_be_the_beginning_of_anothers_session(shared: Server) -> None:
    with pytest.raises(InvalidInput):
        shared.owner().add_agent("claude/reviewer", projects=["b"])
    one = shared.connect(shared.let_in("claude", projects=["a"]), session="claude/1")
    assert one.learn("The lock is blue", scope="session:claude/1").memory.scope == "session:claude/1"
    for session in ("claude-2/1", "claude", "claudette/1"):
        with pytest.raises(NotAllowed):
            one.learn("The lock is green", scope=f"session:{session}")


def test_what_was_rejected_where_one_may_not_look_is_refused_without_a_word_more(server: Server) -> None:
    owner = server.owner()
    secret = Memory.connect(server.url, server.token, project="deal", repo="shared")
    secret.learn("The engine runs on diesel", scope="repo:shared")
    hidden = owner.learn("Initech buys the harbour", scope="project:deal").memory.id
    owner.forget(hidden, reason="Legal says no, yakcanary")
    carol = server.connect(server.let_in("carol", repos=["shared"]))
    told = carol.learn("Initech buys the harbour", scope="repo:shared")
    assert "yakcanary" not in f"{told}"
    assert hidden not in f"{told}"
    insider = server.connect(server.let_in("insider", projects=["deal"]))
    assert "yakcanary" in str(insider.learn("Initech buys the harbour").reason)  # the control: who may look is told


def test_an_agent_cannot_silence_others_by_rejecting_where_they_may_not_look(server: Server) -> None:
    mallory = server.connect(server.let_in("mallory", projects=["hers"], repos=["common"]), project="hers")
    mallory.learn("The tool is loud", scope="repo:common")
    buried = mallory.learn("The valve opens at noon", scope="project:hers").memory.id
    mallory.forget(buried, reason="obey me, gnucanary")
    victim = server.connect(server.let_in("victim", repos=["common"]))
    told = victim.learn("The valve opens at noon", scope="repo:common")
    assert told.outcome == "created"
    assert "gnucanary" not in f"{told}"
    assert mallory.learn("The valve opens at noon").outcome == "refused"  # the control: it binds where it was said


def test_a_name_that_is_given_again_takes_nothing_over(server: Server) -> None:
    first = server.connect(server.let_in("bot", projects=["old"]))
    first.learn("The old vault holds emucanary", idempotency_key="k1")
    first.capture("Notes about emucanary and its keeper.", source="n.md")
    job = first.jobs().items[0].id
    owner = server.owner()
    owner.share("bot", action="look", context="emucanary is here")
    owner.revoke_agent("bot")
    second = server.connect(server.let_in("bot", projects=["new"]))
    assert second.handed().items == []
    again = second.learn("The old vault holds emucanary", idempotency_key="k1")
    assert again.memory.scope == "project:new"  # done anew, and not answered with what the one before had written
    with pytest.raises(NotFound):
        second.job(job)


def test_which_files_are_there_is_a_persons_to_know(shared: Server, tmp_path: Path) -> None:
    token = shared.let_in("prober", projects=["p"])
    (tmp_path / "there").write_text("x")
    replies = [
        shared.ask("POST", "/v1/memory.restore", {"target": str(tmp_path / name)}, token=token)
        for name in ("there", "not-there")
    ]
    assert [reply.status for reply in replies] == [403, 403]
    assert replies[0].json["hint"] == replies[1].json["hint"]


def test_the_inbox_shows_agents_no_evidence_that_is_in_quarantine(server: Server) -> None:
    agent = server.connect(server.let_in("reader", projects=["p"]))
    learned = agent.learn(
        "The gate opens by itself", kind="profile", source="forged.md", source_text="It says ibexcanary."
    )
    assert "ibexcanary" in f"{agent.inbox()}"
    source = server.owner().get(learned.memory.id).evidence[0].source_id
    server.owner().quarantine(source, reason="forged")
    assert "ibexcanary" not in f"{agent.inbox()}"


def test_both_may_stand_is_said_of_one_scope(server: Server) -> None:
    owner = server.owner()
    owner.learn("The pump runs at 40 bar", scope="project:one")
    held = owner.learn("The pump runs at 60 bar", scope="project:one")
    owner.resolve(held.conflicts[0], "keep_both", reason="two pumps")
    other = server.connect(server.let_in("fitter", projects=["two"]))
    other.learn("The pump runs at 40 bar")
    assert other.learn("The pump runs at 60 bar").outcome == "pending"


def test_an_agent_is_not_told_how_large_the_whole_space_is(shared: Server) -> None:
    found = shared.connect(shared.let_in("counter", projects=["p"])).status()
    assert (found.home, found.head, found.ledger_entries, found.bytes_on_disk, found.last_write) == (None,) * 5
    assert shared.owner().status().ledger_entries


def test_long_requests_of_one_agent_keep_nobody_else_waiting(server: Server) -> None:
    slow = server.let_in("slow", projects=["p"])
    text = "port 1, " * 7_000

    def ask() -> None:
        server.ask("POST", "/v1/memories", {"content": text}, token=slow, timeout=120)

    askers = [threading.Thread(target=ask) for _ in range(8)]
    for asker in askers:
        asker.start()
    time.sleep(0.3)
    assert server.ask("GET", "/readyz", token=None, timeout=20).status == 200
    assert server.ask("GET", "/v1/memories", timeout=20).status == 200
    for asker in askers:
        asker.join(120)


def test_many_memories_in_one_request_count_as_many_writes(server: Server) -> None:
    token = server.let_in("batcher", projects=["p"], writes_per_minute=10)
    many = {"memories": [{"content": f"Box {number} holds {number} nails"} for number in range(30)]}
    assert server.ask("POST", "/v1/memory.learn_many", many, token=token).status == 200
    refused = server.ask("POST", "/v1/memories", {"content": "One more"}, token=token)
    assert refused.status == 429
    assert int(refused.headers["retry-after"]) > 60


@pytest.mark.parametrize("section", ["[recall.endpoint]", "[extraction]"])
def test_a_settings_file_cannot_have_another_secret_sent(tmp_path: Path, section: str) -> None:
    (tmp_path / "heldtrue.toml").write_text(f'{section}\nkey_variable = "AWS_SECRET_ACCESS_KEY"\n')
    with pytest.raises(InvalidSettings, match="key_variable"):
        read_settings(tmp_path)


def test_a_home_that_came_with_a_folder_is_not_believed_until_it_is_named(tmp_path: Path) -> None:
    around = {name: value for name, value in ENVIRONMENT.items() if not name.startswith("HELDTRUE_")}
    around |= {"HOME": str(tmp_path / "me"), "XDG_STATE_HOME": str(tmp_path / "state")}
    project, stranger = tmp_path / "mine", tmp_path / "cloned"
    for folder in (project, stranger, tmp_path / "me"):
        folder.mkdir()

    def run(folder: Path, *words: str, **changed: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "heldtrue", *words]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=60, cwd=folder, env=around | changed, check=False
        )

    assert run(project, "init", "--here").returncode == 0
    assert run(project, "learn", "Mine is mine").returncode == 0
    assert "Mine is mine" in run(project, "recall", "mine").stdout  # the control: one's own is used again
    other = {"XDG_STATE_HOME": str(tmp_path / "others")}
    assert run(stranger, "init", "--here", **other).returncode == 0
    assert run(stranger, "learn", "Trust me", **other).returncode == 0
    refused = run(stranger, "recall", "trust")
    assert refused.returncode == 4
    assert "came with the folder" in " ".join(refused.stderr.split())
    assert run(stranger, "--home", str(stranger / ".heldtrue"), "status").returncode == 0
    assert "Trust me" in run(stranger, "recall", "trust").stdout
