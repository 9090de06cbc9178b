"""Corrections, restored memories and repeated imports: what is untouched stands, what disagrees is flagged."""

from __future__ import annotations

from pathlib import Path

import pytest

from heldtrue import InvalidInput, Memory


@pytest.mark.covers("A4", "B7")
@pytest.mark.parametrize(
    ("compound", "correction", "untouched", "rejected"),
    [
        (
            "Alice lives in Berlin and works at Acme",
            "Alice lives in Porto",
            "Alice works at Acme",
            "Alice lives in Berlin",
        ),
        (
            "Alice lives in Berlin and works at Acme",
            "She lives in Porto",
            "Alice works at Acme",
            "Alice lives in Berlin",
        ),
        (
            "The office is in Berlin and the lab is in Rome",
            "The lab is in Milan",
            "The office is in Berlin",
            "The lab is in Rome",
        ),
    ],
)
def test_the_half_that_was_not_corrected_stands_and_may_be_said_again(
    compound: str, correction: str, untouched: str, rejected: str
) -> None:
    with Memory.open(":memory:") as memory:
        learned = memory.learn(compound)
        fixed = memory.correct(learned.memory.id, correction, reason="checked")
        assert [kept.content for kept in fixed.kept] == [untouched]
        agent = memory.as_agent("codex")
        assert agent.learn(untouched).outcome == "corroborated"
        assert agent.learn(rejected).outcome == "refused"


@pytest.mark.covers("A4")
def test_a_rewritten_statement_rejects_its_old_wording_but_none_of_its_parts() -> None:
    with Memory.open(":memory:") as memory:
        learned = memory.learn("The office is in Berlin and the lab is in Rome")
        fixed = memory.correct(learned.memory.id, "All sites were closed in May", reason="we are remote now")
        assert fixed.kept == []
        agent = memory.as_agent("codex")
        assert agent.learn("The office is in Berlin and the lab is in Rome").outcome == "refused"
        assert agent.learn("The lab is in Rome").outcome == "created"


@pytest.mark.covers("A5", "E6")
def test_a_restored_memory_that_disagrees_with_its_successor_is_a_conflict() -> None:
    with Memory.open(":memory:") as memory:
        old = memory.learn("The API listens on port 8080")
        new = memory.correct(old.memory.id, "The API listens on port 9090", reason="moved")
        back = memory.restore(old.memory.id, reason="moved back")
        assert len(back.conflicts) == 1
        tags = {result.memory.id: {tag.tag for tag in result.trust} for result in memory.recall("API port").results}
        assert "conflicting" in tags[old.memory.id]
        assert "conflicting" in tags[new.memory.id]
        memory.resolve(back.conflicts[0], "keep_new", reason="it is 8080 again")
        found = [result.memory.content for result in memory.recall("API port").results]
        assert found == ["The API listens on port 8080"]


@pytest.mark.covers("E6")
def test_settling_for_the_newcomer_keeps_the_other_half_of_what_lost() -> None:
    with Memory.open(":memory:") as memory:
        memory.learn("The API listens on port 8080 and is deployed from the main branch")
        other = memory.as_agent("scout").learn("The API listens on port 3000")
        memory.resolve(other.conflicts[0], "keep_new", reason="it moved")
        found = [result.memory.content for result in memory.recall("API port main branch").results]
        assert sorted(found) == ["The API is deployed from the main branch", "The API listens on port 3000"]


@pytest.mark.covers("B7")
def test_a_corrected_decision_has_a_rationale_of_its_own() -> None:
    with Memory.open(":memory:") as memory:
        decided = memory.learn("We use Kafka", kind="decision", rationale="we need replay")
        changed = memory.correct(decided.memory.id, "We use NATS", reason="it is lighter to run")
        assert changed.memory.rationale == "it is lighter to run"


@pytest.mark.covers("A14")
def test_what_does_not_hold_yet_is_told_as_upcoming() -> None:
    with Memory.open(":memory:") as memory:
        memory.learn("The release train leaves on Wednesdays", valid_from="2999-01-01")
        memory.learn("The release train has four wagons")
        tags = {
            result.memory.content: {tag.tag for tag in result.trust}
            for result in memory.recall("release train").results
        }
        assert "upcoming" in tags["The release train leaves on Wednesdays"]
        assert "upcoming" not in tags["The release train has four wagons"]


@pytest.mark.covers("B29")
def test_an_export_never_lands_on_the_home_or_silently_on_another_file(tmp_path: Path) -> None:
    diary = tmp_path / "diary.txt"
    diary.write_text("dear diary")
    with Memory.open(tmp_path / "home") as memory:
        memory.learn("The bell rings at noon")
        for target in (tmp_path / "home" / "heldtrue.db", tmp_path / "home" / "ledger.head", tmp_path, diary):
            for verb in ("memory.export", "memory.backup"):
                with pytest.raises(InvalidInput) as refused:
                    memory.invoke(verb, path=str(target))
                assert refused.value.field == "path"
        assert diary.read_text() == "dear diary"
        assert memory.verify().ok
        memory.export(str(diary), overwrite=True)
        assert diary.read_text().startswith('{"heldtrue"')


@pytest.mark.covers("B29", "B31")
def test_an_import_goes_on_where_an_earlier_one_stopped(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "first") as first, Memory.open(tmp_path / "second") as second:
        first.learn("The bell rings at noon")
        first.export(str(tmp_path / "early.jsonl"))
        kept = first.learn("The gate is painted green")
        first.forget(kept.memory.id, reason="repainted")
        first.export(str(tmp_path / "late.jsonl"))
        assert second.import_(str(tmp_path / "early.jsonl")).counts == {"replayed": 1}
        assert second.import_(str(tmp_path / "late.jsonl")).counts == {"replayed": 2}
        second.export(str(tmp_path / "again.jsonl"))
        assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "late.jsonl").read_bytes()


@pytest.mark.covers("B29")
def test_an_import_into_a_space_that_went_its_own_way_is_proposed(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "first") as first, Memory.open(tmp_path / "second") as second:
        first.learn("The bell rings at noon")
        first.export(str(tmp_path / "early.jsonl"))
        second.import_(str(tmp_path / "early.jsonl"))
        second.learn("The well is dry")
        first.learn("The gate is painted green")
        first.export(str(tmp_path / "late.jsonl"))
        answer = second.import_(str(tmp_path / "late.jsonl"))
        assert answer.how == "proposed"
        assert answer.counts == {"already_here": 1, "created": 1}
        assert second.verify().ok


@pytest.mark.covers("D6")
def test_saying_it_again_with_a_topic_files_it_there() -> None:
    with Memory.open(":memory:") as memory:
        memory.learn("The bell rings at noon")
        again = memory.learn("The bell rings at noon.", topic="bells")
        assert again.outcome == "refreshed"
        assert again.memory.topic == "bells"


@pytest.mark.covers("B11")
def test_what_is_learned_in_a_project_belongs_to_it(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "home", project="shop") as shop, Memory.open(tmp_path / "home", project="blog") as blog:
        learned = shop.learn("Prices are in cents")
        assert learned.memory.scope == "project:shop"
        assert [result.memory.content for result in shop.recall("prices").results] == ["Prices are in cents"]
        assert blog.recall("prices").results == []
