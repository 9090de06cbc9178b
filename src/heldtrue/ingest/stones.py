"""Finding the tombstones that cover what is said: the one place that knows how far a rejection reaches."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from heldtrue.domain.claim import Statement
from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.records import Tombstone
from heldtrue.ingest.keys import claim_values, covering_scopes, said_values, value_key
from heldtrue.ingest.match import owner_of_private, read_statement
from heldtrue.language.distinguishing_marks import names_another
from heldtrue.ports import Reading


class Said(msgspec.Struct, frozen=True, gc=False):
    """A value that a text says, and the words that say it."""

    grain: str
    value: str
    words: str


def stones_over_statement(
    transaction: Reading,
    space_key: bytes,
    statement: Statement,
    scope: str,
    project_id: str | None,
    *,
    private_to: str | None,
) -> list[Tombstone]:
    """The open tombstones that cover any part of a statement in its scope or a wider one."""
    said = [Said(grain, value, statement.text) for grain, value in said_values(statement)]
    found = find_stones_over(transaction, space_key, said, covering_scopes(scope, project_id), private_to=private_to)
    return list({stone.id: stone for stone, _ in found}.values())


def find_stones_over(
    transaction: Reading, space_key: bytes, said: Iterable[Said], scopes: Iterable[str], *, private_to: str | None
) -> list[tuple[Tombstone, Said]]:
    """The open tombstones of some scopes over some values, each with what it covers.

    What was rejected in private binds nobody else, and nobody else hears of it.
    """
    scopes = tuple(scopes)
    values: dict[int, list[Said]] = {}
    for one in said:
        for scope in scopes:
            values.setdefault(value_key(space_key, scope, one.grain, one.value), []).append(one)
    found = []
    for stone in transaction.tombstones_by_keys(values):
        memory = transaction.version(stone.memory_id)
        # The key is 64 bits of a hash; the folded value decides.
        same = [one for one in values[stone.lookup_key] if (one.grain, one.value) == (stone.grain, stone.value)]
        found += [(stone, one) for one in same if covers(memory, stone, one.words, private_to)]
    return found


def covers(memory: MemoryVersion | None, stone: Tombstone, words: str, private_to: str | None) -> bool:
    """Whether a tombstone binds this author, and means what is said and not a thing with a similar name."""
    if not binds(memory, private_to):
        return False
    return memory is None or stone.grain != "claim" or not names_another(_rejected_words(memory, stone), words)


def _rejected_words(memory: MemoryVersion, stone: Tombstone) -> str:
    """The words of a memory that a tombstone over one of its claims means."""
    claims = read_statement(memory.content).claims
    said = [claim.text for claim in claims if stone.value in claim_values(claim)] if len(claims) > 1 else []
    return said[0] if said else memory.content


def binds(memory: MemoryVersion | None, author: str | None) -> bool:
    """Whether what was rejected with a memory is rejected for an author too."""
    return memory is None or owner_of_private(memory) in (None, author)


def project_of_repo(transaction: Reading, repo_id: str | None) -> str | None:
    """The project that a repo was first used in."""
    record = transaction.opened("repos", {"id": repo_id}) if repo_id else None
    return record.project_id if record else None
