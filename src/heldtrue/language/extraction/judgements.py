"""What the reader says of the sentences of a text, and of the clauses of those that may hold something."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec

from heldtrue.domain.judged import JudgeUnits, UnitInContext, UnitJudgement
from heldtrue.domain.limits import EXTRACTION_SENTENCES_MAX
from heldtrue.language.extraction.clause_spans import ClauseSpan, split_clause_spans
from heldtrue.language.extraction.sentence_spans import Sentence
from heldtrue.language.guard import guarded

CLAUSES_READ_FROM = 0.1
"""How likely a sentence must be worth keeping for its clauses to be judged too."""


class TextContext(msgspec.Struct, frozen=True):
    """The text that sentences come from, as the reader is told of it."""

    text: str
    role: str
    has_project: bool

    def unit(self, start: int, end: int) -> UnitInContext:
        return UnitInContext(
            text=self.text,
            start=start,
            end=end,
            role=self.role,
            has_project=self.has_project,
            before="",
        )


class JudgedSentence(msgspec.Struct, frozen=True):
    """A sentence, its clauses, and what the reader says of them; nothing where there is no reader."""

    sentence: Sentence
    clauses: tuple[ClauseSpan, ...]
    whole: UnitJudgement | None = None
    parts: tuple[UnitJudgement, ...] = ()
    """The clauses, in order; empty where they were not judged or there is only one."""


def judge_sentences(
    sentences: Sequence[Sentence], context: TextContext, judge: JudgeUnits | None
) -> list[JudgedSentence]:
    """The sentences with their judgements: first all sentences, then the clauses of those that may be kept."""
    cut = [JudgedSentence(sentence, tuple(split_clause_spans(sentence))) for sentence in sentences]
    worded = [number for number, sentence in enumerate(sentences) if _has_words(sentence)][:EXTRACTION_SENTENCES_MAX]
    wholes = _ask(judge, [context.unit(sentences[number].start, sentences[number].end) for number in worded])
    if wholes is None:
        return cut
    answered = dict(zip(worded, wholes, strict=True))
    judged = [msgspec.structs.replace(row, whole=answered.get(number)) for number, row in enumerate(cut)]
    clauses = [clause for row in judged if _may_hold(row) for clause in row.clauses]
    answers = _ask(judge, [context.unit(clause.start, clause.end) for clause in clauses])
    return judged if answers is None else _with_parts(judged, iter(answers))


def _has_words(sentence: Sentence) -> bool:
    """Whether there is more to a sentence than a word or a sign."""
    return len(sentence.text.split(None, 1)) > 1 and any(char.isalpha() for char in sentence.text)


def _may_hold(judged: JudgedSentence) -> bool:
    return len(judged.clauses) > 1 and judged.whole is not None and judged.whole.keep >= CLAUSES_READ_FROM


def _with_parts(judged: Sequence[JudgedSentence], answers: Iterator[UnitJudgement]) -> list[JudgedSentence]:
    return [
        msgspec.structs.replace(row, parts=tuple(islice(answers, len(row.clauses)))) if _may_hold(row) else row
        for row in judged
    ]


@guarded(lambda _judge, _units: None)
def _ask(judge: JudgeUnits | None, units: Sequence[UnitInContext]) -> Sequence[UnitJudgement] | None:
    """The answers of the reader; none where there is no reader, or where it fails."""
    if judge is None:
        return None
    return judge(units) if units else []
