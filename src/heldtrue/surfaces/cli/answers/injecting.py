"""How a block for a prompt is shown."""

from __future__ import annotations

from typing import Any

from heldtrue.capabilities.injecting import ContextBundle, InjectAnswer
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.page import Page


@shows(InjectAnswer, ContextBundle)
def show_block(page: Page, answer: InjectAnswer | ContextBundle, _arguments: dict[str, Any]) -> None:
    """The block and nothing else, so that it can be piped; nothing if it is empty."""
    if answer.block:
        for line in answer.block.split("\n"):
            page.line(line)
