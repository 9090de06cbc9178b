"""The trust pass: what a reader must know before acting on a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

import msgspec

from heldtrue.domain.claim import Statement
from heldtrue.domain.memory import UNCERTAIN_BELOW, MemoryVersion
from heldtrue.domain.records import Conflict, Evidence, Link, Source
from heldtrue.domain.scope import precedence
from heldtrue.domain.times import to_iso
from heldtrue.language.terms import STOP_STEMS
from heldtrue.recall.fold import held_terms

T = TypeVar("T")


class TrustTag(msgspec.Struct, frozen=True):
    """One thing to know about a result, and the memory it concerns."""

    tag: str
    """`conflicting`, `unconfirmed`, `uncertain`, `upcoming`, `stale` or `overridden`."""
    detail: str
    memory_id: str | None = None


RAW_EVIDENCE = TrustTag("unconfirmed", "raw evidence, which nobody has weighed")
"""What is to know of every passage."""


def put_in_order(
    results: Sequence[T],
    id_of: Callable[[T], str],
    conflicts: Sequence[Conflict],
    overridden: Mapping[str, object],
) -> list[T]:
    """The louder of two that disagree comes first, whatever their scores; what is overridden comes last."""
    ordered = list(results)
    for conflict in conflicts:
        stronger = conflict.old_id if conflict.weaker_id == conflict.new_id else conflict.new_id
        places = {id_of(result): place for place, result in enumerate(ordered)}
        weak, strong = places.get(conflict.weaker_id), places.get(stronger)
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
            tags.append(TrustTag("conflicting", conflict.finding, other))
    if memory.verified_by is None and len({one.author for one, _ in evidence}) < 2:
        tags.append(TrustTag("unconfirmed", "one source, and no person stands behind it"))
    if memory.confidence < UNCERTAIN_BELOW:
        tags.append(TrustTag("uncertain", f"confidence {memory.confidence:.2f}"))
    if memory.valid_from is not None and memory.valid_from > now:
        tags.append(TrustTag("upcoming", f"it holds from {to_iso(memory.valid_from)[:10]}"))
    if memory.is_stale(now):
        tags.append(TrustTag("stale", f"past its {memory.staleness} term"))
    return tags


def find_overridden(memories: Sequence[MemoryVersion], links: Sequence[Link]) -> dict[str, tuple[str, str]]:
    """Among results of several scopes that contradict each other, who is overridden, by whom and why.

    An explicit `overrides` link decides; else team speaks over project over global, and narrower scopes over all.
    """
    overridden: dict[str, tuple[str, str]] = {}
    present = {memory.memory_id for memory in memories}
    for link in links:
        if link.relationship == "overrides" and link.from_id in present and link.to_ref in present:
            overridden[link.to_ref] = (link.from_id, link.reason or "an explicit override")
    if len({memory.scope for memory in memories}) > 1:
        _add_precedence(memories, overridden)
    return overridden


_SHARED, _DIFFERING = 0.5, 3
"""Share of the shorter text's words that two must have in common before they are taken apart and compared, and how many
of them the other may lack: what contradicts another differs from it in little, and taking apart takes long. Of the 287
contrary pairs of our own material none differs in more."""


def _add_precedence(memories: Sequence[MemoryVersion], overridden: dict[str, tuple[str, str]]) -> None:
    words = [_telling_terms(memory.content) for memory in memories]
    loudness = [precedence(memory.scope) for memory in memories]
    for place, one in enumerate(memories):
        for further, other in enumerate(memories[place + 1 :], start=place + 1):
            if loudness[place] == loudness[further]:
                continue
            louder, quieter = (one, other) if loudness[place] > loudness[further] else (other, one)
            if quieter.memory_id in overridden or louder.memory_id in overridden:
                continue
            common, shorter = len(words[place] & words[further]), min(len(words[place]), len(words[further]))
            is_close = common >= max(_SHARED * shorter, shorter - _DIFFERING)
            if is_close and _disagree(one.content, other.content):
                why = f"{louder.scope} speaks over {quieter.scope}"
                overridden[quieter.memory_id] = (louder.memory_id, why)


def _telling_terms(text: str) -> frozenset[str]:
    """The terms of a text without those that say nothing; all of them where it has no others."""
    held = held_terms(text)
    return held - STOP_STEMS or held


@lru_cache(maxsize=4096)
def _disagree(one: str, other: str) -> bool:
    # Only a result set that spans scopes pays for taking its texts apart.
    from heldtrue.language.compare import compare_statements

    return compare_statements(_read(one), _read(other)).relation == "contrary"


@lru_cache(maxsize=4096)
def _read(text: str) -> Statement:
    from heldtrue.language.statements import analyse_statement

    return analyse_statement(text)
