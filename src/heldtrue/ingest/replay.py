"""The earlier name of what is in stages/ and acts/ now."""

from __future__ import annotations

from heldtrue.ingest.acts.replay import Replay as Replay
from heldtrue.ingest.acts.replay import numbered_lines as numbered_lines
from heldtrue.ingest.acts.replay import read_header as read_header
from heldtrue.ingest.acts.replay import read_lines as read_lines
