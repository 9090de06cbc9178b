"""The wire shape of an export: one line for the space, then one for each ledger entry."""

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


class ExportLine(msgspec.Struct, frozen=True, kw_only=True):
    """One ledger entry with the records it wrote and the closings it made, by table; empty columns are left out."""

    entry: LedgerEntry
    written: dict[str, list[dict[str, Any]]]
    closed: dict[str, list[dict[str, Any]]]
