"""What a hostile agent or a careless user tried against capture and maintenance, and what must come of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from heldtrue import ManualClock, Memory
from heldtrue.domain.errors import WrongState
from tests.acceptance.homes import MakeHome
from tests.effort import assert_linear


def say(memory: Memory, text: str, thread: str, speaker: str = "Ana", **more: Any) -> str | None:
    job: str | None = memory.capture(messages=[{"name": speaker, "content": text}], thread=thread, **more).job
    return job


RULE = "We always deploy the billing service from the release branch."


@pytest.mark.covers("B7", "D4")
def test_an_agent_alone_confirms_nothing_however_many_conversations_it_invents(anywhere: Memory) -> None:
    codex, claude = anywhere.as_agent("codex"), anywhere.as_agent("claude")
    for number, greeting in enumerate(("", "Hi all. ", "Good morning. ")):
        say(codex, greeting + RULE, f"t{number}")
    codex.work()
    assert anywhere.consolidate().counts == {}
    say(claude, f"Hello. {RULE}", "elsewhere")
    anywhere.work()
    assert anywhere.consolidate().counts == {"promoted": 1}, "another agent's source is a second one"


@pytest.mark.covers("B7")
def test_what_waits_for_a_person_for_another_reason_is_not_promoted(anywhere: Memory) -> None:
    codex, claude = anywhere.as_agent("codex"), anywhere.as_agent("claude")
    guess = "Postgres is probably better than MySQL, I guess"
    for agent, text in ((codex, "one"), (claude, "two")):
        agent.learn(guess, kind="claim", source_text=text)
    assert [item.memory.content for item in anywhere.inbox().items] == [guess]
    assert anywhere.consolidate().counts == {}


@pytest.mark.covers("B7")
def test_a_source_in_quarantine_confirms_nothing(anywhere: Memory) -> None:
    codex, claude = anywhere.as_agent("codex"), anywhere.as_agent("claude")
    first = codex.capture(messages=[{"name": "Ana", "content": RULE}], thread="a").sources[0]
    anywhere.work()
    say(claude, f"Hello. {RULE}", "b")
    anywhere.work()
    anywhere.quarantine(first, reason="forged")
    assert anywhere.consolidate().counts == {}
    anywhere.quarantine(first, release=True, reason="it was genuine")
    assert anywhere.consolidate().counts == {"promoted": 1}, "released, it counts"


@pytest.mark.covers("D6", "B7")
def test_what_strangers_say_never_rewords_what_a_person_stands_behind(anywhere: Memory) -> None:
    own = anywhere.learn("The staging database lives in Frankfurt", confidence=0.4).memory
    for number in range(4):
        say(anywhere, "The staging database lives in Frankfurt, really.", f"z{number}", "Mallory")
    anywhere.work()
    now = anywhere.get(own.id).memory
    assert (now.content, now.confidence, now.verified_by) == (own.content, 0.4, "person:owner")


@pytest.mark.covers("D17", "B8")
def test_what_was_forgotten_does_not_come_back_as_an_insight(make_home: MakeHome, clock: ManualClock) -> None:
    with Memory.open(make_home(settings='[engine]\ntimezone = "UTC"\n'), clock=clock) as memory:
        memory.work()
        codex = memory.as_agent("codex")
        for colour in ("blue", "red", "green"):
            taken = memory.learn(f"Patient Zoe takes {colour} tablets for her infection").memory.id
            memory.forget(taken, reason="false")
            codex.learn(f"The {colour} paint is kept in the paint cellar", confidence=0.2)
        clock.advance(days=40)
        assert memory.compact().counts == {"doubtful": 3, "retired": 3}
        clock.advance(days=8)
        memory.work()
        told = [item.memory.content for item in memory.inbox().items]
        assert any("paint" in text for text in told), "what was only archived leaves its insight"
        assert not any("Zoe" in text or "tablets" in text for text in told)


@pytest.mark.covers("B8")
def test_undo_brings_nothing_back_that_was_rejected_meanwhile(anywhere: Memory) -> None:
    codex = anywhere.as_agent("codex")
    said = "The staging database lives in Dublin"
    codex.learn(said, confidence=0.1)
    codex.learn("The gauge may read four bar.", confidence=0.1)
    archived = anywhere.compact().job
    again = codex.learn(said).memory.id
    anywhere.forget(again, reason="false")
    assert archived is not None
    answer = anywhere.undo(archived.id, reason="oops")
    assert (answer.undone, len(answer.left)) == (1, 1), "the other one is back"
    assert "rejected" in answer.left[0]
    assert not any("Dublin" in item.content for item in anywhere.list().items)
    assert any("gauge" in item.content for item in anywhere.list().items)
    assert anywhere.verify().problems == []


def test_one_touched_memory_does_not_keep_the_others_from_being_undone(anywhere: Memory) -> None:
    codex = anywhere.as_agent("codex")
    ids = [codex.learn(f"Bin b{number}x holds item i{number}y.", confidence=0.1).memory.id for number in range(3)]
    archived = anywhere.compact().job
    assert archived is not None
    anywhere.restore(ids[1], reason="needed")
    answer = anywhere.undo(archived.id, reason="all of them")
    assert (answer.undone, len(answer.left)) == (2, 1)
    assert {item.id for item in anywhere.list().items} == set(ids)
    with pytest.raises(WrongState):
        anywhere.undo(archived.id, reason="again")


@pytest.mark.covers("D5")
def test_a_rescued_candidate_stays_as_private_as_its_source(owner: Memory) -> None:
    codex, claude = owner.as_agent("codex"), owner.as_agent("claude")
    captured = codex.capture(messages=[{"name": "Ana", "content": RULE}], thread="t", visibility="private")
    owner.quarantine(captured.sources[0], reason="unsure")
    owner.work()
    assert captured.job is not None
    rescued = owner.rescue(captured.job, 1).memory
    assert rescued.visibility == "private"
    assert claude.list().items == []


@pytest.mark.covers("C4")
def test_documents_of_one_name_from_other_places_or_hands_replace_nothing(owner: Memory, tmp_path: Path) -> None:
    for folder, text in (("pa", "- [ ] mend the roof before winter"), ("pb", "- [ ] paint the gate by June")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "README.md").write_text(text, "utf-8")
        owner.ingest(str(tmp_path / folder))
        owner.work()
    assert len(owner.inbox().items) == 2
    before = {item.memory.id for item in owner.inbox().items}
    owner.as_agent("codex").capture(
        "The moon orbits the earth.", thread=str(tmp_path / "pa" / "README.md"), source="README.md"
    )
    owner.work()
    assert before <= {item.memory.id for item in owner.inbox().items}, (
        "what another hands in by that name replaces nothing"
    )


@pytest.mark.covers("B7")
def test_better_words_take_the_old_title_along_and_are_held_against_what_is_known(owner: Memory) -> None:
    codex = owner.as_agent("codex")
    waiting = codex.learn("Sam lives in Berlin", kind="profile", title="Sam is in Berlin", summary="Sam: Berlin").memory
    approved = owner.approve(waiting.id, content="Sam lives in Porto").memory
    assert "Berlin" not in f"{approved.title} {approved.summary}"
    owner.learn("The API timeout is 30 seconds")
    other = codex.learn("The API retries twice").memory.id
    assert owner.approve(other, content="The API timeout is 45 seconds").conflicts


@pytest.mark.covers("D2")
@pytest.mark.parametrize(
    "text", ["# " + "[" * 60_000, '{"a":' * 50_000 + "1" + "}" * 50_000, "<p>&#" + "9" * 50_000 + ";</p>"]
)
def test_no_text_costs_more_than_its_length_or_breaks_a_capture(owner: Memory, text: str) -> None:
    def take_in(part: str) -> None:
        if part:
            owner.capture(part, source=f"odd {len(part)}.txt")
            owner.work()

    assert_linear(take_in, text)


@pytest.mark.covers("C4")
def test_one_broken_page_does_not_keep_a_folder_out(owner: Memory, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "a.html").write_text("<p>&#" + "9" * 50_000 + ";</p>", "utf-8")
    (site / "b.md").write_text("The heron nests by the weir.", "utf-8")
    answer = owner.ingest(str(site))
    assert (answer.documents, answer.left_out) == (1, 1)
