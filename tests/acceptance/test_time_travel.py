"""What was believed at a moment, what held in the world at a moment, and what became of it since."""

from __future__ import annotations

import json
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from heldtrue import ManualClock, Memory, NotFound
from tests.acceptance.homes import START, MakeHome, entries, head_of, listed, new_clock, recalled, scale

OLD, NEW = "The API timeout is 30 seconds.", "The API timeout is 60 seconds."
BETWEEN = "2026-05-05"
"""The day between the first belief and its correction."""


@pytest.fixture
def corrected(anywhere: Memory, clock: ManualClock) -> tuple[Memory, str, str]:
    """A belief of 4 May that was corrected on 6 May: the space, the old memory and the new one."""
    old = anywhere.as_agent("codex").learn(OLD, topic="api", source="docs/api.md:3").memory.id
    clock.advance(days=2)
    new = anywhere.correct(old, NEW, reason="measured it").memory.id
    clock.advance(days=2)
    return anywhere, old, new


@pytest.mark.covers("A14", "A4", "A7")
@pytest.mark.parametrize("as_of", [BETWEEN, "#1", "3 days ago", "2026-05-05T12:00:00+02:00"])
def test_recall_as_of_before_a_correction_gives_the_old_value_and_what_replaced_it(
    corrected: tuple[Memory, str, str], as_of: str
) -> None:
    memory, _, new = corrected
    answer = memory.recall("API timeout", as_of=as_of)
    assert [result.memory.content for result in answer.results] == [OLD]
    since = answer.results[0].since
    assert (since.status, since.by, since.reason) == ("superseded", "person:owner", "measured it")
    assert (since.replaced_by, since.content) == (new, NEW)
    assert since.at.startswith("2026-05-06")
    assert answer.as_of == "#1"
    now = memory.recall("API timeout")
    assert [(result.memory.content, result.since) for result in now.results] == [(NEW, None)]
    assert memory.recall("API timeout", as_of="2026-05-01").results == [], "before it was said, nothing was believed"


@pytest.mark.covers("A14", "A9")
def test_get_list_and_history_answer_as_of_then(corrected: tuple[Memory, str, str]) -> None:
    memory, old, new = corrected
    then = memory.get(old, as_of=BETWEEN)
    assert (then.memory.status, then.memory.version, then.links) == ("active", 1, [])
    assert (then.since.content, then.since.replaced_by) == (NEW, new)
    now = memory.get(old)
    assert (now.memory.status, now.since) == ("superseded", None)
    assert [(link.from_memory, link.relationship) for link in now.links] == [(new, "supersedes")]
    assert listed(memory, as_of=BETWEEN) == [OLD]
    assert listed(memory) == [NEW]
    assert listed(memory, as_of="2026-05-01") == []
    assert listed(memory, statuses=["superseded"], as_of=BETWEEN) == []
    assert listed(memory, statuses=["superseded"]) == [OLD]
    assert [version.version for version in memory.history(old, as_of=BETWEEN).versions] == [1]
    assert [version.status for version in memory.history(old).versions] == ["active", "superseded"]
    with pytest.raises(NotFound):
        memory.get(new, as_of=BETWEEN)


@pytest.mark.covers("A14", "A9", "A2")
def test_explain_tells_what_was_known_then_and_the_whole_chain_now(corrected: tuple[Memory, str, str]) -> None:
    memory, old, new = corrected
    then = memory.explain(old, as_of=BETWEEN)
    assert (then.memory.status, then.replaced_by, then.rejected) == ("active", [], [])
    assert then.provenance.invalidated_by is None
    assert [evidence.reference for evidence in then.evidence] == ["docs/api.md:3"]
    now = memory.explain(new)
    assert [(step.memory.content, step.memory.reason) for step in now.replaces] == [(OLD, "measured it")]
    assert now.replaces[0].provenance.attributed_to == "agent:codex"
    ended = memory.explain(old)
    assert ended.provenance.invalidated_by is not None
    assert [step.memory.id for step in ended.replaced_by] == [new]
    assert [(activity.actor, activity.action, activity.reason) for activity in ended.activities][1:] == [
        ("person:owner", "memory.correct", "measured it")
    ]


@pytest.mark.covers("A14", "A10")
def test_diff_tells_what_changed_between_two_moments(corrected: tuple[Memory, str, str], clock: ManualClock) -> None:
    memory, _, new = corrected
    memory.link(new, "https://example.org/adr/1")
    other = memory.learn("The parser is recursive.", topic="parser").memory.id
    memory.forget(other, reason="rewrote it")
    whole = memory.diff("#0")
    assert [memory.content for memory in whole.added] == [OLD, "The parser is recursive."]
    assert [(entry.action, entry.target, entry.reason) for entry in whole.corrected] == [
        ("memory.correct", new, "measured it")
    ]
    assert [entry.target for entry in whole.retracted] == [other]
    assert [entry.target for entry in whole.linked] == [new]
    assert memory.diff("#0", until=BETWEEN).corrected == []
    assert [added.content for added in memory.diff("#0", until=BETWEEN).added] == [OLD]
    assert memory.diff(BETWEEN, until="#2").added == []
    assert [added.content for added in memory.diff("#0", topic="parser").added] == ["The parser is recursive."]
    quiet = memory.diff("#0", include_corrections=False)
    assert (quiet.corrected, quiet.retracted, len(quiet.linked)) == ([], [], 1)
    assert memory.diff("now").added == []


@pytest.mark.covers("A14", "B29")
def test_an_export_as_of_then_is_the_space_as_it_was_then(
    corrected: tuple[Memory, str, str], make_home: MakeHome, tmp_path: Path
) -> None:
    memory, old, _ = corrected
    answer = memory.export(str(tmp_path / "then.jsonl"), as_of=BETWEEN)
    assert answer.entries == 1
    assert NEW not in (tmp_path / "then.jsonl").read_text("utf-8")
    with Memory.open(make_home()) as past:
        past.import_(str(tmp_path / "then.jsonl"))
        assert recalled(past, "API timeout") == [OLD]
        assert past.get(old).memory.status == "active"
        assert past.verify(head=answer.head).ok


@pytest.mark.covers("A14")
def test_valid_time_is_asked_apart_from_recorded_time(anywhere: Memory, clock: ManualClock) -> None:
    anywhere.learn("The team lead is Ana.", valid_from="2024-01-01", valid_to="2025-01-01")
    anywhere.learn("The team lead is Bo.", valid_from="2025-01-01")
    clock.advance(days=5)
    assert recalled(anywhere, "team lead", valid_at="2024-06-01") == ["The team lead is Ana."]
    assert recalled(anywhere, "team lead", valid_at="2025-01-01") == ["The team lead is Bo."]
    assert recalled(anywhere, "team lead", valid_at="2023-06-01") == []
    assert recalled(anywhere, "team lead") == ["The team lead is Bo."], "now, what has ended is not told"
    assert listed(anywhere, valid_at="2024-06-01") == ["The team lead is Ana."]
    assert recalled(anywhere, "team lead", valid_at="2025-06-01", as_of="2026-05-01") == []


@pytest.mark.covers("A14", "A4")
def test_a_later_fact_ends_the_earlier_one_and_before_that_was_known_it_had_no_end(
    anywhere: Memory, clock: ManualClock
) -> None:
    first = anywhere.learn("The team lead is Ana.", valid_from="2025-01-01").memory.id
    clock.advance(days=10)
    second = anywhere.learn("The team lead is Bo.", valid_from="2026-03-01")
    assert second.outcome == "superseded"
    assert anywhere.get(first, as_of="2026-05-05").memory.valid_to is None
    assert anywhere.get(first).memory.valid_to == "2026-03-01T00:00:00.000000Z"
    assert recalled(anywhere, "team lead", valid_at="2026-04-01", as_of="2026-05-05") == ["The team lead is Ana."]
    assert recalled(anywhere, "team lead", valid_at="2026-04-01") == ["The team lead is Bo."]
    assert recalled(anywhere, "team lead", valid_at="2026-02-01") == ["The team lead is Ana."]
    earlier = anywhere.learn("The team lead is Cy.", valid_from="2024-01-01")
    assert earlier.outcome == "pending", "an earlier date does not end a later fact"


@pytest.mark.covers("A14", "A13")
def test_staleness_and_age_are_told_from_the_moment_asked_about(owner: Memory, clock: ManualClock) -> None:
    owner.learn("The queue is empty.", staleness="daily")
    assert [tag.tag for tag in owner.recall("queue").results[0].trust] == []
    clock.advance(days=2)
    assert [tag.tag for tag in owner.recall("queue").results[0].trust] == ["stale"]
    assert [tag.tag for tag in owner.recall("queue", as_of="2026-05-04T10:00:00").results[0].trust] == []


@pytest.mark.covers("A14", "B28")
def test_recorded_time_never_goes_back_however_the_clock_jumps(anywhere: Memory, clock: ManualClock) -> None:
    codex = anywhere.as_agent("codex")
    for number, jump in enumerate((0, -1, 3_650, -3_651, 0, 0, -30, 1)):
        clock.advance(days=jump)
        codex.learn(f"Item i{number}x is stored in bin b{number}y.")
    ledger = entries(anywhere)
    assert [entry.seq for entry in ledger] == list(range(1, 9))
    assert all(earlier.recorded_at < later.recorded_at for earlier, later in pairwise(ledger))
    assert listed(anywhere) == [f"Item i{number}x is stored in bin b{number}y." for number in reversed(range(8))]
    assert any("clock" in warning for warning in anywhere.status().warnings)
    for number in range(8):
        assert len(listed(anywhere, as_of=f"#{number + 1}")) == number + 1
        assert len(listed(anywhere, as_of=ledger_time(ledger[number]))) == number + 1
    assert anywhere.verify().ok


def ledger_time(entry: Any) -> str:
    return (START + timedelta(microseconds=entry.recorded_at - new_clock().now())).isoformat()


# A model


SUBJECTS = tuple(f"machine{letter}" for letter in "abcde")
PORTS = tuple(range(7001, 7006))


class Believed:
    """What the model holds of one memory: every state it was in, by the ledger sequence from which it was so."""

    def __init__(self, seq: int, content: str, author: str) -> None:
        self.author = author
        self.states = [(seq, content, "active")]

    def at(self, seq: int) -> tuple[str, str] | None:
        past = [(content, status) for since, content, status in self.states if since <= seq]
        return past[-1] if past else None

    def become(self, seq: int, status: str, content: str | None = None) -> None:
        self.states.append((seq, content or self.states[-1][1], status))

    @property
    def now(self) -> tuple[str, str]:
        return self.states[-1][1:]


class TwoClocks(RuleBasedStateMachine):
    """A space beside a model of it, under a clock that jumps: get, list and as_of must always agree."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = new_clock()
        self.memory = Memory.open(":memory:", clock=self.clock)
        self.model: dict[str, Believed] = {}
        self.rejected: set[str] = set()
        self.links: set[tuple[str, str]] = set()
        self.seq = 0
        self.last_time = 0

    def teardown(self) -> None:
        self.memory.close()

    def live(self) -> list[str]:
        return [memory_id for memory_id, held in self.model.items() if held.now[1] == "active"]

    def step(self, answer: Any) -> Any:
        self.seq += 1
        assert answer.seq == self.seq, "every act is one entry"
        return answer

    def about(self, content: str) -> str | None:
        """The live memory that speaks of the same machine."""
        subject = content.split()[1]
        return next(
            (memory_id for memory_id in self.live() if self.model[memory_id].now[0].split()[1] == subject), None
        )

    @initialize()
    def found_space(self) -> None:
        self.step(self.memory.learn("The model is watched."))
        self.model[self.memory.list().items[0].id] = Believed(1, "The model is watched.", "person:owner")

    @rule(jump=st.sampled_from((0, 1, 3_600, -86_400, 315_360_000, -315_360_000)))
    def jump(self, jump: int) -> None:
        self.clock.advance(seconds=jump)

    @rule(subject=st.sampled_from(SUBJECTS), port=st.sampled_from(PORTS), agent=st.sampled_from(("codex", "claude")))
    def learn(self, subject: str, port: int, agent: str) -> None:
        content = f"The {subject} listens on port {port}."
        present = self.about(content)
        if content not in self.rejected and present is not None and self.model[present].now[0] != content:
            return  # a conflict; the gateway's own tests look at those
        answer = self.step(self.memory.as_agent(agent).learn(content))
        if content in self.rejected:
            assert answer.outcome == "refused"
        elif present is None:
            assert answer.outcome == "created"
            self.model[answer.memory.id] = Believed(self.seq, content, f"agent:{agent}")
        else:
            same = self.model[present].author == f"agent:{agent}"
            assert answer.outcome == ("refreshed" if same else "corroborated")
            assert answer.memory.id == present

    @precondition(lambda self: len(self.live()) > 1)
    @rule(data=st.data(), port=st.sampled_from(PORTS))
    def correct(self, data: st.DataObject, port: int) -> None:
        chosen = data.draw(st.sampled_from(self.live()[1:]))
        old = self.model[chosen].now[0]
        content = f"The {old.split()[1]} listens on port {port}."
        if content == old:
            return
        answer = self.step(self.memory.correct(chosen, content, reason="looked again"))
        assert answer.outcome == "superseded"
        assert bool(answer.notes) is (content in self.rejected), "a person is told what was rejected"
        self.model[chosen].become(self.seq, "superseded")
        self.rejected.add(old)
        self.rejected.discard(content)
        self.model[answer.memory.id] = Believed(self.seq, content, "person:owner")

    @precondition(lambda self: len(self.live()) > 1)
    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        chosen = data.draw(st.sampled_from(self.live()[1:]))
        assert self.step(self.memory.forget(chosen, reason="gone")).outcome == "retracted"
        self.model[chosen].become(self.seq, "retracted")
        self.rejected.add(self.model[chosen].now[0])

    @precondition(lambda self: len(self.live()) < len(self.model))
    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        chosen = data.draw(st.sampled_from([memory_id for memory_id in self.model if memory_id not in self.live()]))
        content = self.model[chosen].now[0]
        if self.about(content) is not None:
            return  # two memories of one machine would stand side by side
        assert self.step(self.memory.restore(chosen, reason="back")).outcome == "restored"
        self.model[chosen].become(self.seq, "active")
        self.model[chosen].author = "a person stands behind it now"
        self.rejected.discard(content)

    @precondition(lambda self: len(self.model) > 1)
    @rule(data=st.data())
    def link(self, data: st.DataObject) -> None:
        one, other = data.draw(st.permutations(sorted(self.model)).map(lambda order: order[:2]))
        answer = self.step(self.memory.link(one, other))
        assert answer.outcome == ("unchanged" if (one, other) in self.links else "linked")
        self.links.add((one, other))

    @invariant()
    def recorded_time_goes_forward(self) -> None:
        with self.memory._call.instance.store.read() as reading:
            head = reading.ledger.head()
        assert head.seq == self.seq
        assert head.recorded_at >= self.last_time
        self.last_time = head.recorded_at

    @invariant()
    def present_agrees(self) -> None:
        assert set(listed(self.memory)) == {self.model[memory_id].now[0] for memory_id in self.live()}

    @rule(data=st.data())
    def past_agrees(self, data: st.DataObject) -> None:
        seq = data.draw(st.integers(0, self.seq))
        believed = {memory_id: held.at(seq) for memory_id, held in self.model.items()}
        active = sorted(state[0] for state in believed.values() if state is not None and state[1] == "active")
        assert sorted(listed(self.memory, as_of=f"#{seq}")) == active
        chosen = data.draw(st.sampled_from(sorted(self.model)))
        if believed[chosen] is None:
            with pytest.raises(NotFound):
                self.memory.get(chosen, as_of=f"#{seq}")
        else:
            told = self.memory.get(chosen, as_of=f"#{seq}").memory
            assert (told.content, told.status) == believed[chosen]

    @rule()
    def history_is_whole(self) -> None:
        assert self.memory.verify().problems == []


TwoClocks.TestCase.settings = settings(max_examples=round(200 * scale()), stateful_step_count=30)
test_the_space_agrees_with_a_model_of_two_clocks = pytest.mark.slow(
    pytest.mark.covers("A14", "A4", "A5", "A6", "D6")(TwoClocks.TestCase)
)


@pytest.mark.covers("A14")
def test_as_of_now_is_the_present_even_if_the_clock_was_set_back(anywhere: Memory, clock: ManualClock) -> None:
    anywhere.learn(OLD)
    clock.advance(days=-1)
    anywhere.learn("The parser is recursive.")
    for moment in ("now", "Now ", "2030-01-01"):
        assert len(listed(anywhere, as_of=moment)) == 2
    assert listed(anywhere, as_of="2026-05-04") == []


@pytest.mark.covers("A14")
def test_two_exports_of_the_same_past_are_the_same_bytes(owner: Memory, clock: ManualClock, tmp_path: Path) -> None:
    owner.learn(OLD)
    owner.export(str(tmp_path / "first"))
    clock.advance(days=1)
    head = head_of(owner)
    owner.learn("The parser is recursive.")
    owner.export(str(tmp_path / "second"), as_of=f"#{head.split(':')[0]}")
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
    assert json.loads((tmp_path / "first").read_text("utf-8").splitlines()[0])["head"] == head


@pytest.mark.covers("A14")
def test_valid_time_can_be_asked_of_one_memory_and_of_what_changed() -> None:
    with Memory.open(":memory:") as memory:
        old = memory.learn("The office is in Berlin", valid_from="2020-01-01")
        new = memory.learn("The office is in Munich", valid_from="2024-01-01")
        assert new.outcome == "superseded"
        for verb in (memory.get, memory.explain):
            assert verb(old.memory.id, valid_at="2022-06-01").memory.content == "The office is in Berlin"
            with pytest.raises(NotFound) as refused:
                verb(old.memory.id, valid_at="2025-06-01")
            assert refused.value.field == "valid_at"
        then = memory.diff(since="#0", valid_at="2022-06-01").added
        assert [memory.content for memory in then] == ["The office is in Berlin"]
        now = memory.diff(since="#0", valid_at="2025-06-01").added
        assert [memory.content for memory in now] == ["The office is in Munich"]
