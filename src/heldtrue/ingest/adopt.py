"""The earlier name of what is in stages/ and acts/ now."""

from __future__ import annotations

from heldtrue.ingest.acts.import_memories import Foreign, import_memory


def adopt_memory(session, memory, stones, space_id, rule_for):  # type: ignore[no-untyped-def]
    return import_memory(session, Foreign(memory, stones, space_id), rule_for)
