"""One memory: what it says, what it rests on, what surrounds it, what became of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heldtrue.surfaces.cli.answers.parts import (
    color_word,
    name_standing,
    show_activity,
    show_evidence,
    show_rationale,
    show_since,
    show_valid_time,
)
from heldtrue.surfaces.cli.page import Page, bold, dim, ink
from heldtrue.surfaces.cli.text import age, moment

if TYPE_CHECKING:
    from heldtrue.capabilities.explaining import Explanation, RejectedValue
    from heldtrue.capabilities.reading import GetAnswer
    from heldtrue.capabilities.views import ConflictView, LinkView, MemoryView


def show_memory(page: Page, answer: GetAnswer, _asked: dict[str, Any]) -> None:
    """Everything about one memory."""
    memory = answer.memory
    _show_head(page, memory)
    page.row("said by", f"{memory.agent}, {moment(memory.created_at)} ({age(memory.created_at, page.now)})")
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
    _show_links(page, answer.links, memory.id)
    _show_conflicts(page, answer.conflicts)
    page.gap()
    page.text(dim(f"Its story: heldtrue explain {memory.id}"))


def _show_head(page: Page, memory: MemoryView) -> None:
    page.text(bold(memory.content))
    page.line("  ", dim(memory.id))
    standing = name_standing(memory)
    page.list(standing if memory.status != "active" else [color_word("active"), *standing])


def _show_links(page: Page, links: list[LinkView], own: str) -> None:
    shown = [link for link in links if link.relationship not in ("contradicts", "supersedes")]
    if not shown:
        return
    page.title("Links")
    for link in shown:
        ended = f", until {link.recorded_to[:10]}" if link.recorded_to else ""
        arrow, other = ("→", link.to) if link.from_memory == own else ("←", link.from_memory)
        page.line("    ", link.relationship, " ", dim(arrow), " ", other, dim(ended))
        if link.reason:
            page.text(dim(link.reason), indent=6)


def _show_conflicts(page: Page, conflicts: list[ConflictView]) -> None:
    if not conflicts:
        return
    page.title("Conflicts")
    for conflict in conflicts:
        if conflict.status == "pending":
            page.text(ink(conflict.finding, "red"), indent=4)
            page.text(dim(f"pending: heldtrue resolve {conflict.id} keep_old|keep_new --reason WHY"), indent=6)
        else:
            page.text(conflict.finding, indent=4)
            page.text(dim(f"settled {conflict.disposition} by {conflict.resolved_by}: {conflict.reason}"), indent=6)


def show_explanation(page: Page, answer: Explanation, _asked: dict[str, Any]) -> None:
    """The provenance of a memory, as a story and then piece by piece."""
    memory = answer.memory
    _show_head(page, memory)
    page.gap()
    page.text(answer.story, indent=2)
    show_rationale(page, memory)
    if answer.evidence:
        page.title("It rests on")
        show_evidence(page, answer.evidence, memory.content)
    page.title("What happened")
    for entry in answer.activities:
        show_activity(page, entry)
    _show_chain(page, "What took its place", answer.replaced_by)
    _show_chain(page, "What it replaced", answer.replaces)
    _show_chain(page, "What it came from", answer.derived_from)
    _show_links(page, answer.links, memory.id)
    _show_conflicts(page, answer.conflicts)
    _show_rejected(page, answer.rejected)


def _show_chain(page: Page, title: str, steps: list[Explanation], indent: int = 4) -> None:
    if not steps:
        return
    if title:
        page.title(title)
    for step in steps:
        page.text(step.memory.content, indent=indent)
        page.list([dim(step.memory.id), *name_standing(step.memory)], indent=indent + 2)
        page.text(dim(step.story), indent=indent + 2)
        show_rationale(page, step.memory, indent=indent + 2)
        _show_chain(page, "", [*step.replaced_by, *step.replaces, *step.derived_from], indent + 2)


def _show_rejected(page: Page, values: list[RejectedValue]) -> None:
    if not values:
        return
    page.title("It stays rejected" if any(one.lifted_at is None for one in values) else "It was rejected")
    seen = set()
    for one in values:
        # A text and each thing it says are rejected apart; to a person that is one rejection.
        act = (one.scope, one.by, one.at, one.reason, one.lifted_at)
        if act in seen:
            continue
        seen.add(act)
        page.text(f"in {one.scope}, by {one.by} {age(one.at, page.now)}: {one.reason}", indent=4)
        if one.lifted_at:
            page.text(dim(f"lifted by {one.lifted_by} {age(one.lifted_at, page.now)}: {one.lift_reason}"), indent=6)


SHOW = {"Explanation": show_explanation, "GetAnswer": show_memory}
