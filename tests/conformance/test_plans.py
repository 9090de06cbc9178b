"""What is looked up often is looked up by index, on both databases."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from heldtrue.domain.carried import KeptAnswer
from heldtrue.domain.ledger import TABLES, Record
from heldtrue.domain.posting import passage_number
from heldtrue.domain.principal import Sight, new_agent
from heldtrue.domain.rows import VectorRow, VersionFilter
from heldtrue.storage import index as word_index
from heldtrue.storage.filters import spell_filter, spell_sight
from heldtrue.storage.store import SqlStore, Transaction
from tests.conformance.backends import Backend
from tests.conformance.samples import (
    make_archived_source,
    make_conflict,
    make_entry,
    make_evidence,
    make_link,
    make_piece,
    make_plain_version,
    make_quarantine,
    make_recall,
    make_source,
    make_tombstone,
    make_view,
    memory_id,
    words_of,
)
from tests.conformance.test_jobs import make_job

ROWS = 2_000
LATEST = 2**62
SEQ_RANGE: dict[str, object] = {"after": 10, "until": 20}
IDS = [memory_id(5), memory_id(6)]
PASSAGES = [passage_number(5, 3), passage_number(6, 4)]
POSTINGS = ("postings_pkey", "PRIMARY KEY (shelf=?")
PASSAGE_LIMITS: dict[str, object] = {"seq": LATEST, "earliest": -LATEST, "latest": LATEST}
ENDING: dict[str, object] = {"last": "0005", "pattern": "%000000000005", "limit": 5}
LOOKUPS: dict[str, tuple[dict[str, object], tuple[str, ...]]] = {
    "current_version": ({"memory_id": memory_id(5)}, ("memory_versions_current", "memory_versions_by_memory")),
    "version_at": ({"memory_id": memory_id(5), "seq": LATEST}, ("memory_versions_by_memory",)),
    "versions_of": ({"memory_id": memory_id(5), "seq": LATEST}, ("memory_versions_by_memory",)),
    "current_of_memories": ({"ids": IDS}, ("memory_versions_current", "memory_versions_by_memory")),
    "versions_page": ({"after": 10, "limit": 5}, ("memory_versions_pkey", "INTEGER PRIMARY KEY")),
    "source": ({"id": "source-5"}, ("sources_pkey", "sqlite_autoindex_sources_1")),
    "source_by_lookup": ({"lookup_key": 1_005}, ("sources_by_lookup",)),
    "tombstones_by_keys": ({"keys": [2_005, 2_006]}, ("tombstones_by_lookup",)),
    "tombstones_of_memory": ({"memory_id": memory_id(5), "seq": LATEST}, ("tombstones_by_memory",)),
    "conflicts_by_pairs": ({"pair_keys": [3_005, 3_006]}, ("conflicts_by_pair",)),
    "conflicts_of_memories": ({"ids": IDS, "seq": LATEST}, ("conflicts_by_old",)),
    "links_of_memories": ({"ids": IDS, "seq": LATEST}, ("links_by_to",)),
    "memory_ids_ending": (ENDING, ("memory_versions_by_end",)),
    "source_ids_ending": (ENDING, ("sources_by_end",)),
    "conflict_ids_ending": (ENDING, ("conflicts_by_end",)),
    "job_ids_ending": (ENDING, ("jobs_by_end",)),
    "recall_ids_ending": (ENDING, ("recalls_by_end",)),
    "conflicts_page": (
        {"pending": 1, "after": 10, "after_id": "", "limit": 5},
        ("conflicts_by_seq",),
    ),
    "links_ever_to": ({"ids": IDS, "relationship": "supports"}, ("links_by_to",)),
    "open_link": (
        {"from_id": memory_id(5), "to_ref": memory_id(6), "relationship": "supports"},
        ("links_once", "links_by_from", "links_by_to"),
    ),
    "evidence_of_memories": ({"ids": IDS, "seq": LATEST}, ("evidence_pkey", "sqlite_autoindex_evidence_1")),
    "numbers_by_keys": ({"keys": [5, 6]}, ("memory_keys_pkey", "PRIMARY KEY (key=?)")),
    "first_by_keys": ({"keys": [5, 6], "limit": 5}, ("memory_keys_pkey", "PRIMARY KEY (key=?)")),
    "evidence_by": (
        {"memory_id": memory_id(5), "author": "agent:scout"},
        ("evidence_pkey", "sqlite_autoindex_evidence_1"),
    ),
    "live_by_numbers": ({"numbers": [5, 6], "limit": 5}, ("memory_versions_pkey", "INTEGER PRIMARY KEY")),
    "ledger_range": (SEQ_RANGE | {"limit": 5}, ("ledger_pkey", "INTEGER PRIMARY KEY")),
    "ledger_entry": ({"seq": 5}, ("ledger_pkey", "INTEGER PRIMARY KEY")),
    "head_at_time": ({"moment": 1_010}, ("ledger_by_time",)),
    "head": ({}, ("ledger_pkey", "SCAN ledger")),  # from the end of the key, which SQLite calls a scan
    "idempotent_answer": ({"principal": "a", "key": "k"}, ("idempotency_pkey", "PRIMARY KEY")),
    "written_memory_versions": (SEQ_RANGE, ("memory_versions_by_seq",)),
    "written_sources": (SEQ_RANGE, ("sources_by_seq",)),
    "written_evidence": (SEQ_RANGE, ("evidence_by_seq",)),
    "written_links": (SEQ_RANGE, ("links_by_seq",)),
    "written_tombstones": (SEQ_RANGE, ("tombstones_by_seq",)),
    "written_conflicts": (SEQ_RANGE, ("conflicts_by_seq",)),
    "closed_memory_versions": (SEQ_RANGE, ("memory_versions_by_seq_to",)),
    "closed_links": (SEQ_RANGE, ("links_by_seq_to",)),
    "closed_tombstones": (SEQ_RANGE, ("tombstones_by_seq_to",)),
    "closed_conflicts": (SEQ_RANGE, ("conflicts_by_seq_to",)),
    "written_quarantines": (SEQ_RANGE, ("quarantines_by_seq",)),
    "written_archived_sources": (SEQ_RANGE, ("archived_sources_by_seq",)),
    "closed_archived_sources": (SEQ_RANGE, ("archived_sources_by_seq_to",)),
    "written_saved_views": (SEQ_RANGE, ("saved_views_by_seq",)),
    "closed_quarantines": (SEQ_RANGE, ("quarantines_by_seq_to",)),
    "closed_saved_views": (SEQ_RANGE, ("saved_views_by_seq_to",)),
    "postings_of": ({"shelves": [5, 6], "terms": ["word5", "word6"]}, POSTINGS),
    "any_posting": ({"shelves": [5]}, POSTINGS),
    "terms_between": ({"shelves": [5], "first": "wor", "last": "wos", "limit": 9}, POSTINGS),
    "unposted_after": ({"after": ROWS // 2 - 20}, ("unposted_pkey", "INTEGER PRIMARY KEY")),
    "indexed_numbers": ({"after": 10, "limit": 5}, ("memory_index_pkey", "INTEGER PRIMARY KEY")),
    "shelves_of_versions": ({"numbers": [5, 6]}, ("memory_index_pkey", "INTEGER PRIMARY KEY")),
    "versions_numbered": ({"numbers": [5, 6]}, ("memory_versions_pkey", "INTEGER PRIMARY KEY")),
    "passages_numbered": (
        {"numbers": PASSAGES, "shelves": [1, 2]} | PASSAGE_LIMITS,
        ("passages_pkey", "INTEGER PRIMARY KEY"),
    ),
    "passages_of_source": ({"source_id": "source-5"}, ("passages_by_source",)),
    "passages_by_keys": ({"keys": [5, 6]}, ("passage_keys_pkey", "PRIMARY KEY (key=?)")),
    "passages_written": (SEQ_RANGE, ("passages_by_seq",)),
    "passage_texts": ({"numbers": PASSAGES}, ("passages_pkey", "INTEGER PRIMARY KEY")),
    "hide_passages": (
        {"numbers": PASSAGES, "hidden_seq": 7, "hidden_spans": None},
        ("passages_pkey", "INTEGER PRIMARY KEY"),
    ),
    "refusals": ({"before": 900, "everyone": 1, "actor": "", "limit": 9}, ("ledger_refused",)),
    "refusals_about": ({"target": "memory-5", "seq": 900}, ("ledger_refused_about", "ledger_refused")),
    "thread_length": ({"thread": "thread 5", "scope": "global", "owner": ""}, ("sources_by_thread",)),
    "thread_turns": ({"thread": "thread 5", "scope": "global", "owner": "", "limit": 9}, ("sources_by_thread",)),
    "open_quarantine": ({"source_id": "source-5"}, ("quarantines_once",)),
    "archivings_of_source": ({"source_id": "source-5"}, ("archived_sources_by_source",)),
    "memories_of_source": ({"source_id": "source-5"}, ("evidence_by_source",)),
    "saved_view": ({"author": "person:ada", "name": "view 5"}, ("saved_views_once",)),
    "vectors_of": ({"model": 1, "shelf": 5}, ("vectors_pkey", "PRIMARY KEY (model=?")),
    "bare_vectors_of": ({"model": 1, "shelf": 5}, ("vectors_pkey", "PRIMARY KEY (model=?")),
    "vector_tokens": ({"model": 1, "shelf": 5, "docs": [5, 25]}, ("vectors_pkey", "PRIMARY KEY (model=?")),
    "recall_row": ({"id": "recall-5"}, ("recalls_pkey", "sqlite_autoindex_recalls_1")),
    "recall_rows": (
        {"before": 90, "everyone": 1, "principal": "", "without": ["get"], "limit": 5},
        ("recalls_by_time",),
    ),
    "drop_recalls": ({"before": 90}, ("recalls_by_time",)),
    "uses": ({"ids": IDS}, ("memory_use_pkey", "PRIMARY KEY (memory_id=?)")),
}  # fmt: skip
"""Shelves, threads, models and the counters of the index are small tables: reading all of one is a look-up too."""
BIG = {"ledger", "memory_keys", "memory_index", "memory_use", "passages", "postings", "vectors"}
BIG |= {spec.table for spec in TABLES}


MAKERS: tuple[Callable[[int], Record], ...] = (
    *(make_evidence, make_link, make_tombstone, make_conflict, make_quarantine, make_archived_source, make_view),
)


def fill(store: SqlStore) -> None:
    """Rows in every table, half of the words of which wait to be posted."""
    with store.write() as writing:
        model = writing.vectors.register("tiny", 2)
        for number in range(1, ROWS + 1):
            version = make_plain_version(number, f"word{number} shared", scope=f"team:t{number % 200}")
            writing.ledger.insert(version)
            writing.index.add_version(version, [number], words_of(version))
            for maker in MAKERS:
                writing.ledger.insert(maker(number))
            put_evidence(writing, number)
            writing.vectors.add(model, [(number % 20, VectorRow(number, 0, b"v", b""))])
            writing.log.add([make_recall(number)])
            writing.queue.add(make_job(number))
            writing.log.count_uses([memory_id(number)], recalled=1)
            writing.ledger.append(make_entry(number))
            writing.ledger.keep_answer(KeptAnswer("agent:scout", f"key-{number}", b"hash", "{}", number, number))
            if number == ROWS // 2:
                writing.index.post_words()
    # Not the store's own upkeep, which would post what waits.
    store.connector.tidy()


def put_evidence(writing: Transaction, number: int) -> None:
    source = make_source(number, thread=f"thread {number % 100}")
    writing.ledger.insert(source)
    writing.passages.add(source, f"thread {number % 100}", [make_piece(source, keys=(number,))], collection="sources")


def plan_of(store: SqlStore, sql: str, values: dict[str, object]) -> str:
    """How the database would run a statement, in its own words."""
    listed = {
        name: store.connector.listing(value) if isinstance(value, list) else value for name, value in values.items()
    }
    is_postgres = store.connector.package.endswith("postgres")
    with store.connector.reading() as connection:
        rows = connection.rows(f"EXPLAIN {'' if is_postgres else 'QUERY PLAN '}{sql}", listed)
    return "\n".join(row[0] if is_postgres else row[3] for row in rows)


@pytest.mark.covers("B19", "D2")
@pytest.mark.slow
def test_lookups_use_their_indexes(lasting: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    """One test for all statements, because filling the tables takes longer than asking."""
    monkeypatch.setattr(word_index, "WORDS_WAITING_MAX", 10 * ROWS)
    store = lasting.open()
    fill(store)
    for name, (values, indexes) in LOOKUPS.items():
        sql, seen = spell_sight(store.statements[name], new_agent("scout").sight, store.connector)
        plan = plan_of(store, sql, values | seen)
        assert any(index in plan for index in indexes), f"{name}\n{plan}"
        assert "Seq Scan" not in plan, f"{name}\n{plan}"
    check_scope(store)
    check_headers(store)


def check_scope(store: SqlStore) -> None:
    conditions, values = spell_filter(VersionFilter(sight=Sight(("team:t5",)), statuses=("active",)), store.connector)
    sql = store.statements["list_versions"].replace("{filter}", store.connector.spell(conditions))
    plan = plan_of(store, sql, values | {"before": LATEST, "limit": 50})
    assert "memory_versions_by_scope" in plan, plan


def check_headers(store: SqlStore) -> None:
    conditions, values = spell_filter(VersionFilter(sight=Sight(("team:t5",))), store.connector)
    sql = store.statements["headers"].replace("{filter}", store.connector.spell(conditions))
    plan = plan_of(store, sql, values | {"numbers": [5, 6, 7]})
    assert "memory_versions_pkey" in plan or "INTEGER PRIMARY KEY" in plan, plan
    assert not any(f"Seq Scan on {table}" in plan for table in BIG), plan


def test_a_statement_without_an_index_is_noticed(backend: Backend) -> None:
    """The control: a look-up that has no index reads the whole table, and the plan says so."""
    store = backend.open()
    plan = plan_of(store, "SELECT id FROM sources WHERE content = 'x'", {})
    assert "Seq Scan on sources" in plan or "SCAN sources" in plan
