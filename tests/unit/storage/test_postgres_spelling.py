"""Statements in psycopg's spelling, and names that are safe to write into one."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldtrue.domain.errors import InvalidSettings
from heldtrue.storage.migrate import migration_files
from heldtrue.storage.postgres.spelling import quote_schema, spell_parameters, split_statements


@pytest.mark.parametrize(
    ("sql", "wanted"),
    [
        ("SELECT :name", "SELECT %(name)s"),
        ("a = :a AND b = :b_2 OR c = :a", "a = %(a)s AND b = %(b_2)s OR c = %(a)s"),
        ("SELECT :keys::bigint[]", "SELECT %(keys)s::bigint[]"),
        ("SELECT 1::text, now()::date", "SELECT 1::text, now()::date"),
        ("SELECT ':name', :name", "SELECT ':name', %(name)s"),
        ("SELECT 'it''s :x', :x", "SELECT 'it''s :x', %(x)s"),
        ('SELECT ":name", :name', 'SELECT ":name", %(name)s'),
        ("SELECT 5 % 2, 'LIKE %x'", "SELECT 5 %% 2, 'LIKE %%x'"),
        ("SELECT :x -- it's :not 100 %\n, :y", "SELECT %(x)s -- it's :not 100 %%\n, %(y)s"),
        ("SELECT '12:30', a:b", "SELECT '12:30', a%(b)s"),
        ("", ""),
    ],
)
def test_parameters_are_respelled_and_nothing_else(sql: str, wanted: str) -> None:
    assert spell_parameters(sql) == wanted


@given(st.text(alphabet="abc %:'\"-\n_1(){}", max_size=60))
def test_percent_signs_are_even_after_spelling(sql: str) -> None:
    """Whatever the text, the driver finds named parameters and doubled percent signs only."""
    spelled = spell_parameters(sql)
    rest = spelled.replace("%%", "")
    names = rest.count("%(")
    assert rest.count("%") == names
    assert spelled.replace("%%", "%").count("%") == sql.count("%") + names


@pytest.mark.parametrize("name", ["brain", "_x", "A1", "team-7", "a" * 63])
def test_a_plain_name_is_quoted(name: str) -> None:
    assert quote_schema(name) == f'"{name}"'


@given(st.text(max_size=70) | st.from_regex(r"[A-Za-z_0-9-]{0,70}", fullmatch=True))
def test_no_name_escapes_its_quotes(name: str) -> None:
    try:
        quoted = quote_schema(name)
    except InvalidSettings:
        return
    assert quoted == f'"{name}"'
    assert '"' not in name
    assert len(name.encode()) <= 63


@pytest.mark.parametrize(
    ("script", "wanted"),
    [
        ("SELECT 1", ["SELECT 1"]),
        ("SELECT 1; SELECT 2;\n", ["SELECT 1", "SELECT 2"]),
        ("SELECT 'a;b', \"c;d\"; SELECT 'it''s; so'", ["SELECT 'a;b', \"c;d\"", "SELECT 'it''s; so'"]),
        ("-- first; not here\nSELECT 1; -- it's over; truly\n", ["-- first; not here\nSELECT 1"]),
        ("SELECT 1 /* one; two */; SELECT 2", ["SELECT 1 /* one; two */", "SELECT 2"]),
        ("DO $$ BEGIN a; b; END $$; SELECT 1", ["DO $$ BEGIN a; b; END $$", "SELECT 1"]),
        ("DO $x$ SELECT $$a;b$$; $x$; SELECT 1", ["DO $x$ SELECT $$a;b$$; $x$", "SELECT 1"]),
        ("SELECT $1; SELECT $2", ["SELECT $1", "SELECT $2"]),
        (" ; ;\n-- nothing\n;", []),
        ("", []),
    ],
)
def test_a_script_is_split_between_its_statements_only(script: str, wanted: list[str]) -> None:
    assert split_statements(script) == wanted


@given(
    st.lists(
        st.sampled_from(
            [
                "SELECT 1",
                "SELECT ';'",
                'SELECT ";"',
                "-- a; b\nSELECT 2",
                "DO $$ x; y; $$",
                "DO $a$ $$;$$; $a$",
                "/* ; */ SELECT 3",
            ]
        )
    )
)
def test_what_is_joined_by_semicolons_comes_apart_again(statements: list[str]) -> None:
    assert split_statements(";\n".join(statements)) == statements


def test_the_migrations_that_ship_come_apart_into_whole_statements() -> None:
    (baseline,) = migration_files("heldtrue.storage.postgres")
    statements = split_statements(baseline.read_text("utf-8"))
    begins = [re.sub(r"(?m)^--.*\n", "", statement).split(None, 1)[0] for statement in statements]
    assert set(begins) == {"CREATE", "DO", "SET"}
    assert all(statement.count("CREATE TABLE") <= 1 for statement in statements)
