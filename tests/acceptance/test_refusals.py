"""Every refusal can be read: who tried what, when, why it was refused, and the rejection that it met."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from heldtrue import Memory, NotAllowed
from tests.acceptance.homes import head_of

FACT = "Ada keeps bees in her garden."


@pytest.fixture
def rejected(anywhere: Memory) -> Memory:
    anywhere.forget(anywhere.learn(FACT).memory.id, reason="she moved them")
    return anywhere


def mem0(folder: Path) -> Path:
    (folder / "mem0.json").write_text(json.dumps({"results": [{"id": "1", "memory": FACT, "user_id": "ada"}]}))
    return folder / "mem0.json"


def server_memory(folder: Path) -> Path:
    line = {"type": "entity", "name": "Ada", "entityType": "person", "observations": [FACT]}
    (folder / "memory.jsonl").write_text(json.dumps(line) + "\n")
    return folder / "memory.jsonl"


def basic_memory(folder: Path) -> Path:
    text = f"---\ntitle: Ada\npermalink: ada\ntype: note\n---\n\n# Ada\n\n## Observations\n\n- [fact] {FACT}\n"
    (folder / "ada.md").write_text(text)
    return folder


def document(folder: Path) -> Path:
    (folder / "notes.md").write_text(f"# Notes\n\n{FACT}\n")
    return folder


READERS: dict[str, Callable[[Path], Path]] = {
    "mem0": mem0,
    "server-memory": server_memory,
    "basic-memory": basic_memory,
    "a document": document,
}


@pytest.mark.covers("D5", "B29")
@pytest.mark.parametrize("write", READERS.values(), ids=READERS)
def test_what_an_importer_is_refused_is_in_the_ledger_once(
    rejected: Memory, tmp_path: Path, write: Callable[[Path], Path]
) -> None:
    (tmp_path / "material").mkdir()
    path = str(write(tmp_path / "material"))
    rejected.ingest(path)
    rejected.work()
    (refusal,) = rejected.refusals().items
    assert FACT.removesuffix(".") in (refusal.what or "")
    assert (refusal.by, refusal.cause) == ("person:owner", "rejected_before")
    assert refusal.reason == "this was rejected by person:owner: she moved them"
    assert refusal.action in ("memory.ingest", "memory.extract")
    (stone,) = rejected.rejections().items
    assert refusal.memory == stone.memory
    assert refusal.tombstone is not None
    rejected.ingest(path)
    rejected.work()
    assert rejected.refusals().items == [refusal], "the same again leaves no second trace"
    assert rejected.verify().ok


@pytest.mark.covers("D5", "B7")
def test_refusals_are_in_the_list_the_diff_the_explanation_and_the_events(rejected: Memory) -> None:
    codex = rejected.as_agent("codex")
    since = head_of(rejected).split(":")[0]
    codex.learn(FACT)
    codex.learn("Thanks!")
    with pytest.raises(NotAllowed):
        codex.restore(rejected.rejections().items[0].memory, reason="back")
    found = rejected.refusals().items
    assert [(refusal.cause, refusal.what) for refusal in found] == [
        ("not_allowed", None),
        ("chatter", "Thanks!"),
        ("rejected_before", FACT),
    ]
    assert {refusal.by for refusal in found} == {"agent:codex"}
    assert [entry.seq for entry in rejected.diff(f"#{since}").refused] == [refusal.seq for refusal in reversed(found)]
    (refused,) = rejected.explain(str(found[-1].memory)).refused
    assert (refused.seq, refused.detail["said"]) == (found[-1].seq, FACT)
    told = [event for event in rejected.events().items if event.payload.get("delta") == "refused"]
    assert [event.payload["cause"] for event in told] == ["rejected_before", "chatter", "not_allowed"]
    assert "she moved them" in told[0].payload["about"]


@pytest.mark.covers("B7", "B11")
def test_an_agent_sees_its_own_refusals_and_nobody_elses(rejected: Memory) -> None:
    codex, claude = rejected.as_agent("codex"), rejected.as_agent("claude")
    codex.learn(FACT)
    claude.learn("Thanks!")
    assert [refusal.what for refusal in codex.refusals().items] == [FACT]
    assert [refusal.what for refusal in claude.refusals().items] == ["Thanks!"]
    assert claude.refusals(by="agent:codex").items == []
    assert [refusal.what for refusal in rejected.refusals(by="agent:codex").items] == [FACT]
    assert [entry.actor for entry in claude.diff("#0").refused] == ["agent:claude"]
    assert [entry.actor for entry in rejected.diff("#0").refused] == ["agent:codex", "agent:claude"]
    actors = {event.by for event in claude.events().items if event.payload.get("delta") == "refused"}
    assert actors == {"agent:claude"}
    memory = rejected.rejections().items[0].memory
    assert [entry.actor for entry in codex.explain(memory).refused] == ["agent:codex"]
    assert claude.explain(memory).refused == []


@pytest.mark.covers("B11")
def test_a_refusal_does_not_tell_where_others_rejected_it(owner: Memory) -> None:
    owner.forget(owner.learn(FACT).memory.id, reason="a secret reason")
    owner.add_agent("shop", role="project", projects=["shop"])
    owner.forget(owner.learn("The vault is in Bern.", scope="project:bank").memory.id, reason="no")
    shop = owner.as_agent("shop")
    shop.learn(FACT, scope="project:shop")
    refusals = shop.refusals().items
    assert [(refusal.what, refusal.memory is not None) for refusal in refusals] == [(FACT, True)]


@pytest.mark.covers("D5")
def test_refusals_come_in_pages_and_long_texts_are_cut(owner: Memory) -> None:
    codex = owner.as_agent("codex")
    long = "Thanks! " * 200
    for text in ("Thanks!", "Ok!", long):
        codex.learn(text)
    found: list[Any] = []
    cursor = None
    while not found or cursor:
        page = owner.refusals(limit=1, cursor=cursor)
        found += page.items
        cursor = page.next_cursor
    assert [refusal.what for refusal in found[1:]] == ["Ok!", "Thanks!"]
    assert len(found[0].what) == 500


@pytest.mark.covers("D5")
def test_what_was_rejected_anew_is_recorded_anew(owner: Memory, tmp_path: Path) -> None:
    first = owner.learn(FACT).memory.id
    owner.forget(first, reason="no")
    path = str(mem0(tmp_path))
    owner.ingest(path)
    owner.restore(first, reason="yes")
    owner.forget(first, reason="no after all")
    owner.ingest(path)
    reasons = [refusal.reason for refusal in owner.refusals().items]
    assert reasons == [f"this was rejected by person:owner: {why}" for why in ("no after all", "no")]
