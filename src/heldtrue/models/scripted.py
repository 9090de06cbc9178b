"""Fake models that ship with the package: they need no weights, are deterministic, and fail or wait on request.

Words that are the same make texts near; nothing else does, unless `synonyms` says so.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import shake_256

from heldtrue.domain.errors import ModelProblem
from heldtrue.domain.extracted import Extracted, Material
from heldtrue.model_ports import Embedded
from heldtrue.models.packing import pack_numbers

_WORD = re.compile(r"\w+")


@dataclass(kw_only=True)
class _Script:
    """What a test may change at any time."""

    fails_from: int | None = None
    """The call, counted from 1, from which on every call fails."""
    pause_seconds: float = 0.0
    """How long a call sleeps before it does anything."""
    sleep: Callable[[float], None] = time.sleep
    synonyms: Mapping[str, str] = field(default_factory=dict)
    """Words, in lower case, that are read as another word."""
    calls: int = 0

    def _begin(self) -> None:
        self.calls += 1
        if self.pause_seconds:
            self.sleep(self.pause_seconds)
        if self.fails_from is not None and self.calls >= self.fails_from:
            raise ModelProblem("The scripted model was set to fail.")

    def _read_words(self, text: str) -> list[str]:
        words = _WORD.findall(text.casefold())
        return [self.synonyms.get(word, word) for word in words]


@dataclass(kw_only=True)
class ScriptedEmbedder(_Script):
    """Embeds a text as the sum of its words, each of which has a vector by its hash."""

    name: str = "scripted/64"
    dimension: int = 64
    is_quick: bool = True
    matcher: None = None
    unrelated: float = 0.0
    floor: float = 0.25
    reads_sentences: bool = False
    weights: Mapping[str, float] = field(default_factory=lambda: {"text": 2.0, "thread": 1.0, "meaning": 3.0})

    def embed(self, texts: Sequence[str]) -> list[Embedded]:
        self._begin()
        return [self._embed(text) for text in texts]

    def embed_question(self, text: str) -> Embedded:
        self._begin()
        return self._embed(text)

    def _embed(self, text: str) -> Embedded:
        words = [spread_word(word, self.dimension) for word in sorted(set(self._read_words(text)))]
        sums = map(sum, zip(*words, strict=True)) if words else (0,) * self.dimension
        return Embedded(pack_numbers(tuple(sums)))


@dataclass(kw_only=True)
class ScriptedReranker(_Script):
    """Scores a text by the share of the question's words that it has."""

    name: str = "scripted"

    def rerank(self, question: str, texts: Sequence[str]) -> list[float]:
        self._begin()
        asked = set(self._read_words(question))
        return [len(asked & set(self._read_words(text))) / max(len(asked), 1) for text in texts]


@dataclass(kw_only=True)
class ScriptedExtractor(_Script):
    """Finds what it was told to find: what a function says of a text, or the next of some lists, then nothing."""

    name: str = "scripted"
    answers: Callable[[Material], Sequence[Extracted]] | Sequence[Sequence[Extracted]] = ()
    asked: list[Material] = field(default_factory=list)
    """What it was given to read, in order."""

    def extract(self, material: Material) -> list[Extracted]:
        self.asked.append(material)
        self._begin()
        if callable(self.answers):
            return list(self.answers(material))
        return list(self.answers[self.calls - 1]) if self.calls <= len(self.answers) else []


@lru_cache(maxsize=4096)
def spread_word(word: str, dimension: int) -> tuple[int, ...]:
    """A vector of ones and minus ones that belongs to a word, in every process and on every machine."""
    digest = shake_256(word.encode()).digest(dimension)
    return tuple(1 if byte & 1 else -1 for byte in digest)
