"""Forgetting, rejecting and restoring: a memory leaves use, or comes back, and history keeps both."""

from __future__ import annotations

from heldtrue.domain.decision import Contrary
from heldtrue.domain.errors import NotAllowed, WrongState
from heldtrue.domain.limits import CANDIDATES_MAX
from heldtrue.domain.memory import MemoryVersion, Status
from heldtrue.domain.principal import require_person
from heldtrue.domain.records import Link
from heldtrue.ingest.burial import bury, lift
from heldtrue.ingest.conflicts import keys_of, link_once, open_conflicts, settle_pending
from heldtrue.ingest.decide import authorise_write, protects
from heldtrue.ingest.journal import Journal, Pen, is_live
from heldtrue.ingest.keys import pair_key
from heldtrue.ingest.match import choose_contraries, find_neighbours, owner_of_private, read_statement
from heldtrue.ingest.outcome import Outcome


def forget(pen: Pen, memory: MemoryVersion, reason: str) -> Outcome:
    """Retract a memory; what it said stays rejected in its scope until a person restores it."""
    authorise_write(pen.actor, memory.scope)
    if protects(memory, pen.actor):
        raise NotAllowed(
            f"{memory.verified_by} stands behind this memory, so only a person can forget it",
            field="memory",
            hint="propose a correction instead: it goes to the inbox",
        )
    return _retire(pen, memory, reason, action="memory.forget", status=Status.RETRACTED)


def reject(pen: Pen, memory: MemoryVersion, reason: str) -> Outcome:
    """Turn an inbox candidate down for good."""
    require_person(pen.actor, "reject what waits in the inbox")
    if memory.status == Status.REJECTED:
        reason = f"it was rejected already: {memory.reason}"
        return Outcome(outcome="unchanged", memory=memory, reason=reason, seq=pen.head.seq)
    if memory.status != Status.INBOX:
        raise WrongState(
            f"this memory is {memory.status}, not waiting in the inbox", field="memory", hint="use forget instead"
        )
    return _retire(pen, memory, reason, action="memory.reject", status=Status.REJECTED)


def _retire(pen: Pen, memory: MemoryVersion, reason: str, *, action: str, status: Status) -> Outcome:
    if not is_live(memory):
        raise WrongState(
            f"this memory is already {memory.status}", field="memory", hint="see how that came about: `history`"
        )
    journal = Journal(pen, action)
    settle_pending(journal, memory, f"{status.value}: {reason}")
    retired = journal.next_version(
        memory,
        keys_of(journal, memory),
        change=action.removeprefix("memory."),
        reason=reason,
        status=status.value,
    )
    stones = bury(journal, memory, reason=reason)
    entry = journal.finish(
        status.value, target=memory.memory_id, scope=memory.scope, reason=reason, tombstones=len(stones)
    )
    return Outcome(outcome=status.value, memory=retired, reason=reason, seq=entry.seq)


def restore(pen: Pen, memory: MemoryVersion, reason: str) -> Outcome:
    """A person brings back what was forgotten, rejected or replaced, and lifts what kept it out."""
    require_person(pen.actor, "restore a memory")
    if memory.status == Status.ACTIVE:
        raise WrongState("this memory is active already", field="memory")
    if memory.status == Status.INBOX:
        raise WrongState("this memory waits in the inbox", field="memory", hint="approve or reject it")
    journal = Journal(pen, "memory.restore")
    lifted = lift(journal, memory, reason=reason)
    for replaced in journal.transaction.links_of([memory.memory_id]):
        if replaced.relationship == "supersedes" and replaced.to_ref == memory.memory_id:
            journal.close(replaced, closed_by=journal.actor, close_reason=reason)
    restored = journal.next_version(
        memory,
        keys_of(journal, memory),
        change="restore",
        reason=reason,
        status=Status.ACTIVE.value,
        verified_by=journal.actor,
    )
    conflicts = open_conflicts(journal, restored, contraries_of(journal, restored))
    entry = journal.finish(
        "restored", target=memory.memory_id, scope=memory.scope, reason=reason, lifted=lifted, conflicts=conflicts
    )
    return Outcome(outcome="restored", memory=restored, reason=reason, conflicts=tuple(conflicts), seq=entry.seq)


def contraries_of(journal: Journal, restored: MemoryVersion) -> list[Contrary]:
    """What is held by now and cannot stand together with a memory that was brought back."""
    statement, space_key = read_statement(restored.content), journal.pen.space.key
    held = journal.transaction.live_by_keys(keys_of(journal, restored), limit=CANDIDATES_MAX)
    others = [one for one in held if one.memory_id != restored.memory_id]
    neighbours = find_neighbours(statement, others, scope=restored.scope, private_to=owner_of_private(restored))
    return [
        Contrary(
            one.memory,
            one.comparison.reason,
            pair_key(space_key, statement, one.statement),
            weaker_is_new=one.memory.verified_by is not None,
        )
        for one in choose_contraries(neighbours)
    ]


_BINDING = ("overrides", "supersedes")
"""Relationships that put one memory in the place of another."""


def link(pen: Pen, memory: MemoryVersion, to_ref: str, relationship: str, reason: str | None) -> tuple[Link, Outcome]:
    """Join a memory to another memory or to any IRI."""
    authorise_write(pen.actor, memory.scope)
    far = pen.transaction.version(to_ref) if relationship in _BINDING else None
    if far is not None and protects(far, pen.actor):
        raise NotAllowed(
            f"{far.verified_by} stands behind that memory, so only a person can say that another {relationship} it",
            field="relationship",
            hint="propose a correction instead: it goes to the inbox",
        )
    journal = Journal(pen, "memory.link")
    present = journal.transaction.open_link(memory.memory_id, to_ref, relationship)
    made = link_once(journal, memory, to_ref, relationship, reason)
    outcome = "unchanged" if present else "linked"
    why = reason or (f"{relationship} was recorded before" if present else f"joined by {relationship}")
    entry = journal.finish(outcome, target=memory.memory_id, scope=memory.scope, reason=why, link=made.id)
    return made, Outcome(outcome=outcome, memory=memory, reason=why, seq=entry.seq)


def unlink(pen: Pen, memory: MemoryVersion, present: Link, reason: str) -> Outcome:
    """Take a link back; it stays in history."""
    authorise_write(pen.actor, memory.scope)
    if not pen.actor.is_person and present.author != pen.actor.id:
        raise NotAllowed(f"{present.author} made this link; only they or a person can take it back", field="to")
    journal = Journal(pen, "memory.unlink")
    journal.close(present, closed_by=journal.actor, close_reason=reason)
    entry = journal.finish("unlinked", target=memory.memory_id, scope=memory.scope, reason=reason, link=present.id)
    return Outcome(outcome="unlinked", memory=memory, reason=reason, seq=entry.seq)
