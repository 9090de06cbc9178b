"""Many write at once, and nothing is lost, half-written or seen too early."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from heldtrue.domain.carried import KeptAnswer
from heldtrue.domain.errors import StorageProblem
from heldtrue.domain.ledger import EMPTY_HEAD, GENESIS, TABLES
from heldtrue.domain.principal import EVERYTHING
from heldtrue.domain.rows import Collection, VersionFilter
from heldtrue.storage.store import SqlStore
from tests.conformance.backends import Backend, MemoryBackend
from tests.conformance.samples import (
    insert_all,
    make_entry,
    make_piece,
    make_source,
    make_version,
    one_of_each,
    words_of,
)
from tests.conformance.writers import address_of, append_in_forked_child, append_many, append_one

THREADS, PROCESSES, EACH = 4, 3, 25
COLLECTIONS = tuple(Collection)
ANY = VersionFilter(sight=EVERYTHING)


def run_threads(acts: Sequence[Callable[[], object]]) -> None:
    """Do all of it at once; raises the first problem of any."""
    with ThreadPoolExecutor(len(acts)) as pool:
        for done in [pool.submit(act) for act in acts]:
            done.result()


def run_processes(function: Callable[..., None], *arguments: tuple[Any, ...]) -> None:
    """Run a function once per tuple of arguments, each in a fresh interpreter."""
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=function, args=given) for given in arguments]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0] * len(processes)


def check_chain(store: SqlStore, written: dict[str, int]) -> None:
    """Every write is there, in one chain without a gap."""
    total = sum(written.values())
    with store.read() as reading:
        entries = reading.ledger.entries(after=0, until=total + 9, limit=total + 9)
        versions = reading.memories.versions_page(after=0, limit=total + 9)
        assert reading.index.indexed_numbers(after=0, limit=total + 9) == list(range(1, total + 1))
    assert [entry.seq for entry in entries] == list(range(1, total + 1))
    assert [entry.prev_hash for entry in entries] == [GENESIS, *(entry.hash for entry in entries[:-1])]
    assert Counter(entry.actor for entry in entries) == written
    assert [version.no for version in versions] == list(range(1, total + 1))
    assert store.check_structure() == []


@pytest.mark.covers("B28")
def test_threads_that_write_at_once_lose_nothing(store: SqlStore) -> None:
    def write(actor: str) -> None:
        for _ in range(EACH):
            append_one(store, actor)

    actors = [f"thread-{number}" for number in range(THREADS)]
    run_threads([partial(write, actor) for actor in actors])
    check_chain(store, dict.fromkeys(actors, EACH))


@pytest.mark.covers("B28")
@pytest.mark.slow
def test_processes_that_write_at_once_lose_nothing(lasting: Backend) -> None:
    store = lasting.open()
    actors = [f"process-{number}" for number in range(PROCESSES)]
    run_processes(append_many, *((address_of(lasting), actor, EACH) for actor in actors))
    check_chain(store, dict.fromkeys(actors, EACH))


@pytest.mark.skipif(not hasattr(os, "fork") or sys.platform == "darwin", reason="a fork of threads is unsafe here")
def test_a_connection_never_crosses_a_fork(lasting: Backend) -> None:
    run_processes(append_in_forked_child, (address_of(lasting),))
    check_chain(lasting.open(), {"before": 1, "child": 1, "parent": 1})


def write_everything(store: SqlStore) -> None:
    with store.write() as writing:
        insert_all(writing, *one_of_each())
        source = make_source()
        writing.passages.add(source, "chat 12", [make_piece(source, 0, 3, keys=(7,))], collection="sessions")
        version = make_version(2)
        writing.index.add_version(version, [5], words_of(version))
        writing.ledger.append(make_entry())
        writing.ledger.keep_answer(KeptAnswer("agent:scout", "key", b"hash", "{}", 1, 1))
        raise LookupError("changed my mind")


def test_a_write_that_is_given_up_leaves_nothing(store: SqlStore) -> None:
    with pytest.raises(LookupError, match="changed my mind"):
        write_everything(store)
    check_empty(store)


def test_a_write_that_fails_leaves_nothing(store: SqlStore) -> None:
    def write_twice() -> None:
        with store.write() as writing:
            insert_all(writing, make_source(), make_version(1))
            writing.ledger.append(make_entry())
            writing.ledger.insert(make_source())

    with pytest.raises(StorageProblem, match="database error"):
        write_twice()
    check_empty(store)
    append_one(store, "later")
    check_chain(store, {"later": 1})


def check_empty(store: SqlStore) -> None:
    with store.read() as reading:
        assert all(reading.ledger.records_written(spec.table, after=-1, until=99) == [] for spec in TABLES)
        assert reading.ledger.head() == EMPTY_HEAD
        assert reading.index.indexed_numbers(after=-1, limit=9) == []
        assert reading.index.shelves(COLLECTIONS, EVERYTHING) == []
        assert reading.index.unposted(0) == []
        assert reading.passages.written(after=-1, until=99) == []
        assert reading.passages.by_keys([7]) == []
        assert reading.memories.live_by_keys([5], limit=9) == []
        assert reading.ledger.idempotent_answer("agent:scout", "key") is None
    assert store.check_structure() == []


@pytest.mark.covers("B28")
def test_a_reader_sees_one_moment_while_others_write(store: SqlStore) -> None:
    append_one(store, "first")
    writer = threading.Thread(target=append_one, args=(store, "second"))
    with store.read() as reading:
        before = reading.ledger.head()
        writer.start()
        # In memory a writer waits for readers; elsewhere it is done by now.
        writer.join(0.3)
        assert reading.ledger.head() == before
        assert len(reading.memories.versions_page(after=0, limit=9)) == 1
        with store.read() as inner:
            assert inner.ledger.head() == before
    writer.join()
    with store.read() as reading:
        assert reading.ledger.head().seq == 2


def test_a_second_writer_waits_for_the_first(store: SqlStore) -> None:
    order: list[str] = []
    inside, second = threading.Event(), threading.Event()

    def first() -> None:
        with store.write() as writing:
            inside.set()
            second.wait(0.2)
            writing.ledger.append(make_entry(1))
            order.append("first")

    def later() -> None:
        inside.wait()
        with store.write() as writing:
            order.append("second")
            assert writing.ledger.head().seq == 1
        second.set()

    run_threads([first, later])
    assert order == ["first", "second"]


def test_a_write_reads_what_it_has_written(store: SqlStore) -> None:
    with store.write() as writing:
        insert_all(writing, make_version(1))
        assert writing.memories.version(make_version(1).memory_id) is not None
        with store.read() as inner:
            assert len(inner.memories.versions_page(after=0, limit=9)) == 1


def test_a_write_inside_a_write_is_refused(store: SqlStore) -> None:
    def write_within() -> None:
        with store.write() as writing:
            writing.ledger.append(make_entry())
            with store.write():
                raise AssertionError("two writes of one thread at once")

    with pytest.raises(StorageProblem):
        write_within()
    check_empty(store)


@pytest.mark.covers("D28")
def test_two_spaces_do_not_see_each_other(backend: Backend) -> None:
    one, other = backend.open("one"), backend.open("other")
    append_one(one, "one")
    append_one(one, "one")
    append_one(other, "other")
    check_chain(one, {"one": 2})
    check_chain(other, {"other": 1})
    for store, wanted in ((one, [2, 1]), (other, [1])):
        with store.read() as reading:
            found = [header.no for header in reading.memories.newest_headers(ANY, limit=9)]
            listed = [version.no for version in reading.memories.list_versions(ANY, before=None, limit=9)]
            assert found == listed == wanted


def test_writers_of_two_spaces_do_not_wait_for_each_other(backend: Backend) -> None:
    one, other = backend.open("one"), backend.open("other")
    with one.write() as writing:
        writing.ledger.append(make_entry())
        run_threads([lambda: append_one(other, "other")])
    check_chain(other, {"other": 1})


def test_a_space_opened_again_holds_what_was_written(lasting: Backend) -> None:
    """The control of the isolation above: one space seen through two openings."""
    append_one(lasting.open(), "first")
    again = lasting.open()
    append_one(again, "second")
    check_chain(lasting.open(), {"first": 1, "second": 1})


def test_threads_share_one_space_in_memory_and_two_such_spaces_are_two() -> None:
    backend = MemoryBackend()
    one, other = backend.open(), backend.open()
    run_threads([lambda: append_one(one, "thread")])
    check_chain(one, {"thread": 1})
    check_empty(other)
    backend.close()


def test_a_closed_store_says_so(store: SqlStore) -> None:
    store.close()
    with pytest.raises(StorageProblem, match="closed"), store.read():
        raise AssertionError("read from a closed store")
    with pytest.raises(StorageProblem, match="closed"), store.write():
        raise AssertionError("wrote to a closed store")
