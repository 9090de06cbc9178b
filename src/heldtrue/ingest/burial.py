"""Tombstones: laying one, finding the one that covers a value, lifting them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from heldtrue.domain.claim import Claim, Statement
from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.principal import Principal
from heldtrue.domain.records import Tombstone
from heldtrue.ingest.candidate import Candidate
from heldtrue.ingest.journal import Journal, Pen
from heldtrue.ingest.keys import covering_scopes, said_values, value_key, value_keys
from heldtrue.ingest.match import owner_of_private, read_statement
from heldtrue.ingest.passages import judge_evidence
from heldtrue.ingest.stones import project_of_repo, stones_over_statement


def keys_of_stones(space_key: bytes, candidate: Candidate) -> frozenset[int] | None:
    """The keys of all tombstones that could stand in the way of a candidate; none where only the store can tell how
    far they reach, because a repo may have got its project meanwhile.
    """
    if candidate.repo_id is not None and candidate.project_id is None:
        return None
    scopes = covering_scopes(candidate.scope, candidate.project_id)
    return frozenset(
        value_key(space_key, scope, grain, value)
        for statement in _statements_of(candidate)
        for grain, value in said_values(statement)
        for scope in scopes
    )


def _statements_of(candidate: Candidate) -> list[Statement]:
    """All that a candidate would show."""
    texts = (candidate.title, candidate.summary, candidate.rationale, candidate.topic, candidate.category)
    return [candidate.statement, *(read_statement(text) for text in texts if text)]


def find_stones(pen: Pen, candidate: Candidate) -> list[Tombstone]:
    """The open tombstones that stand in the way of a candidate, in any of the texts it would show."""
    project_id = candidate.project_id or project_of_repo(pen.transaction, candidate.repo_id)
    found: list[Tombstone] = []
    for statement in _statements_of(candidate):
        found += stones_over_statement(
            pen.transaction, pen.space.key, statement, candidate.scope, project_id, private_to=pen.actor.id
        )
    # What an agent has rejected binds nobody who may not see where: it could silence others that way.
    return [one for one in found if pen.actor.may_see(one.scope) or not one.author.startswith("agent:")]


def claims_standing(pen: Pen, memory: MemoryVersion, claims: Sequence[Claim]) -> list[Claim]:
    """Those of a memory's claims that nobody has rejected since."""
    return [claim for claim in claims if not stones_over_text(pen, memory, claim.text)]


def stones_over(pen: Pen, memory: MemoryVersion) -> list[Tombstone]:
    """The open tombstones over what a held memory says, its own aside."""
    found = stones_over_text(pen, memory, memory.content)
    return [stone for stone in found if stone.memory_id != memory.memory_id]


def stones_over_text(pen: Pen, memory: MemoryVersion, text: str) -> list[Tombstone]:
    """The open tombstones over a text where a memory belongs."""
    statement, place = read_statement(text), (memory.scope, memory.project_id)
    # Maintenance acts for whoever a private memory belongs to.
    owner = owner_of_private(memory) or pen.actor.id
    return stones_over_statement(pen.transaction, pen.space.key, statement, *place, private_to=owner)


def liftable(stones: Sequence[Tombstone], actor: Principal) -> list[Tombstone]:
    """The tombstones that fall when a person says what only agents had rejected; none if a person laid one of them."""
    by_agents = all(stone.author.startswith("agent:") for stone in stones)
    unique = {stone.id: stone for stone in stones}
    return list(unique.values()) if actor.is_person and by_agents else []


def bury(journal: Journal, memory: MemoryVersion, *, reason: str, spare: Collection[str] = ()) -> list[Tombstone]:
    """Reject what a memory says, claim by claim, except the claims (by key) that still stand."""
    values = value_keys(journal.pen.space.key, memory.scope, read_statement(memory.content), spare=spare).values()
    stones = [lay_stone(journal, memory, grain, value, reason=reason) for grain, value in values]
    judge_evidence(journal.transaction, stones)
    return stones


def lay_stone(journal: Journal, memory: MemoryVersion, grain: str, value: str, *, reason: str) -> Tombstone:
    """Reject one value in the scope of the memory that said it; the evidence that says it is hidden apart from this."""
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
    covering = stones_over_statement(
        journal.transaction,
        space_key,
        statement,
        memory.scope,
        memory.project_id,
        private_to=owner_of_private(memory),
    )
    lift_stones(journal, {stone.id: stone for stone in (*own, *covering)}.values(), reason=reason)
    return len(own) + len(covering)


def lift_stones(journal: Journal, stones: Iterable[Tombstone], *, reason: str) -> None:
    """Let values be said again, and show the evidence that says them."""
    lifted = [journal.close(stone, closed_by=journal.actor, close_reason=reason) for stone in stones]
    judge_evidence(journal.transaction, lifted)
