"""What holds for everything that is kept, looked at together on one conversation and what came of it."""

from __future__ import annotations

import pytest

from heldtrue import ManualClock, Memory, NotFound
from heldtrue.domain.errors import HeldtrueError
from tests.acceptance.homes import entries, recalled

TURNS = ["The staging database is called heron.", "Remember: I prefer oat milk in my coffee, never dairy."]


@pytest.mark.covers("C18")
def test_what_is_kept_is_logged_readable_searchable_timed_and_shown_only_where_it_belongs(
    anywhere: Memory, clock: ManualClock
) -> None:
    codex, claude = anywhere.as_agent("codex"), anywhere.as_agent("claude")
    said = codex.capture(
        messages=[{"name": "Mira", "content": turn} for turn in TURNS], thread="t", scope="agent:codex"
    )
    clock.advance(hours=1)
    learned = codex.learn("The staging database of Mira is small.", scope="agent:codex").memory

    logged = [(entry.action, entry.actor) for entry in entries(anywhere)]
    assert logged == [("memory.capture", "agent:codex"), ("memory.learn", "agent:codex")], "one entry a write"
    moments = [entry.recorded_at for entry in entries(anywhere)]
    assert moments == sorted(moments)
    assert moments[1] - moments[0] == 3_600_000_000

    assert [anywhere.expand(source).text for source in said.sources] == TURNS, "as it was said"
    found = codex.recall("what is the staging database called?", within=["sessions"]).results
    assert TURNS[0] in [result.passage.text for result in found]
    assert recalled(codex, "staging database") == [learned.content]
    assert all(result.passage.recorded_at == "2026-05-04T09:00:00.000000Z" for result in found)
    assert learned.recorded_from == "2026-05-04T10:00:00.000000Z"

    assert claude.recall("what is the staging database called?", within=["sessions", "memory"]).results == []
    for hidden in (said.sources[0], learned.id):
        with pytest.raises(NotFound):
            claude.expand(hidden)

    again = codex.capture(messages=[{"name": "Mira", "content": "The staging database is called swan."}], thread="t",
                          scope="agent:codex")  # fmt: skip
    assert anywhere.expand(said.sources[0]).text == TURNS[0], "what was said before is not rewritten"
    assert set(again.sources).isdisjoint(said.sources)
    store = anywhere._call.instance.store
    for change in ("UPDATE sources SET content = 'forged'", "DELETE FROM sources", "DELETE FROM ledger"):
        with pytest.raises(HeldtrueError), store.connector.writing() as connection:  # type: ignore[attr-defined]
            connection.run(change, {})
    assert anywhere.verify().ok
