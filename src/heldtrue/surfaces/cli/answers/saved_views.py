"""How saved views are shown."""

from __future__ import annotations

from typing import Any

from heldtrue.capabilities.saved_views import SavedAnswer, SavedQuestion, ViewsAnswer
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.answers.parts import show_brief, spell_pairs
from heldtrue.surfaces.cli.page import Line, Page, bold, dim, ink
from heldtrue.surfaces.cli.text import age


@shows(ViewsAnswer)
def show_views(page: Page, answer: ViewsAnswer, _arguments: dict[str, Any]) -> None:
    page.begin_listing()
    if not answer.items:
        page.line("No saved views.")
        page.text(dim("To save one: heldtrue save-view NAME QUESTION"))
        return
    for view in answer.items:
        line = Line("view", view.name, text=view.question)
        if page.compact:
            show_brief(page, [line])
        else:
            _show_view(page, view, number=f"{page.number(line)} ")
    page.gap()
    page.text(dim("To run one: heldtrue view NAME"))


def _show_view(page: Page, view: SavedQuestion, *, number: str = "") -> None:
    indent = len(number) + 2 if number else 2
    page.line(ink(number, "cyan"), bold(view.name))
    page.text(view.question, indent=indent)
    page.list([*spell_pairs(view.arguments), f"{view.author}, {age(view.saved_at, page.now)}"], indent=indent)


@shows(SavedAnswer)
def show_saved(page: Page, answer: SavedAnswer, _arguments: dict[str, Any]) -> None:
    page.line(ink(answer.outcome, "bold", "green"))
    _show_view(page, answer.view)
