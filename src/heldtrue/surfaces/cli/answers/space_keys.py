"""How the key of a space is shown: by its name, never itself."""

from __future__ import annotations

from typing import Any

from heldtrue.capabilities.space_keys import KeyAnswer
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.page import Page, dim, ink


@shows(KeyAnswer)
def show_key(page: Page, answer: KeyAnswer, _asked: dict[str, Any]) -> None:
    """Which key was moved, and where the file is."""
    page.line(ink("Key", "bold", "green"), f" {answer.name} of store {answer.space}")
    page.line("  ", answer.path)
    page.text(dim("Anyone who has this file can import changes into this store. Delete the file after use."), indent=2)
