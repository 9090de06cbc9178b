"""Captured texts become memories by the reader's judgement; without it, or where it fails, by what texts mark."""

from __future__ import annotations

import pickle

import pytest

from heldtrue import Memory
from heldtrue.language.extraction import ReaderExtractor
from heldtrue.language.guard import take_failures
from heldtrue.wiring.engine import EngineParts
from heldtrue.wiring.models import Models
from tests.acceptance.homes import MakeHome

ALLERGY, KEY = "I'm allergic to peanuts.", "Remember that the spare key is under the mat."


def extract(memory: Memory) -> tuple[str, set[str]]:
    """The name of the extractor, and what waits in the inbox."""
    turns = [{"name": "Mira", "content": text} for text in (KEY, ALLERGY, "Thanks, that fixed it!")]
    captured = memory.capture(messages=turns, thread="monday")
    memory.work(names=["extract"])
    outcome = memory.job(str(captured.job)).outcome
    return outcome["extractor"], {item.memory.content for item in memory.inbox().items}


@pytest.mark.covers("D3")
def test_the_reader_keeps_what_lasts_and_what_is_marked(anywhere: Memory) -> None:
    name, kept = extract(anywhere)
    assert name == "reader"
    assert kept == {"Mira is allergic to peanuts.", "The spare key is under the mat."}


@pytest.mark.covers("D3")
def test_without_the_reader_only_what_is_marked_is_kept(make_home: MakeHome, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Models, "has_reader", lambda _self: False)
    with Memory.open(make_home()) as memory:
        assert extract(memory) == ("marks", {"The spare key is under the mat."})


@pytest.mark.covers("A14")
def test_a_reader_that_fails_loses_no_text_and_no_mark(owner: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_given: object) -> None:
        raise MemoryError

    monkeypatch.setattr("heldtrue.models.reader.Reader.judge_units", fail)
    assert extract(owner) == ("reader", {"The spare key is under the mat."})
    assert owner.status().sources == 3
    assert {failure.place.split()[0] for failure in take_failures()} == {"MemoryError"}


def test_the_extractor_travels_to_another_process_without_the_weights(owner: Memory) -> None:
    engine = owner._call.instance.engine
    assert isinstance(engine, EngineParts)
    packed = pickle.dumps(ReaderExtractor(engine._models.judge()))
    assert len(packed) < 1_000
    assert pickle.loads(packed).name == "reader"
