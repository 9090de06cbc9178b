"""Quantities: numbers, units, grouping, number words, and digits of other scripts."""

from __future__ import annotations

import pytest

from heldtrue.language.quantities import find_quantities

FOUND = [
    ("30 s", "30", "s"),
    ("30s", "30", "s"),
    ("30 seconds", "30", "s"),
    ("1,500 ms", "1.5", "s"),
    ("1 500 ms", "1.5", "s"),
    ("1500ms", "1.5", "s"),
    ("5 minutes", "300", "s"),
    ("5 min", "300", "s"),
    ("5m", "300", "s"),
    ("5 m", "5", "m"),
    ("24 h", "86400", "s"),
    ("1 day", "86400", "s"),
    ("2 weeks", "1209600", "s"),
    ("3 months", "3", "month"),
    ("2 years", "24", "month"),
    ("10 MB", "10000000", "byte"),
    ("10 MiB", "10485760", "byte"),
    ("512 KB", "512000", "byte"),
    ("1.5 GB", "1500000000", "byte"),
    ("100 Mbps", "100000000", "bit/s"),
    ("90%", "90", "percent"),
    ("90 percent", "90", "percent"),
    ("99.90 %", "99.9", "percent"),
    ("$30", "30", "usd"),
    ("$1,234.50", "1234.5", "usd"),
    ("US$ 5", "5", "usd"),
    ("30 USD", "30", "usd"),
    ("30 dollars", "30", "usd"),
    ("€1.5k", "1500", "eur"),
    ("20 euros", "20", "eur"),
    ("£20", "20", "gbp"),
    ("¥500", "500", "jpy"),
    ("5 km", "5000", "m"),
    ("180 cm", "1.8", "m"),
    ("2 inches", "0.0508", "m"),
    ("1,5 kg", "1500", "g"),
    ("80 kg", "80000", "g"),
    ("10 lbs", "4535.9237", "g"),
    ("30 °C", "30", "celsius"),
    ("86 °F", "30", "celsius"),
    ("-5 °C", "-5", "celsius"),
    ("3 GHz", "3000000000", "hz"),
    ("3 retries", "3", "retry"),
    ("three retries", "3", "retry"),
    ("one second", "1", "s"),
    ("twelve users", "12", "user"),
    ("a dozen files", "12", "file"),
    ("5 attempts", "5", "attempt"),
    ("1.5k requests", "1500", "request"),
    ("2 million users", "2000000", "user"),
    ("10M", "10000000", ""),
    ("42", "42", ""),
    ("1,500", "1500", ""),
    ("1 500 000", "1500000", ""),
    ("1.500.000 EUR", "1500000", "eur"),
    ("0.50", "0.5", ""),
    ("007", "7", ""),
    ("port 8080", "8080", ""),
    ("two cats", "2", ""),
    ("10:30", "630", "clock"),
    ("3 pm", "900", "clock"),
    ("3:15 PM", "915", "clock"),
    ("12 am", "0", "clock"),
    ("15:00", "900", "clock"),
    ("٣٠ ثانية", "30", "s"),
    ("१५ दिन", "1296000", "s"),
    ("１５％", "15", "percent"),
    ("30秒です", "30", "s"),
    ("5分钟", "300", "s"),
    ("30 Sekunden", "30", "s"),
    ("30 secondes", "30", "s"),
    ("30 segundos", "30", "s"),
    ("30 секунд", "30", "s"),
    ("30초", "30", "s"),
    ("30 δευτερόλεπτα", "30", "s"),
    ("30 שניות", "30", "s"),
    ("100元", "100", "cny"),
]

NONE = [
    "",
    "no number here",
    "v1.2.3",
    "the 1990s",
    "3rd",
    "2nd place",
    "5G",
    "Python3",
    "utf8",
    "x_3",
    "2026-05-17",
    "May 17, 2026",
    "one of them",
    "this one",
    "someone",
    "often",
    "a@b3.com",
    "+49 30 1234567",
    "src/3/a.py",
    "second",
    "two-factor auth",
]


@pytest.mark.parametrize(("text", "number", "unit"), FOUND)
def test_finds_the_quantity(text: str, number: str, unit: str) -> None:
    assert [(amount.number, amount.unit) for amount in find_quantities(text)] == [(number, unit)]


@pytest.mark.parametrize(("text", "number", "unit"), FOUND)
def test_finds_it_inside_a_sentence(text: str, number: str, unit: str) -> None:
    sentence = f"It is about {text} (said so)."
    found = find_quantities(sentence)
    assert [(amount.number, amount.unit) for amount in found] == [(number, unit)]
    assert sentence[found[0].start : found[0].end] == found[0].text


@pytest.mark.parametrize("text", NONE)
def test_finds_none(text: str) -> None:
    assert find_quantities(text) == ()


def test_ranges_give_both_ends() -> None:
    assert [amount.number for amount in find_quantities("between 3 and 5 retries")] == ["3", "5"]


def test_huge_numbers_do_not_break() -> None:
    assert len(find_quantities("9" * 5000 + " °F")) == 1
