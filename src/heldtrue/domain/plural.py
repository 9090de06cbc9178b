"""Numbers with their nouns."""

from __future__ import annotations


def count(number: int, noun: str, plural: str | None = None) -> str:
    """`1 memory`, `1,200 memories`; with its verb, both forms are given: `1 job is`, `2 jobs are`."""
    if plural is None:
        plural = f"{noun[:-1]}ies" if noun.endswith(("ry", "ty")) else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"
