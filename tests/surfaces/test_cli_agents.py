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
    assert "choose one of: agents add, agents list, agents revoke, agents rotate" in " ".join(done.err.split())
    assert "did you mean agents revoke?" in heldtrue.run("agents", "revok", "x").err


def test_the_first_word_of_a_command_of_two_words_is_answered_with_both_words(heldtrue: CommandLine) -> None:
    done = heldtrue.run("key")
    assert done.status == 2
    assert "choose one of: heldtrue key export, heldtrue key import" in " ".join(done.err.split())


def test_the_list_says_what_each_agent_reaches_and_this_is_true(heldtrue: CommandLine) -> None:
    heldtrue("agents", "add", "scout", "--in-project", "shop")
    heldtrue("--agent", "codex", "learn", "The API listens on port 8080")
    told = heldtrue("agents")
    assert "codex  general  no token     global, all projects, repositories and sessions" in told
    assert "scout  project  has a token  global (reads), project shop" in told
    for scope, status in (("global", 4), ("project:shop", 0), ("project:other", 4)):
        assert heldtrue.run("--agent", "codex", "learn", f"The bay of {scope} is green", "--scope", scope).status == 0
        assert (
            heldtrue.run("--agent", "scout", "learn", f"The bus of {scope} is late", "--scope", scope).status == status
        )


@pytest.mark.parametrize("role", ["admin", "project"])
def test_a_revoked_agent_is_told_as_such_once(heldtrue: CommandLine, role: str) -> None:
    heldtrue("agents", "add", "scout", "--role", role, "--project", "shop")
    first = heldtrue("agents", "revoke", "scout")
    assert first.splitlines()[0] == "scout  revoked"
    assert "everything" not in first
    again = heldtrue("agents", "revoke", "scout")
    assert again.splitlines()[0] == "scout  was already revoked"
    assert heldtrue.json("agents", "revoke", "scout")["changed"] is False
    heldtrue("agents", "rotate", "scout")
    assert heldtrue.json("agents", "revoke", "scout")["changed"] is True


def test_taking_the_owners_token_away_says_what_that_means(heldtrue: CommandLine) -> None:
    heldtrue("agents", "rotate", "owner")
    told = heldtrue("agents", "revoke", "owner")
    assert "owner  revoked" in told
    assert "Your token for the service no longer works." in told
    assert "heldtrue agents rotate owner" in told
    assert "Its memories stay" not in told
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
