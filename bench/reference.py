"""What recall is held against: plain FTS5, and an exact scan of all vectors, each filtered by scope."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from time import perf_counter, thread_time
from typing import Any, NamedTuple, Protocol, TypeVar

import apsw

from heldtrue.model_ports import Embedder
from heldtrue.recall.meaning import plain_question

_WANTED = 10
_CONSTANT = 60
"""Of reciprocal rank fusion, at its customary value."""
_STEP = 1_000
_BY_WORDS = """
SELECT memory.rowid FROM memory JOIN placed ON placed.id = memory.rowid
WHERE memory MATCH ? AND placed.scope IN (?, ?) ORDER BY bm25(memory) LIMIT ?
"""
Answer = TypeVar("Answer")


class Spent(NamedTuple):
    """Seconds that an answer took: by the clock, and of the processor's time."""

    clock: float
    processor: float


def spend(work: Callable[[], Answer]) -> tuple[Spent, Answer]:
    """Do something, and tell what it took of this thread."""
    clock, processor = perf_counter(), thread_time()
    answer = work()
    return Spent(perf_counter() - clock, thread_time() - processor), answer


class Scoped(Protocol):
    """A memory with its scope."""

    @property
    def scope(self) -> str: ...
    @property
    def content(self) -> str: ...


class PlainMemory:
    """The same memories in the obvious way: an FTS5 table on disk, a matrix of 32-bit floats in memory."""

    def __init__(self, path: Path, memories: Iterable[Scoped], embedder: Embedder | None) -> None:
        import numpy

        assert embedder is not None
        self._numpy, self._embedder = numpy, embedder
        self._database = apsw.Connection(str(path))
        self._database.execute("PRAGMA journal_mode = wal; PRAGMA cache_size = -65536").fetchall()
        self._database.execute("CREATE VIRTUAL TABLE memory USING fts5(content, tokenize = 'porter unicode61')")
        self._database.execute("CREATE TABLE placed (id INTEGER PRIMARY KEY, scope TEXT NOT NULL)")
        self._contents: list[str] = []
        self._numbers: dict[str, int] = {}
        self._scopes = numpy.zeros(0, dtype=numpy.int32)
        self._vectors = numpy.zeros((0, embedder.dimension), dtype=numpy.float32)
        self._load(list(memories))

    def _load(self, memories: list[Scoped]) -> None:
        numpy = self._numpy
        self._contents = [memory.content for memory in memories]
        numbers = [self._numbers.setdefault(memory.scope, len(self._numbers)) for memory in memories]
        self._scopes = numpy.array(numbers, dtype=numpy.int32)
        self._sizes = Counter(numbers)
        with self._database:
            contents = enumerate(self._contents)
            scopes = ((index, memory.scope) for index, memory in enumerate(memories))
            self._database.executemany("INSERT INTO memory (rowid, content) VALUES (?, ?)", contents)
            self._database.executemany("INSERT INTO placed VALUES (?, ?)", scopes)
        self._database.execute("INSERT INTO memory (memory) VALUES ('optimize')")
        self._vectors = numpy.zeros((len(memories), self._embedder.dimension), dtype=numpy.float32)
        for start in range(0, len(memories), _STEP):
            packed = b"".join(
                embedding.vector for embedding in self._embedder.embed(self._contents[start : start + _STEP])
            )
            rows_read = numpy.frombuffer(packed, dtype=numpy.int8).reshape(-1, self._embedder.dimension)
            self._vectors[start : start + _STEP] = rows_read
        self._vectors /= numpy.maximum(numpy.linalg.norm(self._vectors, axis=1, keepdims=True), 1e-9)

    def share_seen(self, project: str) -> float:
        """How much of everything someone in a project may see."""
        seen = (self._numbers.get(scope, -1) for scope in _scopes_of(project))
        return sum(self._sizes[number] for number in seen) / len(self._contents)

    def find(self, question: str, project: str) -> tuple[Spent, list[str]]:
        """The ten best contents for a question asked in a project, and what that took without its embedding."""
        packed = self._embedder.embed_question(plain_question(question, ())).vector
        vector = self._numpy.frombuffer(packed, dtype=self._numpy.int8).astype(self._numpy.float32)
        spent, found = spend(lambda: _fuse(self._by_words(question, project), self._by_vector(vector, project)))
        return spent, [self._contents[index] for index in found]

    def _by_words(self, question: str, project: str) -> list[int]:
        # The scope in a table of its own: as a column of the FTS5 table it made this twice as slow.
        values = (any_word(question), *_scopes_of(project), _WANTED)
        return [index for (index,) in self._database.execute(_BY_WORDS, values)]

    def _by_vector(self, vector: Any, project: str) -> list[int]:
        numpy = self._numpy
        near = self._vectors @ vector
        own = [self._numbers.get(scope, -1) for scope in _scopes_of(project)]
        near[(self._scopes != own[0]) & (self._scopes != own[1])] = -2.0
        best = numpy.argpartition(-near, min(_WANTED, len(near) - 1))[:_WANTED]
        return [int(index) for index in best[numpy.argsort(-near[best])]]


def _scopes_of(project: str) -> tuple[str, str]:
    return "global", f"project:{project}"


def _fuse(*orders: list[int]) -> list[int]:
    """Several orders as one, by reciprocal ranks."""
    scores: dict[int, float] = {}
    for order in orders:
        for rank, index in enumerate(order, start=1):
            scores[index] = scores.get(index, 0.0) + 1 / (_CONSTANT + rank)
    return sorted(scores, key=lambda index: -scores[index])[:_WANTED]


def any_word(question: str) -> str:
    """A question as FTS5 takes it: its words, any of which may match."""
    words = "".join(letter if letter.isalnum() else " " for letter in question).split()
    return " OR ".join(f'"{word}"' for word in words)
