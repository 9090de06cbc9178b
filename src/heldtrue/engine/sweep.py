"""A sweep: a job that goes through memories, newest first, a page at a time, and changes some of them.

What is to change is found outside any transaction; each change is then one short transaction through the gateway, which
looks again, writes one ledger entry and notes how far the sweep has come. A sweep that was interrupted goes on from
there, and a second one finds nothing left to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from heldtrue.domain.limits import SWEEP_BATCH_MAX
from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.principal import SYSTEM
from heldtrue.domain.rows import VersionFilter
from heldtrue.engine.ports import EngineStore
from heldtrue.engine.worker import Run
from heldtrue.ingest.gateway import Gate, WriteRequest
from heldtrue.ingest.outcome import Outcome
from heldtrue.ingest.stages.journal import WriteSession
from heldtrue.ports import ReadTransaction

CHANNEL = "engine"
Change = Callable[[WriteSession], Outcome | None]
"""Checks again and writes; None if there is nothing left to change."""


class Swept(msgspec.Struct, frozen=True, kw_only=True):
    """How far a sweep has come and what it has done: the outcome of its job."""

    looked_at: int = 0
    before: int | None = None
    """The sweep goes on below this version."""
    counts: dict[str, int] = {}
    entries: list[int] = []
    """The ledger entries that the sweep made, so that all of them can be undone."""


Plan = Callable[[ReadTransaction, MemoryVersion], Iterable[Change]]


def sweep(run: Run, store: EngineStore, gate: Gate, chosen: VersionFilter, plan: Plan, *, action: str) -> Swept:
    """Go through the memories that a filter lets through and carry out what is planned for each."""
    so_far = run.outcome(Swept)
    while True:
        with store.read() as reading:
            page = reading.memories.list_versions(chosen, before=so_far.before, limit=SWEEP_BATCH_MAX)
            changes = [change for memory in page for change in plan(reading, memory)]
        if not page:
            return so_far
        for change in changes:
            so_far = carry_out(run, gate, [change], so_far, action=action)
        so_far = msgspec.structs.replace(so_far, looked_at=so_far.looked_at + len(page), before=page[-1].no)
        run.step(done=so_far.looked_at, outcome=so_far)


def carry_out(
    run: Run, gate: Gate, changes: Sequence[Change], so_far: Swept, *, action: str, counted_as: str | None = None
) -> Swept:
    """Make some changes in one transaction, which also notes them. Each is one entry, counted by cause or outcome."""

    def act(session: WriteSession) -> Swept:
        outcomes = [outcome for change in changes if (outcome := change(session)) is not None]
        if not outcomes:
            return so_far
        counts = dict(so_far.counts)
        for outcome in outcomes:
            label = counted_as or (outcome.cause or outcome.outcome).value
            counts[label] = counts.get(label, 0) + 1
            if outcome.conflicts:
                counts["linked"] = counts.get("linked", 0) + len(outcome.conflicts)
        entries = [*so_far.entries, *(outcome.seq for outcome in outcomes)]
        moved = msgspec.structs.replace(so_far, counts=counts, entries=entries)
        run.note(session.transaction, done=so_far.looked_at, outcome=moved)
        return moved

    return gate.submit(WriteRequest(principal=SYSTEM, channel=CHANNEL, action=action), act, Swept)
