"""Dates: only what the text states outright."""

from __future__ import annotations

import pytest

from heldtrue.language.dates import find_dates

FOUND = [
    ("2026-05-17", "2026-05-17"),
    ("2026-05", "2026-05"),
    ("2026/05/17", "2026-05-17"),
    ("on 2026-05-17T10:00Z", "2026-05-17"),
    ("17 May 2026", "2026-05-17"),
    ("17th May 2026", "2026-05-17"),
    ("17th of May, 2026", "2026-05-17"),
    ("May 17, 2026", "2026-05-17"),
    ("May 17th, 2026", "2026-05-17"),
    ("Sept. 3, 2025", "2025-09-03"),
    ("3 Dec 2025", "2025-12-03"),
    ("May 2026", "2026-05"),
    ("March of 2024", "2024-03"),
    ("17.05.2026", "2026-05-17"),
    ("5/17/2026", "2026-05-17"),
    ("17/5/2026", "2026-05-17"),
    ("05/05/2026", "2026-05-05"),
    ("17. Mai 2026", "2026-05-17"),
    ("3. März 2025", "2025-03-03"),
    ("17 de mayo de 2026", "2026-05-17"),
    ("17 mai 2026", "2026-05-17"),
    ("1er août 2025", "2025-08-01"),
    ("1 января 2024", "2024-01-01"),
    ("2026年5月17日", "2026-05-17"),
    ("2026年5月", "2026-05"),
    ("2026年", "2026"),
    ("2026년 5월 17일", "2026-05-17"),
    ("in 2026", "2026"),
    ("since 2019", "2019"),
    ("Since 2019, we", "2019"),
    ("by 2030.", "2030"),
    ("until 2027", "2027"),
    ("In 2026 we moved", "2026"),
    ("seit 2019", "2019"),
    ("desde 2019", "2019"),
    ("depuis 2019", "2019"),
    ("29 February 2024", "2024-02-29"),
]

NONE = [
    "",
    "may",
    "I may go",
    "second",
    "sat",
    "port 8080",
    "version 2000",
    "2000",
    "in 2000 rows",
    "since 1999 requests",
    "2026-02-30",
    "29 February 2023",
    "2026-13-01",
    "05/04/2026",
    "March forward",
    "May 17",
    "17 May",
    "tomorrow",
    "last year",
    "10:30",
    "1.2.3",
    "in 20260",
    "in 3026",
    "$2026",
    "room 2019",
    "error 2024",
    "on 2024.5",
    "555-2026",
    "the 1990s",
    "jan jansen",
]


@pytest.mark.parametrize(("text", "canonical"), FOUND)
def test_finds_the_date(text: str, canonical: str) -> None:
    found = find_dates(text)
    assert [date.canonical for date in found] == [canonical]
    assert text[found[0].start : found[0].end] == found[0].text


@pytest.mark.parametrize("text", NONE)
def test_finds_none(text: str) -> None:
    assert find_dates(text) == ()


def test_finds_several_in_order() -> None:
    text = "From 2026-01-01 until 3 May 2026, as since 2019."
    assert [date.canonical for date in find_dates(text)] == ["2026-01-01", "2026-05-03", "2019"]
