"""The learned weights: what they are sure of, what they leave alone, and that they stay small."""

from __future__ import annotations

from heldtrue.domain.memory import Kind
from heldtrue.language.extraction.clause_selection import SentenceScores, judge_sentence, look_around
from heldtrue.language.extraction.clause_spans import split_clause_spans
from heldtrue.language.extraction.learned import KEEPS, KINDS, WEIGHTS, load_weights, pack_weights
from heldtrue.language.extraction.sentence_spans import split_sentences
from heldtrue.language.extraction.traits import SentenceContext, Unit, read_traits


def judge(text: str) -> SentenceScores:
    (sentence,) = split_sentences(text)
    return judge_sentence(sentence, split_clause_spans(sentence), look_around([sentence], 0, has_project=False))


def test_they_tell_what_lasts_from_what_passes() -> None:
    lasting = judge("I've been a carpenter in Bergen for twenty years.").clauses[0]
    assert (lasting.kind, lasting.best >= KEEPS) == (Kind.PROFILE, True)
    assert judge("I'm waiting for the bus and it is late again, lol.").clauses[0].best < KEEPS


def test_they_say_nothing_of_what_is_not_english() -> None:
    assert judge("Ich wohne in Wien und bin Lehrerin.").clauses[0].best == 0


def test_every_weight_has_a_place_for_each_kind() -> None:
    weights = load_weights()
    assert {len(row) for row in weights.rows.values()} == {len(KINDS)}
    assert pack_weights(weights.rows, weights.step) == WEIGHTS.read_bytes()


def test_the_file_stays_small() -> None:
    assert WEIGHTS.stat().st_size < 300_000


def test_numbers_and_names_count_by_their_form() -> None:
    one = read_traits(Unit("The bakery in Turku opens at 7"), SentenceContext("The bakery in Turku opens at 7"))
    other = read_traits(Unit("The bakery in Espoo opens at 9"), SentenceContext("The bakery in Espoo opens at 9"))
    assert {trait for trait in one ^ other if trait.startswith("k")} == set()
