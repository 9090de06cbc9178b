"""How everything about a subject is shown."""

from __future__ import annotations

from typing import Any

from heldtrue.capabilities.about import AboutAnswer
from heldtrue.capabilities.about_items import AboutItem
from heldtrue.capabilities.about_page import CAUSES, TITLES
from heldtrue.capabilities.views import memory_state
from heldtrue.domain.plural import count
from heldtrue.projections.subject_scan import HeldSection
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.answers.parts import color_word, short_id, show_brief, show_more
from heldtrue.surfaces.cli.page import Line, Page, Words, dim, ink
from heldtrue.surfaces.cli.text import age, shorten, size

_TEXT_CHARS = 400
_LISTED = {
    HeldSection.MEMORIES: "memory",
    HeldSection.SOURCES: "source",
    HeldSection.CONFLICTS: "conflict",
    HeldSection.JOBS: "job",
    HeldSection.RECALLS: "recall",
}
"""The kinds of items that other commands accept by their line number."""


@shows(AboutAnswer)
def show_about(page: Page, answer: AboutAnswer, arguments: dict[str, Any]) -> None:
    """How much there is of each kind, then the items of this page, or the files that were written."""
    name = arguments["name"]
    total = sum(answer.counts.values())
    if not answer.files:
        page.begin_listing()
    if not total:
        page.line(f"Nothing mentions {name}. For other spellings and identifiers, add --also.")
    else:
        page.line(ink(f"{count(total, 'item')} about {name}", "bold"), dim(f", up to entry {answer.entry}"))
    for section, number in answer.counts.items():
        if number:
            page.line(f"{number:>9,}  ", TITLES[section])
    for written in answer.files:
        page.line(ink("Written", "bold", "green"), f": {written.path}, {size(written.bytes)}")
    current = None
    for item in answer.items:
        if item.section != current:
            current = item.section
            page.title(TITLES[current])
        _show_item(page, item)
    if answer.items:
        page.gap()
        page.text(dim("To write everything to a file, add --export FILE"))
    show_more(page, answer.next_cursor)


def _show_item(page: Page, item: AboutItem) -> None:
    last = item.versions[-1] if item.versions else None
    state = memory_state(last.status, last.version) if last is not None else str(item.details.get("state", ""))
    line = Line(_LISTED.get(HeldSection(item.section), item.section), item.id or "", state, item.text)
    if page.compact:
        show_brief(page, [line], *([last.status] if last is not None else []))
        return
    page.text(shorten(item.text, _TEXT_CHARS) or dim("(no text)"), indent=6, first=ink(page.number(line), "cyan"))
    page.list(_details(page, item), indent=6)
    for evidence in item.evidence:
        where = evidence.reference or evidence.thread or evidence.speaker or evidence.author
        page.row("source", f"{shorten(evidence.passage, _TEXT_CHARS)} ({where})", indent=6)


def _details(page: Page, item: AboutItem) -> list[Words]:
    details: list[Words] = [short_id(item.id)] if item.id is not None else []
    if item.versions:
        last = item.versions[-1]
        details += [color_word(last.status), last.kind, last.scope, count(len(item.versions), "version")]
    details.append(f"{CAUSES[item.cause]} {', '.join(item.names)}".rstrip())
    if item.by is not None:
        details.append(f"by {item.by}")
    if item.at is not None:
        details.append(age(item.at, page.now))
    return details
