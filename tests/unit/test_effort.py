"""What tells linear work from work that grows faster must itself tell them apart."""

import pytest

from tests.effort import assert_linear, best_of


def read_once(text: str) -> int:
    return sum(character == "a" for character in text)


def read_again_for_each(text: str) -> int:
    return sum(letter == other for letter in text for other in text)


def try_everything(text: str) -> int:
    return sum(1 for _ in range(2 ** len(text)))


def test_linear_work_passes() -> None:
    assert_linear(read_once, "a" * 400_000)
    assert_linear(len, ["a"] * 400_000)


def test_work_that_grows_faster_than_its_input_fails() -> None:
    with pytest.raises(AssertionError, match="8 times as much took"):
        assert_linear(read_again_for_each, "a" * 2_000)
    with pytest.raises(AssertionError, match="8 times as much took"):
        assert_linear(try_everything, "a" * 24)


def test_the_best_of_some_tries_is_the_time_of_one_call() -> None:
    assert 0 < best_of(lambda: read_once("a" * 100), calls=100) < best_of(lambda: read_once("a" * 100_000), calls=1)
