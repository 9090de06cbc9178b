"""How jobs are shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from heldtrue.capabilities.jobs import JobAnswer, JobsAnswer, JobView, WorkAnswer
from heldtrue.domain.ids import ending_of
from heldtrue.domain.limits import LIST_SHOWN_MAX
from heldtrue.domain.plural import count
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.answers.parts import name_counts, short_id, show_brief, show_more
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
_SCORES = (("fact", "factual", ".2f"), ("useful", "useful", ".2f"), ("conflict", "conflict", ".0f"))
"""The scores of a candidate: the name that is shown, its key and its format."""


@shows(JobView)
def show_job(page: Page, job: JobView, _arguments: dict[str, Any], *, number: str = "") -> None:
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
        dim(job.scope or "all scopes"),
    )
    figures = [text for text in (progress, *_outcomes(job)) if text]
    page.list(
        [*figures, f"requested by {job.asked_by}", age(job.created_at, page.now), short_id(job.id)], indent=indent
    )
    if job.note:
        page.row("note", ink(job.note, "yellow"), indent=indent)
    if job.error:
        page.row("error", ink(job.error, "red"), indent=indent)
        if job.state in ("failed", "suspended"):
            page.row("next", f"heldtrue retry {ending_of(job.id)}", indent=indent)


def _outcomes(job: JobView) -> list[str]:
    """What a job did, in figures; an extraction also says that it found nothing."""
    found_nothing = job.name == "extract" and job.state == "done" and not job.counts
    return ["no memories found"] if found_nothing else list(name_counts(job.counts))


@shows(JobsAnswer)
def show_jobs(page: Page, answer: JobsAnswer, arguments: dict[str, Any]) -> None:
    """Each job, newest first, and the number in each state."""
    page.begin_listing()
    _show_many(page, answer.items, arguments)
    if not answer.items:
        filtered = any(arguments.get(name) for name in ("names", "states", "cursor"))
        page.line("No jobs match." if filtered else "No jobs yet.")
    page.gap()
    suspended = f" · {answer.suspended:,} suspended" if answer.suspended else ""
    page.line(dim(f"{answer.waiting:,} waiting · {answer.running:,} running · {answer.failed:,} failed{suspended}"))
    if answer.waiting:
        page.line(dim("To run them now: heldtrue work"))
    show_more(page, answer.next_cursor)


def _show_many(page: Page, jobs: Sequence[JobView], arguments: dict[str, Any]) -> None:
    for job in jobs:
        line = Line("job", job.id, job.state, " ".join(word for word in (job.name, job.about) if word))
        if page.compact:
            show_brief(page, [line], ink(job.state, _COLORS.get(job.state, "dim")), age(job.created_at, page.now))
        else:
            show_job(page, job, arguments, number=page.number(line))


@shows(WorkAnswer)
def show_work(page: Page, answer: WorkAnswer, arguments: dict[str, Any]) -> None:
    """The jobs that just ran, or their totals if there are many."""
    if len(answer.jobs) > LIST_SHOWN_MAX:
        _show_totals(page, answer.jobs)
        _show_many(page, [job for job in answer.jobs if job.error or job.note][:LIST_SHOWN_MAX], arguments)
    else:
        _show_many(page, answer.jobs, arguments)
    if not answer.jobs:
        page.line("No jobs to run.")
    if answer.waiting:
        more = count(answer.waiting, "more job is", "more jobs are")
        page.line(dim(f"{more} scheduled for later or taken by another worker: heldtrue jobs"))
    pending = sum(job.counts.get("pending", 0) for job in answer.jobs)
    if pending:
        page.row("next", f"{count(pending, 'memory')} to review: heldtrue inbox", indent=0)


def _show_totals(page: Page, jobs: Sequence[JobView]) -> None:
    for name in dict.fromkeys(job.name for job in jobs):
        same_name = [job for job in jobs if job.name == name]
        counts: dict[str, int] = {}
        for job in same_name:
            for what, number in job.counts.items():
                counts[what] = counts.get(what, 0) + number
        page.line(ink("done", "green"), "  ", bold(name), "  ", dim(count(len(same_name), "job")))
        page.list(name_counts(counts) or ["no results"], indent=2)


@shows(JobAnswer)
def show_one_job(page: Page, answer: JobAnswer, arguments: dict[str, Any]) -> None:
    """A job with every candidate and its outcome."""
    show_job(page, answer.job, arguments)
    candidates = answer.outcome.get("candidates", [])
    for number, candidate in enumerate(candidates[:LIST_SHOWN_MAX], start=1):
        page.gap()
        color = "green" if candidate["outcome"] in _KEPT else "yellow"
        page.text(candidate["text"], indent=4, first=bold(f" {number}"))
        page.list(
            [
                ink(candidate["outcome"], color),
                candidate["kind"],
                candidate["strength"],
                dim(candidate["memory"] or f"source {candidate['source']}"),
            ],
            indent=2,
        )
        page.row("why", candidate["reason"])
        scores = (f"{name} {candidate[key]:{shape}}" for name, key, shape in _SCORES)
        page.row("scores", " · ".join(scores))
    if len(candidates) > LIST_SHOWN_MAX:
        page.line("  ", dim(f"… and {len(candidates) - LIST_SHOWN_MAX:,} more; --json lists all"))
    for name, value in answer.outcome.get("health", {}).items():
        page.row(str(value), name.replace("_", " "))
