"""The earlier name of what is in stages/ and acts/ now."""

from __future__ import annotations

from heldtrue.domain.memory import Change
from heldtrue.ingest.acts.quarantine import quarantine as quarantine
from heldtrue.ingest.acts.quarantine import release as release

CHANGE = Change.QUARANTINE
