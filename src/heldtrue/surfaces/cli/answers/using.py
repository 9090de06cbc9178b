"""The log of recalls, what became of one, and questions kept under a name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heldtrue.surfaces.cli.answers.parts import show_more
from heldtrue.surfaces.cli.page import Page, Words, bold, dim, ink
from heldtrue.surfaces.cli.text import age, count, moment, shorten

if TYPE_CHECKING:
    from heldtrue.capabilities.using import (
        FeedbackAnswer,
        RecalledView,
        RecallsAnswer,
        SavedAnswer,
        SavedQuestion,
        ViewsAnswer,
        WhyAnswer,
    )

_EXCERPT_CHARS = 240


def show_why(page: Page, answer: WhyAnswer, _asked: dict[str, Any]) -> None:
    """The question, each result with what its score is made of, the cost, and what was used."""
    page.text(bold(answer.question))
    page.list([dim(answer.recall_id), answer.by, f"{moment(answer.at)} ({age(answer.at, page.now)})", answer.channel])
    if answer.rewritten:
        page.row("as", answer.rewritten)
    if answer.arguments:
        page.list(_spell_pairs(answer.arguments), label="with")
    page.list([f"{count(len(answer.results), 'result')} by {answer.verb}", f"tier {answer.tier}"], label="gave")
    if answer.cost:
        page.list(_spell_pairs(answer.cost), label="cost")
    for rank, result in enumerate(answer.results, 1):
        page.gap()
        _show_result(page, rank, result)
    page.gap()
    if answer.feedback is None:
        page.text(dim(f"To tell what helped: heldtrue feedback {answer.recall_id} --used ID --ignored ID"))
        return
    told = answer.feedback
    page.text(
        f"{told.by} said {age(told.at, page.now)} what was used: {len(told.used):,} of "
        f"{len(told.used) + len(told.ignored):,} (entry #{told.seq})."
    )


def _show_result(page: Page, rank: int, result: RecalledView) -> None:
    text = shorten(result.content, _EXCERPT_CHARS) if result.content is not None else "no longer yours to see"
    page.text(text if result.content is not None else dim(text), indent=4, first=ink(f"{rank:>2}", "cyan"))
    pieces: list[Words] = [dim(result.id), result.what]
    if result.injected:
        pieces.append("in the prompt")
    if result.used is not None:
        pieces.append(ink("used", "green") if result.used else ink("ignored", "yellow"))
    page.list(pieces, indent=4)
    parts = [f"{name} {share:.2f}" for name, share in result.parts.items() if abs(share) >= 0.005]
    page.row("score", f"{result.score:.2f}" + (f" = {' + '.join(parts)}" if parts else ""), indent=4)


def _spell_pairs(pairs: dict[str, Any]) -> list[Words]:
    return [f"{name.replace('_', ' ')} {_spell(value)}" for name, value in pairs.items() if value is not None]


def _spell(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_spell(one) for one in value)
    return f"{value:,.3g}" if isinstance(value, float) else str(value)


def show_recalls(page: Page, answer: RecallsAnswer, _asked: dict[str, Any]) -> None:
    """One recall in two lines, the newest first."""
    if not answer.items:
        page.line("Nothing was recalled yet, or not for long.")
        return
    for one in answer.items:
        page.text(shorten(one.question, _EXCERPT_CHARS), indent=2, first=ink("?", "cyan"))
        found = f"{count(one.found, 'result')} by {one.verb}"
        page.list([dim(one.id), one.by, found, f"tier {one.tier}", age(one.at, page.now)], indent=2)
    page.gap()
    page.text(dim(f"{count(len(answer.items), 'recall')}. What one gave and why: heldtrue why RECALL_ID"))
    show_more(page, answer.next_cursor)


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


def show_views(page: Page, answer: ViewsAnswer, _asked: dict[str, Any]) -> None:
    if not answer.views:
        page.line("No question is kept under a name.")
        page.text(dim("To keep one: heldtrue save-view NAME QUESTION"))
        return
    for one in answer.views:
        _show_view(page, one)
    page.gap()
    page.text(dim("To ask one again: heldtrue view NAME"))


def _show_view(page: Page, view: SavedQuestion) -> None:
    page.line(bold(view.name))
    page.text(view.question, indent=2)
    page.list([*_spell_pairs(view.arguments), f"{view.author}, {age(view.saved_at, page.now)}"], indent=2)


def show_saved(page: Page, answer: SavedAnswer, _asked: dict[str, Any]) -> None:
    page.line(ink(answer.outcome, "bold", "green"))
    _show_view(page, answer.view)


SHOW = {
    "FeedbackAnswer": show_feedback,
    "RecallsAnswer": show_recalls,
    "SavedAnswer": show_saved,
    "ViewsAnswer": show_views,
    "WhyAnswer": show_why,
}
