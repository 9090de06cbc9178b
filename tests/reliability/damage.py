"""Garbage in derived rows: what an unlucky disk, or a vandal, leaves in place of a value."""

from __future__ import annotations

import random
from pathlib import Path

import apsw

from heldtrue import Memory
from heldtrue.capabilities.recalling import RecallResult
from heldtrue.domain.derived import DERIVED

GARBAGE: tuple[object, ...] = (
    *(None, "", "x", "12 abc", "a b c", b"", b"\x01\x02\x03", b"\xff\xfe not text", 0, -1, 7, 2**40, 2**62, -(2**62)),
    *(0.5, -1e300, 1e300),
)
QUESTIONS = ("PostgreSQL backend", "how long does the build take?", "the tall tower", "what did Bob say?", "printer")
COLUMNS = [(spec.table, column) for spec in DERIVED for column in spec.columns] + [
    ("memory_use", column) for column in ("recalled", "injected", "used", "ignored", "priority", "last_recalled_at")
]
"""Every column of every derived table, and the use counts, which decide scores too."""


def damage_column(path: Path, table: str, column: str, chance: random.Random) -> str | None:
    """Put garbage into a column of one row or of all; say what was done, or None where the schema refused it."""
    connection = apsw.Connection(str(path))
    value = chance.choice(GARBAGE)
    everywhere = chance.random() < 0.4
    key = next((", ".join(spec.key) for spec in DERIVED if spec.table == table), "memory_id")
    where = "" if everywhere else f" WHERE ({key}) IN (SELECT {key} FROM {table} ORDER BY random() LIMIT 1)"
    try:
        connection.execute(f"UPDATE OR IGNORE {table} SET {column} = ?{where}", (value,))
        changed = connection.changes()
    except apsw.Error:
        changed = 0
    finally:
        connection.close()
    return f"{table}.{column} = {value!r}{' everywhere' if everywhere else ''}" if changed else None


def answers(memory: Memory) -> list[list[tuple[str, float]]]:
    """What is recalled, with its scores."""
    return [
        [(text_of(result), round(result.score, 6)) for result in memory.recall(question, limit=8).results]
        for question in QUESTIONS
    ]


def text_of(result: RecallResult) -> str:
    """What a result says."""
    return result.memory.content if result.memory is not None else result.passage.text
