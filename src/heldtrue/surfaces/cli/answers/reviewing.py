"""What is shown of the inbox and of conflicts."""

from __future__ import annotations

from typing import Any

from heldtrue.capabilities.reviewing import ConflictItem, ConflictsAnswer, InboxAnswer, InboxItem, ReviewAnswer
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.answers.parts import (
    EXCERPT_CHARS,
    LISTED_MAX,
    name_approval,
    name_counts,
    name_sources,
    name_standing,
    show_more,
    show_rationale,
)
from heldtrue.surfaces.cli.page import Page, bold, dim, ink
from heldtrue.surfaces.cli.text import age, count, shorten


@shows(InboxAnswer)
def show_inbox(page: Page, answer: InboxAnswer, asked: dict[str, Any]) -> None:
    """What waits, why, and what to type about it."""
    if not answer.items:
        chosen = any(asked.get(name) for name in ("kinds", "scopes", "cursor"))
        page.line("Nothing that fits waits for you." if chosen else "Nothing waits for you.")
        return
    more = " (the newest; there are more)" if answer.next_cursor else ""
    page.line(dim(f"{count(len(answer.items), 'memory')} waiting for a person{more}"))
    for number, item in enumerate(answer.items, 1):
        page.gap()
        _show_waiting(page, number, item)
    page.gap()
    show_more(page, answer.next_cursor)


def _show_waiting(page: Page, number: int, item: InboxItem) -> None:
    memory = item.memory
    page.text(bold(memory.content), indent=4, first=ink(f"{number:>2}", "yellow"))
    page.list(
        [dim(memory.id), *name_standing(memory)[1:], f"{memory.agent}, {age(memory.created_at, page.now)}"], indent=4
    )
    page.row("waits", item.waits_because, indent=4)
    show_rationale(page, memory, indent=4)
    for other in item.opposes:
        page.text(other.content, indent=16, first=ink("    instead of", "dim"))
    if sources := name_sources(item.evidence):
        page.list(sources, indent=4, label="from", between=", ")
    if said := _said(item):
        page.row("said", dim(f'"{said}"'), indent=4)
    for conflict in item.conflicts:
        page.row("accept", f"heldtrue resolve {conflict.id} keep_new --reason WHY", indent=4)
        page.line(" " * 12, dim("or keep_both, remove_both, merge --text TEXT"))
    if not item.conflicts:
        page.row("accept", name_approval(memory, item.waits_because), indent=4)
    page.row("refuse", f"heldtrue reject {memory.id} --reason WHY", indent=4)


def _said(item: InboxItem) -> str:
    """The words it was taken from, where they are others than its own."""
    for source in item.evidence:
        words = source.content[source.span[0] : source.span[1]] if source.span else ""
        if words.strip() and words.strip() != item.memory.content.strip():
            return shorten(" ".join(words.split()), EXCERPT_CHARS)
    return ""


@shows(ConflictsAnswer)
def show_conflicts(page: Page, answer: ConflictsAnswer, _asked: dict[str, Any]) -> None:
    """Both sides of each conflict, and how to settle it."""
    if not answer.items:
        page.line("No memories contradict each other.")
        return
    for number, item in enumerate(answer.items, 1):
        page.gap()
        _show_conflict(page, number, item)
    page.gap()
    show_more(page, answer.next_cursor)


def _show_conflict(page: Page, number: int, item: ConflictItem) -> None:
    conflict = item.conflict
    page.text(bold(conflict.finding), indent=4, first=ink(f"{number:>2}", "red"))
    page.list([dim(conflict.id), conflict.kind, conflict.scope, age(conflict.recorded_from, page.now)], indent=4)
    for label, memory in (("old", item.old), ("new", item.new)):
        page.row(label, memory.content, indent=4)
        page.list([dim(memory.id), *name_standing(memory), memory.agent], indent=12)
    if conflict.status == "settled":
        page.row("settled", f"{conflict.disposition} by {conflict.resolved_by}: {conflict.reason}", indent=4)
        return
    page.row("settle", f"heldtrue resolve {conflict.id} keep_old --reason WHY", indent=4)
    page.line(" " * 12, dim("or keep_new, keep_both, remove_both, merge --text TEXT"))


@shows(ReviewAnswer)
def show_review(page: Page, answer: ReviewAnswer, asked: dict[str, Any]) -> None:
    """What became of all that fits, or would."""
    verb = asked.get("decision", "approve")
    if answer.dry_run:
        page.line(f"It would {verb} {count(answer.matched, 'memory')}:")
    elif not answer.matched:
        page.line("Nothing in the inbox fits.")
    else:
        page.line(", ".join(name_counts(answer.counts)).capitalize() + ".")
    for content in answer.contents[:LISTED_MAX] if answer.dry_run else ():
        page.text(content, indent=4, first=dim("  -"))
    if answer.dry_run and answer.matched > LISTED_MAX:
        page.line("  ", dim(f"… and {answer.matched - LISTED_MAX:,} more; --json lists all"))
    for problem in answer.problems[:LISTED_MAX]:
        page.row("left", ink(problem, "yellow"))
    if answer.more:
        page.line(dim("More fit than were taken: run it again, or with a higher --limit."))
