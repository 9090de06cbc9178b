"""What the stages of recall hand on: documents with the parts of their scores, what was found, and texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.records import Evidence, Source
from heldtrue.domain.rows import Passage, PassageText, RankedHeader
from heldtrue.language.terms import distinct_terms
from heldtrue.model_ports import TokenMatcher
from heldtrue.ports import ReadTransaction
from heldtrue.recall.answer import TrustTag
from heldtrue.recall.index.words import WordHits

if TYPE_CHECKING:
    # Only a search with an embedding model loads them.
    from heldtrue.recall.index.nearest import NearestDocuments, ShelfComparison

_MATCHING = ("text", "topic", "proximity")
_NEAR, _NEAR_SCORE = ("meaning", "likeness"), 0.3
"""How near a document must be to fit though it has none of the question's words; unrelated ones stay below."""
_IN_PERIOD_SCORE = 0.99
"""The part `time` of what falls into the time that was asked for."""


class RankedDocument:
    """A document that may become a result, and the parts of its score, which the stages fill in."""

    __slots__ = ("happened_at", "header", "is_memory", "no", "parts", "passage", "score", "weights")

    def __init__(self, *, header: RankedHeader | None = None, passage: Passage | None = None) -> None:
        self.header = header
        self.passage = passage
        self.is_memory = header is not None
        if header is not None:
            self.no, self.happened_at = header.no, header.observed_at
        elif passage is not None:
            self.no, self.happened_at = passage.no, passage.happened_at
        self.parts: dict[str, float] = {}
        self.weights: Mapping[str, float] = {}
        """What the parts count for; a document without a vector is weighed by its words."""
        self.score = 0.0

    @property
    def fits(self) -> bool:
        """Whether anything of it fits the question at all."""
        parts = self.parts
        for part in _MATCHING:
            if parts.get(part, 0.0) > 0:
                return True
        for part in _NEAR:
            if parts.get(part, 0.0) >= _NEAR_SCORE:
                return True
        return self.is_in_period

    @property
    def is_in_period(self) -> bool:
        """Whether it is from the very time that was asked for."""
        return self.parts.get("time", 0.0) >= _IN_PERIOD_SCORE


def rank_documents(documents: Sequence[RankedDocument]) -> list[RankedDocument]:
    """Best first; of equals memories before evidence, and the newest first."""
    order = [
        (-round(document.score, 9), not document.is_memory, -document.no, index)
        for index, document in enumerate(documents)
    ]
    order.sort()
    return [documents[index] for _, _, _, index in order]


class VectorHits(msgspec.Struct, frozen=True, kw_only=True):
    """What the vectors of a space found, and all it takes to compare a document with the question."""

    vector: Any
    tokens: bytes
    shelves: Mapping[int, ShelfComparison]
    memory_shelves: tuple[int, ...]
    memories: NearestDocuments
    passages: NearestDocuments
    unrelated: float
    matcher: TokenMatcher | None
    stores_tokens: bool
    """Whether the tokens of documents are read from the store, because they are too large to be kept in memory."""
    model: int | None
    """The number of the embedding model in the store."""
    missing: int = 0
    """Documents that have no vector yet."""
    behind: int = 0
    """Documents whose vectors are not stored yet, though they may be in memory."""


class LinkHits(msgspec.Struct, frozen=True):
    """What is linked to where a question is asked from, or to what fits it best."""

    nearness: Mapping[str, float] = {}
    """How near each memory is, from 0 to 1."""
    versions: frozenset[int] = frozenset()
    """The numbers of the versions of those memories."""


class Hits(msgspec.Struct, frozen=True):
    """What words, vectors and links found."""

    words: WordHits = WordHits()
    vectors: VectorHits | None = None
    links: LinkHits = LinkHits()


# Texts


class DocumentTexts(msgspec.Struct, frozen=True):
    """The memories and passages behind some documents, by their numbers."""

    memories: Mapping[int, MemoryVersion]
    passages: Mapping[int, PassageText]

    def has(self, document: RankedDocument) -> bool:
        return document.no in (self.memories if document.is_memory else self.passages)

    def text_of(self, document: RankedDocument) -> str:
        return self.memories[document.no].content if document.is_memory else self.passages[document.no].text

    def source_of(self, document: RankedDocument) -> str:
        return self.passages[document.no].source_id

    def id_of(self, document: RankedDocument) -> str:
        return self.memories[document.no].memory_id if document.is_memory else self.source_of(document)


def read_texts(reading: ReadTransaction, documents: Sequence[RankedDocument], seq: int | None) -> DocumentTexts:
    """The texts of some documents, as of a sequence."""
    memories = [document.no for document in documents if document.is_memory]
    passages = [document.no for document in documents if not document.is_memory]
    return DocumentTexts(
        {version.no: version for version in reading.memories.versions_numbered(memories)} if memories else {},
        {text.no: text for text in reading.passages.texts(passages, seq)} if passages else {},
    )


@lru_cache(maxsize=4096)
def terms_of(text: str) -> frozenset[str]:
    """The terms of a text. What is recalled once is mostly recalled again soon."""
    return distinct_terms(text)


class FoldedDocument(msgspec.Struct, frozen=True):
    """A document, and those that say the same."""

    document: RankedDocument
    alike: tuple[RankedDocument, ...]


class FoldedDocuments(msgspec.Struct, frozen=True):
    """The documents that are left, with their texts."""

    documents: list[FoldedDocument]
    texts: DocumentTexts
    crowd: tuple[str, ...] = ()
    """The authors of near copies that were left out."""


class AssessedDocument(msgspec.Struct, frozen=True):
    """A document with what it rests on, and what is to know about it."""

    document: RankedDocument
    folded: tuple[str, ...]
    """The ids of what says the same and is left out."""
    trust: tuple[TrustTag, ...]
    evidence: tuple[tuple[Evidence, Source], ...] = ()
