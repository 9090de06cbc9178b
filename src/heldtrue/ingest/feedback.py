"""The earlier name of what is in stages/ and acts/ now."""

from __future__ import annotations

from heldtrue.ingest.acts.feedback import Given as Given
from heldtrue.ingest.acts.feedback import Judgement as Judgement
from heldtrue.ingest.acts.feedback import give_feedback as give_feedback
from heldtrue.ingest.acts.feedback import last_feedback as last_feedback
from heldtrue.ingest.acts.feedback import split_by_use as split_by_use
from heldtrue.ingest.acts.feedback import undo_feedback as undo_feedback
