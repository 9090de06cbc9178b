"""Names: who and what a text names, what only has a capital, and names with typing mistakes."""

from __future__ import annotations

import random
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldtrue.language.names import Name, find_names, name_key, near_names
from tests.effort import assert_linear

FOUND = [
    ("Caroline moved to Berlin last May.", ["Caroline", "Berlin"]),
    ("What does Caroline like?", ["Caroline"]),
    ("Ada Lovelace wrote the first program.", ["Ada Lovelace"]),
    ("Ask Bob about the Gateway Team.", ["Bob", "Gateway Team"]),
    ("The Bank of England and the Lord of the Rings", ["Bank of England", "Lord of the Rings"]),
    ("Ludwig van Beethoven lived in Bonn.", ["Ludwig van Beethoven", "Bonn"]),
    ("We use PostgreSQL and GitHub Actions on AWS.", ["PostgreSQL", "GitHub Actions", "AWS"]),
    ("Melanie's sister lives in New York City.", ["Melanie", "New York City"]),
    ("When did Melanie paint?", ["Melanie"]),
    ("Which of James's cousins visited Connecticut?", ["James", "Connecticut"]),
    ("Thanks Bob!", ["Bob"]),
    ("Hi Caroline, how are you?", ["Caroline"]),
    ("Mark Smith joined Acme in March.", ["Mark Smith", "Acme"]),
    ("Will Smith joined us.", ["Will Smith"]),
    ("Will Caroline come?", ["Caroline"]),
    ("Mark Caroline as absent.", ["Caroline"]),
    ("Tell Sue and Rob.", ["Sue", "Rob"]),
    ("Python is fine.", ["Python"]),
    ("Redis runs on port 6379", ["Redis"]),
    ("Is Docker running?", ["Docker"]),
    ("Oscar, my guinea pig, is cute.", ["Oscar"]),
    ("Melanie and Caroline talked. Then Dave called.", ["Melanie", "Caroline", "Dave"]),
    ("On Monday, Sam and Tim went to Oslo.", ["Sam", "Tim", "Oslo"]),
    ("What did April say in April?", ["April"]),
    ("Owner: Caroline", ["Caroline"]),
    ("Our lead is Priya Natarajan (@priya).", ["Priya Natarajan", "@priya"]),
    ("the Gateway's timeout", ["Gateway"]),
    ("Kubernetes", ["Kubernetes"]),
    ("José's dog is Luna.", ["José", "Luna"]),
    ("O'Brien met McDonald at Dr. Smith's house.", ["O'Brien", "McDonald", "Smith"]),
    ("Иван Петров живёт в Москве.", ["Иван Петров", "Москве"]),
    # quotes
    ('She read "Becoming Nicole" twice.', ["Becoming Nicole"]),
    ("I love the “Harry Potter” series.", ["Harry Potter"]),
    ("他喜欢「三体」和《红楼梦》", ["三体", "红楼梦"]),
    ("the project 'Falcon' is late", ["Falcon"]),
    # code and files
    ("Use `max_facts` in config.yaml, says @ada_l.", ["max_facts", "config.yaml", "@ada_l"]),
    ("HttpServer2 calls get_user() and reads MAX_RETRIES.", ["HttpServer2", "get_user()", "MAX_RETRIES"]),
    ("see docs/guide.md and src/app/ports.py", ["docs/guide.md", "src/app/ports.py"]),
    ("C++ and C# on Node.js with GPT-4 and S3", ["C++", "C#", "Node.js", "GPT-4", "S3"]),
    ("iPhone or eBay", ["iPhone", "eBay"]),
    ("# About HttpServer", ["HttpServer"]),
]

NONE = [
    "",
    "what is the timeout?",
    "Why?",
    "What is the timeout of the gateway?",
    "Deployments are paused.",
    "Logging is off.",
    "Use tabs. Never push. Always test.",
    "Yesterday I went home.",
    "However, we agreed. Unfortunately it failed.",
    "I think I'm OK.",
    "Note: Use tabs.",
    "DO NOT PUSH TO MAIN",
    "NEVER call the API with JSON over HTTP",
    "How To Deploy The Gateway",
    "## Install Guide",
    "It's Monday. Let's meet in March or December.",
    "Awesome! Great work. Thanks!",
    'He said: "I will go there."',
    '"it is what it is"',
    "今天天气很好",
    "You've won. Aww, haha! Whoa. Plus it is free.",
    "I ran a 5K on Aug 15th and watched it in 3D on Fri.",
    "the frontend uses k8s on port 8080",
    "3.14 and 2023",
]


def texts(names: list[Name]) -> list[str]:
    return [name.text for name in names]


@pytest.mark.parametrize(("text", "names"), FOUND)
def test_finds_the_names(text: str, names: list[str]) -> None:
    assert texts(find_names(text)) == names


@pytest.mark.parametrize("text", NONE)
def test_finds_none(text: str) -> None:
    assert find_names(text) == []


def test_a_name_is_listed_once_under_one_key() -> None:
    assert find_names("Ask Ada. It is Ada's; ADA knows.") == [Name("Ada", "ada")]


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("Caroline's", "caroline"),
        ("James’", "james"),
        ("@Bob", "bob"),
        ("New  York", "new york"),
        ("get_user()", "get_user"),
    ],
)
def test_keys_are_equal_where_names_are(written: str, key: str) -> None:
    assert name_key(written) == key


KNOWN = frozenset({"caroline", "new york", "tailwind-css", "mark", "will", "may", "ada lovelace", "три кота"})


@pytest.mark.parametrize(
    ("question", "keys"),
    [
        ("what does caroline like about new york?", ["caroline", "new york"]),
        ("what is caroline's favourite book", ["caroline"]),
        ("where do we use tailwind-css", ["tailwind-css"]),
        ("who was ada lovelace", ["ada lovelace"]),
        ("what did mark say", ["mark"]),
        ("will it work and may i try", []),
        ("what did Will say to May?", ["will", "may"]),
        ("what does bob like", []),
    ],
)
def test_finds_known_names_in_small_letters(question: str, keys: list[str]) -> None:
    assert [name.key for name in find_names(question, known=KNOWN)] == keys


def test_known_names_may_come_as_any_collection() -> None:
    assert find_names("is caroline here", known=["caroline"]) == find_names("is caroline here", known={"caroline"})


# --- typing mistakes ----------------------------------------------------------------------------------

PEOPLE = frozenset("caroline melanie ada bob john joan jon postgresql kubernetes gateway maria mario".split())


@pytest.mark.parametrize(
    ("word", "names"),
    [
        ("carolien", ["caroline"]),
        ("Carolines", ["caroline"]),
        ("melany", []),
        ("melani", ["melanie"]),
        ("melanei", ["melanie"]),
        ("postgersql", ["postgresql"]),
        ("postgrsq", ["postgresql"]),
        ("kubernetis", ["kubernetes"]),
        ("kuberntis", ["kubernetes"]),
        ("gatway", ["gateway"]),
        ("getaway", []),
        ("mara", ["maria"]),
        ("maria", ["maria", "mario"]),
        ("joan", ["joan", "john", "jon"]),
        ("bob", ["bob"]),
        ("bop", []),
        ("", []),
        ("timeout", []),
    ],
)
def test_finds_names_within_a_mistake_or_two(word: str, names: list[str]) -> None:
    assert near_names(word, PEOPLE) == names


@cache
def distance(first: str, second: str) -> int:
    """The same measure, by its definition."""
    if not first or not second:
        return len(first) + len(second)
    best = min(
        distance(first[:-1], second) + 1,
        distance(first, second[:-1]) + 1,
        distance(first[:-1], second[:-1]) + (first[-1] != second[-1]),
    )
    if len(first) > 1 and len(second) > 1 and first[-1] == second[-2] and first[-2] == second[-1]:
        best = min(best, distance(first[:-2], second[:-2]) + 1)
    return best


@settings(max_examples=300, deadline=None)
@given(st.text("abc", min_size=4, max_size=10), st.text("abc", min_size=4, max_size=10))
def test_agrees_with_the_definition(word: str, name: str) -> None:
    most = 1 if len(word) < 8 else 2
    near = distance(word, name) <= most and (word[0] == name[0] or word[-1] == name[-1])
    assert near_names(word, [name]) == ([name] if near else [])


def test_looks_through_twenty_thousand_names_once_each() -> None:
    chance = random.Random(7)
    parts = "ka ro li ne mel an ie da ve jo hn th om as er ic sa ra be ni ta lo vi ck".split()
    known = {"".join(chance.choices(parts, k=chance.randint(2, 5))) for _ in range(40_000)}
    names = ["caroline", *sorted(known)[:20_000]]
    assert "caroline" in near_names("carolien", frozenset(names))
    assert_linear(lambda some: near_names("carolien", frozenset(some)), names)


# --- any text -----------------------------------------------------------------------------------------


@settings(max_examples=300, deadline=None)
@given(st.text(), st.sets(st.text(max_size=8), max_size=5))
def test_any_text_is_read(text: str, known: set[str]) -> None:
    keys = [name.key for name in find_names(text, known=known)]
    assert all(keys)
    assert len(keys) == len(set(keys))
    near_names(text, known)


@pytest.mark.parametrize("part", ["A ", "Ada ", "Ada of ", '"a ', "Aa. ", "a'", "# ", "`", "x_y "])
def test_takes_linear_time(part: str) -> None:
    assert_linear(lambda text: find_names(text, known={"ada"}), part * (60_000 // len(part)))
