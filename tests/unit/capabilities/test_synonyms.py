"""Whoever uses another word than ours is told which one was meant."""

from __future__ import annotations

import pytest

from heldtrue.capabilities.synonyms import _OURS, _WORDS, nearest_choice
from heldtrue.domain.memory import Kind, Staleness, Status, Strength, Visibility

KINDS = tuple(Kind)
ENUMS = (Kind, Status, Visibility, Staleness, Strength)


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
    assert nearest_choice(word, KINDS) == meant


def test_a_word_is_only_taken_for_one_that_may_be_chosen() -> None:
    assert nearest_choice("public", tuple(Visibility)) == "shared"
    assert nearest_choice("fact", tuple(Visibility)) is None
    assert nearest_choice("deleted", tuple(Status)) == "retracted"


def test_no_word_of_ours_is_taken_for_another_and_each_other_word_is_one_of_ours() -> None:
    for enum in ENUMS:
        for choice in enum:
            assert nearest_choice(choice, tuple(enum)) == choice
    assert set(_WORDS) <= {str(choice) for enum in ENUMS for choice in enum}
    assert sum(len(others.split()) for others in _WORDS.values()) == len(_OURS), "no word stands for two of ours"
