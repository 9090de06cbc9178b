"""Tombstones: laying one, finding the one that covers a value, lifting them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from holdfast.domain.claim import Claim, Statement
from holdfast.domain.memory import MemoryVersion
from holdfast.domain.principal import Principal
from holdfast.domain.records import Tombstone
from holdfast.ingest.candidate import Candidate
from holdfast.ingest.journal import Journal, Pen
from holdfast.ingest.keys import covering_scopes, value_key, value_keys
from holdfast.ingest.match import owner_of_private, read_statement
from holdfast.language.marks import names_another
from holdfast.ports import Reading


def find_stones(pen: Pen, candidate: Candidate) -> list[Tombstone]:
    """The open tombstones that stand in the way of a candidate, in any of the texts it would show."""
    project_id = candidate.project_id or _project_of_repo(pen.transaction, candidate.repo_id)
    texts = (candidate.title, candidate.summary, candidate.rationale, candidate.topic)
    statements = [candidate.statement, *(read_statement(text) for text in texts if text)]
    found: list[Tombstone] = []
    for statement in statements:
        found += _find_stones(
            pen.transaction, pen.space.key, statement, candidate.scope, project_id, private_to=pen.actor.id
        )
    return found


def _project_of_repo(transaction: Reading, repo_id: str | None) -> str | None:
    """The project that a repo was first used in."""
    record = transaction.opened("repos", {"id": repo_id}) if repo_id else None
    return record.project_id if record else None


def claims_standing(pen: Pen, memory: MemoryVersion, claims: Sequence[Claim]) -> list[Claim]:
    """Those of a memory's claims that nobody has rejected since."""
    return [claim for claim in claims if not _stones_beside(pen, memory, claim.text)]


def stones_over(pen: Pen, memory: MemoryVersion) -> list[Tombstone]:
    """The open tombstones over what a held memory says, its own aside."""
    found = _stones_beside(pen, memory, memory.content)
    return [stone for stone in found if stone.memory_id != memory.memory_id]


def _stones_beside(pen: Pen, memory: MemoryVersion, text: str) -> list[Tombstone]:
    """The open tombstones over a text where a memory belongs."""
    statement, place = read_statement(text), (memory.scope, memory.project_id)
    return _find_stones(pen.transaction, pen.space.key, statement, *place, private_to=pen.actor.id)


def _find_stones(
    transaction: Reading,
    space_key: bytes,
    statement: Statement,
    scope: str,
    project_id: str | None,
    *,
    private_to: str | None,
) -> list[Tombstone]:
    """The open tombstones that cover any part of a statement in its scope or a wider one.

    What was rejected in private binds nobody else, and nobody else hears of it.
    """
    values: dict[int, tuple[str, str]] = {}
    for covering in covering_scopes(scope, project_id):
        values |= value_keys(space_key, covering, statement)
    found = transaction.tombstones_by_keys(values)
    # The key is 64 bits of a hash; the folded value decides.
    matching = [stone for stone in found if values[stone.lookup_key] == (stone.grain, stone.value)]
    return [stone for stone in matching if _covers(transaction.version(stone.memory_id), stone, statement, private_to)]


def _covers(memory: MemoryVersion | None, stone: Tombstone, statement: Statement, private_to: str | None) -> bool:
    """Whether a tombstone binds this author, and means what is said and not a thing with a similar name."""
    if memory is None:
        return True
    if owner_of_private(memory) not in (None, private_to):
        return False
    return stone.grain != "claim" or not names_another(memory.content, statement.text)


def liftable(stones: Sequence[Tombstone], actor: Principal) -> list[Tombstone]:
    """The tombstones that fall when a person says what only agents had rejected; none if a person laid one of them."""
    by_agents = all(stone.author.startswith("agent:") for stone in stones)
    unique = {stone.id: stone for stone in stones}
    return list(unique.values()) if actor.is_person and by_agents else []


def bury(journal: Journal, memory: MemoryVersion, *, reason: str, spare: Collection[str] = ()) -> list[Tombstone]:
    """Reject what a memory says, claim by claim, except the claims (by key) that still stand."""
    values = value_keys(journal.pen.space.key, memory.scope, read_statement(memory.content), spare=spare).values()
    return [lay_stone(journal, memory, grain, value, reason=reason) for grain, value in values]


def lay_stone(journal: Journal, memory: MemoryVersion, grain: str, value: str, *, reason: str) -> Tombstone:
    """Reject one value in the scope of the memory that said it."""
    stone = Tombstone(
        id=journal.fresh_id(),
        seq=journal.seq,
        scope=memory.scope,
        grain=grain,
        value=value,
        lookup_key=value_key(journal.pen.space.key, memory.scope, grain, value),
        memory_id=memory.memory_id,
        author=journal.actor,
        reason=reason,
        recorded_from=journal.at,
    )
    return journal.insert(stone)


def lift(journal: Journal, memory: MemoryVersion, *, reason: str) -> int:
    """Lift every tombstone that covers what a memory says, whichever memory it was laid for."""
    statement = read_statement(memory.content)
    space_key = journal.pen.space.key
    own = [stone for stone in journal.transaction.tombstones_of(memory.memory_id) if stone.recorded_to is None]
    covering = _find_stones(
        journal.transaction,
        space_key,
        statement,
        memory.scope,
        memory.project_id,
        private_to=owner_of_private(memory),
    )
    for stone in {stone.id: stone for stone in (*own, *covering)}.values():
        journal.close(stone, closed_by=journal.actor, close_reason=reason)
    return len(own) + len(covering)
