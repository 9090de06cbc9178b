"""Compares a candidate with memories near it by the reader, before the write lock is taken.

What the rules of `language` find by the claims of two statements is exact and narrow. The reader finds the same in
other words. A contradiction that it is very sure of makes a write wait, like one that the rules find; any other that it
sees is flagged on both sides and makes nothing wait. Where it sees no contradiction at all, a finding of the rules is
only flagged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import NamedTuple

from heldtrue.domain.claim import Statement
from heldtrue.domain.limits import MEMORIES_COMPARED_MAX, QUOTED_CLAIM_CHARS_MAX
from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.principal import SYSTEM, Principal
from heldtrue.ingest.ports import IngestReadTransaction
from heldtrue.ingest.stages.candidate import Candidate
from heldtrue.ingest.stages.match import read_statement
from heldtrue.language.compare import SAME_LIKENESS, Comparison
from heldtrue.language.guard import guarded
from heldtrue.language.other_values import count_differing_numbers, values_differ
from heldtrue.language.value_forms import bring_to_one_form
from heldtrue.model_ports import StatementReader

CONTRADICTS_SURELY, CONTRADICTS_PERHAPS, CONTRADICTS_HARDLY = 0.965, 0.85, 0.1
"""From these shares on a contradiction makes a write wait or is flagged; below the last there is none. Chosen on facts
that were kept apart for it."""
SAYS_SAME = 0.8
"""From this share on, both ways, two statements say the same."""
SAME_COSINE = 0.85
NEAR_COSINE = 0.5
"""The least cosine at which two statements are compared. It only saves work."""

FindNear = Callable[[IngestReadTransaction, str, str, Principal], Sequence[MemoryVersion]]
"""From a text, a scope and who writes to the active memories near the text."""


class NearRelation(Enum):
    """What the reader says of a candidate and a memory."""

    SAME = auto()
    CONTRARY = auto()
    PERHAPS = auto()
    """Perhaps contrary."""
    UNCLEAR = auto()
    UNRELATED = auto()


class NearStatement(NamedTuple):
    """A memory near a candidate, and what the reader says of the two."""

    memory_id: str
    content: str
    relation: NearRelation

    def comparison_with(self, said: str) -> Comparison | None:
        """The two as the gate compares statements; None if they have nothing to do with each other."""
        match self.relation:
            case NearRelation.SAME:
                return Comparison("near", SAME_LIKENESS, "both say the same in other words")
            case NearRelation.CONTRARY | NearRelation.PERHAPS:
                return Comparison("contrary", 0.0, f"{_quote(said)} against {_quote(self.content)}")
            case _:
                return None


def _quote(text: str) -> str:
    return f'"{text if len(text) <= QUOTED_CLAIM_CHARS_MAX else text[:QUOTED_CLAIM_CHARS_MAX] + "..."}"'


class NearStatements:
    """Finds and compares the memories near a candidate; without a reader, none."""

    def __init__(
        self,
        open_reader: Callable[[], StatementReader | None] = lambda: None,
        find_near: FindNear = lambda *_given: (),
    ) -> None:
        self._open_reader = open_reader
        self._find_near = find_near

    def compare(
        self,
        reading: IngestReadTransaction,
        candidate: Candidate,
        actor: Principal,
        keyed: Sequence[MemoryVersion],
    ) -> list[NearStatement]:
        """Compare a candidate with some memories that share a claim with it and, for an agent, with the nearest ones.

        What a person states is only compared with memories about the same claim.
        """
        reader = self._open_reader() if keyed or not actor.is_person else None
        if reader is None:
            return []
        memories = self._gather(reading, candidate, actor, keyed)
        return [
            NearStatement(memory.memory_id, memory.content, relation)
            for memory, relation in _compare(reader, candidate.statement, memories)
        ]

    def find_same(self, reading: IngestReadTransaction, memory: MemoryVersion) -> list[MemoryVersion]:
        """The active memories of the same scope that say the same as a memory, in other words."""
        reader = self._open_reader()
        if reader is None:
            return []
        near = self._find_near(reading, memory.content, memory.scope, SYSTEM)
        others = [
            other
            for other in near
            if other.memory_id != memory.memory_id
            and (other.scope, other.privacy) == (memory.scope, memory.privacy)
            and other.valid_time.overlaps(memory.valid_time)
        ]
        compared = _compare(reader, read_statement(memory.content), others)
        return [other for other, relation in compared if relation is NearRelation.SAME]

    def _gather(
        self,
        reading: IngestReadTransaction,
        candidate: Candidate,
        actor: Principal,
        keyed: Sequence[MemoryVersion],
    ) -> list[MemoryVersion]:
        near = () if actor.is_person else self._find_near(reading, candidate.content, candidate.scope, actor)
        privacy = candidate.privacy(actor)
        found = {memory.memory_id: memory for memory in (*keyed, *near)}
        return [memory for memory in found.values() if memory.scope == candidate.scope and memory.privacy == privacy]


@guarded(lambda *_given: [])
def _compare(
    reader: StatementReader, statement: Statement, memories: Sequence[MemoryVersion]
) -> list[tuple[MemoryVersion, NearRelation]]:
    """What the reader says of a statement and the nearest of some memories."""
    said = bring_to_one_form(statement.text)
    others = [(memory, bring_to_one_form(memory.content)) for memory in memories]
    others = [(memory, held) for memory, held in others if held != said]
    if not others:
        return []
    vectors = reader.embed([said, *(held for _, held in others)])
    cosines = [float(cosine) for cosine in vectors[1:] @ vectors[0]]
    nearest = sorted(zip(cosines, others, strict=True), key=lambda found: -found[0])[:MEMORIES_COMPARED_MAX]
    return [
        (memory, _relate(reader, said, held, may_be_same=cosine >= SAME_COSINE and _claims_as_much(statement, memory)))
        for cosine, (memory, held) in nearest
        if cosine >= NEAR_COSINE
    ]


def _claims_as_much(statement: Statement, memory: MemoryVersion) -> bool:
    """Whether two statements make equally many claims: one that says more is not the same."""
    return len(statement.claims) == len(read_statement(memory.content).claims)


def _relate(reader: StatementReader, said: str, held: str, *, may_be_same: bool) -> NearRelation:
    there = reader.compare([(said, held)])[0]
    if there.contradicts >= CONTRADICTS_PERHAPS:
        # Where only numbers differ, the reader cannot tell another value from another thing: the rules decide.
        differing = count_differing_numbers(said, held)
        if differing > 1:
            return NearRelation.UNCLEAR
        is_sure = there.contradicts >= CONTRADICTS_SURELY and not differing
        return NearRelation.CONTRARY if is_sure else NearRelation.PERHAPS
    if may_be_same and there.says >= SAYS_SAME and not values_differ(said, held):
        back = reader.compare([(held, said)])[0]
        if back.says >= SAYS_SAME and not values_differ(held, said):
            return NearRelation.SAME
    return NearRelation.UNRELATED if there.contradicts < CONTRADICTS_HARDLY else NearRelation.UNCLEAR
