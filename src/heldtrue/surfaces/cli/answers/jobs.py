"""What is shown of jobs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from heldtrue.capabilities.jobs import JobAnswer, JobsAnswer, JobView, WorkAnswer
from heldtrue.domain.ids import ending_of
from heldtrue.domain.plural import count
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.answers.parts import (
    LISTED_MAX,
    name_counts,
    short_id,
    show_brief,
    show_more,
)
from heldtrue.surfaces.cli.page import Line, Page, bold, dim, ink
from heldtrue.surfaces.cli.text import age, shorten

_COLORS = {
    "done": "green",
    "failed": "red",
    "running": "cyan",
    "waiting": "yellow",
    "suspended": "yellow",
    "cancelled": "dim",
}

_KEPT = ("pending", "corroborated", "refreshed", "known")

_ABOUT_CHARS = 60


@shows(JobView)
def show_job(page: Page, job: JobView, _asked: dict[str, Any], *, number: str = "") -> None:
    """A job in two lines, and its error; in a listing with its number."""
    progress = f"{job.done:,} of {job.total:,}" if job.total else count(job.done, "memory") if job.done else ""
    about = [" ", shorten(job.about, _ABOUT_CHARS)] if job.about else []
    state = ink(job.state, _COLORS.get(job.state, "dim"))
    indent = len(number) + 3 if number else 2
    page.line(
        ink(f"{number} " if number else "", "cyan"),
        state,
        "  ",
        bold(job.name),
        *about,
        "  ",
        dim(job.scope or "every scope"),
    )
    told = [one for one in (progress, *name_counts(job.counts)) if one]
    page.list([*told, f"asked by {job.asked_by}", age(job.created_at, page.now), short_id(job.id)], indent=indent)
    if job.note:
        page.row("note", ink(job.note, "yellow"), indent=indent)
    if job.error:
        page.row("error", ink(job.error, "red"), indent=indent)
        if job.state in ("failed", "suspended"):
            page.row("next", f"heldtrue retry {ending_of(job.id)}", indent=indent)


@shows(JobsAnswer)
def show_jobs(page: Page, answer: JobsAnswer, asked: dict[str, Any]) -> None:
    """What waits, runs and failed, newest first."""
    page.begin_listing()
    _show_many(page, answer.items, asked)
    if not answer.items:
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
        line = Line("job", job.id, job.state, " ".join(word for word in (job.name, job.about) if word))
        if page.compact:
            show_brief(page, [line], ink(job.state, _COLORS.get(job.state, "dim")), age(job.created_at, page.now))
        else:
            show_job(page, job, asked, number=page.number(line))


@shows(WorkAnswer)
def show_work(page: Page, answer: WorkAnswer, asked: dict[str, Any]) -> None:
    """What was done just now: one by one, or in all where that is too much to read."""
    if len(answer.jobs) > LISTED_MAX:
        _show_totals(page, answer.jobs)
        _show_many(page, [job for job in answer.jobs if job.error or job.note][:LISTED_MAX], asked)
    else:
        _show_many(page, answer.jobs, asked)
    if not answer.jobs:
        page.line("There was nothing to do.")
    if answer.waiting:
        more = count(answer.waiting, "more job is", "more jobs are")
        page.line(dim(f"{more} scheduled for later or taken by another worker: heldtrue jobs"))
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
        page.list(name_counts(counts) or ["nothing found"], indent=2)


@shows(JobAnswer)
def show_one_job(page: Page, answer: JobAnswer, asked: dict[str, Any]) -> None:
    """A job with every candidate and what became of it."""
    show_job(page, answer.job, asked)
    candidates = answer.outcome.get("candidates", [])
    for number, one in enumerate(candidates[:LISTED_MAX], start=1):
        page.gap()
        color = "green" if one["outcome"] in _KEPT else "yellow"
        page.text(one["text"], indent=4, first=bold(f" {number}"))
        page.list(
            [ink(one["outcome"], color), one["kind"], one["strength"], dim(one["memory"] or f"source {one['source']}")],
            indent=2,
        )
        page.row("why", one["reason"])
        page.row("scores", f"fact {one['factual']:.2f} · useful {one['useful']:.2f} · conflict {one['conflict']:.0f}")
    if len(candidates) > LISTED_MAX:
        page.line("  ", dim(f"… and {len(candidates) - LISTED_MAX:,} more; --json lists all"))
    for name, value in answer.outcome.get("health", {}).items():
        page.row(str(value), name.replace("_", " "))
