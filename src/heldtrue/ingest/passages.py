"""Findable evidence: a source cut into pieces, and hidden where it says what was rejected.

When a passage is hidden follows from the records alone, so that a live write, an import and a rebuilt index agree: a
source in quarantine is hidden as of every moment; else a passage is hidden from the first entry on that rejected
something it says, or something it is the evidence of, as long as that stays rejected, or that brought a newer text of
the same document.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

import msgspec

from heldtrue.domain.posting import Words
from heldtrue.domain.records import Evidence, Source, SourceKind, Tombstone
from heldtrue.domain.scope import scope_kind, scope_name
from heldtrue.ingest.keys import claim_values, covering_scopes, lookup_key
from heldtrue.ingest.stones import Said, binds, find_stones_over, project_of_repo
from heldtrue.language.features import count_passage, speaker_marks
from heldtrue.language.grammar.sentences import read_sentences
from heldtrue.language.grammar.tokens import read_tokens
from heldtrue.language.normalise import fold_text
from heldtrue.language.pieces import context_title, cut_pieces
from heldtrue.language.statements import analyse_statement
from heldtrue.ports import Collection, Passage, Piece, Reading, Writing

_SPOKEN = (SourceKind.CONVERSATION, SourceKind.RUN)


class Cut(msgspec.Struct, frozen=True):
    """A piece of a text, taken apart; nothing about it depends on a store."""

    start: int
    end: int
    said: tuple[Said, ...]
    words: Words


def collection_of(kind: str) -> Collection:
    """What a source of a kind is searched together with."""
    return Collection.SESSIONS if kind in _SPOKEN else Collection.SOURCES


def cut_source(content: str, title: str | None) -> tuple[Cut, ...]:
    """A text in the pieces that will be findable, each with the heading it stands under and with what it says."""
    cuts = []
    for start, end in cut_pieces(content):
        around = (title, context_title(content, start))
        headings = " ".join(dict.fromkeys(filter(None, around)))
        text = content[start:end]
        cuts.append(Cut(start, end, _said_under(title, text), count_passage(text, headings)))
    return tuple(cuts)


def _said_under(title: str | None, text: str) -> tuple[Said, ...]:
    """What a piece says where it is shown, which is under its title."""
    return values_said(text) + (_said_by_title(title) if title else ())


@lru_cache(maxsize=256)
def _said_by_title(title: str) -> tuple[Said, ...]:
    """Remembered, since all turns of a conversation have one title."""
    return values_said(title)


def values_said(text: str) -> tuple[Said, ...]:
    """Every value that a text says and that might be rejected: as a whole, sentence by sentence, claim by claim.

    What somebody is quoted with is said too.
    """
    quoted = [found[1] for found in _QUOTED.finditer(text)] + [found[1] for found in _LABELLED.finditer(text)]
    return tuple(dict.fromkeys(one for part in (text, *quoted) for one in _values_of(part)))


_QUOTED = re.compile(r"""["“„«「]([^"“”„«»「」\n]{8,400})["“”»」]""")
_LABELLED = re.compile(r"^(?:[^:\n]|:(?!\s)){1,60}:[ \t]+(\S[^\n]{7,})$", re.MULTILINE)
"""`Ana: it is done`: what follows a name or another label at the start of a line."""


def _values_of(text: str) -> list[Said]:
    statement = analyse_statement(text)
    tokens = read_tokens(text, statement.identifiers, statement.quantities, statement.dates)
    sentences = [text[tokens[first].start : tokens[last - 1].end] for first, last in read_sentences(text, tokens)]
    wordings = (text, *sentences, *(claim.text for claim in statement.claims))
    said = [Said("text", folded, folded) for folded in map(fold_text, wordings) if folded]
    return said + [Said("claim", value, claim.text) for claim in statement.claims for value in claim_values(claim)]


def _passage_key(space_key: bytes, grain: str, value: str) -> int:
    # Without a scope, where a tombstone's own key has one: a passage would else have a key for each wider scope too.
    return lookup_key(space_key, "said", grain, value)


REBUILDING = "rebuilding"
"""The counter of the index that says that it is being made anew, and by which run."""


def index_source(transaction: Writing, source: Source, cuts: Sequence[Cut] | None = None) -> None:
    """Make a new source findable, if it is part of a thread; `cuts` are its pieces where they are known already."""
    # An index that is being made anew comes to it later: before what its thread has already it would be out of order.
    if source.thread is not None and not transaction.index_state(REBUILDING):
        write_passages(transaction, source, cuts, is_new=True)


def write_passages(
    transaction: Writing, source: Source, cuts: Sequence[Cut] | None = None, *, is_new: bool = False
) -> None:
    """Write the derived rows of a source that is part of a thread."""
    assert source.thread is not None
    cuts = cut_source(source.content, source.title) if cuts is None else cuts
    pieces = make_pieces(transaction, source, cuts, is_new=is_new)
    transaction.index_passages(source, source.thread, pieces, collection=collection_of(source.kind))


def make_pieces(transaction: Reading, source: Source, cuts: Sequence[Cut], *, is_new: bool = False) -> list[Piece]:
    """The pieces of a source as they are indexed, hidden where that follows from what is recorded so far.

    Of a new source nobody has said anything yet; only what it says itself can hide it.
    """
    space_key = transaction.space().key
    judge = _Judge(transaction, source, is_new=is_new)
    speaker = dict.fromkeys(speaker_marks(source.speaker), 1.0)
    pieces = []
    for cut in cuts:
        keys = tuple(_passage_key(space_key, one.grain, one.value) for one in cut.said)
        hidden_seq = judge.hidden_from(cut, alone=len(cuts) == 1)
        words = msgspec.structs.replace(cut.words, weights=cut.words.weights | speaker)
        pieces.append(Piece(cut.start, cut.end, words, keys, hidden_seq))
    return pieces


class _Judge:
    """Says from when on the passages of one source are hidden."""

    def __init__(self, transaction: Reading, source: Source, *, is_new: bool = False) -> None:
        self._transaction = transaction
        self._source = source
        self._scopes = covering_scopes(source.scope, _project_of(transaction, source.scope))
        self._is_out = not is_new and transaction.open_quarantine(source.id) is not None
        self._replaced_seq = None if is_new else _replaced_from(transaction, source)
        is_spared = is_new or self._is_out
        self._rejected = () if is_spared else tuple(_rejected_evidence(transaction, source))

    def hidden_from(self, piece: Cut | Passage, *, alone: bool) -> int | None:
        """The entry from which on a piece is hidden; 0 for always, None for not."""
        if self._is_out:
            return 0
        start, end = _span_of(piece)
        text, title = self._source.content[start:end], self._source.title
        said = piece.said if isinstance(piece, Cut) else _said_under(title, text)
        over = find_stones_over(
            self._transaction, self._transaction.space().key, said, self._scopes, private_to=self._source.author
        )
        stones = [stone for stone, _ in over]
        stones += [stone for stone, evidence in self._rejected if _rests_on(evidence, piece, alone=alone)]
        seqs = [max(stone.seq, self._source.seq) for stone in stones]
        return min([*seqs, *([self._replaced_seq] if self._replaced_seq is not None else [])], default=None)


def _replaced_from(transaction: Reading, source: Source) -> int | None:
    """The entry that brought a newer text of the same document, if there is one."""
    later = transaction.documents_after(source)
    return later[0].seq if later else None


def _rejected_evidence(transaction: Reading, source: Source) -> Iterable[tuple[Tombstone, Evidence]]:
    """The tombstones of memories that rest on a source, each with where in it."""
    for memory_id in transaction.memories_of_source(source.id):
        stones = [stone for stone in transaction.tombstones_of(memory_id) if stone.recorded_to is None]
        if stones and binds(transaction.version(memory_id), source.author):
            tied = [evidence for evidence, one in transaction.evidence_of([memory_id]) if one.id == source.id]
            yield from ((stone, evidence) for stone in stones for evidence in tied)


def _rests_on(evidence: Evidence, piece: Cut | Passage, *, alone: bool) -> bool:
    """Whether evidence is taken from a piece; evidence of no certain place is, if the source is in one piece."""
    if evidence.span_start is None or evidence.span_end is None:
        return alone
    start, end = _span_of(piece)
    return evidence.span_start < end and start < evidence.span_end


def _span_of(piece: Cut | Passage) -> tuple[int, int]:
    return (piece.start, piece.end) if isinstance(piece, Cut) else (piece.span_start, piece.span_end)


def _project_of(transaction: Reading, scope: str) -> str | None:
    return project_of_repo(transaction, scope_name(scope)) if scope_kind(scope) == "repo" else None


def judge_evidence(transaction: Writing, stones: Sequence[Tombstone]) -> None:
    """Hide the passages that some tombstones cover which were just laid, or show them again where they were lifted."""
    _judge_again(transaction, _touched(transaction, stones))


def judge_source(transaction: Writing, source_id: str) -> list[Passage]:
    """Hide or show a source that went into quarantine or came out of it; returns its passages as they are now."""
    _judge_again(transaction, transaction.passages_of(source_id))
    return transaction.passages_of(source_id)


def _touched(transaction: Reading, stones: Sequence[Tombstone]) -> list[Passage]:
    """The passages that some tombstones may cover."""
    if not stones:
        return []
    space_key = transaction.space().key
    keys = {_passage_key(space_key, stone.grain, stone.value) for stone in stones}
    found = transaction.passages_by_keys(keys)
    for evidence, source in transaction.evidence_of(sorted({stone.memory_id for stone in stones})):
        pieces = transaction.passages_of(source.id) if source.thread is not None else []
        found += [piece for piece in pieces if _rests_on(evidence, piece, alone=len(pieces) == 1)]
    return found


def _judge_again(transaction: Writing, passages: Sequence[Passage]) -> None:
    by_source: dict[str, dict[int, Passage]] = {}
    for passage in passages:
        by_source.setdefault(passage.source_id, {})[passage.no] = passage
    changed: dict[int | None, list[int]] = {}
    for source_id, touched in by_source.items():
        source = transaction.source(source_id)
        assert source is not None
        alone, judge = len(transaction.passages_of(source_id)) == 1, _Judge(transaction, source)
        for passage in touched.values():
            hidden_seq = judge.hidden_from(passage, alone=alone)
            if hidden_seq != passage.hidden_seq:
                changed.setdefault(hidden_seq, []).append(passage.no)
    for hidden_seq, numbers in changed.items():
        transaction.hide_passages(numbers, hidden_seq)
