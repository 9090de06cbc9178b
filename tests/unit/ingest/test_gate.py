"""The gate's order, lane by lane: with everything in its way at once, a candidate meets one obstacle after another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
import pytest

from heldtrue import Memory
from heldtrue.domain.cause import PendingCause, RefusalCause
from heldtrue.domain.decision import Created, Pending, Refused
from heldtrue.domain.errors import NotAllowed
from heldtrue.domain.judged import TextSort
from heldtrue.domain.principal import OWNER, Principal, new_agent
from heldtrue.ingest.gate import (
    APPROVED,
    CORRECTED,
    EXTRACTED,
    FORESEEN,
    IMPORTED,
    STATED,
    GateContext,
    GateDecision,
    Lane,
    Prepared,
    pass_gate,
)
from heldtrue.ingest.stages.candidate import Candidate, Proposal, prepare_candidate
from heldtrue.ingest.stages.neighbours import LiveNeighbours
from heldtrue.ingest.stages.rejected import RejectedStatements
from tests.unit.ingest.judged import judge_as

CODEX = new_agent("codex")
SCOPE, REJECTED, QUARANTINE, PASTE, OPINION, CONTRARY = (
    "scope",
    "rejected",
    "quarantine",
    "paste",
    "opinion",
    "contrary",
)
OBSTACLES = (SCOPE, REJECTED, QUARANTINE, PASTE, OPINION, CONTRARY)
HELD, RULED_OUT = "The gate is red.", "The gate is blue."
CONTENTS = {
    (True, True): RULED_OUT,
    (True, False): "The oven is made of steel.",
    (False, True): "The gate is green.",
    (False, False): "The lamp is made of brass.",
}
"""By whether it was rejected before, and whether it contradicts what is held."""
STATED_BY_AGENT = (SCOPE, REJECTED, QUARANTINE, PASTE, OPINION, CONTRARY)
ORDER: dict[tuple[str, bool], tuple[str, ...]] = {
    ("stated", False): STATED_BY_AGENT,
    ("stated", True): (CONTRARY,),
    ("imported", False): STATED_BY_AGENT,
    ("imported", True): (REJECTED, CONTRARY),
    ("extracted", False): STATED_BY_AGENT,
    ("extracted", True): (REJECTED, PASTE, OPINION, CONTRARY),
    ("foreseen", False): (SCOPE, PASTE, REJECTED, OPINION, CONTRARY),
    ("foreseen", True): (CONTRARY,),
    ("corrected", False): (SCOPE, REJECTED, QUARANTINE, OPINION, CONTRARY),
    ("corrected", True): (CONTRARY,),
    ("approved", False): (SCOPE, REJECTED, QUARANTINE, OPINION),
    ("approved", True): (REJECTED,),
}
"""By lane and whether a person proposes: what is met, in this order. A person is never second-guessed, may quote a
source that is in quarantine, and may state what was rejected."""
LANES = (STATED, EXTRACTED, IMPORTED, FORESEEN, CORRECTED, APPROVED)
NAMED = {
    RefusalCause.REJECTED_BEFORE: REJECTED,
    RefusalCause.QUARANTINE: QUARANTINE,
    RefusalCause.TRANSCRIPT: PASTE,
    PendingCause.OPINION: OPINION,
    PendingCause.SAYS_REJECTED: REJECTED,
    PendingCause.CONTRADICTION: CONTRARY,
}


@pytest.fixture
def space() -> Iterator[tuple[Memory, str]]:
    """A space with a held memory, a rejected value, and a source of an agent in quarantine."""
    with Memory.open(":memory:") as memory:
        memory.learn(HELD)
        for rejected in (RULED_OUT, CONTENTS[True, False]):
            memory.forget(memory.learn(rejected, on_conflict="coexist").memory.id, reason="it never was")
        source = memory.as_agent("codex").capture("A text that nobody trusts.", extract=False).sources[0]
        memory.quarantine(source, reason="made up")
        yield memory, source


def make_candidate(obstacles: set[str], source: str) -> Candidate:
    candidate = prepare_candidate(
        Proposal(
            content=CONTENTS[REJECTED in obstacles, CONTRARY in obstacles],
            scope="agent:claude" if SCOPE in obstacles else "global",
            source_id=source if QUARANTINE in obstacles else None,
        )
    )
    return msgspec.structs.replace(
        candidate,
        exact_sort=TextSort.TRANSCRIPT if PASTE in obstacles else None,
        judgement=judge_as(TextSort.OPINION if OPINION in obstacles else TextSort.STATEMENT),
    )


@contextmanager
def standing_before(memory: Memory, actor: Principal) -> Iterator[GateContext]:
    with memory._call.instance.store.read() as reading:
        key = reading.ledger.space().key
        yield GateContext(reading, actor, 0, key, LiveNeighbours(reading), lambda _scope: "wait", RejectedStatements())


def meet(lane: Lane, candidate: Candidate, context: GateContext) -> str | None:
    """The obstacle that a candidate meets first; none if it gets through."""
    try:
        decision = pass_gate(lane, Prepared(candidate), context).decision
    except NotAllowed:
        return SCOPE
    if isinstance(decision, Refused | Pending):
        return NAMED[decision.cause]
    assert isinstance(decision, Created)
    return None


@pytest.mark.covers("B7", "B11", "A5", "D5")
@pytest.mark.parametrize("actor", [OWNER, CODEX], ids=lambda actor: actor.id)
@pytest.mark.parametrize("lane", LANES, ids=lambda lane: lane.name)
def test_each_lane_meets_its_obstacles_in_the_one_order(
    space: tuple[Memory, str], lane: Lane, actor: Principal
) -> None:
    memory, source = space
    # A person may write to every scope; elsewhere nothing would be contrary to it.
    left, met = set(OBSTACLES) - ({SCOPE} if actor.is_person else set()), list[str]()
    with standing_before(memory, actor) as context:
        while (obstacle := meet(lane, make_candidate(left, source), context)) is not None:
            met.append(obstacle)
            left.remove(obstacle)
    assert tuple(met) == ORDER[lane.name, actor.is_person]


@pytest.mark.parametrize("lane", [lane for lane in LANES if lane.looks_up], ids=lambda lane: lane.name)
@pytest.mark.parametrize("who", ["codex", None])
def test_only_a_persons_own_word_lifts_a_rejection(lane: Lane, who: str | None) -> None:
    with Memory.open(":memory:") as memory:
        view = memory.as_agent(who) if who else memory
        view.forget(view.learn(RULED_OUT).memory.id, reason="it never was")
        with standing_before(memory, OWNER) as context:
            decided: GateDecision = pass_gate(lane, Prepared(make_candidate({REJECTED, CONTRARY}, "")), context)
    assert bool(decided.lifted) is (lane in (STATED, CORRECTED))
    is_bound = who is None and lane not in (STATED, CORRECTED)
    assert isinstance(decided.decision, Refused) is is_bound, "what an agent rejected does not bind a person"


def test_a_memory_is_not_ruled_out_by_its_own_tombstone() -> None:
    with Memory.open(":memory:") as memory:
        held = memory.learn(RULED_OUT).memory.id
        memory.forget(held, reason="it never was")
        with standing_before(memory, OWNER) as context:
            version = context.reading.memories.version(held)
            candidate = make_candidate({REJECTED, CONTRARY}, "")
            own = pass_gate(APPROVED, Prepared(candidate, memory=version), context).decision
            foreign = pass_gate(APPROVED, Prepared(candidate), context).decision
    assert isinstance(own, Created)
    assert isinstance(foreign, Refused), "the control: a tombstone is there"


@pytest.mark.parametrize(
    ("lane", "comes_again"),
    [(STATED, False), (IMPORTED, False), (CORRECTED, False), (EXTRACTED, True)],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_only_what_is_read_again_and_again_is_recorded_once(lane: Lane, comes_again: bool) -> None:
    assert lane.comes_again is comes_again
