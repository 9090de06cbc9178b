"""The wire shape of an export: a line for the space, one for each ledger entry and working row, and one for the end."""

from __future__ import annotations

from typing import Any

import msgspec

from heldtrue.domain.ledger import LedgerEntry

FORMAT = 1


class ExportHeader(msgspec.Struct, frozen=True, kw_only=True):
    """The first line."""

    heldtrue: int
    """The format, so that a later Heldtrue can tell."""
    space_id: str
    entries: int
    head: str


class _Line(msgspec.Struct, frozen=True, kw_only=True, tag_field="line"):
    """Any line after the first."""


class EntryLine(_Line, frozen=True, kw_only=True, tag="entry"):
    """One ledger entry with the records it wrote and the closings it made, by table; empty columns are left out."""

    entry: LedgerEntry
    written: dict[str, list[dict[str, Any]]]
    closed: dict[str, list[dict[str, Any]]]


class RowLine(_Line, frozen=True, kw_only=True, tag="row"):
    """One working row (`domain/carried.py`); empty columns are left out."""

    table: str
    row: dict[str, Any]


class EndLine(_Line, frozen=True, kw_only=True, tag="end"):
    """The last line, without which an export is incomplete."""

    rows: int
    """How many working rows there are."""
    key: str | None = None
    """Names the key of the code, without revealing it."""
    code: str | None = None
    """An authentication code (HMAC-SHA-256) of all lines before, under the key of the space."""


ExportLine = EntryLine | RowLine | EndLine
