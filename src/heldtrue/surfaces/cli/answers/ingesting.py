"""What is shown of files that were taken in."""

from __future__ import annotations

from typing import Any

from heldtrue.capabilities.ingesting import IngestAnswer
from heldtrue.domain.plural import count
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.answers.parts import LISTED_MAX, name_counts
from heldtrue.surfaces.cli.page import Page, dim, ink


@shows(IngestAnswer)
def show_ingest(page: Page, answer: IngestAnswer, _asked: dict[str, Any]) -> None:
    """What was found, and what was left out and why."""
    page.line(ink("ingested", "green"), "  ", dim(answer.format))
    told = [
        f"{count(answer.documents, 'document')} new" if answer.documents else "",
        f"{count(answer.conversations, 'conversation')} with {count(answer.turns, 'new turn')}" if answer.turns else "",
        *name_counts(answer.memories),
        f"{answer.unchanged:,} known before" if answer.unchanged else "",
        f"{count(answer.expired, 'memory')} expired" if answer.expired else "",
        f"{count(answer.returned, 'memory')} back" if answer.returned else "",
        f"{answer.left_out:,} left out" if answer.left_out else "",
    ]
    page.list([one for one in told if one] or ["nothing in it"], indent=2)
    for one in answer.details[:LISTED_MAX]:
        page.row("note", f"{one.path}: {one.reason}")
    if len(answer.details) > LISTED_MAX:
        page.line("  ", dim(f"… and {len(answer.details) - LISTED_MAX:,} more; --json lists them"))
    if answer.jobs:
        page.row("next", "look it through for memories: heldtrue work")
    elif answer.memories.get("pending"):
        page.row("next", "decide about them: heldtrue inbox")
