"""Whoever may see a thing may name it by the end of its id; of what they may not see nothing is given away."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from heldtrue import InvalidInput, Memory, NotFound
from heldtrue.domain import ids as made
from heldtrue.storage.sqlite.connector import SqliteConnection

OAT = "Remember: I prefer oat milk in my coffee, never dairy."

END = 8
"""Characters of an id that are shown."""
ALIKE = "4f9a21c3"


class Chance:
    """Stands for the system's chance: every id that is made ends alike."""

    def __init__(self) -> None:
        self._made = 0

    def urandom(self, size: int) -> bytes:
        self._made += 1
        return self._made.to_bytes(size - len(ALIKE) // 2, "big") + bytes.fromhex(ALIKE)


@pytest.fixture
def alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every id end with the same eight characters, and differ in the character before them."""
    monkeypatch.setattr(made, "os", Chance())


def test_a_memory_goes_by_the_end_of_its_id(anywhere: Memory) -> None:
    shed, gate = (anywhere.learn(text).memory.id for text in ("The shed is green.", "The gate squeaks."))
    assert anywhere.get(shed[-END:]).memory.id == shed
    assert anywhere.get(f" {gate[-15:].upper()} ").memory.id == gate
    assert anywhere.get(f"…{gate[-END:]}").memory.id == anywhere.get(f"...{gate[-END:]}").memory.id == gate
    assert anywhere.get(shed[-4:]).memory.id == shed
    assert anywhere.explain(shed[-END:]).memory.id == shed
    assert anywhere.link(shed[-END:], gate[-END:], "related_to").link.to == gate
    assert anywhere.correct(gate[-9:], "The gate is silent.", reason="oiled").outcome == "superseded"
    assert anywhere.forget(shed[-END:], reason="gone").memory.id == shed
    assert anywhere.restore(shed[-END:]).memory.id == shed
    for wrong in (shed[-3:], "0badc0de", "zz" + shed[-END:], shed[:8], "green"):
        with pytest.raises(NotFound):
            anywhere.get(wrong)


@pytest.mark.usefixtures("alike")
def test_an_end_that_several_have_names_them_with_their_texts(anywhere: Memory) -> None:
    one, two = anywhere.learn("The shed is green.").memory.id, anywhere.learn("The gate squeaks.").memory.id
    assert one[-END:] == two[-END:] == ALIKE
    for end in (ALIKE, ALIKE[-4:]):
        with pytest.raises(InvalidInput, match="several ids") as problem:
            anywhere.forget(end, reason="which?")
        assert f"{one} (The shed is green.)" in problem.value.message
        assert f"{two} (The gate squeaks.)" in problem.value.message
    assert anywhere.status().active == 2
    assert anywhere.get(one[1:]).memory.id == one


@pytest.mark.usefixtures("alike")
def test_what_an_agent_may_not_see_neither_answers_nor_stands_in_the_way(owner: Memory) -> None:
    codex, claude = owner.as_agent("codex"), owner.as_agent("claude")
    hidden = claude.learn("The spare key is blue.", visibility="private").memory.id
    assert owner.get(ALIKE).memory.id == hidden
    with pytest.raises(NotFound):
        codex.get(ALIKE)
    own = codex.learn("The shed is green.").memory.id
    assert own[-END:] == hidden[-END:]
    assert codex.get(ALIKE).memory.id == own
    with pytest.raises(InvalidInput) as problem:
        owner.get(ALIKE)
    assert f"{hidden} (The spare key is blue.)" in problem.value.message, "who may see both is told of both"


def test_of_what_is_hidden_the_store_is_asked_nothing_that_it_is_not_asked_of_nothing(
    owner: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether an end belongs to something hidden shows in no error, and in no work that would take time."""
    codex, claude = owner.as_agent("codex"), owner.as_agent("claude")
    for number in range(20):
        claude.learn(f"Locker {number} belongs to person{number}.", visibility="private")
    hidden = claude.list().items[0].id
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

    assert ask(hidden[-END:]) == ask("0badc0de") == ask(hidden[-18:])
    asked.clear()
    assert codex.get(seen[-END:]).memory.id == seen
    found = [sql for sql in asked if sql.startswith("1 of") and "SELECT v.memory_id" in sql]
    assert found, "the control: what is seen is found so"


@pytest.mark.usefixtures("alike")
def test_the_hint_says_how_much_of_an_id_is_enough(owner: Memory) -> None:
    ids = [owner.learn(f"Locker {number} belongs to person{number}.").memory.id for number in range(3)]
    with pytest.raises(InvalidInput) as problem:
        owner.get(ALIKE)
    enough = int((problem.value.hint or "").partition("the last ")[2].split()[0])
    assert all(owner.get(name[-enough:]).memory.id == name for name in ids)
    assert len({name[1 - enough :] for name in ids}) < 3


def test_jobs_sources_conflicts_and_recalls_go_by_it_too(anywhere: Memory) -> None:
    captured = anywhere.capture(messages=[{"name": "Mira", "content": OAT}], thread="t")
    assert captured.job is not None
    source = captured.sources[0]
    assert anywhere.job(captured.job[-END:]).job.id == captured.job
    assert anywhere.expand(source[-END:]).id == source
    assert anywhere.quarantine(source[-END:], reason="who says so?").source == source
    codex, claude = anywhere.as_agent("codex"), anywhere.as_agent("claude")
    codex.learn("The API timeout is 30 seconds.")
    (conflict,) = claude.learn("The API timeout is 60 seconds.").conflicts
    recall = anywhere.recall("what is the timeout?").recall_id
    assert anywhere.why(f"…{recall[-END:]}").recall_id == recall
    with pytest.raises(NotFound):
        codex.why(recall[-END:])
    assert anywhere.resolve(conflict[-END:], "keep_new", reason="measured").conflicts == [conflict]
    with pytest.raises(NotFound):
        codex.job(captured.job[-END:])


@pytest.mark.usefixtures("alike")
def test_a_memory_and_a_source_that_end_alike_are_told_apart(anywhere: Memory) -> None:
    source = anywhere.capture(content="The pier is 40 metres long.", source="pier.md").sources[0]
    memory = anywhere.as_agent("codex").learn("The shed is green.").memory.id
    with pytest.raises(InvalidInput, match="several ids") as problem:
        anywhere.as_agent("claude").expand(ALIKE)
    assert f"{memory} (The shed is green.)" in problem.value.message
    assert source in problem.value.message
    assert "pier is" not in problem.value.message, "some of the words of a source may be hidden"


@pytest.mark.covers("C11")
def test_the_source_of_a_private_memory_is_not_found_by_its_end(anywhere: Memory) -> None:
    codex, claude = anywhere.as_agent("codex"), anywhere.as_agent("claude")
    codex.learn("The vault code is kept by Mira.", visibility="private")
    (found,) = codex.recall("who keeps the vault code?").results
    source = found.evidence[0].source_id
    with pytest.raises(NotFound):
        claude.expand(source[-28:])
    assert codex.expand(source[-28:]).id == source, "the control: its author finds it"
