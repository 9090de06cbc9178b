"""Capturing: evidence stored as it was said, and made searchable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import takewhile
from typing import TypeVar

import msgspec

from heldtrue.access.policy import may_read, require
from heldtrue.domain.action import WRITE, ScopeResource
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.erasure import ERASED, is_erased
from heldtrue.domain.errors import TooLarge
from heldtrue.domain.limits import CAPTURE_BYTES_MAX, SOURCE_BYTES_MAX
from heldtrue.domain.memory import Visibility
from heldtrue.domain.privacy import Privacy
from heldtrue.domain.records import Source, SourceKind
from heldtrue.ingest.gateway import PlannedAct, Planning
from heldtrue.ingest.ports import IngestReadTransaction, IngestStore, TextAnalysis
from heldtrue.ingest.stages.evidence import SourceDraft, add_source, erased_contents, evidence_key, name_thread
from heldtrue.ingest.stages.intake import Intake
from heldtrue.ingest.stages.journal import EntryBuilder, WriteSession
from heldtrue.ingest.stages.keys import lookup_key
from heldtrue.ingest.stages.passages import Cut, cut_sources
from heldtrue.ingest.stages.tombstones import judge_source
from heldtrue.language.own_output import leave_out_own

Answer = TypeVar("Answer")
_COMMON_TURNS = 2
"""Turns that a conversation must have in common with its thread, from the beginning, to be one that parted from it."""


class CapturedText(msgspec.Struct, frozen=True):
    """A captured text, prepared for storage; it does not depend on existing memories."""

    content: str
    speaker: str | None
    occurred_at: int | None
    cuts: tuple[Cut, ...] | None = None
    """Its searchable passages, once it is parsed."""


class Capture(msgspec.Struct, frozen=True, kw_only=True):
    """Where captured material belongs."""

    scope: str
    project_id: str | None
    kind: SourceKind
    visibility: Visibility
    thread: str | None = None
    title: str | None = None
    reference: str | None = None
    is_spoken: bool = False
    """Whether it is turns of a conversation, not one text."""

    def privacy(self, author: str) -> Privacy:
        """Whose it would be."""
        return Privacy.of(self.visibility, author)


class CaptureResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a capture."""

    outcome: OutcomeKind
    thread: str
    sources: tuple[str, ...]
    captured: int
    known: int
    withheld: int = 0
    """How many of the new texts are empty, because they were erased before."""
    seq: int


def take_material(
    intake: Intake, raw: str, *, field: str, speaker: str | None, occurred_at: int | None
) -> CapturedText | None:
    """Check the size of a text and remove secrets and Heldtrue's own output; None if nothing is left."""
    raw, own = leave_out_own(raw)
    intake.own += own
    plain = intake.plain(raw, field=field, bytes_max=SOURCE_BYTES_MAX)
    return CapturedText(intake.evidence(raw, plain, field=field), speaker, occurred_at) if plain else None


def capture_act(
    capture: Capture,
    material: Sequence[CapturedText],
    answer: Callable[[CaptureResult, WriteSession], Answer],
    analysis: TextAnalysis,
) -> PlannedAct[Sequence[CapturedText], Answer]:
    """Store texts as evidence; texts that are probably new are parsed before the write lock is taken."""

    def plan(planning: Planning) -> Sequence[CapturedText]:
        store, actor = planning.store, planning.actor
        known, withheld = 0, withhold_erased(store, material)
        # Only as far as the author may know what is there.
        if may_read(actor, ScopeResource(capture.scope)):
            with store.read() as reading:
                known = _count_known(reading, capture, withheld, actor.id)
        return _take_apart(withheld, capture.title, analysis, known=known)

    def carry_out(session: WriteSession, prepared: Sequence[CapturedText]) -> Answer:
        keep = _capture_turns if capture.is_spoken else _capture_document
        return answer(keep(session, capture, prepared), session)

    return PlannedAct(plan, carry_out)


def withhold_erased(store: IngestStore, material: Sequence[CapturedText]) -> Sequence[CapturedText]:
    """The same texts, those that were erased before left empty."""
    with store.read() as reading:
        erased = erased_contents(reading, [text.content for text in material])
    if not erased:
        return material
    return [_withhold(text) if text.content in erased else text for text in material]


def _withhold(text: CapturedText) -> CapturedText:
    """An empty text in place of one that was erased before, without who said it."""
    return msgspec.structs.replace(text, content="", speaker=None if text.speaker is None else ERASED)


def _take_apart(
    material: Sequence[CapturedText], title: str | None, analysis: TextAnalysis, *, known: int
) -> list[CapturedText]:
    """The same texts with the probably new ones parsed, so that this does not happen during the write."""
    contents = [text.content for text in material[known:]]
    cuts = analysis.run(partial(cut_sources, title), contents, chars=sum(map(len, contents)))
    fresh = [
        msgspec.structs.replace(text, cuts=passages) for text, passages in zip(material[known:], cuts, strict=True)
    ]
    return [*material[:known], *fresh]


def _count_known(
    reading: IngestReadTransaction, capture: Capture, material: Sequence[CapturedText], author: str
) -> int:
    """How many of some texts, from the beginning, were captured before."""
    if capture.is_spoken:
        return len(_known_turns(reading, capture, material, author))
    key = _document_key(reading.ledger.space().key, capture, material[0], author)
    return int(_known_document(reading, key, material[0]) is not None)


def check_size(material: Sequence[CapturedText], *, field: str) -> None:
    """Refuse texts that are too large for one ledger entry."""
    if sum(len(text.content.encode()) for text in material) > CAPTURE_BYTES_MAX:
        raise TooLarge(
            f"{field}: more than {CAPTURE_BYTES_MAX:,} bytes in total", field=field, hint="capture the text in parts"
        )


def _capture_document(session: WriteSession, capture: Capture, texts: Sequence[CapturedText]) -> CaptureResult:
    """Store one text, unless its author captured it before."""
    (material,) = texts
    require(session.actor, WRITE, ScopeResource(capture.scope))
    key = _document_key(session.space.key, capture, material, session.actor.id)
    present = _known_document(session.transaction, key, material)
    builder = EntryBuilder(session, "memory.capture")
    if present is not None:
        return _finish(builder, capture, present.thread or present.id, [present], known=1)
    source_id = builder.fresh_id()
    thread = capture.thread or name_thread(capture.reference) or source_id
    position = builder.transaction.sources.thread_length(thread, capture.scope, capture.privacy(builder.actor))
    builder.register_scope(capture.scope, capture.project_id)
    source = add_source(builder, _draft(capture, material, thread=thread, position=position, key=key), source_id)
    for earlier in builder.transaction.sources.documents_before(source):
        judge_source(builder.transaction, earlier.id)
    return _finish(builder, capture, thread, [source], known=0)


def _document_key(space_key: bytes, capture: Capture, material: CapturedText, author: str) -> int:
    # Without a thread of its own it is what `learn` makes of the same passage.
    origin = "\x1f".join(part or "" for part in (capture.reference, capture.thread)).rstrip("\x1f")
    return evidence_key(space_key, author, capture.scope, capture.visibility, origin, material.content)


def _known_document(reading: IngestReadTransaction, key: int, material: CapturedText) -> Source | None:
    """The same text, if it was captured before and is the newest of its document."""
    present = reading.sources.by_lookup(key)
    if present is None or present.content != material.content:
        return None
    later = reading.sources.documents_after(present)
    newest = later[-1] if later else present
    return newest if newest.content == material.content else None


def _capture_turns(session: WriteSession, capture: Capture, turns: Sequence[CapturedText]) -> CaptureResult:
    """Store the turns of a conversation that its thread does not have yet.

    A conversation is sent again and again as it grows: one that begins as the thread does is the same one, and only
    what follows is new, also where the two part later on. Any other goes on where the thread ends.
    """
    require(session.actor, WRITE, ScopeResource(capture.scope))
    builder = EntryBuilder(session, "memory.capture")
    known = _known_turns(builder.transaction, capture, turns, builder.actor)
    thread, privacy = capture.thread or builder.fresh_id(), capture.privacy(builder.actor)
    position = builder.transaction.sources.thread_length(thread, capture.scope, privacy)
    fresh = turns[len(known) :]
    if fresh:
        builder.register_scope(capture.scope, capture.project_id)
    added = []
    for number, turn in enumerate(fresh, position):
        key = lookup_key(session.space.key, "turn", builder.actor, capture.scope, thread, str(number), turn.content)
        draft = _draft(capture, turn, thread=thread, position=number, key=key)
        added.append(add_source(builder, draft, builder.fresh_id()))
    return _finish(builder, capture, thread, [*known, *added], known=len(known))


def _known_turns(
    reading: IngestReadTransaction, capture: Capture, turns: Sequence[CapturedText], author: str
) -> list[Source]:
    """The turns that a thread begins with, if it begins like these."""
    if capture.thread is None:
        return []
    present = reading.sources.thread_turns(capture.thread, capture.scope, capture.privacy(author), limit=len(turns))
    alike = list(takewhile(lambda pair: _is_same_turn(*pair), zip(present, turns, strict=False)))
    # One turn in common, and then another, is a short word said twice rather than a conversation that took a turn.
    is_same = len(alike) in (len(present), len(turns)) or len(alike) >= _COMMON_TURNS
    return [source for source, _ in alike] if is_same else []


def _is_same_turn(source: Source, turn: CapturedText) -> bool:
    """Whether a turn was captured before; if both have a time, the times must be equal too."""
    if is_erased(source):
        return not turn.content
    times = {source.occurred_at, turn.occurred_at} - {None}
    return (source.speaker, source.content) == (turn.speaker, turn.content) and len(times) < 2


def _draft(capture: Capture, material: CapturedText, *, thread: str, position: int, key: int) -> SourceDraft:
    return SourceDraft(
        kind=capture.kind,
        content=material.content,
        reference=capture.reference,
        scope=capture.scope,
        occurred_at=material.occurred_at,
        lookup_key=key,
        title=capture.title,
        thread=thread,
        position=position,
        speaker=material.speaker,
        visibility=capture.visibility,
        cuts=material.cuts,
    )


def _finish(
    builder: EntryBuilder, capture: Capture, thread: str, sources: Sequence[Source], *, known: int
) -> CaptureResult:
    captured = len(sources) - known
    outcome = OutcomeKind.CAPTURED if captured else OutcomeKind.UNCHANGED
    entry = builder.finish(
        outcome,
        target=sources[known].id if captured else sources[0].id,
        scope=capture.scope,
        reason="captured as evidence" if captured else "already captured",
        thread=thread,
        captured=captured,
        known=known,
    )
    return CaptureResult(
        outcome=outcome,
        thread=thread,
        sources=tuple(source.id for source in sources),
        captured=captured,
        known=known,
        withheld=sum(not source.content for source in sources[known:]),
        seq=entry.seq,
    )
