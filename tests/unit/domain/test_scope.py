"""Scopes: their one spelling, and which of them speaks louder."""

import pytest

from heldtrue.domain.errors import InvalidInput
from heldtrue.domain.principal import OWNER, SYSTEM, Principal, PrincipalKind, agent_principal, new_agent
from heldtrue.domain.scope import parse_scope, precedence, scope_kind, scope_name


@pytest.mark.covers("B11")
@pytest.mark.parametrize(
    "text", ["global", "project:a", "repo:a/b", "team:платформа", "agent:claude-code", "session:2026.05.17", " global "]
)
def test_a_scope_has_one_spelling(text: str) -> None:
    assert parse_scope(text) == text.strip()


@pytest.mark.covers("B11")
@pytest.mark.parametrize(
    "text",
    ["", "globals", "Global", "global:x", "project", "project:", ":a", "planet:a", "project:a b", "project:a:b",
     "project:*", "project:a?", "project:a%", "project:\x00", "project:\n", "project:" + "a" * 201],
)  # fmt: skip
def test_anything_else_is_no_scope(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_scope(text, field="scopes")
    assert refused.value.field == "scopes"
    assert "project:ID" in (refused.value.hint or "")


def test_a_scope_has_a_kind_and_a_name() -> None:
    assert (scope_kind("repo:a/b"), scope_name("repo:a/b")) == ("repo", "a/b")
    assert (scope_kind("global"), scope_name("global")) == ("global", "")


@pytest.mark.covers("E6")
def test_team_speaks_over_repo_over_project_over_all_and_narrower_ones_over_those() -> None:
    ordered = ["session:x", "agent:x", "team:x", "repo:x", "project:x", "global"]
    assert sorted(ordered, key=precedence, reverse=True) == ordered
    assert len({precedence(scope) for scope in ordered}) == len(ordered)


@pytest.mark.covers("B11")
def test_a_person_sees_all_and_an_agent_the_shared_scopes_and_its_own() -> None:
    codex = new_agent("codex")
    for scope in ("global", "project:a", "repo:a", "session:a", "agent:codex"):
        assert codex.sight.reaches(scope)
    for scope in ("agent:claude", "agent:codex2", "team:a"):
        assert not codex.sight.reaches(scope)
        assert OWNER.sight.reaches(scope)
        assert SYSTEM.sight.reaches(scope)
    assert not Principal(PrincipalKind.PEER, "far").sight.reaches("agent:far2")


@pytest.mark.parametrize("name", ["", "a b", "a:b", "*", "a\n", "x" * 201, "person:owner"])
def test_an_agent_cannot_take_a_name_that_reads_as_something_else(name: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        agent_principal(name)
    assert refused.value.field == "agent"
