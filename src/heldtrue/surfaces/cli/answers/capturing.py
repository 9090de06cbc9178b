"""What is shown of captured evidence."""

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
def show_capture(page: Page, answer: CaptureAnswer, _asked: dict[str, Any]) -> None:
    """How much was new, and the thread to go on with."""
    page.line(color_word(answer.outcome), "  ", dim(answer.thread))
    told = [f"{answer.captured:,} new"] if answer.captured else []
    told += [f"{answer.known:,} known before"] if answer.known else []
    page.list(told, indent=2)
    for note in answer.notes:
        page.row("note", ink(note, "yellow"))
    _show_ids(page, "source", answer.sources)
    if answer.job is not None:
        page.row("next", "look it through for memories: heldtrue work")


@shows(QuarantineAnswer)
def show_quarantine(page: Page, answer: QuarantineAnswer, _asked: dict[str, Any]) -> None:
    """What is hidden or back, and which memories with it."""
    page.line(color_word(answer.outcome), "  ", dim(answer.source))
    out = answer.outcome == "quarantined"
    page.list(
        [
            f"{count(answer.passages, 'passage')} {'hidden' if out else 'shown'}",
            f"{count(len(answer.memories), 'memory')} {'set aside' if out else 'back'}",
        ],
        indent=2,
    )
    page.row("why", answer.reason)
    _show_ids(page, "memory", answer.memories)
    if answer.conflicts:
        settle = f"heldtrue resolve {ending_of(answer.conflicts[0])} keep_old|keep_new"
        page.row("next", f"what came back contradicts what is held by now: {settle}")
    elif out and answer.memories:
        page.row("next", "a person decides what stands on its own: heldtrue inbox")


def _show_ids(page: Page, label: str, ids: list[str]) -> None:
    for one in ids[:_SHOWN]:
        page.row(label, dim(one))
    if len(ids) > _SHOWN:
        page.line("  ", dim(f"… and {len(ids) - _SHOWN:,} more; --json lists all"))
