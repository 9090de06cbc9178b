"""The earlier name of what is in stages/ and acts/ now."""

from __future__ import annotations

from heldtrue.ingest.acts.review import approve as approve
from heldtrue.ingest.acts.review import merge as merge
from heldtrue.ingest.acts.review import resolve as resolve
