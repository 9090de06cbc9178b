"""How the explanation of a memory is shown."""

from __future__ import annotations

from typing import Any

from heldtrue.capabilities.explaining import Explanation, RejectedValue
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.answers.parts import (
    name_standing,
    show_activity,
    show_conflicts_of,
    show_evidence,
    show_head,
    show_links,
    show_rationale,
)
from heldtrue.surfaces.cli.page import Page, dim
from heldtrue.surfaces.cli.text import age


@shows(Explanation)
def show_explanation(page: Page, answer: Explanation, _arguments: dict[str, Any]) -> None:
    """The provenance of a memory: a summary, then each part."""
    memory = answer.memory
    show_head(page, memory)
    page.gap()
    page.text(answer.story, indent=2)
    show_rationale(page, memory)
    if answer.evidence:
        page.title("Evidence")
        show_evidence(page, answer.evidence, memory.content)
    page.title("History")
    for entry in answer.activities:
        show_activity(page, entry)
    _show_chain(page, "Replaced by", answer.replaced_by)
    _show_chain(page, "Replaces", answer.replaces)
    _show_chain(page, "Derived from", answer.derived_from)
    show_links(page, answer.links, memory.id)
    show_conflicts_of(page, answer.conflicts)
    _show_rejected(page, answer.rejected)
    if answer.refused:
        page.title("Refused because of this rejection")
        for entry in answer.refused:
            show_activity(page, entry, about=entry.detail.get("said"))


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
    page.title("Rejected value" if any(value.lifted_at is None for value in values) else "Rejected earlier")
    seen = set()
    for value in values:
        # A text and each of its claims are rejected separately; a person sees one rejection.
        act = (value.scope, value.by, value.at, value.reason, value.lifted_at)
        if act in seen:
            continue
        seen.add(act)
        page.text(f"in {value.scope}, by {value.by} {age(value.at, page.now)}: {value.reason}", indent=4)
        if value.lifted_at:
            lifted = f"allowed again by {value.lifted_by} {age(value.lifted_at, page.now)}: {value.lift_reason}"
            page.text(dim(lifted), indent=6)
