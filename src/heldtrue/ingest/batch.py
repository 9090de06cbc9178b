"""The earlier name of what is in stages/ and acts/ now."""

from __future__ import annotations

from heldtrue.ingest.acts.batch import Plan as Plan
from heldtrue.ingest.acts.batch import learn_planned as learn_all
from heldtrue.ingest.acts.batch import plan_batch as plan_batch

__all__ = ["Plan", "learn_all", "plan_batch"]
