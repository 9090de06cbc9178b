"""How the result of an import of files is shown."""

from __future__ import annotations

from typing import Any

from heldtrue.capabilities.ingesting import IngestAnswer
from heldtrue.domain.limits import LIST_SHOWN_MAX
from heldtrue.domain.plural import count
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.answers.parts import name_counts
from heldtrue.surfaces.cli.page import Page, dim, ink


@shows(IngestAnswer)
def show_ingest(page: Page, answer: IngestAnswer, _arguments: dict[str, Any]) -> None:
    """What was imported, and what was skipped and why."""
    page.line(ink("ingested", "green"), "  ", dim(answer.format))
    counts = [
        f"{count(answer.documents, 'document')} new" if answer.documents else "",
        f"{count(answer.conversations, 'conversation')} with {count(answer.turns, 'new turn')}" if answer.turns else "",
        *name_counts(answer.memories),
        f"{answer.unchanged:,} already imported" if answer.unchanged else "",
        f"{count(answer.expired, 'memory')} archived" if answer.expired else "",
        f"{count(answer.returned, 'memory')} restored" if answer.returned else "",
        f"{answer.left_out:,} skipped" if answer.left_out else "",
    ]
    page.list([text for text in counts if text] or ["nothing to import"], indent=2)
    for detail in answer.details[:LIST_SHOWN_MAX]:
        page.row("note", f"{detail.path}: {detail.reason}")
    if len(answer.details) > LIST_SHOWN_MAX:
        page.line("  ", dim(f"… and {len(answer.details) - LIST_SHOWN_MAX:,} more; --json lists all"))
    if answer.jobs:
        page.row("next", "to extract memories from the imported text: heldtrue work")
    elif answer.memories.get("pending"):
        page.row("next", "to review the imported memories: heldtrue inbox")
