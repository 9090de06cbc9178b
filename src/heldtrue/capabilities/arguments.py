"""Arguments that several capabilities share, each described once."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from heldtrue.domain import limits

MemoryRef = Annotated[str, Meta(description="The id or IRI of a memory.")]
Content = Annotated[str, Meta(description="What is to be remembered, in plain words.")]
Reason = Annotated[str, Meta(min_length=1, description="Why, in words; it stays readable in the history.")]
Topic = Annotated[str | None, Meta(description="A subject to file it under.")]
Scope = Annotated[
    str | None,
    Meta(description="Where it belongs: global, team:ID, project:ID, repo:ID, agent:ID or session:ID."),
]
Scopes = Annotated[list[str] | None, Meta(description="Only these scopes; left out, the caller's own surroundings.")]
AsOf = Annotated[
    str | None,
    Meta(description="As believed then: a moment such as 2026-05-17 or '3 days ago', or a ledger entry such as #120."),
]
ValidAt = Annotated[str | None, Meta(description="Only what held in the world at that moment.")]
ResultLimit = Annotated[int, Meta(ge=1, le=limits.RESULTS_MAX, description="At most this many results.")]
ListLimit = Annotated[int, Meta(ge=1, le=limits.LIST_MAX, description="At most this many.")]
Cursor = Annotated[str | None, Meta(description="Where the page before ended (its next_cursor).")]
