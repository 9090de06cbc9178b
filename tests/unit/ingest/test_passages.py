"""What a piece of evidence says, and what is around it."""

from __future__ import annotations

import pytest

from heldtrue.ingest.stages.keys import said_values
from heldtrue.ingest.stages.match import read_statement
from heldtrue.ingest.stages.passages import collection_of, cut_source, values_said
from heldtrue.language.normalise import fold_text


def folded(text: str) -> set[tuple[str, str]]:
    return {(value.grain, value.value) for value in values_said(text)}


@pytest.mark.covers("A5")
@pytest.mark.parametrize(
    ("said", "rejected"),
    [
        ("The office is in Madrid.", "The office is in Madrid."),
        ("Hello! The office is in  MADRID. Bye.", "the office is in Madrid"),
        ("We talked, and the office is in Madrid.", "The office is in Madrid."),
        ("* one\n* The office is in Madrid\n* two", "The office is in Madrid."),
        ("Alice lives in Berlin and works at Acme.", "Alice works at Acme."),
        ("Bob: hi there\nAna: Sure. The office is in Madrid.\nBob: ok", "The office is in Madrid."),
        ("[10:32] **Ana**: The office is in Madrid.", "The office is in Madrid."),
        ('"The office is in Madrid", she said.', "The office is in Madrid."),
        ("Sie sagte: „The office is in Madrid“.", "The office is in Madrid."),
        ("Well then. What a day! Nice.", "What a day!"),
    ],
)
def test_a_text_says_each_of_its_sentences_and_claims(said: str, rejected: str) -> None:
    assert folded(said) & set(said_values(read_statement(rejected)))


@pytest.mark.parametrize(
    "rejected", ["The office is in Rome.", "The lab is in Madrid.", "The office is not in Madrid.", "Madrid."]
)
def test_a_text_does_not_say_what_it_does_not_say(rejected: str) -> None:
    said = folded("Hello! The office is in Madrid. The lab is in Porto.")
    assert not said & set(said_values(read_statement(rejected)))


def test_the_words_of_a_claim_are_its_own() -> None:
    said = values_said("`fooBar` is slow. `foobars` is slow.")
    assert {value.words for value in said if value.grain == "claim"} == {"`fooBar` is slow", "`foobars` is slow"}
    assert ("text", fold_text("`fooBar` is slow. `foobars` is slow.")) in folded("`fooBar` is slow. `foobars` is slow.")


@pytest.mark.covers("B19")
def test_a_piece_knows_the_title_and_the_heading_it_stands_under() -> None:
    text = "# Places\n\n" + "The office is in Madrid. " * 60 + "\n\n## Labs\n\n" + "The lab is in Rome. " * 60
    cuts = cut_source(text, "Handbook")
    assert len(cuts) > 2
    assert "".join(text[cut.start : cut.end] for cut in cuts) == text
    assert all("handbook" in cut.words.weights for cut in cuts)
    assert "lab" in cuts[-1].words.weights
    assert "lab" not in cuts[0].words.weights
    assert set(cut_source("Short.", None)[0].words.weights) == {"short"}


@pytest.mark.covers("B13")
@pytest.mark.parametrize(
    ("kind", "collection"),
    [
        ("conversation", "sessions"),
        ("run", "sessions"),
        ("document", "sources"),
        ("manual", "sources"),
        ("import", "sources"),
    ],
)
def test_what_was_said_is_searched_apart_from_what_was_written(kind: str, collection: str) -> None:
    assert collection_of(kind) == collection
