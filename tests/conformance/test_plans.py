"""What is looked up often is looked up by index, on both databases."""

from __future__ import annotations

import pytest

from holdfast.domain.ledger import TABLES
from holdfast.ports import VersionFilter
from holdfast.storage.filters import spell_filter
from holdfast.storage.store import SqlStore
from tests.conformance.backends import Backend
from tests.conformance.samples import (
    make_conflict,
    make_entry,
    make_evidence,
    make_link,
    make_plain_version,
    make_source,
    make_tombstone,
    memory_id,
)

ROWS = 2_000
LATEST = 2**62
SEQ_RANGE: dict[str, object] = {"after": 10, "until": 20}
IDS = [memory_id(5), memory_id(6)]
LOOKUPS: dict[str, tuple[dict[str, object], tuple[str, ...]]] = {
    "current_version": ({"memory_id": memory_id(5)}, ("memory_versions_current",)),
    "version_at": ({"memory_id": memory_id(5), "seq": LATEST}, ("memory_versions_by_memory",)),
    "versions_of": ({"memory_id": memory_id(5), "seq": LATEST}, ("memory_versions_by_memory",)),
    "current_of_memories": ({"ids": IDS}, ("memory_versions_current", "memory_versions_by_memory")),
    "versions_page": ({"after": 10, "limit": 5}, ("memory_versions_pkey", "INTEGER PRIMARY KEY")),
    "source": ({"id": "source-5"}, ("sources_pkey", "sqlite_autoindex_sources_1")),
    "source_by_lookup": ({"lookup_key": 1_005}, ("sources_by_lookup",)),
    "tombstones_by_keys": ({"keys": [2_005, 2_006]}, ("tombstones_by_lookup",)),
    "tombstones_of_memory": ({"memory_id": memory_id(5), "seq": LATEST}, ("tombstones_by_memory",)),
    "conflicts_by_pair": ({"pair_key": 3_005}, ("conflicts_by_pair",)),
    "conflicts_of_memories": ({"ids": IDS, "seq": LATEST}, ("conflicts_by_old",)),
    "links_of_memories": ({"ids": IDS, "seq": LATEST}, ("links_by_to",)),
    "open_link": (
        {"from_id": memory_id(5), "to_ref": memory_id(6), "relationship": "supports"},
        ("links_once", "links_by_from", "links_by_to"),
    ),
    "evidence_of_memories": ({"ids": IDS, "seq": LATEST}, ("evidence_pkey", "sqlite_autoindex_evidence_1")),
    "numbers_by_keys": ({"keys": [5, 6]}, ("memory_keys_pkey", "PRIMARY KEY (key=?)")),
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
}
BIG = {"ledger", "memory_keys", "memory_text", *(spec.table for spec in TABLES)}


def fill(store: SqlStore) -> None:
    makers = (make_source, make_evidence, make_link, make_tombstone, make_conflict)
    with store.write() as writing:
        for number in range(1, ROWS + 1):
            version = make_plain_version(number, f"word{number} shared", scope=f"team:t{number % 200}")
            writing.insert(version)
            writing.index_version(version, [number])
            for maker in makers:
                writing.insert(maker(number))
            writing.append(make_entry(number))
            writing.keep_answer("agent:scout", f"key-{number}", b"hash", "{}", number, number)
    store.tidy()


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
def test_lookups_use_their_indexes(lasting: Backend) -> None:
    """One test for all statements, because filling the tables takes longer than asking."""
    store = lasting.open()
    fill(store)
    for name, (values, indexes) in LOOKUPS.items():
        plan = plan_of(store, store.statements[name], values)
        assert any(index in plan for index in indexes), f"{name}\n{plan}"
        assert "Seq Scan" not in plan, f"{name}\n{plan}"
    check_scope(store)
    check_words(store)


def check_scope(store: SqlStore) -> None:
    conditions, values = spell_filter(VersionFilter(scopes=("team:t5",), statuses=("active",)), store.connector)
    sql = store.statements["list_versions"].replace("{filter}", store.connector.spell(conditions))
    plan = plan_of(store, sql, values | {"before": LATEST, "limit": 50})
    assert "memory_versions_by_scope" in plan, plan


def check_words(store: SqlStore) -> None:
    conditions, values = spell_filter(VersionFilter(scopes=("team:t5",)), store.connector)
    sql = store.statements["match_text"].replace("{filter}", store.connector.spell(conditions))
    plan = plan_of(store, sql, values | {"match": store.connector.text_query(["word5", "word6"]), "limit": 50})
    assert "memory_text_by_term" in plan or "SCAN memory_text VIRTUAL TABLE INDEX" in plan, plan
    assert not any(f"Seq Scan on {table}" in plan for table in BIG), plan


def test_a_statement_without_an_index_is_noticed(backend: Backend) -> None:
    """The control: a look-up that has no index reads the whole table, and the plan says so."""
    store = backend.open()
    plan = plan_of(store, "SELECT id FROM sources WHERE content = 'x'", {})
    assert "Seq Scan on sources" in plan or "SCAN sources" in plan
