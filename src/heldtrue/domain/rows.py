"""Rows that are read from a store and handed to one, as values: what a search may see, and what it finds."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

import msgspec

from heldtrue.domain.ledger import Head
from heldtrue.domain.posting import Words, pack_posting
from heldtrue.domain.principal import Sight
from heldtrue.domain.privacy import Privacy


class VersionFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which versions a search may see. It is part of the index query itself, never a later filter."""

    sight: Sight
    """What whoever asks may see."""
    statuses: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    topic: str | None = None
    project_id: str | None = None
    repo_id: str | None = None
    author: str | None = None
    min_confidence: float | None = None
    verified_only: bool = False
    """Only memories that a person has verified."""
    unverified_except: tuple[str, ...] = ()
    """Authors whose unverified memories are left out."""
    observed_after: int | None = None
    observed_before: int | None = None
    seq: int | None = None
    """As of this ledger sequence; None means now."""
    valid_at: int | None = None
    """Only memories that were valid at that moment."""
    not_ended_by: int | None = None
    """Omit memories that were no longer valid at that moment."""


class Collection(StrEnum):
    """What is searched together."""

    MEMORY = "memory"
    SOURCES = "sources"
    SESSIONS = "sessions"


class Shelf(msgspec.Struct, frozen=True, gc=False):
    """The documents of one collection in one scope, those that are private to an author apart."""

    no: int
    collection: str
    scope: str
    privacy: Privacy
    docs: int
    """How many documents are in its postings."""
    tokens: int


class SpaceState(msgspec.Struct, frozen=True, gc=False):
    """The state of a space: caches stay valid as long as these values are the same."""

    head: Head
    folds: int
    """Changes whenever waiting words were posted."""
    rebuilds: int
    """Changes whenever the index was rebuilt."""
    unposted: int
    """The place of the last document whose words wait to be posted; 0 for none."""
    last_shelf: int
    is_posted: bool
    """Whether there is any posting."""
    has_links: bool
    has_conflicts: bool
    model: tuple[int, int] | None
    """The number and the dimension of an embedding model that has vectors here."""
    embedded: int
    """The ledger sequence up to which all documents have a vector of that model."""


class Unposted(msgspec.Struct, frozen=True, gc=False):
    """A new document whose words are not in the postings yet."""

    place: int
    shelf: int
    doc: int
    length: int
    asks: int
    """1 for a question: the next passage is its answer."""
    terms: str
    """Each word followed by how much it counts, all separated by spaces."""

    def postings(self) -> Iterator[tuple[str, int]]:
        """Each word with its posting."""
        words = self.terms.split(" ") if self.terms else []
        for term, weight in zip(words[::2], words[1::2], strict=True):
            yield term, pack_posting(self.doc, float(weight), self.length, asks=bool(self.asks))


class RankedHeader(msgspec.Struct, frozen=True, gc=False):
    """What a search needs to score a memory, without its text."""

    no: int
    memory_id: str
    kind: str
    scope: str
    topic: str | None
    category: str | None
    confidence: float
    author: str
    verified_by: str | None
    valid_from: int | None
    valid_to: int | None
    observed_at: int
    recorded_from: int
    priority: float | None
    """Retrieval priority by feedback; none where there was no feedback."""
    recalled: int | None


class Passage(msgspec.Struct, frozen=True, gc=False):
    """A findable piece of evidence: a turn, or a part of a document."""

    no: int
    shelf: int
    source_id: str
    seq: int
    span_start: int
    span_end: int
    speaker: str | None
    happened_at: int
    terms: int
    hidden_seq: int | None
    """The ledger entry since which it is hidden because its statement was rejected; 0 means at every moment."""
    hidden_spans: str | None = None
    """The sentences of it that are hidden (`domain.hidden`), where the rest is not."""


class SourceHead(msgspec.Struct, frozen=True, gc=False):
    """A source without most of its text."""

    id: str
    kind: str
    scope: str
    recorded_at: int
    beginning: str
    """Its first characters."""


class PassageText(msgspec.Struct, frozen=True, gc=False):
    """A passage with its words and where they are from."""

    no: int
    text: str
    source_id: str
    kind: str
    reference: str | None
    title: str | None
    thread: str | None
    place: int | None
    speaker: str | None
    author: str
    scope: str
    occurred_at: int | None
    recorded_at: int
    hidden: str = ""
    """The sentences of it that are hidden, which are never shown."""


class VectorRow(msgspec.Struct, frozen=True, gc=False):
    """One embedded piece of a document."""

    doc: int
    piece: int
    vector: bytes
    tokens: bytes


class RecallRow(msgspec.Struct, frozen=True, gc=False):
    """One recall as it is logged."""

    id: str
    recorded_at: int
    principal: str
    channel: str
    verb: str
    question: str
    asked: str
    """JSON: the arguments."""
    tier: str
    results: str
    """JSON: the results, with scores and parts."""
    cost: str
    """JSON: milliseconds, candidates, tokens."""


class Use(msgspec.Struct, frozen=True, gc=False):
    """How a memory has been used."""

    memory_id: str
    recalled: int
    injected: int
    used: int
    ignored: int
    priority: float
    last_recalled_at: int | None


class NewPassage(msgspec.Struct, frozen=True, gc=False):
    """A span of a source that is to be findable, with what is to be indexed of it."""

    start: int
    end: int
    words: Words
    """Its words and the marks of who says it; those of what it stands under count too."""
    keys: tuple[int, ...] = ()
    """The keys of the rejected values that hide it."""
    hidden_seq: int | None = None
    hidden_spans: str | None = None
