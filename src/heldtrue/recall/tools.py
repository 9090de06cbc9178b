"""What recall works with besides the store: caches that all recalls of an opened space share, and models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from heldtrue.model_ports import Embedder, Reranker
from heldtrue.recall.answer import RecallNote
from heldtrue.recall.index.cache import IndexCache

if TYPE_CHECKING:
    # Only a space with an embedding model loads it.
    from heldtrue.recall.index.vectors import VectorCache

_WORTH_A_WRITE = 64
"""Documents without a stored vector from which on storing them is worth a write, where the embedder is quick."""


class RecallTools(msgspec.Struct, frozen=True):
    """The caches and models of an opened space."""

    words: IndexCache
    vectors: VectorCache | None = None
    """None without an embedder."""
    embedder: Embedder | None = None
    reranker: Reranker | None = None
    problems: tuple[RecallNote, ...] = ()
    """Why a model that the settings ask for is not there."""

    def without_models(self) -> RecallTools:
        return msgspec.structs.replace(self, embedder=None, reranker=None)

    def forget(self) -> None:
        """Drop what is cached: it may rest on damaged rows."""
        self.words.forget()
        if self.vectors is not None:
            self.vectors.forget()

    def needs_vectors(self, behind: int) -> bool:
        """Whether so many documents have no stored vector yet that storing them is worth a write."""
        return self.embedder is not None and behind > (_WORTH_A_WRITE if self.embedder.is_quick else 0)
