"""Use: what an answer took from a memory, told from what they share anyway."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldtrue.language.usage import USED_AT_LEAST, is_used, used_in_answer
from tests.effort import assert_linear

# What it is an example of, the memory, the answer. Those held out were written after the threshold was set.

USED = [
    (
        "verbatim",
        "The gateway timeout is 30 seconds.",
        "The gateway timeout is 30 seconds.",
    ),
    (
        "verbatim",
        "Caroline's favourite book is Becoming Nicole.",
        "Caroline's favourite book is Becoming Nicole, as she told Melanie in July.",
    ),
    (
        "value only",
        "The gateway timeout is 30 seconds.",
        "It is 30 seconds.",
    ),
    (
        "value other unit",
        "The gateway timeout is 30 seconds.",
        "The gateway gives up after 30s, so retry before that.",
    ),
    (
        "value unit",
        "The cache holds 1500 ms of history.",
        "History in the cache goes back 1.5 seconds.",
    ),
    (
        "paraphrase",
        "We decided to use PostgreSQL instead of MySQL for the billing service.",
        "For billing you should pick Postgres; MySQL was rejected.",
    ),
    (
        "paraphrase",
        "Melanie ran a charity race for mental health on 20 May 2023.",
        "She ran a charity race in support of mental health.",
    ),
    (
        "paraphrase",
        "Deploys are forbidden on Fridays after 15:00.",
        "You can't deploy now: on Fridays it is forbidden after 3 pm.",
    ),
    (
        "date",
        "The audit is due on 2026-05-17.",
        "Make sure it is finished by 17 May 2026.",
    ),
    (
        "identifier",
        "The config lives in deploy/settings.yaml.",
        "Edit deploy/settings.yaml and restart.",
    ),
    (
        "identifier",
        "Ask ada@example.com for access.",
        "Write to ada@example.com and they will let you in.",
    ),
    (
        "code",
        "Use read_memory() instead of load_all() in loops.",
        "I replaced load_all() with read_memory() inside the loop.",
    ),
    (
        "one of several",
        "The office is in Berlin. The coffee machine is broken. Payroll runs on the 25th of each month.",
        "Payroll runs on the 25th.",
    ),
    (
        "one of several",
        "Ada joined in March. She works on the parser with Bob. Her laptop is a ThinkPad X1.",
        "For questions about the parser, talk to Ada or Bob.",
    ),
    (
        "in a long answer",
        "Retries are limited to 5 with exponential backoff.",
        "Here is a plan. First we look at the client. It should retry at most 5 times with "
        "exponential backoff. Then we add logging. Finally we write tests.",
    ),
    (
        "command",
        "Never push to main directly; open a pull request.",
        "I opened a pull request rather than push to main directly.",
    ),
    (
        "preference",
        "The user prefers tabs over spaces in Go code.",
        "I used tabs, as you prefer them in Go code.",
    ),
    (
        "fact",
        "The store keeps embeddings in a memory-mapped matrix.",
        "Embeddings are kept in a memory-mapped matrix, which is why startup is fast.",
    ),
    (
        "chinese",
        "网关的超时时间是三十秒。",
        "根据记录，网关的超时时间是三十秒，请注意。",
    ),
    (
        "german",
        "Der Server steht in Frankfurt am Main.",
        "Laut Notiz steht der Server in Frankfurt am Main.",
    ),
    (
        "list",
        "Team: Ada, Bob, Carol, Dave.",
        "The team consists of Ada, Bob, Carol and Dave.",
    ),
    (
        "version",
        "The service needs Python 3.11 or newer.",
        "Upgrade first: it needs Python 3.11.",
    ),
    (
        "amount",
        "The budget for Q3 is $12,000.",
        "You have 12,000 dollars left for the quarter.",
    ),
    (
        "held out",
        "The staging database is restored every night at 03:30 from the production snapshot.",
        "Staging gets a fresh copy of the production snapshot each night at 3:30.",
    ),
    (
        "held out",
        "The API rate limit is 600 requests per minute per key.",
        "You may send up to 600 requests a minute with one key.",
    ),
    (
        "held out",
        "Error E1042 means that the certificate has expired.",
        "E1042 is shown because your certificate has expired; renew it.",
    ),
    (
        "held out",
        "Our style guide asks for British spelling in all documents.",
        "I used British spelling throughout, following the style guide.",
    ),
    (
        "held out",
        "John's dog is called Biscuit and is afraid of thunder.",
        "Biscuit, his dog, is scared of thunder.",
    ),
    (
        "held out",
        "Ruff replaced flake8 and black in January 2024.",
        "The project formats with Ruff since January 2024.",
    ),
    (
        "held out",
        "Migrations run in a transaction and are rolled back when a check fails.",
        "If a check fails the migration is rolled back, since it runs in a transaction.",
    ),
    (
        "held out",
        "The meeting moved to room 4.12 on the fourth floor.",
        "Please come to room 4.12.",
    ),
    (
        "held out",
        "Set HELDTRUE_HOME to move the store.",
        "You can move the store by setting HELDTRUE_HOME.",
    ),
]

UNUSED = [
    (
        "same topic",
        "The gateway timeout is 30 seconds.",
        "The gateway timeout can be changed in the settings.",
    ),
    (
        "same topic",
        "The gateway timeout is 30 seconds.",
        "I don't know the timeout of the gateway.",
    ),
    (
        "other value",
        "The gateway timeout is 30 seconds.",
        "The gateway timeout is 45 seconds.",
    ),
    (
        "common words",
        "We need to make sure that people use the system well.",
        "People need to know how to use the new tool and make it work well.",
    ),
    (
        "common words",
        "This is a good example of how to do the work.",
        "Here is an example: do the work in a good way.",
    ),
    (
        "ignored",
        "Caroline's favourite book is Becoming Nicole.",
        "Paris is the capital of France.",
    ),
    (
        "ignored",
        "Deploys are forbidden on Fridays after 15:00.",
        "The tests are written with pytest and hypothesis.",
    ),
    (
        "same person",
        "Caroline adopted a cat named Luna.",
        "Caroline works as a counsellor and lives in Boston.",
    ),
    (
        "same person",
        "Melanie ran a charity race for mental health.",
        "Melanie likes to paint with her kids at the lake.",
    ),
    (
        "same topic",
        "We decided to use PostgreSQL for the billing service.",
        "The billing service sends invoices every month by email.",
    ),
    (
        "same topic",
        "The parser skips blank lines.",
        "The parser was rewritten by the platform group last year.",
    ),
    (
        "same topic",
        "Retries are limited to 5 with exponential backoff.",
        "Retries are useful when the network is unreliable.",
    ),
    (
        "other number",
        "Payroll runs on the 25th of each month.",
        "There are 25 files in the folder.",
    ),
    (
        "other file",
        "The config lives in deploy/settings.yaml.",
        "The config is loaded at startup and checked for errors.",
    ),
    (
        "words far apart",
        "The backup of the archive server runs at 02:00.",
        "The server is fast. We like it. It was cheap. The colour is blue. Nothing else matters. An "
        "archive is old. Nobody reads it. A backup is useful.",
    ),
    (
        "empty answer",
        "The gateway timeout is 30 seconds.",
        "",
    ),
    (
        "refusal",
        "Priya Natarajan owns the ingestion pipeline.",
        "I am sorry, I do not have information about who owns that.",
    ),
    (
        "short",
        "Use tabs.",
        "Use spaces.",
    ),
    (
        "generic advice",
        "Never push to main directly; open a pull request.",
        "Write small commits and good messages.",
    ),
    (
        "generic",
        "The user prefers tabs over spaces in Go code.",
        "I wrote the code in Go, as you asked.",
    ),
    (
        "long answer, other",
        "The cache holds 1500 ms of history.",
        "We looked at the cache. It is a hash map. Each entry has a key and a value. The history of "
        "the project goes back to 2019. There is a lot to read.",
    ),
    (
        "chinese other",
        "网关的超时时间是三十秒。",
        "今天的天气很好，我们去公园散步吧。",
    ),
    (
        "negative control",
        "Ada works with Bob on the parser.",
        "Somebody works with somebody on something.",
    ),
    (
        "negative control",
        "The office is in Berlin.",
        "The office is closed on holidays.",
    ),
    (
        "held out",
        "The staging database is restored every night at 03:30 from the production snapshot.",
        "The database schema has twelve tables and three views.",
    ),
    (
        "held out",
        "Gina opened a dance studio in Chicago after losing her job at Door Dash.",
        "Gina and Jon met at a conference about marketing.",
    ),
    (
        "held out",
        "The API rate limit is 600 requests per minute per key.",
        "The API uses JSON and needs a key in the header.",
    ),
    (
        "held out",
        "Error E1042 means that the certificate has expired.",
        "There was an error while the page loaded.",
    ),
    (
        "held out",
        "Our style guide asks for British spelling in all documents.",
        "All documents are stored in the shared folder.",
    ),
    (
        "held out",
        "John's dog is called Biscuit and is afraid of thunder.",
        "John is a software engineer who plays chess.",
    ),
    (
        "held out",
        "Ruff replaced flake8 and black in January 2024.",
        "We formatted the code and fixed some bugs.",
    ),
    (
        "held out",
        "Migrations run in a transaction and are rolled back when a check fails.",
        "Run the tests before you merge.",
    ),
    (
        "held out",
        "The meeting moved to room 4.12 on the fourth floor.",
        "The meeting was long but useful.",
    ),
    (
        "held out",
        "Set HELDTRUE_HOME to move the store.",
        "The store is a single SQLite file.",
    ),
]

# Used, but not noticed: the answer names only the subject, or leaves most of the sentence out.
MISSED = [
    (
        "person",
        "Priya Natarajan owns the ingestion pipeline.",
        "Please contact Priya Natarajan about it.",
    ),
    (
        "held out",
        "Gina opened a dance studio in Chicago after losing her job at Door Dash.",
        "After she lost her job, Gina opened a dance studio.",
    ),
]


@pytest.mark.parametrize(("memory", "answer"), [pair[1:] for pair in USED])
def test_notices_the_use(memory: str, answer: str) -> None:
    assert is_used(memory, answer)


@pytest.mark.parametrize(("memory", "answer"), [pair[1:] for pair in UNUSED])
def test_takes_nothing_else_for_a_use(memory: str, answer: str) -> None:
    assert not is_used(memory, answer)


@pytest.mark.parametrize(("memory", "answer"), [pair[1:] for pair in MISSED])
def test_is_careful_where_only_the_subject_is_named(memory: str, answer: str) -> None:
    assert 0 < used_in_answer(memory, answer) < USED_AT_LEAST


def test_the_threshold_lies_clear_of_both() -> None:
    least = min(used_in_answer(memory, answer) for _, memory, answer in USED)
    most = max(used_in_answer(memory, answer) for _, memory, answer in UNUSED)
    assert most + 0.02 < USED_AT_LEAST < least - 0.05


def test_word_for_word_is_all_of_it() -> None:
    memory = "This is a good example of how to do the work."
    assert used_in_answer(memory, "Well: this is a good example of how to do the work. Always.") == 1.0
    assert used_in_answer("Use tab", "We use tables and chairs.") < USED_AT_LEAST


def test_more_of_a_memory_is_more_use() -> None:
    memory = "Ada moved to Berlin in 2021. She repairs harpsichords."
    none = used_in_answer(memory, "Ada is fine.")
    some = used_in_answer(memory, "Ada moved to Berlin.")
    more = used_in_answer(memory, "Ada moved to Berlin in 2021, where she repairs harpsichords.")
    assert none < some < more <= 1.0


@pytest.mark.parametrize(("memory", "answer"), [("", ""), ("", "text"), ("text", ""), ("...", "..."), ("the", "the")])
def test_nothing_is_used_of_nothing(memory: str, answer: str) -> None:
    assert used_in_answer(memory, answer) == 0.0


@settings(max_examples=200, deadline=None)
@given(st.text(), st.text())
def test_any_texts_have_a_share(memory: str, answer: str) -> None:
    assert 0.0 <= used_in_answer(memory, answer) <= 1.0


@pytest.mark.parametrize("part", ["a b. ", "word", "Ada has 5. ", "。", "x "])
def test_takes_linear_time(part: str) -> None:
    assert_linear(lambda answer: used_in_answer(answer[: len(answer) // 3], answer), part * (100_000 // len(part)))
