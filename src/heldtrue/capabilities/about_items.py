"""What is held about a subject, as surfaces and files show it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec

from heldtrue.capabilities.reading import ActivityView, view_entry
from heldtrue.capabilities.shapes import Id, SourceKindName, When, one_of
from heldtrue.capabilities.views import MemoryView, to_iso, to_iso_or_none, view_memory
from heldtrue.domain.carried import KeptAnswer
from heldtrue.domain.ids import is_id
from heldtrue.domain.job import Job, SummaryRow
from heldtrue.domain.ledger import LedgerEntry
from heldtrue.domain.records import (
    AgentRecord,
    Conflict,
    Evidence,
    Handed,
    Link,
    PrincipalRecord,
    Project,
    Quarantine,
    Repo,
    SavedView,
    Source,
    Space,
    Team,
    Tombstone,
)
from heldtrue.domain.rows import RecallRow
from heldtrue.language.excerpts import quote_mentions
from heldtrue.language.mentions import Mentions
from heldtrue.projections.subject_scan import (
    HeldMemory,
    HeldSection,
    MatchCause,
    Trace,
    memories_of,
    passage_of,
    sources_of,
    words_of,
)

SectionName = Annotated[str, one_of(HeldSection)]
MatchCauseName = Annotated[str, one_of(MatchCause)]


class HeldEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """A source of a memory, with the passage that the memory is based on."""

    source_id: Id
    kind: SourceKindName
    passage: str
    reference: str | None
    file: str | None
    line: int | None
    thread: str | None
    speaker: str | None
    author: str
    supports_version: int
    occurred_at: When | None
    recorded_at: When


class AboutItem(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is held about the subject."""

    section: SectionName
    id: Id | None
    """Its id. Null for a name, a ledger entry, a summary and a stored response, which have none."""
    cause: MatchCauseName
    """Why it is listed: its own `words`, its `evidence`, or the `memory` or `source` that it belongs to."""
    names: list[str]
    """The names that were found in it."""
    text: str
    """For a memory, its content. For anything else, the sentences that mention the subject, or its main text."""
    by: str | None
    """Who wrote it, asked it or did it."""
    at: When | None
    """When it was recorded."""
    memories: list[Id] = []
    """The memories that it refers to."""
    sources: list[Id] = []
    """The sources that it is based on or refers to."""
    details: dict[str, Any] = {}
    """Its other properties, which depend on the section."""
    versions: list[MemoryView] = []
    """All versions of a memory, oldest first."""
    history: list[ActivityView] = []
    """The ledger entries that created these versions."""
    evidence: list[HeldEvidence] = []


def make_item(space: Space, trace: Trace, mentions: Mentions, moment: int) -> AboutItem:
    """A row that was found as an item."""
    row = trace.row
    if isinstance(row, HeldMemory):
        return _memory_item(space, trace, row, mentions, moment)
    shown = _show(row, mentions)
    return AboutItem(
        section=trace.section,
        id=shown.id if shown.id and is_id(shown.id) else None,
        cause=trace.cause,
        names=list(trace.names),
        text=shown.text,
        by=shown.by,
        at=to_iso_or_none(shown.at),
        memories=[memory_id for memory_id in memories_of(row) if is_id(memory_id)],
        sources=list(sources_of(row)),
        details={name: value for name, value in shown.details.items() if value is not None},
    )


def _memory_item(space: Space, trace: Trace, held: HeldMemory, mentions: Mentions, moment: int) -> AboutItem:
    last = held.versions[-1]
    return AboutItem(
        section=trace.section,
        id=last.memory_id,
        cause=trace.cause,
        names=list(trace.names),
        text=last.content,
        by=last.author,
        at=to_iso(last.created_at),
        memories=[],
        sources=list(dict.fromkeys(source.id for _, source in held.evidence)),
        versions=[view_memory(version, space, moment) for version in held.versions],
        history=[view_entry(space, entry) for entry in held.entries],
        evidence=[_show_evidence(evidence, source, mentions) for evidence, source in held.evidence],
    )


def _show_evidence(evidence: Evidence, source: Source, mentions: Mentions) -> HeldEvidence:
    passage = passage_of(evidence, source)
    if evidence.span_start is None and source.thread is not None:
        passage = _quote([passage], mentions) or passage
    return HeldEvidence(
        source_id=source.id,
        kind=source.kind,
        passage=passage,
        reference=source.reference,
        file=evidence.file,
        line=evidence.line,
        thread=source.thread,
        speaker=source.speaker,
        author=source.author,
        supports_version=evidence.version,
        occurred_at=to_iso_or_none(source.occurred_at),
        recorded_at=to_iso(evidence.recorded_at),
    )


class _Shown(msgspec.Struct, frozen=True):
    id: str | None
    text: str
    by: str | None
    at: int | None
    details: dict[str, Any]


def _show(row: Any, mentions: Mentions) -> _Shown:
    """What is shown of any row but a memory."""
    match row:
        case Source():
            return _show_source(row, mentions)
        case Link() | Conflict() | Tombstone() | Quarantine() | Handed() | SavedView():
            return _show_record(row)
        case AgentRecord() | PrincipalRecord() | Project() | Repo() | Team():
            return _show_name(row)
        case _:
            return _show_event(row, mentions)


def _show_source(source: Source, mentions: Mentions) -> _Shown:
    is_said = mentions.in_text(source.speaker or "")
    text = source.content if is_said else _quote([source.content], mentions) or source.content
    names = ("kind", "reference", "title", "thread", "place", "speaker", "scope", "visibility")
    details = _pick(source, names) | {"occurred_at": to_iso_or_none(source.occurred_at)}
    return _Shown(source.id, text, source.author, source.recorded_at, details)


def _show_record(record: Link | Conflict | Tombstone | Quarantine | Handed | SavedView) -> _Shown:
    closed = {
        "ended_at": to_iso_or_none(record.recorded_to),
        "ended_by": record.closed_by,
        "ended_because": record.close_reason,
    }
    text, by, details = _say(record)
    return _Shown(record.id, text, by, record.recorded_from, details | closed)


def _say(
    record: Link | Conflict | Tombstone | Quarantine | Handed | SavedView,
) -> tuple[str, str | None, dict[str, Any]]:
    """What a record says, who said it, and its other properties."""
    match record:
        case Link():
            text = f"{record.relationship} {record.to_ref}"
            return text, record.author, _pick(record, ("from_id", "to_ref", "relationship", "scope", "reason"))
        case Conflict():
            names = ("kind", "scope", "old_id", "new_id", "weaker_id", "disposition", "merged_id")
            return record.finding, None, _pick(record, names)
        case Tombstone():
            # A claim is stored as subject, attribute, value and sign.
            text = " ".join(record.value.split("\x1f")[:3])
            return text, record.author, _pick(record, ("grain", "scope", "reason"))
        case Quarantine():
            return record.reason, record.author, _pick(record, ("scope",))
        case Handed():
            text = "\n".join(filter(None, (record.action, record.note)))
            details = _pick(record, ("receiver", "type")) | {"expires_at": to_iso(record.expires_at)}
            return text, record.sender, details
        case SavedView():
            arguments = msgspec.json.decode(record.arguments)
            details = _pick(record, ("name", "scope")) | {"arguments": arguments}
            return f"{record.name}: {arguments.get('context', '')}", record.author, details


def _show_name(record: AgentRecord | PrincipalRecord | Project | Repo | Team) -> _Shown:
    match record:
        case AgentRecord():
            lists = {name: msgspec.json.decode(getattr(record, name)) for name in ("projects", "repos", "teams")}
            details = _pick(record, ("kind", "role")) | lists | {"ended_at": to_iso_or_none(record.recorded_to)}
            return _Shown(record.id, f"agent {record.name}", None, record.recorded_from, details)
        case PrincipalRecord():
            return _Shown(record.id, f"{record.kind} {record.name}", None, record.recorded_at, {})
        case Repo():
            return _Shown(record.id, f"repo {record.id}", None, record.recorded_at, _pick(record, ("project_id",)))
        case Project() | Team():
            return _Shown(record.id, f"{type(record).__name__.lower()} {record.id}", None, record.recorded_at, {})


def _show_event(row: LedgerEntry | SummaryRow | RecallRow | Job | KeptAnswer, mentions: Mentions) -> _Shown:
    """What is shown of what was done, asked, summarised or answered: of long texts only the sentences that count."""
    match row:
        case LedgerEntry():
            text = _quote(words_of("ledger", row), mentions)
            names = ("action", "outcome", "target", "scope", "channel", "cause")
            details = {"entry": f"#{row.seq}"} | _pick(row, names)
            return _Shown(None, text, row.actor, row.recorded_at, details)
        case SummaryRow():
            text = _quote(words_of("summaries", row), mentions)
            details = _pick(row, ("scope", "category")) | {"ended_at": to_iso_or_none(row.replaced_at)}
            return _Shown(None, text, None, row.made_at, details)
        case RecallRow():
            text = row.question if mentions.in_text(row.question) else _quote(words_of("recalls", row), mentions)
            return _Shown(row.id, text, row.principal, row.recorded_at, _pick(row, ("verb", "channel")))
        case Job():
            text = _quote(words_of("jobs", row), mentions)
            details = _pick(row, ("name", "scope", "state", "trigger")) | {
                "finished_at": to_iso_or_none(row.finished_at)
            }
            return _Shown(row.id, text, row.asked_by, row.created_at, details)
        case KeptAnswer():
            text = _quote(words_of("idempotency", row), mentions)
            details = {"entry": f"#{row.seq}", "key": row.key}
            return _Shown(None, text, row.principal, row.recorded_at, details)


def _quote(texts: Sequence[str], mentions: Mentions) -> str:
    """Each sentence of some texts that mentions the subject, once."""
    return "\n".join(dict.fromkeys(quoted for text in texts for quoted in quote_mentions(text, mentions)))


def _pick(row: Any, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}
