"""How the recall log is shown."""

from __future__ import annotations

from typing import Any

from heldtrue.capabilities.recall_log import RecalledView, RecallsAnswer, WhyAnswer
from heldtrue.domain.ids import ending_of
from heldtrue.domain.plural import count
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.answers.parts import (
    EXCERPT_CHARS,
    short_id,
    show_brief,
    show_more,
    spell_pairs,
)
from heldtrue.surfaces.cli.page import Line, Page, Words, bold, dim, ink
from heldtrue.surfaces.cli.text import age, moment, shorten


@shows(WhyAnswer)
def show_why(page: Page, answer: WhyAnswer, _arguments: dict[str, Any]) -> None:
    """The question, each result with the parts of its score, the cost and the feedback."""
    page.text(bold(answer.question))
    page.list([dim(answer.recall_id), answer.by, f"{moment(answer.at)} ({age(answer.at, page.now)})", answer.channel])
    if answer.rewritten:
        page.row("search", answer.rewritten)
    if answer.arguments:
        page.list(spell_pairs(answer.arguments), label="with")
    page.list([f"{count(len(answer.results), 'result')} by {answer.verb}", f"tier {answer.tier}"], label="found")
    if answer.cost:
        page.list(spell_pairs(answer.cost), label="cost")
    for result in answer.results:
        page.gap()
        _show_result(page, result)
    page.gap()
    if answer.feedback is None:
        page.text(dim(f"To report what helped: heldtrue feedback {ending_of(answer.recall_id)} --used ID --ignored ID"))
        return
    feedback = answer.feedback
    page.text(
        f"{feedback.by} gave feedback {age(feedback.at, page.now)}: {len(feedback.used):,} of "
        f"{len(feedback.used) + len(feedback.ignored):,} used (entry #{feedback.seq})."
    )


def _show_result(page: Page, result: RecalledView) -> None:
    line = Line("result", result.id, text=result.content or "")
    text = shorten(result.content, EXCERPT_CHARS) if result.content is not None else "you can no longer see this result"
    page.text(text if result.content is not None else dim(text), indent=4, first=ink(page.number(line), "cyan"))
    pieces: list[Words] = [short_id(result.id), result.what]
    if result.injected:
        pieces.append("in the prompt")
    if result.used is not None:
        pieces.append(ink("used", "green") if result.used else ink("ignored", "yellow"))
    page.list(pieces, indent=4)
    parts = [f"{name} {share:.2f}" for name, share in result.parts.items() if abs(share) >= 0.005]
    page.row("score", f"{result.score:.2f}" + (f" = {' + '.join(parts)}" if parts else ""), indent=4)


@shows(RecallsAnswer)
def show_recalls(page: Page, answer: RecallsAnswer, _arguments: dict[str, Any]) -> None:
    """Two lines per recall, newest first."""
    page.begin_listing()
    if not answer.items:
        page.line("The recall log is empty.")
        return
    for recall in answer.items:
        line = Line("recall", recall.id, text=recall.question)
        results = f"{count(recall.found, 'result')} by {recall.verb}"
        if page.compact:
            show_brief(page, [line], results, age(recall.at, page.now))
            continue
        page.text(shorten(recall.question, EXCERPT_CHARS), indent=4, first=ink(page.number(line), "cyan"))
        details: list[Words] = [
            short_id(recall.id),
            recall.by,
            results,
            f"tier {recall.tier}",
            age(recall.at, page.now),
        ]
        page.list(details, indent=4)
    page.gap()
    page.text(dim(f"{count(len(answer.items), 'recall')}. To show one in detail: heldtrue why RECALL_ID"))
    show_more(page, answer.next_cursor)
