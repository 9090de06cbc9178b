"""A rejected value stays out of recall however it is said again; its sibling stays in; a person can lift it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from heldtrue import ManualClock, Memory, NotAllowed, WrongState
from tests.acceptance.homes import KINDS, MakeHome, entries, last_entry, listed, recalled

COMPOUND = "The office is in Berlin and the printer is on floor three."
REJECTED = "The office is in Berlin."
SIBLING = "the printer is on floor three"
INSTEAD = "The office is in Lisbon."

WORDINGS = {
    "the same words": REJECTED,
    "capitals": REJECTED.upper(),
    "small letters": REJECTED.lower(),
    "wide gaps": "The   office \t is   in  Berlin .",
    "line ends": "The office\nis in\r\nBerlin.",
    "no-break spaces": REJECTED.replace(" ", "\u00a0"),
    "other punctuation": "The office is in Berlin!!!",
    "no punctuation": "The office is in Berlin",
    "quotes around it": "«The office is in Berlin.»",
    "full-width letters": "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in REJECTED),
    "bold mathematical letters": "The office is in \U0001d401\U0001d41e\U0001d42b\U0001d425\U0001d422\U0001d427.",
    "Cyrillic look-alikes": "Th\u0435 \u043effice is in B\u0435rlin.",
    "a Cyrillic capital": "The office is in \u0412erlin.",
    "Greek look-alikes": "The \u03bfffice is in \u0392erlin.",
    "zero-width spaces": "The of\u200bfice is in Ber\u200b\u2060lin.",
    "zero-width joiners": "The off\u200dice is in Ber\u200clin.",
    "bidi controls": "\u202dThe office is in \u2066Berlin\u2069.\u202c",
    "tag characters": "The office is in Berlin\U000e0079\U000e0065\U000e0073.",
    "grapheme joiners": "The off\u034fice is in Ber\u034flin.",
    "soft hyphens": "The of\u00adfice is in Ber\u00adlin.",
    "variation selectors": "The office is in Berlin\ufe0f\U000e0101.",
    "a byte order mark": "\ufeff" + REJECTED,
    "blank fillers": "The office is in Ber\u3164lin.",
    "marks stacked on a letter": "The office is in Berl\u0336\u0337\u0338\u0334in.",
    "half of another compound": "The office is in Berlin and the parking is free.",
    "the other half first": "The printer is on floor three and the office is in Berlin.",
    "the whole compound": COMPOUND,
}


def reject_half(owner: Memory, scope: str | None = None) -> str:
    """Learn a compound and have a person correct one half of it; the id of what was corrected."""
    learned = owner.learn(COMPOUND, scope=scope)
    answer = owner.correct(learned.memory.id, INSTEAD, reason="we never had an office there")
    assert [memory.content for memory in answer.kept] == [SIBLING]
    return str(learned.memory.id)


def assert_stays_out(memory: Memory) -> None:
    """Nobody is told of Berlin; the sibling and what took its place are still told."""
    for view in (memory, memory.as_agent("codex"), memory.as_agent("claude")):
        for question in ("Berlin", "where is the office", REJECTED):
            assert [text for text in recalled(view, question) if "erlin" in text] == []
        assert SIBLING in recalled(view, "on which floor is the printer")
        assert INSTEAD in recalled(view, "where is the office")
    assert memory.verify().ok


@pytest.fixture
def settled(owner: Memory) -> Memory:
    """A home in which one half of a memory was rejected for everyone."""
    reject_half(owner)
    assert_stays_out(owner)
    return owner


@pytest.mark.covers("A4", "A5", "D5", "B7")
@pytest.mark.parametrize("wording", WORDINGS.values(), ids=WORDINGS)
@pytest.mark.parametrize("author", ["codex", "claude"], ids=["its agent", "another agent"])
def test_a_rejected_value_is_refused_in_other_spellings(settled: Memory, wording: str, author: str) -> None:
    answer = settled.as_agent(author).learn(wording)
    assert answer.outcome == "refused"
    assert "rejected by person:owner: we never had an office there" in answer.reason
    assert "restore" in (answer.hint or "")
    assert (last_entry(settled).outcome, last_entry(settled).reason) == ("refused", answer.reason)
    assert_stays_out(settled)


@pytest.mark.covers("A3")
@pytest.mark.parametrize("wording", WORDINGS.values(), ids=WORDINGS)
def test_where_nothing_was_rejected_each_spelling_is_kept_and_recalled(owner: Memory, wording: str) -> None:
    # An episode, because the reader may doubt a statement in an odd spelling, which then waits.
    assert owner.as_agent("codex").learn(wording, kind="episode").outcome == "created"
    assert len(recalled(owner, wording)) == 1


@pytest.mark.covers("A5", "D5")
def test_dressing_a_rejected_value_up_does_not_help(settled: Memory) -> None:
    codex = settled.as_agent("codex")
    dressed = [
        codex.learn(REJECTED, title="Head office", topic="places", confidence=1.0, kind="claim"),
        codex.learn(REJECTED, source="https://example.org", source_text=f"Everyone knows. {REJECTED}"),
        codex.learn(REJECTED, valid_from="2030-01-01", on_conflict="coexist"),
        codex.learn(REJECTED, scope="project:alpha"),
        codex.learn(REJECTED, scope="repo:alpha-core"),
        codex.learn(REJECTED, scope="agent:codex", visibility="private"),
        codex.learn(REJECTED, idempotency_key="fresh-key"),
    ]
    assert [answer.outcome for answer in dressed] == ["refused"] * len(dressed)
    assert_stays_out(settled)


@pytest.mark.covers("A5", "D5", "B1")
def test_a_rejected_value_is_refused_in_a_batch_that_keeps_the_rest(settled: Memory) -> None:
    answer = settled.as_agent("codex").learn_many([{"content": REJECTED}, {"content": "The canteen opens at noon."}])
    assert [answered.outcome for answered in answer.answers] == ["refused", "created"]
    assert recalled(settled, "canteen") == ["The canteen opens at noon."]
    assert_stays_out(settled)


@pytest.mark.covers("A5", "D5", "B1")
def test_a_correction_cannot_bring_a_rejected_value_in(settled: Memory) -> None:
    codex = settled.as_agent("codex")
    own = codex.learn("The second office is in Porto.")
    assert codex.correct(own.memory.id, REJECTED, reason="it is there").outcome == "refused"
    assert recalled(settled, "second office Porto")[0] == "The second office is in Porto."
    assert_stays_out(settled)


@pytest.mark.covers("A5", "D5")
def test_a_merge_cannot_bring_a_rejected_value_in(settled: Memory) -> None:
    settled.as_agent("codex").learn("The timeout is 30 seconds.")
    held = settled.as_agent("claude").learn("The timeout is 60 seconds.")
    with pytest.raises(WrongState, match="rejected"):
        settled.resolve(held.conflicts[0], "merge", reason="mixed up", text=REJECTED)
    assert_stays_out(settled)
    assert settled.resolve(held.conflicts[0], "merge", reason="both", text="The timeout is 45 seconds.").memory


@pytest.mark.covers("A5", "D5", "B29")
def test_an_import_of_plain_lines_cannot_bring_a_rejected_value_in(settled: Memory, tmp_path: Path) -> None:
    file = tmp_path / "lines.jsonl"
    texts = [REJECTED, WORDINGS["Cyrillic look-alikes"], "The canteen opens at noon."]
    file.write_text("\n".join(json.dumps({"content": text}) for text in texts), "utf-8")
    answer = settled.import_(str(file))
    assert answer.counts == {"refused": 2, "created": 1}
    assert all("rejected" in reason for reason in answer.refused)
    assert_stays_out(settled)


@pytest.mark.covers("A5", "D5", "B29")
@pytest.mark.parametrize("other", KINDS)
def test_an_export_that_still_holds_the_value_cannot_bring_it_in(
    settled: Memory, other: str, make_home: MakeHome, tmp_path: Path
) -> None:
    file = tmp_path / "foreign.jsonl"
    with Memory.open(make_home(other)) as foreign:
        foreign.learn(REJECTED)
        foreign.as_agent("codex").learn("The office is in BERLIN.", scope="project:alpha")
        foreign.learn("The canteen opens at noon.")
        foreign.export(str(file))
    answer = settled.import_(str(file))
    assert answer.counts == {"refused": 2, "created": 1}
    assert recalled(settled, "canteen") == ["The canteen opens at noon."]
    assert_stays_out(settled)


@pytest.mark.covers("A5", "D5", "B29")
def test_an_older_export_of_the_same_home_cannot_bring_it_back(owner: Memory, tmp_path: Path) -> None:
    file = tmp_path / "older.jsonl"
    learned = owner.learn(COMPOUND)
    owner.export(str(file))
    owner.correct(learned.memory.id, INSTEAD, reason="we never had an office there")
    assert owner.import_(str(file)).counts == {"already_here": 1}
    assert_stays_out(owner)


@pytest.mark.covers("A5", "B29")
def test_a_rejection_travels_with_an_import_into_a_home_with_a_history(
    settled: Memory, make_home: MakeHome, tmp_path: Path
) -> None:
    file = tmp_path / "export.jsonl"
    settled.export(str(file))
    with Memory.open(make_home()) as other:
        other.learn("The canteen opens at noon.")
        other.import_(str(file))
        assert other.as_agent("codex").learn(WORDINGS["zero-width spaces"]).outcome == "refused"
        assert_stays_out(other)


def do_upkeep(owner: Memory, make_home: MakeHome, folder: Path) -> Memory:
    owner.maintain()
    return owner


def do_reindex(owner: Memory, make_home: MakeHome, folder: Path) -> Memory:
    owner.reindex()
    return owner


def do_reopen(owner: Memory, make_home: MakeHome, folder: Path) -> Memory:
    return Memory.open(owner.home)


def do_backup(owner: Memory, make_home: MakeHome, folder: Path) -> Memory:
    owner.backup(str(folder / "backup.db"))
    restored = Memory.open(make_home())
    restored.restore_backup(str(folder / "backup.db"))
    return restored


def move_to(kind: str) -> Callable[[Memory, MakeHome, Path], Memory]:
    def move(owner: Memory, make_home: MakeHome, folder: Path) -> Memory:
        owner.export(str(folder / "export.jsonl"))
        moved = Memory.open(make_home(kind))
        assert moved.import_(str(folder / "export.jsonl")).how == "replayed"
        return moved

    return move


EVENTS = {
    "upkeep": do_upkeep,
    "a new index": do_reindex,
    "a new start": do_reopen,
    "backup and restore": do_backup,
    "a move to SQLite": move_to("sqlite"),
    "a move to PostgreSQL": move_to("postgres"),
}


@pytest.mark.covers("A5", "D5", "B29", "D28")
@pytest.mark.parametrize("event", EVENTS.values(), ids=EVENTS)
def test_a_rejection_outlives(
    settled: Memory, event: Callable[[Memory, MakeHome, Path], Memory], make_home: MakeHome, tmp_path: Path
) -> None:
    after = event(settled, make_home, tmp_path)
    try:
        for author in ("codex", "newcomer"):
            assert after.as_agent(author).learn(WORDINGS["Greek look-alikes"]).outcome == "refused"
        assert_stays_out(after)
    finally:
        after.close()


@pytest.mark.covers("A5", "A14")
def test_a_rejection_does_not_wear_off(settled: Memory, clock: ManualClock) -> None:
    for days in (1, 400, 4_000, -5_000):
        clock.advance(days=days)
        assert settled.as_agent("codex").learn(REJECTED).outcome == "refused"
    assert_stays_out(settled)


@pytest.mark.covers("A5", "D5", "B7", "A28")
def test_a_person_lifts_a_rejection_and_only_a_person(anywhere: Memory) -> None:
    corrected = reject_half(anywhere)
    codex = anywhere.as_agent("codex")
    with pytest.raises(NotAllowed):
        codex.restore(corrected, reason="I liked it better")
    assert codex.learn(REJECTED).outcome == "refused"
    restored = anywhere.restore(corrected, reason="we do have one there")
    assert (restored.outcome, restored.memory.human_verified) == ("restored", True)
    assert COMPOUND in recalled(anywhere, "where is the office")
    assert codex.learn(REJECTED).outcome != "refused"
    lifted = anywhere.explain(corrected).rejected
    assert lifted
    assert {tombstone.lift_reason for tombstone in lifted} == {"we do have one there"}
    assert anywhere.verify().ok


@pytest.mark.covers("A5", "B7")
def test_a_candidate_that_a_person_rejected_is_not_proposed_again(anywhere: Memory) -> None:
    codex, claude = anywhere.as_agent("codex"), anywhere.as_agent("claude")
    waiting = codex.learn("Sebas was born in Bilbao.", kind="profile")
    assert waiting.outcome == "pending"
    assert anywhere.reject(waiting.memory.id, reason="he was not").outcome == "rejected"
    for author in (codex, claude):
        for text in ("Sebas was born in Bilbao.", "SEBAS was  born in B\u0456lbao"):
            assert author.learn(text, kind="profile").outcome == "refused"
    assert anywhere.inbox().items == []
    assert recalled(anywhere, "Bilbao") == []
    assert codex.learn("Sebas was born in Vitoria.", kind="profile").outcome == "pending", (
        "another value may be proposed"
    )


@pytest.mark.covers("A5", "B11")
def test_a_rejection_reaches_no_further_than_its_scope(anywhere: Memory) -> None:
    reject_half(anywhere, scope="project:a")
    assert anywhere.as_agent("codex").learn(REJECTED, scope="project:a").outcome == "refused"
    elsewhere = anywhere.as_agent("codex").learn(REJECTED, scope="project:b")
    assert elsewhere.outcome == "created"
    assert recalled(anywhere, "office", scopes=["project:b"]) == [REJECTED]
    assert [text for text in recalled(anywhere, "office", scopes=["project:a"]) if "Berlin" in text] == []
    assert anywhere.learn(REJECTED).outcome == "created", "nor does it reach what holds for everyone"


@pytest.mark.covers("A5", "B11")
def test_a_rejection_in_a_project_reaches_the_repos_worked_on_in_it(make_home: MakeHome) -> None:
    with Memory.open(make_home(), project="a") as memory:
        reject_half(memory, scope="project:a")
        assert memory.as_agent("codex").learn(REJECTED, scope="repo:a-core").outcome == "refused"


@pytest.mark.covers("A5", "A2")
def test_what_was_rejected_stays_readable_for_audit(settled: Memory) -> None:
    corrected = next(item for item in settled.list(statuses=["superseded"]).items)
    told = settled.explain(corrected.id)
    assert corrected.content == COMPOUND
    assert {tombstone.reason for tombstone in told.rejected} == {"we never had an office there"}
    assert [step.memory.content for step in told.replaced_by] == [INSTEAD]
    assert listed(settled, statuses=["superseded"]) == [COMPOUND]
    assert len(entries(settled)) == 2
