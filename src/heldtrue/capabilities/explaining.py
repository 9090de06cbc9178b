"""Explain a memory: its provenance, from its current state back to its author and evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from heldtrue.capabilities.arguments import AsOf, MemoryRef, ValidAt
from heldtrue.capabilities.call import Call, StateAt
from heldtrue.capabilities.declaration import EverydayCommand, EverydayTool, Group, Route
from heldtrue.capabilities.parameters import Request
from heldtrue.capabilities.reading import ActivityView, entries_about, may_see_refusal, note_read, view_entry
from heldtrue.capabilities.registry import capability
from heldtrue.capabilities.shapes import Grain, ScopeName, When
from heldtrue.capabilities.views import (
    ConflictView,
    LinkView,
    MemoryView,
    SourceView,
    view_conflict,
    view_evidence,
    view_link,
    view_memory,
)
from heldtrue.domain.action import Effect
from heldtrue.domain.cause import ErasureCause
from heldtrue.domain.limits import EXPLAIN_DEPTH_MAX
from heldtrue.domain.memory import MemoryVersion, Status
from heldtrue.domain.plural import count
from heldtrue.domain.records import Link
from heldtrue.domain.times import to_iso
from heldtrue.ingest.ports import IngestReadTransaction
from heldtrue.ports import ReadTransaction
from heldtrue.recall.visibility import visible_conflicts, visible_evidence, visible_links


class Provenance(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename={
        "generated_by": "prov:wasGeneratedBy",
        "attributed_to": "prov:wasAttributedTo",
        "generated_at": "prov:generatedAtTime",
        "invalidated_by": "prov:wasInvalidatedBy",
        "derived_from": "prov:wasDerivedFrom",
    },
):
    """The provenance in PROV-O terms."""

    generated_by: str
    attributed_to: str
    generated_at: When
    invalidated_by: str | None
    derived_from: list[str]


class RejectedValue(msgspec.Struct, frozen=True, kw_only=True):
    """A rejected claim. If the rejection was lifted, also when, by whom and why."""

    grain: Grain
    scope: ScopeName
    reason: str
    by: str
    at: When
    lifted_at: When | None
    lifted_by: str | None
    lift_reason: str | None


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """The author, time, evidence and changes of a memory, what it replaced and what replaced it."""

    memory: MemoryView
    story: str
    provenance: Provenance
    evidence: list[SourceView]
    activities: list[ActivityView]
    replaces: list[Explanation]
    replaced_by: list[Explanation]
    derived_from: list[Explanation]
    links: list[LinkView]
    conflicts: list[ConflictView]
    rejected: list[RejectedValue]
    refused: list[ActivityView]
    """The writes that were refused because this claim is rejected. An agent sees only its own."""


class ExplainRequest(Request):
    memory: MemoryRef
    depth: Annotated[
        int,
        Meta(
            ge=1,
            le=EXPLAIN_DEPTH_MAX,
            description="How many steps to go back through the memories that this one replaced or was derived from.",
        ),
    ] = 3
    as_of: AsOf = None
    valid_at: ValidAt = None


@capability(
    "memory.explain",
    Effect.READ,
    group=Group.LOOK_UP,
    everyday=EverydayCommand(9, "Show where a memory comes from and what happened to it"),
    positional=("memory",),
    routes=(Route("GET", "/v1/memories/{id}/explain", renamed={"id": "memory"}),),
    tool=EverydayTool(
        "Show why a memory is or is not active: its author, time, source and what it replaced.",
        {"memory": "The memory's id", "depth": "", "as_of": ""},
        rank=7,
    ),
)
def explain(call: Call, request: ExplainRequest) -> Explanation:
    """Explain why a memory is or is not active, with its full provenance."""
    with call.instance.store.read() as reading:
        found, state = call.find_then(reading, request.memory, request.as_of, request.valid_at)
        note_read(call, "explain", found)
        return _explain(call, reading, found, state, request.depth, {found.memory_id})


def _explain(
    call: Call, reading: IngestReadTransaction, memory: MemoryVersion, state: StateAt, depth: int, seen: set[str]
) -> Explanation:
    seq = state.seq
    ids = [memory.memory_id]
    links = visible_links(reading, call.principal, reading.records.links_of(ids, seq))
    conflicts = visible_conflicts(reading, call.principal, reading.records.conflicts_of(ids, seq))
    versions = reading.memories.versions(memory.memory_id, seq)

    def follow(refs: list[str]) -> list[Explanation]:
        steps = []
        for ref in refs:
            other = reading.memories.version(ref, seq) if depth > 1 and ref not in seen else None
            if other is not None and call.may_read(other):
                seen.add(ref)
                steps.append(_explain(call, reading, other, state, depth - 1, seen))
        return steps

    replaces, derived = (_ends_of(links, word, memory.memory_id) for word in ("supersedes", "derived_from"))
    replaced_by = [
        link.from_id for link in links if link.relationship == "supersedes" and link.to_ref == memory.memory_id
    ]
    evidence = reading.records.evidence_of(ids, seq)
    if not call.principal.is_person:
        # A person who audits also sees rejected and quarantined evidence.
        evidence = visible_evidence(reading, call.principal, evidence, seq)
    return Explanation(
        memory=view_memory(memory, reading.ledger.space(), state.moment),
        story=_tell_story(memory, versions[0], len({source.id for _, source in evidence}), len(replaced_by)),
        provenance=_provenance(reading, memory, versions[0], replaces + derived),
        evidence=view_evidence(evidence),
        activities=entries_about(reading, versions),
        replaces=follow(replaces),
        replaced_by=follow(replaced_by),
        derived_from=follow(derived),
        links=[view_link(link) for link in links],
        conflicts=[view_conflict(conflict) for conflict in conflicts],
        rejected=_rejected(reading, memory, seq),
        refused=_refused(call, reading, memory, seq),
    )


def _refused(call: Call, reading: ReadTransaction, memory: MemoryVersion, seq: int | None) -> list[ActivityView]:
    entries = reading.ledger.refusals_about(memory.memory_id, seq)
    return [view_entry(reading.ledger.space(), entry) for entry in entries if may_see_refusal(call, entry)]


def _ends_of(links: Sequence[Link], relationship: str, memory_id: str) -> list[str]:
    """The targets of a memory's links with one relationship."""
    return [link.to_ref for link in links if (link.relationship, link.from_id) == (relationship, memory_id)]


def _tell_story(memory: MemoryVersion, first: MemoryVersion, sources: int, successors: int) -> str:
    """The provenance in a sentence or two."""
    pieces = count(sources, "piece of evidence", "pieces of evidence")
    story = f"{first.author} stated this on {to_iso(first.recorded_from)[:16].replace('T', ' ')} UTC, with {pieces}."
    if memory.verified_by:
        story += f" {memory.verified_by} verified it."
    if memory.status == Status.ACTIVE:
        return f"{story} It is active, with confidence {memory.confidence:.2f}."
    when = to_iso(memory.recorded_from)[:16].replace("T", " ")
    if memory.cause == ErasureCause.ERASED:
        end = f" {memory.changed_by} erased it on {when} UTC."
    else:
        end = f" {memory.changed_by} marked it {memory.status} on {when} UTC: {memory.reason}."
    return story + end + (" Another memory replaced it." if successors else "")


def _provenance(
    reading: ReadTransaction, memory: MemoryVersion, first: MemoryVersion, derived: list[str]
) -> Provenance:
    space = reading.ledger.space()
    ended = memory.status not in (Status.ACTIVE, Status.INBOX)
    return Provenance(
        generated_by=f"{space.base_iri}activity/{first.seq}",
        attributed_to=first.author,
        generated_at=to_iso(first.recorded_from),
        invalidated_by=f"{space.base_iri}activity/{memory.seq}" if ended else None,
        derived_from=[space.iri(ref) for ref in derived],
    )


def _rejected(reading: ReadTransaction, memory: MemoryVersion, seq: int | None) -> list[RejectedValue]:
    found = []
    for stone in reading.records.tombstones_of(memory.memory_id, seq):
        lifted = stone.seq_to is not None and (seq is None or stone.seq_to <= seq)
        found.append(
            RejectedValue(
                grain=stone.grain,
                scope=stone.scope,
                reason=stone.reason,
                by=stone.author,
                at=to_iso(stone.recorded_from),
                lifted_at=to_iso(stone.recorded_to) if lifted and stone.recorded_to else None,
                lifted_by=stone.closed_by if lifted else None,
                lift_reason=stone.close_reason if lifted else None,
            )
        )
    return found
