"""How the answer to feedback is shown."""

from __future__ import annotations

from typing import Any

from heldtrue.capabilities.feedback import FeedbackAnswer
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.page import Page, dim, ink


@shows(FeedbackAnswer)
def show_feedback(page: Page, answer: FeedbackAnswer, _arguments: dict[str, Any]) -> None:
    """Which memories changed in priority, and by how much."""
    summaries = {
        "noted": f"{len(answer.used):,} used, {len(answer.ignored):,} ignored",
        "undone": "the last feedback on this recall was undone",
        "unchanged": "this recall has no results to rate",
    }
    page.line(ink(answer.outcome, "bold", "green"), "  ", dim(answer.recall_id))
    page.text(summaries.get(answer.outcome, ""), indent=2)
    for memory_id, step in answer.moved.items():
        page.line("  ", dim(memory_id), f"  priority {step:+.2f}")
