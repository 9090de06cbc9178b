"""The gate: every candidate passes it, and its order stands here and nowhere else.

authorise → tombstones → quarantine → worth keeping → compare → decide

Who proposes what differs in a `Lane`: which checks apply, how much something must be worth, and whether a refusal is
recorded in the ledger. The rules themselves are the pure functions of `stages.decide`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from heldtrue.access.policy import require
from heldtrue.domain.action import WRITE, ScopeResource
from heldtrue.domain.decision import Decision
from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.principal import Principal
from heldtrue.domain.records import Conflict, Disposition, Quarantine, Tombstone
from heldtrue.ingest.ports import IngestReadTransaction
from heldtrue.ingest.stages.candidate import Candidate
from heldtrue.ingest.stages.decide import (
    FACTUAL_AT_LEAST,
    NeighbourComparison,
    Worth,
    decide_candidate,
    refuse_quarantined,
    refuse_rejected,
    refuse_worthless,
    strictest,
)
from heldtrue.ingest.stages.evidence import quarantine_of
from heldtrue.ingest.stages.keys import index_keys, pair_key
from heldtrue.ingest.stages.match import Neighbour, choose_contraries, choose_equal, find_neighbours
from heldtrue.ingest.stages.neighbours import LiveNeighbours
from heldtrue.ingest.stages.tombstones import find_tombstones, liftable
from heldtrue.language.judge import USEFUL_AT_LEAST

ConflictRule = Callable[[str], str]
"""From a scope to `wait`, `refuse` or `coexist`."""


class Lane(msgspec.Struct, frozen=True, kw_only=True):
    """What differs between the ways to the gate."""

    name: str
    worth: Worth = Worth()
    vouched: bool = True
    """Whether a person who hands it in thereby stands behind it."""
    lifts_tombstones: bool = False
    """Whether a person who says what only agents rejected thereby lifts that."""
    looks_up: bool = True
    """Whether the store is asked for tombstones, quarantine and settled conflicts; a plan decides nothing and does
    without.
    """
    compares: bool = True
    """Whether it may turn out to be equal or contrary to what is held."""
    records_refusals: bool = True
    """Whether a refusal is an entry of the ledger. Not so where the same material comes again and again: then what is
    refused, or rests on its source already, leaves no trace.
    """


STATED = Lane(name="stated", worth=Worth(useful_at_least=USEFUL_AT_LEAST), lifts_tombstones=True)
"""A person or an agent says it in so many words."""
EXTRACTED = Lane(
    name="extracted",
    worth=Worth(useful_at_least=USEFUL_AT_LEAST, factual_at_least=FACTUAL_AT_LEAST, judges_people=True),
    vouched=False,
    records_refusals=False,
)
"""It was found in material: by an extractor, in the files of another product, or by maintenance."""
IMPORTED = Lane(name="imported", worth=Worth(useful_at_least=USEFUL_AT_LEAST), vouched=False)
"""It is a memory of another space."""
FORESEEN = Lane(name="foreseen", worth=Worth(useful_at_least=USEFUL_AT_LEAST), looks_up=False)
"""It is about to be stated: what can be compared before the write lock is taken is."""
CORRECTED = Lane(name="corrected", compares=False)
"""It replaces a memory that it names, so what it contradicts is known."""
APPROVED = Lane(name="approved", compares=False)
"""A person decides about words that are kept already, or gives better ones."""


class GateContext(msgspec.Struct, frozen=True):
    """What the gate decides against: who proposes, and what is held."""

    reading: IngestReadTransaction
    actor: Principal
    space_key: bytes
    neighbours: LiveNeighbours
    rule_for: ConflictRule
    conflicts: Mapping[int, list[Conflict]] = {}
    """By the key of a pair of values, the conflicts that were looked up beforehand."""


class Prepared(msgspec.Struct, frozen=True):
    """A candidate, with what is known about it before it comes to the gate."""

    candidate: Candidate
    keys: list[int] | None = None
    """What it would be indexed under, where that is known already."""
    is_unburied: bool = False
    """Whether it is known that no tombstone covers it."""
    memory: MemoryVersion | None = None
    """The memory that it is kept as already, if it is."""


class GateDecision(msgspec.Struct, frozen=True):
    """What the gate says about a candidate."""

    decision: Decision
    keys: list[int] = []
    """What it is indexed under if it is kept."""
    pair_keys: Sequence[int] = ()
    """Of the conflicts it would be in."""
    lifted: Sequence[Tombstone] = ()
    """The tombstones that a person's word lifts."""
    vouched: bool = True
    """Whether a person who hands it in thereby stands behind it."""


def pass_gate(lane: Lane, prepared: Prepared, held: GateContext) -> GateDecision:
    """Take a candidate through the gate, in the one order there is."""
    candidate, actor = prepared.candidate, held.actor
    require(actor, WRITE, ScopeResource(candidate.scope))
    stones = _tombstones(lane, prepared, held)
    lifted = liftable(stones, actor) if lane.lifts_tombstones else []
    refusal = refuse_rejected(() if lifted else stones, actor)
    refusal = refusal or refuse_quarantined(_quarantine(lane, candidate, held))
    refusal = refusal or refuse_worthless(candidate, actor, lane.worth)
    if refusal is not None:
        return GateDecision(refusal, lifted=lifted)
    keys = candidate_keys(candidate, held) if prepared.keys is None else prepared.keys
    compared = _compare(lane, candidate, keys, held)
    on_conflict = strictest(candidate.proposal.on_conflict, held.rule_for(candidate.scope), actor)
    decision = decide_candidate(candidate, actor, compared, on_conflict, vouched=lane.vouched)
    return GateDecision(decision, keys, compared.pair_keys, lifted, lane.vouched)


def _tombstones(lane: Lane, prepared: Prepared, held: GateContext) -> list[Tombstone]:
    """The tombstones that cover a candidate; a memory is not ruled out by its own."""
    if prepared.is_unburied or not lane.looks_up:
        return []
    owner = prepared.memory.privacy.author if prepared.memory is not None else None
    stones = find_tombstones(
        held.reading, prepared.candidate, held.actor, held.space_key, author=owner or held.actor.id
    )
    return [stone for stone in stones if prepared.memory is None or stone.memory_id != prepared.memory.memory_id]


def _quarantine(lane: Lane, candidate: Candidate, held: GateContext) -> Quarantine | None:
    return quarantine_of(held.reading, candidate, held.actor, held.space_key) if lane.looks_up else None


def candidate_keys(candidate: Candidate, held: GateContext) -> list[int]:
    """The keys under which a candidate would be indexed."""
    return index_keys(held.space_key, candidate.statement, scope=candidate.scope, privacy=candidate.privacy(held.actor))


def neighbours_of(candidate: Candidate, keys: list[int], held: GateContext) -> list[Neighbour]:
    """The live memories of a candidate's scope that are equal, near or contrary to it."""
    memories = held.neighbours.find(keys)
    if not memories:
        return []
    return find_neighbours(
        candidate.statement,
        memories,
        scope=candidate.scope,
        privacy=candidate.privacy(held.actor),
        verdicts=held.neighbours.verdicts,
    )


def _compare(lane: Lane, candidate: Candidate, keys: list[int], held: GateContext) -> NeighbourComparison:
    neighbours = neighbours_of(candidate, keys, held) if lane.compares else []
    if not neighbours:
        return NeighbourComparison()
    contraries = choose_contraries(neighbours)
    pair_keys = [pair_key(held.space_key, candidate.statement, contrary.statement) for contrary in contraries]
    if not lane.looks_up:
        return NeighbourComparison(neighbours, pair_keys)
    equal = choose_equal(neighbours)
    return NeighbourComparison(
        neighbours,
        pair_keys,
        settled=frozenset(key for key in pair_keys if _is_let_stand(held, key, candidate.scope)),
        is_confirmed=equal is not None and held.reading.records.has_evidence_by(equal.memory.memory_id, held.actor.id),
    )


def _is_let_stand(held: GateContext, pair: int, scope: str) -> bool:
    """Whether a person said of two values that both may stand in a scope."""
    conflicts = held.conflicts.get(pair)
    if conflicts is None:
        conflicts = held.reading.records.conflicts_by_pairs([pair])
    return any(found.disposition == Disposition.KEEP_BOTH and found.scope == scope for found in conflicts)
