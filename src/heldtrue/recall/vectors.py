"""The vectors of the shelves that a caller may see, compared one by one with a question's.

Products are taken with vecdot: behind `@` threads are woken that spin, which costs more than it saves here.

Vectors of a shelf are kept in memory once read, and followed by ledger sequence: what was written since is embedded
here where the embedder is quick, and read from the store where it is not. Nothing is written.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from heldtrue.domain.errors import ModelProblem
from heldtrue.domain.memory import MemoryVersion
from heldtrue.ports import Embedded, Embedder, Glance, Passage, Reading, Shelf, VectorRow

if TYPE_CHECKING:
    from numpy import ndarray

    Array = ndarray[Any, Any]

PIECE_CHARS = 1_200
"""A longer text is embedded in pieces of about this size."""
_FRESH_MAX = 5_000
"""Documents that one recall embeds itself; more than that waits for the background."""
_EXACT_MAX = 4_096
"""Vectors of a shelf that are compared one by one; above it their signs choose which."""
_RESCORED, _RESCORED_SHARE, _RESCORED_MAX = 8, 16, 4_096
"""How many the signs choose: so many times the wanted number, and at least one in sixteen, up to a limit. Texts of one
form have signs that are much alike: with fewer, a part of the nearest ten is lost (docs/adr/0017)."""
_STEP = 512
"""Vectors that are compared at once: so many stay in the processor's cache as they are made into floats."""
_FOLLOWED_MAX = 20_000
"""Ledger entries whose vectors are read one by one; after more than that all are read anew."""
_BYTES_MAX = 1024 * 1024 * 1024
"""Vectors kept in memory, which is about two million; the shelf not asked for longest goes first."""
_BESIDE_BYTES = 200
"""What a vector takes in memory besides itself: its number, its place, its tokens."""


class Matrix:
    """The vectors of one shelf, growing at the end. One thread may add to it while others compare."""

    def __init__(self, dimension: int) -> None:
        import numpy

        self._numpy = numpy
        self._rows = numpy.zeros((64, dimension), dtype=numpy.int8)
        self._scales = numpy.zeros(64, dtype=numpy.float32)
        self._floats: Array | None = None
        self._signs: Array = numpy.zeros((-(-dimension // 64), 0), dtype=numpy.uint64)
        self.size = 0
        self._docs = numpy.zeros(64, dtype=numpy.int64)
        self._is_cut = False
        """Whether any document is here in several pieces."""
        self.places: dict[int, int] = {}
        """Where the first piece of a document is."""
        self.tokens: list[bytes] = []

    @property
    def bytes_held(self) -> int:
        arrays = (self._rows, self._scales, self._signs, *(() if self._floats is None else (self._floats,)))
        return sum(int(one.nbytes) for one in arrays) + _BESIDE_BYTES * self.size

    @property
    def docs(self) -> list[int]:
        """The document of each vector."""
        return self.docs_at(slice(0, self.size))

    @property
    def numbers(self) -> Array:
        """The same as an array, with room at its end."""
        return self._docs

    def docs_at(self, places: Sequence[int] | slice) -> list[int]:
        docs: list[int] = self._docs[places].tolist()
        return docs

    def add(self, rows: Sequence[VectorRow]) -> None:
        """Take in vectors; a document that is there already is left as it is."""
        known = self.places
        # A row of another length is damaged; it counts like one that is not there.
        width = self._rows.shape[1]
        fresh = [row for row in rows if row.doc not in known and len(row.vector) == width]
        if not fresh:
            return
        numpy = self._numpy
        self._make_room(len(fresh))
        packed = numpy.frombuffer(b"".join(row.vector for row in fresh), dtype=numpy.int8)
        added = packed.reshape(len(fresh), -1)
        end = self.size + len(fresh)
        self._rows[self.size : end] = added
        lengths = numpy.linalg.norm(added.astype(numpy.float32), axis=1)
        self._scales[self.size : end] = numpy.divide(1.0, lengths, out=numpy.zeros_like(lengths), where=lengths > 0)
        docs = [row.doc for row in fresh]
        self._docs[self.size : end] = docs
        self.tokens += [row.tokens for row in fresh]
        if len(set(docs)) == len(docs):
            self.places.update(zip(docs, range(self.size, end), strict=True))
        else:
            self._is_cut = True
            for place, doc in enumerate(docs, start=self.size):
                self.places.setdefault(doc, place)
        # Last: whoever compares meanwhile sees only what is all there.
        self.size = end
        self._floats = None

    def _make_room(self, wanted: int) -> None:
        """Room for more: just enough for what is read at once, twice as much for what comes bit by bit."""
        more = self.size + wanted - len(self._rows)
        if more <= 0:
            return
        numpy, more = self._numpy, max(more, self.size)
        self._rows = numpy.concatenate([self._rows, numpy.zeros((more, self._rows.shape[1]), dtype=numpy.int8)])
        self._scales = numpy.concatenate([self._scales, numpy.zeros(more, dtype=numpy.float32)])
        self._docs = numpy.concatenate([self._docs, numpy.zeros(more, dtype=numpy.int64)])

    def pieces_of(self, docs: Iterable[int]) -> tuple[list[int], list[int]]:
        """Where the pieces of some documents that are here are, and where among those each document starts."""
        if not self._is_cut:
            places = [self.places[doc] for doc in docs]
            return places, list(range(len(places)))
        places = []
        starts: list[int] = []
        for doc in docs:
            starts.append(len(places))
            places.append(self.places[doc])
            while places[-1] < self.size - 1 and self._docs[places[-1] + 1] == doc:
                places.append(places[-1] + 1)
        return places, starts

    def unit_rows(self, places: Sequence[int]) -> Array:
        """The vectors at some places, of length 1; zeros for a place below 0."""
        numpy = self._numpy
        wanted = numpy.array(places)
        rows = self._rows[wanted].astype(numpy.float32) * self._scales[wanted, None]
        rows[wanted < 0] = 0.0
        unit: Array = rows
        return unit

    def all_unit_rows(self) -> Array:
        """All vectors, of length 1."""
        floats, size = self._floats, self.size
        if floats is None or len(floats) < size:
            floats = self._rows[:size].astype(self._numpy.float32) * self._scales[:size, None]
            self._floats = floats
        return floats

    def compare(self, places: Array, question: Array) -> Array:
        """How near the vectors at some places are to one of length 1."""
        numpy = self._numpy
        compared: Array = numpy.empty(len(places), dtype=numpy.float32)
        for start in range(0, len(places), _STEP):
            rows = self._rows[places[start : start + _STEP]].astype(numpy.float32)
            compared[start : start + _STEP] = numpy.vecdot(rows, question)
        compared *= self._scales[places]
        return compared

    def count_differing(self, question: Array) -> Array:
        """In how many signs each vector differs from a question's."""
        numpy = self._numpy
        differing = numpy.bitwise_count(self._all_signs() ^ self._signs_of(question[None]))
        counted: Array = differing.sum(axis=0, dtype=numpy.uint16)
        return counted

    def _all_signs(self) -> Array:
        signs, size = self._signs, self.size
        if signs.shape[1] < size:
            fresh = self._signs_of(self._rows[signs.shape[1] : size])
            self._signs = signs = self._numpy.concatenate([signs, fresh], axis=1)
        return signs

    def _signs_of(self, rows: Array) -> Array:
        """The signs of some vectors, 64 in a number; a vector is a column, since whole rows are added up fastest."""
        numpy = self._numpy
        bits = numpy.packbits(rows > 0, axis=1)
        padded = numpy.zeros((len(bits), 8 * len(self._signs)), dtype=numpy.uint8)
        padded[:, : bits.shape[1]] = bits
        signs: Array = numpy.ascontiguousarray(padded.view(numpy.uint64).T)
        return signs


class Compared:
    """The vectors of a shelf as they were when a question was asked, compared with it."""

    def __init__(self, matrix: Matrix, question: Any) -> None:
        self.matrix = matrix
        self.size = matrix.size
        self._question = question

    @cached_property
    def _cosines(self) -> Array | None:
        """How near each vector is; none where they are too many to compare them all."""
        import numpy

        if self.size > _EXACT_MAX:
            return None
        cosines: Array = numpy.vecdot(self.matrix.all_unit_rows(), self._question)
        return cosines

    def nearest(self, wanted: int) -> list[tuple[int, float]]:
        """The documents nearest to the question, with their cosines; a document counts by its best piece."""
        return list(Nearest([self]).rank(wanted).items())

    def near(self) -> tuple[Array, Array] | None:
        """All documents and their cosines; none where they are too many."""
        cosines = self._cosines
        return None if cosines is None else (self.matrix.numbers[: len(cosines)], cosines)

    def count_differing(self) -> Array:
        return self.matrix.count_differing(self._question)

    def compare(self, differing: Array, most: int, looked_at: int) -> tuple[Array, Array]:
        """The documents whose vectors differ from the question's in at most so many signs, and their cosines."""
        import numpy

        docs, places = self.matrix.numbers, numpy.flatnonzero(differing <= most)
        if len(places) > 2 * looked_at:
            places = places[least_of(differing[places], docs[places], looked_at)]
        return docs[places], self.matrix.compare(places, self._question)

    def cosines(self, docs: Iterable[int]) -> dict[int, float]:
        """How near those of some documents are that have a vector, each by its nearest piece."""
        import numpy

        known = [doc for doc in docs if doc in self.matrix.places]
        if not known:
            return {}
        places, starts = self.matrix.pieces_of(known)
        every = self._cosines
        if every is None or max(places) >= len(every):
            cosines = numpy.vecdot(self.matrix.unit_rows(places), self._question)
        else:
            cosines = every[places]
        if len(starts) < len(places):
            cosines = numpy.maximum.reduceat(cosines, starts)
        return dict(zip(known, cosines.tolist(), strict=True))


def least_of(values: Array, docs: Array, wanted: int) -> Array:
    """Where the least of some values are; of equal ones those of the first documents, however they came in."""
    import numpy

    if len(values) <= wanted:
        every: Array = numpy.arange(len(values))
        return every
    last = values[numpy.argpartition(values, wanted - 1)[wanted - 1]]
    chosen: Array = numpy.flatnonzero(values <= last)
    if len(chosen) > wanted:
        equal = chosen[values[chosen] == last]
        surplus = equal[numpy.argsort(docs[equal], kind="stable")[wanted - len(chosen) :]]
        chosen = numpy.setdiff1d(chosen, surplus, assume_unique=True)
    return chosen


def _compare_by_signs(shelves: Sequence[Compared], wanted: int) -> list[tuple[Array, Array]]:
    """The documents that signs choose on some shelves together, and their cosines."""
    import numpy

    counted = [shelf.count_differing() for shelf in shelves]
    looked_at = max(wanted * _RESCORED, min(sum(map(len, counted)) // _RESCORED_SHARE, _RESCORED_MAX))
    # Counted out, since so few different numbers need no sorting; all that are equal are looked at.
    width = 1 + max(int(one.max()) for one in counted)
    numbers = sum(numpy.bincount(one, minlength=width) for one in counted)
    most = int(numpy.searchsorted(numpy.cumsum(numbers), looked_at))
    return [shelf.compare(one, most, looked_at) for shelf, one in zip(shelves, counted, strict=True)]


class Nearest:
    """The documents nearest to a question among the vectors of some shelves."""

    def __init__(self, shelves: Sequence[Compared] = ()) -> None:
        self._shelves = shelves

    def find(self, wanted: int) -> tuple[set[int], bool]:
        """At most so many documents, and whether there are no more."""
        return set(self.rank(wanted)), sum(shelf.size for shelf in self._shelves) <= wanted

    def rank(self, wanted: int) -> dict[int, float]:
        """At most so many documents with their cosines, each by its best piece."""
        shelves = [(shelf, shelf.near()) for shelf in self._shelves if shelf.size]
        near = [one for _, one in shelves if one is not None]
        if large := [shelf for shelf, one in shelves if one is None]:
            near += _compare_by_signs(large, wanted)
        if not near:
            return {}
        import numpy

        docs, cosines = near[0] if len(near) == 1 else map(numpy.concatenate, zip(*near, strict=True))
        best = least_of(-cosines, docs, wanted)
        found: dict[int, float] = {}
        for doc, cosine in zip(docs[best].tolist(), cosines[best].tolist(), strict=True):
            found[doc] = max(found.get(doc, -1.0), cosine)
        return found


class Fresh(msgspec.Struct, frozen=True, gc=False):
    """A document written since the vectors were last kept."""

    seq: int
    shelf: int
    row: VectorRow


class VectorCache:
    """The vectors of a space in memory. One for a store, shared by its threads."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._model: tuple[str, int] | None = None
        self._matrices: dict[int, Matrix] = {}
        self._fresh: list[Fresh] = []
        self._rebuilds = 0
        self._kept = -1
        """The sequence up to which vectors are kept in the store, as last seen."""
        self._seen = -1
        """The sequence up to which this process has embedded what was not kept."""

    @property
    def behind(self) -> int:
        """Documents that were embedded here and are not stored yet."""
        return len(self._fresh)

    def matrices(
        self, reading: Reading, embedder: Embedder, shelves: Sequence[Shelf], glance: Glance | None = None
    ) -> tuple[dict[int, Matrix], int]:
        """The vectors of some shelves, and how many documents of the space have none yet."""
        glance = glance or reading.glance(embedder.name)
        with self.lock:
            number = self._use_model(glance, embedder)
            missing = self._follow(reading, glance, embedder, number)
            before = len(self._matrices)
            held = {
                shelf.no: self._load(reading, number, embedder.dimension, shelf.no, with_tokens=embedder.is_quick)
                for shelf in shelves
            }
            if len(self._matrices) != before:
                self._let_go(held)
            return held, missing

    def _use_model(self, glance: Glance, embedder: Embedder) -> int | None:
        known = glance.model
        if known is not None and known[1] != embedder.dimension:
            raise ModelProblem(
                f"{embedder.name} gives {embedder.dimension} dimensions, but its vectors here have {known[1]}",
                hint="give the model another name, or drop its vectors: heldtrue reindex",
            )
        number = known[0] if known else None
        if self._model != (embedder.name, number or 0):
            self._model = (embedder.name, number or 0)
            self._forget()
        return number

    def _forget(self) -> None:
        self._matrices, self._fresh, self._kept, self._seen = {}, [], -1, -1

    def _follow(self, reading: Reading, glance: Glance, embedder: Embedder, number: int | None) -> int:
        """Take in what was written since; how many documents are left without a vector."""
        kept, head = glance.embedded, glance.head.seq
        if glance.rebuilds != self._rebuilds:
            self._rebuilds = glance.rebuilds
            self._forget()
        if kept == 0 < self._kept:
            # They were dropped. A view that only is older than the last one has fewer, but not none.
            self._forget()
        if kept > self._kept:
            self._read_kept(reading, number, kept, with_tokens=embedder.is_quick)
            self._kept = kept
            self._fresh = [one for one in self._fresh if one.seq > kept]
        start = max(self._seen, self._kept) if embedder.is_quick else self._kept
        if head <= start:
            return 0
        waiting = reading.count_documents(after=start)
        if waiting > _FRESH_MAX or not embedder.is_quick:
            return waiting
        self._take_in(
            embed_documents(
                embedder, read_documents(reading, after=start, until=head, with_speakers=embedder.reads_sentences)
            )
        )
        self._seen = head
        return 0

    def _read_kept(self, reading: Reading, number: int | None, kept: int, *, with_tokens: bool) -> None:
        """Take in what others have kept since: only that, so that what is here need not be read again."""
        known = max(self._kept, self._seen)
        if kept <= known or number is None or not self._matrices:
            return
        if kept - known > _FOLLOWED_MAX:
            self._matrices = {}
            return
        by_shelf: dict[int, list[int]] = {}
        for shelf, doc in reading.documents_written(after=known, until=kept):
            by_shelf.setdefault(shelf, []).append(doc)
        for shelf, docs in by_shelf.items():
            if shelf in self._matrices:
                rows = reading.vectors_numbered(number, shelf, docs)
                if not with_tokens:
                    rows = [msgspec.structs.replace(row, tokens=b"") for row in rows]
                self._matrices[shelf].add(rows)

    def _take_in(self, fresh: Sequence[Fresh]) -> None:
        self._fresh += fresh
        by_shelf: dict[int, list[VectorRow]] = {}
        for one in fresh:
            by_shelf.setdefault(one.shelf, []).append(one.row)
        for shelf, rows in by_shelf.items():
            if shelf in self._matrices:
                self._matrices[shelf].add(rows)

    def _load(self, reading: Reading, number: int | None, dimension: int, shelf: int, *, with_tokens: bool) -> Matrix:
        matrix = self._matrices.pop(shelf, None)
        if matrix is None:
            matrix = Matrix(dimension)
            if number is not None:
                matrix.add(reading.vectors(number, shelf, with_tokens=with_tokens))
            matrix.add([one.row for one in self._fresh if one.shelf == shelf])
        # Put back at the end: the first ones are those not asked for longest.
        self._matrices[shelf] = matrix
        return matrix

    def _let_go(self, held: Mapping[int, Matrix]) -> None:
        total = sum(matrix.bytes_held for matrix in self._matrices.values())
        for shelf in list(self._matrices):
            if total <= _BYTES_MAX:
                return
            if shelf not in held:
                total -= self._matrices.pop(shelf).bytes_held


class Document(msgspec.Struct, frozen=True, gc=False):
    """A text to be embedded, as the pieces it is cut into."""

    seq: int
    shelf: int
    doc: int
    pieces: tuple[str, ...]


def kept_until(reading: Reading, number: int | None) -> int:
    """The ledger sequence up to which every document has its vector in the store."""
    if number is None:
        return 0
    kept = reading.index_state(f"embedded:{number}")
    # Someone may have deleted the rows themselves.
    return kept if kept and reading.has_vectors(number) else 0


def read_documents(reading: Reading, *, after: int, until: int, with_speakers: bool) -> list[Document]:
    """What the entries after a sequence, up to another, have written; turns with their speakers, if that is wanted."""
    versions = reading.records_written("memory_versions", after=after, until=until)
    passages = reading.passages_written(after=after, until=until)
    return [*_from_versions(reading, versions), *_from_passages(reading, passages, with_speakers=with_speakers)]


def _from_versions(reading: Reading, versions: Sequence[MemoryVersion]) -> Iterable[Document]:
    shelves = reading.shelf_numbers([version.no for version in versions])
    for version in versions:
        if version.no in shelves:
            pieces = cut_text(f"{version.title}. {version.content}" if version.title else version.content)
            yield Document(version.seq, shelves[version.no], version.no, pieces)


def _from_passages(reading: Reading, passages: Sequence[Passage], *, with_speakers: bool) -> Iterable[Document]:
    texts = {text.no: text.text for text in reading.passage_texts([passage.no for passage in passages])}
    for passage in passages:
        said = texts.get(passage.no, "")
        text = f"{passage.speaker}: {said}" if with_speakers and passage.speaker else said
        yield Document(passage.seq, passage.shelf, passage.no, (text,))


def cut_text(text: str) -> tuple[str, ...]:
    """A text as the pieces it is embedded in."""
    if len(text) <= PIECE_CHARS:
        return (text,)
    from heldtrue.language.text_chunks import split_chunks

    return tuple(text[start:end] for start, end in split_chunks(text, chars_max=PIECE_CHARS))


def embed_documents(embedder: Embedder, documents: Sequence[Document]) -> list[Fresh]:
    """The vectors of some documents, piece by piece."""
    pieces = [(document, piece, text) for document in documents for piece, text in enumerate(document.pieces)]
    embedded: Sequence[Embedded] = embedder.embed([text for _, _, text in pieces]) if pieces else ()
    if len(embedded) != len(pieces) or any(len(one.vector) != embedder.dimension for one in embedded):
        raise ModelProblem(f"{embedder.name} gave other vectors than it was asked for")
    return [
        Fresh(document.seq, document.shelf, VectorRow(document.doc, piece, one.vector, one.tokens))
        for (document, piece, _), one in zip(pieces, embedded, strict=True)
    ]
