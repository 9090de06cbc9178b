"""Why something waits, left use or was refused is a word of a closed set; the sentence beside it decides nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from heldtrue import Memory
from heldtrue.domain.cause import PendingCause, PendingReason
from heldtrue.ingest.acts import extracted_lane
from tests.acceptance.homes import MakeHome, new_clock

OAT = "Remember: I prefer oat milk in my coffee, never dairy."


def say(memory: Memory, text: str, thread: str) -> None:
    memory.capture(messages=[{"name": "Mira", "content": text}], thread=thread)
    memory.work(names=["extract"])


@pytest.mark.covers("B7", "D5")
def test_a_write_that_waits_or_is_refused_names_its_cause_in_the_answer_and_in_the_ledger(anywhere: Memory) -> None:
    codex = anywhere.as_agent("codex")
    anywhere.learn("The port is 8080.")
    anywhere.forget(anywhere.learn("The shed is red.").memory.id, reason="it is not")
    answers = [
        codex.learn("Mira is tall.", kind="profile"),
        codex.learn("The port is 9090."),
        codex.learn("We decided to use SQLite.", kind="decision"),
        codex.learn("The shed is red."),
        codex.learn("Thanks!"),
        codex.learn("The shed is green."),
    ]
    causes = [
        ("pending", "personal"),
        ("pending", "contradiction"),
        ("pending", "needs_rationale_and_source"),
        ("refused", "rejected_before"),
        ("refused", "chatter"),
        ("created", None),
    ]
    assert [(answer.outcome, answer.cause) for answer in answers] == causes
    with anywhere._call.instance.store.read() as reading:
        entries = [reading.ledger.entry(answer.seq) for answer in answers]
    assert [(entry.outcome, entry.cause) for entry in entries if entry is not None] == causes
    waiting = {item.memory.content: item.cause for item in anywhere.inbox().items}
    assert waiting == {
        "Mira is tall.": "personal",
        "The port is 9090.": "contradiction",
        "We decided to use SQLite.": "needs_rationale_and_source",
    }
    assert anywhere.verify().ok


@pytest.mark.covers("B7")
@pytest.mark.parametrize(("cause", "promoted"), [(PendingCause.EXTRACTED, {"promoted": 1}), (PendingCause.PEER, {})])
def test_whether_something_is_promoted_depends_on_its_cause_and_not_on_the_words(
    owner: Memory, monkeypatch: pytest.MonkeyPatch, cause: PendingCause, promoted: dict[str, int]
) -> None:
    monkeypatch.setattr(extracted_lane, "_WAITS", PendingReason(cause, "worded in quite another way"))
    say(owner, OAT, "monday")
    say(owner, f"Good morning, Tom. {OAT}", "thursday")
    assert owner.consolidate().counts == promoted


@pytest.mark.covers("D16")
def test_a_cause_stays_while_the_status_does_and_comes_back_with_an_undo(owner: Memory) -> None:
    say(owner, OAT, "monday")
    (waiting,) = owner.inbox().items
    say(owner, f"Good morning, Tom. {OAT}", "thursday")
    again = owner.get(waiting.memory.id).memory
    assert (again.change, again.cause) == ("corroborated", "extracted")
    job = owner.consolidate().job
    assert owner.get(waiting.memory.id).memory.cause is None, "what counts has no cause to wait"
    owner.undo(job.id, reason="too early")
    undone = owner.get(waiting.memory.id).memory
    assert (undone.status, undone.cause) == ("inbox", "extracted")
    (item,) = owner.inbox().items
    assert item.waits_because == waiting.waits_because


def test_a_cause_is_part_of_an_export(make_home: MakeHome, tmp_path: Path) -> None:
    with Memory.open(make_home(), clock=new_clock()) as there:
        waiting = there.as_agent("codex").learn("Mira is tall.", kind="profile").memory.id
        there.forget(there.learn("The shed is red.").memory.id, reason="painted", cause="replaced")
        there.export(str(tmp_path / "file"))
    with Memory.open(make_home(), clock=new_clock()) as here:
        here.import_(str(tmp_path / "file"))
        assert here.get(waiting).memory.cause == "personal"
        (gone,) = here.list(statuses=["retracted"]).items
        assert gone.cause == "replaced"
        assert here.verify().ok
