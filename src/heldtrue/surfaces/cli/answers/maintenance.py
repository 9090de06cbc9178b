"""What is shown of maintenance."""

from __future__ import annotations

from typing import Any

from heldtrue.capabilities.maintenance import CompactAnswer, ConsolidateAnswer, SummariesAnswer, UndoAnswer
from heldtrue.domain.ids import ending_of
from heldtrue.domain.plural import count
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.answers.jobs import show_job
from heldtrue.surfaces.cli.answers.parts import LISTED_MAX, name_counts, short_id
from heldtrue.surfaces.cli.page import Page, bold, dim, ink
from heldtrue.surfaces.cli.text import moment


@shows(ConsolidateAnswer)
def show_consolidate(page: Page, answer: ConsolidateAnswer, asked: dict[str, Any]) -> None:
    """What became one, what counts now, and how to take it back."""
    if answer.job is not None:
        show_job(page, answer.job, asked)
    numbers = {"merged": 0, "promoted": 0} | ({} if answer.dry_run else {"linked": 0}) | answer.counts
    page.line(f"{'It would come to' if answer.dry_run else 'It came to'}: {', '.join(name_counts(numbers))}.")
    for one in answer.changes[:LISTED_MAX]:
        page.gap()
        page.text(one.content, indent=4, first=dim("  -"))
        entry = [] if one.entry is None else [f"entry #{one.entry}"]
        page.list([ink(one.outcome, "green"), short_id(one.memory), *entry], indent=4)
        page.row("why", one.reason, indent=4)
        if one.merged:
            page.row("with", short_id(one.merged), indent=4)
        for conflict in one.linked:
            page.row("next", f"heldtrue resolve {ending_of(conflict)} keep_old|keep_new", indent=4)
    if len(answer.changes) > LISTED_MAX:
        page.line("  ", dim(f"… and {len(answer.changes) - LISTED_MAX:,} more; --json lists them"))
    if answer.changes:
        page.gap()
        undo = (
            f"Take it back: heldtrue undo {ending_of(answer.job.id)} --reason WHY" if answer.job is not None else None
        )
        page.line(dim(undo or "Do it: heldtrue consolidate"))


@shows(SummariesAnswer)
def show_summaries(page: Page, answer: SummariesAnswer, _asked: dict[str, Any]) -> None:
    """Each summary as the Markdown it is, with where it belongs under its heading."""
    if not answer.items:
        page.line("There is nothing to sum up yet.")
    for one in answer.items:
        page.gap()
        _show_markdown(page, one.text, f"{one.scope}, {count(one.memories, 'memory')}")
        for earlier in one.earlier:
            page.gap()
            _show_markdown(page, earlier.text, f"{one.scope}, as written down {moment(earlier.made_at)}")


def _show_markdown(page: Page, text: str, place: str) -> None:
    heading, _, rest = text.partition("\n")
    page.line(bold(heading), "  ", dim(place))
    page.gap()
    for line in rest.strip("\n").split("\n"):
        if line.startswith("- "):
            page.text(line[2:], indent=2, first=dim("-"))
        elif line.strip():
            page.text(line)
        else:
            page.gap()


@shows(CompactAnswer)
def show_compact(page: Page, answer: CompactAnswer, asked: dict[str, Any]) -> None:
    """What left the working set, or would."""
    if answer.job is not None:
        show_job(page, answer.job, asked)
    words = ", ".join(name_counts(answer.counts)) or "nothing"
    page.line(f"{'It would come to: ' if answer.dry_run else 'It came to: '}{words}.")
    if answer.counts and answer.job is not None:
        page.line(dim(f"Take it back: heldtrue undo {ending_of(answer.job.id)} --reason WHY"))


@shows(UndoAnswer)
def show_undo(page: Page, answer: UndoAnswer, _asked: dict[str, Any]) -> None:
    page.line(f"{count(answer.undone, 'change')} taken back, {count(len(answer.memories), 'memory')} as before.")
    for one in answer.left[:LISTED_MAX]:
        page.row("left", ink(one, "yellow"))
