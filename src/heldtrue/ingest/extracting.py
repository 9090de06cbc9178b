"""The earlier name of what is in stages/ and acts/ now."""

from __future__ import annotations

from typing import Any

from heldtrue.ingest.acts.extracted_lane import Taken as Taken
from heldtrue.ingest.acts.extracted_lane import expire_gone as expire_gone
from heldtrue.ingest.acts.extracted_lane import return_gone as return_gone
from heldtrue.ingest.acts.learn import learn
from heldtrue.ingest.gate import EXTRACTED
from heldtrue.ingest.outcome import Outcome

GONE = "its document is gone"


def learn_once(session: Any, candidate: Any, rule_for: Any, *, action: str) -> Outcome:
    return learn(session, candidate, rule_for, lane=EXTRACTED, action=action)
