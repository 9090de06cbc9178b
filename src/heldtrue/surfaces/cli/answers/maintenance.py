"""How maintenance and its undo are shown."""

from __future__ import annotations

from typing import Any

from heldtrue.capabilities.maintenance import CompactAnswer, ConsolidateAnswer, SummariesAnswer, UndoAnswer
from heldtrue.domain.ids import ending_of
from heldtrue.domain.limits import LIST_SHOWN_MAX
from heldtrue.domain.plural import count
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.answers.jobs import show_job
from heldtrue.surfaces.cli.answers.parts import name_counts, short_id
from heldtrue.surfaces.cli.page import Page, bold, dim, ink
from heldtrue.surfaces.cli.text import moment


@shows(ConsolidateAnswer)
def show_consolidate(page: Page, answer: ConsolidateAnswer, arguments: dict[str, Any]) -> None:
    """What was merged and promoted, and how to undo it."""
    if answer.job is not None:
        show_job(page, answer.job, arguments)
    numbers = {"merged": 0, "promoted": 0} | ({} if answer.dry_run else {"linked": 0}) | answer.counts
    page.line(f"{'Preview, nothing changed' if answer.dry_run else 'Result'}: {', '.join(name_counts(numbers))}.")
    for change in answer.changes[:LIST_SHOWN_MAX]:
        page.gap()
        page.text(change.content, indent=4, first=dim("  -"))
        entry = [] if change.entry is None else [f"entry #{change.entry}"]
        page.list([ink(change.outcome, "green"), short_id(change.memory), *entry], indent=4)
        page.row("why", change.reason, indent=4)
        if change.merged:
            page.row("with", short_id(change.merged), indent=4)
        for conflict in change.linked:
            page.row("next", f"heldtrue resolve {ending_of(conflict)} keep_old|keep_new", indent=4)
    if len(answer.changes) > LIST_SHOWN_MAX:
        page.line("  ", dim(f"… and {len(answer.changes) - LIST_SHOWN_MAX:,} more; --json lists all"))
    if answer.changes:
        page.gap()
        undo = (
            f"To undo these changes: heldtrue undo {ending_of(answer.job.id)} --reason WHY"
            if answer.job is not None
            else None
        )
        page.line(dim(undo or "To apply these changes: heldtrue consolidate"))


@shows(SummariesAnswer)
def show_summaries(page: Page, answer: SummariesAnswer, _arguments: dict[str, Any]) -> None:
    """Each summary as Markdown, with its scope beside the heading."""
    if not answer.items:
        page.line("No memories to summarise yet.")
    for summary in answer.items:
        page.gap()
        _show_markdown(page, summary.text, f"{summary.scope}, {count(summary.memories, 'memory')}")
        for earlier in summary.earlier:
            page.gap()
            _show_markdown(page, earlier.text, f"{summary.scope}, written {moment(earlier.made_at)}")


def _show_markdown(page: Page, text: str, origin: str) -> None:
    heading, _, rest = text.partition("\n")
    page.line(bold(heading), "  ", dim(origin))
    page.gap()
    for line in rest.strip("\n").split("\n"):
        if line.startswith("- "):
            page.text(line[2:], indent=2, first=dim("-"))
        elif line.strip():
            page.text(line)
        else:
            page.gap()


@shows(CompactAnswer)
def show_compact(page: Page, answer: CompactAnswer, arguments: dict[str, Any]) -> None:
    """What was archived and merged, or would be."""
    if answer.job is not None:
        show_job(page, answer.job, arguments)
    words = ", ".join(name_counts(answer.counts)) or "nothing to do"
    page.line(f"{'Preview, nothing changed' if answer.dry_run else 'Result'}: {words}.")
    for change in answer.changes[:LIST_SHOWN_MAX]:
        page.gap()
        page.text(change.title, indent=4, first=dim("  -"))
        entry = [] if change.entry is None else [f"entry #{change.entry}"]
        age = f"{count(change.age_days, 'day')} old"
        page.list([ink(change.outcome, "green"), change.what, short_id(change.id), age, *entry], indent=4)
        page.row("why", change.reason, indent=4)
        if change.merged:
            page.row("with", short_id(change.merged), indent=4)
    if len(answer.changes) > LIST_SHOWN_MAX:
        page.line("  ", dim(f"… and {len(answer.changes) - LIST_SHOWN_MAX:,} more; --json lists all"))
    if answer.changes:
        page.gap()
        undo = (
            f"To undo these changes: heldtrue undo {ending_of(answer.job.id)} --reason WHY"
            if answer.job is not None
            else None
        )
        page.line(dim(undo or "To apply these changes, run the same command without --dry-run."))


@shows(UndoAnswer)
def show_undo(page: Page, answer: UndoAnswer, _arguments: dict[str, Any]) -> None:
    page.line(f"{count(answer.undone, 'change')} undone, {count(len(answer.memories), 'memory')} restored.")
    for problem in answer.left[:LIST_SHOWN_MAX]:
        page.row("skipped", ink(problem, "yellow"))
