"""The answers of recall as values: explained results, and notes about the search."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from heldtrue.domain.errors import ModelProblem
from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.principal import Principal
from heldtrue.domain.records import Evidence, Source, Space
from heldtrue.domain.rows import PassageText
from heldtrue.recall.query import RecallQuery


class Trust(StrEnum):
    """Warnings about a result that matter before acting on it."""

    CONFLICTING = "conflicting"
    UNCONFIRMED = "unconfirmed"
    UNCERTAIN = "uncertain"
    UPCOMING = "upcoming"
    STALE = "stale"
    OVERRIDDEN = "overridden"


class TrustTag(msgspec.Struct, frozen=True):
    """One warning about a result, and the memory it refers to."""

    tag: Trust
    detail: str
    memory_id: str | None = None


class NoteCode(StrEnum):
    """What a note is about. Programs read this; the text of a note is only for display."""

    STORE_CHANGED = "store_changed"
    """The ledger lacks entries that it had: the store was replaced or restored from an older copy."""
    MODEL_UNAVAILABLE = "model_unavailable"
    """A model that the settings ask for cannot be used."""
    INDEX_MISSING = "index_missing"
    INDEX_DAMAGED = "index_damaged"
    """Derived rows cannot be read; what depends on them was left out."""
    VECTORS_FAILED = "vectors_failed"
    VECTORS_MISSING = "vectors_missing"
    READ_AS = "read_as"
    """An unknown word was replaced by a similar known one."""
    RERANKER_FAILED = "reranker_failed"
    FROM_ELSEWHERE = "from_elsewhere"
    NOTHING_GOOD = "nothing_good"
    """No result is good enough."""
    SESSIONS_NOT_SEARCHED = "sessions_not_searched"
    OVER_BUDGET = "over_budget"
    """Some results, or all of them, do not fit into the number of tokens."""
    NOT_IN_BLOCK = "not_in_block"
    SHORTENED = "shortened"


class RecallNote(msgspec.Struct, frozen=True):
    """Something to know about a search besides its results."""

    code: NoteCode
    text: str


class MemoryChange(msgspec.Struct, frozen=True, kw_only=True):
    """How a memory has changed since the moment of the question."""

    status: str
    """What it is now."""
    at: int
    by: str
    reason: str | None
    replaced_by: str | None
    content: str | None
    """What the memory that took its place says, or what it says itself by now."""


def tell_failure(problem: ModelProblem, principal: Principal) -> str:
    """Why a model failed, and what to do: a person learns how to fix it, an agent whom to tell."""
    what = problem.message.rstrip(".")
    if not principal.is_person:
        return f"{what}. Tell the person who runs this store."
    return f"{what}. To fix it, {problem.hint}." if problem.hint else what


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One result with everything that explains it: a memory, or a passage of evidence."""

    memory: MemoryVersion | None
    passage: PassageText | None
    score: float
    breakdown: dict[str, float]
    evidence: tuple[tuple[Evidence, Source], ...] = ()
    trust: tuple[TrustTag, ...]
    explanation: str
    folded: tuple[str, ...]
    """Ids of memories and sources that say the same and are not shown."""
    around: tuple[PassageText, ...] = ()
    since: MemoryChange | None = None
    """With `as_of`: how it has changed since, if at all."""

    @property
    def text(self) -> str:
        """What it says."""
        if self.memory is not None:
            return self.memory.content
        return self.passage.text if self.passage is not None else ""

    @property
    def key(self) -> str:
        """The id of a memory; of a passage, the id of its source and its number."""
        if self.memory is not None:
            return self.memory.memory_id
        assert self.passage is not None
        return f"{self.passage.source_id}#{self.passage.no}"


class SearchOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What one search found, and what it took."""

    results: tuple[Result, ...] = ()
    notes: tuple[RecallNote, ...] = ()
    weak: int = 0
    """How many were found but were not good enough."""
    behind: int = 0
    """Documents that have no stored vector of the embedder yet."""
    cost: Mapping[str, int] = {}


class RecallOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What a recall gave: its results, and what the log keeps of it."""

    id: str
    query: RecallQuery
    now: int
    moment: int
    """The moment asked about, from which ages count: now, or the one that `as_of` names."""
    seq: int | None = None
    """The ledger sequence that was asked about; None means now."""
    rewritten: str | None = None
    """What was searched for instead, where the question needed the messages before it."""
    profile: str
    space: Space
    results: tuple[Result, ...] = ()
    notes: tuple[RecallNote, ...] = ()
    needs_rebuild: bool = False
    """Whether derived rows are damaged and should be rebuilt."""
    needs_vectors: bool = False
    """Whether so many documents have no stored vector yet that storing them is worth a write."""
    cost: Mapping[str, float] = {}
