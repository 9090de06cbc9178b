"""Ages are told from the moment asked about, and what has ended is told apart from what is true now."""

from __future__ import annotations

import pytest

from heldtrue import ManualClock, Memory
from tests.acceptance.homes import listed, recalled


@pytest.mark.covers("A14")
@pytest.mark.parametrize(
    ("as_of", "age"),
    [
        ("10 days ago", "11 days ago"),
        ("19 days ago", "2 days ago"),
        ("6 days ago", "15 days ago"),
        ("now", "21 days ago"),
    ],
)
def test_an_age_counts_from_the_moment_asked_about(anywhere: Memory, clock: ManualClock, as_of: str, age: str) -> None:
    anywhere.learn("The API timeout is 30 seconds.")
    clock.advance(days=13)
    anywhere.learn("The mail server is called Postbox.")
    clock.advance(days=8)
    (result,) = anywhere.recall("API timeout", as_of=as_of).results
    assert f"stated by person:owner {age}" in result.explanation
    assert age in anywhere.inject("API timeout", as_of=as_of).block


def test_staleness_is_seen_from_the_moment_asked_about(owner: Memory, clock: ManualClock) -> None:
    memory = owner.learn("The build takes nine minutes.", staleness="weekly").memory.id
    clock.advance(days=30)
    for as_of, stale in (("29 days ago", False), (None, True)):
        assert owner.get(memory, as_of=as_of).memory.stale is stale
        assert owner.list(as_of=as_of).items[0].stale is stale
        assert owner.explain(memory, as_of=as_of).memory.stale is stale
        (result,) = owner.recall("how long is the build?", as_of=as_of).results
        assert result.memory.stale is stale


@pytest.mark.covers("A7")
def test_an_ended_fact_is_told_apart_in_lists_and_summaries(anywhere: Memory, clock: ManualClock) -> None:
    anywhere.learn("The Heron lead is Ann Roe", valid_from="2022-04-01", valid_to="2026-01-01", category="work")
    anywhere.learn("The Heron lead is Bo Strand", valid_from="2026-02-01", category="work")
    assert {item.content: item.ended for item in anywhere.list().items} == {
        "The Heron lead is Ann Roe": True,
        "The Heron lead is Bo Strand": False,
    }
    (summary,) = anywhere.summaries().items
    true_now, ended = summary.text.split("## Ended")
    assert "Bo Strand" in true_now
    assert "Ann Roe" not in true_now
    assert "Ann Roe (until 2026-01-01" in ended
    assert recalled(anywhere, "who is the Heron lead?") == ["The Heron lead is Bo Strand"]
    assert "Ann Roe" not in anywhere.context_for(task="call the Heron lead").block
    assert listed(anywhere, valid_at="2025-01-01") == ["The Heron lead is Ann Roe"]


def test_a_fact_that_ends_later_has_not_ended_yet(owner: Memory, clock: ManualClock) -> None:
    owner.learn("The Heron lead is Ann Roe", valid_to="2026-06-01", category="work")
    assert [item.ended for item in owner.list().items] == [False]
    assert "## Ended" not in owner.summaries().items[0].text
    clock.advance(days=60)
    assert [item.ended for item in owner.list().items] == [True]
    assert "## Ended" in owner.summaries().items[0].text
    assert [item.ended for item in owner.list(as_of="50 days ago").items] == [False], "as it was seen then"
