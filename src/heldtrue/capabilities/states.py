"""How things are now, in a few words: whoever has seen a list can tell whether something has changed since."""

from __future__ import annotations

from heldtrue.capabilities.call import Call
from heldtrue.capabilities.views import memory_state
from heldtrue.domain.errors import NotFound


def state_of(call: Call, what: str, name: str) -> str | None:
    """The state of a memory, a job or a conflict; none where it is not there for this caller."""
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
