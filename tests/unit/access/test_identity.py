"""A credential is the only source of identity."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from heldtrue import Memory
from heldtrue.access.identity import NoCredential, find_again, find_by_token, find_local
from heldtrue.domain.limits import TOKEN_CHARS_MAX
from heldtrue.domain.principal import OWNER, PrincipalKind, Role


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "home") as memory:
        yield memory


def read(memory: Memory) -> Any:
    return memory._call.instance.store.read()


def test_a_token_gives_its_agent_and_nothing_else_does(memory: Memory) -> None:
    token = memory.add_agent("codex", role="project", projects=["shop"]).token
    assert token is not None
    with read(memory) as reading:
        found = find_by_token(reading, token)
        assert (found.principal.id, found.principal.kind) == ("agent:codex", PrincipalKind.AGENT)
        wrong = ["", "codex", token[:-1], f"{token}x", token.upper(), token.removeprefix("ht_"), f"x{token}"]
        for other in [*wrong, "ht_", token + "x" * TOKEN_CHARS_MAX]:
            with pytest.raises(NoCredential) as caught:
                find_by_token(reading, other)
            assert (caught.value.http_status, caught.value.message) == (401, "unknown token")
            assert "`rotate_agent`" in str(caught.value.hint)


def test_a_token_that_was_taken_away_is_unknown(memory: Memory) -> None:
    token = memory.add_agent("codex", role="admin").token
    assert token is not None
    memory.revoke_agent("codex")
    with read(memory) as reading, pytest.raises(NoCredential):
        find_by_token(reading, token)


def test_a_token_is_read_up_to_the_longest_there_can_be(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def digest(token: str) -> bytes:
        asked.append(token)
        return b""

    monkeypatch.setattr("heldtrue.access.identity.digest_token", digest)
    with read(memory) as reading:
        for length in (TOKEN_CHARS_MAX, TOKEN_CHARS_MAX + 1):
            with pytest.raises(NoCredential):
                find_by_token(reading, "ht_".ljust(length, "x"))
    assert [len(token) for token in asked] == [TOKEN_CHARS_MAX]


def test_an_agent_on_this_machine_has_the_reach_of_its_record(memory: Memory) -> None:
    memory.add_agent("seo", role="skill")
    memory.rotate_agent("owner")
    with read(memory) as reading:
        assert find_local(reading, "seo").reach.role is Role.SKILL
        assert find_local(reading, "stranger").id == "agent:stranger"
        assert find_local(reading, "owner").kind is PrincipalKind.AGENT, "the record of a person is not an agent's"


def test_who_asked_for_a_job_is_found_again_with_the_reach_of_now(memory: Memory) -> None:
    memory.add_agent("seo", role="skill")
    with read(memory) as reading:
        assert find_again(reading, OWNER.id) == OWNER
        assert find_again(reading, "agent:seo") == find_local(reading, "seo")
        assert find_again(reading, "system:engine").kind is PrincipalKind.SYSTEM
