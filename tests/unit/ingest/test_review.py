"""Approving as a table: what waits and what counts already, with and without new words, against what was rejected."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from heldtrue import Memory
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.errors import HeldtrueError, InvalidInput, WrongState
from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.principal import OWNER
from heldtrue.ingest.acts.review import approve
from heldtrue.ingest.gateway import WriteRequest
from heldtrue.ingest.outcome import Outcome
from heldtrue.ingest.stages.candidate import restate_memory

RULED_OUT = "The gate is blue."
Make = Callable[[Memory], str]


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:") as opened:
        yield opened


def make_profile(memory: Memory) -> str:
    """A memory that waits, because an agent says it about a person."""
    return str(memory.as_agent("codex").learn("Maria prefers short answers.", kind="profile").memory.id)


def make_decision(memory: Memory) -> str:
    """A decision that waits for its rationale."""
    return str(memory.as_agent("codex").learn("We decided to use SQLite.", kind="decision", source="adr/1").memory.id)


def make_active(memory: Memory) -> str:
    """A memory of an agent that counts and that no person has verified."""
    return str(memory.as_agent("codex").learn("The lamp is made of brass.").memory.id)


def make_approved(memory: Memory) -> str:
    approved = make_active(memory)
    memory.approve(approved)
    return approved


def make_conflicting(memory: Memory) -> str:
    """A memory that waits because it contradicts another."""
    memory.as_agent("claude").learn("The port is 8080.")
    return str(memory.as_agent("codex").learn("The port is 9090.").memory.id)


def make_rejected_since(memory: Memory) -> str:
    """A memory that waits, and whose value was rejected for everyone since."""
    held = memory.as_agent("codex").learn("Maria prefers short answers.", kind="profile", scope="project:a").memory.id
    memory.forget(memory.learn("Maria prefers short answers.").memory.id, reason="she does not")
    return str(held)


def make_forgotten(memory: Memory) -> str:
    forgotten = make_active(memory)
    memory.forget(forgotten, reason="it is gone")
    return forgotten


APPROVED = [
    (make_profile, None, None),
    (make_profile, None, "Maria likes short answers best."),
    (make_decision, "one file is enough", None),
    (make_decision, None, "We use SQLite because one file is enough."),
    (make_active, None, None),
    (make_approved, "it was measured", None),
]
REFUSED = [
    (make_profile, RULED_OUT, None, WrongState, "rationale"),
    (make_profile, None, RULED_OUT, WrongState, "text"),
    (make_decision, None, None, InvalidInput, "rationale"),
    (make_active, RULED_OUT, None, WrongState, "rationale"),
    (make_active, None, RULED_OUT, WrongState, "text"),
    (make_conflicting, None, None, WrongState, "memory"),
    (make_rejected_since, None, None, WrongState, "memory"),
    (make_forgotten, None, None, WrongState, "memory"),
]


def say_yes(memory: Memory, make: Make, rationale: str | None, content: str | None) -> tuple[MemoryVersion, Outcome]:
    """Approve what was made, with a rationale and in other words where those are given."""
    memory.forget(memory.learn(RULED_OUT).memory.id, reason="it never was")
    memory_id, instance = make(memory), memory._call.instance
    with instance.store.read() as reading:
        held = reading.memories.version(memory_id)
    assert held is not None
    edited = restate_memory(held, content=content) if content is not None else None
    request = WriteRequest(principal=OWNER, channel="test", action="memory.approve")
    outcome = instance.gateway.submit(
        request, lambda session: approve(session, held, "it is so", rationale, edited), Outcome
    )
    return held, outcome


@pytest.mark.covers("B7")
@pytest.mark.parametrize(("make", "rationale", "content"), APPROVED)
def test_what_is_approved_counts_as_the_person_says_it(
    memory: Memory, make: Make, rationale: str | None, content: str | None
) -> None:
    held, outcome = say_yes(memory, make, rationale, content)
    assert outcome.outcome is OutcomeKind.APPROVED
    approved = outcome.memory
    assert approved is not None
    assert (approved.status, approved.cause, approved.verified_by) == ("active", None, OWNER.id)
    assert (approved.content, approved.rationale) == (content or held.content, rationale or held.rationale)


def test_what_was_approved_already_stays_as_it_is(memory: Memory) -> None:
    held, outcome = say_yes(memory, make_approved, None, None)
    assert outcome.outcome is OutcomeKind.UNCHANGED
    assert outcome.memory == held


@pytest.mark.covers("B7", "A5")
@pytest.mark.parametrize(("make", "rationale", "content", "error", "field"), REFUSED)
def test_what_cannot_be_approved_says_which_argument_is_in_the_way(
    memory: Memory,
    make: Make,
    rationale: str | None,
    content: str | None,
    error: type[HeldtrueError],
    field: str,
) -> None:
    with pytest.raises(error) as refused:
        say_yes(memory, make, rationale, content)
    assert refused.value.field == field
    assert refused.value.hint
