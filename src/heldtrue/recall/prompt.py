"""Stage: results as a block of text for a prompt, by their summaries or one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from heldtrue.domain.memory import MemoryVersion, Status, short_title
from heldtrue.domain.rows import PassageText
from heldtrue.recall.answer import NoteCode, RecallNote, RecallOutcome, Result
from heldtrue.recall.render import LASTING, Block, Entry, Level, name_tags, render_block, render_groups
from heldtrue.recall.summaries import cover_question, summarise

Tier = Literal["auto", "summaries", "items"]


class PromptOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a block is made."""

    tier: Tier = "items"
    detail: Level
    budget_tokens: int


def render_prompt(outcome: RecallOutcome, options: PromptOptions) -> tuple[str, Block]:
    """The tier that answers, and its block: summaries where they were asked for or are enough, else items."""
    entries = [make_entry(result) for result in outcome.results]
    if options.tier != "items":
        summaries = summarise(entries)
        question = outcome.rewritten or outcome.query.context
        if options.tier == "summaries" or cover_question(summaries, entries, question):
            groups = [(summary.subject, summary.entries) for summary in summaries]
            block = render_groups(groups, now=outcome.moment, budget_tokens=options.budget_tokens, recall_id=outcome.id)
            return "summaries" if block.ids else "none", block
    return render_entries(outcome, entries, options)


def render_entries(outcome: RecallOutcome, entries: Sequence[Entry], options: PromptOptions) -> tuple[str, Block]:
    """The same for entries that are shown one by one."""
    block = render_block(
        entries,
        now=outcome.moment,
        budget_tokens=options.budget_tokens,
        detail=options.detail,
        recall_id=outcome.id,
    )
    return "items" if block.ids else "none", block


def note_block(notes: Sequence[RecallNote], count: int, block: Block, budget_tokens: int) -> list[RecallNote]:
    """Some notes, and what there is to say about a block made from so many results."""
    noted = list(notes)
    if not count and not any(note.code is NoteCode.NOTHING_GOOD for note in notes):
        noted.append(RecallNote(NoteCode.NOTHING_GOOD, "no strong match, so there is no block"))
    elif count and not block.ids:
        text = f"the results do not fit into {budget_tokens:,} tokens, so there is no block"
        noted.append(RecallNote(NoteCode.OVER_BUDGET, text))
    elif left := count - len(block.entries):
        noted.append(RecallNote(NoteCode.NOT_IN_BLOCK, f"{left} of {count} results were left out of the block"))
    if block.shortened:
        entries = "1 entry was" if block.shortened == 1 else f"{block.shortened} entries were"
        text = f"{entries} shortened to fit into {budget_tokens:,} tokens"
        noted.append(RecallNote(NoteCode.SHORTENED, text))
    return noted


# Results as entries of a block


def make_entry(result: Result, *, lasting: bool | None = None) -> Entry:
    """A result as it is put into a prompt; left open, its kind says whether it seldom changes."""
    tags = name_tags(result.trust)
    if result.memory is None:
        assert result.passage is not None
        return _passage_entry(result.passage, tags)
    if result.since is not None:
        status = result.since.status
        tags = (*tags, f"since then {status if status != Status.ACTIVE else 'changed'}")
    return memory_entry(result.memory, tags, lasting)


def memory_entry(memory: MemoryVersion, tags: tuple[str, ...] = (), lasting: bool | None = None) -> Entry:
    """A memory as it is put into a prompt."""
    return Entry(
        id=memory.memory_id,
        kind=memory.kind,
        subject=memory.category or memory.topic,
        confidence=memory.confidence,
        observed_at=memory.observed_at,
        tags=tags,
        title=memory.title if memory.title and memory.title != short_title(memory.content) else None,
        summary=memory.summary,
        text=memory.content,
        rationale=memory.rationale,
        lasting=memory.kind in LASTING if lasting is None else lasting,
    )


def _passage_entry(passage: PassageText, tags: tuple[str, ...]) -> Entry:
    return Entry(
        id=passage.source_id,
        kind=passage.kind,
        subject=passage.reference or passage.title or passage.thread,
        speaker=passage.speaker,
        passage=passage.no,
        observed_at=passage.recorded_at if passage.occurred_at is None else passage.occurred_at,
        tags=tags,
        text=passage.text,
    )
