"""Collects written texts, embeds them outside any transaction, and stores their vectors step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import msgspec

from heldtrue.domain.derived import REBUILDING
from heldtrue.domain.errors import ModelProblem
from heldtrue.domain.limits import EMBEDDING_SLOW_STEP_ENTRIES, EMBEDDING_STEP_ENTRIES
from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.rows import Passage, VectorRow
from heldtrue.model_ports import Embedded, Embedder
from heldtrue.ports import ReadTransaction
from heldtrue.recall.ports import RecallReadTransaction, RecallStore

PIECE_CHARS = 1_200
"""Longer texts are embedded in pieces of about this size."""


class NewVector(msgspec.Struct, frozen=True, gc=False):
    """The vector of a document that was written since vectors were last stored."""

    seq: int
    shelf: int
    row: VectorRow


class EmbeddableDocument(msgspec.Struct, frozen=True, gc=False):
    """A text to be embedded, as the pieces it is cut into."""

    seq: int
    shelf: int
    doc: int
    pieces: tuple[str, ...]


def kept_until(reading: RecallReadTransaction, number: int | None) -> int:
    """The ledger sequence up to which every document has a stored vector."""
    if number is None:
        return 0
    kept = reading.index.state(f"embedded:{number}")
    # Someone may have deleted the rows themselves.
    return kept if kept and reading.vectors.has_any(number) else 0


def read_documents(
    reading: ReadTransaction, *, after: int, until: int, with_speakers: bool
) -> list[EmbeddableDocument]:
    """The texts that a range of ledger entries has written; turns optionally with their speakers."""
    versions = reading.ledger.records_written("memory_versions", after=after, until=until)
    passages = reading.passages.written(after=after, until=until)
    return [*_from_versions(reading, versions), *_from_passages(reading, passages, with_speakers=with_speakers)]


def _from_versions(reading: ReadTransaction, versions: Sequence[MemoryVersion]) -> Iterable[EmbeddableDocument]:
    shelves = reading.index.shelf_numbers([version.no for version in versions])
    for version in versions:
        if version.no in shelves:
            pieces = cut_text(f"{version.title}. {version.content}" if version.title else version.content)
            yield EmbeddableDocument(version.seq, shelves[version.no], version.no, pieces)


def _from_passages(
    reading: ReadTransaction, passages: Sequence[Passage], *, with_speakers: bool
) -> Iterable[EmbeddableDocument]:
    # As they were captured: a vector is made once, and what is hidden of a passage can change.
    found = reading.passages.texts([passage.no for passage in passages], 0)
    texts = {text.no: text.text for text in found}
    for passage in passages:
        said = texts.get(passage.no, "")
        text = f"{passage.speaker}: {said}" if with_speakers and passage.speaker else said
        yield EmbeddableDocument(passage.seq, passage.shelf, passage.no, (text,))


def cut_text(text: str) -> tuple[str, ...]:
    """A text as the pieces it is embedded in."""
    if len(text) <= PIECE_CHARS:
        return (text,)
    from heldtrue.language.text_chunks import split_chunks

    return tuple(text[start:end] for start, end in split_chunks(text, chars_max=PIECE_CHARS))


def embed_documents(embedder: Embedder, documents: Sequence[EmbeddableDocument]) -> list[NewVector]:
    """The vectors of some documents, piece by piece."""
    pieces = [(document, piece, text) for document in documents for piece, text in enumerate(document.pieces)]
    embedded: Sequence[Embedded] = embedder.embed([text for _, _, text in pieces]) if pieces else ()
    if len(embedded) != len(pieces) or any(len(result.vector) != embedder.dimension for result in embedded):
        raise ModelProblem(f"{embedder.name} returned vectors of the wrong number or size")
    return [
        NewVector(document.seq, document.shelf, VectorRow(document.doc, piece, result.vector, result.tokens))
        for (document, piece, _), result in zip(pieces, embedded, strict=True)
    ]


def check_dimension(name: str, dimension: int, *, stored: int | None) -> None:
    """Refuse vectors that cannot be compared with those that are stored; none may be stored yet."""
    if stored is not None and dimension != stored:
        raise ModelProblem(
            f"The model {name} returned a vector of {dimension} dimensions, but its stored vectors have {stored}.",
            hint="check which model the endpoint is running, or rebuild the vectors with `reindex`",
        )


class _Step(NamedTuple):
    """The documents to embed next, and the ledger entries that they are from."""

    documents: list[EmbeddableDocument]
    kept: int
    until: int
    head: int
    rebuilds: int
    """How often the index was rebuilt before; in another index, documents have other numbers."""
    stored_dimension: int | None


def _find_step(store: RecallStore, embedder: Embedder, reached: int) -> _Step | None:
    """The next step; None if all is embedded, or the index is being rebuilt: who does that asks for vectors then."""
    with store.read() as reading:
        model = reading.vectors.model(embedder.name)
        kept = max(reached, kept_until(reading, model[0] if model else None))
        head = reading.ledger.head().seq
        if kept >= head or reading.index.state(REBUILDING):
            return None
        until = min(head, kept + (EMBEDDING_STEP_ENTRIES if embedder.is_quick else EMBEDDING_SLOW_STEP_ENTRIES))
        documents = read_documents(reading, after=kept, until=until, with_speakers=embedder.reads_sentences)
        rebuilds = reading.index.state("rebuilds")
    return _Step(documents, kept, until, head, rebuilds, model[1] if model else None)


def keep_vectors(
    store: RecallStore, embedder: Embedder, *, go_on: Callable[[int, int], bool] = lambda _done, _all: True
) -> int:
    """Embed every document that has no vector of this model yet, and return their number.

    `go_on` is told how far it has come, in ledger entries, and stops it by answering False. Another process may do the
    same at the same time: whoever is first with a step keeps it. Once all is embedded, vectors of other models go.
    """
    done = reached = 0
    while (step := _find_step(store, embedder, reached)) is not None:
        documents, kept, until, head = step.documents, step.kept, step.until, step.head
        fresh = embed_documents(embedder, documents)
        dimension = len(fresh[0].row.vector) if fresh else embedder.dimension
        check_dimension(embedder.name, dimension, stored=step.stored_dimension)
        with store.write() as writing:
            if writing.index.state("rebuilds") != step.rebuilds:
                reached = 0  # the documents may have other numbers now
                continue
            number = writing.vectors.register(embedder.name, dimension)
            if kept_until(writing, number) <= kept:
                writing.vectors.add(number, [(vector.shelf, vector.row) for vector in fresh])
                writing.index.set_state(f"embedded:{number}", until)
                done += len(documents)
            if until == head:
                writing.vectors.drop(keep=number)
        reached = until
        # A step without a document took no time: whoever asks for one step gets one that did something.
        if documents and not go_on(until, head):
            return done
    return done
