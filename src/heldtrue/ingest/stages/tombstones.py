"""Tombstones: how far a rejection reaches, laying one, lifting it, and hiding the evidence that says what was rejected.

A person's rejection holds for everybody. What anyone else rejects holds for that author alone: it refuses nobody else,
and hides no evidence that another has brought.

When a passage is hidden follows from the records alone, so that a live write, an import and a rebuilt index agree: a
source in quarantine is hidden as of every moment; else a sentence is hidden from the first entry on that rejected
something it says, or something it is the evidence of, as long as that stays rejected. A passage is hidden if all of its
sentences are, if it says what was rejected only as a whole, or if an entry brought a newer text of the same document.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from heldtrue.domain.claim import Claim, Statement
from heldtrue.domain.erasure import is_erased
from heldtrue.domain.hidden import HiddenSpan, write_spans
from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.principal import read_principal
from heldtrue.domain.records import Evidence, Source, Tombstone
from heldtrue.domain.rows import Passage
from heldtrue.domain.scope import scope_kind, scope_name
from heldtrue.ingest.ports import IngestReadTransaction, IngestWriteTransaction
from heldtrue.ingest.stages.candidate import Candidate
from heldtrue.ingest.stages.journal import EntryBuilder, WriteSession
from heldtrue.ingest.stages.keys import (
    claim_values,
    covering_scopes,
    lookup_key,
    said_values,
    value_key,
    value_keys,
)
from heldtrue.ingest.stages.match import read_statement
from heldtrue.ingest.stages.passages import Cut, SaidValue, said_under, values_said
from heldtrue.ingest.stages.rejected import Holds
from heldtrue.language.distinguishing_marks import names_another
from heldtrue.language.extraction.sentence_spans import split_sentences
from heldtrue.language.terms import STOP_STEMS, distinct_terms
from heldtrue.ports import ReadTransaction

# Finding


def tombstone_keys(space_key: bytes, candidate: Candidate) -> frozenset[int] | None:
    """The keys of all tombstones that could cover a candidate; none where only the store can tell how far they reach,
    because a repo may have got its project meanwhile.
    """
    if candidate.repo_id is not None and candidate.project_id is None:
        return None
    scopes = covering_scopes(candidate.scope, candidate.project_id)
    return frozenset(
        value_key(space_key, scope, grain, value)
        for statement in candidate.statements
        for grain, value in said_values(statement)
        for scope in scopes
    )


def holds_for(author: str) -> Holds:
    """The rejections that bind an author: those of people, and its own. One in private binds nobody else."""

    def holds(stone: Tombstone, memory: MemoryVersion | None) -> bool:
        return _is_known_to(author, memory) and (is_for_everyone(stone) or stone.author == author)

    return holds


def known_to(author: str | None) -> Holds:
    """Every rejection, whoever made it, but those that others made in private."""
    return lambda _stone, memory: _is_known_to(author, memory)


def _is_known_to(author: str | None, memory: MemoryVersion | None) -> bool:
    return memory is None or memory.privacy.author in (None, author)


def is_for_everyone(stone: Tombstone) -> bool:
    """Whether a rejection holds for everybody, which only a person's does."""
    return read_principal(stone.author).is_person


def find_tombstones(
    reading: ReadTransaction, candidate: Candidate, space_key: bytes, *, holds: Holds
) -> list[Tombstone]:
    """The open tombstones that cover a candidate, in any of the texts it would show."""
    project_id = candidate.project_id or project_of_repo(reading, candidate.repo_id)
    found: dict[str, Tombstone] = {}
    for statement in candidate.statements:
        covering = tombstones_over(reading, space_key, statement, (candidate.scope, project_id), holds=holds)
        found |= {stone.id: stone for stone in covering}
    return list(found.values())


def open_tombstones(reading: ReadTransaction, memory_id: str) -> list[Tombstone]:
    """The open tombstones that were laid with a memory."""
    return [stone for stone in reading.records.tombstones_of(memory_id) if stone.recorded_to is None]


def tombstones_over_memory(session: WriteSession, memory: MemoryVersion) -> list[Tombstone]:
    """The open tombstones over what a held memory says, its own aside."""
    found = tombstones_over_text(session.transaction, memory, memory.content, actor=session.actor.id)
    return [stone for stone in found if stone.memory_id != memory.memory_id]


def tombstones_over_text(reading: ReadTransaction, memory: MemoryVersion, text: str, *, actor: str) -> list[Tombstone]:
    """The open tombstones over a text in the scope of a memory."""
    # Maintenance acts for whoever a private memory belongs to.
    author = memory.privacy.author or actor
    where = (memory.scope, memory.project_id)
    return tombstones_over(reading, reading.ledger.space().key, read_statement(text), where, holds=holds_for(author))


def tombstones_over(
    reading: ReadTransaction,
    space_key: bytes,
    statement: Statement,
    where: tuple[str, str | None],
    *,
    holds: Holds,
) -> list[Tombstone]:
    """The open tombstones that cover any part of a statement, given its scope and project."""
    said = [SaidValue(grain, value, statement.text) for grain, value in said_values(statement)]
    found = _find_covering(reading, space_key, said, covering_scopes(*where), holds=holds)
    return list({stone.id: stone for stone, _ in found}.values())


def _find_covering(
    reading: ReadTransaction,
    space_key: bytes,
    said: Iterable[SaidValue],
    scopes: Iterable[str],
    *,
    holds: Holds,
) -> list[tuple[Tombstone, SaidValue]]:
    """The open tombstones of some scopes over some values, each with what it covers."""
    scopes = tuple(scopes)
    values: dict[int, list[SaidValue]] = {}
    for value in said:
        for scope in scopes:
            values.setdefault(value_key(space_key, scope, value.grain, value.value), []).append(value)
    found = []
    for stone in reading.records.tombstones_by_keys(values):
        memory = reading.memories.version(stone.memory_id)
        # The key is 64 bits of a hash; the folded value decides, unless it was erased and the key is all that is left.
        same = [
            value
            for value in values[stone.lookup_key]
            if is_erased(stone) or (value.grain, value.value) == (stone.grain, stone.value)
        ]
        if holds(stone, memory):
            found += [(stone, value) for value in same if _means(stone, memory, value.words)]
    return found


def _means(stone: Tombstone, memory: MemoryVersion | None, words: str) -> bool:
    """Whether a tombstone means what is said, and not a thing with a similar name."""
    if memory is None or is_erased(stone):
        return True
    return stone.grain != "claim" or not names_another(_rejected_words(memory, stone), words)


def _rejected_words(memory: MemoryVersion, stone: Tombstone) -> str:
    """The words of a memory that a tombstone over one of its claims means."""
    claims = read_statement(memory.content).claims
    said = [claim.text for claim in claims if stone.value in claim_values(claim)] if len(claims) > 1 else []
    return said[0] if said else memory.content


def project_of_repo(reading: ReadTransaction, repo_id: str | None) -> str | None:
    """The project that a repo was first used in."""
    record = reading.ledger.opened("repos", {"id": repo_id}) if repo_id else None
    return record.project_id if record else None


def claims_standing(session: WriteSession, memory: MemoryVersion, claims: Sequence[Claim]) -> list[Claim]:
    """The claims of a memory that were not rejected since."""
    reading, actor = session.transaction, session.actor.id
    return [claim for claim in claims if not tombstones_over_text(reading, memory, claim.text, actor=actor)]


# Laying and lifting


def bury(builder: EntryBuilder, memory: MemoryVersion, *, reason: str, spare: Collection[str] = ()) -> list[Tombstone]:
    """Reject the statement of a memory, claim by claim, except the claims (by key) that stay valid."""
    statement = read_statement(memory.content)
    values = value_keys(builder.session.space.key, memory.scope, statement, spare=spare).values()
    return lay_tombstones(builder, memory, ((grain, value, reason) for grain, value in values))


def lay_tombstones(
    builder: EntryBuilder, memory: MemoryVersion, rejected: Iterable[tuple[str, str, str]]
) -> list[Tombstone]:
    """Reject values (grain, value, reason) in the scope of the memory that said them, and hide the evidence of them."""
    stones = [
        builder.insert(
            Tombstone(
                id=builder.fresh_id(),
                seq=builder.seq,
                scope=memory.scope,
                grain=grain,
                value=value,
                lookup_key=value_key(builder.session.space.key, memory.scope, grain, value),
                memory_id=memory.memory_id,
                author=builder.actor,
                reason=reason,
                recorded_from=builder.at,
            )
        )
        for grain, value, reason in rejected
    ]
    judge_evidence(builder.transaction, stones)
    return stones


def lift(builder: EntryBuilder, memory: MemoryVersion, *, reason: str) -> int:
    """Lift every tombstone that covers the statement of a memory, whichever memory it belongs to."""
    own = open_tombstones(builder.transaction, memory.memory_id)
    covering = tombstones_over(
        builder.transaction,
        builder.session.space.key,
        read_statement(memory.content),
        (memory.scope, memory.project_id),
        holds=known_to(memory.privacy.author),
    )
    lift_tombstones(builder, {stone.id: stone for stone in (*own, *covering)}.values(), reason=reason)
    return len(own) + len(covering)


def lift_tombstones(builder: EntryBuilder, stones: Iterable[Tombstone], *, reason: str) -> None:
    """Lift tombstones, and show the evidence that they hid."""
    lifted = [builder.close(stone, closed_by=builder.actor, close_reason=reason) for stone in stones]
    judge_evidence(builder.transaction, lifted)


# Hiding evidence


def passage_key(space_key: bytes, value: SaidValue | Tombstone) -> int:
    """The key by which a passage and the tombstone over what it says find each other."""
    # Without a scope, where a tombstone's own key has one: a passage would else have a key for each wider scope too.
    return lookup_key(space_key, "said", value.grain, value.value)


class Hidden(NamedTuple):
    """What is hidden of a passage."""

    seq: int | None
    """From which entry on all of it is; 0 for always, None for not."""
    spans: str | None
    """Which sentences of it are (`domain.hidden`)."""


class HiddenFrom:
    """Says from when on the passages of one source are hidden.

    Of a new source nobody has said anything yet; only what it says itself can hide it.
    """

    def __init__(self, reading: IngestReadTransaction, source: Source, *, is_new: bool = False) -> None:
        self._reading = reading
        self._source = source
        self._holds = holds_for(source.author)
        self._scopes = covering_scopes(source.scope, _project_of(reading, source.scope))
        self._is_out = not is_new and reading.sources.open_quarantine(source.id) is not None
        self._replaced_seq = None if is_new else _replaced_from(reading, source)
        is_spared = is_new or self._is_out
        self._rejected = () if is_spared else tuple(_rejected_evidence(reading, source))

    def judge(self, passage: Cut | Passage, *, alone: bool) -> Hidden:
        """From which entry on a passage is hidden, and from when on single sentences of it are."""
        if self._is_out:
            return Hidden(0, None)
        replaced = [] if self._replaced_seq is None else [self._replaced_seq]
        start, end = _span_of(passage)
        text = self._source.content[start:end]
        said = passage.said if isinstance(passage, Cut) else said_under(self._source.title, text)
        resting = [(stone, tied) for stone, tied in self._rejected if _rests_on(tied, passage, alone=alone)]
        stones = self._covering(said) + [stone for stone, _ in resting]
        if not stones:
            return Hidden(min(replaced, default=None), None)
        sentences = self._rejected_sentences(text, start, resting)
        hidden, whole = self._hide_sentences(sentences, stones)
        return Hidden(min(replaced + whole, default=None), write_spans(hidden))

    def _hide_sentences(
        self, sentences: Mapping[tuple[int, int], Sequence[Tombstone]], stones: Sequence[Tombstone]
    ) -> tuple[list[HiddenSpan], list[int]]:
        """The sentences of a passage that are hidden, and the entries from which on all of it is."""
        hidden = [HiddenSpan(*span, min(map(self._seq_of, found))) for span, found in sentences.items() if found]
        stated = {stone.id for found in sentences.values() for stone in found}
        # What no single sentence states, the passage states as a whole.
        whole = [self._seq_of(stone) for stone in stones if stone.id not in stated]
        if hidden and len(hidden) == len(sentences):
            whole.append(max(span.seq for span in hidden))
        return hidden, whole

    def _covering(self, said: Iterable[SaidValue]) -> list[Tombstone]:
        space_key = self._reading.ledger.space().key
        return [stone for stone, _ in _find_covering(self._reading, space_key, said, self._scopes, holds=self._holds)]

    def _rejected_sentences(
        self, text: str, offset: int, resting: Sequence[tuple[Tombstone, Evidence]]
    ) -> dict[tuple[int, int], list[Tombstone]]:
        """Each sentence of a passage by its span in the source, with the rejections of what it states or supports."""
        found: dict[tuple[int, int], list[Tombstone]] = {}
        for sentence in split_sentences(text):
            if sentence.heading:
                continue  # what stands under it says something, or nothing is left
            start, end = sentence.start + offset, sentence.end + offset
            tied = [stone for stone, evidence in resting if _is_within(evidence, start, end)]
            found[start, end] = self._covering(values_said(sentence.text)) + tied
        _add_repetitions(found, text, offset)
        return found

    def _seq_of(self, stone: Tombstone) -> int:
        return max(stone.seq, self._source.seq)


def _is_within(evidence: Evidence, start: int, end: int) -> bool:
    """Whether evidence is taken from a span of its source."""
    if evidence.span_start is None or evidence.span_end is None:
        return False
    return evidence.span_start < end and start < evidence.span_end


def _add_repetitions(sentences: dict[tuple[int, int], list[Tombstone]], text: str, offset: int) -> None:
    """Let sentences that have all the words of a rejected one, as in "they said that ...", be rejected with it."""
    rejected = {span: stones for span, stones in sentences.items() if stones}
    if not rejected or len(rejected) == len(sentences):
        return
    terms = {span: distinct_terms(text[span[0] - offset : span[1] - offset]) - STOP_STEMS for span in sentences}
    for span in sentences.keys() - rejected.keys():
        for other, stones in rejected.items():
            if terms[other] and terms[other] <= terms[span]:
                sentences[span] = [*sentences[span], *stones]


def _replaced_from(reading: IngestReadTransaction, source: Source) -> int | None:
    """The entry that brought a newer text of the same document, if there is one."""
    later = reading.sources.documents_after(source)
    return later[0].seq if later else None


def _rejected_evidence(reading: IngestReadTransaction, source: Source) -> Iterable[tuple[Tombstone, Evidence]]:
    """The tombstones of memories that rest on a source, each with where in it."""
    holds = holds_for(source.author)
    for memory_id in reading.sources.memories_of(source.id):
        memory = reading.memories.version(memory_id)
        stones = [stone for stone in open_tombstones(reading, memory_id) if holds(stone, memory)]
        if stones:
            tied = [evidence for evidence, cited in reading.records.evidence_of([memory_id]) if cited.id == source.id]
            yield from ((stone, evidence) for stone in stones for evidence in tied)


def _rests_on(evidence: Evidence, passage: Cut | Passage, *, alone: bool) -> bool:
    """Whether evidence is taken from a passage; evidence without a span is, if the source is one passage."""
    return alone if evidence.span_start is None else _is_within(evidence, *_span_of(passage))


def _span_of(passage: Cut | Passage) -> tuple[int, int]:
    return (passage.start, passage.end) if isinstance(passage, Cut) else (passage.span_start, passage.span_end)


def _project_of(reading: ReadTransaction, scope: str) -> str | None:
    return project_of_repo(reading, scope_name(scope)) if scope_kind(scope) == "repo" else None


def judge_evidence(transaction: IngestWriteTransaction, stones: Sequence[Tombstone]) -> None:
    """Hide the passages that some tombstones cover which were just laid, or show them again where they were lifted."""
    _judge_again(transaction, _touched(transaction, stones))


def judge_source(transaction: IngestWriteTransaction, source_id: str) -> list[Passage]:
    """Hide or show a source that went into quarantine or came out of it; returns its passages as they are now."""
    _judge_again(transaction, transaction.passages.of_source(source_id))
    return transaction.passages.of_source(source_id)


def _touched(reading: ReadTransaction, stones: Sequence[Tombstone]) -> list[Passage]:
    """The passages that some tombstones may cover."""
    if not stones:
        return []
    space_key = reading.ledger.space().key
    found = reading.passages.by_keys({passage_key(space_key, stone) for stone in stones})
    for evidence, source in reading.records.evidence_of(sorted({stone.memory_id for stone in stones})):
        passages = reading.passages.of_source(source.id) if source.thread is not None else []
        found += [passage for passage in passages if _rests_on(evidence, passage, alone=len(passages) == 1)]
    return found


def _judge_again(transaction: IngestWriteTransaction, passages: Sequence[Passage]) -> None:
    by_source: dict[str, dict[int, Passage]] = {}
    for passage in passages:
        by_source.setdefault(passage.source_id, {})[passage.no] = passage
    changed: dict[Hidden, list[int]] = {}
    for source_id, touched in by_source.items():
        source = transaction.sources.get(source_id)
        assert source is not None
        alone, hidden_from = len(transaction.passages.of_source(source_id)) == 1, HiddenFrom(transaction, source)
        for passage in touched.values():
            hidden = hidden_from.judge(passage, alone=alone)
            if hidden != (passage.hidden_seq, passage.hidden_spans):
                changed.setdefault(hidden, []).append(passage.no)
    for hidden, numbers in changed.items():
        transaction.passages.hide(numbers, *hidden)
