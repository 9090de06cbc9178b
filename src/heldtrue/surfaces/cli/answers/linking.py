"""How a link is shown."""

from __future__ import annotations

from typing import Any

from heldtrue.capabilities.linking import LinkAnswer
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.answers.parts import (
    color_word,
)
from heldtrue.surfaces.cli.page import Page, dim, ink


@shows(LinkAnswer)
def show_link(page: Page, answer: LinkAnswer, _arguments: dict[str, Any]) -> None:
    link = answer.link
    page.line(color_word(answer.outcome), "  ", dim(link.id))
    page.line("  ", link.from_memory)
    page.line("  ", dim("—"), " ", ink(link.relationship, "bold"), " ", dim("→"), " ", link.to)
    page.row("why", answer.reason)
