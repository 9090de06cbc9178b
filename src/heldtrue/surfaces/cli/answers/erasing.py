"""How an erasure is shown: the list and the code of a dry run, or what was erased."""

from __future__ import annotations

from typing import Any

from heldtrue.capabilities.erasing import EraseAnswer, ErasedItem
from heldtrue.domain.ids import ending_of
from heldtrue.domain.plural import count
from heldtrue.ingest.stages.erasing import EraseCause
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.page import Page, dim, ink
from heldtrue.surfaces.cli.text import moment

_WHY = {
    EraseCause.REQUESTED: "requested",
    EraseCause.MENTIONS: "mentions the subject",
    EraseCause.SOURCE: "source of an erased memory",
    EraseCause.ONLY_SOURCE: "has no other source",
    EraseCause.SAME_WORDS: "contains the same statement",
}
_NAMES = {
    "archived_sources": "archived source",
    "conflicts": "conflict",
    "evidence": "evidence reference",
    "handed": "message",
    "idempotency": "stored response",
    "jobs": "job",
    "ledger": "ledger text",
    "links": "link",
    "memory_versions": "memory version",
    "quarantines": "quarantine",
    "recalls": "logged recall",
    "saved_views": "saved view",
    "sources": "source",
    "summaries": "summary",
    "tombstones": "rejection",
}


@shows(EraseAnswer)
def show_erasure(page: Page, answer: EraseAnswer, _asked: dict[str, Any]) -> None:
    """What goes, what stays weakened, which copies remain, and how to go on."""
    is_plan = answer.outcome == "planned"
    amounts = f"{count(len(answer.memories), 'memory')} and {count(len(answer.sources), 'source')}"
    if is_plan:
        page.line(ink("Dry run", "bold", "yellow"), f": {amounts} would be erased. Nothing was erased yet.")
    else:
        page.line(ink("Erased", "bold", "green"), f" {amounts}, in entry #{answer.seq}.")
    if is_plan:
        for title, items in (("Memories", answer.memories), ("Sources", answer.sources)):
            _show_items(page, title, items)
    if answer.more and is_plan:
        page.line("  ", dim(f"... and {answer.more:,} more"))
    parts = [count(number, _NAMES[table]) for table, number in answer.counts.items() if table in _NAMES]
    page.text(dim("In total: " + ", ".join(parts) + "."), indent=2)
    if answer.weakened:
        ends = ", ".join(map(ending_of, answer.weakened))
        page.text(
            dim(
                f"{count(len(answer.weakened), 'other memory loses a source', 'other memories lose a source')}: {ends}"
            ),
            indent=2,
        )
    if answer.copies:
        page.line("Copies that still contain this data:")
        for copy in answer.copies:
            page.line("  ", f"{copy.kind} {copy.path}", dim(f"  {moment(copy.made_at)}"))
    if is_plan:
        page.text("Read the list. To erase everything on it for good, run the same command with:", indent=0)
        page.line("  ", ink(f"--confirm {answer.confirm}", "bold"))


def _show_items(page: Page, title: str, items: list[ErasedItem]) -> None:
    if not items:
        return
    page.line(f"{title}:")
    for item in items:
        words = f"  {' '.join(item.words.split())}" if item.words else ""
        page.line("  ", dim(item.id), words, dim(f"  ({_WHY[item.cause]})"))
