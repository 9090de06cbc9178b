"""What goes into a prompt, as it goes there; and one memory or source in detail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heldtrue.surfaces.cli.answers.parts import name_source
from heldtrue.surfaces.cli.page import Page, Words, bold, dim, ink

if TYPE_CHECKING:
    from heldtrue.capabilities.expanding import ExpandAnswer
    from heldtrue.capabilities.injecting import ContextBundle, InjectAnswer


def show_block(page: Page, answer: InjectAnswer | ContextBundle, _asked: dict[str, Any]) -> None:
    """The block and nothing else, so that it can be piped; where there is none, nothing."""
    if answer.block:
        for line in answer.block.split("\n"):
            page.line(line)


def show_expanded(page: Page, answer: ExpandAnswer, _asked: dict[str, Any]) -> None:
    """The text, what it rests on, and what was said around it."""
    page.text(bold(answer.text))
    pieces: list[Words] = [dim(answer.id), answer.kind, answer.scope, answer.detail, f"{answer.tokens:,} tokens"]
    page.list(pieces)
    for note in answer.notes:
        page.text(note, indent=2, first=ink("!", "bold", "yellow"))
    if answer.evidence:
        page.title("Rests on")
    for source in answer.evidence:
        page.list([dim(source.source_id), name_source(source)], indent=4)
        if source.content.strip() != answer.text.strip():
            page.text(dim(source.content), indent=6)
    if answer.around:
        page.title("Around it")
    for turn in answer.around:
        page.text(f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text, indent=4)
        page.list([dim(turn.source_id)], indent=4)


SHOW = {"ContextBundle": show_block, "ExpandAnswer": show_expanded, "InjectAnswer": show_block}
