"""Raw changes to a database file, made past every rule: the triggers are dropped first, and put back to hide it."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import msgspec

from heldtrue.domain.ledger import (
    SPEC_NAMED,
    TABLES,
    LedgerEntry,
    chain_hash,
    closing_digest,
    hash_records,
    opening_digest,
    text_digest,
)

KEYS = {spec.table: spec.key for spec in TABLES} | {"ledger": ("seq",)}
CLOSABLE = tuple(spec.table for spec in TABLES if spec.closing)


class Vandal:
    """One hand on the file."""

    def __init__(self, path: Path, chance: random.Random) -> None:
        self.connection = apsw.Connection(str(path))
        self.chance = chance
        self._triggers = self.run("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        for name, _sql in self._triggers:
            self.run(f"DROP TRIGGER {name}")

    def run(self, sql: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        return self.connection.execute(sql, values).fetchall()

    def close(self) -> None:
        for _name, sql in self._triggers:
            self.run(sql)
        self.connection.close()

    # Rows

    def columns(self, table: str) -> list[str]:
        return [row[1] for row in self.run(f"PRAGMA table_info({table})")]

    def rows(self, table: str, where: str = "1") -> list[dict[str, Any]]:
        names = self.columns(table)
        ordered = ", ".join(KEYS[table])
        return [
            dict(zip(names, row, strict=True))
            for row in self.run(f"SELECT * FROM {table} WHERE {where} ORDER BY {ordered}")
        ]

    def pick(self, table: str, where: str = "1") -> dict[str, Any]:
        return self.chance.choice(self.rows(table, where))

    def update(self, table: str, row: dict[str, Any], **changes: Any) -> None:
        found = " AND ".join(f"{column} = ?" for column in KEYS[table])
        key = tuple(row[column] for column in KEYS[table])
        assignments = ", ".join(f"{column} = ?" for column in changes)
        self.run(f"UPDATE {table} SET {assignments} WHERE {found}", (*changes.values(), *key))

    def insert(self, table: str, row: dict[str, Any]) -> None:
        self.run(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", tuple(row.values()))

    def delete(self, table: str, row: dict[str, Any]) -> None:
        found = " AND ".join(f"{column} = ?" for column in KEYS[table])
        self.run(f"DELETE FROM {table} WHERE {found}", tuple(row[column] for column in KEYS[table]))

    def snapshot(self) -> list[Any]:
        """Everything canonical, as SQL reads it."""
        return [(table, self.run(f"SELECT * FROM {table} ORDER BY {', '.join(KEYS[table])}")) for table in sorted(KEYS)]


# What may be done to it. Each says what it did.


def edit_column(vandal: Vandal) -> str:
    """One value of one row becomes another, of any column of any table."""
    return _edit(vandal, vandal.chance.choice(sorted(KEYS)))


def edit_ledger(vandal: Vandal) -> str:
    """The same in the ledger: reason, detail, actor, time and all else."""
    return _edit(vandal, "ledger")


def edit_closing(vandal: Vandal) -> str:
    """What closed a record says something else, or is gone, or is there though nothing closed it."""
    table = vandal.chance.choice(CLOSABLE)
    return _edit(vandal, table, vandal.chance.choice((*SPEC_NAMED[table].closing, "closing_digest")))


def edit_salt(vandal: Vandal) -> str:
    return _edit(vandal, vandal.chance.choice(sorted(KEYS)), "salt")


def edit_space_key(vandal: Vandal) -> str:
    return _edit(vandal, "space", "key")


def edit_without_salt(vandal: Vandal) -> str:
    """A text is changed and its salt removed, so that no digest can be computed for it."""
    table, column = vandal.chance.choice(
        [("memory_versions", "content"), ("sources", "content"), ("ledger", "reason"), ("tombstones", "value")]
    )
    row = vandal.pick(table)
    vandal.update(table, row, salt=None, **{column: "something else altogether"})
    return f"{table}.{column} changed and its salt removed"


def delete_row(vandal: Vandal) -> str:
    table = vandal.chance.choice(sorted(KEYS))
    row = vandal.pick(table)
    vandal.delete(table, row)
    return f"a row of {table} deleted"


def delete_tombstones(vandal: Vandal) -> str:
    """All rejections of one memory vanish."""
    row = vandal.pick("tombstones")
    vandal.run("DELETE FROM tombstones WHERE memory_id = ?", (row["memory_id"],))
    return "the tombstones of a memory deleted"


def lift_tombstone(vandal: Vandal) -> str:
    """A rejection is lifted as if a person had done it, digest and all, but no ledger entry says so."""
    row = vandal.pick("tombstones", "seq_to IS NULL")
    last = vandal.rows("ledger")[-1]
    closed = row | {
        "recorded_to": last["recorded_at"], "seq_to": last["seq"], "closed_by": "person:owner", "close_reason": "fine",
    }  # fmt: skip
    record = SPEC_NAMED["tombstones"].type(**closed)
    vandal.update(
        "tombstones",
        row,
        **{name: closed[name] for name in SPEC_NAMED["tombstones"].closing},
        closing_digest=closing_digest(record),
    )
    return "a tombstone lifted with a digest that fits"


def insert_copy(vandal: Vandal) -> str:
    """A row is doubled under a key of its own, its digest made to fit or left as it was."""
    table = vandal.chance.choice([name for name in sorted(KEYS) if name != "ledger"])
    row = vandal.pick(table)
    if table == "evidence":
        taken = {evidence["source_id"] for evidence in vandal.rows("evidence", f"memory_id = '{row['memory_id']}'")}
        row["source_id"] = next(source["id"] for source in vandal.rows("sources") if source["id"] not in taken)
    elif table == "memory_versions":
        row |= {"no": 10_000, "memory_id": row["memory_id"][:-4] + "0000"}
    else:
        row["id"] = str(row["id"])[:-1] + ("0" if str(row["id"])[-1] != "0" else "1")
        # One that is open may be there once only.
        if (
            column := {
                "agents": "name",
                "archived_sources": "source_id",
                "links": "relationship",
                "quarantines": "source_id",
                "saved_views": "name",
            }.get(table)
        ) is not None:
            row[column] += " too"
    fits = vandal.chance.random() < 0.5 and row["salt"] is not None
    if fits:
        row["digest"] = opening_digest(SPEC_NAMED[table].type(**row))
    vandal.insert(table, row)
    return f"a row of {table} inserted{' with a digest that fits' if fits else ''}"


def insert_entry(vandal: Vandal) -> str:
    """A ledger entry is said twice, at the end or far beyond it."""
    row = vandal.rows("ledger")[-1]
    row |= {"seq": row["seq"] + vandal.chance.choice((1, 50)), "recorded_at": row["recorded_at"] + 5}
    row["prev_hash"] = vandal.chance.choice((row["hash"], bytes(31) + b"\x01"))
    vandal.insert("ledger", row)
    return "a ledger entry inserted"


def swap_rows(vandal: Vandal) -> str:
    """Two rows change places: everything but their keys, digests and salts included."""
    table = vandal.chance.choice(
        [name for name in sorted(KEYS) if name not in ("space", "ledger") and len(vandal.rows(name)) > 1]
    )
    one, other = vandal.chance.sample(vandal.rows(table), 2)
    left_alone = {*KEYS[table], "no"}
    vandal.run("PRAGMA ignore_check_constraints = 1")
    for name in vandal.run("SELECT name FROM sqlite_master WHERE type = 'index' AND sql LIKE 'CREATE UNIQUE%'"):
        vandal.run(f"DROP INDEX {name[0]}")
    vandal.update(table, one, **{name: value for name, value in other.items() if name not in left_alone})
    vandal.update(table, other, **{name: value for name, value in one.items() if name not in left_alone})
    return f"two rows of {table} swapped"


def swap_entries(vandal: Vandal) -> str:
    """Two neighbouring ledger entries change their order."""
    seq = vandal.chance.choice(vandal.rows("ledger")[:-1])["seq"]
    for old, new in ((seq, -1), (seq + 1, seq), (-1, seq + 1)):
        vandal.run("UPDATE ledger SET seq = ? WHERE seq = ?", (new, old))
    return f"entries {seq} and {seq + 1} reordered"


def reopen_closed(vandal: Vandal) -> str:
    """A closed record is made to look open."""
    table = vandal.chance.choice([name for name in CLOSABLE if name != "memory_versions"])
    row = vandal.pick(table, "seq_to IS NOT NULL")
    vandal.update(table, row, closing_digest=None, **dict.fromkeys(SPEC_NAMED[table].closing))
    return f"a closed row of {table} reopened"


def cut_entries(vandal: Vandal) -> str:
    """Some of the last ledger entries vanish, their records stay."""
    count = vandal.chance.randint(1, 8)
    vandal.run("DELETE FROM ledger WHERE seq > (SELECT max(seq) FROM ledger) - ?", (count,))
    return f"the last {count} ledger entries deleted"


def rewrite_reason(vandal: Vandal) -> str:
    """An entry says something else and every hash after it is computed anew."""
    entry = vandal.pick("ledger")
    entry |= {"reason": "it was always so", "actor": "person:owner"}
    entry["digest"] = text_digest(entry["salt"], entry["reason"], entry["detail"])
    rebuild_chain(vandal, entry)
    return f"history rewritten from entry {entry['seq']} on"


def rewrite_alone(vandal: Vandal) -> str:
    """An entry says something else and its own hash fits; the entries after it are left as they were."""
    entry = vandal.pick("ledger")
    changed = entry | {"reason": "it was always so", "actor": "person:owner"}
    changed["digest"] = text_digest(entry["salt"], changed["reason"], entry["detail"])
    changed["hash"] = chain_hash(LedgerEntry(**changed))
    vandal.update("ledger", entry, **{name: changed[name] for name in ("reason", "actor", "digest", "hash")})
    return f"entry {entry['seq']} rewritten with a hash that fits"


def rewrite_memory(vandal: Vandal) -> str:
    """A memory says something else, with every digest and hash that follows from it computed anew."""
    row = vandal.pick("memory_versions")
    row["content"] = "The opposite is true."
    digest = opening_digest(SPEC_NAMED["memory_versions"].type(**row))
    vandal.update("memory_versions", row, content=row["content"], digest=digest)
    entry = vandal.rows("ledger", f"seq = {row['seq']}")[0]
    entry["records_hash"] = hash_records(digests_of(vandal, row["seq"]))
    rebuild_chain(vandal, entry)
    return f"a memory of entry {row['seq']} forged, and the chain from there on"


def digests_of(vandal: Vandal, seq: int) -> list[bytes]:
    """The digests of all that one entry wrote and closed."""
    found = []
    for spec in TABLES:
        found += [row[0] for row in vandal.run(f"SELECT digest FROM {spec.table} WHERE seq = ?", (seq,))]
        if spec.closing:
            found += [row[0] for row in vandal.run(f"SELECT closing_digest FROM {spec.table} WHERE seq_to = ?", (seq,))]
    return found


def rebuild_chain(vandal: Vandal, changed: dict[str, Any]) -> None:
    """Put a changed entry into the ledger and make all hashes from it to the end fit."""
    following = [changed, *vandal.rows("ledger", f"seq > {changed['seq']}")]
    forged: list[dict[str, Any]] = []
    for row in following:
        if forged:
            row["prev_hash"] = forged[-1]["hash"]
        entry = LedgerEntry(**row)
        forged.append(msgspec.structs.asdict(entry) | {"hash": chain_hash(entry)})
    vandal.run("DELETE FROM ledger WHERE seq >= ?", (changed["seq"],))
    for row in forged:
        vandal.insert("ledger", row)


def cut_tail(vandal: Vandal, count: int) -> None:
    """Make the last `count` entries never have happened: entries, records, closings and index, all consistent."""
    last = vandal.rows("ledger")[-1]["seq"] - count
    gone = [row["no"] for row in vandal.rows("memory_versions", f"seq > {last}")]
    vandal.run("DELETE FROM ledger WHERE seq > ?", (last,))
    for spec in TABLES:
        vandal.run(f"DELETE FROM {spec.table} WHERE seq > ?", (last,))
        if spec.closing:
            blank = ", ".join(f"{column} = NULL" for column in (*spec.closing, "closing_digest"))
            vandal.run(f"UPDATE {spec.table} SET {blank} WHERE seq_to > ?", (last,))
    for number in gone:
        for table in ("memory_index", "memory_keys"):
            vandal.run(f"DELETE FROM {table} WHERE no = ?", (number,))
        memories = "SELECT no FROM shelves WHERE collection = 'memory'"
        vandal.run(f"DELETE FROM unposted WHERE doc = ? AND shelf IN ({memories})", (number,))
    _cut_passages(vandal, last)
    vandal.run("DELETE FROM idempotency WHERE seq > ?", (last,))
    vandal.run("DELETE FROM tokens")
    vandal.run("INSERT INTO index_state (name, value) VALUES ('tokens_after', ?)", (last,))


def _cut_passages(vandal: Vandal, last: int) -> None:
    for (number,) in vandal.run("SELECT no FROM passages WHERE seq > ?", (last,)):
        for table, column in (("passages", "no"), ("passage_keys", "no"), ("unposted", "doc")):
            vandal.run(f"DELETE FROM {table} WHERE {column} = ?", (number,))
    vandal.run("UPDATE passages SET hidden_seq = NULL WHERE hidden_seq > ?", (last,))


def _edit(vandal: Vandal, table: str, column: str | None = None) -> str:
    while True:
        row = vandal.pick(table)
        name = column or vandal.chance.choice(vandal.columns(table))
        before = vandal.snapshot()
        try:
            vandal.update(table, row, **{name: _other_value(vandal, row[name])})
        except (apsw.ConstraintError, apsw.MismatchError):
            continue
        if vandal.snapshot() != before:
            return f"{table}.{name} of {[row[key] for key in KEYS[table]]} edited (it was {row[name]!r})"


def _other_value(vandal: Vandal, value: Any) -> Any:
    """A value of the same or of another type."""
    chance = vandal.chance
    if chance.random() < 0.15:
        return chance.choice((None, 7, -1, 0.25, "", "text", b"", b"bytes", 2**62))
    match value:
        case int():
            return value + chance.choice((-1, 1, 1000))
        case float():
            return chance.choice((value / 2, value / 2 + 0.01))
        case str():
            place = chance.randrange(len(value) + 1)
            return value[:place] + chance.choice("abc 1.") + value[place + chance.randrange(2) :]
        case bytes():
            place = chance.randrange(len(value)) if value else 0
            return (
                value[:place] + bytes([value[place] ^ 1 << chance.randrange(8)]) + value[place + 1 :] if value else b"1"
            )
        case _:
            return chance.choice((1, "agent:codex", b"\x01"))


TAMPERINGS: tuple[tuple[Callable[[Vandal], str], int], ...] = (
    (edit_column, 45),
    (edit_ledger, 25),
    (edit_closing, 15),
    (edit_salt, 8),
    (edit_space_key, 2),
    (edit_without_salt, 8),
    (delete_row, 20),
    (delete_tombstones, 5),
    (lift_tombstone, 5),
    (insert_copy, 15),
    (insert_entry, 4),
    (swap_rows, 10),
    (swap_entries, 8),
    (reopen_closed, 5),
    (cut_entries, 5),
    (rewrite_alone, 5),
    (rewrite_reason, 8),
    (rewrite_memory, 7),
)
"""What is done, and how often in 200 times."""
