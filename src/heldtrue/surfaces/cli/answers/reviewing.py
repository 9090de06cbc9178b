"""How the inbox, conflicts and reviews are shown."""

from __future__ import annotations

from typing import Any

from heldtrue.capabilities.reviewing import ConflictItem, ConflictsAnswer, InboxAnswer, InboxItem, ReviewAnswer
from heldtrue.capabilities.views import ConflictView
from heldtrue.domain.ids import ending_of
from heldtrue.domain.limits import LIST_SHOWN_MAX
from heldtrue.domain.plural import count
from heldtrue.domain.records import ConflictKind
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.answers.parts import (
    EXCERPT_CHARS,
    memory_line,
    name_approval,
    name_counts,
    name_sources,
    name_standing,
    short_id,
    show_brief,
    show_more,
    show_rationale,
)
from heldtrue.surfaces.cli.page import Line, Page, bold, dim, ink
from heldtrue.surfaces.cli.text import age, shorten


@shows(InboxAnswer)
def show_inbox(page: Page, answer: InboxAnswer, arguments: dict[str, Any]) -> None:
    """Each inbox item, why it waits, and the commands to decide it."""
    page.begin_listing()
    if not answer.items:
        filtered = any(arguments.get(name) for name in ("kinds", "scopes", "cursor"))
        page.line("No inbox items match." if filtered else "The inbox is empty.")
        return
    more = " (the newest; there are more)" if answer.next_cursor else ""
    page.line(dim(f"{count(len(answer.items), 'memory')} waiting for review{more}"))
    for item in answer.items:
        if page.compact:
            show_brief(page, _waiting_lines(item), item.memory.kind, item.memory.agent)
            continue
        page.gap()
        _show_waiting(page, item)
    page.gap()
    if page.is_terminal:
        page.line(dim("To approve several by their numbers: heldtrue approve 1-3,5"))
    show_more(page, answer.next_cursor)


def _waiting_lines(item: InboxItem) -> list[Line]:
    """An inbox item, and the conflicts that must be resolved first."""
    return [memory_line(item.memory), *(_conflict_line(conflict) for conflict in item.conflicts)]


def _conflict_line(conflict: ConflictView) -> Line:
    return Line("conflict", conflict.id, conflict.status, conflict.finding)


def _show_waiting(page: Page, item: InboxItem) -> None:
    memory = item.memory
    page.text(bold(memory.content), indent=4, first=ink(page.number(*_waiting_lines(item)), "yellow"))
    page.list(
        [short_id(memory.id), *name_standing(memory)[1:], f"{memory.agent}, {age(memory.created_at, page.now)}"],
        indent=4,
    )
    page.row("why", item.waits_because, indent=4)
    show_rationale(page, memory, indent=4)
    for other in item.opposes:
        page.text(other.content, indent=16, first=ink("    contradicts", "dim"))
    if sources := name_sources(item.evidence):
        page.list(sources, indent=4, label="from", between=", ")
    if quote := _find_quote(item):
        page.row("quote", dim(f'"{quote}"'), indent=4)
    for conflict in item.conflicts:
        page.row("accept", f"heldtrue resolve {ending_of(conflict.id)} keep_new", indent=4)
        page.line(" " * 12, dim("or keep_both, remove_both, merge --text TEXT"))
    if not item.conflicts:
        page.row("accept", name_approval(memory), indent=4)
    page.row("reject", f"heldtrue reject {ending_of(memory.id)}", indent=4)
    page.row("dismiss", f"heldtrue dismiss {ending_of(memory.id)}", indent=4)


def _find_quote(item: InboxItem) -> str:
    """The passage it was extracted from; empty if the memory has the same words."""
    for source in item.evidence:
        words = source.content[source.span[0] : source.span[1]] if source.span else ""
        if words.strip() and words.strip() != item.memory.content.strip():
            return shorten(" ".join(words.split()), EXCERPT_CHARS)
    return ""


@shows(ConflictsAnswer)
def show_conflicts(page: Page, answer: ConflictsAnswer, _arguments: dict[str, Any]) -> None:
    """Both sides of each conflict, and how to resolve it."""
    page.begin_listing()
    if not answer.items:
        page.line("No memories contradict each other.")
        return
    for item in answer.items:
        if page.compact:
            show_brief(page, [_conflict_line(item.conflict)], item.conflict.scope)
            continue
        page.gap()
        _show_conflict(page, item)
    page.gap()
    show_more(page, answer.next_cursor)


def _show_conflict(page: Page, item: ConflictItem) -> None:
    conflict = item.conflict
    page.text(bold(conflict.finding), indent=4, first=ink(page.number(_conflict_line(conflict)), "red"))
    page.list([short_id(conflict.id), conflict.kind, conflict.scope, age(conflict.recorded_from, page.now)], indent=4)
    is_retraction = conflict.kind == ConflictKind.RETRACTION
    for label, memory in (("memory", item.old),) if is_retraction else (("old", item.old), ("new", item.new)):
        page.row(label, memory.content, indent=4)
        page.list([short_id(memory.id), *name_standing(memory), f"stated by {memory.agent}"], indent=12)
    if conflict.status == "settled":
        page.row("result", f"{conflict.disposition} by {conflict.resolved_by}: {conflict.reason}", indent=4)
        return
    page.row("resolve", f"heldtrue resolve {ending_of(conflict.id)} keep_old", indent=4)
    others = (
        "or remove_both to forget the memory"
        if is_retraction
        else "or keep_new, keep_both, remove_both, merge --text TEXT"
    )
    page.line(" " * 12, dim(others))


@shows(ReviewAnswer)
def show_review(page: Page, answer: ReviewAnswer, arguments: dict[str, Any]) -> None:
    """The outcome for all items that match, or a preview of it."""
    verb = arguments.get("decision", "approve")
    if not answer.matched:
        page.line("No inbox items match.")
    elif answer.dry_run:
        page.line(f"This would {verb} {count(answer.matched, 'memory')}:")
    else:
        page.line(", ".join(name_counts(answer.counts)).capitalize() + ".")
    for content in answer.contents[:LIST_SHOWN_MAX] if answer.dry_run else ():
        page.text(content, indent=4, first=dim("  -"))
    if answer.dry_run and answer.matched > LIST_SHOWN_MAX:
        page.line("  ", dim(f"… and {answer.matched - LIST_SHOWN_MAX:,} more; --json lists all"))
    for problem in answer.problems[:LIST_SHOWN_MAX]:
        page.row("skipped", ink(problem, "yellow"))
    if answer.more:
        page.line(dim("More items match. Run the command again, or raise --limit."))
