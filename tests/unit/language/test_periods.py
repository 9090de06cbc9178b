"""Periods: the times a question names, told from the moment it is asked, and what only looks like one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldtrue.language.periods import Period, asks_when, find_periods, has_time_words
from tests.effort import assert_linear

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def at(year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0) -> int:
    return (datetime(year, month, day, hour, minute, second, tzinfo=UTC) - EPOCH) // timedelta(microseconds=1)


NOW = at(2023, 6, 14, 10)
"""A Wednesday morning."""


def shown(moment: int) -> str:
    when = EPOCH + timedelta(microseconds=moment)
    return when.date().isoformat() if moment % 86_400_000_000 == 0 else when.strftime("%Y-%m-%dT%H:%M")


def found(question: str, now: int = NOW) -> list[tuple[str, str, str, str]]:
    return [(shown(p.start), shown(p.end), p.grain, p.relation) for p in find_periods(question, now=now)]


# question, start, end, grain: all of them within
WITHIN = [
    ("What happened in May?", "2023-05-01", "2023-06-01", "month"),
    ("what happened in may", "2023-05-01", "2023-06-01", "month"),
    ("which bugs did we fix in march?", "2023-03-01", "2023-04-01", "month"),
    ("What happened in June?", "2023-06-01", "2023-07-01", "month"),
    ("What happened in July?", "2022-07-01", "2022-08-01", "month"),
    ("what happened in Sept?", "2022-09-01", "2022-10-01", "month"),
    ("the January numbers", "2023-01-01", "2023-02-01", "month"),
    ("in May 2023", "2023-05-01", "2023-06-01", "month"),
    ("in may 2021", "2021-05-01", "2021-06-01", "month"),
    ("in March last year", "2022-03-01", "2022-04-01", "month"),
    ("in May of last year", "2022-05-01", "2022-06-01", "month"),
    ("last year in May", "2022-05-01", "2022-06-01", "month"),
    ("last May", "2023-05-01", "2023-06-01", "month"),
    ("last June", "2022-06-01", "2022-07-01", "month"),
    ("next March", "2024-03-01", "2024-04-01", "month"),
    ("what did I eat this March?", "2023-03-01", "2023-04-01", "month"),
    ("on 7 May 2023", "2023-05-07", "2023-05-08", "day"),
    ("on the 7th of May 2023", "2023-05-07", "2023-05-08", "day"),
    ("May 7th", "2023-05-07", "2023-05-08", "day"),
    ("what did we ship on june 5", "2023-06-05", "2023-06-06", "day"),
    ("on December 25", "2022-12-25", "2022-12-26", "day"),
    ("on 12 May", "2023-05-12", "2023-05-13", "day"),
    ("the 2nd of may", "2023-05-02", "2023-05-03", "day"),
    ("on 29 February", "2020-02-29", "2020-03-01", "day"),
    ("on 29 February 2020", "2020-02-29", "2020-03-01", "day"),
    ("on 29 February 2022", "2022-02-01", "2022-03-01", "month"),
    ("what happened on 2023-05-07?", "2023-05-07", "2023-05-08", "day"),
    ("on 17/5/2023", "2023-05-17", "2023-05-18", "day"),
    ("on 5/17/2023", "2023-05-17", "2023-05-18", "day"),
    ("on the 5th", "2023-06-05", "2023-06-06", "day"),
    ("on the 20th", "2023-05-20", "2023-05-21", "day"),
    ("What did I do yesterday?", "2023-06-13", "2023-06-14", "day"),
    ("yesterday morning", "2023-06-13", "2023-06-14", "day"),
    ("the day before yesterday", "2023-06-12", "2023-06-13", "day"),
    ("today", "2023-06-14", "2023-06-15", "day"),
    ("today's standup", "2023-06-14", "2023-06-15", "day"),
    ("this morning", "2023-06-14", "2023-06-15", "day"),
    ("last night", "2023-06-13", "2023-06-14", "day"),
    ("tomorrow", "2023-06-15", "2023-06-16", "day"),
    ("last Friday", "2023-06-09", "2023-06-10", "day"),
    ("last Wednesday", "2023-06-07", "2023-06-08", "day"),
    ("next Friday", "2023-06-16", "2023-06-17", "day"),
    ("this Friday", "2023-06-16", "2023-06-17", "day"),
    ("on Friday", "2023-06-09", "2023-06-10", "day"),
    ("what did we do Friday?", "2023-06-09", "2023-06-10", "day"),
    ("Tuesday evening", "2023-06-13", "2023-06-14", "day"),
    ("Friday last week", "2023-06-09", "2023-06-10", "day"),
    ("on Monday, 5 June", "2023-06-05", "2023-06-06", "day"),
    ("three days ago", "2023-06-11", "2023-06-12", "day"),
    ("10 days ago", "2023-06-04", "2023-06-05", "day"),
    ("a couple of days ago", "2023-06-11", "2023-06-13", "range"),
    ("a few weeks ago", "2023-05-10", "2023-06-01", "range"),
    ("several months ago", "2022-10-14", "2023-03-15", "range"),
    ("two weeks ago", "2023-05-28", "2023-06-04", "week"),
    ("a few years back", "2018-06-14", "2021-06-15", "range"),
    ("what did she paint years ago?", "2013-06-14", "2021-06-15", "range"),
    ("a week ago", "2023-06-04", "2023-06-11", "week"),
    ("two months ago", "2023-04-01", "2023-05-01", "month"),
    ("a year ago", "2022-01-01", "2023-01-01", "year"),
    ("ten years ago", "2013-01-01", "2014-01-01", "year"),
    ("an hour ago", "2023-06-14T08:30", "2023-06-14T09:30", "range"),
    ("two months from now", "2023-08-01", "2023-09-01", "month"),
    ("last week", "2023-06-05", "2023-06-12", "week"),
    ("at last week's meeting", "2023-06-05", "2023-06-12", "week"),
    ("this week", "2023-06-12", "2023-06-19", "week"),
    ("earlier this week", "2023-06-12", "2023-06-19", "week"),
    ("next week", "2023-06-19", "2023-06-26", "week"),
    ("last month", "2023-05-01", "2023-06-01", "month"),
    ("last quarter", "2023-01-01", "2023-04-01", "quarter"),
    ("last year", "2022-01-01", "2023-01-01", "year"),
    ("last summer", "2022-06-01", "2022-09-01", "season"),
    ("last winter", "2022-12-01", "2023-03-01", "season"),
    ("this spring", "2023-03-01", "2023-06-01", "season"),
    ("in the summer of 2022", "2022-06-01", "2022-09-01", "season"),
    ("in summer 2022", "2022-06-01", "2022-09-01", "season"),
    ("in the fall", "2022-09-01", "2022-12-01", "season"),
    ("in winter", "2022-12-01", "2023-03-01", "season"),
    ("last weekend", "2023-06-10", "2023-06-12", "range"),
    ("over the weekend", "2023-06-10", "2023-06-12", "range"),
    ("this weekend", "2023-06-17", "2023-06-19", "range"),
    ("the weekend of 20 May", "2023-05-20", "2023-05-22", "range"),
    ("the weekend before 20 May", "2023-05-13", "2023-05-15", "range"),
    ("the weekend after 20 May", "2023-05-27", "2023-05-29", "range"),
    ("the Sunday before 25 May 2023", "2023-05-21", "2023-05-22", "day"),
    ("the Friday after 3 June", "2023-06-09", "2023-06-10", "day"),
    ("the week before 9 June 2023", "2023-06-02", "2023-06-09", "week"),
    ("the day after 31 May", "2023-06-01", "2023-06-02", "day"),
    ("two days before 20 May", "2023-05-18", "2023-05-19", "day"),
    ("two weeks before 20 May", "2023-05-03", "2023-05-10", "week"),
    ("the week of 5 June", "2023-06-05", "2023-06-12", "week"),
    ("the first week of June", "2023-06-01", "2023-06-08", "week"),
    ("the last week of May", "2023-05-25", "2023-06-01", "week"),
    ("the last day of May", "2023-05-31", "2023-06-01", "day"),
    ("in 2022", "2022-01-01", "2023-01-01", "year"),
    ("In 2022 we had how many outages?", "2022-01-01", "2023-01-01", "year"),
    ("Q3", "2022-07-01", "2022-10-01", "quarter"),
    ("revenue in Q1", "2023-01-01", "2023-04-01", "quarter"),
    ("in Q3 2021", "2021-07-01", "2021-10-01", "quarter"),
    ("2021 Q3", "2021-07-01", "2021-10-01", "quarter"),
    ("Q3 of last year", "2022-07-01", "2022-10-01", "quarter"),
    ("the third quarter of 2022", "2022-07-01", "2022-10-01", "quarter"),
    ("the first half of 2022", "2022-01-01", "2022-07-01", "range"),
    ("H2 2022", "2022-07-01", "2023-01-01", "range"),
    ("early 2023", "2023-01-01", "2023-05-01", "range"),
    ("in mid-2022", "2022-05-01", "2022-09-01", "range"),
    ("late last year", "2022-09-01", "2023-01-01", "range"),
    ("in late March", "2023-03-21", "2023-04-01", "range"),
    ("at the end of March", "2023-03-21", "2023-04-01", "range"),
    ("at the beginning of May", "2023-05-01", "2023-05-11", "range"),
    ("in the last 3 months", "2023-03-14", "2023-06-15", "range"),
    ("over the past two weeks", "2023-05-31", "2023-06-15", "range"),
    ("in the past week", "2023-06-07", "2023-06-15", "range"),
    ("in the last year", "2022-06-14", "2023-06-15", "range"),
    ("in the last few days", "2023-06-09", "2023-06-15", "range"),
    ("in the last 24 hours", "2023-06-13T10:00", "2023-06-14T10:00", "range"),
    ("in the next two weeks", "2023-06-14", "2023-06-29", "range"),
    ("in the 1990s", "1990-01-01", "2000-01-01", "range"),
    ("between March and June", "2023-03-01", "2023-07-01", "range"),
    ("between March and June 2022", "2022-03-01", "2022-07-01", "range"),
    ("between November and February", "2022-11-01", "2023-03-01", "range"),
    ("from November 2021 to February", "2021-11-01", "2022-03-01", "range"),
    ("between May 5 and June 10", "2023-05-05", "2023-06-11", "range"),
    ("between 3 and 9 May 2023", "2023-05-03", "2023-05-10", "range"),
    ("from 7 to 9 May", "2023-05-07", "2023-05-10", "range"),
    ("May 7-9, 2022", "2022-05-07", "2022-05-10", "range"),
    ("7-9 May 2022", "2022-05-07", "2022-05-10", "range"),
    ("between 2019 and 2021", "2019-01-01", "2022-01-01", "range"),
    ("from Monday to Wednesday", "2023-06-12", "2023-06-15", "range"),
    ("May to July 2022", "2022-05-01", "2022-08-01", "range"),
    ("since January", "2023-01-01", "2023-06-15", "range"),
    ("since 2021", "2021-01-01", "2023-06-15", "range"),
    ("since yesterday", "2023-06-13", "2023-06-15", "range"),
    ("since last Friday", "2023-06-09", "2023-06-15", "range"),
    ("from March 2022 on", "2022-03-01", "2023-06-15", "range"),
    # other languages
    ("Was haben wir gestern gemacht?", "2023-06-13", "2023-06-14", "day"),
    ("vorgestern", "2023-06-12", "2023-06-13", "day"),
    ("Was war letzte Woche?", "2023-06-05", "2023-06-12", "week"),
    ("vor zwei Wochen", "2023-05-28", "2023-06-04", "week"),
    ("im Mai", "2023-05-01", "2023-06-01", "month"),
    ("am 7. Mai", "2023-05-07", "2023-05-08", "day"),
    ("zwischen März und Juni", "2023-03-01", "2023-07-01", "range"),
    ("Que s'est-il passé hier ?", "2023-06-13", "2023-06-14", "day"),
    ("il y a deux semaines", "2023-05-28", "2023-06-04", "week"),
    ("en mars", "2023-03-01", "2023-04-01", "month"),
    ("¿Qué hice ayer?", "2023-06-13", "2023-06-14", "day"),
    ("la semana pasada", "2023-06-05", "2023-06-12", "week"),
    ("hace tres días", "2023-06-11", "2023-06-12", "day"),
    ("el 7 de mayo", "2023-05-07", "2023-05-08", "day"),
]

BESIDE = [
    ("before June 2023", "2023-06-01", "2023-07-01", "month", "before"),
    ("what did we use before May?", "2023-05-01", "2023-06-01", "month", "before"),
    ("before yesterday", "2023-06-13", "2023-06-14", "day", "before"),
    ("prior to 2020", "2020-01-01", "2021-01-01", "year", "before"),
    ("until March", "2023-03-01", "2023-04-01", "month", "before"),
    ("what was due by Friday?", "2023-06-09", "2023-06-10", "day", "before"),
    ("before last week", "2023-06-05", "2023-06-12", "week", "before"),
    ("after 12 May", "2023-05-12", "2023-05-13", "day", "after"),
    ("after the summer of 2022", "2022-06-01", "2022-09-01", "season", "after"),
    ("after Monday", "2023-06-12", "2023-06-13", "day", "after"),
    ("avant juin 2023", "2023-06-01", "2023-07-01", "month", "before"),
]

NONE = [
    "",
    "may I ask something?",
    "This may break the build",
    "who may deploy?",
    "step 3 may fail",
    "20 may be enough",
    "may 20 files be opened at once?",
    "march on",
    "can we march on to the next topic",
    "sun",
    "who sat in the sun?",
    "what is the sat nav called",
    "wait a second",
    "the second file",
    "in 20 files",
    "in 2000 rows",
    "in 2000 ms",
    "the total divided by 2000",
    "room 2019",
    "error 2024",
    "RFC 2045",
    "port 8080",
    "localhost:2023",
    "from 8080 to 9090",
    "does it cost $2022?",
    "version 2.5.2023",
    "python 3.11",
    "on 7/5/2023",
    "on 31 June",
    "24/7 support",
    "3/4 of it",
    "between 5 and 10",
    "from 1 to 5",
    "between us and them",
    "at 10:30",
    "Did May call?",
    "What does June prefer?",
    "When is April's birthday?",
    "Who is Jan?",
    "August Wilson",
    "a message from April",
    "who was it written by April or Bob",
    "why did he leave after June left",
    "the mars rover",
    "When did they return from Rio de Janeiro?",
    "what came back",
    "in Mars",
    "the second week",
    "every Friday",
    "on Fridays",
    "Monday to Friday",
    "Black Friday",
    "spring boot",
    "in Spring Boot apps",
    "the Fall of Rome",
    "summer school",
    "winter is coming",
    "who drives an Audi Q3?",
    "Q1: what is this?",
    "for 3 days",
    "takes 2 weeks",
    "30 days retention",
    "a two week sprint",
    "the 90s timeout",
    "next steps",
    "the last commit",
    "the last 5 commits",
    "past tense",
    "the current version",
    "end of file",
    "early return",
    "late binding",
    "mid level",
    "the first day at work",
    "on the 5th attempt",
    "before the release",
    "3 days before the release",
    "the week before launch",
    "since then",
    "after lunch",
    "the daily report",
    "9999 years ago",
    "Was ist hier passiert?",
]


@pytest.mark.parametrize(("question", "start", "end", "grain"), WITHIN)
def test_finds_the_period(question: str, start: str, end: str, grain: str) -> None:
    assert found(question) == [(start, end, grain, "within")]


@pytest.mark.parametrize(("question", "start", "end", "grain", "relation"), BESIDE)
def test_says_on_which_side_of_it_the_answer_lies(
    question: str, start: str, end: str, grain: str, relation: str
) -> None:
    assert found(question) == [(start, end, grain, relation)]


@pytest.mark.parametrize("question", NONE)
def test_finds_none(question: str) -> None:
    assert found(question) == []


def test_enough_was_tried() -> None:
    assert len(WITHIN) + len(BESIDE) >= 120
    assert len(NONE) >= 40


def test_finds_several_in_order_with_their_words() -> None:
    question = "Was it decided in May 2021, two weeks ago, or before 3 March?"
    assert [period.words for period in find_periods(question, now=NOW)] == [
        "May 2021",
        "two weeks ago",
        "before 3 March",
    ]


def test_two_years_are_two_periods() -> None:
    assert found("in 2021 and 2022") == [
        ("2021-01-01", "2022-01-01", "year", "within"),
        ("2022-01-01", "2023-01-01", "year", "within"),
    ]


def test_a_month_that_begins_today_has_begun() -> None:
    assert found("in June", at(2023, 6, 1)) == [("2023-06-01", "2023-07-01", "month", "within")]
    assert found("in June", at(2023, 6, 1) - 1) == [("2022-06-01", "2022-07-01", "month", "within")]


def test_a_day_of_this_year_that_is_to_come_was_last_year() -> None:
    assert found("on 15 June") == [("2022-06-15", "2022-06-16", "day", "within")]
    assert found("on 14 June") == [("2023-06-14", "2023-06-15", "day", "within")]


def test_the_month_before_january_is_december() -> None:
    assert found("last month", at(2024, 1, 31)) == [("2023-12-01", "2024-01-01", "month", "within")]
    assert found("in the last month", at(2024, 3, 31)) == [("2024-02-29", "2024-04-01", "range", "within")]


def test_covers_what_lies_on_the_named_side() -> None:
    day = Period(10, 20, "then", "day", "within")
    assert [day.covers(moment) for moment in (9, 10, 19, 20)] == [False, True, True, False]
    before = Period(10, 20, "before then", "day", "before")
    assert [before.covers(moment) for moment in (9, 10, 20)] == [True, False, False]
    after = Period(10, 20, "after then", "day", "after")
    assert [after.covers(moment) for moment in (9, 19, 20)] == [False, False, True]


# --- questions about time -----------------------------------------------------------------------------

ASKS = """
When did we move to Postgres?|when was it|When's the launch?|And when?|She moved when?|when exactly did it fail
Do you know when she moved?|tell me when the release was|I forgot when we met|what day was the release
What's the date of the audit?|which month did we hire Ada|what year did he graduate|in what year was it built
what time is the standup|how long ago did she call|How many weeks ago was the outage?|how recently was it tested
since when do we use ruff|by when must it be done?|how many days has it been since the outage
When Jon has lost his job?|Wann war das?
¿Cuándo fue eso?|Quand est-ce arrivé ?|Когда это было?|什么时候发布的？|いつですか
"""
ASKS_NOT = """
What should I do when the build fails?|When the build fails, what do I do?|what happens when we deploy
do you remember when we met in Paris?|what time zone do we use|which date format do we use?|what is the time limit
how long does it take|how often do we deploy|who owns the gateway|what is the timeout|when in doubt, whom do I ask
How do I know when to stop?|tell me what happens when it fails|and when it fails, what then?|what is a datetime
the whenever clause|When the build fails what do I do?
"""


@pytest.mark.parametrize("question", [question for line in ASKS.strip().splitlines() for question in line.split("|")])
def test_asks_when(question: str) -> None:
    assert asks_when(question)


@pytest.mark.parametrize(
    "question", [question for line in ASKS_NOT.strip().splitlines() for question in line.split("|")]
)
def test_asks_something_else(question: str) -> None:
    assert not asks_when(question)


SAYS_WHEN = """
I met her yesterday|Last week we shipped the parser|On Monday we deploy|The audit was in May|It was released in 2022
two days ago she left|See you tomorrow|The review is next month|Due 2023-05-07|Her birthday is 7 May
Fridays are for demos|January was cold|She moved last summer|We met in the summer of 2019|昨天我们部署了
Gestern war es kalt|вчера всё работало|since Q3 2022|Tonight we celebrate|The freeze starts the week of 5 June
"""
SAYS_NOT_WHEN = """
The gateway listens on port 8080|May I?|the second file|the sun is a star|Python 3.11 is required|retry after 30 seconds
The parser marches on|We use tabs|the daily report|takes two weeks|June likes tea|It costs $2022|the fall of Rome|
"""


@pytest.mark.parametrize("text", [text for line in SAYS_WHEN.strip().splitlines() for text in line.split("|")])
def test_says_when(text: str) -> None:
    assert has_time_words(text)


@pytest.mark.parametrize("text", [text for line in SAYS_NOT_WHEN.strip().splitlines() for text in line.split("|")])
def test_says_not_when(text: str) -> None:
    assert not has_time_words(text)


# --- any text -----------------------------------------------------------------------------------------

WORDS = st.sampled_from(
    """in may march 7 7th 2023 last next this week weekend friday before after between and from to since of the a few
    days ago year summer q3 early end , - 2023-05-07 yesterday vor zwei wochen hier il y 31 february 0 9999""".split()
)


@settings(max_examples=400, deadline=None)
@given(st.lists(WORDS, max_size=12), st.integers(-(2**70), 2**70))
def test_any_words_of_time_give_periods_inside_the_question(words: list[str], now: int) -> None:
    question = " ".join(words)
    for period in find_periods(question, now=now):
        assert period.start < period.end
        assert period.words in question
        assert period.grain in ("day", "week", "month", "season", "quarter", "year", "range")
        assert period.relation in ("within", "before", "after")


@settings(max_examples=200, deadline=None)
@given(st.text())
def test_any_text_is_read_and_what_is_found_stands_in_it(text: str) -> None:
    assert all(period.words in text and period.start < period.end for period in find_periods(text, now=NOW))
    assert isinstance(asks_when(text), bool)
    assert isinstance(has_time_words(text), bool)


@pytest.mark.parametrize("part", ["the ", "day before ", "Friday, ", "between May and ", "1 ", "vor ", "mid-", "when "])
def test_takes_linear_time(part: str) -> None:
    text = part * (60_000 // len(part))
    assert_linear(lambda some: find_periods(some, now=NOW), text)
    assert_linear(asks_when, text)
