"""Statements: the whole analyser, on any text, in linear time."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from heldtrue.domain.claim import Statement
from heldtrue.language.compare import compare_statements
from heldtrue.language.statements import analyse_statement
from tests.effort import assert_linear

REASONED = [
    "We use Postgres because it is fast",
    "Pin the version so that builds repeat",
    "We cache in order to save time",
    "It was slow due to the network",
    "Use a lock to avoid races",
    "We left since it was late",
    "The reason is cost",
    "Wir nutzen Postgres, weil es schnell ist",
    "Usamos Postgres porque es rápido",
    "On utilise Postgres parce que c'est rapide",
    "Мы используем Postgres, потому что он быстрый",
    "我们用它因为它快",
    "क्योंकि वह तेज है",
    "빠르기 때문에 쓴다",
]
UNREASONED = [
    "We use Postgres",
    "Alice has lived in Berlin since 2019",
    "The report is due on 2026-05-17",
    "So it goes",
    "As of 2026 the office is in Berlin",
    "Go to the office",
    "Das Büro ist in Berlin",
    "办公室在北京",
]


@pytest.mark.parametrize("text", REASONED)
def test_sees_the_rationale(text: str) -> None:
    assert analyse_statement(text).has_rationale


@pytest.mark.parametrize("text", UNREASONED)
def test_sees_no_rationale(text: str) -> None:
    assert not analyse_statement(text).has_rationale


def test_a_statement_holds_all_parts() -> None:
    statement = analyse_statement(
        "Alice's email is a@x.com, her timeout is 30 s, and the review is due on 17 May 2026."
    )
    assert [name.canonical for name in statement.identifiers] == ["a@x.com"]
    assert [amount.number for amount in statement.quantities] == ["30"]
    assert [date.canonical for date in statement.dates] == ["2026-05-17"]
    assert {"alic", "email", "timeout", "review"} <= statement.terms
    assert "the" not in statement.terms
    assert len(statement.claims) == 3


def _check(text: str, statement: Statement) -> None:
    found: list[Any] = [*statement.identifiers, *statement.quantities, *statement.dates]
    for part in (*statement.claims, *found):
        assert 0 <= part.start <= part.end <= len(text)
    for part in found:
        assert text[part.start : part.end] == part.text
    assert not text.strip() or statement.claims or not any(char.isalnum() for char in text)
    assert all(claim.value for claim in statement.claims)


_PIECES = st.sampled_from(
    """Alice Bob the API is isn't are not never and but , ; . : = ( ) " ' ` “ ” lives in works at use uses for
    over prefer to
    of 's my no     30 30s 1,500 ms $5 v1.2.3 a@b.co /etc/x +49 30 1234567 2026-05-17 May 17, 2026 since
    because when if always
    don't 是 不是 は です ist
    nicht kein n'est pas default due born owner instead rather than without cannot one @ - -- … ؟ । 。 \n \t""".split(
        " "
    )
)


@given(st.lists(_PIECES, max_size=40).map(" ".join))
@settings(max_examples=400, deadline=None)
def test_never_breaks_on_sentence_soup(text: str) -> None:
    statement = analyse_statement(text)
    _check(text, statement)
    assert analyse_statement(text) == statement


@given(st.text(max_size=400))
@settings(max_examples=400, deadline=None)
def test_never_breaks_on_any_text(text: str) -> None:
    statement = analyse_statement(text)
    _check(text, statement)
    assert analyse_statement(text) == statement


@given(st.text(min_size=1, max_size=12), st.integers(min_value=1, max_value=6000))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_long_repetitive_text_takes_linear_time(piece: str, times: int) -> None:
    text = (piece * times)[:65536]
    _check(text, analyse_statement(text))
    assert_linear(analyse_statement, text)


@given(st.lists(_PIECES, max_size=20).map(" ".join), st.lists(_PIECES, max_size=20).map(" ".join))
@settings(max_examples=300, deadline=None)
def test_comparison_is_symmetric_in_its_relation(left: str, right: str) -> None:
    first, second = analyse_statement(left), analyse_statement(right)
    there, back = compare_statements(first, second), compare_statements(second, first)
    assert there.relation == back.relation
    assert 0 <= there.similarity <= 1
    assert compare_statements(first, first).relation == "equal"
    for ours, theirs in there.pairs:
        assert ours < len(first.claims)
        assert theirs < len(second.claims)


HOSTILE = {
    "letters": "a" * 50000,
    "connectors": ",and " * 10000,
    "numbers": "1 " * 20000,
    "quotes": '"' * 50000,
    "open quotes": "“" * 50000,
    "nested quotes": "“'`\"«" * 10000,
    "brackets": "(" * 50000,
    "slashes": "a/" * 25000,
    "dots": "a." * 25000,
    "signs": "a@" * 25000,
    "hyphens": "1-" * 25000,
    "commas": "1," * 30000,
    "verbs": "Alice uses X and " * 3500,
    "auxiliaries": "is " * 20000,
    "owners": "Alice's " * 8000,
    "years": "in 2020 " * 8000,
    "dates": "2026-05-17 " * 5500,
    "mails": "a@b.co " * 9000,
    "versions": "v1.2.3 " * 9000,
    "phones": "+1 " * 20000,
    "urls": "http://" * 9000,
    "lines": "- a\n" * 15000,
    "chinese": "是" * 20000,
    "prepositions": "in on " * 10000,
    "clock": "10:30 " * 10000,
    "one": "one " * 15000,
    "conditions": "if when " * 8000,
    "colons": "a: " * 20000,
    "digits": "9" * 60000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_costs_no_more_than_its_length(name: str) -> None:
    def read(text: str) -> None:
        statement = analyse_statement(text)
        compare_statements(statement, statement)

    _check(HOSTILE[name], analyse_statement(HOSTILE[name]))
    assert_linear(read, HOSTILE[name])
