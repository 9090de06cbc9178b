"""What is shown of feedback."""

from __future__ import annotations

from typing import Any

from heldtrue.capabilities.feedback import FeedbackAnswer
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.page import Page, dim, ink


@shows(FeedbackAnswer)
def show_feedback(page: Page, answer: FeedbackAnswer, _asked: dict[str, Any]) -> None:
    """What moved, and how far."""
    told = {
        "noted": f"{len(answer.used):,} used, {len(answer.ignored):,} ignored",
        "undone": "the last feedback of this recall is taken back",
        "unchanged": "there was nothing to say anything about",
    }
    page.line(ink(answer.outcome, "bold", "green"), "  ", dim(answer.recall_id))
    page.text(told.get(answer.outcome, ""), indent=2)
    for memory_id, step in answer.moved.items():
        page.line("  ", dim(memory_id), f"  priority {step:+.2f}")
