"""What a candidate is to what we already hold: the same, much the same, the contrary, or new."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import msgspec

from holdfast.domain.claim import Statement
from holdfast.domain.limits import CONFLICTS_PER_WRITE_MAX
from holdfast.domain.memory import MemoryVersion, Status, Visibility
from holdfast.ingest.keys import index_keys
from holdfast.language.compare import Comparison, compare_statements
from holdfast.language.statements import analyse_statement

LIVE = (Status.ACTIVE, Status.INBOX)


class Neighbour(msgspec.Struct, frozen=True):
    """A held memory that shares a key with a candidate, and how the two compare."""

    memory: MemoryVersion
    statement: Statement
    comparison: Comparison


@lru_cache(maxsize=4096)
def read_statement(content: str) -> Statement:
    """A held text taken apart; remembered, since the same neighbours come up again and again."""
    return analyse_statement(content)


def owner_of_private(memory: MemoryVersion) -> str | None:
    """Whose alone a memory is; None for one that others may see."""
    return memory.author if memory.visibility == Visibility.PRIVATE else None


def version_keys(space_key: bytes, memory: MemoryVersion) -> list[int]:
    """The keys that a version is indexed under."""
    statement = read_statement(memory.content)
    return index_keys(space_key, statement, scope=memory.scope, private_to=owner_of_private(memory))


def find_neighbours(
    statement: Statement, held: Sequence[MemoryVersion], *, scope: str, private_to: str | None
) -> list[Neighbour]:
    """The live memories of the same scope that are equal, near or contrary.

    What is private to one author is compared with nothing but that: neither side may give the other away.
    """
    neighbours = []
    for memory in held:
        if memory.scope != scope or memory.status not in LIVE:
            continue
        if owner_of_private(memory) != private_to:
            continue
        other = read_statement(memory.content)
        comparison = compare_statements(statement, other)
        if comparison.relation != "unrelated":
            neighbours.append(Neighbour(memory, other, comparison))
    return neighbours


def choose_equal(neighbours: Sequence[Neighbour]) -> Neighbour | None:
    """The one to merge with: an equal before a near one, an active before a waiting one, the oldest first."""
    alike = [neighbour for neighbour in neighbours if neighbour.comparison.relation in ("equal", "near")]
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
    """The active memories that cannot hold together with a candidate: a few are enough to make it wait.

    What only waits itself contradicts nobody yet; it is looked at when a person approves it.
    """
    contrary = [
        one for one in neighbours if one.comparison.relation == "contrary" and one.memory.status == Status.ACTIVE
    ]
    return contrary[:CONFLICTS_PER_WRITE_MAX]
