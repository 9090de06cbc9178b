"""Marks: what may not differ between two wordings of one fact."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldtrue.language.distinguishing_marks import read_marks, same_marks, same_names
from tests.effort import assert_linear

NAMES = [
    ("Set API_KEY", ("API_KEY",)),
    ("Call get_user() first", ("get_user()",)),
    ("Pass -v and --dry-run", ("--dry-run", "-v")),
    ("Use fooBar on GitHub", ("GitHub", "fooBar")),
    ("The code is 01234, the version 3.10", ("01234", "3.10")),
    ("Run `make lint` nightly", ("make lint",)),
    ("Edit src/app.py, .env and x86 files.", (".env", "src/app.py", "x86")),
    ("Service A calls service B", ("A", "B")),
    ("A plan costs 30 s or 5 MB at 10:30", ()),
    ("The office (in Berlin) isn't open, e-mail Alice's team", ()),
    ("Mail A@x.com within 30s, see v1.2.3", ()),
    ("कार्यालय दिल्ली में है", ()),
]
SYMBOLS = [
    ("x >= 500", (">=",)),
    ("a && b || c", ("&&", "||")),
    ("the regex .* matches", (".*",)),
    ("cron 5 0 * * *", ("*", "*", "*")),
    ("* a bullet\n- another", ()),
    ('Well - (yes), "no" ... 50 % = half!', ()),
    ("x = []", ("[]",)),
    ("A good build 👍", ("👍",)),
]
SENSES = [
    ("Deploy with no downtime", ("not",)),
    ("All tests pass", ()),
    ("Not all tests pass", ("all", "not")),
    ("We used to use Kafka", ("used to",)),
    ("We used Kafka", ("past",)),
    ("Kafka is used", ()),
    ("We have used Kafka", ("perfect",)),
    ("We won't use Kafka", ("not", "will")),
    ("Do we use Kafka?", ("?",)),
    ("Due 17 May 2026", ()),
    ("It may rain", ("it", "may")),
    ("Use just tabs", ("only",)),
    ("Just use tabs", ()),
]


@pytest.mark.parametrize(("text", "names"), NAMES)
def test_code_names_are_read_as_written(text: str, names: tuple[str, ...]) -> None:
    assert read_marks(text).names == names


@pytest.mark.parametrize(("text", "symbols"), SYMBOLS)
def test_symbols_are_read_and_punctuation_is_not(text: str, symbols: tuple[str, ...]) -> None:
    assert read_marks(text).symbols == symbols


@pytest.mark.parametrize(("text", "senses"), SENSES)
def test_meaning_words_are_read(text: str, senses: tuple[str, ...]) -> None:
    assert read_marks(text).senses == senses


# one, other, same as written, same in any case
CASES = [
    ("Call get_user", "Call get_users", False, False),
    ("Call get_users", "Call GET_USERS", False, True),
    ("Call get_users", "Call gеt_users", False, True),  # a Cyrillic letter
    ("Call fooBar", "Call foobar", False, True),
    ("Call fooBar", "Call foobars", False, False),
    ("Call fooBar", "Call FOOBARS", False, False),
    ("Run `test`", "Run test", False, True),
    ("Run `test`", "Run tests", False, False),
    ("Pass -v", "Pass -V", False, True),
    ("The code is 01234", "The code is 1234", False, False),
    ("The office is in Berlin", "the OFFICE is in Berlin.", True, True),
    ("x >= 5", "x <= 5", False, False),
    ("We use Kafka", "We will use Kafka", False, False),
]


@pytest.mark.parametrize(("first", "second", "exact", "folded"), CASES)
def test_marks_are_the_same_or_not(first: str, second: str, exact: bool, folded: bool) -> None:
    for left, right in ((first, second), (second, first)):
        assert same_marks(left, right) is exact
        assert same_marks(left, right, exact_case=False) is folded


def test_names_alone_do_not_see_other_words() -> None:
    assert same_names("Call get_user", "We will never call get_user!")
    assert not same_names("Call get_user", "Call get_users")
    assert same_names("Call get_user", "call GET_USER?", exact_case=False)
    assert not same_names("Call get_user", "Call GET_USERS", exact_case=False)


@given(st.text(max_size=200))
@settings(max_examples=300, deadline=None)
def test_any_text_has_the_marks_of_itself(text: str) -> None:
    assert same_marks(text, text + " ")
    assert same_marks(text, text + " ", exact_case=False)


@pytest.mark.parametrize("piece", ["(", "a", "a.", "`", "'", "-", ")a(", "[x](y)", "0", "* "])
def test_long_text_is_read_in_linear_time(piece: str) -> None:
    assert_linear(read_marks.__wrapped__, piece * (50_000 // len(piece)))


def test_comparing_texts_again_does_not_read_them_again() -> None:
    one, other = "Set API_KEY in .env before running `make deploy`", "Set API_KEYS in .env before running make deploy"
    for exact in (True, False):
        same_marks(one, other, exact_case=exact)
        before = read_marks.cache_info()
        same_marks(one, other, exact_case=exact)
        assert read_marks.cache_info().misses == before.misses
        assert read_marks.cache_info().hits > before.hits
