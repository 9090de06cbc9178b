"""Keeping vectors: what was written is embedded step by step, outside any transaction, and then stored."""

from __future__ import annotations

from collections.abc import Callable

from heldtrue.ports import Embedder, Store
from heldtrue.recall.vectors import embed_documents, kept_until, read_documents

_ENTRIES, _SLOW_ENTRIES = 200, 16
"""Ledger entries whose documents are embedded in one step, by a quick model and by a slow one."""


def keep_vectors(
    store: Store, embedder: Embedder, *, go_on: Callable[[int, int], bool] = lambda _done, _all: True
) -> int:
    """Embed everything that has no vector of this model yet; how many documents that was.

    `go_on` is told how far it has come, in ledger entries, and stops it by answering False. Another process may do the
    same at the same time: whoever is first with a step keeps it. Once all is embedded, vectors of other models go.
    """
    done = reached = 0
    while True:
        with store.read() as reading:
            model = reading.model(embedder.name)
            kept = max(reached, kept_until(reading, model[0] if model else None))
            head = reading.head().seq
            until = min(head, kept + (_ENTRIES if embedder.is_quick else _SLOW_ENTRIES))
            documents = read_documents(reading, after=kept, until=until, with_speakers=embedder.reads_sentences)
        if kept >= head:
            return done
        fresh = embed_documents(embedder, documents)
        with store.write() as writing:
            number = writing.register_model(embedder.name, embedder.dimension)
            if kept_until(writing, number) <= kept:
                writing.add_vectors(number, [(one.shelf, one.row) for one in fresh])
                writing.set_index_state(f"embedded:{number}", until)
                done += len(documents)
            if until == head:
                writing.drop_vectors(keep=number)
        reached = until
        # A step without a document took no time: whoever asks for one step gets one that did something.
        if documents and not go_on(until, head):
            return done
