"""Recall goes on without its parts: without vectors, without the index, without a model that works; and it says so."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import heldtrue as package
from heldtrue import ManualClock, Memory
from heldtrue.domain.errors import ModelProblem
from heldtrue.models.scripted import ScriptedEmbedder, ScriptedReranker
from heldtrue.recall.index.embedding import keep_vectors
from tests.acceptance.homes import MakeHome, new_clock

EVERYWHERE: list[Any] = ["memory", "items", "sessions", "sources"]
KEEPER = "The keeper of the lighthouse is called Ines."
KINDRED = "A watchman of the beacon sleeps at noon."
SAME = {"watchman": "keeper", "beacon": "lighthouse"}
PROMPT_S = 20.0
"""Far more than a write takes on the busiest machine, and far less than a model that hangs."""


def fill(memory: Memory) -> None:
    """Memories, a document and a conversation, most of them posted, some still waiting."""
    memory.learn(KEEPER)
    memory.learn_many([{"content": f"Bin b{number}x holds item i{number}y."} for number in range(20)])
    memory.capture("The lamp of the lighthouse is trimmed on Mondays.", title="lamp")
    memory.capture(messages=[{"content": "Who is the keeper?"}, {"content": "Ines, since spring."}], thread="talk")
    memory.maintain()
    memory.learn("A grey cat sleeps in the lighthouse.")


def damage(memory: Memory, *tables: str) -> None:
    store: Any = memory._call.instance.store
    with store.connector.writing() as connection:
        for table in tables:
            connection.run(f"DELETE FROM {table}", {})


def ask(
    memory: Memory, words: str = "who is the keeper of the lighthouse", **arguments: Any
) -> tuple[list[str], list[str]]:
    """What is told, best first, and what is said about the search."""
    asked: dict[str, Any] = {"within": EVERYWHERE, "limit": 50} | arguments
    answer = memory.recall(words, **asked)
    return [result.memory.content if result.memory else result.passage.text for result in answer.results], list(
        answer.notes
    )


def scored(memory: Memory) -> list[tuple[str, float, dict[str, float]]]:
    answer = memory.recall("who is the keeper of the lighthouse", within=EVERYWHERE, limit=50)
    return [
        (result.memory.content if result.memory else result.passage.text, result.score, result.breakdown)
        for result in answer.results
    ]


ASKING = """
import json, sys
from heldtrue import Memory
from tests.acceptance.test_recall_missing_parts import ask
with Memory.open(sys.argv[1]) as memory:
    print(json.dumps(ask(memory)))
"""


def ask_elsewhere(home: Path) -> tuple[list[str], list[str]]:
    """The same question in a process of its own."""
    root = Path(__file__).parents[2]
    path = os.pathsep.join((str(Path(package.__file__).parents[1]), str(root)))
    done = subprocess.run(
        [sys.executable, "-c", ASKING, str(home)],
        capture_output=True, text=True, timeout=120, check=False, cwd=root, env=os.environ | {"PYTHONPATH": path},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    told, notes = json.loads(done.stdout)
    return told, notes


PLACES = {
    "sqlite with vectors": ("sqlite", "auto"),
    "sqlite by words": ("sqlite", "none"),
    "postgres with vectors": ("postgres", "auto"),
}


@pytest.fixture(params=PLACES.values(), ids=list(PLACES))
def space(request: pytest.FixtureRequest, make_home: MakeHome, clock: ManualClock) -> Iterator[Memory]:
    """A home on each kind of store, with vectors and without."""
    kind, model = request.param
    with Memory.open(make_home(kind, f'[recall]\nvector_model = "{model}"\n'), clock=clock) as memory:
        yield memory


VECTORS, WORDS = ("vectors",), ("postings", "unposted")
DERIVED = (
    "vectors", "models", "postings", "unposted", "shelves", "memory_index", "memory_keys", "threads", "passages",
    "passage_keys", "index_state",
)  # fmt: skip


# What is stored is gone


def test_what_stood_on_a_lost_shelf_never_turns_up_on_another(owner: Memory) -> None:
    """Shelves are numbered; a number that was given again would bring what is private to whoever comes next."""
    secret = "The heron nests under the old pier."
    claude = owner.as_agent("claude")
    claude.capture(messages=[{"content": secret}], thread="notes", visibility="private")
    damage(owner, "shelves", "unposted")
    codex = owner.as_agent("codex")
    for number in range(5):
        codex.capture(messages=[{"content": "A heron was seen."}], thread=f"t{number}", scope=f"project:p{number}")
    assert secret not in ask(codex, "where does the heron nest")[0]
    owner.reindex()
    assert secret in ask(claude, "where does the heron nest")[0]
    assert secret not in ask(codex, "where does the heron nest")[0]


@pytest.mark.covers("B6", "B19", "A29")
@pytest.mark.parametrize("tables", [*((table,) for table in DERIVED), WORDS, (*VECTORS, *WORDS), DERIVED])
def test_whatever_is_lost_the_memory_that_is_asked_for_is_found(space: Memory, tables: tuple[str, ...]) -> None:
    fill(space)
    space._call.instance.keep_vectors_soon()
    space._call.instance.background.drain(10)
    before = scored(space)
    assert before[0][0] == KEEPER
    damage(space, *tables)
    told, notes = ask(space)
    assert KEEPER in told[:3]
    if {"postings", "shelves"} & set(tables):
        assert any("the word index is missing" in note for note in notes)
    with Memory.open(space.home, clock=new_clock()) as fresh:
        assert KEEPER in ask(fresh)[0][:3], "and by one that was not open when it was lost"
    space.reindex()
    space._call.instance.keep_vectors_soon()
    space._call.instance.background.drain(10)
    assert scored(space) == before, "made anew, all is as it was"
    assert ask(space)[1] == []


@pytest.mark.covers("B6", "B19")
def test_without_an_index_the_notes_say_what_is_missing_and_what_to_do(kind: str, make_home: MakeHome) -> None:
    home = make_home(kind)
    with Memory.open(home) as memory:
        fill(memory)
        assert ask(memory)[1] == []
        damage(memory, *VECTORS, *WORDS)
        for told, notes in (ask(memory), ask_elsewhere(home)):
            assert told[0] == KEEPER
            assert [note for note in notes if "run heldtrue reindex" in note]
            assert "Who is the keeper?" in told, "evidence is read directly too"
        assert ask(memory, "zeppelin")[0] == []
        memory.reindex()
        assert ask(memory)[1] == ask_elsewhere(home)[1] == []


@pytest.mark.covers("B6", "C11")
def test_what_is_read_directly_is_only_what_may_be_seen(owner: Memory) -> None:
    codex, claude = owner.as_agent("codex"), owner.as_agent("claude")
    codex.learn("The keeper hides the brass key.", visibility="private")
    codex.learn("The keeper hides the iron key.", scope="agent:codex")
    codex.capture("The keeper hides the tin key.", visibility="private")
    claude.learn("The keeper shows the gold key.")
    owner.forget(owner.learn("The keeper hides the lead key.").memory.id, reason="no")
    owner.maintain()
    damage(owner, *WORDS)
    assert ask(claude, "keeper key")[0] == ["The keeper shows the gold key."]
    assert len(ask(codex, "keeper key")[0]) == 4
    assert not any("lead" in text for text in ask(owner, "keeper key")[0])


def test_newer_words_do_not_hide_that_older_ones_are_lost(space: Memory) -> None:
    fill(space)
    damage(space, "postings")
    space.learn("The keeper of the lighthouse is away.")
    told, notes = ask(space)
    assert {KEEPER, "The keeper of the lighthouse is away."} <= set(told)
    assert any("index is missing" in note for note in notes)


def test_who_has_nothing_to_find_is_told_of_no_damage(space: Memory) -> None:
    assert ask(space) == ([], [])
    space.learn("The keeper of the lighthouse is away.", scope="agent:codex")
    assert ask(space.as_agent("claude")) == ([], [])
    space.as_agent("claude").capture(messages=[{"content": "The keeper is in."}], visibility="private")
    damage(space, "unposted")
    space._call.instance.tools().words._folds = -1
    assert any("index is missing" in note for note in ask(space.as_agent("claude"), within=["sessions"])[1])
    assert ask(space.as_agent("codex"), within=["sessions"]) == ([], [])


# Models


Install = Callable[[Any], Any]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Install:
    """Puts a model in the place of the default one, for homes that are opened from then on."""

    def put(model: Any) -> Any:
        monkeypatch.setattr("heldtrue.wiring.models.open_static", lambda: model)
        return model

    return put


@pytest.mark.covers("B6", "A29")
def test_a_broken_model_costs_its_arm_visibly_and_never_a_write(
    kind: str, make_home: MakeHome, install: Install
) -> None:
    model = install(ScriptedEmbedder(synonyms=SAME))
    with Memory.open(make_home(kind)) as memory:
        memory.learn(KEEPER)
        memory.learn(KINDRED)
        told, notes = ask(memory, "keeper of the lighthouse")
        assert (set(told), notes) == ({KEEPER, KINDRED}, [])
        whole = memory.recall("keeper of the lighthouse").results[0]
        assert whole.breakdown["meaning"] > 0
        model.fails_from = model.calls + 1
        assert memory.learn("The keeper of the lighthouse whistles.").outcome == "created"
        assert memory.capture("The lighthouse is white.").outcome == "captured"
        answer = memory.recall("keeper of the lighthouse")
        assert {result.memory.content for result in answer.results if result.memory} == {
            KEEPER,
            "The keeper of the lighthouse whistles.",
        }
        assert any("vectors were not used" in note for note in answer.notes)
        assert all("meaning" not in result.breakdown for result in answer.results)
        model.fails_from = None
        told, notes = ask(memory, "keeper of the lighthouse")
        assert (KINDRED in told, notes) == (True, [])
        assert memory.verify().ok


class Halting(ScriptedEmbedder):
    """Reads questions, but does something else with what is to be stored."""

    def __init__(self, act: Callable[[Sequence[str]], Any], **fields: Any) -> None:
        super().__init__(**fields)
        self.act = act

    def embed(self, texts: Sequence[str]) -> Any:
        return self.act(texts)


def fail(_texts: Sequence[str]) -> None:
    raise ModelProblem("the model is out of order")


@pytest.mark.covers("B6")
@pytest.mark.parametrize(
    "act", [fail, lambda texts: [], lambda texts: ScriptedEmbedder(dimension=8).embed(texts)],
    ids=["fails", "gives nothing", "gives another dimension"],
)  # fmt: skip
@pytest.mark.parametrize("is_quick", [True, False], ids=["quick", "slow"])
def test_a_model_that_breaks_its_promise_costs_no_more(
    make_home: MakeHome, install: Install, act: Callable[[Sequence[str]], Any], is_quick: bool
) -> None:
    install(Halting(act, is_quick=is_quick))
    with Memory.open(make_home()) as memory:
        memory.learn(KEEPER)
        for _ in range(2):
            told, notes = ask(memory)
            assert told == [KEEPER]
            assert len(notes) == 1
            memory._call.instance.background.drain(10)
        if not is_quick:
            assert any("embedding failed" in warning for warning in memory.status().warnings)


@pytest.mark.covers("B6", "A29")
def test_a_model_that_cannot_be_opened_is_told_of_and_words_do_it(
    make_home: MakeHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise ModelProblem("its weights are missing", hint="pip install /srv/clone[vectors]")

    monkeypatch.setattr("heldtrue.wiring.models.open_static", refuse)
    with Memory.open(make_home()) as memory:
        memory.learn(KEEPER)
        told, notes = ask(memory)
    assert told == [KEEPER]
    assert any("vectors could not be used" in note and "weights are missing" in note for note in notes)
    assert not any("/srv" in note for note in notes), "a remote agent sees no path of the server"


@pytest.mark.covers("B6", "B20")
def test_a_broken_reranker_costs_only_its_order(
    make_home: MakeHome, install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(None)
    reranker = ScriptedReranker()
    monkeypatch.setattr("heldtrue.models.onnx.open_cross_encoder", lambda: reranker)
    with Memory.open(make_home(settings='[recall]\nreranker = "quality"\n')) as memory:
        fill(memory)
        told, notes = ask(memory)
        assert (told[0], notes, reranker.calls > 0) == (KEEPER, [], True)
        reranker.fails_from = 1
        broken, notes = ask(memory)
        assert set(broken) == set(told)
        assert any("reranker was not used" in note for note in notes)


@pytest.mark.covers("B6")
def test_what_has_no_vector_yet_is_found_by_its_words_and_counted(make_home: MakeHome, install: Install) -> None:
    install(ScriptedEmbedder(synonyms=SAME, is_quick=False))
    with Memory.open(make_home()) as memory:
        memory.learn(KEEPER)
        memory.learn(KINDRED)
        answer = memory.recall("keeper of the lighthouse")
        assert [result.memory.content for result in answer.results] == [KEEPER]
        assert "meaning" not in answer.results[0].breakdown, "its words have all the weight"
        assert answer.notes == ["2 memories and passages have no vector yet; they were searched by keyword only"]
        memory._call.instance.background.drain(10)
        told, notes = ask(memory, "keeper of the lighthouse")
        assert (set(told), notes) == ({KEEPER, KINDRED}, [])
        damage(memory, "vectors")
        told, notes = ask(memory, "keeper of the lighthouse")
        assert (told, notes) == ([KEEPER], answer.notes)
        memory._call.instance.background.drain(10)
        assert set(ask(memory, "keeper of the lighthouse")[0]) == {KEEPER, KINDRED}, "and they are made again"


@pytest.mark.covers("B6", "C11")
def test_how_much_others_have_written_is_not_told_by_what_has_no_vector(make_home: MakeHome, install: Install) -> None:
    install(ScriptedEmbedder(is_quick=False))
    with Memory.open(make_home()) as memory:
        codex, claude = memory.as_agent("codex"), memory.as_agent("claude")
        for number in range(6):
            codex.learn(f"Bin b{number}x holds item i{number}y.", visibility="private")
        claude.learn(KEEPER)
        assert [note.split()[0] for note in ask(claude)[1]] == ["some"]
        assert [note.split()[0] for note in ask(memory)[1]] == ["7"]


@pytest.mark.covers("B6")
def test_a_model_that_says_most_of_a_score_hides_nothing_that_it_has_not_read(
    make_home: MakeHome, install: Install
) -> None:
    weights = {"text": 0.5, "thread": 0.25, "meaning": 4.0, "likeness": 4.0}
    model = install(ScriptedEmbedder(is_quick=False, weights=weights))
    with Memory.open(make_home()) as memory:
        memory.learn("The keeper of the windmill is called Olga.")
        keep_vectors(memory._call.instance.store, model)
        memory.learn(KEEPER)
        memory.capture(messages=[{"content": "The keeper of the lighthouse sings."}], thread="talk")
        told, notes = ask(memory, "keeper of the lighthouse")
        assert {KEEPER, "The keeper of the lighthouse sings."} <= set(told)
        assert len(notes) == 1


@pytest.mark.covers("B6", "D19")
@pytest.mark.parametrize("is_quick", [True, False], ids=["quick", "slow"])
def test_another_model_takes_over_in_the_background_while_recall_goes_on(
    kind: str, make_home: MakeHome, install: Install, is_quick: bool
) -> None:
    home = make_home(kind)
    old = install(ScriptedEmbedder(name="old/64"))
    with Memory.open(home) as memory:
        memory.learn(KEEPER)
        memory.learn(KINDRED)
        keep_vectors(memory._call.instance.store, old)
    new = install(ScriptedEmbedder(name="new/512", dimension=512, synonyms=SAME, is_quick=is_quick))
    with Memory.open(home) as memory, Memory.open(home) as other:
        for index in range(3):
            told, notes = ask(memory, "keeper of the lighthouse")
            assert told[0] == KEEPER
            assert (KINDRED in told) == (is_quick or index > 0)
            assert bool(notes) == (not is_quick and index == 0)
            memory._call.instance.background.drain(10)
        assert set(ask(other, "keeper of the lighthouse")[0]) == {KEEPER, KINDRED}
        keep_vectors(memory._call.instance.store, new)
        with memory._call.instance.store.read() as reading:
            old_model, new_model = reading.vectors.model("old/64"), reading.vectors.model("new/512")
            assert old_model
            assert new_model
            assert not reading.vectors.has_any(old_model[0])
            assert reading.vectors.has_any(new_model[0])
        assert set(ask(memory, "keeper of the lighthouse")[0]) == {KEEPER, KINDRED}
        memory.learn("The keeper of the lighthouse whistles.")
        assert "The keeper of the lighthouse whistles." in ask(other, "keeper of the lighthouse")[0]


# Writes


@pytest.mark.covers("B6")
def test_no_write_ever_asks_a_model(kind: str, make_home: MakeHome, install: Install) -> None:
    model = install(ScriptedEmbedder())
    with Memory.open(make_home(kind)) as memory:
        learned = memory.learn(KEEPER).memory.id
        memory.learn_many([{"content": f"Bin b{number}x holds item i{number}y."} for number in range(200)])
        memory.capture("The lighthouse is white. " * 200)
        memory.capture(messages=[{"content": f"Turn {number} of a long talk."} for number in range(80)])
        new = memory.correct(learned, "The keeper of the lighthouse is called Olga.", reason="new one").memory.id
        memory.link(new, learned)
        memory.forget(new, reason="gone")
        memory.restore(new, reason="back")
        assert model.calls == 0
        memory._call.instance.background.drain(10)
        assert model.calls == 0, "nor does the background after one"
        ask(memory)
        assert model.calls > 0, "a recall does"


@pytest.mark.covers("B6")
def test_a_model_that_hangs_keeps_no_write_and_no_other_recall_waiting(
    kind: str, make_home: MakeHome, install: Install
) -> None:
    hangs, gate = threading.Event(), threading.Event()

    def hang(texts: Sequence[str]) -> Any:
        hangs.set()
        assert gate.wait(120)
        return ScriptedEmbedder().embed(texts)

    install(Halting(hang, is_quick=False))
    with Memory.open(make_home(kind)) as memory:
        memory.learn(KEEPER)
        ask(memory)
        assert hangs.wait(PROMPT_S), "the background has begun to embed"
        done: list[str] = []

        def go_on() -> None:
            memory.learn("The keeper of the lighthouse whistles.")
            memory.capture("The lighthouse is white.")
            done.extend(ask(memory)[0])

        thread = threading.Thread(target=go_on)
        thread.start()
        thread.join(PROMPT_S)
        assert not gate.is_set()
        assert KEEPER in done, "all that while the model was hanging"
        assert "The keeper of the lighthouse whistles." in done
        gate.set()
        thread.join()
        ask(memory)
        memory._call.instance.background.drain(30)
        ask(memory)
        assert ask(memory)[1] == []
