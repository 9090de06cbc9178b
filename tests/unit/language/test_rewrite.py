"""Rewriting: a follow-up gets what it leans on, a question that stands alone is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldtrue.language.rewrite import TERMS_ADDED, rewrite_question
from tests.effort import assert_linear

GATEWAY = ["What is the retry limit of the gateway?", "It is 5."]
BERLIN = ["When did Caroline move to Berlin?", "Caroline moved to Berlin in May 2021."]
CLASS = ["Melanie told John about the pottery class.", "That sounds fun!"]
DATABASE = ["We use PostgreSQL for billing.", "Why not MySQL?", "MySQL lacks the features we need."]
SCRIPT = ["The deploy script lives in tools/deploy.sh."]

# follow-up, what was said, what is added
LEANING = [
    ("and the timeout?", GATEWAY, ("gateway",)),
    ("What about the timeout?", GATEWAY, ("gateway",)),
    ("timeout?", GATEWAY, ("gateway",)),
    ("und der Timeout?", GATEWAY, ("gateway",)),
    ("And on staging?", GATEWAY, ("retry", "limit", "gateway")),
    ("for the worker?", GATEWAY, ("retry", "limit", "gateway")),
    ("why?", GATEWAY, ("retry", "limit", "gateway")),
    ("Warum?", GATEWAY, ("retry", "limit", "gateway")),
    ("since when?", GATEWAY, ("retry", "limit", "gateway")),
    ("how many?", GATEWAY, ("retry", "limit", "gateway")),
    ("when did that change?", GATEWAY, ("retry", "limit", "gateway")),
    ("is it still so?", GATEWAY, ("retry", "limit", "gateway")),
    ("who owns it?", GATEWAY, ("retry", "limit", "gateway")),
    ("does this still hold?", GATEWAY, ("retry", "limit", "gateway")),
    ("it's broken again", GATEWAY, ("retry", "limit", "gateway")),
    ("who set the limit to that?", GATEWAY, ("retry", "gateway")),
    ("what about her sister?", BERLIN, ("Caroline", "Berlin")),
    ("and her brother John?", BERLIN, ("Caroline", "Berlin")),
    ("Where does she work?", BERLIN, ("Caroline",)),
    ("What did he say?", CLASS, ("John",)),
    ("Which plants in Oslo does she like?", BERLIN, ("Caroline",)),
    ("does she have a dog?", BERLIN, ("Caroline",)),
    ("How long has she lived there?", BERLIN, ("Caroline", "Berlin")),
    ("tell me more", BERLIN, ("Caroline", "Berlin")),
    ("what else?", BERLIN, ("Caroline", "Berlin")),
    ("Is his dog called Rex?", CLASS, ("John",)),
    ("is her favourite colour blue?", CLASS, ("Melanie",)),
    ("are they friends?", CLASS, ("Melanie", "John")),
    ("what are their hobbies?", CLASS, ("Melanie", "John")),
    ("Who decided that?", DATABASE, ("MySQL", "PostgreSQL", "features", "billing")),
    ("when was this decided?", DATABASE, ("MySQL", "PostgreSQL", "features", "billing")),
    ("What about Redis?", DATABASE, ("MySQL", "PostgreSQL", "features", "billing")),
    ("which one is faster?", DATABASE, ("MySQL", "PostgreSQL", "features", "billing")),
    ("who wrote that script?", SCRIPT, ("tools/deploy.sh", "deploy")),
]

# These stand alone, whatever was said.
ALONE = [
    "",
    "What is the timeout of the gateway?",
    "And who owns the billing service?",
    "So what did Caroline say about Berlin?",
    "Where does Ada keep her keys?",
    "What would be a good present from her brother for Ada?",
    "How do I install Redis and configure it?",
    "If the tests fail, how do I rerun them?",
    "gateway timeout",
    "retry limit of the gateway",
    "Caroline's sister?",
    "What time is it?",
    "Is it possible to cancel a job?",
    "Is it true that the parser skips comments?",
    "How long does it take to deploy the worker?",
    "Is there a test for the parser?",
    "Are there limits on uploads?",
    "what did we do this week?",
    "Which meetings are on the calendar this morning?",
    "which file holds the configuration that we load first?",
    "What did John do that Melanie liked?",
    "Which city have both Jean and John visited?",
    "who are you?",
    "Are you sure?",
    "what can you do for me?",
    "Why did we choose Postgres?",
    "what does caroline do for work",
    "when did caroline meet up with her friends?",
    "what activities has melanie done with her family?",
    "what is in caroline's bag and where did she buy it?",
    "show all decisions about storage",
    "我们的超时时间是多少？",
]


@pytest.mark.parametrize(("question", "messages", "added"), LEANING)
def test_a_follow_up_gets_what_it_leans_on(question: str, messages: list[str], added: tuple[str, ...]) -> None:
    rewritten = rewrite_question(question, messages)
    assert rewritten.added == added
    assert rewritten.question == f"{question} {' '.join(added)}"
    assert "said before" in rewritten.why


@pytest.mark.parametrize("question", ALONE)
@pytest.mark.parametrize("messages", [GATEWAY, BERLIN], ids=["gateway", "berlin"])
def test_a_question_that_stands_alone_is_left_alone(question: str, messages: list[str]) -> None:
    rewritten = rewrite_question(question, messages)
    assert (rewritten.question, rewritten.added) == (question, ())
    assert rewritten.why == "the question stands alone"


def test_enough_was_tried() -> None:
    assert len(LEANING) + len(ALONE) >= 40


def test_without_anything_said_before_nothing_is_added() -> None:
    for messages in ([], ["", "   "], ["And you?", "Me too!"]):
        assert rewrite_question("and the timeout?", messages).question == "and the timeout?"


def test_only_the_last_five_messages_are_read() -> None:
    idle = ["ok", "yes", "sure", "great"]
    assert rewrite_question("why?", ["The Falcon project was stopped.", *idle]).added == ("Falcon",)
    assert rewrite_question("why?", ["The Falcon project was stopped.", *idle, "hm"]).added == ()


def test_the_latest_that_fits_wins() -> None:
    messages = ["Caroline likes tea.", "Deborah moved to Oslo.", "John plays chess."]
    assert rewrite_question("does she play too?", messages).added == ("Deborah",)
    assert rewrite_question("does he win?", messages).added == ("John",)


def test_who_does_something_is_meant_before_who_is_mentioned() -> None:
    assert rewrite_question("is she happy?", ["Caroline met Melanie in Paris."]).added == ("Caroline",)


def test_what_the_question_says_is_not_added_again() -> None:
    assert "gateway" not in rewrite_question("is it the gateway?", GATEWAY).added


def test_known_names_stand_alone_in_small_letters() -> None:
    question = "which plants melanie has on her balcony"
    assert rewrite_question(question, BERLIN).added == ("Caroline",)
    assert rewrite_question(question, BERLIN, known={"melanie"}).added == ()


def test_a_long_answer_adds_no_more_than_allowed() -> None:
    long = " ".join(f"Service{number} calls queue{number} through broker{number}." for number in range(200))
    assert len(rewrite_question("why is that?", [long]).added) <= TERMS_ADDED


@settings(max_examples=300, deadline=None)
@given(st.text(), st.lists(st.text(), max_size=7))
def test_no_word_of_any_question_is_lost(question: str, messages: list[str]) -> None:
    rewritten = rewrite_question(question, messages)
    assert rewritten.question.startswith(question)
    assert len(rewritten.added) <= TERMS_ADDED
    assert (rewritten.question == question) == (not rewritten.added)


WORDS = st.sampled_from(
    "and what about her it that why ? Ada Bob the timeout of gateway she they there is , in Oslo".split()
)


@settings(max_examples=300, deadline=None)
@given(st.lists(WORDS, max_size=8).map(" ".join), st.lists(st.lists(WORDS, max_size=12).map(" ".join), max_size=6))
def test_nothing_is_added_that_was_not_said(question: str, messages: list[str]) -> None:
    said = " ".join(messages).lower()
    assert all(term.lower() in said for term in rewrite_question(question, messages).added)


@pytest.mark.parametrize("part", ["Ada ", "it ", "that ", "why? ", "her ", "the timeout of "])
def test_takes_linear_time(part: str) -> None:
    text = part * (100_000 // len(part))
    assert_linear(lambda some: rewrite_question(some, [some] * 5), text)
    assert_linear(lambda some: rewrite_question("why?", [some] * 5), text)
    assert_linear(lambda some: rewrite_question("she " * (len(some) // 5) + some, []), text)
