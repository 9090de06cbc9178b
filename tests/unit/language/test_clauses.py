"""Clauses: compound sentences come apart, everything else stays whole."""

from __future__ import annotations

import pytest

from heldtrue.language.grammar.clauses import split_clauses

SPLIT = [
    ("Alice lives in Berlin and works at Acme.", ["Alice lives in Berlin", "Alice works at Acme"]),
    (
        "Alice lives in Berlin, works at Acme, and likes tea.",
        ["Alice lives in Berlin", "Alice works at Acme", "Alice likes tea"],
    ),
    ("Alice lives in Berlin. Bob lives in Munich.", ["Alice lives in Berlin", "Bob lives in Munich"]),
    ("alice lives in berlin. she works at acme.", ["alice lives in berlin", "she works at acme"]),
    ("Alice lives in Berlin but works in Potsdam", ["Alice lives in Berlin", "Alice works in Potsdam"]),
    ("Alice likes tea but Bob prefers coffee.", ["Alice likes tea", "Bob prefers coffee"]),
    ("Alice uses vim while Bob uses emacs.", ["Alice uses vim", "Bob uses emacs"]),
    ("Alice uses vim, whereas Bob uses emacs.", ["Alice uses vim", "Bob uses emacs"]),
    (
        "The office is in Berlin and the phone number is 030 1234567.",
        ["The office is in Berlin", "the phone number is 030 1234567"],
    ),
    ("The office is in Berlin, and it opens at 9 am.", ["The office is in Berlin", "it opens at 9 am"]),
    ("She moved to Munich; he stayed in Berlin.", ["She moved to Munich", "he stayed in Berlin"]),
    ("The API uses TLS; the worker uses SSH.", ["The API uses TLS", "the worker uses SSH"]),
    ("The API should use TLS and listen on port 443.", ["The API should use TLS", "The API should listen on port 443"]),
    ("The DB is hosted on AWS and managed by Ops.", ["The DB is hosted on AWS", "The DB is managed by Ops"]),
    ("Alice is 30 and lives in Berlin.", ["Alice is 30", "Alice lives in Berlin"]),
    ("I live in Berlin and I work at Acme.", ["I live in Berlin", "I work at Acme"]),
    ("We use Postgres and deploy the API to Fly.", ["We use Postgres", "We deploy the API to Fly"]),
    ("Use tabs and never push to main.", ["Use tabs", "never push to main"]),
    ("Never push to main and always run the tests.", ["Never push to main", "always run the tests"]),
    ("Use black for formatting and don't commit secrets.", ["Use black for formatting", "don't commit secrets"]),
    (
        "In production, the API uses Redis and runs on port 80.",
        ["In production, the API uses Redis", "In production, the API runs on port 80"],
    ),
    ("timeout = 30s, retries = 5", ["timeout = 30s", "retries = 5"]),
    ("API timeout: 30 s; retries: 3", ["API timeout: 30 s", "retries: 3"]),
    ("The team uses Slack and the project uses Jira.", ["The team uses Slack", "the project uses Jira"]),
    ("Alice doesn't drink coffee and she hates tea.", ["Alice doesn't drink coffee", "she hates tea"]),
    (
        "Alice currently lives in Berlin and also works at Acme.",
        ["Alice currently lives in Berlin", "Alice also works at Acme"],
    ),
    ("Alice lives in Berlin and is a doctor.", ["Alice lives in Berlin", "Alice is a doctor"]),
    ("Alice lives in Berlin and doesn't own a car.", ["Alice lives in Berlin", "Alice doesn't own a car"]),
    ("Alice worked at Acme and moved to Globex.", ["Alice worked at Acme", "Alice moved to Globex"]),
    ("Bob's email is b@x.org and his phone is 555-123-4567.", ["Bob's email is b@x.org", "his phone is 555-123-4567"]),
    ("Is it up? Yes, it is up.", ["Is it up?", "Yes, it is up"]),
    ("Done! The build is green.", ["Done", "The build is green"]),
    ("- Alice lives in Berlin\n- Bob lives in Munich", ["Alice lives in Berlin", "Bob lives in Munich"]),
    ("Alice lives in Berlin\n\nBob lives in Munich", ["Alice lives in Berlin", "Bob lives in Munich"]),
    ("他住在北京。他在谷歌工作。", ["他住在北京", "他在谷歌工作"]),
    ("今日は雨です。明日は晴れです。", ["今日は雨です", "明日は晴れです"]),
    ("मेरा नाम राम है। मैं दिल्ली में रहता हूँ।", ["मेरा नाम राम है", "मैं दिल्ली में रहता हूँ"]),
    ("هل هو هنا؟ نعم هو هنا.", ["هل هو هنا؟", "نعم هو هنا"]),
    ("Он живёт в Москве. Она живёт в Киеве.", ["Он живёт в Москве", "Она живёт в Киеве"]),
    ("Das Büro ist in Berlin. Es ist neu.", ["Das Büro ist in Berlin", "Es ist neu"]),
    ("서울에 산다. 회사에 다닌다.", ["서울에 산다", "회사에 다닌다"]),
    ("הוא גר בתל אביב. היא גרה בחיפה.", ["הוא גר בתל אביב", "היא גרה בחיפה"]),
    ("Μένει στην Αθήνα. Δουλεύει στην Πάτρα.", ["Μένει στην Αθήνα", "Δουλεύει στην Πάτρα"]),
]

WHOLE = [
    "Put salt and pepper on the table",
    "Alice and Bob work at Acme",
    "The API and the worker use Redis",
    "Ernst and Young is a company",
    "The timeout is between 3 and 5 seconds",
    "Dr. Smith lives in Berlin",
    "Use a linter, e.g. ruff, for checks",
    "We run v1.2 on the server",
    "Alice likes tea but not coffee",
    "We use Python, Go and Rust",
    "We use Python, Go, and Rust",
    "We use Postgres because it is fast and has JSON support",
    "Run lint and test before commit",
    "The job runs lints and checks on every commit",
    "I think salt and pepper are fine",
    'Alice says "I like tea and work at Acme"',
    "Run `make lint; make test and push` first",
    "Make sure the API and the worker are up",
    "Alice, who lives in Berlin, works at Acme",
    "If the tests fail, stop and report the error",
    "When Alice works and Bob sleeps, the office is quiet",
    "Alice knows Bob and Carol",
    "The logo is black and white",
    "The meeting is on Monday and Tuesday",
    "Research and development costs 5 million",
    "Alice speaks German and English",
    "The owners are Alice and Bob",
    "Terms and conditions apply to all users",
    "She is smart and funny",
    "He moved from Berlin to Munich",
    "The script reads files and folders",
    "Alice B. Smith is the CEO",
    "The price is $3.50 per unit",
    "See https://example.com/a.b?c=d for more",
    "Use tabs, not spaces",
    "Alice prefers tea over coffee and juice",
    "It supports create, read, update and delete",
    "The U.S. office is closed",
    "We need bread, butter, etc. for lunch",
    "Alice said that Bob lives in Berlin and works at Acme",
    "Languages: Python; Go; Rust",
    "张三和李四在谷歌工作",
    "Sie mag Brot und Butter",
    "Elle aime le pain et le vin",
    "Alice works at Procter and Gamble",
    "Push and pull requests are slow",
    "The terms are fair and square",
    "The test runs are slow",
    "Build and deploy",
]


@pytest.mark.parametrize(("text", "sentences"), SPLIT)
def test_compound_sentence_comes_apart(text: str, sentences: list[str]) -> None:
    assert [sentence for _, _, sentence in split_clauses(text)] == sentences


@pytest.mark.parametrize("text", WHOLE)
def test_simple_sentence_stays_whole(text: str) -> None:
    assert [sentence for _, _, sentence in split_clauses(text)] == [text]
    assert [sentence for _, _, sentence in split_clauses(text + ".")] == [text]


@pytest.mark.parametrize(("text", "sentences"), SPLIT)
def test_spans_lie_in_order_inside_the_text(text: str, sentences: list[str]) -> None:
    position = 0
    for (start, end, _), sentence in zip(split_clauses(text), sentences, strict=True):
        assert position <= start < end <= len(text)
        assert sentence.endswith(text[start:end])
        position = end


def test_nothing_gives_nothing() -> None:
    assert split_clauses("") == ()
    assert split_clauses(" \n ") == ()
