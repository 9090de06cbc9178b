"""Recognises a rejected statement in other words, inside a longer text or written differently.

What equals a rejected value after folding is refused by its key (`stages.tombstones`). Everything else that says it is
found here, and waits for a person. Without the reader only a text that contains the rejected one word for word is
recognised.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from heldtrue.domain.claim import Claim
from heldtrue.domain.erasure import is_erased
from heldtrue.domain.limits import COMPARED_WORDS_MAX, PIECES_COMPARED_MAX, QUOTED_CHARS_MAX, REJECTED_COMPARED_MAX
from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.records import Tombstone, TombstonesMoved
from heldtrue.ingest.stages.keys import claim_values, covering_scopes
from heldtrue.ingest.stages.match import read_statement
from heldtrue.language.distinguishing_marks import names_another
from heldtrue.language.extraction.sentence_spans import split_sentences
from heldtrue.language.guard import guarded
from heldtrue.language.normalise import fold_text
from heldtrue.language.other_values import values_differ
from heldtrue.language.value_forms import bring_to_one_form, contains_words
from heldtrue.model_ports import StatementReader
from heldtrue.ports import ReadTransaction

if TYPE_CHECKING:
    from numpy import ndarray

SAYS_AT_LEAST, SAYS_RATHER = 0.1, 0.3
"""From this share on the reader's answer counts, unless it rather says that the two contradict each other. Chosen on
facts and frames that were kept apart for it, not on a benchmark."""
REPEATS_AT_LEAST = 0.05
"""The same for a text that contains the rejected one word for word."""
DENIES_AT_LEAST = 0.95
"""From this share on a text denies a statement, even if one of its sentences says it."""
NEAR_AT_LEAST = 0.45
"""The least cosine at which two statements are compared. It only saves work: of sentences that say a statement, one in
a thousand is below it, and of unrelated ones nineteen in twenty."""
_LEFT_OPEN = re.compile(
    r"\b(?:not|no longer|never|false|wrong|untrue|incorrect|mistaken|whether|unclear|asked|asks|claim|claimed"
    r"|claims|rumou?r|until|used to|formerly)\b|n['’]t\b|\?"
)


Holds = Callable[[Tombstone, MemoryVersion | None], bool]
"""Whether a rejection counts, given the memory that it was laid with."""


class Rejected(msgspec.Struct, frozen=True):
    """A rejected statement."""

    stone: Tombstone
    memory: MemoryVersion | None
    words: str
    form: str
    """Its words, with values in one form."""

    @property
    def shown(self) -> str:
        """Its words as a reason quotes them."""
        return f'"{self.words}"' if len(self.words) <= QUOTED_CHARS_MAX else f'"{self.words[:QUOTED_CHARS_MAX]}..."'


class Piece(NamedTuple):
    """A sentence of a text, or a short text as a whole."""

    words: str
    form: str
    """Its words, with values in one form."""
    is_whole: bool


class RejectedStatements:
    """The open rejections of one space, followed through the ledger, and the reader that recognises them."""

    def __init__(self, open_reader: Callable[[], StatementReader | None] = lambda: None) -> None:
        self._open_reader = open_reader
        self._lock = threading.Lock()
        self._begin_anew("")

    def _begin_anew(self, space_id: str) -> None:
        self._space_id = space_id
        self._seen = TombstonesMoved()
        self._by_scope: dict[str, dict[str, Rejected]] = {}
        self._vectors: dict[str, ndarray[Any, Any]] = {}

    def recognise(
        self, reading: ReadTransaction, text: str, where: tuple[str, str | None], holds: Holds
    ) -> Rejected | None:
        """The rejected statement that a text says, given the text's scope and project."""
        with self._lock:
            self._follow(reading)
            known = [found for scope in covering_scopes(*where) for found in self._by_scope.get(scope, {}).values()]
        return self._recognise(text, known, holds) if known else None

    def _follow(self, reading: ReadTransaction) -> None:
        """Take in what was rejected, lifted or erased since the last look."""
        space_id, moved = reading.ledger.space().id, reading.records.tombstones_moved()
        if (space_id, moved) == (self._space_id, self._seen):
            return
        before = self._seen
        is_gone = moved.laid < before.laid or moved.lifted < before.lifted or moved.erased != before.erased
        if space_id != self._space_id or is_gone:
            self._begin_anew(space_id)
            before = self._seen
        for stone in reading.records.tombstones_since(before.laid, before.lifted):
            held = self._by_scope.setdefault(stone.scope, {})
            held.pop(stone.id, None)
            self._vectors.pop(stone.id, None)
            if stone.recorded_to is None and not is_erased(stone):
                memory = reading.memories.version(stone.memory_id)
                words = _rejected_words(reading, memory, stone)
                if words is not None:
                    held[stone.id] = Rejected(stone, memory, words, bring_to_one_form(words))
        self._seen = moved

    @guarded(lambda self, text, known, holds: self._search(None, text, known, holds))
    def _recognise(self, text: str, known: Sequence[Rejected], holds: Holds) -> Rejected | None:
        return self._search(self._open_reader(), text, known, holds)

    def _search(
        self, reader: StatementReader | None, text: str, known: Sequence[Rejected], holds: Holds
    ) -> Rejected | None:
        pieces = _pieces_of(text)
        for found, near in self._candidates(None if _is_code(text) else reader, pieces, known):
            if holds(found.stone, found.memory) and _is_said(reader, near, found):
                return found
        return None

    def _candidates(
        self, reader: StatementReader | None, pieces: Sequence[Piece], known: Sequence[Rejected]
    ) -> Iterable[tuple[Rejected, list[Piece]]]:
        """The rejected statements that a text may say, each with the pieces of the text to look at: what it contains
        word for word first, then the nearest."""
        for found in known:
            if containing := [piece for piece in pieces if contains_words(piece.form, found.form)]:
                yield found, containing
        if reader is not None:
            yield from self._nearest(reader, pieces, known)

    def _nearest(
        self, reader: StatementReader, pieces: Sequence[Piece], known: Sequence[Rejected]
    ) -> list[tuple[Rejected, list[Piece]]]:
        import numpy

        with self._lock:
            missing = [found for found in known if found.stone.id not in self._vectors]
            if missing:
                rows = reader.embed([found.form for found in missing])
                self._vectors |= {found.stone.id: row for found, row in zip(missing, rows, strict=True)}
            rejected = numpy.array([self._vectors[found.stone.id] for found in known])
        cosines = reader.embed([piece.form for piece in pieces]) @ rejected.T
        best = cosines.max(axis=0)
        order = [n for n in numpy.argsort(-best)[:REJECTED_COMPARED_MAX] if best[n] >= NEAR_AT_LEAST]
        near = {n: sorted(numpy.argsort(-cosines[:, n])[:PIECES_COMPARED_MAX]) for n in order}
        return [(known[n], [pieces[at] for at in near[n]]) for n in order]


def _is_said(reader: StatementReader | None, pieces: Sequence[Piece], rejected: Rejected) -> bool:
    """Whether one of some pieces says a rejected statement, and the text as a whole does not deny it."""
    for piece in pieces:
        if values_differ(piece.form, rejected.form) or names_another(rejected.words, piece.words):
            continue
        said = _repeats(piece, rejected) if reader is None else _read_piece(reader, piece, rejected)
        if said is not None:
            return said
    return False


def _repeats(piece: Piece, rejected: Rejected) -> bool | None:
    """Whether a piece contains a rejected statement word for word; None if it does not, and others may."""
    return True if contains_words(piece.form, rejected.form) and not _is_left_open(piece, rejected) else None


def _read_piece(reader: StatementReader, piece: Piece, rejected: Rejected) -> bool | None:
    """What the reader says of a piece: it says the statement, the whole text denies it, or neither."""
    repeats = _repeats(piece, rejected)
    # The reader knows little of other scripts.
    if not rejected.form.isascii() and contains_words(piece.form, rejected.form):
        return repeats
    relation = reader.compare([(piece.form, rejected.form)])[0]
    if relation.says >= max(SAYS_AT_LEAST, SAYS_RATHER * relation.contradicts):
        return True
    if repeats and relation.says >= REPEATS_AT_LEAST:
        return True
    return False if piece.is_whole and relation.contradicts >= DENIES_AT_LEAST else None


def _is_left_open(piece: Piece, rejected: Rejected) -> bool:
    """Whether a text that contains a rejected statement word for word has words that deny it or leave it open."""
    return _LEFT_OPEN.search(piece.form.replace(rejected.form.rstrip(".!? "), " ")) is not None


def _rejected_words(reading: ReadTransaction, memory: MemoryVersion | None, stone: Tombstone) -> str | None:
    """The words that a tombstone rejects, as they were said where that is known; None where other tombstones of the
    same memory say it better.
    """
    if memory is None or (stone.grain == "text" and fold_text(memory.content) != stone.value):
        return stone.value if stone.grain == "text" else None
    claims = read_statement(memory.content).claims
    if stone.grain == "text":
        is_split = len(claims) > 1 and _keeps_a_part(reading, memory, claims)
        return None if is_split else memory.content
    said = [claim.text for claim in claims if stone.value in claim_values(claim)] if len(claims) > 1 else []
    return said[0] if said else None


def _keeps_a_part(reading: ReadTransaction, memory: MemoryVersion, claims: Sequence[Claim]) -> bool:
    """Whether only a part of what a memory claims was rejected."""
    stones = reading.records.tombstones_of(memory.memory_id)
    rejected = {stone.value for stone in stones if stone.grain == "claim" and stone.recorded_to is None}
    return any(rejected.isdisjoint(claim_values(claim)) for claim in claims)


def _pieces_of(text: str) -> list[Piece]:
    """A text as a whole if it is short, and its sentences if it has several."""
    sentences = [sentence.text for sentence in split_sentences(text)]
    pieces = [Piece(words, bring_to_one_form(words), is_whole=False) for words in sentences]
    if len(pieces) > 1 and len(text.split()) > COMPARED_WORDS_MAX:
        return pieces
    return [Piece(text, bring_to_one_form(text), is_whole=True), *(pieces if len(pieces) > 1 else [])]


def _is_code(text: str) -> bool:
    """Whether a text has no words outside code, so that it states nothing."""
    return "`" in text and not any(letter.isalnum() for letter in "".join(text.split("`")[::2]))
