"""The queue, what a job came to, and what was taken in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from heldtrue.surfaces.cli.answers.parts import show_more
from heldtrue.surfaces.cli.page import Page, bold, dim, ink
from heldtrue.surfaces.cli.text import age, count, moment, shorten

if TYPE_CHECKING:
    from heldtrue.capabilities.ingesting import IngestAnswer
    from heldtrue.capabilities.reviewing import ReviewAnswer
    from heldtrue.capabilities.working import (
        CompactAnswer,
        ConsolidateAnswer,
        JobAnswer,
        JobsAnswer,
        JobView,
        SummariesAnswer,
        UndoAnswer,
        WorkAnswer,
    )

_COLORS = {
    "done": "green",
    "failed": "red",
    "running": "cyan",
    "waiting": "yellow",
    "suspended": "yellow",
    "cancelled": "dim",
}
_KEPT = ("pending", "corroborated", "refreshed", "known")
_SHOWN = 20
_ABOUT_CHARS = 60


def show_job(page: Page, job: JobView, _asked: dict[str, Any]) -> None:
    """A job in two lines, and its error."""
    progress = f"{job.done:,} of {job.total:,}" if job.total else count(job.done, "memory") if job.done else ""
    about = [" ", shorten(job.about, _ABOUT_CHARS)] if job.about else []
    state = ink(job.state, _COLORS.get(job.state, "dim"))
    page.line(state, "  ", bold(job.name), *about, "  ", dim(job.scope or "every scope"))
    told = [one for one in (progress, *_counted(job.counts)) if one]
    page.list([*told, f"asked by {job.asked_by}", age(job.created_at, page.now), dim(job.id)], indent=2)
    if job.note:
        page.row("note", ink(job.note, "yellow"))
    if job.error:
        page.row("error", ink(job.error, "red"))
        if job.state in ("failed", "suspended"):
            page.row("next", f"heldtrue retry {job.id}")


def _counted(counts: Mapping[str, int]) -> list[str]:
    return [f"{number:,} {what.replace('_', ' ')}" for what, number in counts.items()]


def show_jobs(page: Page, answer: JobsAnswer, asked: dict[str, Any]) -> None:
    """What waits, runs and failed, newest first."""
    _show_many(page, answer.jobs, asked)
    if not answer.jobs:
        chosen = any(asked.get(name) for name in ("names", "states", "cursor"))
        page.line("No job fits." if chosen else "Nothing is in the queue, and nothing was.")
    page.gap()
    suspended = f" · {answer.suspended:,} suspended" if answer.suspended else ""
    page.line(dim(f"{answer.waiting:,} waiting · {answer.running:,} running · {answer.failed:,} failed{suspended}"))
    if answer.waiting:
        page.line(dim("Do it now: heldtrue work"))
    show_more(page, answer.next_cursor)


def _show_many(page: Page, jobs: Sequence[JobView], asked: dict[str, Any]) -> None:
    for job in jobs:
        show_job(page, job, asked)


def show_work(page: Page, answer: WorkAnswer, asked: dict[str, Any]) -> None:
    """What was done just now: one by one, or in all where that is too much to read."""
    if len(answer.jobs) > _SHOWN:
        _show_totals(page, answer.jobs)
        _show_many(page, [job for job in answer.jobs if job.error or job.note][:_SHOWN], asked)
    else:
        _show_many(page, answer.jobs, asked)
    if not answer.jobs:
        page.line("There was nothing to do.")
    if answer.waiting:
        page.line(dim(f"{answer.waiting:,} more are not due yet, or another worker has them: heldtrue jobs"))
    held = sum(job.counts.get("pending", 0) for job in answer.jobs)
    if held:
        page.row("next", f"{count(held, 'memory')} to look at: heldtrue inbox", indent=0)


def _show_totals(page: Page, jobs: Sequence[JobView]) -> None:
    for name in dict.fromkeys(job.name for job in jobs):
        own = [job for job in jobs if job.name == name]
        counts: dict[str, int] = {}
        for job in own:
            for what, number in job.counts.items():
                counts[what] = counts.get(what, 0) + number
        page.line(ink("done", "green"), "  ", bold(name), "  ", dim(count(len(own), "job")))
        page.list(_counted(counts) or ["nothing found"], indent=2)


def show_one_job(page: Page, answer: JobAnswer, asked: dict[str, Any]) -> None:
    """A job with every candidate and what became of it."""
    show_job(page, answer.job, asked)
    candidates = answer.outcome.get("candidates", [])
    for number, one in enumerate(candidates[:_SHOWN], start=1):
        page.gap()
        color = "green" if one["outcome"] in _KEPT else "yellow"
        page.text(one["text"], indent=4, first=bold(f" {number}"))
        page.list(
            [ink(one["outcome"], color), one["kind"], one["strength"], dim(one["memory"] or f"source {one['source']}")],
            indent=2,
        )
        page.row("why", one["reason"])
        page.row("scores", f"fact {one['factual']:.2f} · useful {one['useful']:.2f} · conflict {one['conflict']:.0f}")
    if len(candidates) > _SHOWN:
        page.line("  ", dim(f"… and {len(candidates) - _SHOWN:,} more; --json lists all"))
    for name, value in answer.outcome.get("health", {}).items():
        page.row(str(value), name.replace("_", " "))


def show_consolidate(page: Page, answer: ConsolidateAnswer, asked: dict[str, Any]) -> None:
    """What became one, what counts now, and how to take it back."""
    if answer.job is not None:
        show_job(page, answer.job, asked)
    numbers = {"merged": 0, "promoted": 0} | ({} if answer.dry_run else {"linked": 0}) | answer.counts
    page.line(f"{'It would come to' if answer.dry_run else 'It came to'}: {', '.join(_counted(numbers))}.")
    for one in answer.changes[:_SHOWN]:
        page.gap()
        page.text(one.content, indent=4, first=dim("  -"))
        entry = [] if one.entry is None else [f"entry #{one.entry}"]
        page.list([ink(one.outcome, "green"), dim(one.memory), *entry], indent=4)
        page.row("why", one.reason, indent=4)
        if one.merged:
            page.row("with", dim(one.merged), indent=4)
        for conflict in one.linked:
            page.row("next", f"heldtrue resolve {conflict} keep_old|keep_new --reason WHY", indent=4)
    if len(answer.changes) > _SHOWN:
        page.line("  ", dim(f"… and {len(answer.changes) - _SHOWN:,} more; --json lists them"))
    if answer.changes:
        page.gap()
        undo = f"Take it back: heldtrue undo {answer.job.id} --reason WHY" if answer.job is not None else None
        page.line(dim(undo or "Do it: heldtrue consolidate"))


def show_summaries(page: Page, answer: SummariesAnswer, _asked: dict[str, Any]) -> None:
    """Each summary as the Markdown it is, with where it belongs under its heading."""
    if not answer.summaries:
        page.line("There is nothing to sum up yet.")
    for one in answer.summaries:
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


def show_compact(page: Page, answer: CompactAnswer, asked: dict[str, Any]) -> None:
    """What left the working set, or would."""
    if answer.job is not None:
        show_job(page, answer.job, asked)
    words = ", ".join(_counted(answer.counts)) or "nothing"
    page.line(f"{'It would come to: ' if answer.dry_run else 'It came to: '}{words}.")
    if answer.counts and answer.job is not None:
        page.line(dim(f"Take it back: heldtrue undo {answer.job.id} --reason WHY"))


def show_undo(page: Page, answer: UndoAnswer, _asked: dict[str, Any]) -> None:
    page.line(f"{count(answer.undone, 'change')} taken back, {count(len(answer.memories), 'memory')} as before.")
    for one in answer.left[:_SHOWN]:
        page.row("left", ink(one, "yellow"))


def show_review(page: Page, answer: ReviewAnswer, asked: dict[str, Any]) -> None:
    """What became of all that fits, or would."""
    verb = asked.get("decision", "approve")
    if answer.dry_run:
        page.line(f"It would {verb} {count(answer.matched, 'memory')}:")
    elif not answer.matched:
        page.line("Nothing in the inbox fits.")
    else:
        page.line(", ".join(_counted(answer.counts)).capitalize() + ".")
    for content in answer.contents[:_SHOWN] if answer.dry_run else ():
        page.text(content, indent=4, first=dim("  -"))
    if answer.dry_run and answer.matched > _SHOWN:
        page.line("  ", dim(f"… and {answer.matched - _SHOWN:,} more; --json lists all"))
    for problem in answer.problems[:_SHOWN]:
        page.row("left", ink(problem, "yellow"))
    if answer.more:
        page.line(dim("More fit than were taken: run it again, or with a higher --limit."))


def show_ingest(page: Page, answer: IngestAnswer, _asked: dict[str, Any]) -> None:
    """What was found, and what was left out and why."""
    page.line(ink("ingested", "green"), "  ", dim(answer.format))
    told = [
        f"{count(answer.documents, 'document')} new" if answer.documents else "",
        f"{count(answer.conversations, 'conversation')} with {count(answer.turns, 'new turn')}" if answer.turns else "",
        *_counted(answer.memories),
        f"{answer.unchanged:,} known before" if answer.unchanged else "",
        f"{count(answer.expired, 'memory')} expired" if answer.expired else "",
        f"{count(answer.returned, 'memory')} back" if answer.returned else "",
        f"{answer.left_out:,} left out" if answer.left_out else "",
    ]
    page.list([one for one in told if one] or ["nothing in it"], indent=2)
    for one in answer.details[:_SHOWN]:
        page.row("note", f"{one.path}: {one.reason}")
    if len(answer.details) > _SHOWN:
        page.line("  ", dim(f"… and {len(answer.details) - _SHOWN:,} more; --json lists them"))
    if answer.jobs:
        page.row("next", "look it through for memories: heldtrue work")
    elif answer.memories.get("pending"):
        page.row("next", "decide about them: heldtrue inbox")


SHOW = {
    "CompactAnswer": show_compact,
    "ConsolidateAnswer": show_consolidate,
    "IngestAnswer": show_ingest,
    "JobAnswer": show_one_job,
    "JobView": show_job,
    "JobsAnswer": show_jobs,
    "ReviewAnswer": show_review,
    "SummariesAnswer": show_summaries,
    "UndoAnswer": show_undo,
    "WorkAnswer": show_work,
}
