"""The tables of derived rows: what they consist of, so that all of them can be read and compared."""

from __future__ import annotations

import msgspec


class DerivedTable(msgspec.Struct, frozen=True):
    """A table whose rows follow from the records."""

    table: str
    key: tuple[str, ...]
    columns: tuple[str, ...]


DERIVED: tuple[DerivedTable, ...] = (
    DerivedTable("index_state", ("name",), ("name", "value")),
    DerivedTable("shelves", ("no",), ("no", "collection", "scope", "private_to", "docs", "tokens")),
    DerivedTable("threads", ("no",), ("no", "shelf", "name", "places")),
    DerivedTable("memory_index", ("no",), ("no", "shelf", "terms")),
    DerivedTable("memory_keys", ("key", "no"), ("key", "no")),
    DerivedTable(
        "passages",
        ("no",),
        (
            "no", "shelf", "source_id", "seq", "span_start", "span_end", "speaker", "happened_at", "terms",
            "hidden_seq", "hidden_spans",
        ),
    ),
    DerivedTable("passage_keys", ("key", "no"), ("key", "no")),
    DerivedTable("postings", ("shelf", "term", "block"), ("shelf", "term", "block", "data")),
    DerivedTable("unposted", ("place",), ("place", "shelf", "doc", "length", "asks", "terms")),
    DerivedTable("models", ("no",), ("no", "name", "dimension")),
    DerivedTable(
        "vectors", ("model", "shelf", "doc", "piece"), ("model", "shelf", "doc", "piece", "vector", "tokens")
    ),
)  # fmt: skip
DERIVED_NAMED = {spec.table: spec for spec in DERIVED}
REBUILDING = "rebuilding"
"""The index state that says that the index is being rebuilt, and by which run."""
