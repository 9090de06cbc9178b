"""The plan of a batch as a table: what is foreseen is what then happens, so that nothing is compared under the lock."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from heldtrue import Memory
from heldtrue.domain.errors import TooLarge
from heldtrue.domain.principal import OWNER, Principal, new_agent
from heldtrue.ingest.acts import batch
from heldtrue.ingest.acts.batch import learn_act, learn_planned, plan_batch
from heldtrue.ingest.gateway import Planning, WriteRequest
from heldtrue.ingest.stages.candidate import Candidate, Proposal, prepare_candidate
from heldtrue.ingest.stages.judging import TextJudge
from heldtrue.ingest.stages.near import NearStatements
from heldtrue.ingest.stages.rejected import RejectedStatements

CODEX = new_agent("codex")
RED, BLUE, GREEN = "The gate is red.", "The gate is blue.", "The gate is green."
LAMP, BELL = "The lamp is made of brass.", "The brass bell is broken."
BATCHES: dict[str, tuple[list[str], list[str], list[int]]] = {
    "nothing in common": ([LAMP, BELL], ["created", "created"], [0, 0]),
    "the same twice": ([LAMP, LAMP], ["created", "refreshed"], [0, 0]),
    "a contradiction inside": ([LAMP, BLUE, GREEN], ["created", "pending", "pending"], [0, 1, 1]),
    "against what is held": ([BLUE], ["pending"], [1]),
    "the same as what is held": ([RED, RED], ["refreshed", "refreshed"], [0, 0]),
    "rejected before": (["The oven is made of steel.", LAMP], ["created", "created"], [0, 0]),
}
"""By name the texts of a batch, what the owner's become, and with how many held values each would be in conflict."""


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:") as opened:
        opened.learn(RED)
        opened.forget(opened.learn("The oven is made of steel.").memory.id, reason="it is not")
        yield opened


def prepare(texts: Sequence[str], **given: str) -> list[Candidate]:
    return [prepare_candidate(Proposal(content=text, **given)) for text in texts]  # type: ignore[arg-type]


def wait(_scope: str) -> str:
    return "wait"


@pytest.mark.parametrize("name", BATCHES)
def test_what_is_foreseen_is_what_happens(memory: Memory, name: str) -> None:
    texts, outcomes, conflicts = BATCHES[name]
    instance = memory._call.instance
    with instance.store.read() as reading:
        plan = plan_batch(reading, prepare(texts), OWNER, wait, RejectedStatements())
    assert [len(planned.pairs) for planned in plan.candidates] == conflicts
    assert all(planned.keys and planned.stones for planned in plan.candidates)
    compared = plan.verdicts.checks
    request = WriteRequest(principal=OWNER, channel="test", action="memory.learn_many")
    learned = instance.gateway.submit(
        request,
        lambda session: [outcome.outcome.value for outcome in learn_planned(session, plan, wait)],
        list[str],
    )
    assert learned == outcomes
    assert plan.verdicts.checks == compared, "nothing was compared under the lock"


@pytest.mark.parametrize("who", [OWNER, CODEX], ids=lambda who: who.id)
def test_nothing_is_looked_up_where_one_of_a_batch_may_not_be_written(memory: Memory, who: Principal) -> None:
    candidates = [*prepare([BLUE]), *prepare([LAMP], scope="agent:claude")]
    with memory._call.instance.store.read() as reading:
        plan = plan_batch(reading, candidates, who, wait, RejectedStatements())
    looked_up = [planned.keys is not None for planned in plan.candidates]
    assert looked_up == [who.is_person, who.is_person]
    assert bool(plan.verdicts.checks) is who.is_person


def test_nothing_is_known_beforehand_of_a_space_that_is_yet_to_be_founded() -> None:
    with Memory.open(":memory:") as empty, empty._call.instance.store.read() as reading:
        (planned,) = plan_batch(reading, prepare([BLUE]), OWNER, wait, RejectedStatements()).candidates
    assert (planned.keys, planned.stones) == (None, None)


def test_a_repo_may_get_its_project_meanwhile(memory: Memory) -> None:
    with memory._call.instance.store.read() as reading:
        planned = plan_batch(reading, prepare([BLUE], scope="repo:shop"), OWNER, wait, RejectedStatements()).candidates[
            0
        ]
    assert planned.stones is None, "how far a rejection reaches can only be told under the lock"


@pytest.mark.parametrize("limit", ["BATCH_CLAIMS_MAX", "BATCH_CHECKS_MAX"])
def test_too_much_for_one_step_is_refused_before_the_lock_and_one_alone_never(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(batch, limit, 0)
    with memory._call.instance.store.read() as reading:
        with pytest.raises(TooLarge):
            plan_batch(reading, prepare([BLUE, GREEN]), OWNER, wait, RejectedStatements())
        assert len(plan_batch(reading, prepare([BLUE]), OWNER, wait, RejectedStatements()).candidates) == 1


def test_an_act_plans_before_it_takes_the_lock_and_answers_from_the_outcomes(memory: Memory) -> None:
    act = learn_act(prepare([LAMP]), wait, lambda outcomes, session: (outcomes[0].outcome.value, session.actor.id))
    carry_out = act.prepare(
        Planning(memory._call.instance.store, OWNER, RejectedStatements(), NearStatements(), TextJudge())
    )
    request = WriteRequest(principal=OWNER, channel="test", action="memory.learn")
    assert memory._call.instance.gateway.submit(request, carry_out, tuple[str, str]) == ("created", OWNER.id)
