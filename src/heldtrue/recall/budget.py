"""Stage: keeps the results that fit into a token budget."""

from __future__ import annotations

import msgspec

from heldtrue.domain.limits import ANSWER_TOKENS_MAX
from heldtrue.domain.plural import count
from heldtrue.recall.answer import NoteCode, RecallNote, RecallOutcome, Result


def fit_budget(outcome: RecallOutcome, max_tokens: int | None) -> RecallOutcome:
    """As many of the first results as fit, and a note about the others."""
    if max_tokens is None:
        return outcome
    from heldtrue.language.model_tokens import count_tokens

    kept: list[Result] = []
    spent = 0
    for result in outcome.results:
        spent += count_tokens(result.text)
        if spent > max_tokens:
            break
        kept.append(result)
    left = len(outcome.results) - len(kept)
    if not left:
        return outcome
    note = RecallNote(NoteCode.OVER_BUDGET, f"{count(left, 'more result')} did not fit into {max_tokens:,} tokens")
    return msgspec.structs.replace(outcome, results=tuple(kept), notes=(*outcome.notes, note))


def fit_text(text: str, max_tokens: int = ANSWER_TOKENS_MAX) -> tuple[str, int, list[RecallNote]]:
    """As much of a text as fits into an answer, its tokens, and a note where it was cut."""
    from heldtrue.language.model_tokens import count_tokens, cut_to_tokens

    tokens = count_tokens(text)
    if tokens <= max_tokens:
        return text, tokens, []
    short = cut_to_tokens(text, max_tokens)
    return (
        short,
        count_tokens(short),
        [RecallNote(NoteCode.SHORTENED, f"the text was shortened, because it is {tokens:,} tokens long")],
    )
