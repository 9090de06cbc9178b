"""Values that are written differently become alike, and other values stay apart."""

from __future__ import annotations

import pytest

from heldtrue.language.other_values import values_differ
from heldtrue.language.value_forms import bring_to_one_form, contains_words


@pytest.mark.covers("D5", "B7")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("at 3:30 pm", "at 15:30"),
        ("at 3.30 p.m.", "at 15:30"),
        ("at 04:15", "at 4:15"),
        ("at 10 in the evening", "at 22:00"),
        ("at quarter to 8", "at 7:45"),
        ("on 2026-05-02", "on May 2nd, 2026"),
        ("on the second of May 2026", "on the 2 may 2026"),
        ("on 02.05.2026", "on 2 May 2026"),
        ("1,250,000 rows", "1250000 rows"),
        ("13,5 kg", "13.5kg"),
        ("2.5k users", "2500 users"),
        ("twenty-four seats", "24 seats"),
        ("a dozen seats", "12 seats"),
        ("in Köln", "in KOELN"),
        ("café Zoë", "cafe zoe"),
        ("ticket ZX-2210", "ticket ZX 2210"),
        ("64GB", "64 GB"),
    ],
)
def test_one_value_written_in_two_ways_has_one_form(first: str, second: str) -> None:
    assert bring_to_one_form(first) == bring_to_one_form(second)


@pytest.mark.parametrize("text", ["SDK 2.1.5", "10.0.0.12", "it is on port 5432", "अनन्या", "й и и", "ZX-22-A"])
def test_what_is_no_such_value_keeps_its_characters(text: str) -> None:
    kept = bring_to_one_form(text).replace(" ", "").replace("-", "")
    assert kept == text.casefold().replace(" ", "").replace("-", "")


@pytest.mark.parametrize(
    ("said", "held", "differ"),
    [
        ("port 5433 is used", "the port is 5432", True),
        ("port 5432 is used", "the port is 5432", False),
        ("the standard port is used", "the port is 5432", False),
        ("id 4471 ends it", "it ends with 44 71", False),
        ("version 2.1.5", "version 2.1", True),
        ("on host admin2", "on host admin", False),
        ("3 replicas on 5432", "the port is 5432", False),
    ],
)
def test_other_digits_in_the_place_of_a_value_make_another_value(said: str, held: str, *, differ: bool) -> None:
    assert values_differ(bring_to_one_form(said), bring_to_one_form(held)) is differ


@pytest.mark.parametrize(
    ("said", "held", "contained"),
    [
        ("note: the port is 5432.", "the port is 5432.", True),
        ("the port is 54321", "the port is 5432", False),
        ("the support is 5432", "port is 5432", False),
        ("it is late", "", False),
    ],
)
def test_a_text_contains_another_only_at_the_edges_of_words(said: str, held: str, *, contained: bool) -> None:
    assert contains_words(said, held) is contained
