"""How refused writes and rejected claims are shown."""

from __future__ import annotations

from typing import Any

from heldtrue.capabilities.refusals import RefusalsAnswer, RejectionsAnswer
from heldtrue.domain.ids import ending_of
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.answers.parts import short_id, show_more
from heldtrue.surfaces.cli.page import Page, Words, dim, ink
from heldtrue.surfaces.cli.text import age


@shows(RefusalsAnswer)
def show_refusals(page: Page, answer: RefusalsAnswer, _asked: dict[str, Any]) -> None:
    """Each refused text, who tried to write it, and why it was refused."""
    if not answer.items:
        page.line("No writes have been refused.")
        return
    for refusal in answer.items:
        action = refusal.action.removeprefix("memory.")
        page.text(refusal.what or dim(f"({action})"), indent=4, first=ink("  -", "red"))
        where: list[Words] = [refusal.scope] if refusal.scope else []
        page.list([f"entry #{refusal.seq}", f"{action} by {refusal.by}", age(refusal.at, page.now), *where], indent=4)
        page.row("why", refusal.reason, indent=4)
        if refusal.memory is not None:
            page.row("allow", f"heldtrue restore {ending_of(refusal.memory)} --reason WHY", indent=4)
    page.gap()
    show_more(page, answer.next_cursor)


@shows(RejectionsAnswer)
def show_rejections(page: Page, answer: RejectionsAnswer, _asked: dict[str, Any]) -> None:
    """Each rejected claim, who rejected it, and for whom that holds."""
    if not answer.items:
        page.line("No claims have been rejected.")
        return
    for rejection in answer.items:
        page.text(rejection.content, indent=4, first=ink("  -", "red"))
        page.list(
            [
                short_id(rejection.memory),
                rejection.scope,
                f"by {rejection.by}, {age(rejection.at, page.now)}",
                f"for {rejection.holds_for}",
            ],
            indent=4,
        )
        page.row("why", rejection.reason, indent=4)
        if rejection.lifted_at is not None:
            page.row("lifted", f"by {rejection.lifted_by}, {age(rejection.lifted_at, page.now)}", indent=4)
    page.gap()
    show_more(page, answer.next_cursor)
