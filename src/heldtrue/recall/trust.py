"""Stage: warnings about each result, and which of two contradicting results comes first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

from heldtrue.domain.claim import Statement
from heldtrue.domain.memory import UNCERTAIN_BELOW, MemoryVersion
from heldtrue.domain.records import Conflict, ConflictKind, Evidence, Link, Source
from heldtrue.domain.scope import precedence
from heldtrue.domain.times import to_iso
from heldtrue.language.terms import STOP_STEMS
from heldtrue.ports import ReadTransaction
from heldtrue.recall.answer import Trust, TrustTag
from heldtrue.recall.documents import AssessedDocument, DocumentTexts, FoldedDocument, terms_of
from heldtrue.recall.ports import RecallReadTransaction
from heldtrue.recall.search import Search
from heldtrue.recall.visibility import SourcedEvidence, visible_conflicts, visible_evidence, visible_links

T = TypeVar("T")
RAW_EVIDENCE = TrustTag(Trust.UNCONFIRMED, "unreviewed source text")
"""The warning for every passage."""


def assess_trust(
    reading: RecallReadTransaction, search: Search, folded: Sequence[FoldedDocument], texts: DocumentTexts
) -> list[AssessedDocument]:
    """Each document with its evidence and its trust tags; of two that contradict, the stronger comes first."""
    versions = [texts.memories[candidate.document.no] for candidate in folded if candidate.document.is_memory]
    evidence = _read_evidence(reading, search, versions)
    conflicts = _read_conflicts(reading, search, versions)
    overridden = find_overridden(versions, _read_links(reading, search, versions)) if len(versions) > 1 else {}
    assessed = []
    for candidate in put_in_order(folded, lambda candidate: texts.id_of(candidate.document), conflicts, overridden):
        alike = tuple(texts.id_of(document) for document in candidate.alike)
        if not candidate.document.is_memory:
            assessed.append(AssessedDocument(candidate.document, alike, (RAW_EVIDENCE,)))
            continue
        memory = texts.memories[candidate.document.no]
        own = evidence.get(memory.memory_id, ())
        tags = tag_memory(memory, own, conflicts, now=search.now)
        if memory.memory_id in overridden:
            winner, why = overridden[memory.memory_id]
            tags.append(TrustTag(Trust.OVERRIDDEN, why, winner))
        assessed.append(AssessedDocument(candidate.document, alike, tuple(tags), tuple(own)))
    return assessed


def _read_evidence(
    reading: RecallReadTransaction, search: Search, versions: Sequence[MemoryVersion]
) -> dict[str, list[SourcedEvidence]]:
    """What each of some memories rests on, as far as the caller may see it."""
    grouped: dict[str, list[SourcedEvidence]] = {}
    if versions:
        seq = search.chosen.seq
        rows = reading.records.evidence_of([version.memory_id for version in versions], seq)
        for evidence, source in visible_evidence(reading, search.principal, rows, seq):
            grouped.setdefault(evidence.memory_id, []).append((evidence, source))
    return grouped


def _read_conflicts(reading: ReadTransaction, search: Search, versions: Sequence[MemoryVersion]) -> list[Conflict]:
    """The conflicts of some memories that were open, now or as of a sequence, and that the caller may see."""
    if not versions or not search.state.has_conflicts:
        return []
    seq = search.chosen.seq
    conflicts = reading.records.conflicts_of([version.memory_id for version in versions], seq)
    visible = visible_conflicts(reading, search.principal, conflicts)
    return [row for row in visible if row.seq_to is None or (seq is not None and row.seq_to > seq)]


def _read_links(reading: ReadTransaction, search: Search, versions: Sequence[MemoryVersion]) -> list[Link]:
    if not search.state.has_links:
        return []
    links = reading.records.links_of([version.memory_id for version in versions], search.chosen.seq)
    return visible_links(reading, search.principal, links)


def put_in_order(
    results: Sequence[T],
    id_of: Callable[[T], str],
    conflicts: Sequence[Conflict],
    overridden: Mapping[str, object],
) -> list[T]:
    """The stronger of two contradicting results comes first, whatever their scores; overridden ones come last."""
    ordered = list(results)
    for conflict in conflicts:
        if conflict.kind == ConflictKind.POSSIBLE:
            continue
        stronger = conflict.old_id if conflict.weaker_id == conflict.new_id else conflict.new_id
        positions = {id_of(result): position for position, result in enumerate(ordered)}
        weak, strong = positions.get(conflict.weaker_id), positions.get(stronger)
        if weak is not None and strong is not None and weak < strong:
            ordered.insert(weak, ordered.pop(strong))
    return sorted(ordered, key=lambda result: id_of(result) in overridden)


def tag_memory(
    memory: MemoryVersion, evidence: Sequence[tuple[Evidence, Source]], conflicts: Sequence[Conflict], *, now: int
) -> list[TrustTag]:
    """The tags that follow from a memory and its own evidence."""
    tags = []
    for conflict in conflicts:
        other = conflict.new_id if conflict.old_id == memory.memory_id else conflict.old_id
        if other != memory.memory_id and memory.memory_id in (conflict.old_id, conflict.new_id):
            tags.append(TrustTag(Trust.CONFLICTING, conflict.finding, other))
    if memory.verified_by is None and len({row.author for row, _ in evidence}) < 2:
        tags.append(TrustTag(Trust.UNCONFIRMED, "it has one source, and no person has verified it"))
    if memory.confidence < UNCERTAIN_BELOW:
        tags.append(TrustTag(Trust.UNCERTAIN, f"confidence {memory.confidence:.2f}"))
    if memory.valid_from is not None and memory.valid_from > now:
        tags.append(TrustTag(Trust.UPCOMING, f"valid from {to_iso(memory.valid_from)[:10]}"))
    if memory.is_stale(now):
        tags.append(TrustTag(Trust.STALE, f"older than its staleness allows ({memory.staleness})"))
    return tags


def find_overridden(memories: Sequence[MemoryVersion], links: Sequence[Link]) -> dict[str, tuple[str, str]]:
    """Which of the contradicting results of several scopes is overridden, by which one and why.

    An explicit `overrides` link decides; otherwise the precedence of the scopes does.
    """
    overridden: dict[str, tuple[str, str]] = {}
    present = {memory.memory_id for memory in memories}
    for link in links:
        if link.relationship == "overrides" and link.from_id in present and link.to_ref in present:
            overridden[link.to_ref] = (link.from_id, link.reason or "a link marks it as overridden")
    if len({memory.scope for memory in memories}) > 1:
        _add_precedence(memories, overridden)
    return overridden


_SHARED, _DIFFERING = 0.5, 3
"""Share of the shorter text's words that two must have in common before they are taken apart and compared, and how many
of them the other may lack: what contradicts another differs from it in little, and taking apart takes long. Of the 287
contrary pairs of our own material none differs in more."""


def _add_precedence(memories: Sequence[MemoryVersion], overridden: dict[str, tuple[str, str]]) -> None:
    words = [_telling_terms(memory.content) for memory in memories]
    ranks = [precedence(memory.scope) for memory in memories]
    for first, memory in enumerate(memories):
        for second, other in enumerate(memories[first + 1 :], start=first + 1):
            if ranks[first] == ranks[second]:
                continue
            louder, quieter = (memory, other) if ranks[first] > ranks[second] else (other, memory)
            if quieter.memory_id in overridden or louder.memory_id in overridden:
                continue
            if quieter.verified_by is not None and louder.verified_by is None:
                continue  # an agent could else put a person's word last by writing to a narrower scope
            common, shorter = len(words[first] & words[second]), min(len(words[first]), len(words[second]))
            is_close = common >= max(_SHARED * shorter, shorter - _DIFFERING)
            if is_close and _disagree(memory.content, other.content):
                why = f"{louder.scope} takes precedence over {quieter.scope}"
                overridden[quieter.memory_id] = (louder.memory_id, why)


def _telling_terms(text: str) -> frozenset[str]:
    """The terms of a text without those that say nothing; all of them where it has no others."""
    terms = terms_of(text)
    return terms - STOP_STEMS or terms


@lru_cache(maxsize=4096)
def _disagree(text: str, other: str) -> bool:
    # Only a result set that spans scopes pays for taking its texts apart.
    from heldtrue.language.compare import compare_statements

    return compare_statements(_read(text), _read(other)).relation == "contrary"


@lru_cache(maxsize=4096)
def _read(text: str) -> Statement:
    from heldtrue.language.statements import analyse_statement

    return analyse_statement(text)
