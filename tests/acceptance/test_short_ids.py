"""Whoever may see a thing may name it by the beginning of its id; of what they may not see nothing is given away."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from heldtrue import InvalidInput, ManualClock, Memory, NotFound
from heldtrue.storage.sqlite.connector import SqliteConnection

SHORT = 13
"""Eight characters are a minute's worth of ids; so many tell moments apart."""


def learn_apart(memory: Memory, clock: ManualClock, *texts: str) -> list[str]:
    """Memories whose ids differ from the first eight characters on."""
    ids = []
    for text in texts:
        ids.append(memory.learn(text).memory.id)
        clock.advance(hours=1)
    return ids


def test_a_memory_goes_by_the_beginning_of_its_id(anywhere: Memory, clock: ManualClock) -> None:
    shed, gate = learn_apart(anywhere, clock, "The shed is green.", "The gate squeaks.")
    assert anywhere.get(shed[:8]).memory.id == shed
    assert anywhere.get(f" {gate[:15].upper()} ").memory.id == gate
    assert anywhere.explain(shed[:8]).memory.id == shed
    assert anywhere.link(shed[:8], gate[:8], "related_to").link.to == gate
    assert anywhere.correct(gate[:9], "The gate is silent.", reason="oiled").outcome == "superseded"
    assert anywhere.forget(shed[:8], reason="gone").memory.id == shed
    assert anywhere.restore(shed[:8]).memory.id == shed
    for wrong in (shed[:7], "deadbeef", shed[:8] + "zz", "green"):
        with pytest.raises(NotFound):
            anywhere.get(wrong)


def test_a_beginning_that_several_have_names_them(anywhere: Memory) -> None:
    one, two = anywhere.learn("The shed is green.").memory.id, anywhere.learn("The gate squeaks.").memory.id
    assert one[:8] == two[:8]
    with pytest.raises(InvalidInput, match="several ids") as problem:
        anywhere.forget(one[:8], reason="which?")
    assert one in problem.value.message
    assert two in problem.value.message
    assert anywhere.status().active == 2
    assert anywhere.get(one[:-1]).memory.id == one


def test_what_an_agent_may_not_see_neither_answers_nor_stands_in_the_way(owner: Memory) -> None:
    codex, claude = owner.as_agent("codex"), owner.as_agent("claude")
    hidden = claude.learn("The spare key is blue.", visibility="private").memory.id
    assert owner.get(hidden[:8]).memory.id == hidden
    with pytest.raises(NotFound):
        codex.get(hidden[:8])
    own = codex.learn("The shed is green.").memory.id
    assert own[:8] == hidden[:8]
    assert codex.get(own[:8]).memory.id == own
    with pytest.raises(InvalidInput) as problem:
        owner.get(own[:8])
    assert hidden in problem.value.message, "who may see both is told of both"


def test_of_what_is_hidden_the_store_is_asked_nothing_that_it_is_not_asked_of_nothing(
    owner: Memory, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether a beginning belongs to something hidden shows in no error, and in no work that would take time."""
    codex, claude = owner.as_agent("codex"), owner.as_agent("claude")
    for number in range(20):
        claude.learn(f"Locker {number} belongs to person{number}.", visibility="private")
    hidden = claude.list().items[0].id
    clock.advance(hours=1)
    seen = codex.learn("The shed is green.").memory.id
    asked: list[str] = []
    rows = SqliteConnection.rows

    def note(self: SqliteConnection, sql: str, values: Mapping[str, object]) -> list[tuple[object, ...]]:
        found = rows(self, sql, values)
        asked.append(f"{len(found)} of {sql}")
        return found

    monkeypatch.setattr(SqliteConnection, "rows", note)

    def ask(ref: str) -> tuple[str, list[str]]:
        asked.clear()
        with pytest.raises(NotFound) as problem:
            codex.get(ref)
        return str(problem.value).replace(ref, "REF"), list(asked)

    assert ask(hidden[:8]) == ask("0badc0de") == ask(hidden[:18])
    asked.clear()
    assert codex.get(seen[:8]).memory.id == seen
    assert any(one.startswith("1 of SELECT v.memory_id") for one in asked), "the control: what is seen is found so"


def test_the_hint_says_how_much_of_an_id_is_enough(owner: Memory) -> None:
    ids = sorted(owner.learn(f"Locker {number} belongs to person{number}.").memory.id for number in range(3))
    with pytest.raises(InvalidInput, match=r"give at least \d+ characters") as problem:
        owner.get(ids[0][:8])
    enough = int((problem.value.hint or "").split()[3])
    assert all(owner.get(one[:enough]).memory.id == one for one in ids)
    assert len({one[: enough - 1] for one in ids}) < 3


def test_jobs_sources_conflicts_and_recalls_go_by_it_too(anywhere: Memory, clock: ManualClock) -> None:
    captured = anywhere.capture(messages=[{"name": "Mira", "content": "I prefer oat milk in my coffee."}], thread="t")
    clock.advance(hours=1)
    assert captured.job is not None
    source = captured.sources[0]
    assert anywhere.job(captured.job[:8]).job.id == captured.job
    assert anywhere.expand(source[:8]).id == source
    assert anywhere.quarantine(source[:8], reason="who says so?").source == source
    codex, claude = anywhere.as_agent("codex"), anywhere.as_agent("claude")
    codex.learn("The API timeout is 30 seconds.")
    clock.advance(hours=1)
    (conflict,) = claude.learn("The API timeout is 60 seconds.").conflicts
    clock.advance(hours=1)
    recall = anywhere.recall("what is the timeout?").recall_id
    clock.advance(hours=1)
    assert anywhere.why(recall[:SHORT]).recall_id == recall
    with pytest.raises(NotFound):
        codex.why(recall[:SHORT])
    assert anywhere.resolve(conflict[:SHORT], "keep_new", reason="measured").conflicts == [conflict]
    with pytest.raises(NotFound):
        codex.job(captured.job[:8])


@pytest.mark.covers("C11")
def test_the_source_of_a_private_memory_is_not_found_by_its_beginning(anywhere: Memory) -> None:
    codex, claude = anywhere.as_agent("codex"), anywhere.as_agent("claude")
    codex.learn("The vault code is kept by Mira.", visibility="private")
    (found,) = codex.recall("who keeps the vault code?").results
    source = found.evidence[0].source_id
    with pytest.raises(NotFound):
        claude.expand(source[:28])
    assert codex.expand(source[:28]).id == source, "the control: its author finds it"
