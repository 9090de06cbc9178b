"""Feedback: memories that an answer used gain retrieval priority, ignored ones lose some, and nothing else changes.

Priority says how useful a memory has been; how well it is supported is its confidence, which no use ever moves. The
ledger keeps every feedback with the steps it made, and the rows of use follow the ledger.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from heldtrue.access.policy import is_allowed
from heldtrue.domain.action import WRITE, ScopeResource
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.errors import NotAllowed, WrongState
from heldtrue.domain.ledger import LedgerEntry
from heldtrue.domain.principal import read_principal
from heldtrue.ingest.ports import IngestWriteTransaction
from heldtrue.ingest.stages.journal import EntryBuilder, WriteSession
from heldtrue.ports import ReadTransaction

ACTION = "memory.feedback"
ECHO = 0.1
"""What a memory gains when an answer used it."""
FIZZLE = -0.05
"""What a memory loses when an answer ignored it."""
FULL_PRIORITY = 1.0
_DIGITS = 6
"""Priorities are kept to so many decimals, so that taking a step back ends exactly where it began."""


class UseJudgement(msgspec.Struct, frozen=True, kw_only=True):
    """Which results an answer used and ignored, by id; passages are separate, because only memories have a priority."""

    used: Sequence[str] = ()
    ignored: Sequence[str] = ()
    passages_used: Sequence[str] = ()
    passages_ignored: Sequence[str] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.used or self.ignored or self.passages_used or self.passages_ignored)


class Feedback(msgspec.Struct, frozen=True, kw_only=True):
    """Feedback as stored in the ledger."""

    recall: str
    used: list[str] = []
    ignored: list[str] = []
    passages_used: list[str] = []
    passages_ignored: list[str] = []
    moved: dict[str, float] = {}
    """How far each memory's priority was moved; less than a whole step if it reached its limit."""
    undoes: int | None = None
    """The entry that this one undoes."""


class FeedbackResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of giving feedback."""

    outcome: OutcomeKind
    feedback: Feedback
    seq: int


_read = msgspec.json.Decoder(Feedback).decode


def split_by_use(texts: Iterable[tuple[str, str]], answer: str) -> dict[str, bool]:
    """Of each id whether an answer used the text that goes by it; of several texts, any of them."""
    from heldtrue.language.usage import is_used  # brings the language analysis, which looking up feedback does without

    used: dict[str, bool] = {}
    for name, text in texts:
        used[name] = used.get(name, False) or is_used(text, answer)
    return used


def give_feedback(session: WriteSession, recall_id: str, judged: UseJudgement) -> FeedbackResult:
    """Change the priority of used and ignored memories; earlier feedback on the same recall is undone first.

    What somebody may only read is noted and does not move: its place is everyone's, and so not one reader's to change.
    An agent that ignores what another wrote takes back what use has given it, and puts it no lower than it started.
    """
    earlier = _open_entry(session.transaction, recall_id)
    if earlier is not None:
        _require_standing(session, earlier)
        _take_back(session, earlier)
    elif judged.is_empty:
        return FeedbackResult(outcome=OutcomeKind.UNCHANGED, feedback=Feedback(recall=recall_id), seq=session.head.seq)
    steps = dict.fromkeys(judged.used, ECHO) | dict.fromkeys(judged.ignored, FIZZLE)
    feedback = Feedback(
        recall=recall_id,
        used=sorted(judged.used),
        ignored=sorted(judged.ignored),
        passages_used=sorted(judged.passages_used),
        passages_ignored=sorted(judged.passages_ignored),
        moved=_within_reach(session, steps),
    )
    return _record(session, OutcomeKind.NOTED, feedback)


def _within_reach(session: WriteSession, steps: Mapping[str, float]) -> dict[str, float]:
    """How far those memories move that whoever gives feedback may write."""
    found = session.transaction.memories.current_versions(list(steps))
    writable = [memory for memory in found if is_allowed(session.actor, WRITE, ScopeResource(memory.scope))]
    moved = _bounded_steps(session.transaction, {memory.memory_id: steps[memory.memory_id] for memory in writable})
    held = _priorities(session.transaction, moved)
    for memory in writable:
        if not session.actor.is_person and memory.author != session.actor.id:
            start = min(0.0, held[memory.memory_id])
            moved[memory.memory_id] = round(max(moved[memory.memory_id], start - held[memory.memory_id]), _DIGITS)
    return moved


def boost(session: WriteSession, occasion: str, memory_ids: Sequence[str]) -> FeedbackResult | None:
    """Move some memories up once for an occasion; None if that was done before, also if it was taken back since."""
    if session.transaction.index.state(_pointer(occasion)) or not memory_ids:
        return None
    moved = _bounded_steps(session.transaction, dict.fromkeys(memory_ids, ECHO))
    return _record(session, OutcomeKind.NOTED, Feedback(recall=occasion, moved=moved))


def undo_feedback(session: WriteSession, recall_id: str) -> FeedbackResult:
    """Undo the last feedback on a recall."""
    earlier = _open_entry(session.transaction, recall_id)
    if earlier is None:
        raise WrongState("this recall has no feedback to undo", field="recall_id")
    _require_standing(session, earlier)
    return _take_back(session, earlier)


def _require_standing(session: WriteSession, earlier: LedgerEntry) -> None:
    """Refuse an agent that would undo a person's feedback."""
    if not session.actor.is_person and read_principal(earlier.actor).is_person:
        raise NotAllowed(
            "a person has already given feedback on this recall",
            field="recall_id",
            hint="report feedback on a later recall",
        )


def undo_boost(session: WriteSession, entry: LedgerEntry) -> FeedbackResult:
    """Undo one entry that raised the priority of memories."""
    given = _read(entry.detail)
    standing = _open_entry(session.transaction, given.recall)
    if standing is None or standing.seq != entry.seq:
        raise WrongState(f"#{entry.seq} was already undone", field="entry")
    return _take_back(session, entry)


def last_feedback(reading: ReadTransaction, recall_id: str) -> tuple[LedgerEntry, Feedback] | None:
    """The feedback of a recall that stands, with its entry."""
    entry = _open_entry(reading, recall_id)
    return None if entry is None else (entry, _read(entry.detail))


def follow_feedback(transaction: IngestWriteTransaction, entry: LedgerEntry) -> None:
    """Let use and priority follow an entry of the ledger, when it is made and when a history is replayed."""
    feedback, count = _read(entry.detail), -1 if entry.outcome == OutcomeKind.UNDONE else 1
    held = _priorities(transaction, feedback.moved)
    for memory_id, step in feedback.moved.items():
        transaction.log.count_uses(
            [memory_id],
            used=count if memory_id in feedback.used else 0,
            ignored=count if memory_id in feedback.ignored else 0,
            priority=_bounded(held[memory_id] + step) - held[memory_id],
        )
    transaction.index.set_state(_pointer(feedback.recall), entry.seq)


def _record(session: WriteSession, outcome: OutcomeKind, feedback: Feedback) -> FeedbackResult:
    told = msgspec.structs.asdict(feedback)
    used = len(feedback.used) + len(feedback.passages_used)
    ignored = len(feedback.ignored) + len(feedback.passages_ignored)
    reason = f"{used} used, {ignored} ignored" if used or ignored else f"{len(feedback.moved)} moved up"
    entry = EntryBuilder(session, ACTION).finish(
        outcome,
        target=feedback.recall,
        scope=None,
        reason=f"undone: {reason}" if outcome == OutcomeKind.UNDONE else reason,
        **told,
    )
    follow_feedback(session.transaction, entry)
    return FeedbackResult(outcome=outcome, feedback=feedback, seq=entry.seq)


def _take_back(session: WriteSession, earlier: LedgerEntry) -> FeedbackResult:
    taken = _read(earlier.detail)
    back = {memory_id: -step for memory_id, step in taken.moved.items()}
    feedback = msgspec.structs.replace(taken, moved=_bounded_steps(session.transaction, back), undoes=earlier.seq)
    return _record(session, OutcomeKind.UNDONE, feedback)


def _open_entry(reading: ReadTransaction, recall_id: str) -> LedgerEntry | None:
    """The entry of the feedback that stands for a recall, if there is one."""
    seq = reading.index.state(_pointer(recall_id))
    entry = reading.ledger.entry(seq) if seq else None
    return entry if entry is not None and entry.outcome == OutcomeKind.NOTED else None


def _pointer(recall_id: str) -> str:
    """Where the last entry about a recall is noted; like all of the index it could be made anew from the ledger."""
    return f"feedback:{recall_id}"


def _bounded_steps(reading: ReadTransaction, steps: Mapping[str, float]) -> dict[str, float]:
    """How far each memory really moves, given where its priority is and where it ends."""
    held = _priorities(reading, steps)
    return {
        memory_id: round(_bounded(held[memory_id] + step) - held[memory_id], _DIGITS)
        for memory_id, step in sorted(steps.items())
    }


def _bounded(priority: float) -> float:
    return round(min(FULL_PRIORITY, max(-FULL_PRIORITY, priority)), _DIGITS)


def _priorities(reading: ReadTransaction, memory_ids: Mapping[str, object]) -> dict[str, float]:
    found = {use.memory_id: use.priority for use in reading.log.uses(list(memory_ids))}
    return {memory_id: found.get(memory_id, 0.0) for memory_id in memory_ids}
