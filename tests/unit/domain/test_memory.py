"""The rules that a memory carries with it."""

import pytest

from heldtrue.domain import errors
from heldtrue.domain.memory import STARTING_CONFIDENCE, Strength, adjust_confidence, short_title
from heldtrue.domain.times import HOUR_US
from tests.conformance.samples import make_version


@pytest.mark.covers("D4", "D6")
@pytest.mark.parametrize(
    ("before", "change", "after"),
    [(0.9, 0.1, 1.0), (0.95, 0.1, 1.0), (0.5, 0.05, 0.55), (0.1, -0.2, 0.0), (0.7, -0.2, 0.5), (0.3, 0.1, 0.4)],
)
def test_confidence_moves_in_clean_steps_and_stays_between_nought_and_one(
    before: float, change: float, after: float
) -> None:
    assert adjust_confidence(before, change) == after


@pytest.mark.covers("D8")
def test_confidence_starts_from_how_it_was_said() -> None:
    assert STARTING_CONFIDENCE == {Strength.EXPLICIT: 0.9, Strength.IMPLIED: 0.7, Strength.INFERRED: 0.5}


@pytest.mark.covers("A13")
@pytest.mark.parametrize(
    ("policy", "hours"), [("stable", None), ("weekly", 168), ("daily", 24), ("hourly", 1), ("volatile", 0)]
)
def test_a_memory_is_stale_from_the_end_of_its_term(policy: str, hours: int | None) -> None:
    memory = make_version(staleness=policy, observed_at=0)
    if hours is None:
        assert not memory.is_stale(10**18)
        return
    assert memory.is_stale(hours * HOUR_US)
    assert not memory.is_stale(hours * HOUR_US - 1)


@pytest.mark.covers("A14")
@pytest.mark.parametrize(
    ("start", "end", "holds"),
    [(None, None, True), (10, None, True), (11, None, False), (None, 11, True), (None, 10, False), (5, 11, True)],
)
def test_a_fact_holds_from_its_start_until_just_before_its_end(start: int | None, end: int | None, holds: bool) -> None:
    assert make_version(valid_from=start, valid_to=end).holds_at(10) is holds


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("Short.", "Short."),
        ("First one. Second one.", "First one."),
        ("Version 3.11 is needed. Really.", "Version 3.11 is needed."),
        ("一つ目。二つ目。", "一つ目。"),
        ("A heading\nand more", "A heading"),
    ],
)
def test_a_memory_without_a_title_shows_its_first_sentence(content: str, title: str) -> None:
    assert short_title(content) == title


def test_a_long_first_sentence_is_cut_at_a_word() -> None:
    title = short_title("word " * 100)
    assert title.endswith("word…")
    assert len(title) <= 101


def error_classes() -> list[type[errors.HeldtrueError]]:
    # By name, and ours alone: a test that loads a module anew, or makes an error of its own, leaves it there.
    found, waiting = {}, [errors.HeldtrueError]
    while waiting:
        one = waiting.pop()
        found[f"{one.__module__}.{one.__qualname__}"] = one
        waiting += one.__subclasses__()
    return [error for error in found.values() if error.__module__.startswith("heldtrue.")]


@pytest.mark.covers("A26")
def test_every_error_has_a_code_of_its_own_a_sentence_and_a_status_by_its_class() -> None:
    classes = error_classes()
    assert len({error.code for error in classes}) == len(classes)
    for error in classes:
        assert error().message.endswith("."), error
        assert 1 <= error.exit_status <= 9
        assert error("no", field="f", hint="h").as_answer() == {
            "error": {"code": error.code, "message": "no", "field": "f", "hint": "h"}
        }
    first = [error for error in classes if errors.HeldtrueError in error.__bases__]
    assert len({error.exit_status for error in first}) == len(first), "a script can tell them apart"
