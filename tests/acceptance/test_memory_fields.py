"""What a memory, a link and a piece of work say of themselves: every kind, every field, every relationship."""

from __future__ import annotations

from typing import Any

import pytest

from heldtrue import ManualClock, Memory
from heldtrue.domain.limits import JOB_TRIES_MAX
from heldtrue.domain.memory import Kind
from heldtrue.engine.worker import Run, Worker
from tests.acceptance.homes import MakeHome

RELATIONSHIPS = ("supports", "contradicts", "supersedes", "applies_to", "derived_from", "related_to")


@pytest.mark.covers("B9")
@pytest.mark.parametrize("kind_name", [kind.value for kind in Kind])
def test_a_memory_of_each_kind_is_kept_found_and_listed_as_that_kind(owner: Memory, kind_name: Any) -> None:
    owner.learn("The lamp beside the pier is lit at dusk.", kind="note" if kind_name != "note" else "claim")
    wanted = "We keep the weather station because the heron colony needs it."
    learned = owner.learn(wanted, kind=kind_name, rationale="the colony needs it", source="notes/heron.md").memory
    assert (learned.kind, learned.status) == (kind_name, "active")
    assert owner.get(learned.id).memory.kind == kind_name
    assert [item.id for item in owner.list(kinds=[kind_name]).items] == [learned.id]
    found = owner.recall("why do we keep the weather station?", kinds=[kind_name]).results
    assert [result.memory.id for result in found] == [learned.id]


def test_the_kinds_of_the_proposal_are_among_them() -> None:
    assert {"profile", "project", "decision", "artifact", "episode", "task_hint"} <= {kind.value for kind in Kind}


@pytest.mark.covers("B10")
def test_every_field_of_a_record_can_be_read(anywhere: Memory, clock: ManualClock) -> None:
    codex = Memory.over(anywhere._call.instance, agent="codex", project="shop", repo="pay")
    said: dict[str, Any] = {
        "content": "The payment worker restarts on exit code 3.",
        "title": "Exit code 3",
        "summary": "A restart",
        "scope": "repo:pay",
        "staleness": "weekly",
        "source_kind": "run",
        "source": "logs/worker.txt:12",
        "observed_at": "2026-05-01",
    }
    first: Any = codex.learn(confidence=0.8, **said).memory
    learned = first.id
    assert (first.observed_at, first.stale) == ("2026-05-01T00:00:00.000000Z", False)
    clock.advance(days=1)
    codex.learn(**said)
    clock.advance(days=8)
    shown: Any = anywhere.get(learned)
    memory, evidence = shown.memory, shown.evidence[0]
    assert (memory.id, memory.kind, memory.scope, memory.status) == (learned, "note", "repo:pay", "active")
    assert (memory.project_id, memory.repo_id, memory.agent) == ("shop", "pay", "agent:codex")
    assert (memory.title, memory.summary, memory.content) == (said["title"], said["summary"], said["content"])
    assert memory.confidence == pytest.approx(0.8), "as it was given; saying it again adds nothing"
    assert (memory.staleness, memory.stale) == ("weekly", True), "how fresh it is"
    assert (memory.created_at, memory.updated_at) == ("2026-05-04T09:00:00.000000Z", "2026-05-05T09:00:00.000000Z")
    assert (evidence.kind, evidence.reference) == ("run", said["source"]), "its source"
    assert (evidence.file, evidence.line) == ("logs/worker.txt", 12)
    assert anywhere.expand(evidence.source_id).text == said["content"], "the evidence itself"


@pytest.mark.covers("B17")
@pytest.mark.parametrize("relationship", [*RELATIONSHIPS, "was painted like"])
def test_a_link_says_what_it_says_is_read_from_both_ends_and_can_be_taken_back(
    anywhere: Memory, relationship: str
) -> None:
    one = anywhere.learn("The pier was built in 1904.").memory.id
    other = anywhere.learn("The lamp was cast in 1905.").memory.id
    assert anywhere.link(one, other, relationship, reason="the same workshop").outcome == "linked"
    for end in (one, other):
        (link,) = anywhere.get(end).links
        assert (link.from_memory, link.to, link.relationship) == (one, other, relationship)
        assert (link.author, link.reason) == ("person:owner", "the same workshop")
    anywhere.unlink(one, other, relationship, reason="another one")
    assert anywhere.get(one).links == anywhere.get(other).links == []


@pytest.mark.covers("B14")
def test_every_field_of_an_ingestion_can_be_read_from_the_capture_to_its_end(
    make_home: MakeHome, clock: ManualClock
) -> None:
    with Memory.open(make_home(), clock=clock) as owner:
        turns = [{"name": "Mira", "content": "Remember: I prefer oat milk in my coffee, never dairy."}]
        captured = owner.as_agent("codex").capture_conversation(messages=turns, thread="monday", scope="project:shop")
        waiting: Any = owner.job(str(captured.job)).job
        assert (waiting.id, waiting.name, waiting.about) == (captured.job, "extract", "monday")
        assert (waiting.trigger, waiting.asked_by, waiting.scope) == ("capture", "agent:codex", "project:shop")
        assert (waiting.state, waiting.tries, waiting.error, waiting.finished_at) == ("waiting", 0, None, None)
        assert waiting.created_at == waiting.due_at == "2026-05-04T09:00:00.000000Z"

        def fail(_: Run) -> None:
            raise ValueError("the model is out")

        broken = Worker(owner._call.instance.store, clock, {"extract": fail})
        broken.run_all()
        failed: Any = owner.job(str(captured.job)).job
        assert (failed.state, failed.tries) == ("waiting", 1)
        assert "the model is out" in failed.error
        assert failed.due_at > waiting.due_at, "it is tried again later"
        for _ in range(JOB_TRIES_MAX):
            clock.advance(hours=2)
            broken.run_all()
        assert owner.job(str(captured.job)).job.state == "failed"
        assert owner.expand(captured.sources[0]).text == turns[0]["content"], "what was handed in is kept"

        owner.retry(str(captured.job))
        owner.work(names=["extract"])
        done = owner.job(str(captured.job))
        assert (done.job.state, done.job.counts, done.job.done) == ("done", {"pending": 1}, 1)
        assert done.job.finished_at is not None
        (candidate,) = done.outcome["candidates"]
        assert owner.get(candidate["memory"]).evidence[0].source_id == captured.sources[0]
