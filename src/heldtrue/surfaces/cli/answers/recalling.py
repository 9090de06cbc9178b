"""How the results of a recall are shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from heldtrue.capabilities.recalling import NoteCode, RecallAnswer, RecallResult
from heldtrue.capabilities.views import MemoryView, PassageView
from heldtrue.domain.ids import ending_of
from heldtrue.domain.plural import count
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.answers.parts import (
    memory_line,
    name_sources,
    short_id,
    show_brief,
    show_rationale,
    show_since,
)
from heldtrue.surfaces.cli.options import say_hint
from heldtrue.surfaces.cli.page import Line, Page, bold, dim, ink
from heldtrue.surfaces.cli.text import moment

_TAGS = {"conflicting": "red", "overridden": "red", "uncertain": "yellow", "stale": "yellow", "unconfirmed": "yellow"}


@shows(RecallAnswer)
def show_recall(page: Page, answer: RecallAnswer, arguments: dict[str, Any]) -> None:
    """The results, best first, or that there are none."""
    page.begin_listing()
    then = f", as believed at {moment(answer.as_of_time)} (entry {answer.as_of})" if answer.as_of_time else ""
    if not answer.results:
        if NoteCode.OVER_BUDGET in answer.note_codes:
            page.text(f'No result for "{_question(arguments)}"{then} fits into the token limit.')
            return
        page.text(f'No memories found for "{_question(arguments)}"{then}.')
        page.text(
            dim("Only active memories are recalled. Try other words, or browse: heldtrue list, heldtrue inbox"),
        )
        _show_notes(page, answer.notes)
        return
    page.text(dim(f'{_count_results(answer.results)} for "{_question(arguments)}"{then}'))
    for result in answer.results:
        _show_result(page, result)
    if answer.rewritten:
        page.gap()
        page.text(dim(f"searched for: {answer.rewritten}"))
    _show_notes(page, answer.notes)
    page.gap()
    page.text(dim(f"Why these results: heldtrue why {ending_of(answer.recall_id)}"))


def _question(arguments: dict[str, Any]) -> str:
    """The question, the words to look for, or the name of the saved view."""
    return str(arguments.get("context") or arguments.get("query") or arguments.get("name") or "")


def _count_results(results: Sequence[RecallResult]) -> str:
    memories = sum(result.memory is not None for result in results)
    counts = [count(memories, "memory")] if memories or not results else []
    if passages := len(results) - memories:
        counts.append(count(passages, "passage"))
    return " and ".join(counts)


def _show_notes(page: Page, notes: Sequence[str]) -> None:
    for note in notes:
        page.gap()
        page.text(say_hint(note), indent=2, first=ink("!", "bold", "yellow"))


def _show_result(page: Page, result: RecallResult) -> None:
    if not page.compact:
        page.gap()
    if result.memory is not None:
        _show_memory(page, result, result.memory)
    elif result.passage is not None:
        _show_passage(page, result, result.passage)


def _show_memory(page: Page, result: RecallResult, memory: MemoryView) -> None:
    if page.compact:
        show_brief(page, [memory_line(memory)], *(tag.tag for tag in result.trust), f"{result.score:.2f}")
        return
    page.text(bold(memory.content), indent=4, first=ink(page.number(memory_line(memory)), "cyan"))
    _show_reasons(page, result)
    show_rationale(page, memory, indent=4)
    show_since(page, result.since, indent=4)
    if sources := name_sources(result.evidence):
        page.list(sources, indent=4, label="from", between=", ")
    _show_score(page, result)
    page.list([short_id(memory.id), memory.kind, memory.scope], indent=4, label="id")


def _show_passage(page: Page, result: RecallResult, passage: PassageView) -> None:
    text = f"{passage.speaker}: {passage.text}" if passage.speaker else passage.text
    line = Line("source", passage.source_id, text=text)
    if page.compact:
        show_brief(page, [line], "source", f"{result.score:.2f}")
        return
    page.text(bold(text), indent=4, first=ink(page.number(line), "cyan"))
    for turn in result.around:
        page.text(dim(f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text), indent=6)
    _show_reasons(page, result)
    _show_score(page, result)
    where = passage.reference or passage.thread
    page.list([short_id(passage.source_id), *([where] if where else []), passage.scope], indent=4, label="source")


def _show_reasons(page: Page, result: RecallResult) -> None:
    # The tags have lines of their own here; the sentence that an agent reads repeats them at its end.
    page.text(result.reason, indent=4)
    for tag in result.trust:
        page.text(f"{tag.tag}: {tag.detail}", indent=6, first=ink("    !", "bold", _TAGS.get(tag.tag, "yellow")))
    if result.folded:
        page.text(dim(f"{count(len(result.folded), 'other says', 'others say')} the same"), indent=4)


def _show_score(page: Page, result: RecallResult) -> None:
    parts = [f"{name} {share:.2f}" for name, share in result.breakdown.items() if share >= 0.005]
    page.row("score", f"{result.score:.2f} = {' + '.join(parts)}", indent=4)
