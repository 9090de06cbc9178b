"""No question is an error, and the same question of the same store at the same moment gives the same bytes."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import heldtrue as package
from heldtrue import Memory
from tests.acceptance.homes import KINDS, MakeHome, new_clock, times

EVERYWHERE: list[Any] = ["memory", "items", "sessions", "sources"]
BIRDS = "heron kingfisher wren dipper owl magpie swift teal plover curlew lapwing snipe".split()
PLACES = "weir sluice quarry canal mill bridge harbour orchard cellar tower ferry station".split()
TALKERS = ("Ana", "Bo", "Cleo", "Zoë", "assistant")
MODELS = ("auto", "none")


def fill(memory: Memory, chance: random.Random) -> None:
    """Memories and evidence in several scopes and languages, some linked, some corrected, much of it alike."""

    def sentence() -> str:
        return f"The {chance.choice(BIRDS)} was at the {chance.choice(PLACES)} {chance.randint(1, 9)} times."

    learned = [
        memory.learn(f"The {bird} nests by the {spot}.").memory for bird, spot in zip(BIRDS, PLACES, strict=True)
    ]
    for first, other in zip(learned[::2], learned[1::2], strict=True):
        memory.link(first.id, other.id)
    memory.correct(learned[3].id, "The dipper nests in the boathouse.", reason="saw it")
    memory.forget(learned[5].id, reason="it flew")
    memory.learn_many(
        [
            {"content": text}
            for text in ("看守每天检查桥梁", "Der Reiher steht am Wehr.", "السوق مغلق", "🐦 im 🌳", "C++ & max_facts")
        ]
    )
    memory.capture(
        "# Birds\n\n" + "\n\n".join(f"## {bird}\n\n{sentence()} {sentence()}" for bird in BIRDS),
        title="Birds",
        thread="book",
    )
    # Threads that grow in turns, with many turns that are the same: which of them come first must not be chance.
    for index in range(1, 5):
        for thread in range(6):
            turns = [
                {"name": TALKERS[(number + thread) % 5], "content": "Seen again." if number % 3 else sentence()}
                for number in range(index * 6)
            ]
            memory.capture(messages=turns, thread=f"walk {thread}")


@pytest.fixture(params=MODELS, ids=["with vectors", "by words"])
def library(request: pytest.FixtureRequest, make_home: MakeHome) -> Iterator[Memory]:
    home = make_home(settings=f'[recall]\nvector_model = "{request.param}"\n')
    with Memory.open(home, clock=new_clock()) as memory:
        fill(memory, random.Random(3))
        yield memory


# Anything may be asked

TIMES = """in on at before after since until between and from to the of last next this every two few several
couple 2 31 99
1e9 0 00 -1 2026 1066 9999 99999 99999999999999999999 1970 0001 february may march april monday sunday weekend spring
q1 q5 h2 1980s week weeks month months year years day days decade century ago now yesterday today tomorrow tonight noon
first second fifth 31st 0th when how long recently 2026-02-30 2026-13-45 0000-00-00 9999-12-31 12/31/9999 31.02. 24:61
vor zwei wochen il y a hace dos 昨天 去年 вчера early late mid end beginning half""".split()
SIGNS = list("\"'()*:^-+&|!<>\\%_{}[]@#$?.,;/~`=\x00\x07\t\n\r\u200b\u202e\ufeff\u00ad\ud800\udfff\u0301")


def random_question(chance: random.Random) -> str:
    def any_character() -> str:
        return chr(chance.choice((chance.randint(32, 0x24F), chance.randint(32, 0xFFFF), chance.randint(0, 0x10FFFF))))

    makers = (
        lambda: "".join(any_character() for _ in range(chance.randint(1, 40))),
        lambda: "".join(chance.choice((any_character(), chance.choice(SIGNS))) for _ in range(chance.randint(1, 40))),
        lambda: " ".join(chance.choices(TIMES, k=chance.randint(1, 9))),
        lambda: " ".join(chance.choices([*TIMES, *BIRDS, *PLACES, *TALKERS, *SIGNS], k=chance.randint(1, 14))),
        lambda: chance.choice(BIRDS)[: chance.randint(1, 6)] + any_character() + chance.choice(PLACES),
        lambda: (chance.choice([*BIRDS, *TIMES, *SIGNS]) + chance.choice(("", " "))) * chance.randint(1, 200),
    )
    return chance.choice(makers)()[:2_000]


def random_arguments(chance: random.Random) -> dict[str, Any]:
    choices: dict[str, list[Any]] = {
        "limit": [1, 3, 100], "within": [EVERYWHERE, ["sessions"], ["sources"], ["items"]], "around": [1, 5],
        "per_source": [1, 100], "profile": ["brain", "hybrid", "dual", "rank"], "topic": ["birds", "\u0301", ""],
        "max_tokens": [1, 200], "messages": [["Who saw it?", "The \ud800 did."], [""], ["x" * 3_000]],
        "weights": [{"text": 0.0}, {"proximity": 10.0, "tone": 10.0}], "max_age": ["1d", "90 weeks"],
        "as_of": ["#3", "now"], "valid_at": ["2026-05-04", "1999-01-01"], "kinds": [["note"], ["entity", "claim"]],
        "min_confidence": [0.5, 1.0], "scopes": [["global"], ["project:none"]],
    }  # fmt: skip
    chosen = chance.sample(sorted(choices), k=chance.choice((0, 0, 1, 1, 2, 4)))
    return {name: chance.choice(choices[name]) for name in chosen}


@pytest.mark.covers("A7", "B27", "C13", "C14")
def test_whatever_is_asked_in_whatever_way_is_answered(library: Memory) -> None:
    chance = random.Random(23)
    asked = answered = 0
    while asked < times(500):
        question, arguments = random_question(chance), random_arguments(chance)
        if not question.strip():
            continue
        asked += 1
        try:
            answer = library.recall(question, **arguments)
        except Exception as problem:
            problem.add_note(f"asked: {question!r} {arguments}")
            raise
        answered += bool(answer.results)
        assert len(answer.results) <= arguments.get("limit", 10)
        for result in answer.results:
            assert 0 <= result.score <= 1.00001
            assert (result.memory is None) != (result.passage is None)
        msgspec.json.encode(answer)
    assert answered > asked / 10, "and many of them find something"
    assert library.recall("where does the heron nest").results[0].memory.content == "The heron nests by the weir."
    assert library.verify().ok


# The same again

QUESTIONS = [
    "where does the heron nest", "who saw the owl at the quarry", "what did Ana say about the wren", "seen again",
    "when was the magpie at the mill", "birds in May", "yesterday", "检查", "Reiher am Wehr", "max_facts c++",
    "kingfisher sluice canal", "water fowl near a river", "hern nests", "what did Zoë and Bo see before breakfast?",
    "the of and", "🐦", "it makes me so happy that the swift came back!", "aviary opening hours",
]  # fmt: skip
WAYS: list[dict[str, Any]] = [
    {"within": EVERYWHERE, "around": 2, "limit": 30},
    {"profile": "hybrid", "within": EVERYWHERE, "limit": 100},
    {"profile": "dual"},
]


def answers(memory: Memory) -> list[str]:
    """Every answer, byte for byte."""
    return [msgspec.json.encode(memory.recall(question, **way)).decode() for way in WAYS for question in QUESTIONS]


ASKING = """
import json, sys
from heldtrue import Memory
from tests.acceptance.homes import new_clock
from tests.acceptance.test_recall_fuzz import answers
with Memory.open(sys.argv[1], clock=new_clock()) as memory:
    print(json.dumps(answers(memory)))
"""


def answers_elsewhere(home: Path, hash_seed: str) -> list[str]:
    root = Path(__file__).parents[2]
    path = os.pathsep.join((str(Path(package.__file__).parents[1]), str(root)))
    done = subprocess.run(
        [sys.executable, "-c", ASKING, str(home)],
        capture_output=True, text=True, timeout=120, check=False, cwd=root,
        env=os.environ | {"PYTHONPATH": path, "PYTHONHASHSEED": hash_seed},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    told: list[str] = json.loads(done.stdout)
    return told


def tell_apart(first: list[str], second: list[str]) -> list[tuple[str, str]]:
    """The answers that differ, for a message that can be read."""
    return [pair for pair in zip(first, second, strict=True) if pair[0] != pair[1]]


@pytest.mark.covers("B27", "B28", "C14")
@pytest.mark.parametrize(("kind", "model"), [("sqlite", "auto"), ("sqlite", "none"), ("postgres", "auto")])
def test_the_same_question_gives_the_same_bytes_in_every_process(make_home: MakeHome, kind: str, model: str) -> None:
    home = make_home(kind, f'[recall]\nvector_model = "{model}"\n')
    with Memory.open(home, clock=new_clock()) as memory:
        # Asked while it grows, so that what this process holds in memory has come together piece by piece.
        fill(memory, random.Random(3))
        first = answers(memory)
        assert sum('"results":[{' in answer for answer in first) > len(first) / 2
        assert tell_apart(first, answers(memory)) == []
        assert tell_apart(first, answers_elsewhere(home, "1")) == []
        memory.maintain()
        memory.reindex()
        memory._call.instance.background.drain(10)
        assert tell_apart(first, answers(memory)) == [], "upkeep changes no answer"
        assert tell_apart(first, answers_elsewhere(home, "2")) == []


@pytest.mark.covers("B27", "C14")
def test_a_cache_that_grew_answers_like_one_that_was_read(make_home: MakeHome) -> None:
    home = make_home()
    with Memory.open(home, clock=new_clock()) as memory:
        chance = random.Random(9)
        for step in range(4):
            for thread in range(12):
                turns = [{"name": "Ana", "content": "Seen again."} for _ in range(step * 4 + 4)]
                memory.capture(messages=turns, thread=f"t{(thread * 7 + step) % 12}")
            memory.learn(f"The {chance.choice(BIRDS)} nests by the {PLACES[step]}.")
            answers(memory)
        warm = answers(memory)
    with Memory.open(home, clock=new_clock()) as memory:
        assert tell_apart(warm, answers(memory)) == []


@pytest.mark.covers("B27", "D28", "C14")
@pytest.mark.parametrize("model", MODELS)
def test_both_stores_give_the_same_answers_but_for_their_ids(make_home: MakeHome, model: str) -> None:
    told = []
    for kind in KINDS:
        with Memory.open(make_home(kind, f'[recall]\nvector_model = "{model}"\n'), clock=new_clock()) as memory:
            fill(memory, random.Random(3))
            told.append([plain(memory.recall(question, **way)) for way in WAYS for question in QUESTIONS])
    assert told[0] == told[1]
    assert sum(len(answer["results"]) for answer in told[0]) > 200


def plain(answer: Any) -> dict[str, Any]:
    """An answer without what a space makes up itself: ids, and what is made of them."""
    whole: dict[str, Any] = msgspec.to_builtins(answer)
    del whole["recall_id"]
    for result in whole["results"]:
        result["folded"] = len(result["folded"])
        for told in (result["memory"], result["passage"], *result["around"], *result["evidence"], *result["trust"]):
            for name in ("id", "iri", "source_id", "memory_id"):
                (told or {}).pop(name, None)
    return whole
