"""The owner's decisions about a home on this machine.

They are commands and not capabilities, because a caller over the network or an agent must not be able to accept
changes to the store's files.
"""

from __future__ import annotations

import msgspec

from heldtrue.capabilities.call import Call, Instance
from heldtrue.domain.continuity import StoredHead, UnreadableHead, describe_loss, has_head
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.errors import ClockJumped
from heldtrue.domain.plural import count
from heldtrue.ports import Clock


class EntryAnswer(msgspec.Struct, frozen=True):
    """The number of a ledger entry."""

    seq: int


def find_doubts(instance: Instance, clock: Clock) -> list[str]:
    """What prevents writes to this store, each as a clause: lost entries, another store, a clock far ahead."""
    stored = instance.heads.stored()
    with instance.store.read() as reading:
        head, space_id = reading.ledger.head(), reading.ledger.space().id
        doubts = []
        for outside in stored:
            match outside:
                case UnreadableHead():
                    doubts.append(f"{outside.where} cannot be read: {outside.problem}")
                case StoredHead() if space_id and outside.space_id != space_id:
                    doubts.append(f"a different store was here before; it had {count(outside.head.seq, 'entry')}")
                case StoredHead() if not has_head(head, outside.head, reading.ledger.entry):
                    doubts.append(describe_loss(outside.head, head))
    try:
        if head.seq:
            clock.refuse_jump(head.recorded_at)
    except ClockJumped as problem:
        doubts.append(problem.message.removesuffix("; nothing was written"))
    return list(dict.fromkeys(doubts))


def accept_memory(call: Call, doubts: list[str]) -> None:
    """Accept a store as it is. A ledger entry records what was accepted."""
    with call.instance.store.read() as reading:
        space_id, head = reading.ledger.space().id, reading.ledger.head()
    call.instance.heads.accept(space_id, head)
    if doubts:
        _add_entry(call, "trust", OutcomeKind.ACCEPTED, "; ".join(doubts))


def found_memory(call: Call) -> None:
    """Write the first ledger entry of a new home, which gives the home its id."""
    _add_entry(call, "init", OutcomeKind.NOTED, "this folder was made a home")


def _add_entry(call: Call, action: str, outcome: OutcomeKind, reason: str) -> None:
    from heldtrue.ingest.stages.journal import EntryBuilder, WriteSession

    def act(session: WriteSession) -> EntryAnswer:
        entry = EntryBuilder(session, action).finish(outcome, target=None, scope=None, reason=reason)
        return EntryAnswer(entry.seq)

    call.submit(act, EntryAnswer)
