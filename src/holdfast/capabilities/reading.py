"""Looking things up: recall, get, list, history, explain, diff."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from holdfast.capabilities.arguments import AsOf, Cursor, ListLimit, MemoryRef, ResultLimit, Scopes, Topic, ValidAt
from holdfast.capabilities.call import Call, parse_number
from holdfast.capabilities.registry import Effect, capability
from holdfast.capabilities.views import (
    ConflictView,
    LinkView,
    MemoryView,
    SourceView,
    view_conflict,
    view_evidence,
    view_link,
    view_memory,
)
from holdfast.domain import limits
from holdfast.domain.errors import InvalidInput, TooLarge
from holdfast.domain.ids import new_id
from holdfast.domain.ledger import LedgerEntry
from holdfast.domain.memory import Kind, MemoryVersion, Status
from holdfast.domain.times import parse_span, to_iso
from holdfast.ports import Reading
from holdfast.recall.pipeline import Found, Question, recall_memories
from holdfast.recall.trust import TrustTag


class Replacement(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a memory after the moment that was asked about."""

    status: str
    """What it is now."""
    at: str
    by: str
    reason: str | None
    replaced_by: str | None
    content: str | None
    """What the memory that took its place says."""


class RecallResult(msgspec.Struct, frozen=True, kw_only=True):
    """One memory, its score in parts, its evidence, and why it was chosen."""

    memory: MemoryView
    score: float
    breakdown: dict[str, float]
    matched_scope: str
    evidence: list[SourceView]
    trust: list[TrustTag]
    explanation: str
    since: Replacement | None = None
    """With `as_of`: what has become of it since, if anything."""


class RecallAnswer(msgspec.Struct, frozen=True, kw_only=True):
    recall_id: str
    as_of: str | None
    results: list[RecallResult]


class GetAnswer(msgspec.Struct, frozen=True, kw_only=True):
    memory: MemoryView
    evidence: list[SourceView]
    links: list[LinkView]
    conflicts: list[ConflictView]
    since: Replacement | None = None


class ListAnswer(msgspec.Struct, frozen=True, kw_only=True):
    memories: list[MemoryView]
    next_cursor: str | None


class HistoryAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Every version of a memory, oldest first, and the ledger entries about it."""

    memory: str
    versions: list[MemoryView]
    entries: list[ActivityView]


class ActivityView(msgspec.Struct, frozen=True, kw_only=True):
    """One ledger entry: who did what to which memory, when, through what, and why."""

    seq: int
    activity: str
    action: str
    outcome: str
    target: str | None
    actor: str
    channel: str
    at: str
    reason: str | None
    detail: dict[str, Any]


class DiffAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What changed, by kind of change."""

    since: str
    until: str
    added: list[MemoryView]
    corrected: list[ActivityView]
    retracted: list[ActivityView]
    linked: list[ActivityView]
    other: list[ActivityView]


@capability("memory.recall", Effect.READ)
def recall(
    call: Call,
    context: Annotated[str, Meta(description="What you want to know, in plain words.")],
    *,
    topic: Topic = None,
    min_confidence: Annotated[float, Meta(ge=0, le=1, description="Leave out what is less certain than this.")] = 0.0,
    max_age: Annotated[
        str | None, Meta(description="Leave out what was observed longer ago: 7d, 36h, 2 weeks.")
    ] = None,
    limit: ResultLimit = limits.RESULTS_DEFAULT,
    scopes: Scopes = None,
    kinds: Annotated[list[Kind] | None, Meta(description="Only these kinds.")] = None,
    near: Annotated[
        list[str] | None, Meta(description="Memories you ask from; what is linked to them ranks higher.")
    ] = None,
    as_of: AsOf = None,
    valid_at: ValidAt = None,
) -> RecallAnswer:
    """Find the memories that matter for a question, best first, each with its score, evidence and reason.

    Only active memories are recalled: nothing that waits, was rejected, retracted or replaced. Ask `as_of` a moment
    to get what was believed then, and what has become of it since.
    """
    if len(context) > limits.QUERY_CHARS_MAX:
        raise TooLarge(
            f"context is longer than {limits.QUERY_CHARS_MAX:,} characters", field="context", hint="ask in fewer words"
        )
    if not context.strip():
        raise InvalidInput("context is empty", field="context", hint="say what you want to know")
    now, settings = call.now, call.instance.settings
    with call.instance.store.read() as reading:
        seq = call.as_of_seq(reading, as_of)
        moment = _moment_of(reading, seq, now)
        valid = call.moment(valid_at, "valid_at")
        chosen = call.filter(
            scopes,
            statuses=(Status.ACTIVE.value,),
            kinds=tuple(kind.value for kind in kinds or ()),
            min_confidence=min_confidence or None,
            seq=seq,
            valid_at=valid,
            observed_after=max(0, moment - parse_span(max_age, field="max_age")) if max_age else None,
            not_ended_by=moment if valid is None else None,
        )
        question = Question(
            words=_plain_words(context),
            chosen=chosen,
            topic=topic,
            limit=limit,
            now=moment,
            weights=settings.recall_weights,
            near=_places(call, reading, near or ()),
            visible_conflicts=lambda conflicts: call.visible_conflicts(reading, conflicts),
            visible_links=lambda links: call.visible_links(reading, links),
            half_life_days=settings.half_life_days,
        )
        results = [_view_result(call, reading, one, seq, now) for one in recall_memories(reading, question)]
    return RecallAnswer(recall_id=new_id(now), as_of=None if seq is None else f"#{seq}", results=results)


def _places(call: Call, reading: Reading, refs: Sequence[str]) -> tuple[str, ...]:
    """The memories a question is asked from, each of which the caller must be able to see."""
    return tuple(call.find(reading, ref, field="near").memory_id for ref in refs)


def _plain_words(context: str) -> str:
    """A question as it is matched; one of plain letters is clean already, and the tables need not be loaded for it."""
    if context.isascii() and context.isprintable():
        return context
    from holdfast.language.normalise import clean_text

    return clean_text(context)


def _moment_of(reading: Reading, seq: int | None, now: int) -> int:
    """The moment a question is asked from: now, or when the entry was recorded."""
    entry = reading.ledger_entry(seq) if seq else None
    return entry.recorded_at if entry else now


def _view_result(call: Call, reading: Reading, found: Found, seq: int | None, now: int) -> RecallResult:
    return RecallResult(
        memory=view_memory(found.memory, reading.space(), now),
        score=found.score,
        breakdown=found.breakdown,
        matched_scope=found.memory.scope,
        evidence=view_evidence(found.evidence),
        trust=list(found.trust),
        explanation=found.explanation,
        since=_what_became(call, reading, found.memory) if seq is not None else None,
    )


def _what_became(call: Call, reading: Reading, then: MemoryVersion) -> Replacement | None:
    """What a memory is now, if that is no longer what it was."""
    current = reading.version(then.memory_id)
    if current is None or current.version == then.version:
        return None
    replaced_by, content = None, None
    if current.status != Status.ACTIVE:
        for link in reading.links_of([then.memory_id]):
            if link.relationship == "supersedes" and link.to_ref == then.memory_id:
                successor = reading.version(link.from_id)
                if successor is not None and call.may_read(successor):
                    replaced_by, content = successor.memory_id, successor.content
    return Replacement(
        status=current.status,
        at=to_iso(current.recorded_from),
        by=current.changed_by,
        reason=current.reason,
        replaced_by=replaced_by,
        content=content if content is not None else _if_changed(current, then),
    )


def _if_changed(current: MemoryVersion, then: MemoryVersion) -> str | None:
    return current.content if current.content != then.content else None


@capability("memory.get", Effect.READ)
def get(call: Call, memory: MemoryRef, *, as_of: AsOf = None, valid_at: ValidAt = None) -> GetAnswer:
    """One memory with its evidence, links and conflicts; with `as_of`, as it was believed then."""
    with call.instance.store.read() as reading:
        found, seq = call.find_then(reading, memory, as_of, valid_at)
        ids = [found.memory_id]
        return GetAnswer(
            memory=view_memory(found, reading.space(), call.now),
            evidence=view_evidence(reading.evidence_of(ids, seq)),
            links=[view_link(link) for link in call.visible_links(reading, reading.links_of(ids, seq))],
            conflicts=[view_conflict(one) for one in call.visible_conflicts(reading, reading.conflicts_of(ids, seq))],
            since=_what_became(call, reading, found) if seq is not None else None,
        )


@capability("memory.list", Effect.READ)
def list_memories(
    call: Call,
    *,
    scopes: Scopes = None,
    statuses: Annotated[list[Status] | None, Meta(description="Only these statuses; left out, active ones.")] = None,
    kinds: Annotated[list[Kind] | None, Meta(description="Only these kinds.")] = None,
    topic: Topic = None,
    project: Annotated[str | None, Meta(description="Only memories of this project.")] = None,
    repo: Annotated[str | None, Meta(description="Only memories of this repo.")] = None,
    agent: Annotated[str | None, Meta(description="Only what this agent or person said, such as agent:codex.")] = None,
    limit: ListLimit = limits.LIST_DEFAULT,
    cursor: Cursor = None,
    as_of: AsOf = None,
    valid_at: ValidAt = None,
) -> ListAnswer:
    """Memories by their properties, newest first, page by page."""
    with call.instance.store.read() as reading:
        chosen = call.filter(
            scopes,
            statuses=tuple(status.value for status in statuses or (Status.ACTIVE,)),
            kinds=tuple(kind.value for kind in kinds or ()),
            topic=topic,
            project_id=project,
            repo_id=repo,
            author=agent if agent is None or ":" in agent else f"agent:{agent}",
            seq=call.as_of_seq(reading, as_of),
            valid_at=call.moment(valid_at, "valid_at"),
        )
        return list_page(call, reading, chosen, limit, cursor)


def list_page(call: Call, reading: Reading, chosen: Any, limit: int, cursor: str | None) -> ListAnswer:
    """One page of what a filter chooses."""
    versions = reading.list_versions(chosen, before=read_cursor(cursor), limit=limit + 1)
    page = versions[:limit]
    return ListAnswer(
        memories=[view_memory(version, reading.space(), call.now) for version in page],
        next_cursor=str(page[-1].no) if len(versions) > limit else None,
    )


def read_cursor(cursor: str | None) -> int | None:
    """Where the page before ended."""
    if cursor is None:
        return None
    return parse_number(cursor, cursor, field="cursor", hint="use the next_cursor of the page before")


@capability("memory.history", Effect.READ)
def history(call: Call, memory: MemoryRef, *, as_of: AsOf = None) -> HistoryAnswer:
    """Every version of a memory and every act upon it: what was believed, when, by whom, and why it changed."""
    with call.instance.store.read() as reading:
        seq = call.as_of_seq(reading, as_of)
        found = call.find(reading, memory, seq=seq)
        versions = reading.versions(found.memory_id, seq)
        return HistoryAnswer(
            memory=found.memory_id,
            versions=[view_memory(version, reading.space(), call.now) for version in versions],
            entries=entries_about(reading, versions),
        )


def entries_about(reading: Reading, versions: Sequence[MemoryVersion]) -> list[ActivityView]:
    """The ledger entries that made the versions of a memory."""
    entries = (reading.ledger_entry(seq) for seq in dict.fromkeys(version.seq for version in versions))
    return [view_entry(reading, entry) for entry in entries if entry is not None]


def view_entry(reading: Reading, entry: LedgerEntry) -> ActivityView:
    return ActivityView(
        seq=entry.seq,
        activity=f"{reading.space().base_iri}activity/{entry.seq}",
        action=entry.action,
        outcome=entry.outcome,
        target=entry.target,
        actor=entry.actor,
        channel=entry.channel,
        at=to_iso(entry.recorded_at),
        reason=entry.reason,
        detail=msgspec.json.decode(entry.detail),
    )


_CHANGES = {
    "memory.learn": "added",
    "memory.learn_many": "added",
    "memory.correct": "corrected",
    "memory.resolve": "corrected",
    "memory.forget": "retracted",
    "memory.reject": "retracted",
    "memory.link": "linked",
    "memory.unlink": "linked",
}


@capability("memory.diff", Effect.READ)
def diff(
    call: Call,
    since: Annotated[str, Meta(description="From when: 2026-05-17, '3 days ago', or a ledger entry such as #120.")],
    *,
    until: Annotated[str | None, Meta(description="Up to when; left out, now.")] = None,
    topic: Topic = None,
    include_corrections: Annotated[
        bool, Meta(description="Whether corrections and retractions are listed too.")
    ] = True,
    scopes: Scopes = None,
    valid_at: ValidAt = None,
    limit: ListLimit = limits.LIST_MAX,
) -> DiffAnswer:
    """What was added, corrected, retracted and linked since a moment, in the order it happened.

    At most `limit` ledger entries are looked at; `until` in the answer says how far that reached, and the next page
    starts there.
    """
    with call.instance.store.read() as reading:
        after = call.as_of_seq(reading, since, field="since") or 0
        last = call.as_of_seq(reading, until, field="until")
        last = reading.head().seq if last is None else last
        visible, held_at = call.visible_scopes(scopes), call.moment(valid_at, "valid_at")
        found: dict[str, list[Any]] = {"added": [], "corrected": [], "retracted": [], "linked": [], "other": []}
        entries = reading.ledger_range(after=after, until=last, limit=limit)
        if len(entries) == limit:
            last = entries[-1].seq
        for entry in entries:
            memory = _entry_memory(call, reading, entry, last)
            if memory is None or not _is_asked_for(memory, visible, topic, held_at):
                continue
            change = _CHANGES.get(entry.action, "other") if entry.outcome != "refused" else "other"
            if change == "added" and entry.outcome in ("created", "held", "superseded"):
                found["added"].append(view_memory(memory, reading.space(), call.now))
            elif include_corrections or change not in ("corrected", "retracted"):
                found["other" if change == "added" else change].append(view_entry(reading, entry))
        return DiffAnswer(since=f"#{after}", until=f"#{last}", **found)


def _is_asked_for(memory: MemoryVersion, visible: Sequence[str] | None, topic: str | None, held_at: int | None) -> bool:
    in_scope = visible is None or memory.scope in visible
    on_topic = topic is None or memory.topic == topic
    return in_scope and on_topic and (held_at is None or memory.holds_at(held_at))


def _entry_memory(call: Call, reading: Reading, entry: LedgerEntry, last: int) -> MemoryVersion | None:
    """The memory an entry is about, as of the end of the range, if the caller may see it."""
    if entry.target is None or (entry.outcome == "refused" and call.reader not in (None, entry.actor)):
        return None
    target = entry.target
    conflict = reading.conflict(target) if entry.action == "memory.resolve" else None
    memory = reading.version(conflict.new_id if conflict else target, last)
    if memory is None or not call.may_read(memory) or not _may_see_link(call, reading, entry, target):
        return None
    return memory


def _may_see_link(call: Call, reading: Reading, entry: LedgerEntry, target: str) -> bool:
    """Whether an entry is not about a link to something that is hidden from the caller."""
    if call.reader is None or entry.action not in ("memory.link", "memory.unlink"):
        return True
    as_of = entry.seq if entry.action == "memory.link" else entry.seq - 1
    seen = call.visible_links(reading, reading.links_of([target], as_of))
    return msgspec.json.decode(entry.detail).get("link") in {link.id for link in seen}
