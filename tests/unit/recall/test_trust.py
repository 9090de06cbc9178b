"""What a reader must know, from values alone."""

from __future__ import annotations

from typing import Any

import pytest

from heldtrue.domain.memory import MemoryVersion
from heldtrue.recall.trust import find_overridden, tag_memory
from tests.conformance.samples import make_conflict, make_evidence, make_link, make_plain_version, make_source


def said(no: int, day: str, scope: str) -> MemoryVersion:
    return make_plain_version(no, f"The release day is {day}.", scope=scope)


def tags(memory: MemoryVersion, authors: tuple[str, ...] = ("agent:a",), **known: Any) -> list[str]:
    evidence = [(make_evidence(number, author=author), make_source(number)) for number, author in enumerate(authors, 1)]
    found = tag_memory(memory, evidence, known.get("conflicts", ()), now=known.get("now", 2_000))
    return [tag.tag for tag in found]


@pytest.mark.covers("A13", "A28", "D20")
@pytest.mark.parametrize(
    ("fields", "authors", "expected"),
    [
        ({}, ("agent:a",), ["unconfirmed"]),
        ({}, ("agent:a", "agent:a"), ["unconfirmed"]),
        ({}, ("agent:a", "agent:b"), []),
        ({"verified_by": "person:owner"}, ("agent:a",), []),
        ({"confidence": 0.29, "verified_by": "person:owner"}, (), ["uncertain"]),
        ({"confidence": 0.3, "verified_by": "person:owner"}, (), []),
        ({"staleness": "volatile", "verified_by": "person:owner"}, (), ["stale"]),
        ({"staleness": "hourly", "confidence": 0.1}, (), ["unconfirmed", "uncertain"]),
    ],
)
def test_tags_follow_from_a_memory_and_its_evidence(
    fields: dict[str, Any], authors: tuple[str, ...], expected: list[str]
) -> None:
    assert tags(make_plain_version(1, "The gate is red.", **fields), authors) == expected


@pytest.mark.covers("D4")
def test_only_its_own_conflicts_are_told_and_with_the_other_side() -> None:
    memory = make_plain_version(1, "The gate is red.", verified_by="person:owner")
    own = make_conflict(1, old_id=memory.memory_id, new_id="other")
    foreign = make_conflict(2, old_id="one", new_id="two")
    found = tag_memory(memory, [], [own, foreign], now=0)
    assert [(tag.tag, tag.memory_id, tag.detail) for tag in found] == [("conflicting", "other", own.finding)]


@pytest.mark.covers("E6")
def test_the_louder_scope_overrides_the_quieter_where_they_disagree() -> None:
    everyone, project, team = said(1, "Monday", "global"), said(2, "Tuesday", "project:a"), said(3, "Friday", "team:a")
    found = find_overridden([everyone, project, team], [])
    assert found[project.memory_id][0] == team.memory_id
    assert everyone.memory_id in found
    assert team.memory_id not in found
    assert find_overridden([everyone, said(2, "Monday", "project:a")], []) == {}, "who agrees overrides nobody"
    assert find_overridden([said(1, "Monday", "project:a"), said(2, "Friday", "project:b")], []) == {}, "equals neither"


@pytest.mark.covers("E6")
def test_an_explicit_override_decides() -> None:
    everyone, project = said(1, "Monday", "global"), said(2, "Tuesday", "project:a")
    link = make_link(1, from_id=everyone.memory_id, to_ref=project.memory_id, relationship="overrides", reason="rule")
    assert find_overridden([everyone, project], [link]) == {project.memory_id: (everyone.memory_id, "rule")}
    other = make_link(1, from_id="elsewhere", to_ref=project.memory_id, relationship="overrides")
    assert project.memory_id not in find_overridden([everyone, project], [other]), "only among the results"
