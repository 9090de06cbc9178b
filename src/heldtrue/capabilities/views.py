"""Records as surfaces show them: times as text, nothing internal."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from heldtrue.capabilities.shapes import (
    CauseName,
    ConflictKindName,
    ConflictStatus,
    DispositionName,
    Id,
    KindName,
    ScopeName,
    SourceKindName,
    StalenessName,
    StatusName,
    StrengthName,
    Tone,
    VisibilityName,
    When,
)
from heldtrue.domain import times
from heldtrue.domain.erasure import ERASED, is_erased
from heldtrue.domain.memory import MemoryVersion, short_title
from heldtrue.domain.records import Conflict, Evidence, Link, Source, Space
from heldtrue.domain.rows import PassageText

if TYPE_CHECKING:
    from heldtrue.recall.answer import MemoryChange

to_iso = lru_cache(maxsize=4096)(times.to_iso)
"""Cached: several fields of a record often hold the same timestamp, and a record is shown more than once."""


def to_iso_or_none(moment: int | None) -> str | None:
    return None if moment is None else to_iso(moment)


class MemoryView(msgspec.Struct, frozen=True, kw_only=True):
    """A memory."""

    id: Id
    iri: str
    kind: KindName
    title: str
    content: str
    summary: str | None
    rationale: str | None
    scope: ScopeName
    project_id: str | None
    repo_id: str | None
    visibility: VisibilityName
    status: StatusName
    confidence: float
    strength: StrengthName
    sentiment: Tone
    """The tone of the statement: frustrated, excited, uncertain or neutral."""
    topic: str | None
    category: str | None
    staleness: StalenessName
    stale: bool
    agent: str
    human_verified: bool
    verified_by: str | None
    valid_from: When | None
    valid_to: When | None
    ended: bool
    """Whether `valid_to` has passed. With `as_of`: whether it had passed at that time."""
    observed_at: When
    created_at: When
    updated_at: When
    recorded_from: When
    recorded_to: When | None
    version: int
    change: str
    changed_by: str
    reason: str | None
    cause: CauseName | None
    """A fixed word for why the memory is in the inbox or was archived."""


class SourceView(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of evidence, and where it came from."""

    source_id: Id
    kind: SourceKindName
    content: str
    reference: str | None
    file: str | None
    line: int | None
    span: tuple[int, int] | None
    author: str
    speaker: str | None
    """The speaker, if this is not the author."""
    thread: str | None
    """The conversation or document that it belongs to."""
    supports_version: int
    recorded_at: When
    erased: bool = False
    """Whether its text was erased. Its `content` is then `[erased]`."""


class PassageView(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of captured evidence: a message of a conversation, or a part of a document."""

    number: int
    source_id: Id
    kind: SourceKindName
    text: str
    reference: str | None
    title: str | None
    thread: str | None
    place: int | None
    speaker: str | None
    author: str
    scope: ScopeName
    occurred_at: When | None
    recorded_at: When


class LinkView(msgspec.Struct, frozen=True, kw_only=True):
    """A link."""

    id: Id
    from_memory: Id
    to: str
    relationship: str
    author: str
    reason: str | None
    recorded_from: When
    recorded_to: When | None


class ConflictView(msgspec.Struct, frozen=True, kw_only=True):
    """A conflict, pending or resolved."""

    id: Id
    kind: ConflictKindName
    scope: ScopeName
    finding: str
    old: Id
    new: Id
    weaker: Id
    status: ConflictStatus
    disposition: DispositionName | None
    resolved_by: str | None
    reason: str | None
    merged: Id | None
    recorded_from: When
    recorded_to: When | None


class Replacement(msgspec.Struct, frozen=True, kw_only=True):
    """How a memory has changed since the requested time."""

    status: StatusName
    """The current status."""
    at: When
    by: str
    reason: str | None
    replaced_by: Id | None
    content: str | None
    """The content of the memory that replaced it."""


def memory_state(status: str, version: int) -> str:
    """A memory's state as a short text, which changes with every change to the memory."""
    return f"{status}, version {version}"


def view_memory(memory: MemoryVersion, space: Space, moment: int) -> MemoryView:
    """A memory as it is now, or was at the time that `as_of` specifies."""
    return MemoryView(
        id=memory.memory_id,
        iri=space.iri(memory.memory_id),
        kind=memory.kind,
        title=memory.title or short_title(memory.content),
        content=memory.content,
        summary=memory.summary,
        rationale=memory.rationale,
        scope=memory.scope,
        project_id=memory.project_id,
        repo_id=memory.repo_id,
        visibility=memory.visibility,
        status=memory.status,
        confidence=memory.confidence,
        strength=memory.strength,
        sentiment=memory.sentiment or "neutral",
        topic=memory.topic,
        category=memory.category,
        staleness=memory.staleness,
        stale=memory.is_stale(moment),
        agent=memory.author,
        human_verified=memory.verified_by is not None,
        verified_by=memory.verified_by,
        valid_from=to_iso_or_none(memory.valid_from),
        valid_to=to_iso_or_none(memory.valid_to),
        ended=memory.has_ended(moment),
        observed_at=to_iso(memory.observed_at),
        created_at=to_iso(memory.created_at),
        updated_at=to_iso(memory.recorded_from),
        recorded_from=to_iso(memory.recorded_from),
        recorded_to=to_iso_or_none(memory.recorded_to),
        version=memory.version,
        change=memory.change,
        changed_by=memory.changed_by,
        reason=memory.reason,
        cause=memory.cause,
    )


def view_evidence(rows: Iterable[tuple[Evidence, Source]]) -> list[SourceView]:
    return [
        SourceView(
            source_id=source.id,
            kind=source.kind,
            content=ERASED if is_erased(source) else source.content,
            reference=source.reference,
            file=evidence.file,
            line=evidence.line,
            author=source.author,
            speaker=source.speaker,
            thread=source.thread,
            supports_version=evidence.version,
            span=None
            if evidence.span_start is None or evidence.span_end is None
            else (evidence.span_start, evidence.span_end),
            recorded_at=to_iso(evidence.recorded_at),
            erased=is_erased(source),
        )
        for evidence, source in rows
    ]


def view_passage(passage: PassageText) -> PassageView:
    return PassageView(
        number=passage.no,
        source_id=passage.source_id,
        kind=passage.kind,
        text=passage.text,
        reference=passage.reference,
        title=passage.title,
        thread=passage.thread,
        place=passage.place,
        speaker=passage.speaker,
        author=passage.author,
        scope=passage.scope,
        occurred_at=to_iso_or_none(passage.occurred_at),
        recorded_at=to_iso(passage.recorded_at),
    )


def view_link(link: Link) -> LinkView:
    return LinkView(
        id=link.id,
        from_memory=link.from_id,
        to=link.to_ref,
        relationship=link.relationship,
        author=link.author,
        reason=link.reason,
        recorded_from=to_iso(link.recorded_from),
        recorded_to=to_iso_or_none(link.recorded_to),
    )


def view_conflict(conflict: Conflict) -> ConflictView:
    return ConflictView(
        id=conflict.id,
        kind=conflict.kind,
        scope=conflict.scope,
        finding=conflict.finding,
        old=conflict.old_id,
        new=conflict.new_id,
        weaker=conflict.weaker_id,
        status="pending" if conflict.recorded_to is None else "settled",
        disposition=conflict.disposition,
        resolved_by=conflict.closed_by,
        reason=conflict.close_reason,
        merged=conflict.merged_id,
        recorded_from=to_iso(conflict.recorded_from),
        recorded_to=to_iso_or_none(conflict.recorded_to),
    )


def view_change(change: MemoryChange) -> Replacement:
    return Replacement(
        status=change.status,
        at=to_iso(change.at),
        by=change.by,
        reason=change.reason,
        replaced_by=change.replaced_by,
        content=change.content,
    )
