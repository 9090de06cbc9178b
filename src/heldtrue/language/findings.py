"""What was found in a text, and the text without it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

import msgspec

compiled = cache(re.compile)
"""A pattern, compiled when a text first calls for it: most texts call for none."""


class Finding(msgspec.Struct, frozen=True):
    """Where a secret or a person's number stands in the text that was read, and its kind; never the data itself."""

    kind: str
    start: int
    end: int


class Redaction(msgspec.Struct, frozen=True):
    """A text without what must not be stored, and what was taken out of it."""

    text: str
    findings: tuple[Finding, ...] = ()


def merge_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """In order of place; where two overlap, one finding covers both and the more specific, found first, names it."""
    merged: list[tuple[int, Finding]] = []
    for order, found in sorted(enumerate(findings), key=lambda entry: entry[1].start):
        if merged and found.start < merged[-1][1].end:
            last_order, last = merged[-1]
            kind = last.kind if last_order < order else found.kind
            merged[-1] = (min(order, last_order), Finding(kind, last.start, max(last.end, found.end)))
        else:
            merged.append((order, found))
    return tuple([found for _, found in merged])


def replace_findings(text: str, findings: Iterable[Finding]) -> str:
    """The text with `[redacted:<kind>]` in the place of every finding."""
    parts, place = [], 0
    for found in findings:
        parts += [text[place : found.start], f"[redacted:{found.kind}]"]
        place = found.end
    return "".join([*parts, text[place:]])
