"""Long texts are analysed in child processes, which can be killed without losing a text."""

import os
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import psutil
import pytest

from heldtrue.domain.errors import TooLarge
from heldtrue.domain.limits import ANALYSIS_CHILDREN_MAX, ANALYSIS_INLINE_CHARS_MAX, CONTENT_BYTES_MAX
from heldtrue.ingest.stages.candidate import UNPARSED, Candidate, Proposal, prepare_candidate
from heldtrue.language.guard import count_unparsed, take_failures
from heldtrue.wiring.analysis_children import InChildren
from tests.service.child_work import fail_on_text, find_slowly, kill_the_child
from tests.waiting import wait_until

LONG = Proposal(content="The deploy host is gimli.", source_text="We moved to Frankfurt in May. " * 3_000)


@pytest.fixture(autouse=True)
def _child_finds_this_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))


@pytest.fixture
def children() -> Iterator[InChildren]:
    analysis = InChildren()
    yield analysis
    analysis.close()
    assert count_children() == 0
    take_failures()


def count_children() -> int:
    found = psutil.Process().children()
    return sum("heldtrue.wiring.analysis_child" in " ".join(child.cmdline()) for child in found if child.is_running())


def prepare(analysis: InChildren, proposal: Proposal) -> Candidate:
    return analysis.run(prepare_candidate, proposal, chars=proposal.chars)


def test_a_child_gives_the_same_answer_and_is_started_for_a_long_text_only(children: InChildren) -> None:
    short = Proposal(content="The deploy host is gimli.")
    assert prepare(children, short) == prepare_candidate(short)
    assert count_children() == 0
    assert LONG.chars > ANALYSIS_INLINE_CHARS_MAX
    assert prepare(children, LONG) == prepare_candidate(LONG)
    assert prepare(children, LONG).notes == ()
    assert count_children() == 1


def test_an_error_about_the_text_comes_back_as_it_was_raised(children: InChildren) -> None:
    with pytest.raises(TooLarge) as raised:
        prepare(children, Proposal(content="long " * CONTENT_BYTES_MAX))
    assert raised.value.field == "content"
    assert raised.value.hint


def test_a_text_that_takes_too_long_is_left_unparsed_and_the_next_one_is_not() -> None:
    hurried = InChildren(seconds_max=0.2)
    try:
        # The pattern takes longer than anyone waits, and never returns to the interpreter.
        assert hurried.run_apart(partial(find_slowly, "(a+)+$"), "a" * 60 + "b") is False
        (failure,) = take_failures()
        assert "find_slowly" in failure.place
        assert "child_work.py" in failure.trace
        assert hurried.run_apart(partial(find_slowly, "b$"), "a" * 60 + "b") is True
    finally:
        hurried.close()


def test_a_child_that_is_killed_costs_no_text(children: InChildren) -> None:
    candidate = children.run_apart(kill_the_child, (os.getpid(), LONG))
    assert candidate.content == LONG.content
    assert candidate.evidence_text == LONG.source_text
    assert candidate.notes == (UNPARSED,)
    assert prepare(children, LONG).notes == ()


def test_a_fault_in_a_child_is_counted_in_its_parent(children: InChildren) -> None:
    before = count_unparsed()
    assert children.run_apart(fail_on_text, "volcano") == "kept"
    assert count_unparsed() == before + 1
    (failure,) = take_failures()
    assert failure.place.startswith("ZeroDivisionError at child_work.py")


def test_there_are_never_more_children_than_allowed(children: InChildren) -> None:
    answers: list[Candidate] = []
    threads = [threading.Thread(target=lambda: answers.append(prepare(children, LONG))) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == len(threads)
    assert 1 <= count_children() <= ANALYSIS_CHILDREN_MAX
    children.close()
    wait_until(lambda: count_children() == 0)
