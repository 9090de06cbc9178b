"""How a memory, a list, a history and a diff are shown."""

from __future__ import annotations

from typing import Any

from heldtrue.capabilities.reading import ActivityView, DiffAnswer, GetAnswer, HistoryAnswer, ListAnswer
from heldtrue.capabilities.views import MemoryView
from heldtrue.domain.cause import ErasureCause
from heldtrue.domain.ids import ending_of
from heldtrue.domain.plural import count
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.answers.parts import (
    color_word,
    memory_line,
    name_end,
    name_standing,
    short_id,
    show_activity,
    show_brief,
    show_conflicts_of,
    show_evidence,
    show_head,
    show_links,
    show_more,
    show_rationale,
    show_since,
    show_valid_time,
)
from heldtrue.surfaces.cli.page import Page, Words, dim, ink
from heldtrue.surfaces.cli.text import age, moment

_COMPARED = ("status", "confidence", "verified_by", "kind", "scope", "topic", "visibility", "staleness",
         "valid_from", "valid_to")  # fmt: skip
"""The fields whose changes are shown in short; the text and the rationale have lines of their own."""

_RESTORABLE = ("retracted", "rejected", "superseded", "contradicted")


@shows(GetAnswer)
def show_memory(page: Page, answer: GetAnswer, _arguments: dict[str, Any]) -> None:
    """Everything about one memory."""
    memory = answer.memory
    show_head(page, memory)
    page.row("author", f"{memory.agent}, {moment(memory.created_at)} ({age(memory.created_at, page.now)})")
    show_rationale(page, memory)
    show_valid_time(page, memory)
    page.row(
        "version", f"{memory.version} ({memory.change} by {memory.changed_by}): {memory.reason or ''}".rstrip(": ")
    )
    page.list([dim(memory.iri)], label="iri")
    show_since(page, answer.since, indent=2)
    if answer.evidence:
        page.title("Evidence")
        show_evidence(page, answer.evidence, memory.content)
    show_links(page, answer.links, memory.id)
    show_conflicts_of(page, answer.conflicts)
    page.gap()
    page.text(dim(f"Full provenance: heldtrue explain {ending_of(memory.id)}"))


@shows(ListAnswer)
def show_list(page: Page, answer: ListAnswer, arguments: dict[str, Any]) -> None:
    """Two lines per memory, then how to see more."""
    page.begin_listing()
    if not answer.items:
        statuses = ", ".join(arguments.get("statuses") or ["active"])
        page.line(f"No {statuses} memories match.")
        page.text(dim("To see memories with another status: heldtrue list --status inbox,superseded,retracted"))
        return
    for memory in answer.items:
        if page.compact:
            ended = [name_end(memory)] if memory.ended else []
            show_brief(page, [memory_line(memory)], *ended, memory.kind, memory.scope, mark=_mark(memory))
            continue
        mark, color = _mark(memory)
        page.text(memory.content, indent=6, first=ink(f"{page.number(memory_line(memory))} {mark}", *color))
        page.list(
            [
                short_id(memory.id),
                *name_standing(memory),
                f"stated by {memory.agent}, {age(memory.updated_at, page.now)}",
            ],
            indent=6,
        )
    page.gap()
    if page.is_terminal:
        page.line(dim("● verified by a person   ○ not verified"))
    example = "1" if page.is_terminal else "ID"
    page.text(dim(f"{count(len(answer.items), 'memory')}. To explain one: heldtrue explain {example}"))
    show_more(page, answer.next_cursor)


def _mark(memory: MemoryView) -> tuple[str, tuple[str, ...]]:
    return ink("●" if memory.human_verified else "○", color_word(memory.status)[1][-1])


@shows(HistoryAnswer)
def show_history(page: Page, answer: HistoryAnswer, _arguments: dict[str, Any]) -> None:
    """Each version with what changed, who changed it, when and why."""
    order = ", oldest first" if len(answer.versions) > 1 else ""
    page.line(dim(f"{count(len(answer.versions), 'version')} of {answer.memory}{order}"))
    before: MemoryView | None = None
    entries = _entries_by_moment(answer.entries)
    for version in answer.versions:
        page.gap()
        _show_version(page, version, before, entries.get(version.recorded_from))
        before = version
    if before is not None and before.status in _RESTORABLE and before.cause != ErasureCause.ERASED:
        page.gap()
        page.text(dim(f"To restore this memory: heldtrue restore {ending_of(before.id)} --reason WHY"))


def _entries_by_moment(entries: list[ActivityView]) -> dict[str, ActivityView]:
    return {entry.at: entry for entry in entries}


def _show_version(page: Page, version: MemoryView, before: MemoryView | None, entry: ActivityView | None) -> None:
    when = f"{moment(version.recorded_from)} ({age(version.recorded_from, page.now)})"
    through = [f"entry #{entry.seq}, via {entry.channel}"] if entry else []
    page.list(
        [
            ink(f"version {version.version}", "bold", "cyan"),
            f"{version.change} by {version.changed_by}",
            when,
            *through,
        ],
        indent=0,
    )
    if before is None:
        page.text(version.content, indent=2)
        standing = name_standing(version)
        page.list(standing if version.status != "active" else [color_word("active"), *standing])
    else:
        if version.content != before.content:
            page.row("was", dim(before.content))
            page.row("now", version.content)
        page.list(_changes(before, version))
    if before is None or version.rationale != before.rationale:
        show_rationale(page, version)
    if version.reason:
        page.row("why", version.reason)


def _changes(before: MemoryView, after: MemoryView) -> list[Words]:
    """The fields that differ, old and new."""
    changes: list[Words] = []
    for field in _COMPARED:
        old, new = getattr(before, field), getattr(after, field)
        if old != new:
            changes.append(f"{field.replace('_', ' ')} {_spell(old)} → {_spell(new)}")
    return changes


def _spell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.2f}"
    return "none" if value is None else str(value)


@shows(DiffAnswer)
def show_diff(page: Page, answer: DiffAnswer, _arguments: dict[str, Any]) -> None:
    """What was added, corrected, retracted and linked, each under its heading."""
    page.begin_listing()
    page.line(dim(f"From entry {answer.since} to entry {answer.until}"))
    if answer.added:
        page.title(f"Added ({len(answer.added)})")
        for memory in answer.added:
            page.text(memory.content, indent=6, first=ink(f"{page.number(memory_line(memory))} +", "green"))
            details: list[Words] = [
                short_id(memory.id),
                *name_standing(memory),
                f"stated by {memory.agent}, {age(memory.created_at, page.now)}",
            ]
            page.list(details, indent=6)
    sections = (("Corrected", answer.corrected), ("Retracted", answer.retracted), ("Linked", answer.linked))
    for title, entries in (*sections, ("Other changes", answer.other), ("Refused", answer.refused)):
        if entries:
            page.title(f"{title} ({len(entries)})")
            for entry in entries:
                show_activity(page, entry, about=entry.target)
    changes = (answer.added, answer.corrected, answer.retracted, answer.linked, answer.other, answer.refused)
    if not any(changes):
        page.line("Nothing changed.")
