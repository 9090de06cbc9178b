"""What other threads and processes do to a space while a test watches."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable
from pathlib import Path

from heldtrue.storage.connector import Connector
from heldtrue.storage.postgres.connector import PostgresConnector
from heldtrue.storage.sqlite.connector import SqliteConnector
from heldtrue.storage.store import SqlStore
from tests.conformance.backends import Backend, FileBackend, PostgresBackend
from tests.conformance.samples import make_entry, make_plain_version, words_of

Address = tuple[str, str, str]
"""How another process finds a space: the kind of database, the file or server, the schema."""


def address_of(backend: Backend) -> Address:
    """Where the space `one` of a backend is."""
    if isinstance(backend, PostgresBackend):
        return ("postgres", backend.dsn, backend.prefix)
    assert isinstance(backend, FileBackend)
    return ("file", str(backend.folder / "one.db"), "")


def open_address(address: Address) -> SqlStore:
    kind, place, schema = address
    connector: Connector = PostgresConnector(place, schema) if kind == "postgres" else SqliteConnector(Path(place))
    return SqlStore(connector)


def append_one(store: SqlStore, actor: str) -> int:
    """Read the head, then write what follows from it: any write in between would be lost or refused."""
    with store.write() as writing:
        head = writing.ledger.head()
        no = writing.memories.next_version_no()
        version = make_plain_version(no, f"written by {actor}", seq=head.seq + 1, author=actor)
        writing.ledger.insert(version)
        writing.index.add_version(version, [no], words_of(version))
        writing.ledger.append(make_entry(head.seq + 1, head, actor=actor, target=version.memory_id))
        return head.seq + 1


def append_many(address: Address, actor: str, count: int) -> None:
    """The whole life of a writing process."""
    store = open_address(address)
    for _ in range(count):
        append_one(store, actor)
    store.close()


def append_in_forked_child(address: Address) -> None:
    """Write, fork, and write on both sides with the same store."""
    store = open_address(address)
    append_one(store, "before")
    child = os.fork()
    if child == 0:
        _leave(lambda: append_one(store, "child"))
    _pid, status = os.waitpid(child, 0)
    assert status == 0
    append_one(store, "parent")
    store.close()


def _leave(act: Callable[[], object]) -> None:
    """Do one thing and end this process without any of the parent's cleaning up."""
    try:
        act()
    except BaseException:  # noqa: BLE001 - a forked child must never return into the test
        traceback.print_exc()
        os._exit(1)
    os._exit(0)
