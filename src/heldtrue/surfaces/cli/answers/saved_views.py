"""What is shown of saved questions."""

from __future__ import annotations

from typing import Any

from heldtrue.capabilities.saved_views import SavedAnswer, SavedQuestion, ViewsAnswer
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.answers.parts import spell_pairs
from heldtrue.surfaces.cli.page import Page, bold, dim, ink
from heldtrue.surfaces.cli.text import age


@shows(ViewsAnswer)
def show_views(page: Page, answer: ViewsAnswer, _asked: dict[str, Any]) -> None:
    if not answer.views:
        page.line("No question is kept under a name.")
        page.text(dim("To keep one: heldtrue save-view NAME QUESTION"))
        return
    for one in answer.views:
        _show_view(page, one)
    page.gap()
    page.text(dim("To ask one again: heldtrue view NAME"))


def _show_view(page: Page, view: SavedQuestion) -> None:
    page.line(bold(view.name))
    page.text(view.question, indent=2)
    page.list([*spell_pairs(view.arguments), f"{view.author}, {age(view.saved_at, page.now)}"], indent=2)


@shows(SavedAnswer)
def show_saved(page: Page, answer: SavedAnswer, _asked: dict[str, Any]) -> None:
    page.line(ink(answer.outcome, "bold", "green"))
    _show_view(page, answer.view)
