"""The earlier name of what is in stages/ and acts/ now."""

from __future__ import annotations

from heldtrue.ingest.stages.journal import EntryBuilder as Journal
from heldtrue.ingest.stages.journal import WriteSession as Pen

__all__ = ["Journal", "Pen"]
