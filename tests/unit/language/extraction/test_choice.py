"""What the reader is asked about, and what its answers keep of a sentence."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from heldtrue.domain.judged import UnitInContext, UnitJudgement
from heldtrue.domain.limits import EXTRACTION_SENTENCES_MAX
from heldtrue.domain.memory import Kind
from heldtrue.language.extraction.choice import THRESHOLDS, Choice, choose
from heldtrue.language.extraction.judgements import JudgedSentence, TextContext, judge_sentences
from heldtrue.language.extraction.sentence_spans import split_sentences
from heldtrue.language.guard import take_failures
from tests.unit.language.extraction.judges import SURE, judge_by, say

TWO = "I live in Porto, but my brother works in Oslo."
FIRST, SECOND = "I live in Porto", "my brother works in Oslo"


def judged(text: str, table: dict[str, Kind], sure: float = SURE) -> JudgedSentence:
    (only,) = judge_sentences(
        split_sentences(text), TextContext(text, "user", has_project=False), judge_by(table, sure)
    )
    return only


def test_sentences_are_judged_first_and_clauses_only_where_something_may_be_kept() -> None:
    asked: list[list[str]] = []
    text = f"{TWO} The train was late, and I read a book."

    def judge(units: Sequence[UnitInContext]) -> list[UnitJudgement]:
        asked.append([unit.text[unit.start : unit.end] for unit in units])
        return [say(Kind.PROFILE if "Porto" in words else None) for words in asked[-1]]

    found = judge_sentences(split_sentences(text), TextContext(text, "user", has_project=False), judge)
    assert asked == [[TWO, "The train was late, and I read a book."], [FIRST, SECOND]]
    assert [len(sentence.parts) for sentence in found] == [2, 0]


def test_of_endless_lines_only_those_with_words_are_judged_and_not_all_of_them() -> None:
    asked: list[int] = []

    def judge(units: Sequence[UnitInContext]) -> list[UnitJudgement]:
        asked.append(len(units))
        return [say(None) for _ in units]

    text = "!\n12 34\nwe go\n" * (EXTRACTION_SENTENCES_MAX + 10)
    judge_sentences(split_sentences(text), TextContext(text, "user", has_project=False), judge)
    assert sum(asked) == EXTRACTION_SENTENCES_MAX


def test_a_sure_sentence_is_kept_whole() -> None:
    assert choose(judged(TWO, {TWO.rstrip("."): Kind.PROFILE})) == [Choice(0, 1, Kind.PROFILE, SURE)]


def test_a_sentence_with_two_sure_clauses_is_two_statements() -> None:
    found = choose(judged(TWO, {TWO.rstrip("."): Kind.NOTE, FIRST: Kind.PROFILE, SECOND: Kind.NOTE}))
    assert [(choice.first, choice.last, choice.kind) for choice in found] == [(0, 0, Kind.PROFILE), (1, 1, Kind.NOTE)]


def test_of_an_unsure_sentence_the_sure_clauses_are_kept() -> None:
    assert choose(judged(TWO, {SECOND: Kind.NOTE})) == [Choice(1, 1, Kind.NOTE, SURE)]


def test_neighbouring_clauses_of_an_unsure_sentence_are_one_statement() -> None:
    found = choose(judged(TWO, {FIRST: Kind.PROFILE, SECOND: Kind.NOTE}))
    assert [(choice.first, choice.last) for choice in found] == [(0, 1)]


@pytest.mark.parametrize("sure", [THRESHOLDS.sentence - 0.05, 0.0])
def test_what_the_reader_doubts_is_not_kept(sure: float) -> None:
    table = {TWO.rstrip("."): Kind.PROFILE, FIRST: Kind.PROFILE, SECOND: Kind.NOTE}
    assert choose(judged(TWO, table, sure)) == []


def test_a_question_is_not_kept_but_what_it_follows_may_be() -> None:
    text = "My daughter is allergic to nuts, so what can I bake?"
    alone = "My daughter is allergic to nuts"
    sentence = judged(text, {text.rstrip("?"): Kind.PROFILE, alone: Kind.PROFILE})
    assert [(choice.first, choice.last) for choice in choose(sentence)] in ([], [(0, 0)])
    assert choose(judged("Is the limit 200?", {"Is the limit 200": Kind.NOTE})) == []


def test_a_reader_that_fails_is_as_none() -> None:
    def fail(_units: Sequence[UnitInContext]) -> list[UnitJudgement]:
        raise MemoryError

    found = judge_sentences(split_sentences(TWO), TextContext(TWO, "user", has_project=False), fail)
    assert [sentence.whole for sentence in found] == [None]
    assert [failure.place.split()[0] for failure in take_failures()] == ["MemoryError"]
