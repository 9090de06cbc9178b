"""How the status and the upkeep of a space are shown."""

from __future__ import annotations

from typing import Any

from heldtrue.capabilities.upkeep import ReindexAnswer, StatusAnswer, UpkeepAnswer
from heldtrue.domain.plural import count
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.options import say_hint
from heldtrue.surfaces.cli.page import Page, dim, ink
from heldtrue.surfaces.cli.text import age, moment, size

_COLUMN = 18
_SHOWN = 8


def _figure(page: Page, label: str, number: int | None, aside: str = "", color: str | None = None) -> None:
    """One figure; nothing if the caller may not see it."""
    if number is not None:
        styles = (color,) if color else ()
        page.line(dim(f"  {label.ljust(_COLUMN)}"), ink(f"{number:>8,}", *styles), dim(f"  {aside}" if aside else ""))


@shows(StatusAnswer)
def show_status(page: Page, answer: StatusAnswer, _arguments: dict[str, Any]) -> None:
    """The figures of a space, aligned, and the warnings."""
    where = [f"  {answer.home}"] if answer.home else []
    page.line(ink(answer.name, "bold"), *where, dim(f"  {answer.space}"))
    page.gap()
    _figure(page, "active memories", answer.active)
    others = {name: number for name, number in answer.statuses.items() if name not in ("active", "inbox")}
    for name, number in others.items():
        _figure(page, name, number)
    _watch(page, "waiting for review", answer.inbox, "see: heldtrue inbox", "yellow")
    _watch(page, "conflicts", answer.pending_conflicts, "see: heldtrue conflicts", "red")
    _watch(page, "stale", answer.stale, "", "yellow")
    _figure(
        page, "rejected claims", answer.rejected_values, "see: heldtrue rejections" if answer.rejected_values else ""
    )
    if answer.rejected_by_agents:
        _watch(page, "rejected by agents", answer.rejected_by_agents, "see: heldtrue rejections --by-agents", "yellow")
    _figure(page, "sources", answer.sources)
    _show_jobs(page, answer.jobs or {})
    _figure(page, "ledger entries", answer.ledger_entries)
    if answer.bytes_on_disk is not None:
        page.line(dim(f"  {'on disk'.ljust(_COLUMN)}"), f"{size(answer.bytes_on_disk):>8}")
    page.gap()
    for label, counts in (("by kind", answer.kinds), ("by scope", answer.scopes), ("by topic", answer.topics),
                          ("by author", answer.agents)):  # fmt: skip
        _show_counts(page, label, counts)
    page.gap()
    if answer.last_write:
        page.line(dim("  last write  "), f"{moment(answer.last_write)} ({age(answer.last_write, page.now)})")
    if answer.head:
        page.line(dim("  ledger head "), dim(answer.head))
    for warning in answer.warnings:
        page.text(ink(say_hint(warning), "yellow"), indent=4, first=ink("  !", "bold", "yellow"))


def _watch(page: Page, label: str, number: int, aside: str, color: str) -> None:
    """A figure that is highlighted if it is not zero."""
    _figure(page, label, number, aside if number else "", color if number else None)


def _show_jobs(page: Page, jobs: dict[str, int]) -> None:
    """The jobs that need attention."""
    for state, aside, color in (
        ("waiting", "see: heldtrue work", "yellow"),
        ("failed", "see: heldtrue jobs --state failed", "red"),
        ("suspended", "see: heldtrue jobs --state suspended", "yellow"),
    ):
        if jobs.get(state):
            _figure(page, f"jobs {state}", jobs[state], aside, color)


def _show_counts(page: Page, label: str, counts: dict[str, int]) -> None:
    for index, (name, number) in enumerate(list(counts.items())[:_SHOWN]):
        page.line(dim(f"  {(label if index == 0 else '').ljust(_COLUMN)}"), f"{number:>8,}  {name}")
    if len(counts) > _SHOWN:
        page.line(" " * (_COLUMN + 2), dim(f"       … and {len(counts) - _SHOWN:,} more"))


@shows(UpkeepAnswer)
def show_upkeep(page: Page, answer: UpkeepAnswer, _arguments: dict[str, Any]) -> None:
    for step in answer.done:
        page.text(step, indent=4, first=ink("  ✓", "green"))


@shows(ReindexAnswer)
def show_reindex(page: Page, answer: ReindexAnswer, _arguments: dict[str, Any]) -> None:
    page.line(ink("Indexed", "bold", "green"), f": {count(answer.versions, 'version')}.")
