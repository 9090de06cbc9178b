"""What is shown of why a memory is believed."""

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
def show_explanation(page: Page, answer: Explanation, _asked: dict[str, Any]) -> None:
    """The provenance of a memory, as a story and then piece by piece."""
    memory = answer.memory
    show_head(page, memory)
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
    show_links(page, answer.links, memory.id)
    show_conflicts_of(page, answer.conflicts)
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
