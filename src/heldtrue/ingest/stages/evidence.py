"""Evidence: the source a memory rests on, stored once, made findable, and tied to the version it supports."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import msgspec

from heldtrue.domain.decision import Refused
from heldtrue.domain.derived import REBUILDING
from heldtrue.domain.erasure import ERASED
from heldtrue.domain.limits import NAME_CHARS_MAX, THREAD_REFERENCE_CHARS_MAX
from heldtrue.domain.memory import MemoryVersion, Visibility
from heldtrue.domain.principal import Principal
from heldtrue.domain.privacy import Privacy
from heldtrue.domain.records import Evidence, Quarantine, Source, SourceKind
from heldtrue.domain.rows import NewPassage
from heldtrue.ingest.ports import IngestReadTransaction, IngestWriteTransaction
from heldtrue.ingest.stages.candidate import Candidate
from heldtrue.ingest.stages.journal import EntryBuilder, WriteSession
from heldtrue.ingest.stages.keys import content_key, lookup_key
from heldtrue.ingest.stages.passages import Cut, collection_of, cut_source
from heldtrue.ingest.stages.tombstones import HiddenFrom, passage_key
from heldtrue.language.features import speaker_marks


class SourceDraft(msgspec.Struct, frozen=True, kw_only=True):
    """Raw material that is about to be kept as a source."""

    kind: SourceKind
    content: str
    reference: str | None
    scope: str
    occurred_at: int | None
    lookup_key: int
    title: str | None = None
    thread: str | None = None
    """Without a thread it is no evidence that recall finds on its own."""
    position: int = 0
    """Its position in the thread."""
    speaker: str | None = None
    visibility: Visibility
    cuts: Sequence[Cut] | None = None
    """Its passages, where they are known already."""


def add_source(builder: EntryBuilder, draft: SourceDraft, source_id: str) -> Source:
    """Write a source, the only way to do so, and make it findable if it is part of a thread."""
    has_thread = draft.thread is not None
    if has_thread and draft.content and erased_contents(builder.transaction, [draft.content]):
        # What was erased does not come back as evidence. Only a person's own statement, which has no thread, may.
        speaker = None if draft.speaker is None else ERASED
        draft = msgspec.structs.replace(draft, content="", speaker=speaker, title=None, cuts=None)
    source = builder.insert(
        Source(
            id=source_id,
            seq=builder.seq,
            kind=draft.kind.value,
            content=draft.content,
            content_type="text/plain",
            reference=draft.reference,
            author=builder.actor,
            scope=draft.scope,
            occurred_at=draft.occurred_at,
            recorded_at=builder.at,
            lookup_key=draft.lookup_key,
            title=draft.title,
            thread=draft.thread,
            place=draft.position if has_thread else None,
            speaker=draft.speaker,
            visibility=draft.visibility.value if has_thread else None,
        )
    )
    index_source(builder.transaction, source, draft.cuts)
    return source


def erased_contents(reading: IngestReadTransaction, contents: Sequence[str]) -> set[str]:
    """Those of some texts that were erased as evidence before, whoever had captured them."""
    if not reading.ledger.has_erased():
        return set()
    keys = {content_key(reading.ledger.space().key, content): content for content in contents if content}
    return {keys[key] for key in reading.ledger.erased_content(keys)}


def keep_source(builder: EntryBuilder, candidate: Candidate) -> Source:
    """The raw material of a candidate; the same material by the same author again is the same source.

    A passage that was handed in with a memory can be found on its own.
    """
    proposal, actor, space_key = candidate.proposal, builder.session.actor, builder.session.space.key
    key = _candidate_key(candidate, actor, space_key)
    present = _find_source(builder.transaction, candidate, key)
    if present is not None:
        return present
    source_id = builder.fresh_id()
    thread = None if proposal.source_text is None else name_thread(candidate.reference) or source_id
    position = 0
    if thread is not None:
        position = builder.transaction.sources.thread_length(thread, candidate.scope, candidate.privacy(actor))
    draft = SourceDraft(
        kind=proposal.source_kind,
        content=candidate.evidence_text,
        reference=candidate.reference,
        scope=candidate.scope,
        occurred_at=proposal.observed_at,
        lookup_key=key,
        thread=thread,
        position=position,
        visibility=proposal.visibility,
        cuts=candidate.cuts,
    )
    return add_source(builder, draft, source_id)


def name_thread(reference: str | None) -> str | None:
    """The thread of what has a reference: the reference itself, if that is short enough for a name."""
    if reference is None or len(reference) <= NAME_CHARS_MAX:
        return reference
    return f"{reference[:THREAD_REFERENCE_CHARS_MAX]}…{hashlib.sha256(reference.encode()).hexdigest()[:16]}"


def find_source(
    reading: IngestReadTransaction, candidate: Candidate, actor: Principal, space_key: bytes
) -> Source | None:
    """The source of a candidate, if it was handed in before."""
    return _find_source(reading, candidate, _candidate_key(candidate, actor, space_key))


def _find_source(reading: IngestReadTransaction, candidate: Candidate, key: int) -> Source | None:
    if candidate.proposal.source_id is not None:
        return reading.sources.get(candidate.proposal.source_id)
    present = reading.sources.by_lookup(key)
    return present if present is not None and present.content == candidate.evidence_text else None


def _candidate_key(candidate: Candidate, actor: Principal, space_key: bytes) -> int:
    whose = (actor.id, candidate.scope)
    if candidate.proposal.source_text is not None:
        visibility = candidate.proposal.visibility
        return evidence_key(space_key, *whose, visibility, candidate.reference or "", candidate.evidence_text)
    return lookup_key(space_key, "source", *whose, candidate.reference or "", candidate.evidence_text)


def evidence_key(
    space_key: bytes, author: str, scope: str, visibility: Visibility, reference: str, content: str
) -> int:
    """The key of a source that can be found: the same material for the same readers is the same source."""
    readers = "private" if Privacy.of(visibility, author).is_private else ""
    return lookup_key(space_key, "evidence", author, scope, readers, reference, content)


def quarantine_of(
    reading: IngestReadTransaction, candidate: Candidate, actor: Principal, space_key: bytes
) -> Quarantine | None:
    """The quarantine that an agent's source is in; a person who quotes one may know better."""
    if actor.is_person:
        return None
    source = find_source(reading, candidate, actor, space_key)
    return reading.sources.open_quarantine(source.id) if source is not None else None


def tie_evidence(builder: EntryBuilder, memory: MemoryVersion, source: Source, candidate: Candidate) -> None:
    """Say that a version of a memory rests on a source."""
    start, end = candidate.proposal.span or _find_span(source, candidate)
    builder.insert(
        Evidence(
            memory_id=memory.memory_id,
            version=memory.version,
            source_id=source.id,
            seq=builder.seq,
            author=builder.actor,
            file=candidate.file,
            line=candidate.line,
            span_start=start,
            span_end=end,
            recorded_at=builder.at,
        )
    )


def _find_span(source: Source, candidate: Candidate) -> tuple[int | None, int | None]:
    """Where a source says it in the same words; nowhere in particular where it says nothing else."""
    start = source.content.find(candidate.content)
    if start < 0 or source.content == candidate.content:
        return None, None
    return start, start + len(candidate.content)


def carry_evidence(builder: EntryBuilder, old: MemoryVersion, new: MemoryVersion) -> None:
    """A memory cut from another rests on the same sources, and of a single statement only on the part that it keeps."""
    rows = builder.transaction.records.evidence_of([old.memory_id])
    for source_id, (evidence, source) in {source.id: (evidence, source) for evidence, source in rows}.items():
        start, end = _find_kept(source, new.content) if source.thread is None else (None, None)
        builder.insert(
            Evidence(
                memory_id=new.memory_id,
                version=new.version,
                source_id=source_id,
                seq=builder.seq,
                author=source.author,
                file=evidence.file,
                line=evidence.line,
                span_start=start,
                span_end=end,
                recorded_at=builder.at,
            )
        )


def _find_kept(source: Source, content: str) -> tuple[int | None, int | None]:
    """Where a source says the end of a statement, as much of it as it has in the same words.

    A clause that was cut from a sentence repeats its subject: `The team sits in Turku and reports to Hanna`.
    """
    text = content.rstrip(".")
    for position in [0, *(match.end() for match in re.finditer(r"\s", text))]:
        start = source.content.find(text[position:])
        if start >= 0:
            return start, start + len(text) - position
    return None, None


def unhidden_source(
    session: WriteSession, candidate: Candidate, decision: Refused
) -> tuple[Source, MemoryVersion] | None:
    """The captured source of a refused candidate, and the rejected memory that it is not evidence of yet."""
    proposal = candidate.proposal
    if decision.memory_id is None or proposal.source_id is None or proposal.span is None:
        return None
    source = session.transaction.sources.get(proposal.source_id)
    memory = session.transaction.memories.version(decision.memory_id)
    if source is None or memory is None:
        return None
    tied = session.transaction.records.evidence_of([memory.memory_id])
    return None if any(cited.id == source.id for _, cited in tied) else (source, memory)


def rest_on_again(builder: EntryBuilder, memory: MemoryVersion, source: Source) -> None:
    """A memory that rests on an earlier source with the same text rests on this one too, at the same place in it."""
    rows = builder.transaction.records.evidence_of([memory.memory_id])
    earlier = [evidence for evidence, cited in rows if cited.content == source.content]
    if any(cited.id == source.id for _, cited in rows):
        return
    for evidence in earlier[-1:]:
        fresh = {"version": memory.version, "source_id": source.id, "seq": builder.seq, "recorded_at": builder.at}
        builder.insert(msgspec.structs.replace(evidence, **fresh, salt=None, digest=None))


# The derived rows of a source


def index_source(transaction: IngestWriteTransaction, source: Source, cuts: Sequence[Cut] | None = None) -> None:
    """Make a new source findable, if it is part of a thread; `cuts` are its passages where they are known already."""
    # An index that is being made anew comes to it later: before what its thread has already it would be out of order.
    if source.thread is not None and not transaction.index.state(REBUILDING):
        write_passages(transaction, source, cuts, is_new=True)


def write_passages(
    transaction: IngestWriteTransaction, source: Source, cuts: Sequence[Cut] | None = None, *, is_new: bool = False
) -> None:
    """Write the derived rows of a source that is part of a thread."""
    assert source.thread is not None
    if not source.content:
        return
    cuts = cut_source(source.content, source.title) if cuts is None else cuts
    pieces = _make_pieces(transaction, source, cuts, is_new=is_new)
    transaction.passages.add(source, source.thread, pieces, collection=collection_of(source.kind))


def _make_pieces(
    reading: IngestReadTransaction, source: Source, cuts: Sequence[Cut], *, is_new: bool
) -> list[NewPassage]:
    """The passages of a source as they are indexed, hidden where that follows from what is recorded so far."""
    space_key = reading.ledger.space().key
    hidden_from = HiddenFrom(reading, source, is_new=is_new)
    speaker = dict.fromkeys(speaker_marks(source.speaker), 1.0)
    pieces = []
    for cut in cuts:
        keys = tuple(passage_key(space_key, said) for said in cut.said)
        hidden = hidden_from.judge(cut, alone=len(cuts) == 1)
        words = msgspec.structs.replace(cut.words, weights=cut.words.weights | speaker)
        pieces.append(NewPassage(cut.start, cut.end, words, keys, *hidden))
    return pieces
