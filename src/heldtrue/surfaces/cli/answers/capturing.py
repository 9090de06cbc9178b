"""How captured evidence is shown."""

from __future__ import annotations

from typing import Any

from heldtrue.capabilities.capturing import CaptureAnswer, QuarantineAnswer
from heldtrue.domain.ids import ending_of
from heldtrue.domain.plural import count
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.answers.parts import (
    color_word,
)
from heldtrue.surfaces.cli.page import Page, dim, ink

_SHOWN = 10


@shows(CaptureAnswer)
def show_capture(page: Page, answer: CaptureAnswer, _arguments: dict[str, Any]) -> None:
    """How much was new, and the thread to continue."""
    page.line(color_word(answer.outcome), "  ", dim(answer.thread))
    counts = [f"{answer.captured:,} new"] if answer.captured else []
    counts += [f"{answer.known:,} already captured"] if answer.known else []
    page.list(counts, indent=2)
    for note in answer.notes:
        page.row("note", ink(note, "yellow"))
    _show_ids(page, "source", answer.sources)
    if answer.job is not None:
        page.row("next", "to extract memories from this text: heldtrue work")


@shows(QuarantineAnswer)
def show_quarantine(page: Page, answer: QuarantineAnswer, _arguments: dict[str, Any]) -> None:
    """What was hidden or released, and the memories affected."""
    page.line(color_word(answer.outcome), "  ", dim(answer.source))
    is_hidden = answer.outcome == "quarantined"
    page.list(
        [
            f"{count(answer.passages, 'passage')} {'hidden' if is_hidden else 'visible again'}",
            f"{count(len(answer.memories), 'memory')} {'moved to the inbox' if is_hidden else 'restored'}",
        ],
        indent=2,
    )
    page.row("why", answer.reason)
    _show_ids(page, "memory", answer.memories)
    if answer.conflicts:
        resolve = f"heldtrue resolve {ending_of(answer.conflicts[0])} keep_old|keep_new"
        page.row("next", f"a restored memory contradicts an existing one: {resolve}")
    elif is_hidden and answer.memories:
        page.row("next", "a person must review these memories: heldtrue inbox")


def _show_ids(page: Page, label: str, ids: list[str]) -> None:
    for identifier in ids[:_SHOWN]:
        page.row(label, dim(identifier))
    if len(ids) > _SHOWN:
        page.line("  ", dim(f"… and {len(ids) - _SHOWN:,} more; --json lists all"))
