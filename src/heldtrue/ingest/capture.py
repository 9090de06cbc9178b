"""The earlier name of what is in stages/ and acts/ now."""

from __future__ import annotations

from heldtrue.ingest.acts.capture import Capture as Capture
from heldtrue.ingest.acts.capture import Captured as Captured
from heldtrue.ingest.acts.capture import Material as Material
from heldtrue.ingest.acts.capture import capture_document as capture_document
from heldtrue.ingest.acts.capture import capture_turns as capture_turns
from heldtrue.ingest.acts.capture import check_size as check_size
from heldtrue.ingest.acts.capture import count_known as count_known
from heldtrue.ingest.acts.capture import take_apart as take_apart
from heldtrue.ingest.acts.capture import take_material as take_material
