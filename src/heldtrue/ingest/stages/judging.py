"""Asks the reader what a text is as a whole, before the write lock is taken.

A text is judged at most once. What the reader says can make a candidate wait; it never refuses one. Without the reader,
and where it fails, every text counts as a statement.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from heldtrue.domain.judged import TextJudgement
from heldtrue.domain.limits import JUDGED_CHARS_MAX
from heldtrue.domain.principal import Principal
from heldtrue.ingest.stages.candidate import Candidate
from heldtrue.ingest.stages.decide import Worth, is_judged
from heldtrue.language.guard import guarded
from heldtrue.model_ports import StatementReader


class TextJudge:
    """The reader, as far as it judges texts."""

    def __init__(self, open_reader: Callable[[], StatementReader | None] = lambda: None) -> None:
        self._open_reader = open_reader

    def judge_candidates(self, candidates: Sequence[Candidate], actor: Principal, worth: Worth) -> list[Candidate]:
        """The same candidates with what the reader says of them, where the author's texts are judged."""
        if not is_judged(actor, worth):
            return list(candidates)
        unsorted = {n: found.content for n, found in enumerate(candidates) if found.exact_sort is None}
        judged = dict(zip(unsorted, self._ask(list(unsorted.values())), strict=True))
        return [msgspec.structs.replace(candidate, judgement=judged.get(n)) for n, candidate in enumerate(candidates)]

    def judge_text(self, text: str, actor: Principal, worth: Worth) -> TextJudgement | None:
        """What the reader says of a text that is not prepared yet."""
        return self._ask([text])[0] if is_judged(actor, worth) else None

    @guarded(lambda _self, texts: [None] * len(texts))
    def _ask(self, texts: Sequence[str]) -> Sequence[TextJudgement | None]:
        reader = self._open_reader() if texts else None
        if reader is None:
            return [None] * len(texts)
        return reader.judge_texts([text[:JUDGED_CHARS_MAX] for text in texts])
