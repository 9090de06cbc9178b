"""Digests cover every column, each entry chains the one before, and nothing depends on order or chance."""

import dataclasses
import os
from typing import Any

import msgspec
import pytest

from heldtrue.domain.ledger import (
    GENESIS,
    TABLES,
    LedgerEntry,
    TableSpec,
    chain_entry,
    chain_hash,
    closing_digest,
    hash_records,
    opening_digest,
    seal,
    text_digest,
)


def make_record(spec: TableSpec) -> Any:
    """A record of any table with a value in every column."""
    values: dict[str, Any] = {}
    for field in msgspec.structs.fields(spec.type):
        kind = str(field.type)
        values[field.name] = (
            7 if "int" in kind else 0.5 if "float" in kind else b"x" * 16 if "bytes" in kind else "text"
        )
    return spec.type(**values)


def other_value(value: Any) -> Any:
    return {int: 8, float: 0.75, bytes: b"y" * 16, str: "tex"}[type(value)]


@pytest.mark.covers("D2")
@pytest.mark.parametrize("spec", TABLES, ids=lambda spec: spec.table)
def test_a_digest_covers_every_column_but_the_closing_and_itself(spec: TableSpec) -> None:
    record = seal(make_record(spec))
    uncovered = {"digest", "closing_digest", *spec.closing}
    for column in spec.columns:
        changed = msgspec.structs.replace(record, **{column: other_value(getattr(record, column))})
        assert (opening_digest(changed) == record.digest) is (column in uncovered), column
        if column not in ("salt", *uncovered) and getattr(record, column) is not None:
            emptied = msgspec.structs.replace(record, **{column: None})
            assert opening_digest(emptied) != record.digest, column


@pytest.mark.covers("D2")
@pytest.mark.parametrize("spec", [spec for spec in TABLES if spec.closing], ids=lambda spec: spec.table)
def test_a_closing_digest_covers_the_closing_and_the_key(spec: TableSpec) -> None:
    record = make_record(spec)
    digest = closing_digest(record)
    for column in spec.columns:
        changed = msgspec.structs.replace(record, **{column: other_value(getattr(record, column))})
        covered = column in (*spec.key, *spec.closing, "salt")
        assert (closing_digest(changed) != digest) is covered, column


@pytest.mark.covers("D2")
def test_a_digest_is_keyed_by_its_own_salt() -> None:
    one, other = (seal(make_record(TABLES[0])) for _ in range(2))
    assert one.salt != other.salt
    assert one.digest != other.digest, "equal texts cannot be told from their digests"
    assert opening_digest(one) == one.digest


def make_entry(**changed: Any) -> LedgerEntry:
    values: dict[str, Any] = {
        "seq": 1, "recorded_at": 10, "actor": "person:owner", "channel": "sdk", "action": "memory.learn",
        "outcome": "created", "target": "one", "scope": "global", "reason": "why", "cause": "opinion", "detail": "{}",
        "records": 2, "records_hash": b"r" * 32, "prev_hash": GENESIS, "hash": b"",
    }  # fmt: skip
    return LedgerEntry(**(values | changed))


@pytest.mark.covers("D2")
def test_the_hash_of_an_entry_covers_all_it_says_and_the_entry_before() -> None:
    entry = chain_entry(make_entry())
    for column in LedgerEntry.__struct_fields__:
        value = getattr(entry, column)
        changed = msgspec.structs.replace(entry, **{column: other_value(value)})
        same = chain_hash(changed) == entry.hash
        if column in ("reason", "detail", "salt"):
            assert same, "words are covered by their digest, so that they can be erased"
            assert text_digest(changed.salt or b"", changed.reason, changed.detail) != entry.digest
        else:
            assert same is (column == "hash"), column


@pytest.mark.covers("D2")
def test_the_hash_of_records_does_not_depend_on_their_order_but_on_each_of_them() -> None:
    digests = [os.urandom(32) for _ in range(5)]
    assert hash_records(digests) == hash_records(reversed(digests))
    assert len({hash_records(digests[:count]) for count in range(6)}) == 6
    assert hash_records([*digests, digests[0]]) != hash_records(digests)


def test_records_are_plain_values() -> None:
    for spec in TABLES:
        assert not dataclasses.is_dataclass(spec.type)
        assert spec.type.__struct_config__.frozen
        assert {"seq", "salt", "digest"} <= set(spec.columns)
        assert set(spec.key) <= set(spec.columns)
