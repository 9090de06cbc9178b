"""The earlier name of what is in stages/ and acts/ now."""

from __future__ import annotations

from heldtrue.ingest.stages.candidate import Candidate as Candidate
from heldtrue.ingest.stages.candidate import Proposal as Proposal
from heldtrue.ingest.stages.candidate import prepare_candidate as prepare_candidate
from heldtrue.ingest.stages.candidate import read_scope as read_scope
