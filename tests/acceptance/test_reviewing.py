"""A person steers what was extracted: in other words, many at once, or against the gate."""

from __future__ import annotations

from typing import Any

import pytest

from heldtrue import InvalidInput, Memory, NotAllowed, NotFound
from heldtrue.domain.errors import WrongState


def propose(memory: Memory, *texts: str, kind: Any = "decision") -> list[str]:
    """Things that wait for a person: decisions without a reason."""
    codex = memory.as_agent("codex")
    return [codex.learn(text, kind=kind).memory.id for text in texts]


def statuses(memory: Memory, ids: list[str]) -> list[str]:
    return [memory.get(memory_id).memory.status for memory_id in ids]


@pytest.mark.covers("B7", "B5")
def test_a_person_may_approve_in_better_words(anywhere: Memory) -> None:
    (waiting,) = propose(anywhere, "The person likes thea green.", kind="profile")
    answer = anywhere.approve(waiting, content="Ada likes green tea.")
    assert (answer.outcome, answer.memory.content, answer.memory.verified_by) == (
        "approved",
        "Ada likes green tea.",
        "person:owner",
    )
    told = anywhere.explain(waiting)
    assert {evidence.author for evidence in told.evidence} == {"agent:codex", "person:owner"}
    assert anywhere.recall("what does Ada like?").results[0].memory.id == waiting
    assert anywhere.learn("The person likes thea green.").outcome != "refused", "the first wording was not rejected"
    assert anywhere.verify().problems == []


@pytest.mark.covers("B7")
def test_approving_twice_changes_nothing_and_says_so(anywhere: Memory) -> None:
    (waiting,) = propose(anywhere, "Ada speaks French.", kind="profile")
    assert anywhere.approve(waiting).outcome == "approved"
    entries = anywhere.status().ledger_entries
    again = anywhere.approve(waiting, content="Ada speaks French.")
    assert (again.outcome, again.memory.version) == ("unchanged", 2)
    assert "already approved" in again.reason
    assert anywhere.status().ledger_entries == entries
    better = anywhere.approve(waiting, content="Ada speaks fluent French.")
    assert (better.outcome, better.memory.version) == ("approved", 3), "better words are a change"


@pytest.mark.covers("B7")
def test_rejecting_twice_changes_nothing_and_says_so(anywhere: Memory) -> None:
    (waiting,) = propose(anywhere, "Ada speaks French.", kind="profile")
    assert anywhere.reject(waiting, reason="she does not").outcome == "rejected"
    entries = anywhere.status().ledger_entries
    again = anywhere.reject(waiting, reason="twice")
    assert (again.outcome, again.reason) == ("unchanged", "it was already rejected: she does not")
    assert anywhere.status().ledger_entries == entries
    counted = anywhere.learn("The door is green.").memory.id
    with pytest.raises(WrongState, match="not in the inbox"):
        anywhere.reject(counted, reason="it is red")


@pytest.mark.covers("B7", "B24")
def test_a_person_merges_two_that_say_the_same(anywhere: Memory) -> None:
    codex, claude = anywhere.as_agent("codex"), anywhere.as_agent("claude")
    kept = codex.learn("Ada speaks French.", kind="profile").memory.id
    gone = claude.learn("French is the language that Ada talks in at home.").memory.id
    other = codex.learn("Ben speaks Dutch.", kind="preference", scope="project:alpha").memory.id
    with pytest.raises(NotAllowed):
        codex.merge(kept, gone)
    with pytest.raises(WrongState, match="project:alpha"):
        anywhere.merge(kept, other)
    with pytest.raises(InvalidInput, match="itself"):
        anywhere.merge(kept, kept)
    assert statuses(anywhere, [kept, gone, other]) == ["inbox", "active", "active"]
    answer = anywhere.merge(kept, gone, reason="one and the same")
    assert (answer.outcome, answer.memory.id, answer.memory.status) == ("merged", kept, "active")
    assert {evidence.author for evidence in anywhere.explain(kept).evidence} == {"agent:codex", "agent:claude"}
    assert statuses(anywhere, [gone]) == ["superseded"]
    entries = anywhere.status().ledger_entries
    for pair in ((kept, gone), (gone, kept)):
        again = anywhere.merge(*pair)
        assert (again.outcome, again.memory.id, again.reason) == (
            "unchanged",
            kept,
            "these memories were already merged",
        )
    assert anywhere.status().ledger_entries == entries
    with pytest.raises(NotAllowed):
        codex.merge(kept, gone)
    anywhere.restore(gone, reason="they are not")
    assert statuses(anywhere, [kept, gone]) == ["active", "active"]
    assert anywhere.verify().problems == []


@pytest.mark.covers("B7", "B24")
def test_merging_what_was_merged_by_way_of_others_changes_nothing(anywhere: Memory) -> None:
    one, two, three, four = (
        anywhere.learn(text).memory.id
        for text in ("Ada speaks French.", "The bell is brass.", "Ben rows at dawn.", "The ferry leaves at nine.")
    )
    anywhere.merge(two, one)
    anywhere.merge(three, two)
    for pair in ((two, one), (three, one), (one, two), (one, three)):
        again = anywhere.merge(*pair)
        assert (again.outcome, again.memory.id) == ("unchanged", three)
    with pytest.raises(WrongState, match="superseded"):
        anywhere.merge(four, one)
    assert anywhere.merge(four, three).outcome == "merged", "the control: what is not one yet becomes one"
    anywhere.restore(one, reason="it is not")
    assert anywhere.merge(four, one).outcome == "merged", "and what was taken apart may be merged again"
    anywhere.forget(four, reason="all of it is wrong")
    with pytest.raises(WrongState, match="retracted"):
        anywhere.merge(four, one)


@pytest.mark.covers("B7", "B8")
def test_a_rationale_brings_nothing_back_that_was_rejected(anywhere: Memory) -> None:
    gone = anywhere.learn("The brass bell is broken.").memory.id
    anywhere.forget(gone, reason="it was repaired")
    (waiting,) = propose(anywhere, "We chose the wooden door.")
    entries = anywhere.status().ledger_entries
    with pytest.raises(WrongState, match="rejected by") as refused:
        anywhere.approve(waiting, rationale="The brass bell is broken.")
    assert refused.value.field == "rationale"
    assert (statuses(anywhere, [waiting]), anywhere.status().ledger_entries) == (["inbox"], entries)
    answer = anywhere.approve(waiting, rationale="Wood is quieter.")
    assert (answer.outcome, answer.memory.rationale) == ("approved", "Wood is quieter.")


@pytest.mark.covers("B7", "E6")
def test_many_are_approved_or_rejected_by_what_they_have_in_common(anywhere: Memory) -> None:
    people = propose(anywhere, "Ada speaks French.", "Ben speaks Dutch.", "Cleo speaks Greek.", kind="profile")
    choices = propose(anywhere, "We chose the green door.", "We chose the brass bell.")
    foreseen = anywhere.review("approve", kinds=["profile"], reason="checked", dry_run=True)
    assert (foreseen.matched, foreseen.counts, set(foreseen.memories)) == (3, {}, set(people))
    assert set(statuses(anywhere, [*people, *choices])) == {"inbox"}
    assert anywhere.review("approve", kinds=["profile"], reason="checked").counts == {"approved": 3}
    left = anywhere.review("approve", kinds=["decision"], reason="checked")
    assert left.counts == {"left": 2}
    assert all("rationale" in problem for problem in left.problems)
    assert anywhere.review("reject", reason="not decided").counts == {"rejected": 2}
    assert statuses(anywhere, [*people, *choices]) == ["active"] * 3 + ["rejected"] * 2
    assert anywhere.as_agent("codex").learn("We chose the green door.", kind="decision").outcome == "refused"
    assert anywhere.verify().problems == []
    with pytest.raises(NotAllowed):
        anywhere.as_agent("codex").review("approve", reason="I say so")


@pytest.mark.covers("D5")
def test_what_the_gate_refused_can_be_rescued_by_a_person(anywhere: Memory) -> None:
    turn = {"name": "Mira", "content": "Remember: I prefer oat milk in my coffee, never dairy."}
    captured: Any = anywhere.as_agent("codex").capture(messages=[turn], thread="monday")
    anywhere.quarantine(captured.sources[0], reason="not sure who wrote it")
    anywhere.work()
    (candidate,) = anywhere.job(captured.job).outcome["candidates"]
    assert (candidate["outcome"], "quarantine" in candidate["reason"]) == ("refused", True)
    with pytest.raises(NotAllowed):
        anywhere.as_agent("codex").rescue(captured.job, 1)
    with pytest.raises(NotFound):
        anywhere.rescue(captured.job, 2)
    answer = anywhere.rescue(captured.job, 1)
    assert answer.memory.status == "active"
    assert any(
        evidence.span == (candidate["start"], candidate["end"])
        for evidence in anywhere.explain(answer.memory.id).evidence
    )


@pytest.mark.covers("D5", "B8")
def test_a_person_who_rescues_what_a_person_rejected_is_told_that_the_rejection_was_lifted(owner: Memory) -> None:
    held = owner.learn("Mira prefers oat milk in their coffee, never dairy.").memory.id
    owner.forget(held, reason="she changed her mind")
    turn = {"name": "Mira", "content": "Remember: I prefer oat milk in my coffee, never dairy."}
    job = str(owner.capture(messages=[turn], thread="monday").job)
    owner.work()
    assert "refused" in owner.job(job).job.counts
    answer = owner.rescue(job, 1)
    assert answer.outcome == "created"
    assert answer.notes == ["this was rejected by person:owner (she changed her mind); the rejection was lifted"]
    assert owner.get(held).memory.status == "retracted", "the memory that was forgotten stays forgotten"


@pytest.mark.covers("D5")
def test_only_what_was_refused_can_be_rescued(owner: Memory) -> None:
    turn = {"name": "Mira", "content": "Remember: I prefer oat milk in my coffee, never dairy."}
    job = str(owner.capture(messages=[turn], thread="monday").job)
    owner.work()
    with pytest.raises(WrongState, match="pending"):
        owner.rescue(job, 1)


@pytest.mark.covers("B26")
def test_a_profile_fact_said_anew_by_a_person_replaces_the_old_one(anywhere: Memory) -> None:
    first = anywhere.upsert_profile_fact("Ada lives in Lyon.").memory.id
    again = anywhere.upsert_profile_fact("Ada lives in Porto.")
    assert (again.outcome, again.memory.status, again.memory.verified_by) == ("created", "active", "person:owner")
    assert anywhere.get(first).memory.status != "active"
    assert [result.memory.content for result in anywhere.search("where does Ada live").results] == [
        "Ada lives in Porto."
    ]
    waiting = anywhere.as_agent("codex").upsert_profile_fact("Ada lives in Bergen.")
    assert (waiting.outcome, waiting.memory.status) == ("pending", "inbox")


@pytest.mark.covers("B3", "B26")
def test_sessions_and_conversations_are_handed_in_by_the_names_of_the_proposal(owner: Memory) -> None:
    turns = [{"role": "user", "content": "Where is the key?"}, {"role": "assistant", "content": "Under the mat."}]
    codex = owner.as_agent("codex")
    session = codex.capture_session(turns, session="s1")
    assert (session.thread, session.captured, session.job is not None) == ("s1", 2, True)
    talk = owner.capture_conversation(messages=turns, thread="kitchen")
    assert talk.captured == 2
    notes = owner.capture_conversation("They spoke about the key.", capture_mode="notes", thread="kitchen notes")
    assert notes.captured == 1
    with pytest.raises(InvalidInput, match="transcript needs messages"):
        owner.capture_conversation("A summary.", capture_mode="transcript")
    with pytest.raises(InvalidInput, match="session is missing"):
        owner.capture_session(turns)
