"""Learning many at once: what can be found out before the lock is taken, and one look-up for all where it cannot.

A batch is kept or not kept as a whole, so one transaction writes all of it, and everybody else waits for it. What is
found out beforehand decides nothing: whoever has the lock looks again. But texts are taken apart and compared by then,
which is remembered, and what is left to be looked up is known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from heldtrue.domain.decision import Corroborated, Created, Pending, Refreshed, Superseded
from heldtrue.domain.errors import TooLarge
from heldtrue.domain.limits import BATCH_CHECKS_MAX, BATCH_CLAIMS_MAX
from heldtrue.domain.memory import MemoryVersion, Status
from heldtrue.domain.principal import Principal
from heldtrue.ingest.burial import keys_of_stones
from heldtrue.ingest.candidate import Candidate
from heldtrue.ingest.decide import authorise_write, decide_learn, refuse_chatter, strictest
from heldtrue.ingest.journal import Pen
from heldtrue.ingest.keys import pair_key
from heldtrue.ingest.learn import ConflictRule, keys_in_space, learn
from heldtrue.ingest.match import Neighbour, Verdicts, choose_contraries, find_neighbours
from heldtrue.ingest.neighbourhood import Neighbourhood
from heldtrue.ingest.outcome import Outcome
from heldtrue.ports import Reading


class Planned(msgspec.Struct, frozen=True):
    """A candidate of a batch, with the keys of what is going to be looked up for it."""

    candidate: Candidate
    keys: list[int] | None = None
    """What it would be indexed under; none where the space is yet to be founded."""
    stones: frozenset[int] | None = None
    """What a tombstone in its way would have; none where that cannot be told beforehand."""
    pairs: tuple[int, ...] = ()
    """Those of the conflicts it would be in."""


class Plan(msgspec.Struct, frozen=True):
    """The candidates of a batch, with what was found out about their texts."""

    candidates: list[Planned]
    verdicts: Verdicts


def plan_batch(reading: Reading, candidates: Sequence[Candidate], actor: Principal, rule_for: ConflictRule) -> Plan:
    """Prepare candidates for being learned together: each is compared with those that it is going to meet."""
    if not all(actor.may_write(candidate.scope) for candidate in candidates):
        # Nothing of it is going to be kept, and how long that takes must not tell what others hold there.
        return Plan([Planned(candidate) for candidate in candidates], Verdicts())
    claims = sum(len(candidate.statement.claims) for candidate in candidates)
    if claims > BATCH_CLAIMS_MAX and len(candidates) > 1:
        raise TooLarge(
            f"these memories make {claims:,} claims; the limit of one step is {BATCH_CLAIMS_MAX:,}",
            field="memories",
            hint=_SPLIT,
        )
    space = reading.space()
    keys = [keys_in_space(space.key, candidate, actor) for candidate in candidates]
    stones = [keys_of_stones(space.key, candidate) for candidate in candidates]
    shared = Counter(key for own in keys for key in own)
    foresight = _Foresight(reading, actor, rule_for)
    foresight.neighbourhood.look_up(shared)
    meet = any(count > 1 for count in shared.values())
    buried = {stone.lookup_key for stone in reading.tombstones_by_keys(_join(stones))} if meet else set[int]()
    verdicts = foresight.neighbourhood.verdicts
    planned = []
    for candidate, own, over in zip(candidates, keys, stones, strict=True):
        neighbours = foresight.neighbours_of(candidate, own)
        if verdicts.checks > BATCH_CHECKS_MAX and len(candidates) > 1:
            raise TooLarge(
                "these memories say too much about the same things to be compared in one step",
                field="memories",
                hint=_SPLIT,
            )
        pairs = [pair_key(space.key, candidate.statement, one.statement) for one in choose_contraries(neighbours)]
        if meet and (over is None or buried.isdisjoint(over)) and any(shared[key] > 1 for key in own):
            foresight.follow(candidate, own, neighbours, pairs)
        planned.append(Planned(candidate, own, over, tuple(pairs)) if space.id else Planned(candidate))
    return Plan(planned, verdicts)


_SPLIT = "split it: hand in fewer of them, or shorter ones, at a time"


class _Foresight:
    """What is going to be held as a batch is learned, as far as it can be told beforehand.

    Nothing depends on it but what is compared in time.
    """

    def __init__(self, reading: Reading, actor: Principal, rule_for: ConflictRule) -> None:
        self.neighbourhood = Neighbourhood(reading)
        self._actor = actor
        self._rule_for = rule_for
        self._now = reading.head().recorded_at
        self._no = 1 << 62
        """Above that of all there are."""

    def neighbours_of(self, candidate: Candidate, keys: list[int]) -> list[Neighbour]:
        return find_neighbours(
            candidate.statement,
            self.neighbourhood.find(keys),
            scope=candidate.scope,
            private_to=candidate.private_to(self._actor),
            verdicts=self.neighbourhood.verdicts,
        )

    def follow(
        self, candidate: Candidate, keys: list[int], neighbours: Sequence[Neighbour], pairs: Sequence[int]
    ) -> None:
        """Take a candidate for learned, with what will probably be decided."""
        decision = refuse_chatter(candidate, self._actor) or decide_learn(
            candidate,
            self._actor,
            neighbours,
            settled=frozenset(),
            pair_keys=pairs,
            known_authors=frozenset(),
            on_conflict=strictest(candidate.proposal.on_conflict, self._rule_for(candidate.scope), self._actor),
        )
        self._no += 1
        match decision:
            case Created() | Superseded():
                self.neighbourhood.add(self._as_held(candidate, Status.ACTIVE), keys)
            case Pending():
                self.neighbourhood.add(self._as_held(candidate, Status.INBOX), keys)
            case Refreshed(memory=old) | Corroborated(memory=old):
                self.neighbourhood.add(self._as_merged(candidate, old, isinstance(decision, Refreshed)), keys)
                self.neighbourhood.drop(old)

    def _as_held(self, candidate: Candidate, status: Status) -> MemoryVersion:
        proposal, actor = candidate.proposal, self._actor
        vouches = actor.is_person and proposal.vouched and status is Status.ACTIVE
        return MemoryVersion(
            no=self._no,
            memory_id=str(self._no),
            version=1,
            seq=0,
            kind=proposal.kind.value,
            title=None,
            content=candidate.content,
            summary=None,
            rationale=None,
            scope=candidate.scope,
            project_id=candidate.project_id,
            repo_id=candidate.repo_id,
            visibility=proposal.visibility.value,
            status=status.value,
            confidence=candidate.confidence,
            strength=proposal.strength.value,
            topic=None,
            category=None,
            staleness=proposal.staleness.value,
            author=actor.id,
            verified_by=actor.id if vouches else None,
            valid_from=proposal.valid_from,
            valid_to=proposal.valid_to,
            observed_at=self._now if proposal.observed_at is None else proposal.observed_at,
            created_at=self._now,
            recorded_from=self._now,
            change="learn",
            changed_by=actor.id,
            reason=None,
        )

    def _as_merged(self, candidate: Candidate, old: MemoryVersion, takes_wording: bool) -> MemoryVersion:
        vouches = self._actor.is_person and candidate.proposal.vouched
        return msgspec.structs.replace(
            old,
            no=self._no,
            content=candidate.content if takes_wording or (vouches and old.verified_by is None) else old.content,
            verified_by=self._actor.id if vouches else old.verified_by,
        )


def learn_all(pen: Pen, plan: Plan, rule_for: ConflictRule) -> list[Outcome]:
    """Take candidates through the gate one after another, each seeing those before it."""
    planned = plan.candidates
    for one in planned:
        authorise_write(pen.actor, one.candidate.scope)  # all or nothing, so before anything is done for any of them
    pen.neighbourhood.verdicts = plan.verdicts
    pen.neighbourhood.look_up(_join(one.keys for one in planned))
    pen.look_up_conflicts(_join(one.pairs for one in planned))
    # Learning lays no tombstone, so where there is none now there is none for the whole batch.
    buried = {stone.lookup_key for stone in pen.transaction.tombstones_by_keys(_join(one.stones for one in planned))}
    return [
        learn(
            pen,
            one.candidate,
            rule_for,
            keys=one.keys,
            is_unburied=one.stones is not None and buried.isdisjoint(one.stones),
        )
        for one in planned
    ]


def _join(keys: Iterable[Iterable[int] | None]) -> set[int]:
    return {key for own in keys for key in own or ()}
