"""Saved views: a question under a name, asked again with the rights of whoever asks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from heldtrue import InvalidInput, Memory, NotAllowed, NotFound
from heldtrue.domain.errors import TooLarge
from tests.acceptance.homes import MakeHome, entries, last_entry, new_clock, recalled

PORT = "The billing API listens on port 8080."


def shown(memory: Memory, name: str, **arguments: Any) -> list[str]:
    return [result.memory.content for result in memory.view(name, **arguments).results]


def named(memory: Memory) -> list[tuple[str, str]]:
    return [(item.author, item.name) for item in memory.views().items]


@pytest.mark.covers("B18")
def test_a_saved_view_asks_its_question_again(anywhere: Memory) -> None:
    anywhere.learn(PORT)
    anywhere.learn("The billing module is tested nightly.", kind="convention")
    saved = anywhere.save_view("billing", "billing", arguments={"kinds": ["convention"], "limit": 3})
    assert (saved.outcome, saved.view.question, saved.view.arguments) == (
        "saved", "billing", {"kinds": ["convention"], "limit": 3},
    )  # fmt: skip
    assert shown(anywhere, "billing") == ["The billing module is tested nightly."]
    anywhere.learn("The billing API is called by the shop.", kind="convention")
    assert len(shown(anywhere, "billing")) == 2, "it is asked anew each time"
    assert len(recalled(anywhere, "billing")) == 3, "and without the filters there is more"
    assert anywhere.views().items == [saved.view]
    entry = next(entry for entry in entries(anywhere) if entry.action == "memory.save_view")
    assert (entry.outcome, entry.target) == ("saved", saved.view.id)
    assert anywhere.verify().ok


@pytest.mark.covers("B18")
def test_a_view_saved_anew_replaces_the_one_before_and_a_dropped_one_is_gone(anywhere: Memory) -> None:
    anywhere.learn(PORT)
    first = anywhere.save_view("ports", "which port")
    assert anywhere.save_view(" ports ", "which port", arguments={}).outcome == "unchanged"
    second = anywhere.save_view("ports", "which port", arguments={"limit": 1})
    assert (second.outcome, second.view.id != first.view.id) == ("replaced", True)
    assert anywhere.views().items == [second.view]
    dropped = anywhere.drop_view("ports")
    assert (dropped.outcome, dropped.view) == ("dropped", second.view)
    assert last_entry(anywhere).action == "memory.drop_view"
    for attempt in (anywhere.view, anywhere.drop_view):
        with pytest.raises(NotFound, match="no view named 'ports'"):
            attempt("ports")
    assert anywhere.views().items == []
    assert anywhere.save_view("ports", "which port").outcome == "saved", "the name is free again"
    assert anywhere.verify().ok


@pytest.mark.covers("B18")
def test_views_are_their_authors_and_a_person_sees_them_all(anywhere: Memory) -> None:
    anywhere.learn(PORT)
    scout, other = anywhere.as_agent("scout"), anywhere.as_agent("other")
    scout.save_view("ports", "which port", arguments={"limit": 1})
    other.save_view("ports", "which port", arguments={"limit": 2})
    anywhere.save_view("mine", "port")
    assert named(scout) == [("agent:scout", "ports")]
    assert named(other) == [("agent:other", "ports")]
    assert sorted(named(anywhere)) == [("agent:other", "ports"), ("agent:scout", "ports"), ("person:owner", "mine")]
    for caller, name, author in ((scout, "mine", None), (scout, "ports", "other"), (scout, "mine", "person:owner")):
        for attempt in (caller.view, caller.drop_view):
            with pytest.raises(NotFound):
                attempt(name, author=author)
    with pytest.raises(InvalidInput, match="agent:other, agent:scout") as refused:
        anywhere.view("ports")
    assert refused.value.field == "author"
    assert shown(anywhere, "ports", author="scout") == shown(anywhere, "ports", author="agent:other") == [PORT]
    assert anywhere.drop_view("ports", author="scout").view.author == "agent:scout"
    assert shown(anywhere, "ports") == [PORT], "now there is one of that name"
    assert named(scout) == []
    anywhere.save_view("ports", "which port")
    assert shown(anywhere, "ports") == [PORT], "one's own comes first"


@pytest.mark.covers("B18")
def test_a_view_never_reaches_what_the_caller_may_not_see(anywhere: Memory) -> None:
    scout, other = anywhere.as_agent("scout"), anywhere.as_agent("other")
    anywhere.learn(PORT)
    other.learn("The vault port is 4711.", visibility="private")
    other.learn("The cellar port is 4712.", scope="agent:other")
    scout.save_view("ports", "port")
    scout.save_view("theirs", "port", arguments={"scopes": ["agent:other"]})
    assert shown(scout, "ports") == [PORT]
    with pytest.raises(NotAllowed):
        scout.view("theirs")
    assert len(shown(anywhere, "ports")) == 3, "a person asks with a person's rights, whoever saved it"
    assert shown(anywhere, "theirs") == ["The cellar port is 4712."]
    anywhere.save_view("all", "port")
    with pytest.raises(NotFound):
        scout.view("all")


@pytest.mark.parametrize(
    ("arguments", "field", "words"),
    [
        ({"limt": 3}, "arguments.limt", "limit"),
        ({"limit": 0}, "arguments.limit", "0"),
        ({"limit": "3"}, "arguments.limit", "whole number"),
        ({"kinds": ["nonsense"]}, "arguments.kinds[0]", "nonsense"),
        ({"context": "x"}, "arguments.context", "question"),
    ],
)
def test_arguments_that_recall_would_not_take_are_refused_by_name(
    owner: Memory, arguments: dict[str, Any], field: str, words: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        owner.save_view("x", "which port", arguments=arguments)
    assert refused.value.field == field
    assert words in f"{refused.value.message} {refused.value.hint}"
    assert owner.views().items == []


def test_a_name_and_a_question_are_short_and_readable(anywhere: Memory) -> None:
    for name in ("", " ", "\u200b", "x" * 201):
        with pytest.raises(InvalidInput) as refused:
            anywhere.save_view(name, "which port")
        assert refused.value.field == "name"
    for question in ("", " "):
        with pytest.raises(InvalidInput) as refused:
            anywhere.save_view("x", question)
        assert refused.value.field == "question"
    with pytest.raises(TooLarge):
        anywhere.save_view("x", "a" * 2_001)
    assert anywhere.save_view("x" * 200, "welcher \x00Port? 🐈 \ud800").outcome == "saved"
    assert anywhere.view("x" * 200).results == []
    token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    saved = anywhere.save_view("token", f"what is {token} for", arguments={"topic": f"key {token}"}).view
    assert token not in f"{saved.question} {saved.arguments}"


@pytest.mark.covers("B18")
def test_views_move_with_the_space(make_home: MakeHome, tmp_path: Path) -> None:
    with Memory.open(make_home(), clock=new_clock()) as memory:
        memory.learn(PORT)
        memory.as_agent("scout").save_view("ports", "which port", arguments={"limit": 1})
        memory.save_view("gone", "which port")
        memory.drop_view("gone")
        memory.export(str(tmp_path / "space.jsonl"))
        kept = memory.views().items
    with Memory.open(make_home()) as other:
        other.import_(str(tmp_path / "space.jsonl"))
        assert other.views().items == kept
        assert shown(other, "ports") == [PORT]
        assert other.verify().ok
