"""What an agent is told before a task: what always counts, what fits, with its sources, and nothing of other scopes."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec
import pytest

from heldtrue import InvalidInput, ManualClock, Memory, NotAllowed
from heldtrue.language.model_tokens import count_tokens
from tests.acceptance.homes import MakeHome, new_clock
from tests.acceptance.test_feedback import use_of
from tests.unit.recall.test_render import find_breaches, stable_part

PROFILE = "Greta is the operator and lives in Bern."
PREFERENCE = "Greta prefers short answers."
DECISION = "The shop runs on PostgreSQL."
CONVENTION = "Branch names in the shop start with the ticket number."
LESSON = "Never restart the payment worker before the queue is empty."
FACT = "The payment worker reads from queue pay-1."
EPISODE = "On Monday the payment worker crashed because the disk was full."
WALK = "On Sunday everyone went for a walk along the river."
TASK = "restart the payment worker of the shop"


def fill(owner: Memory) -> dict[str, str]:
    """A project with everything a bundle may hold, told by a person."""
    project = {"scope": "project:shop"}
    told: dict[str, dict[str, Any]] = {
        PROFILE: {"kind": "profile"},
        PREFERENCE: {"kind": "preference"},
        DECISION: {"kind": "decision", "rationale": "it is known well", "source": "docs/adr/3.md", **project},
        CONVENTION: {"kind": "convention", "source": "CONTRIBUTING.md:7", **project},
        LESSON: {"kind": "lesson", **project},
        FACT: {"scope": "repo:pay", "source": "src/worker.py:12"},
        EPISODE: {"kind": "episode", **project},
        WALK: {"kind": "episode", **project},
    }
    return {text: owner.learn(text, **fields).memory.id for text, fields in told.items()}


def texts(results: list[Any]) -> list[str]:
    return [result.memory.content if result.memory is not None else result.passage.text for result in results]


@pytest.mark.covers("B16", "B26", "E4")
def test_a_bundle_holds_profile_project_decisions_episodes_and_citations(anywhere: Memory) -> None:
    ids = fill(anywhere)
    (page,) = anywhere.capture(
        "The payment worker must not be restarted by hand.", source="docs/worker.md", scope="project:shop"
    ).sources
    bundle = anywhere.context_for(task=TASK, project="shop", repo="pay")
    assert sorted(texts(bundle.profile)) == sorted([PREFERENCE, PROFILE])
    assert texts(bundle.decisions) == [DECISION]
    assert sorted(texts(bundle.conventions)) == sorted([CONVENTION, LESSON])
    assert texts(bundle.facts) == [FACT]
    assert texts(bundle.episodes) == [EPISODE], "one that fits the task, and no other"
    assert texts(bundle.evidence) == ["The payment worker must not be restarted by hand."]
    assert bundle.scopes == ["global", "project:shop", "repo:pay"]
    expected = {ids[text] for text in (PROFILE, PREFERENCE, DECISION, CONVENTION, LESSON, FACT, EPISODE)} | {page}
    assert set(bundle.injected) == expected
    assert find_breaches(bundle.block, entries=8) == []
    assert bundle.tokens == count_tokens(bundle.block)
    cited = {citation.id: citation for citation in bundle.citations}
    assert set(cited) == expected, "every entry has its source"
    assert all(citation.source is not None and citation.author == "person:owner" for citation in bundle.citations)
    assert (cited[ids[FACT]].reference, cited[page].source) == ("src/worker.py:12", page)
    assert all(result.explanation for part in (bundle.facts, bundle.profile, bundle.evidence) for result in part)


@pytest.mark.covers("B16", "E4", "D13")
def test_what_always_counts_comes_first_and_does_not_depend_on_the_task(anywhere: Memory) -> None:
    fill(anywhere)
    asked: dict[str, Any] = {"project": "shop", "repo": "pay"}
    blocks = [
        anywhere.context_for(**asked).block,
        anywhere.context_for(task=TASK, **asked).block,
        anywhere.context_for(task="what did we do on Sunday along the river?", **asked).block,
    ]
    assert len({stable_part(block) for block in blocks}) == 1
    assert re.findall(r"^- [\w-]+ (\w+)", stable_part(blocks[0]), re.MULTILINE) == [
        "profile", "preference", "convention", "lesson", "decision",
    ]  # fmt: skip
    # A task brings what fits it; a session that only begins has the best of all else in the places that are left.
    assert [FACT in block for block in blocks] == [True, True, False]
    assert [WALK in block for block in blocks[1:]] == [False, True]


@pytest.mark.covers("E4", "E5")
def test_a_session_starts_with_the_ten_that_stand_best(anywhere: Memory, clock: ManualClock) -> None:
    for number in range(14):
        anywhere.learn(
            f"Rule r{number}x holds for module m{number}y.", kind="convention", confidence=0.3 + number * 0.05,
            scope="project:shop",
        )  # fmt: skip
    bundle = anywhere.context_for(project="shop")
    assert texts(bundle.conventions) == [f"Rule r{number}x holds for module m{number}y." for number in range(13, 3, -1)]
    assert bundle.conventions[0].breakdown.keys() == {"confidence", "recency", "access"}
    assert len(bundle.injected) == 10
    assert len(anywhere.context_for(project="shop", limit=4).injected) == 4
    with pytest.raises(InvalidInput):
        anywhere.context_for(project="shop", limit=11)
    clock.advance(days=300)
    anywhere.learn("Rule new holds.", kind="convention", confidence=0.5, scope="project:shop")
    assert texts(anywhere.context_for(project="shop", limit=1).conventions) == ["Rule new holds."]


@pytest.mark.covers("E4", "B16")
def test_both_sides_have_their_half_and_take_what_the_other_leaves(owner: Memory) -> None:
    for number in range(12):
        owner.learn(f"Rule r{number}x holds everywhere.", kind="convention")
        owner.learn(f"The heron h{number}x stands in pool p{number}y.")
    both = owner.context_for(task="where do the herons stand?")
    assert (len(both.conventions), len(both.facts)) == (5, 5)
    assert len(owner.context_for(task="giraffes in Kenya").conventions) == 10
    assert len(owner.context_for(task="where do the herons stand?", limit=3).injected) == 3


@pytest.mark.covers("C1", "D27")
def test_the_budget_holds_and_leaves_the_best_of_each_side(owner: Memory) -> None:
    fill(owner)
    asked: dict[str, Any] = {"task": TASK, "project": "shop", "repo": "pay"}
    for budget in (20, 150, 300, 500, 2_000):
        bundle = owner.context_for(max_tokens=budget, **asked)
        assert bundle.tokens == count_tokens(bundle.block) <= budget
        assert len(bundle.citations) >= len(bundle.injected)
    small = owner.context_for(max_tokens=300, **asked)
    assert 1 < len(small.injected) < 7
    assert any("left out of the block" in note for note in small.notes)
    assert owner.context_for(max_tokens=20, **asked).block == ""


@pytest.mark.covers("B16", "D13", "D21")
def test_what_was_given_is_logged_and_only_what_was_asked_for_counts_as_recalled(anywhere: Memory) -> None:
    ids = fill(anywhere)
    bundle = anywhere.context_for(task=TASK, project="shop", repo="pay")
    why = anywhere.why(bundle.recall_id)
    assert (why.verb, why.question, why.tier) == ("context_for", TASK, "items")
    assert {result.id for result in why.results if result.injected} == set(bundle.injected)
    assert why.cost["tokens"] == bundle.tokens
    start = anywhere.context_for(project="shop")
    assert {result.id for result in anywhere.why(start.recall_id).results} == set(start.injected)
    assert anywhere._call.instance.recall_log.flush()
    assert use_of(anywhere, ids[FACT]).injected == 1
    assert use_of(anywhere, ids[PROFILE]).recalled == 0, "who is always told of is not asked for more"
    assert anywhere.feedback(bundle.recall_id, used=[ids[PROFILE]]).used == [ids[PROFILE]]


# Scopes

CANARIES: dict[str, tuple[str, dict[str, Any]]] = {
    "another project": ("owner", {"scope": "project:other"}),
    "another repo": ("owner", {"scope": "repo:other"}),
    "a team": ("owner", {"scope": "team:red"}),
    "another session": ("owner", {"scope": "session:s2"}),
    "another agent": ("claude", {"scope": "agent:claude"}),
    "what another agent keeps private": ("claude", {"visibility": "private", "scope": "project:shop"}),
    "what another agent keeps private everywhere": ("claude", {"visibility": "private"}),
}


def as_text(answer: object) -> str:
    return json.dumps(msgspec.to_builtins(answer))


@pytest.fixture
def guarded(anywhere: Memory) -> Memory:
    """A home with a canary in every place that codex, working on the shop, must not see."""
    fill(anywhere)
    views = {"owner": anywhere, "claude": anywhere.as_agent("claude")}
    for number, (who, fields) in enumerate(CANARIES.values()):
        for kind in ("lesson", "convention", "episode", "note"):
            views[who].learn(f"The payment canary c{number}x of kind {kind} sings.", kind=kind, **fields)
        views[who].capture(f"The payment canary c{number}x was heard.", source=f"log {number}", **fields)
    return anywhere


@pytest.mark.covers("B16", "B11", "C18", "B21")
def test_the_context_of_an_agent_never_crosses_scopes(guarded: Memory) -> None:
    codex = guarded.as_agent("codex")
    task = "restart the payment worker and hear the payment canary sing"
    for bundle in (
        codex.context_for(task=task, project="shop", repo="pay"),
        codex.context_for(project="shop"),
        codex.context_for(task=task),
        guarded.context_for(task=task, project="shop", repo="pay", agent="codex"),
        guarded.context_for(task=task, project="shop", agent="agent:codex"),
    ):
        assert "canary" not in as_text(bundle).replace(task, "")
        assert bundle.injected


@pytest.mark.covers("B16", "B11", "E4")
def test_whoever_may_see_a_canary_is_told_of_it(guarded: Memory) -> None:
    asked: dict[str, Any] = {"task": "hear the payment canary sing"}
    assert "c0x" in as_text(guarded.as_agent("codex").context_for(project="other", **asked))
    assert "c1x" in as_text(guarded.as_agent("codex").context_for(repo="other", **asked))
    assert "c2x" in as_text(guarded.context_for(project="shop")), "a person is told of the team"
    for number in (4, 5, 6):
        bundle = guarded.as_agent("claude").context_for(project="shop", **asked)
        assert f"c{number}x" in as_text(bundle)
        assert f"c{number}x" in as_text(guarded.context_for(project="shop", agent="claude", **asked))
    owner = as_text(guarded.context_for(**asked))
    assert not [number for number in (0, 1, 3, 4) if f"c{number}x" in owner], "in no project, a person is told of none"


@pytest.mark.covers("B11", "C18")
def test_an_agent_may_only_ask_for_itself(guarded: Memory) -> None:
    codex = guarded.as_agent("codex")
    assert codex.context_for(agent="codex", project="shop").scopes == ["global", "project:shop", "agent:codex"]
    assert codex.context_for(agent="agent:codex").scopes == ["global", "agent:codex"]
    with pytest.raises(NotAllowed) as refused:
        codex.context_for(agent="claude")
    assert refused.value.field == "agent"
    for field in ("project", "repo", "agent"):
        wrong: dict[str, Any] = {field: "no such * name"}
        with pytest.raises(InvalidInput):
            guarded.context_for(**wrong)


@pytest.mark.covers("B21")
def test_the_surroundings_of_the_caller_are_the_default(make_home: MakeHome) -> None:
    home = make_home()
    with Memory.open(home, project="shop", repo="pay", session="s1", agent="codex", clock=new_clock()) as memory:
        bundle = memory.context_for(task="anything")
        assert bundle.scopes == ["global", "project:shop", "repo:pay", "session:s1", "agent:codex"]
        assert memory.context_for(project="other").scopes[1] == "project:other"
        assert (bundle.block, bundle.injected, bundle.citations) == ("", [], [])
        assert bundle.notes == ["no strong match, so there is no block"]
        with pytest.raises(InvalidInput):
            memory.context_for(task="  ")
