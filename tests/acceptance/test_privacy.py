"""What one agent keeps to itself never reaches another, by any way of reading; the owner sees all."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from heldtrue import ManualClock, Memory, NotAllowed, NotFound
from tests.acceptance.homes import MakeHome, head_of, last_entry, recalled

SECRET = "The heron nests beside the quarry pond."
CANARIES = ("heron", "quarry", "birdwatching", "plumage")
HIDING: dict[str, dict[str, Any]] = {
    "a private memory": {"visibility": "private"},
    "a memory of its own scope": {"scope": "agent:codex"},
    "a private memory of its own scope": {"scope": "agent:codex", "visibility": "private"},
}


class Hidden:
    """A home in which codex hides something that is tied in every way to what all may see."""

    def __init__(self, owner: Memory, hiding: dict[str, Any]) -> None:
        self.owner, self.codex, self.claude = owner, owner.as_agent("codex"), owner.as_agent("claude")
        self.before = as_text(self.claude.status())
        self.shared = self.codex.learn("The pond path is closed in May.", topic="paths").memory.id
        scope = {name: value for name, value in hiding.items() if name == "scope"}
        self.claude.learn("The gate code is four digits.", topic="paths")
        self.secret = self.codex.learn(SECRET, topic="birdwatching", source="plumage notes", **hiding).memory.id
        self.codex.learn("The ferry departs at 30 minutes past.", confidence=0.5, **scope)
        self.codex.link(self.secret, self.shared, "supports", reason="the heron told me")
        self.codex.link(self.shared, self.secret, "related_to", reason="see the quarry")
        self.hiding = hiding


def as_text(answer: object) -> str:
    return json.dumps(msgspec.to_builtins(answer))


@pytest.fixture(params=HIDING.values(), ids=list(HIDING))
def hidden(request: pytest.FixtureRequest, owner: Memory) -> Hidden:
    return Hidden(owner, request.param)


READS: dict[str, Callable[[Memory, Hidden], object]] = {
    "recall": lambda view, hidden: view.recall("heron quarry pond birdwatching"),
    "recall by topic": lambda view, hidden: view.recall("pond", topic="birdwatching"),
    "recall as of now": lambda view, hidden: view.recall("heron pond", as_of="now"),
    "recall what is valid": lambda view, hidden: view.recall("heron pond", valid_at="now"),
    "inject": lambda view, hidden: view.inject("heron pond birdwatching", tier="items"),
    "inject summaries": lambda view, hidden: view.inject("heron pond birdwatching", tier="summaries"),
    "context for a task": lambda view, hidden: view.context_for(task="look for birds at the pond"),
    "expand what it is tied to": lambda view, hidden: view.expand(hidden.shared),
    "list": lambda view, hidden: view.list(statuses=["active", "inbox"], limit=1_000),
    "list by author": lambda view, hidden: view.list(agent="codex"),
    "list by topic": lambda view, hidden: view.list(topic="birdwatching"),
    "list as of now": lambda view, hidden: view.list(as_of="now"),
    "get what it is tied to": lambda view, hidden: view.get(hidden.shared),
    "explain what it is tied to": lambda view, hidden: view.explain(hidden.shared, depth=10),
    "history of what it is tied to": lambda view, hidden: view.history(hidden.shared),
    "diff": lambda view, hidden: view.diff("#0"),
    "diff by topic": lambda view, hidden: view.diff("#0", topic="birdwatching"),
    "conflicts": lambda view, hidden: view.conflicts(settled=True),
    "inbox": lambda view, hidden: view.inbox(),
    "status": lambda view, hidden: view.status(),
}


@pytest.mark.covers("C18", "B11")
@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_nothing_that_an_agent_hides_reaches_another(hidden: Hidden, read: Callable[[Memory, Hidden], object]) -> None:
    told = as_text(read(hidden.claude, hidden))
    assert not [canary for canary in (*CANARIES, hidden.secret) if canary in told]


@pytest.mark.covers("C18", "B11")
def test_its_agent_and_the_owner_do_see_it(hidden: Hidden) -> None:
    for view in (hidden.codex, hidden.owner):
        assert SECRET in recalled(view, "heron")
        for name in ("list", "get what it is tied to", "explain what it is tied to", "diff", "status"):
            told = as_text(READS[name](view, hidden))
            assert any(canary in told for canary in (*CANARIES, hidden.secret)), name
        assert view.get(hidden.secret).memory.content == SECRET
        assert view.history(hidden.secret).versions


@pytest.mark.covers("C18", "B11")
def test_to_another_agent_a_hidden_memory_is_not_there_at_all(hidden: Hidden) -> None:
    absent = hidden.secret[:-12] + "000000000000"
    claude = hidden.claude
    head = head_of(hidden.owner)
    deeds: list[Callable[[str], object]] = [
        claude.get,
        claude.history,
        claude.explain,
        claude.expand,
        lambda ref: claude.recall("pond", near=[ref]),
        lambda ref: claude.forget(ref, reason="away"),
        lambda ref: claude.correct(ref, "The heron is gone.", reason="looked"),
        lambda ref: claude.link(ref, hidden.shared),
        lambda ref: claude.link(hidden.shared, ref),
        lambda ref: claude.unlink(ref, hidden.shared, "supports", reason="no"),
    ]
    for deed in deeds:
        messages = []
        for ref in (hidden.secret, absent):
            with pytest.raises(NotFound) as refused:
                deed(ref)
            messages.append(f"{refused.value.message} {refused.value.hint}".replace(ref, "REF"))
        assert messages[0] == messages[1], "nothing tells it from one that never was"
    assert head_of(hidden.owner) == head


@pytest.mark.covers("C18", "B11")
def test_status_counts_only_what_the_caller_may_see(owner: Memory) -> None:
    codex, claude = owner.as_agent("codex"), owner.as_agent("claude")
    claude.learn("The gate code is four digits.", staleness="volatile")

    def counted(view: Memory) -> dict[str, Any]:
        told = msgspec.to_builtins(view.status())
        ledger = ("ledger_entries", "head", "last_write", "bytes_on_disk")
        return {name: value for name, value in told.items() if name not in ledger}

    before = counted(claude)
    for number, hiding in enumerate(HIDING.values()):
        mine = codex.learn(f"The heron nests in tree {number}.", topic="birdwatching", staleness="volatile", **hiding)
        codex.learn(f"Sebas counted {number} herons.", kind="profile", **hiding)
        codex.forget(mine.memory.id, reason="counted wrong")
        codex.learn(f"The pond of heron {number} is deep.", topic="birdwatching", staleness="volatile", **hiding)
    assert counted(claude) == before
    assert counted(codex) != before
    assert counted(owner) != before
    assert owner.status().topics != before["topics"] or owner.status().active > before["active"]


@pytest.mark.covers("C18", "D4")
def test_a_private_memory_neither_merges_with_nor_contradicts_what_others_say(owner: Memory) -> None:
    codex, claude = owner.as_agent("codex"), owner.as_agent("claude")
    public = claude.learn("The API timeout is 30 seconds.", confidence=0.5)
    mine = codex.learn("The API timeout is 60 seconds.", visibility="private")
    same = codex.learn("The API timeout is 30 seconds.", visibility="private", scope="project:x")
    echo = claude.learn("The API timeout is 30 seconds.", scope="project:x")
    assert [answer.outcome for answer in (public, mine, same, echo)] == ["created"] * 4
    told = as_text([claude.get(public.memory.id), claude.recall("API timeout"), claude.history(public.memory.id)])
    assert "60 s" not in told
    assert claude.get(public.memory.id).memory.confidence == 0.5
    assert owner.learn("The API timeout is 60 seconds.").conflicts, "what the owner says in the open does contradict"
    told = as_text([claude.conflicts(), claude.recall("API timeout"), claude.get(public.memory.id)])
    assert mine.memory.id not in told


@pytest.mark.covers("C18")
def test_saying_openly_what_was_kept_private_makes_it_known(owner: Memory) -> None:
    codex, claude = owner.as_agent("codex"), owner.as_agent("claude")
    codex.learn(SECRET, visibility="private")
    assert recalled(claude, "heron") == []
    assert codex.learn(SECRET).outcome == "created"
    assert recalled(claude, "heron") == [SECRET]


@pytest.mark.covers("C18", "A5")
def test_forgetting_a_private_memory_neither_tells_nor_binds_another(owner: Memory) -> None:
    codex, claude = owner.as_agent("codex"), owner.as_agent("claude")
    mine = codex.learn(SECRET, visibility="private")
    codex.forget(mine.memory.id, reason="the plumage was wrong")
    said = claude.learn(SECRET)
    assert said.outcome == "created"
    assert "plumage" not in as_text(said)
    assert codex.learn(SECRET, visibility="private").outcome == "refused", "for its own agent it stays rejected"


@pytest.mark.covers("B11", "B7")
def test_an_agent_may_neither_read_nor_write_the_scope_of_another(owner: Memory) -> None:
    codex, claude = owner.as_agent("codex"), owner.as_agent("claude")
    for scope in ("agent:codex", "team:platform"):
        for attempt in (
            lambda scope=scope: claude.recall("x", scopes=[scope]),
            lambda scope=scope: claude.list(scopes=["global", scope]),
            lambda scope=scope: claude.diff("#0", scopes=[scope]),
        ):
            with pytest.raises(NotAllowed) as refused:
                attempt()
            assert refused.value.field == "scopes"
        with pytest.raises(NotAllowed):
            claude.learn("The heron is mine.", scope=scope)
        entry = last_entry(owner)
        assert (entry.actor, entry.outcome, entry.action) == ("agent:claude", "refused", "memory.learn")
        assert "heron" not in f"{entry.reason} {entry.detail}"
    assert codex.learn("My notes are short.", scope="agent:codex").outcome == "created"
    assert owner.learn("Releases are on Thursday.", scope="team:platform").outcome == "created"


@pytest.mark.covers("B1")
def test_an_agent_may_not_take_the_whole_space_away(owner: Memory, tmp_path: Any) -> None:
    codex = owner.as_agent("codex")
    owner.learn("The vault is shut.")
    file = str(tmp_path / "file")
    for attempt in (
        lambda: codex.export(file),
        lambda: codex.backup(file),
        lambda: codex.restore_backup(owner.export(str(tmp_path / "all")).path),
        lambda: codex.import_(str(tmp_path / "all")),
        codex.verify,
        codex.reindex,
    ):
        with pytest.raises(NotAllowed):
            attempt()
    assert not (tmp_path / "file").exists()
    assert owner.export(file).entries == 1


@pytest.fixture
def two_projects(make_home: MakeHome, clock: ManualClock) -> Iterator[tuple[Memory, Memory]]:
    home = make_home()
    with (
        Memory.open(home, agent="codex", project="a", clock=clock) as in_a,
        Memory.open(home, agent="codex", project="b", clock=clock) as in_b,
    ):
        yield in_a, in_b


@pytest.mark.covers("B11", "B22")
def test_by_default_an_agent_recalls_only_its_surroundings(two_projects: tuple[Memory, Memory]) -> None:
    in_a, in_b = two_projects
    in_a.learn("Our mascot is called Heron.", scope="project:a")
    in_b.learn("Our mascot is called Otter.", scope="project:b")
    in_b.learn("Mascots are drawn by hand.", scope="global")
    assert sorted(recalled(in_a, "mascot")) == ["Mascots are drawn by hand.", "Our mascot is called Heron."]
    assert sorted(recalled(in_b, "mascot")) == ["Mascots are drawn by hand.", "Our mascot is called Otter."]
    assert recalled(in_a, "mascot", scopes=["project:b"]) == ["Our mascot is called Otter."], (
        "unless it asks for another"
    )


def contradict(view: Memory, name: str) -> str:
    """A conflict of a view's own making."""
    view.learn(f"The {name} timeout is 30 seconds.", visibility="private")
    (conflict,) = view.learn(f"The {name} timeout is 60 seconds.", visibility="private").conflicts
    return str(conflict)


@pytest.mark.covers("C11")
def test_pages_of_conflicts_are_full_and_tell_nothing_of_hidden_ones(anywhere: Memory) -> None:
    claude, codex = anywhere.as_agent("claude"), anywhere.as_agent("codex")
    hidden, own = [], []
    for number in range(4):
        hidden += [contradict(codex, f"door{number}a"), contradict(codex, f"door{number}b")]
        own.append(contradict(claude, f"gate{number}"))
    hidden.append(contradict(codex, "door9"))
    pages = []
    answer = claude.conflicts(limit=2)
    while True:
        pages.append([item.conflict.id for item in answer.items])
        if answer.next_cursor is None:
            break
        answer = claude.conflicts(limit=2, cursor=answer.next_cursor)
    assert pages == [own[:2], own[2:]], "each page is full, and after the last that is seen there is no more"
    assert claude.status().pending_conflicts == 4
    assert [item.conflict.id for item in anywhere.conflicts(limit=50).items] == sorted(hidden + own), "the control"
    assert anywhere.conflicts(limit=2).next_cursor is not None
    assert anywhere.status().pending_conflicts == 13
