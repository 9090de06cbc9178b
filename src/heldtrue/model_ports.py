"""What the core needs from models: embedders, matchers of single words, rerankers, extractors and the reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from heldtrue.domain.extracted import Extracted, Material
from heldtrue.domain.judged import StatementRelation, TextJudgement, UnitInContext, UnitJudgement

if TYPE_CHECKING:
    from numpy import ndarray


class Embedded(msgspec.Struct, frozen=True, gc=False):
    """A text as an embedder sees it."""

    vector: bytes
    """One signed byte a dimension: the unit vector, scaled so that its largest part is 127."""
    tokens: bytes = b""
    """From an embedder with a matcher: the text's tokens, in a form of its own."""


class Extractor(Protocol):
    """Extracts possible memories from a text. It may fail with `ModelProblem`."""

    @property
    def name(self) -> str: ...
    def extract(self, material: Material) -> list[Extracted]: ...


class TokenMatcher(Protocol):
    """Compares texts with a question token by token."""

    @property
    def around(self) -> Sequence[tuple[int, float]]:
        """Which neighbours of a passage count for it too, by their distance, and how much."""

    @property
    def answer(self) -> float:
        """How much more the one before counts if it is a question: then this is its answer."""

    def match(self, question: bytes, texts: Sequence[bytes]) -> ndarray[Any, Any]:
        """From the tokens of a question and of some texts: for each token of the question (a row) and each text (a
        column) how near the text comes to it.
        """

    def blend(self, question: bytes, near: Sequence[tuple[ndarray[Any, Any], ndarray[Any, Any]]]) -> ndarray[Any, Any]:
        """How well some documents cover the question, from 0 to 1: from what each has itself, which comes first, and
        what its neighbours have, with how much that counts for each.
        """


class Embedder(Protocol):
    """Turns texts into vectors. It may fail with `ModelProblem`; recall then works without vectors."""

    @property
    def name(self) -> str:
        """Model, version and dimension: vectors of another name are never compared with its own."""

    @property
    def dimension(self) -> int: ...
    @property
    def is_quick(self) -> bool:
        """Whether a text takes well under a millisecond, so that a recall may embed what is missing itself."""

    @property
    def unrelated(self) -> float:
        """The cosine of two unrelated texts; only a higher cosine counts as similarity."""

    @property
    def floor(self) -> float:
        """With these weights: the score below which even the best result is not good enough."""

    @property
    def reads_sentences(self) -> bool:
        """Whether it wants a question whole; one that only knows words does better without small words and names."""

    @property
    def weights(self) -> Mapping[str, float]:
        """What the default profile gives the parts `text`, `thread`, `meaning` and `likeness` with this model."""

    @property
    def matcher(self) -> TokenMatcher | None:
        """For an embedder whose texts can also be compared token by token."""

    def embed(self, texts: Sequence[str]) -> list[Embedded]: ...
    def embed_question(self, text: str) -> Embedded: ...


class StatementReader(Protocol):
    """Finds and compares statements by what they mean. It may fail with `ModelProblem`."""

    def embed(self, texts: Sequence[str]) -> ndarray[Any, Any]:
        """Unit vectors by which near statements are found."""

    def compare(self, pairs: Sequence[tuple[str, str]]) -> list[StatementRelation]:
        """What the first statement of each pair says of the second; their values are in one form."""

    def judge_units(self, units: Sequence[UnitInContext]) -> list[UnitJudgement]:
        """Whether units of texts are worth keeping, and as what."""

    def judge_texts(self, texts: Sequence[str]) -> list[TextJudgement]:
        """What each text is as a whole, and what kind of memory it would be."""


class Reranker(Protocol):
    """Reads question and text together."""

    @property
    def name(self) -> str: ...
    def rerank(self, question: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the question, in [0, 1]."""
