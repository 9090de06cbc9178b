"""A person's say: approving what waits, and settling what disagrees."""

from __future__ import annotations

import msgspec

from heldtrue.domain.errors import InvalidInput, WrongState
from heldtrue.domain.memory import CONTRADICTION_LOSS, MemoryVersion, Status, adjust_confidence
from heldtrue.domain.principal import require_person
from heldtrue.domain.records import Conflict, Disposition
from heldtrue.ingest.burial import bury, find_stones, stones_over, stones_over_text
from heldtrue.ingest.candidate import Candidate
from heldtrue.ingest.conflicts import keys_of, open_conflicts, settle_pending
from heldtrue.ingest.consolidating import merge_into
from heldtrue.ingest.correct import divide_claims, keep_standing, retire_replaced
from heldtrue.ingest.decide import refuse_buried
from heldtrue.ingest.evidence import keep_source, tie_evidence
from heldtrue.ingest.journal import Journal, Pen, is_live
from heldtrue.ingest.learn import first_version
from heldtrue.ingest.match import owner_of_private, read_statement
from heldtrue.ingest.outcome import Outcome
from heldtrue.ingest.retire import contraries_of


def approve(
    pen: Pen, memory: MemoryVersion, reason: str, rationale: str | None, edited: Candidate | None = None
) -> Outcome:
    """Let a waiting memory count, or stand behind one that already does; in better words, if the person has them."""
    require_person(pen.actor, "approve a memory")
    if not is_live(memory):
        raise WrongState(f"this memory is {memory.status}", field="memory", hint="restore it if it should count again")
    if memory.status == Status.INBOX and (refusal := refuse_buried(stones_over(pen, memory), pen.actor)):
        raise WrongState(refusal.reason, field="memory", hint=refusal.hint)
    if rationale is not None and (refusal := refuse_buried(stones_over_text(pen, memory, rationale), pen.actor)):
        raise WrongState(refusal.reason, field="rationale", hint=refusal.hint)
    if edited is not None:
        _refuse_rejected(pen, edited)
    rationale = rationale or memory.rationale
    content = memory.content if edited is None else edited.content
    if _stands_behind(pen, memory, content, rationale):
        reason = "it was approved already, and nothing about it is new"
        return Outcome(outcome="unchanged", memory=memory, reason=reason, seq=pen.head.seq)
    if memory.kind == "decision" and not (rationale or read_statement(content).has_rationale):
        raise _needs_rationale(memory)
    pending = [one for one in pen.transaction.conflicts_of([memory.memory_id]) if one.recorded_to is None]
    if pending and memory.status == Status.INBOX:
        raise WrongState(
            f"it contradicts another memory: {pending[0].finding}",
            field="memory",
            hint=f"settle that first: `resolve` {pending[0].id} keep_new, with a `reason`",
        )
    # From here on nothing is refused: whoever reviews many at once goes on after a refusal.
    journal = Journal(pen, "memory.approve")
    approved = journal.next_version(
        memory,
        keys_of(journal, msgspec.structs.replace(memory, content=content)),
        change="approve",
        reason=reason,
        status=Status.ACTIVE.value,
        verified_by=journal.actor,
        rationale=rationale,
        content=content,
        **({"title": None, "summary": None} if edited is not None else {}),
    )
    if edited is not None:
        tie_evidence(journal, approved, keep_source(journal, edited), edited)
    waited = memory.status == Status.INBOX or edited is not None
    conflicts = open_conflicts(journal, approved, contraries_of(journal, approved)) if waited else []
    entry = journal.finish("approved", target=memory.memory_id, scope=memory.scope, reason=reason, conflicts=conflicts)
    return Outcome(outcome="approved", memory=approved, reason=reason, conflicts=tuple(conflicts), seq=entry.seq)


def merge(pen: Pen, kept: MemoryVersion, gone: MemoryVersion, reason: str) -> Outcome:
    """Make one memory of two because a person says that they say the same; it counts if either of them did."""
    require_person(pen.actor, "merge memories")
    if kept.memory_id == gone.memory_id:
        raise InvalidInput("a memory cannot be merged with itself", field="other", hint="name another one")
    if is_live(one := _merged_into(pen, kept)) and one.memory_id == _merged_into(pen, gone).memory_id:
        return Outcome(outcome="unchanged", memory=one, reason="they were merged already", seq=pen.head.seq)
    for field, one in (("memory", kept), ("other", gone)):
        if not is_live(one):
            raise WrongState(f"memory {one.memory_id} is {one.status}", field=field, hint="restore it first")
        if refusal := refuse_buried(stones_over(pen, one), pen.actor):
            raise WrongState(refusal.reason, field=field, hint=refusal.hint)
    if (kept.scope, owner_of_private(kept)) != (gone.scope, owner_of_private(gone)):
        raise WrongState(
            f"one is of {kept.scope} and the other of {gone.scope}, or one of them is private",
            field="other",
            hint="what belongs to two scopes stays in both; join them with `link` instead",
        )
    counted = Status.ACTIVE in (kept.status, gone.status)
    rationale = kept.rationale or gone.rationale
    if counted and kept.kind == "decision" and not (rationale or read_statement(kept.content).has_rationale):
        raise _needs_rationale(kept)
    status = Status.ACTIVE if counted else Status.INBOX
    return merge_into(
        pen, kept, gone, reason, action="memory.merge", status=status.value, rationale=rationale,
        verified_by=kept.verified_by or gone.verified_by,
    )  # fmt: skip


def _merged_into(pen: Pen, memory: MemoryVersion) -> MemoryVersion:
    """What a memory has become by merging, however often; itself where it was not merged."""
    seen = {memory.memory_id}
    while memory.status == Status.SUPERSEDED and memory.change == "merge":
        links = pen.transaction.links_of([memory.memory_id])
        into = [one.from_id for one in links if one.relationship == "supersedes" and one.to_ref == memory.memory_id]
        later = pen.transaction.version(into[-1]) if into and into[-1] not in seen else None
        if later is None:
            break
        memory = later
        seen.add(memory.memory_id)
    return memory


def _needs_rationale(memory: MemoryVersion) -> InvalidInput:
    return InvalidInput(
        "a decision needs its rationale before it counts",
        field="rationale",
        hint=f"say why: `approve` {memory.memory_id}, with a `rationale`",
    )


def _stands_behind(pen: Pen, memory: MemoryVersion, content: str, rationale: str | None) -> bool:
    """Whether the person stands behind just this already."""
    is_counted = memory.status == Status.ACTIVE and memory.verified_by == pen.actor.id
    return is_counted and (content, rationale) == (memory.content, memory.rationale)


def resolve(pen: Pen, conflict: Conflict, disposition: Disposition, reason: str, merged: Candidate | None) -> Outcome:
    """Settle a conflict as a person says; it does not come back."""
    require_person(pen.actor, "settle a conflict")
    if conflict.recorded_to is not None:
        raise WrongState(
            f"this conflict was settled before ({conflict.disposition}, by {conflict.closed_by})", field="conflict"
        )
    old, new = (pen.transaction.version(one) for one in (conflict.old_id, conflict.new_id))
    assert old is not None
    assert new is not None
    if merged is not None:
        _refuse_rejected(pen, merged)
    journal = Journal(pen, "memory.resolve")
    merged_memory = _write_merged(journal, merged, reason) if merged else None
    journal.close(
        conflict,
        closed_by=journal.actor,
        close_reason=reason,
        disposition=disposition.value,
        merged_id=merged_memory.memory_id if merged_memory else None,
    )
    kept = _carry_out(journal, conflict, disposition, old, new, merged_memory, reason)
    entry = journal.finish(
        "resolved", target=conflict.id, scope=conflict.scope, reason=reason, disposition=disposition.value
    )
    return Outcome(outcome="resolved", memory=kept, reason=reason, conflicts=(conflict.id,), seq=entry.seq)


def _carry_out(
    journal: Journal,
    conflict: Conflict,
    disposition: Disposition,
    old: MemoryVersion,
    new: MemoryVersion,
    merged: MemoryVersion | None,
    reason: str,
) -> MemoryVersion | None:
    match disposition:
        case Disposition.KEEP_OLD:
            _drop(journal, new, old, reason, Status.REJECTED)
            return _stand_behind(journal, conflict, old, reason)
        case Disposition.KEEP_NEW:
            _drop(journal, old, new, reason, Status.CONTRADICTED)
            return _stand_behind(journal, conflict, new, reason)
        case Disposition.KEEP_BOTH:
            _stand_behind(journal, conflict, old, reason)
            return _stand_behind(journal, conflict, new, reason)
        case Disposition.REMOVE_BOTH:
            _drop(journal, old, None, reason, Status.CONTRADICTED)
            _drop(journal, new, None, reason, Status.REJECTED)
            return None
        case Disposition.MERGE:
            assert merged is not None
            for one in (old, new):
                _drop(journal, one, merged, reason, Status.SUPERSEDED)
            return merged


def _stand_behind(journal: Journal, conflict: Conflict, memory: MemoryVersion, reason: str) -> MemoryVersion:
    """The kept side counts, a person stands behind it, and it gets back what the conflict took from it."""
    if not is_live(memory):
        return memory
    returned = CONTRADICTION_LOSS if conflict.weaker_id == memory.memory_id else 0.0
    return journal.next_version(
        memory,
        keys_of(journal, memory),
        change="resolve",
        reason=reason,
        status=Status.ACTIVE.value,
        verified_by=journal.actor,
        confidence=adjust_confidence(memory.confidence, returned),
    )


def _drop(journal: Journal, memory: MemoryVersion, winner: MemoryVersion | None, reason: str, status: Status) -> None:
    """The lost side leaves use, and what it alone said stays rejected."""
    if not is_live(memory):
        return
    spare = {claim.key for claim in read_statement(winner.content).claims} if winner else set()
    if winner is not None:
        retire_replaced(journal, memory, winner, reason=reason, change="resolve", status=status)
        if status is not Status.SUPERSEDED:
            # The winner speaks of one half of what the loser said; a merged text is all that both become.
            kept = divide_claims(read_statement(memory.content), read_statement(winner.content)).kept
            keep_standing(journal, memory, kept, reason)
            spare |= {claim.key for claim in kept}
    else:
        settle_pending(journal, memory, reason)
        journal.next_version(memory, keys_of(journal, memory), change="resolve", reason=reason, status=status.value)
    bury(journal, memory, reason=reason, spare=spare)


def _refuse_rejected(pen: Pen, candidate: Candidate) -> None:
    """A merge is no back door for what was rejected."""
    if refusal := refuse_buried(find_stones(pen, candidate), pen.actor):
        raise WrongState(refusal.reason, field="text", hint=refusal.hint)


def _write_merged(journal: Journal, candidate: Candidate, reason: str) -> MemoryVersion:
    source = keep_source(journal, candidate)
    memory = first_version(journal, candidate, status=Status.ACTIVE, confidence=candidate.confidence, reason=reason)
    journal.open_version(memory, keys_of(journal, memory))
    tie_evidence(journal, memory, source, candidate)
    return memory
