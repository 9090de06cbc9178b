"""How the answer of a write is shown."""

from __future__ import annotations

from typing import Any

from heldtrue.capabilities.writing import BatchAnswer, WriteAnswer
from heldtrue.domain.ids import ending_of
from heldtrue.domain.plural import count
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.answers.parts import (
    color_word,
    name_approval,
    name_standing,
    show_valid_time,
)
from heldtrue.surfaces.cli.options import say_hint
from heldtrue.surfaces.cli.page import Page, dim, ink
from heldtrue.surfaces.cli.text import shorten

_BATCH_SHOWN = 50


@shows(WriteAnswer)
def show_write(page: Page, answer: WriteAnswer, arguments: dict[str, Any]) -> None:
    """The outcome, the memory, the reason, and what to do next."""
    memory = answer.memory
    # The memory that is shown is the one that replaced the older one.
    by = " by" if answer.outcome == "superseded" else ""
    page.line(color_word(answer.outcome), by, "  ", dim(memory.id if memory else ""))
    if memory:
        page.text(memory.content, indent=2)
        page.list(name_standing(memory), indent=2)
        show_valid_time(page, memory)
    elif isinstance(arguments.get("content"), str):
        page.text(dim(arguments["content"]), indent=2)
    page.row("why", answer.reason)
    for note in answer.notes:
        page.row("note", ink(note, "yellow"))
    for part in answer.kept:
        page.row("kept", part.content)
        page.line(" " * 10, dim(part.id))
    for step in _next_steps(answer):
        page.row("next", step)


def _next_steps(answer: WriteAnswer) -> list[str]:
    if answer.hint:
        return [say_hint(answer.hint)]
    if answer.conflicts and answer.outcome in ("pending", "created", "approved", "restored"):
        resolve = f"heldtrue resolve {ending_of(answer.conflicts[0])} keep_old|keep_new"
        task = (
            "a person must resolve the conflict"
            if answer.outcome == "pending"
            else "it contradicts an existing memory; resolve the conflict"
        )
        return [f"{task}: {resolve}"]
    if answer.outcome != "pending" or answer.memory is None:
        return []
    return [f"a person must review this memory: {name_approval(answer.memory)}"]


@shows(BatchAnswer)
def show_batch(page: Page, answer: BatchAnswer, _arguments: dict[str, Any]) -> None:
    """The number of each outcome, and one line per memory."""
    page.line(count(len(answer.answers), "memory"), ": ", _name_counts(answer.counts))
    for write in answer.answers[:_BATCH_SHOWN]:
        text = write.memory.content if write.memory else write.reason
        page.line("  ", color_word(write.outcome), " " * (14 - len(write.outcome)), shorten(text, page.width - 18))
        for note in write.notes:
            page.text(ink(note, "yellow"), indent=16)
    if len(answer.answers) > _BATCH_SHOWN:
        page.line("  ", dim(f"… and {len(answer.answers) - _BATCH_SHOWN:,} more; --json lists all"))


def _name_counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{number:,} {word}" for word, number in counts.items())
