"""Making the derived rows anew from the records."""

from __future__ import annotations

from collections.abc import Callable

from holdfast.ingest.match import version_keys
from holdfast.ports import Store

_STEP = 200


def rebuild_index(store: Store, progress: Callable[[int], None] | None = None) -> int:
    """Drop the word index and the look-up keys and write them again, in short steps; returns the versions indexed."""
    with store.write() as transaction:
        transaction.clear_index()
    after = done = 0
    while True:
        with store.write() as transaction:
            space_key = transaction.space().key
            page = transaction.versions_page(after=after, limit=_STEP)
            for version in page:
                if not transaction.is_indexed(version.no):
                    transaction.index_version(version, version_keys(space_key, version))
        if not page:
            return done
        after, done = page[-1].no, done + len(page)
        if progress:
            progress(done)
