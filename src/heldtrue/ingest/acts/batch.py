"""Learning many at once: what can be found out before the lock is taken, and one look-up for all where it cannot.

A batch is kept or not kept as a whole, so one transaction writes all of it, and everybody else waits for it. What is
found out beforehand decides nothing: whoever has the lock looks again. But texts are taken apart and compared by then,
which is remembered, and what is left to be looked up is known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import msgspec

from heldtrue.access.policy import is_allowed, require
from heldtrue.domain.action import WRITE, ScopeResource
from heldtrue.domain.decision import Corroborated, Created, Decision, Pending, Refreshed, Superseded
from heldtrue.domain.errors import TooLarge
from heldtrue.domain.limits import BATCH_CHECKS_MAX, BATCH_CLAIMS_MAX, BATCH_COMPARED_MAX
from heldtrue.domain.memory import MemoryVersion, Status, VersionChange
from heldtrue.domain.principal import Principal
from heldtrue.ingest.acts.learn import learn
from heldtrue.ingest.gate import FORESEEN, STATED, ConflictRule, GateContext, Prepared, candidate_keys, pass_gate
from heldtrue.ingest.gateway import PlannedAct, Planning
from heldtrue.ingest.outcome import Outcome
from heldtrue.ingest.ports import IngestReadTransaction
from heldtrue.ingest.stages.candidate import Candidate
from heldtrue.ingest.stages.journal import WriteSession
from heldtrue.ingest.stages.match import Verdicts
from heldtrue.ingest.stages.near import NearStatement
from heldtrue.ingest.stages.neighbours import LiveNeighbours
from heldtrue.ingest.stages.rejected import RejectedStatements
from heldtrue.ingest.stages.tombstones import tombstone_keys
from heldtrue.ingest.stages.versions import Stamp, Standing, first_version

Answer = TypeVar("Answer")
_SPLIT = "send fewer or shorter memories at a time"


def learn_act(
    candidates: Sequence[Candidate],
    rule_for: ConflictRule,
    answer: Callable[[list[Outcome], WriteSession], Answer],
) -> PlannedAct[BatchPlan, Answer]:
    """Learn candidates in one durable step, planned before the write lock is taken."""

    def plan(planning: Planning) -> BatchPlan:
        judged = candidates
        if _may_write(planning.actor, candidates):
            judged = planning.judge.judge_candidates(candidates, planning.actor, STATED.worth)
        with planning.store.read() as reading:
            plan = plan_batch(reading, judged, planning.actor, rule_for, planning.rejected)
            return _compare_near(reading, plan, planning) if len(candidates) <= BATCH_COMPARED_MAX else plan

    def carry_out(session: WriteSession, planned: BatchPlan) -> Answer:
        return answer(learn_planned(session, planned, rule_for), session)

    return PlannedAct(plan, carry_out)


class Planned(msgspec.Struct, frozen=True):
    """A candidate of a batch, with the keys of what is going to be looked up for it."""

    candidate: Candidate
    keys: list[int] | None = None
    """What it would be indexed under; none where the space is yet to be founded."""
    stones: frozenset[int] | None = None
    """What a tombstone over it would have; none where that cannot be told beforehand."""
    pairs: Sequence[int] = ()
    """Those of the conflicts it would be in."""
    near: Sequence[NearStatement] = ()
    """The memories near it, as the reader compared them."""


class BatchPlan(msgspec.Struct, frozen=True):
    """The candidates of a batch, with what was found out about their texts."""

    candidates: list[Planned]
    verdicts: Verdicts


def plan_batch(
    reading: IngestReadTransaction,
    candidates: Sequence[Candidate],
    actor: Principal,
    rule_for: ConflictRule,
    rejected: RejectedStatements,
) -> BatchPlan:
    """Prepare candidates for being learned together: each is compared with those that it is going to meet."""
    if not _may_write(actor, candidates):
        # Nothing of it is going to be kept, and how long that takes must not tell what others hold there.
        return BatchPlan([Planned(candidate) for candidate in candidates], Verdicts())
    is_batch = len(candidates) > 1
    if is_batch:
        _refuse_too_many_claims(candidates)
    space = reading.ledger.space()
    foresight = _Foresight(reading, actor, rule_for, rejected)
    keys = [candidate_keys(candidate, foresight.held) for candidate in candidates]
    stones = [tombstone_keys(space.key, candidate) for candidate in candidates]
    foresight.look_up(keys, stones)
    planned = []
    for candidate, own, over in zip(candidates, keys, stones, strict=True):
        pairs = foresight.follow(candidate, own, over)
        if is_batch and foresight.verdicts.checks > BATCH_CHECKS_MAX:
            raise TooLarge(
                "too many of these memories are about the same things to compare in one request",
                field="memories",
                hint=_SPLIT,
            )
        planned.append(Planned(candidate, own, over, pairs) if space.id else Planned(candidate))
    return BatchPlan(planned, foresight.verdicts)


def _compare_near(reading: IngestReadTransaction, plan: BatchPlan, planning: Planning) -> BatchPlan:
    """The plan with the memories near each candidate, as the reader compared them."""
    neighbours = LiveNeighbours(reading)
    compared = [
        msgspec.structs.replace(
            planned,
            near=planning.near.compare(
                reading, planned.candidate, planning.actor, neighbours.find(planned.keys) if planned.keys else ()
            ),
        )
        for planned in plan.candidates
    ]
    return BatchPlan(compared, plan.verdicts)


def _may_write(actor: Principal, candidates: Sequence[Candidate]) -> bool:
    return all(is_allowed(actor, WRITE, ScopeResource(candidate.scope)) for candidate in candidates)


def _refuse_too_many_claims(candidates: Sequence[Candidate]) -> None:
    claims = sum(len(candidate.statement.claims) for candidate in candidates)
    if claims > BATCH_CLAIMS_MAX:
        raise TooLarge(
            f"these memories make {claims:,} claims; the limit per request is {BATCH_CLAIMS_MAX:,}",
            field="memories",
            hint=_SPLIT,
        )


class _Foresight:
    """What is going to be held as a batch is learned, as far as it can be told beforehand.

    Nothing depends on it but what is compared in time.
    """

    def __init__(
        self, reading: IngestReadTransaction, actor: Principal, rule_for: ConflictRule, rejected: RejectedStatements
    ) -> None:
        self.held = GateContext(
            reading,
            actor,
            reading.ledger.head().recorded_at,
            reading.ledger.space().key,
            LiveNeighbours(reading),
            rule_for,
            rejected,
        )
        self._shared: Counter[int] = Counter()
        """By key how many candidates of the batch have it."""
        self._buried: set[int] = set()
        self._now = reading.ledger.head().recorded_at
        self._no = 1 << 62
        """Above the number of any version there is."""

    @property
    def verdicts(self) -> Verdicts:
        return self.held.neighbours.verdicts

    def look_up(self, keys: Sequence[list[int]], stones: Sequence[frozenset[int] | None]) -> None:
        """Ask for all that the batch may meet, in one go."""
        self._shared.update(key for own in keys for key in own)
        self.held.neighbours.look_up(self._shared)
        if any(count > 1 for count in self._shared.values()):
            found = self.held.reading.records.tombstones_by_keys(_join(stones))
            self._buried = {stone.lookup_key for stone in found}

    def follow(self, candidate: Candidate, keys: list[int], stones: frozenset[int] | None) -> Sequence[int]:
        """Take a candidate for learned, with what will probably be decided; the pairs of values that it would be in
        conflict over.
        """
        decided = pass_gate(FORESEEN, Prepared(candidate, keys), self.held)
        is_buried = not self.held.actor.is_person and stones is not None and not self._buried.isdisjoint(stones)
        if not is_buried and any(self._shared[key] > 1 for key in keys):
            self._expect(candidate, keys, decided.decision)
        return decided.pair_keys

    def _expect(self, candidate: Candidate, keys: list[int], decision: Decision) -> None:
        """Let those that follow in the batch meet what a candidate will probably have become."""
        neighbours = self.held.neighbours
        self._no += 1
        match decision:
            case Created() | Superseded():
                neighbours.add(self._first_version(candidate, Status.ACTIVE), keys)
            case Pending():
                neighbours.add(self._first_version(candidate, Status.INBOX), keys)
            case Refreshed(memory=old) | Corroborated(memory=old):
                neighbours.add(self._merged_version(candidate, old, isinstance(decision, Refreshed)), keys)
                neighbours.drop(old)

    def _first_version(self, candidate: Candidate, status: Status) -> MemoryVersion:
        stamp = Stamp(self._no, str(self._no), 0, self._now, self.held.actor, VersionChange.LEARN.value)
        return first_version(candidate, stamp, Standing(status, candidate.confidence_by(self.held.actor)))

    def _merged_version(self, candidate: Candidate, old: MemoryVersion, takes_wording: bool) -> MemoryVersion:
        actor = self.held.actor
        takes_wording = takes_wording or (actor.is_person and old.verified_by is None)
        return msgspec.structs.replace(
            old,
            no=self._no,
            content=candidate.content if takes_wording else old.content,
            verified_by=actor.id if actor.is_person else old.verified_by,
        )


def learn_planned(session: WriteSession, plan: BatchPlan, rule_for: ConflictRule) -> list[Outcome]:
    """Take candidates through the gate one after another, each seeing those before it."""
    batch = plan.candidates
    for planned in batch if len(batch) > 1 else ():
        # All or nothing, so before anything is done for any of them.
        require(session.actor, WRITE, ScopeResource(planned.candidate.scope))
    session.neighbours.verdicts = plan.verdicts
    session.neighbours.look_up(_join(planned.keys for planned in batch))
    session.look_up_conflicts(_join(planned.pairs for planned in batch))
    # Learning lays no tombstone, so where there is none now there is none for the whole batch.
    stones = session.transaction.records.tombstones_by_keys(_join(planned.stones for planned in batch))
    buried = {stone.lookup_key for stone in stones}
    return [learn(session, _prepare(planned, buried), rule_for) for planned in batch]


def _prepare(planned: Planned, buried: set[int]) -> Prepared:
    is_unburied = planned.stones is not None and buried.isdisjoint(planned.stones)
    return Prepared(planned.candidate, planned.keys, is_unburied, near=planned.near)


def _join(keys: Iterable[Iterable[int] | None]) -> set[int]:
    return {key for own in keys for key in own or ()}
