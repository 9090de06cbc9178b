"""A sentence as the learned weights see it: which clauses to keep, or whether it says its one thing as a whole."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from heldtrue.domain.memory import Kind, Strength
from heldtrue.language.extraction.clause_finding import ClauseFinding
from heldtrue.language.extraction.clause_spans import ClauseSpan
from heldtrue.language.extraction.learned import (
    KEEPS,
    NOTHING,
    OVERRULES,
    SPARES,
    SPARES_PLAIN,
    SPARES_WEAK,
    KindScores,
    judge_unit,
)
from heldtrue.language.extraction.requests import is_order, strip_please
from heldtrue.language.extraction.sentence_spans import Sentence
from heldtrue.language.extraction.speaker_names import People
from heldtrue.language.extraction.traits import SentenceContext, Unit
from heldtrue.language.extraction.wording import reword
from heldtrue.language.guard import spend

_PERSONAL = frozenset((Kind.PROFILE, Kind.PREFERENCE, Kind.TASK_HINT, Kind.DECISION))
_WEAK = frozenset(
    (
        "states how it is",
        "gives a setting",
        "says what they do",
        "says what they like or not",
        "says what was decided",
        "says what they usually do",
        "says what it is, and not",
        "asks what not to do",
        "asks for none",
        "reports what was found",
    )
)
"""Reasons of rules that guess: measured on texts by other hands, at most every second find of theirs was right."""
_ENGLISH = frozenset("the a an i i'm my we our you it is are to of and for in on with at not but".split())
_FOREIGN = frozenset(
    """ich wir und der das ist nicht ein eine mit für auf von mein meine haben je nous le la les et est une dans mon ma
    pour yo el los las y es una con mi para en que""".split()
)
_FEW_SENTENCES = 3
_FEW_CHARS = 72
_POINTS = re.compile(r"(?:it|its|it's|they|they're|them|he|she|he's|she's|that|that's|this|these|those|his|her)\b")


class SentenceScores(msgspec.Struct, frozen=True):
    """How sure it is of each clause, and of all together where there are several."""

    clauses: tuple[KindScores, ...]
    whole: KindScores | None = None
    is_plain: bool = False
    """Whether the text is of few words."""

    @property
    def is_whole(self) -> bool:
        """Whether the sentence is to be kept as one: surer so, and not two things."""
        best = [verdict.best for verdict in self.clauses]
        single = sum(one >= KEEPS for one in best) < 2
        return self.whole is not None and single and self.whole.best >= max(KEEPS, *best)

    def spares(self, place: int, finding: ClauseFinding) -> bool:
        """Whether a rule that takes a clause for this is believed."""
        sure = self.clauses[place].of(finding.kind) if place < len(self.clauses) else 0.0
        sure = max(sure, self.whole.of(finding.kind) if self.whole else 0.0)
        if finding.reason in _WEAK:
            return sure >= (SPARES_WEAK / 2 if self.is_plain else SPARES_WEAK)
        return sure >= (SPARES_PLAIN if self.is_plain else SPARES)

    def judge_again(self, place: int, text: str, around: SentenceContext) -> SentenceScores:
        """The same after a clause was said with its subject named."""
        unit = Unit(text, place=place, count=len(self.clauses))
        clauses = (*self.clauses[:place], judge_unit(unit, around), *self.clauses[place + 1 :])
        return msgspec.structs.replace(self, clauses=clauses)

    def overrules(self, place: int, finding: ClauseFinding) -> bool:
        """Whether it is sure of another kind than a rule found, and clearly surer."""
        verdict = self.clauses[place]
        return not self.is_plain and verdict.best >= KEEPS and verdict.best - verdict.of(finding.kind) >= OVERRULES

    def find(self, place: int, low: str) -> ClauseFinding | None:
        """What a clause is kept as where no rule takes it."""
        verdict = self.clauses[place]
        return name_finding(verdict, low) if verdict.best >= KEEPS and not self.is_whole else None


def list_units(sentence: Sentence, clauses: Sequence[ClauseSpan]) -> list[Unit]:
    """What of a sentence could be kept: its clauses and, where there are several, last the whole."""
    if len(clauses) < 2:
        return [Unit(clause.text) for clause in clauses]
    size = len(clauses)
    units = [Unit(clause.text, clause.joint, place, size) for place, clause in enumerate(clauses)]
    return [*units, Unit(sentence.text, count=size, is_whole=True)]


def judge_sentence(sentence: Sentence, clauses: Sequence[ClauseSpan], around: SentenceContext) -> SentenceScores:
    """What the weights say of a sentence that was cut into these clauses; of one that is not English, nothing."""
    spend(len(sentence.text) * (1 + len(clauses)))
    if _is_foreign(sentence.text):
        return SentenceScores((NOTHING,) * len(clauses))
    verdicts = [judge_unit(unit, around) for unit in list_units(sentence, clauses)]
    size = len(clauses)
    return SentenceScores(tuple(verdicts[:size]), verdicts[size] if size > 1 else None, is_plain=_is_plain(around))


def _is_foreign(text: str) -> bool:
    words = set(text.lower().split())
    return len(words & _FOREIGN) > len(words & _ENGLISH)


def _is_plain(around: SentenceContext) -> bool:
    said = f"{around.before} {around.sentence} {around.after}"
    return around.count <= _FEW_SENTENCES and len(said) < _FEW_CHARS


def name_finding(verdict: KindScores, low: str) -> ClauseFinding:
    """The kind that it is surest of, with the reason by which it is put into words."""
    kind = verdict.kind
    if kind is Kind.PREFERENCE and is_order(low[strip_please(low) :]):
        return ClauseFinding(kind, "asks for it, by its wording")
    if kind is Kind.TASK_HINT:
        return ClauseFinding(kind, "is labelled a task")
    return ClauseFinding(kind, "is worded as such statements are", Strength.EXPLICIT)


def word_by_itself(text: str, kind: Kind, people: People) -> str | None:
    """The statement in the third person; where it names nobody and is of a person, with who says it in front."""
    worded = reword(text, people)
    if worded is None or people.me is None or kind not in _PERSONAL or people.me in worded:
        return worded
    return f"{people.me}: {worded}"


def leans_back(text: str) -> bool:
    """Whether a statement begins with it, they or that, so that it is about nothing that it names."""
    return _POINTS.match(text.lower()) is not None


def look_around(
    sentences: Sequence[Sentence], place: int, *, role: str = "user", is_document: bool = False, has_project: bool
) -> SentenceContext:
    """What stands around a sentence of a text."""
    return SentenceContext(
        sentences[place].text,
        before=sentences[place - 1].text if place else "",
        after=sentences[place + 1].text if place + 1 < len(sentences) else "",
        place=place,
        count=len(sentences),
        bullet=sentences[place].bullet,
        role=role,
        is_document=is_document,
        has_project=has_project,
    )
