"""Compares a candidate with existing memories: the same, similar, contrary, or new."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from heldtrue.domain.claim import Statement
from heldtrue.domain.limits import CONFLICTS_PER_WRITE_MAX
from heldtrue.domain.memory import MemoryVersion, Status, ValidTime
from heldtrue.domain.posting import Words
from heldtrue.domain.privacy import Privacy
from heldtrue.ingest.stages.keys import index_keys
from heldtrue.language.compare import Comparison, Gist, compare_statements, may_say_same, read_gist
from heldtrue.language.features import count_words
from heldtrue.language.statements import analyse_statement


class Neighbour(msgspec.Struct, frozen=True):
    """An existing memory that shares a key with a candidate, and how the two compare."""

    memory: MemoryVersion
    statement: Statement
    comparison: Comparison
    is_concurrent: bool = True
    """Whether both are said to be true at some moment. Values of different times neither agree nor contradict."""
    is_sure: bool = True
    """Whether they contradict each other for certain, if they do."""

    @property
    def says_same(self) -> bool:
        return self.comparison.relation in ("equal", "near")

    @property
    def is_contrary(self) -> bool:
        """Whether it is active and says something else about the same."""
        return self.comparison.relation == "contrary" and self.memory.status == Status.ACTIVE


class _StatementCache:
    """Parsed texts, since the same neighbours recur; the oldest go first."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._statements: dict[str, Statement] = {}
        self._lock = threading.Lock()

    def read(self, content: str) -> Statement:
        statement = self._statements.get(content)
        if statement is None:
            statement = analyse_statement(content)
            self.keep(statement)
        return statement

    def keep(self, statement: Statement) -> None:
        with self._lock:
            while len(self._statements) >= self._size:
                del self._statements[next(iter(self._statements))]
            self._statements[statement.text] = statement


_cache = _StatementCache(4096)
read_statement = _cache.read
"""A parsed text of an existing memory."""
keep_statement = _cache.keep
"""Remember a text that was parsed in another process."""


@lru_cache(maxsize=1024)
def read_gist_of(content: str) -> Gist:
    """The gist of an existing text, cached likewise."""
    return read_gist(read_statement(content))


class Verdicts:
    """What pairs of texts are to each other, found out once and kept for one write: what was planned before the lock
    was taken is at hand when it is.
    """

    def __init__(self) -> None:
        self.checks = 0
        """Pairs of claims that were looked at so far."""
        self._compared: dict[tuple[str, str], Comparison] = {}
        self._unlike: set[tuple[str, str]] = set()

    def compare(self, new: str, old: str) -> Comparison:
        """What one text is to another."""
        found = self._compared.get((new, old))
        if found is None:
            ours, theirs = read_gist_of(new).outline, read_gist_of(old).outline
            found = compare_statements(read_statement(new), read_statement(old), ours, theirs)
            self._compared[new, old] = found
            self.checks += found.checks
        return found

    def may_say_same(self, new: str, old: str) -> bool:
        """A quick no to whether texts are equal or near."""
        pair = (new, old)
        if pair in self._unlike:
            return False
        if pair in self._compared or may_say_same(read_gist_of(new), read_gist_of(old)):
            return True
        self._unlike.add(pair)
        return False


def version_keys(space_key: bytes, memory: MemoryVersion) -> list[int]:
    """The keys that a version is indexed under."""
    statement = read_statement(memory.content)
    return index_keys(space_key, statement, scope=memory.scope, privacy=memory.privacy)


def version_words(memory: MemoryVersion) -> Words:
    """The words that a version is found by."""
    return count_words(memory.content, memory.title, memory.summary, memory.topic)


def find_neighbours(
    statement: Statement,
    memories: Sequence[MemoryVersion],
    *,
    scope: str,
    privacy: Privacy,
    valid_time: ValidTime,
    verdicts: Verdicts | None = None,
) -> list[Neighbour]:
    """The live memories of the same scope that are equal, near or contrary.

    What is private to one author is compared with nothing but that: neither side may give the other away. Of those
    that only wait, and of active ones after as many contrary ones as matter, only the equal and near are looked for.
    """
    keep_statement(statement)
    verdicts = verdicts or Verdicts()
    neighbours = []
    contraries = 0
    for memory in memories:
        if memory.scope != scope or not memory.is_live:
            continue
        if memory.privacy != privacy:
            continue
        may_oppose = memory.status == Status.ACTIVE and contraries < CONFLICTS_PER_WRITE_MAX
        if not may_oppose and not verdicts.may_say_same(statement.text, memory.content):
            continue
        comparison = verdicts.compare(statement.text, memory.content)
        is_concurrent = valid_time.overlaps(memory.valid_time)
        contraries += may_oppose and is_concurrent and comparison.relation == "contrary"
        if comparison.relation != "unrelated":
            neighbours.append(Neighbour(memory, read_statement(memory.content), comparison, is_concurrent))
    return neighbours


def choose_equal(neighbours: Sequence[Neighbour]) -> Neighbour | None:
    """The one to merge with: an equal before a near one, an active before a waiting one, the oldest first."""
    alike = [neighbour for neighbour in neighbours if neighbour.is_concurrent and neighbour.says_same]
    return min(
        alike,
        key=lambda n: (
            n.comparison.relation != "equal",
            n.memory.status != Status.ACTIVE,
            -n.comparison.similarity,
            n.memory.no,
        ),
        default=None,
    )


def choose_contraries(neighbours: Sequence[Neighbour]) -> list[Neighbour]:
    """The active memories that cannot be true together with a candidate: a few are enough to make it wait.

    What only waits itself contradicts nobody yet; it is looked at when a person approves it.
    """
    return [contrary for contrary in _all_contraries(neighbours) if contrary.is_sure][:CONFLICTS_PER_WRITE_MAX]


def choose_possible(neighbours: Sequence[Neighbour]) -> list[Neighbour]:
    """The active memories that perhaps cannot be true together with a candidate."""
    return [contrary for contrary in _all_contraries(neighbours) if not contrary.is_sure][:CONFLICTS_PER_WRITE_MAX]


def _all_contraries(neighbours: Sequence[Neighbour]) -> list[Neighbour]:
    return [neighbour for neighbour in neighbours if neighbour.is_concurrent and neighbour.is_contrary]
