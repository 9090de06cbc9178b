"""No text slows the analysis down more than its length does, makes it fail, or is lost by it."""

import re
from collections.abc import Callable, Iterator, Sequence

import pytest

from bench.made_texts import RUNS, document_sentences, made_sentences
from bench.patterns import collect_patterns, read_pieces
from bench.text_costs import WAYS_IN, WayIn, find_slow, open_plain
from bench.text_fuzz import fuzz
from heldtrue import Memory
from heldtrue.capabilities.call import Instance
from heldtrue.domain.claim import Claim
from heldtrue.language import statements
from heldtrue.language.claims.find import find_claims
from heldtrue.language.grammar.clauses import Clause
from heldtrue.language.guard import TooMuchWork, list_failures, spend, take_failures
from heldtrue.surfaces.cli.install.toml_text import drop_table, read_toml
from tests.effort import assert_linear

TEXT_BYTES = 3_000
THOROUGH = ("learn", "messages and work")
SHARE = 4
"""The ways in that get every run, and every which run the others get, each with another start."""
FUZZ_SENTENCES, FUZZ_SENTENCES_READ, FUZZ_SEED = 5_000, 200, 5
DOCUMENTS_SHARE = 5
"""Every so manieth sentence of our documents; the long form in `make soak` takes all."""


@pytest.fixture(scope="module")
def instance() -> Iterator[Instance]:
    with open_plain() as opened:
        yield opened


@pytest.mark.parametrize(("number", "name"), list(enumerate(WAYS_IN)))
def test_no_run_of_characters_costs_more_than_prose_of_its_length_may(
    instance: Instance, number: int, name: str
) -> None:
    runs = RUNS if name in THOROUGH else RUNS[number % SHARE :: SHARE]
    slow = find_slow(Memory.over(instance), runs, large=TEXT_BYTES, ways_in={name: WAYS_IN[name]})
    assert [str(text) for text in slow] == []


def test_a_pattern_that_is_more_than_linear_is_noticed(instance: Instance) -> None:
    quadratic = WayIn(lambda _memory, text: re.search("a+b", text * 4), 100_000)
    (slow,) = find_slow(Memory.over(instance), [".", "a"], large=8_000, ways_in={"quadratic": quadratic})
    assert slow.piece == "a"


def test_the_pieces_of_our_patterns_are_collected() -> None:
    assert len(collect_patterns()) > 200
    assert set(read_pieces(re.compile(r"(?:ab|[.!?]+)\s*\d{2}"))) >= {"ab", ".", " ", "1"}


@pytest.mark.parametrize("run", [" ", "a", '"', "a.", "[", "#"])
def test_a_configuration_of_a_client_is_edited_in_linear_time(run: str) -> None:
    assert_linear(lambda text: drop_table(f"[{text}\n", "heldtrue"), run * 40_000)
    assert drop_table('[a."b c"]\nx = 1\n[heldtrue.mcp]\ny = 2\n', "heldtrue") == '[a."b c"]\nx = 1\n'
    assert read_toml("x = 1") == {"x": 1}


@pytest.mark.parametrize(
    ("documents", "made"),
    [
        pytest.param(DOCUMENTS_SHARE, FUZZ_SENTENCES, marks=pytest.mark.without_reader, id="without the reader"),
        pytest.param(50 * DOCUMENTS_SHARE, FUZZ_SENTENCES_READ, id="with the reader"),
    ],
)
def test_every_sentence_is_learned_captured_and_extracted_without_a_fault(
    instance: Instance, documents: int, made: int
) -> None:
    sentences = [*document_sentences()[::documents], *made_sentences(made, seed=FUZZ_SEED)]
    result = fuzz(instance, sentences)
    assert [failure.trace for failure in list_failures()] == []
    assert result.sent == len(sentences)
    assert result.is_clean


@pytest.mark.parametrize(
    "text",
    [
        "The price was increased by 20.",
        "The limit was lowered by 5.",
        "thing that cannot conflict: both sides are flagged,\nthe one loses\n",
        "user: " * 2_000,
    ],
)
def test_texts_that_made_the_analysis_fail_are_analysed(instance: Instance, text: str) -> None:
    memory = Memory.over(instance)
    assert memory.learn(text).notes == []
    captured = memory.capture(messages=[{"role": "user", "content": text}, {"role": "user", "content": "I like tea."}])
    assert captured.notes == []
    assert [job.state for job in memory.work().jobs] == ["done"]
    assert list_failures() == []


# What happens when an analysis fails


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Exception], None]]:
    """Lets the analysis of every text that names a volcano fail."""

    def break_with(problem: Exception) -> None:
        def fail_or_find(clauses: Sequence[Clause], text: str) -> tuple[Claim, ...]:
            if "volcano" in text:
                raise problem
            return find_claims(clauses, text)

        monkeypatch.setattr(statements, "find_claims", fail_or_find)

    yield break_with
    take_failures()


def test_a_fault_of_ours_is_logged_and_counted_and_costs_no_text(
    instance: Instance, broken: Callable[[Exception], None], caplog: pytest.LogCaptureFixture
) -> None:
    memory = Memory.over(instance)
    assert memory.status().analysis_failures == 0
    broken(IndexError("the volcano Etna"))
    learned = memory.learn("The volcano above Catania is Etna.")
    assert learned.outcome == "created"
    assert [note for note in learned.notes if "could not analyse" in note]
    assert memory.recall("Which volcano is above Catania?").results[0].memory.id == learned.memory.id

    failures = memory.status().analysis_failures
    assert failures
    assert any("IndexError" in warning for warning in memory.status().warnings)
    (logged,) = [record.getMessage() for record in caplog.records if record.name == "heldtrue.language"]
    assert "fail_or_find" in logged
    assert "Etna" not in logged


def test_one_message_that_cannot_be_analysed_keeps_no_other_from_being_read(
    instance: Instance, broken: Callable[[Exception], None]
) -> None:
    memory = Memory.over(instance)
    broken(ValueError())
    said = ["I am allergic to hazelnuts.", "I live below the volcano Stromboli.", "My brother Tom lives in Porto."]
    captured = memory.capture(messages=[{"role": "user", "content": text} for text in said], thread="volcanoes")
    assert captured.captured == len(said)
    assert [note for note in captured.notes if "could not analyse" in note]
    (job,) = memory.work().jobs
    assert job.state == "done"
    found = " ".join(candidate["text"] for candidate in memory.job(job.id).outcome["candidates"])
    assert "hazelnuts" in found
    assert "Porto" in found


def test_too_much_work_on_a_text_ends_its_analysis(instance: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = Memory.over(instance)

    def never_ends(_clauses: object, text: str) -> object:
        while True:
            spend(len(text))

    with monkeypatch.context() as patch:
        patch.setattr(statements, "find_claims", never_ends)
        learned = memory.learn("The lighthouse of Genoa is called Lanterna.")
    assert learned.outcome == "created"
    assert any(TooMuchWork.__name__ in failure.place for failure in take_failures())
