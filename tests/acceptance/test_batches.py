"""Many memories in one step: what becomes of each is what would have become of it alone, and nobody waits long."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from heldtrue import Memory
from heldtrue.domain.errors import NotAllowed, TooLarge
from heldtrue.ingest.acts import batch as planning
from heldtrue.ingest.stages import match
from heldtrue.language.compare import compare_statements
from heldtrue.storage.memories import MemoryPart
from heldtrue.storage.store import SqlStore
from tests.acceptance.homes import MakeHome, new_clock

MIXED = [
    *(f"The API listens on port {port}." for port in (8080, 9090, 8080, 9191)),
    "the API listens on port 8080",
    "Port 9090 is where the API listens.",
    "Ada lives in Porto and Ben rows at dawn.",
    "Ada lives in Lyon.",
    "The brass bell is broken.",
    "The shed is green.",
    "The shed is red.",
    "We never deploy on Fridays.",
    "We deploy on Fridays.",
    "The shed is green.",
]


def prepare(memory: Memory) -> None:
    """What a batch may come by: held memories, a rejected value, one that an agent rejected, and two that may stand."""
    codex = memory.as_agent("codex")
    memory.learn("The API listens on port 7070.")
    codex.learn("Ada lives in Porto.")
    memory.forget(memory.learn("The brass bell is broken.").memory.id, reason="it was repaired")
    codex.forget(codex.learn("The shed is red.").memory.id, reason="it is not")
    memory.learn("The shed is green.", scope="project:alpha")
    held = memory.learn("The shed is blue.", scope="project:alpha")
    memory.resolve(held.conflicts[0], "keep_both", reason="there are two")


def told(memory: Memory, answers: list[Any]) -> list[tuple[Any, ...]]:
    """What became of each, by content, because ids differ."""
    contents = {item.id: item.content for item in memory.list(statuses=["active", "inbox"], limit=500).items}
    return [
        (
            answer.outcome,
            answer.reason,
            answer.hint is None,
            answer.memory
            and (
                answer.memory.content,
                answer.memory.status,
                round(answer.memory.confidence, 6),
                answer.memory.version,
            ),
            len(answer.conflicts),
            answer.memory is not None and answer.memory.id in contents,
        )
        for answer in answers
    ]


@pytest.mark.without_reader
@pytest.mark.parametrize("who", ["owner", "codex", "claude"])
@pytest.mark.parametrize("scope", ["global", "project:alpha", "repo:beta"])
def test_each_of_a_batch_comes_to_what_it_would_have_come_to_alone(
    make_home: MakeHome, kind: str, who: str, scope: str
) -> None:
    def use(act: Callable[[Memory], list[Any]]) -> tuple[list[tuple[Any, ...]], Any]:
        with Memory.open(make_home(kind), clock=new_clock()) as memory:
            prepare(memory)
            view = memory if who == "owner" else memory.as_agent(who)
            outcomes = told(memory, act(view))
            memory.verify()
            return outcomes, {name: getattr(memory.status(), name) for name in ("statuses", "pending_conflicts")}

    alone = use(lambda view: [view.learn(text, scope=scope) for text in MIXED])
    together = use(lambda view: list(view.learn_many([{"content": text, "scope": scope} for text in MIXED]).answers))
    assert together == alone
    assert {outcome for outcome, *_ in alone[0]} >= {"created", "pending"}, "the control: they come to different things"


def test_a_batch_founds_a_space_too(make_home: MakeHome, kind: str) -> None:
    with Memory.open(make_home(kind), clock=new_clock()) as memory:
        counts = memory.learn_many([{"content": text} for text in MIXED]).counts
        assert counts["created"] > 1
        assert counts["pending"] > 1
        assert counts["refreshed"] >= 1
        assert memory.verify().ok


@pytest.fixture
def locks(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The processor seconds for which each write transaction was held, as they come."""
    held: list[float] = []
    write = SqlStore.write

    @contextmanager
    def timed(self: SqlStore) -> Iterator[Any]:
        with write(self) as transaction:
            start = time.thread_time()
            held.append(-1.0)
            yield transaction
            held[-1] = time.thread_time() - start

    monkeypatch.setattr(SqlStore, "write", timed)
    return held


@pytest.fixture
def compared(locks: list[float], monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each comparison as it comes, whether the lock was held meanwhile."""
    found: list[bool] = []

    def compare(*both: Any) -> Any:
        found.append(bool(locks) and locks[-1] < 0)
        return compare_statements(*both)

    monkeypatch.setattr(match, "compare_statements", compare)
    return found


def _use_tools(number: int, sentences: int = 5) -> str:
    """Sentences that share subject and verb with those of other numbers and have nothing to do with them."""
    return " ".join(
        f"The team {'never ' if (number + index) % 2 else ''}uses tool{number * 41 + index} for task{index}."
        for index in range(sentences)
    )


CONTRADICTING: dict[str, Callable[[int], str]] = {
    "each other": lambda number: f"The API listens on port {8000 + number}.",
    "one held memory each": lambda number: f"The service s{number} listens on port 9{number % 100:03}.",
    "none but repeating": lambda number: "The API gateway is behind nginx.",
    "each other in many claims": lambda number: " and ".join(
        f"the pump p{pump} runs at {pump} psi{number}" for pump in range(5)
    ),
    "none in many claims of one kind": _use_tools,
}


@pytest.mark.parametrize("on_conflict", ["wait", "coexist"])
@pytest.mark.parametrize("who", ["owner", "codex"])
@pytest.mark.parametrize("what", CONTRADICTING)
def test_what_can_be_compared_before_the_lock_is_taken_is(
    owner: Memory, compared: list[bool], what: str, who: str, on_conflict: str
) -> None:
    view = owner if who == "owner" else owner.as_agent(who)
    owner.learn_many([{"content": CONTRADICTING[what](number)} for number in range(120, 190)])
    if what != "none but repeating":
        view.forget(view.learn(CONTRADICTING[what](20)).memory.id, reason="it is not so")
    compared.clear()
    batch = [{"content": CONTRADICTING[what](number), "on_conflict": on_conflict} for number in range(100)]
    view.learn_many(batch)
    assert compared or what in ("one held memory each", "none but repeating"), "the control: all were compared"
    assert not any(compared), "and none while the lock was held"


def test_what_a_single_memory_is_compared_with_is_compared_before_the_lock_is_taken(
    owner: Memory, compared: list[bool]
) -> None:
    owner.learn_many([{"content": _use_tools(number)} for number in range(30)])
    compared.clear()
    assert owner.learn(_use_tools(30)).outcome == "created"
    assert compared == [False] * 30


def test_where_a_caller_may_not_write_nothing_is_looked_up(
    owner: Memory, compared: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """How long a refusal takes would else tell what is held there."""
    owner.invoke("memory.add_agent", name="codex", projects=["shop"])
    for scope in ("project:shop", "project:other"):
        owner.learn_many([{"content": f"The falcon {n} lives in Oslo.", "scope": scope} for n in range(5)])
    codex, looked_up = owner.as_agent("codex"), list[int]()
    live = MemoryPart.live_under_keys

    def look_up(self: MemoryPart, keys: Iterable[int], *, limit: int) -> Any:
        looked_up.append(1)
        return live(self, keys, limit=limit)

    monkeypatch.setattr(MemoryPart, "live_under_keys", look_up)
    own, foreign = (
        [{"content": f"The falcon {n} lives in Rome.", "scope": scope} for n in range(5)]
        for scope in ("project:shop", "project:other")
    )
    compared.clear()
    for batch in (foreign, own + foreign[:1]):
        with pytest.raises(NotAllowed, match="may not write to project:other"):
            codex.learn_many(batch)
    with pytest.raises(NotAllowed, match="may not write to project:other"):
        codex.learn(foreign[0]["content"], scope="project:other")
    assert not looked_up
    assert not compared
    codex.learn_many(own)
    assert looked_up, "the control"
    assert compared, "the control"


@pytest.mark.parametrize(("limit", "most"), [("BATCH_CLAIMS_MAX", 99), ("BATCH_CHECKS_MAX", 900)])
def test_a_batch_that_would_take_too_long_is_refused_as_a_whole(
    owner: Memory, locks: list[float], monkeypatch: pytest.MonkeyPatch, limit: str, most: int
) -> None:
    batch = [{"content": _use_tools(number)} for number in range(20)]
    with monkeypatch.context() as patch:
        patch.setattr(planning, limit, most)
        with pytest.raises(TooLarge, match="these memories") as problem:
            owner.learn_many(batch)
        assert problem.value.field == "memories"
        assert "fewer or shorter" in (problem.value.hint or "")
        assert not locks, "before the lock was taken"
        for part in (batch[:10], batch[10:15], batch[15:18]):
            assert owner.learn_many(part).counts == {"created": len(part)}
        patch.setattr(planning, limit, 1)
        assert owner.learn(batch[18]["content"]).outcome == "created", "one alone is never too much"
    assert owner.learn_many(batch[19:]).counts == {"created": 1}
