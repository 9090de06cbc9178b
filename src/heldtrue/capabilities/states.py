"""Short texts for the current state of items, so that a caller with an old list notices what has changed."""

from __future__ import annotations

from heldtrue.capabilities.call import Call
from heldtrue.capabilities.views import memory_state
from heldtrue.domain.errors import NotFound


def state_of(call: Call, what: str, name: str) -> str | None:
    """The state of a memory, a job or a conflict. None if it does not exist for this caller."""
    with call.instance.store.read() as reading:
        if what == "memory":
            try:
                memory = call.find(reading, name)
            except NotFound:
                return None
            return memory_state(memory.status, memory.version)
        if what == "job":
            job = reading.queue.job(name)
            return job.state if job is not None else None
        conflict = reading.records.conflict(name)
        if conflict is None:
            return None
        return "pending" if conflict.recorded_to is None else "settled"
