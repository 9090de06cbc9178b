"""The earlier name of what is in stages/ and acts/ now."""

from __future__ import annotations

from heldtrue.ingest.acts.extracted_lane import IMPORTED_ELSEWHERE as IMPORTED
from heldtrue.ingest.acts.maintenance import undo as undo

__all__ = ["IMPORTED", "undo"]
