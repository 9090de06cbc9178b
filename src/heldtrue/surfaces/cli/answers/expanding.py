"""How one memory or source is shown in detail."""

from __future__ import annotations

from typing import Any

from heldtrue.capabilities.expanding import ExpandAnswer
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.answers.parts import (
    name_source,
)
from heldtrue.surfaces.cli.page import Page, Words, bold, dim, ink


@shows(ExpandAnswer)
def show_expanded(page: Page, answer: ExpandAnswer, _arguments: dict[str, Any]) -> None:
    """The text, its evidence and the passages around it."""
    page.text(bold(answer.text))
    pieces: list[Words] = [dim(answer.id), answer.kind, answer.scope, answer.detail, f"{answer.tokens:,} tokens"]
    page.list(pieces)
    for note in answer.notes:
        page.text(note, indent=2, first=ink("!", "bold", "yellow"))
    if answer.evidence:
        page.title("Evidence")
    for source in answer.evidence:
        page.list([dim(source.source_id), name_source(source)], indent=4)
        if source.content.strip() != answer.text.strip():
            page.text(dim(source.content), indent=6)
    if answer.around:
        page.title("Context")
    for turn in answer.around:
        page.text(f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text, indent=4)
        page.list([dim(turn.source_id)], indent=4)
