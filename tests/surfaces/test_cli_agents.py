"""Agents are let in, given another token and shut out in two words, and it is told what became of them."""

import pytest

from tests.surfaces.conftest import CommandLine


@pytest.mark.parametrize("words", [["help", "agents"], ["agents", "--help"], ["agents", "revoke", "--help"]])
def test_help_names_all_that_is_done_to_agents(heldtrue: CommandLine, words: list[str]) -> None:
    told = heldtrue(*words)
    for word in ("add", "rotate", "revoke", "list"):
        assert f"    agents {word} " in told
    assert heldtrue("help", "agents", "add") == heldtrue("agents", "add", "--help") == heldtrue("add-agent", "-h")
    assert "agents rotate" not in heldtrue("recall", "--help")


@pytest.mark.parametrize("words", [["agents", "foo"], ["agents", "foo", "--help"], ["help", "agents", "foo"]])
def test_a_word_that_is_none_of_them_is_answered_with_them(heldtrue: CommandLine, words: list[str]) -> None:
    done = heldtrue.run(*words)
    assert done.status == 2
    assert "there are agents add, agents list, agents revoke, agents rotate" in " ".join(done.err.split())
    assert "did you mean agents revoke?" in heldtrue.run("agents", "revok", "x").err


@pytest.mark.parametrize("role", ["admin", "project"])
def test_a_revoked_agent_is_told_as_such_once(heldtrue: CommandLine, role: str) -> None:
    heldtrue("agents", "add", "scout", "--role", role, "--project", "shop")
    first = heldtrue("agents", "revoke", "scout")
    assert first.splitlines()[0] == "scout  revoked"
    assert "everything" not in first
    again = heldtrue("agents", "revoke", "scout")
    assert again.splitlines()[0] == "scout  was revoked already"
    assert heldtrue.json("agents", "revoke", "scout")["changed"] is False
    heldtrue("agents", "rotate", "scout")
    assert heldtrue.json("agents", "revoke", "scout")["changed"] is True


def test_taking_the_owners_token_away_says_what_that_means(heldtrue: CommandLine) -> None:
    heldtrue("agents", "rotate", "owner")
    told = heldtrue("agents", "revoke", "owner")
    assert "owner  revoked" in told
    assert "No token opens a service in your name any more." in told
    assert "heldtrue agents rotate owner" in told
    assert "what it has written" not in told
    assert "ht_" in heldtrue("agents", "rotate", "owner")


def test_events_are_told_in_words_with_the_id_to_go_on_with(heldtrue: CommandLine) -> None:
    memory = heldtrue("--project", "shop", "-q", "learn", "The API listens on port 8080").strip()
    heldtrue("agents", "add", "scout", "--project", "shop")
    heldtrue("recall", "which port is " + "very " * 60 + "good?")
    told = [line.split("  ", 1)[1] for line in heldtrue("events").splitlines()[:3]]
    assert told[0] == f"memory:write  person:owner  learn created note in project:shop {memory}"
    assert told[1] == "memory:write  person:owner  add-agent: agent:scout was added"
    assert told[2].startswith("memory:search  person:owner  which port is very")
    assert told[2].endswith("… (1 result)")
    assert len(told[2]) < 180
    followed = heldtrue("follow", "--after", "0.0", "--limit", "1")
    assert followed.split("  ", 1)[1].strip() == told[0]
