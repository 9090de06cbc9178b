"""The rules of the gate, as pure functions: from who says it, on what evidence, against what we hold."""

from __future__ import annotations

from collections.abc import Sequence

from heldtrue.domain.decision import Contrary, Corroborated, Created, Decision, Pending, Refreshed, Refused, Superseded
from heldtrue.domain.errors import NotAllowed
from heldtrue.domain.memory import CORROBORATION_GAIN, Kind, MemoryVersion, Status
from heldtrue.domain.principal import Principal, PrincipalKind
from heldtrue.domain.records import Quarantine, Tombstone
from heldtrue.domain.scope import GLOBAL, scope_kind
from heldtrue.ingest.candidate import Candidate
from heldtrue.ingest.match import Neighbour, choose_contraries, choose_equal

USEFUL_MIN = 0.7
FACTUAL_MIN = 0.5
_PERSONAL_KINDS = (Kind.PROFILE,)
OPINION_KINDS = (Kind.PREFERENCE, Kind.LESSON, Kind.INSIGHT, Kind.EPISODE, Kind.TASK_HINT)
ON_CONFLICT = ("coexist", "wait", "refuse")
"""From the most lenient to the strictest; an agent may only ask for a stricter rule than the scope has."""


def authorise_write(principal: Principal, scope: str) -> None:
    """Refuse a write to a scope that is not the principal's to write."""
    if not principal.may_write(scope):
        raise NotAllowed(
            f"{principal.id} may not write to {scope}", field="scope", hint=_where_to_write(principal, scope)
        )


def _where_to_write(principal: Principal, scope: str) -> str:
    if principal.reach is not None:
        own = [one for one in principal.reach.scopes(principal.name) or () if one != GLOBAL]
        return f"write to {' or '.join(own)}" if own else "this agent is handed what it needs and writes nothing"
    if scope_kind(scope) == "team":
        return "only members of a team write to its memory"
    return "write to global, a project, a repo, or your own agent scope"


def refuse_buried(tombstones: Sequence[Tombstone], principal: Principal) -> Refused | None:
    """A value that was rejected stays rejected, whoever says it again; who may not see where is not told more."""
    if not tombstones:
        return None
    stone = next((one for one in tombstones if principal.may_see(one.scope)), None)
    if stone is None:
        return Refused("this was ruled out before", hint="ask a person")
    return Refused(
        f"this was ruled out by {stone.author}: {stone.reason}",
        hint=f"a person can lift that with: `restore` {stone.memory_id}, and a `reason`",
        memory_id=stone.memory_id,
    )


def refuse_quarantined(quarantine: Quarantine | None) -> Refused | None:
    """Nothing that is taken from a source in quarantine is kept."""
    if quarantine is None:
        return None
    return Refused(
        f"its source is in quarantine: {quarantine.reason}",
        hint=f"a person can let it out with: `quarantine` {quarantine.source_id}, `release` and a `reason`",
    )


def refuse_chatter(candidate: Candidate, principal: Principal) -> Refused | None:
    """Small talk is not memory. A person's own note is never second-guessed."""
    if principal.is_person or candidate.judgement.useful >= USEFUL_MIN:
        return None
    return Refused(f"this is not worth keeping: {'; '.join(candidate.judgement.reasons) or 'it says nothing lasting'}")


def reason_to_hold(candidate: Candidate, principal: Principal) -> str | None:
    """Why a candidate must wait for a person even though nothing contradicts it; None if it need not."""
    kind = candidate.proposal.kind
    if candidate.proposal.hold_because:
        return candidate.proposal.hold_because
    by_agent = principal.kind is PrincipalKind.AGENT
    if kind is Kind.DECISION and not candidate.has_rationale and by_agent and candidate.reference is None:
        return "a decision needs its rationale and its source before it counts: say it again with both"
    if kind is Kind.DECISION and not candidate.has_rationale:
        return "a decision needs its rationale before it counts: approve it with one, or say why with 'because'"
    if principal.is_person or principal.kind is PrincipalKind.SYSTEM:
        return None
    if principal.kind is PrincipalKind.PEER:
        return "what another instance says waits for a person here"
    if kind in _PERSONAL_KINDS:
        return "what an agent says about a person waits for that person to confirm it"
    if kind is Kind.DECISION and candidate.reference is None:
        return "a decision reported by an agent needs its source before it counts"
    if kind not in OPINION_KINDS and candidate.judgement.factual < FACTUAL_MIN:
        return f"it reads as opinion or guesswork: {'; '.join(candidate.judgement.reasons)}"
    return None


def decide_learn(
    candidate: Candidate,
    principal: Principal,
    neighbours: Sequence[Neighbour],
    *,
    settled: frozenset[int],
    pair_keys: Sequence[int],
    known_authors: frozenset[str],
    on_conflict: str,
) -> Decision:
    """Say what becomes of a candidate that no tombstone covers and that is worth keeping.

    `pair_keys` belongs to the contrary neighbours in order, `settled` to conflicts a person let stand, and
    `known_authors` are those whose evidence the equal neighbour already has.
    """
    equal = choose_equal(neighbours)
    if equal is not None:
        return _merge(principal, equal, known_authors, vouched=candidate.proposal.vouched)
    opposed = [
        (one, key) for one, key in zip(choose_contraries(neighbours), pair_keys, strict=True) if key not in settled
    ]
    hold = reason_to_hold(candidate, principal)
    if opposed and not hold and (replaced := _later_fact(candidate, principal, [one for one, _ in opposed])):
        return replaced
    contraries = tuple(_weigh(candidate, principal, one, key) for one, key in opposed)
    if not contraries:
        return Pending(hold) if hold else Created("it is new, and its author may state it")
    finding = contraries[0].finding
    if on_conflict == "refuse":
        return Refused(f"it contradicts what is held: {finding}", hint="correct the memory it contradicts instead")
    if on_conflict == "wait" or hold:
        return Pending(hold or f"it contradicts what is held: {finding}", contraries)
    return Created(f"it contradicts what is held, and both may stand in this scope: {finding}", contraries)


def _merge(principal: Principal, equal: Neighbour, known_authors: frozenset[str], *, vouched: bool) -> Decision:
    memory, how = equal.memory, "the same" if equal.comparison.relation == "equal" else "the same in other words"
    if protects(memory, principal):
        return Corroborated(memory, 0.0, f"{memory.verified_by} stands behind it already; the evidence is added")
    if not vouched and (memory.verified_by is not None or principal.id in (memory.author, *known_authors)):
        return Corroborated(memory, 0.0, f"what {principal.id} handed in says {how}; the evidence is added")
    if memory.author == principal.id:
        return Refreshed(memory, f"its author said {how} before; the fresher wording is kept")
    if principal.id in known_authors:
        return Corroborated(memory, 0.0, f"{principal.id} had already confirmed it")
    return Corroborated(memory, CORROBORATION_GAIN, f"{memory.author} said {how}; {principal.id} confirms it")


def _later_fact(candidate: Candidate, principal: Principal, opposed: Sequence[Neighbour]) -> Superseded | None:
    """A statement that holds from a stated later date ends the earlier one; the date must be given, not guessed."""
    starts = candidate.proposal.valid_from
    if starts is None or len(opposed) != 1:
        return None
    memory = opposed[0].memory
    may_replace = principal.is_person or (memory.author == principal.id and memory.verified_by is None)
    earlier = memory.valid_from if memory.valid_from is not None else memory.observed_at
    if not may_replace or memory.status != Status.ACTIVE or starts <= earlier:
        return None
    return Superseded(memory, f"it holds from a later date: {opposed[0].comparison.reason}")


def _weigh(candidate: Candidate, principal: Principal, opposed: Neighbour, pair_key: int) -> Contrary:
    """Which side is weaker: the one no person stands behind, then the less certain, then the newcomer."""
    memory = opposed.memory
    held = (memory.verified_by is not None, memory.confidence)
    new = (principal.is_person, candidate.confidence)
    return Contrary(memory, opposed.comparison.reason, pair_key, weaker_is_new=new <= held)


def strictest(asked: str | None, rule: str, principal: Principal) -> str:
    """The conflict rule that applies: a person may choose, an agent may only be stricter than the scope."""
    if asked is None:
        return rule
    return asked if principal.is_person else max(asked, rule, key=ON_CONFLICT.index)


def protects(memory: MemoryVersion, principal: Principal) -> bool:
    """Whether a person stands behind a memory, so that an agent may propose against it but not undo it."""
    return memory.verified_by is not None and not principal.is_person
