"""What the command line tells about the queue, the inbox, summaries and consolidation."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from heldtrue.domain.plural import count
from tests.surfaces.conftest import CommandLine

OAT = "Remember: I prefer oat milk in my coffee, never dairy."


def say(heldtrue: CommandLine, folder: Path, text: str, thread: str) -> None:
    file = folder / f"{thread}.jsonl"
    file.write_text(json.dumps({"name": "Mira", "content": text}) + "\n", "utf-8")
    heldtrue("capture", "--message", str(file), "--thread", thread)


@pytest.mark.covers("B2")
def test_the_queue_names_what_a_job_works_on(heldtrue: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "ops.md").write_text("# Ops\n\n- [ ] renew the licence by 3 May 2027\n", "utf-8")
    heldtrue("ingest", str(tmp_path / "notes"))
    say(heldtrue, tmp_path, OAT, "breakfast")
    listed = heldtrue("jobs")
    assert "extract ops.md" in listed
    assert "extract breakfast" in listed
    assert "ops.md" in heldtrue("work")
    assert {job["about"] for job in heldtrue.json("jobs")["items"]} == {"ops.md", "breakfast"}


def test_an_extraction_that_finds_nothing_says_so(heldtrue: CommandLine, tmp_path: Path) -> None:
    say(heldtrue, tmp_path, "Did you sleep well?", "greeting")
    assert "no memories found" not in heldtrue("jobs")
    assert "1 of 1 · no memories found" in heldtrue("work")
    say(heldtrue, tmp_path, OAT, "breakfast")
    assert "no memories found" not in heldtrue("work")


@pytest.mark.covers("B24", "B7")
def test_consolidation_tells_what_it_did_in_numbers_and_for_which_memories(
    heldtrue: CommandLine, tmp_path: Path
) -> None:
    assert "0 merged, 0 promoted, 0 linked" in _first_consolidation(heldtrue, tmp_path)
    say(heldtrue, tmp_path, f"Good morning, Tom. {OAT}", "tuesday")
    heldtrue("work")
    foretold = heldtrue("consolidate", "--dry-run")
    assert "Preview, nothing changed: 0 merged, 1 promoted." in foretold
    assert "heldtrue undo" not in foretold
    told = heldtrue("consolidate")
    (memory,) = heldtrue.json("list")["items"]
    assert "0 merged, 1 promoted, 0 linked" in told
    assert f"…{memory['id'][-8:]}" in told
    assert memory["content"] in told
    assert "heldtrue undo" in told


def _first_consolidation(heldtrue: CommandLine, folder: Path) -> str:
    say(heldtrue, folder, OAT, "monday")
    heldtrue("work")
    return heldtrue("consolidate")


@pytest.mark.covers("A12")
def test_compaction_names_what_it_archives_its_age_and_the_reason(heldtrue: CommandLine) -> None:
    heldtrue("learn", "The build queue has nine jobs.", "--staleness", "volatile")
    heldtrue("learn", "The lamp is on the left wall.")
    memory = next(item for item in heldtrue.json("list")["items"] if "queue" in item["content"])
    foretold = heldtrue("compact", "--dry-run")
    assert "Preview, nothing changed: 1 stale." in foretold
    assert "without --dry-run" in foretold
    told = heldtrue("compact")
    for text in (foretold, told):
        assert "The build queue has nine jobs." in text
        assert f"archived · memory · …{memory['id'][-8:]} · 0 days old" in text
        assert "out of date (staleness: volatile)" in text
        assert "lamp" not in text
    assert "heldtrue undo" in told
    assert "entry #3" in told
    assert "nothing to do" in heldtrue("compact")


@pytest.mark.covers("D7")
def test_summaries_are_read_as_markdown(heldtrue: CommandLine) -> None:
    heldtrue("learn", "The stove is lit.")
    assert "No memories to summarise" in heldtrue("summaries", "hobbies")
    heldtrue("learn", "The stand-up is at nine.", "--category", "work")
    told = heldtrue("summaries", "work")
    lines = told.splitlines()
    assert lines[0] == "# work  global, 1 memory"
    assert lines[2].startswith("- The stand-up is at nine. (")
    assert "made at" not in told


@pytest.mark.covers("B7")
def test_the_inbox_can_be_narrowed_to_kinds(heldtrue: CommandLine) -> None:
    heldtrue("--agent", "codex", "learn", "Ada speaks French.", "--kind", "profile")
    heldtrue("--agent", "codex", "learn", "We chose the green door.", "--kind", "decision")
    only = heldtrue("inbox", "--kind", "decision")
    assert ("green door" in only, "French" in only) == (True, False)
    both = heldtrue("inbox", "--kind", "decision,profile")
    assert ("green door" in both, "French" in both) == (True, True)
    assert "No inbox items match" in heldtrue("inbox", "--kind", "lesson")


@pytest.mark.covers("B7")
def test_deciding_about_something_twice_is_told(heldtrue: CommandLine) -> None:
    waiting = heldtrue.json("--agent", "codex", "learn", "Ada speaks French.", "--kind", "profile")["memory"]["id"]
    heldtrue("reject", waiting, "--reason", "she does not")
    assert "it was already rejected: she does not" in heldtrue("reject", waiting, "--reason", "again")
    other = heldtrue.json("--agent", "codex", "learn", "Ben speaks Dutch.", "--kind", "profile")["memory"]["id"]
    heldtrue("approve", other)
    assert "already approved" in heldtrue("approve", other)


@pytest.mark.covers("B7")
def test_a_decision_without_its_reason_is_told_how_to_give_it(heldtrue: CommandLine) -> None:
    choice = heldtrue.json("--agent", "codex", "learn", "We chose the green door.", "--kind", "decision")["memory"]
    done = heldtrue.run("approve", choice["id"])
    assert done.status == 2
    assert "--rationale" in done.err
    assert "approved" in heldtrue("approve", choice["id"][-12:], "--rationale", "Green calms.")


@pytest.mark.parametrize("words", [["capture", "--message", "/dev/zero"], ["learn-many", "/dev/zero"]])
def test_a_file_without_end_is_refused(heldtrue: CommandLine, words: list[str]) -> None:
    done = heldtrue.run(*words)
    assert done.status == 2
    assert "more than 67,108,864 bytes" in done.err


def test_an_id_is_named_by_its_end(heldtrue: CommandLine) -> None:
    ids = [heldtrue.json("learn", text)["memory"]["id"] for text in ("The shed is green.", "The gate squeaks.")]
    assert "The shed" in heldtrue("get", ids[0][-8:])
    assert "The gate" in heldtrue("get", f"…{ids[1][-8:]}")
    assert heldtrue.run("get", ids[0][:8]).status == 3


def test_a_conversation_that_is_too_long_for_one_capture_is_handed_in_in_parts(
    heldtrue: CommandLine, tmp_path: Path
) -> None:
    file = tmp_path / "long.jsonl"
    lines = [f'{{"name": "Mira", "content": "Locker {number} is empty."}}' for number in range(2_345)]
    file.write_text("\n".join(lines), "utf-8")
    words = ["capture", "--message", str(file), "--thread", "lockers", "--no-extract"]
    told = heldtrue(*words)
    assert "2,345 new" in told
    assert "stored in 3 parts" in told
    again = heldtrue.json(*words)
    assert (again["outcome"], again["captured"], again["known"]) == ("unchanged", 0, 2_345)
    assert len(again["sources"]) == len(set(again["sources"])) == 2_345
    assert "Locker 2344" in heldtrue("recall", "locker 2344", "--within", "sessions")
    file.write_text("\n".join([*lines, '{"content": "", "at": "someday"}']), "utf-8")
    done = heldtrue.run(*words)
    assert done.status == 2
    assert "line 2346: " in done.err


def test_a_rejection_and_a_settlement_need_no_words(heldtrue: CommandLine) -> None:
    heldtrue("learn", "The API listens on port 8080")
    claim = heldtrue.json("--agent", "bot", "learn", "The API listens on port 9090")
    told = heldtrue.json("resolve", claim["conflicts"][0], "keep_old")
    assert told["reason"] == "no reason given"
    waiting = heldtrue.json("--agent", "bot", "learn", "Mira is allergic to nuts", "--kind", "profile")["memory"]["id"]
    assert heldtrue.json("reject", waiting)["outcome"] == "rejected"
    assert "rejected" in heldtrue("history", waiting)


def test_what_comes_to_nothing_is_said_so(heldtrue: CommandLine) -> None:
    heldtrue("init")
    told = heldtrue("review", "approve", "--dry-run", "--reason", "read")
    assert told == "No inbox items match.\n"
    assert heldtrue.json("review", "approve", "--dry-run", "--reason", "read")["matched"] == 0


@pytest.mark.parametrize("when", ["tuesday", "last week", "a week ago", "2d", "May 2026", "2026-05", "yesterday 14:00"])
def test_a_moment_is_read_as_people_write_it_and_told_in_full(heldtrue: CommandLine, when: str) -> None:
    heldtrue("learn", "The shed is green")
    assert re.search(
        r"as believed at \d{4}-\d\d-\d\d \d\d:\d\d UTC \(entry #", heldtrue("recall", "shed", "--as-of", when)
    )


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (("recall", "shed", "--as-of", "someday"), "as_of"),
        (("recall", "shed", "--valid-at", "someday"), "valid_at"),
        (("list", "--as-of", "someday"), "as_of"),
        (("diff", "someday"), "since"),
        (("diff", "yesterday", "--until", "someday"), "until"),
        (("learn", "The shed is red", "--valid-from", "someday"), "valid_from"),
        (("learn", "The shed is red", "--valid-to", "someday"), "valid_to"),
        (("learn", "The shed is red", "--observed-at", "someday"), "observed_at"),
    ],
)
def test_what_is_not_a_moment_is_refused_by_the_name_of_its_field(
    heldtrue: CommandLine, words: tuple[str, ...], field: str
) -> None:
    heldtrue("learn", "The shed is green")
    done = heldtrue.run(*words, "--json")
    assert done.status == 2
    assert f'"{field}"' in done.out + done.err
    assert "last week" in done.out + done.err, "the hint shows how moments are written"


def test_what_waits_for_later_is_counted_in_words() -> None:
    assert count(1, "more job is", "more jobs are") == "1 more job is"
    assert count(2, "more job is", "more jobs are") == "2 more jobs are"
    assert [count(number, "memory") for number in (0, 1, 1_200)] == ["0 memories", "1 memory", "1,200 memories"]
