"""Whoever uses another word than ours is told which one was meant."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from heldtrue.capabilities.arguments import KindWord, StalenessWord, StatusWord, StrengthWord, VisibilityWord
from heldtrue.capabilities.parameters import choices_of, synonyms_of
from heldtrue.capabilities.validation import nearest_choice

WORDS = (KindWord, StatusWord, VisibilityWord, StalenessWord, StrengthWord)


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("fact", "claim"), ("facts", "claim"), ("Rule", "convention"), ("todo", "task_hint"), ("to-do", "task_hint"),
        ("action item", "task_hint"), ("task", "task_hint"), ("event", "episode"), ("gotcha", "lesson"),
        ("observation", "insight"), ("person", "entity"), ("user", "profile"), ("memo", "note"),
        ("decisions", "decision"), ("preferance", "preference"), ("Task Hint", "task_hint"), ("zebra", None),
    ],
)  # fmt: skip
def test_the_kind_that_was_meant_is_named(word: str, meant: str | None) -> None:
    assert nearest_choice(word, KindWord) == meant


def test_a_word_is_only_taken_for_one_that_may_be_chosen() -> None:
    assert nearest_choice("public", VisibilityWord) == "shared"
    assert nearest_choice("fact", VisibilityWord) is None
    assert nearest_choice("deleted", StatusWord) == "retracted"


@pytest.mark.parametrize("hint", WORDS, ids=lambda hint: get_args(hint)[0].__name__)
def test_no_word_of_ours_is_taken_for_another_and_each_other_word_is_one_of_ours(hint: Any) -> None:
    choices, ours = choices_of(hint), synonyms_of(hint)
    assert all(nearest_choice(choice, hint) == choice for choice in choices)
    assert set(ours.values()) <= set(choices)
    said = [word for extra in get_args(hint)[1:] for others in extra.words.values() for word in others.split()]
    assert len(said) == len(set(said)), "no word stands for two of ours"
