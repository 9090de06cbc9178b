"""Files, folders, exports and transcripts are taken in as evidence, once, and what is left out is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from heldtrue import InvalidInput, ManualClock, Memory, NotAllowed, NotFound


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def found(memory: Memory, words: str, *within: Any) -> list[str]:
    return [result.passage.text for result in memory.recall(words, within=list(within)).results if result.passage]


@pytest.mark.covers("C4", "B3", "D2")
def test_a_folder_is_taken_in_once_and_only_what_changed_again(anywhere: Memory, tmp_path: Path) -> None:
    notes = write(tmp_path / "notes")
    (notes / "deploy.md").parent.mkdir(exist_ok=True)
    (notes / "deploy.md").write_text("# Deploy\n\nThe heron server is restarted on Mondays.\n", "utf-8")
    (notes / "plan.txt").write_text("The quay is repaired in May.\n", "utf-8")
    (notes / "photo.bin").write_bytes(b"\x00\x01\x02")
    first = anywhere.ingest(str(notes))
    assert (first.format, first.documents, first.left_out, first.unchanged) == ("documents", 2, 1, 0)
    assert [(detail.path, detail.reason) for detail in first.details] == [("photo.bin", "it is not a text file")]
    assert len(first.jobs) == 2
    again = anywhere.ingest(str(notes))
    assert (again.documents, again.unchanged, again.jobs) == (0, 2, [])
    (notes / "plan.txt").write_text("The quay is repaired in June.\n", "utf-8")
    changed = anywhere.ingest(str(notes))
    assert (changed.documents, changed.unchanged) == (1, 1)
    assert any("Mondays" in text for text in found(anywhere, "when is the heron server restarted?", "sources"))


@pytest.mark.covers("C4", "B5")
def test_what_a_document_says_waits_in_the_inbox_with_its_file_and_line(owner: Memory, tmp_path: Path) -> None:
    (tmp_path / "ops.md").write_text("# Ops\n\nNothing here.\n\n- [ ] renew the licence by 3 May 2027\n", "utf-8")
    owner.ingest(str(tmp_path / "ops.md"))
    owner.work()
    (item,) = owner.inbox().items
    assert "licence" in item.memory.content
    (evidence,) = item.evidence
    assert (evidence.file, evidence.line) == ("ops.md", 5)


CHATGPT = [
    {
        "title": "Bread",
        "conversation_id": "c1",
        "create_time": 1_700_000_000.0,
        "current_node": "n2",
        "mapping": {
            "root": {"id": "root", "parent": None, "children": ["n1"], "message": None},
            "n1": {
                "id": "n1",
                "parent": "root",
                "children": ["n2"],
                "message": {
                    "author": {"role": "user"},
                    "create_time": 1_700_000_001.0,
                    "content": {"content_type": "text", "parts": ["How long does a sourdough rise?"]},
                },
            },
            "n2": {
                "id": "n2",
                "parent": "n1",
                "children": [],
                "message": {
                    "author": {"role": "assistant"},
                    "create_time": 1_700_000_002.0,
                    "content": {"content_type": "text", "parts": ["A sourdough rises for about twelve hours."]},
                },
            },
        },
    }
]


@pytest.mark.covers("B3", "B26")
def test_an_export_of_conversations_becomes_turns_that_can_be_found(owner: Memory, tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(CHATGPT), "utf-8")
    answer = owner.ingest(str(path))
    assert (answer.format, answer.conversations, answer.turns) == ("chatgpt", 1, 2)
    assert "A sourdough rises for about twelve hours." in found(owner, "how long does sourdough rise", "sessions")
    assert owner.ingest(str(path)).unchanged == 1


@pytest.mark.covers("B26", "B7")
def test_memories_of_another_product_are_proposed_and_what_was_rejected_stays_out(
    anywhere: Memory, tmp_path: Path
) -> None:
    path = tmp_path / "memory.jsonl"
    lines: list[dict[str, Any]] = [
        {
            "type": "entity",
            "name": "Sam",
            "entityType": "person",
            "observations": ["Sam lives in Lyon.", "Sam plays the viola."],
        }
    ]
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    assert anywhere.ingest(str(path)).memories == {"pending": 2}
    entries = anywhere.status().ledger_entries
    assert anywhere.ingest(str(path)).memories == {"known": 2}
    assert anywhere.status().ledger_entries == entries
    (lyon,) = [item for item in anywhere.inbox().items if "Lyon" in item.memory.content]
    anywhere.reject(lyon.memory.id, reason="moved away")
    for _ in range(2):
        again = anywhere.ingest(str(path))
        assert again.memories == {"known": 1, "refused": 1}
        assert "rejected by" in again.details[0].reason
    assert len(anywhere.refusals().items) == 1, "a refusal is not written down again and again"
    assert [item.memory.content for item in anywhere.inbox().items] == ["Sam plays the viola."]


@pytest.mark.covers("B4")
def test_only_a_person_has_files_read_and_wrong_names_are_told(owner: Memory, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("A note.", "utf-8")
    with pytest.raises(NotAllowed):
        owner.as_agent("codex").ingest(str(tmp_path / "note.md"))
    with pytest.raises(NotFound, match="cannot be read"):
        owner.ingest(str(tmp_path / "nothing.md"))
    with pytest.raises(InvalidInput, match="not a known format"):
        owner.ingest(str(tmp_path / "note.md"), source_format="wordstar")
    assert owner.ingest(str(tmp_path / "note.md")).documents == 1


@pytest.mark.covers("C4")
def test_what_a_document_no_longer_says_leaves_the_working_set(anywhere: Memory, tmp_path: Path) -> None:
    path = tmp_path / "todo.md"

    def tasks(*names: str) -> dict[str, int]:
        path.write_text("# To do\n\n" + "".join(f"- [ ] {name}\n" for name in names), "utf-8")
        anywhere.ingest(str(path))
        (job,) = anywhere.work().jobs
        return dict(job.counts)

    def waiting() -> set[str]:
        return {
            word for item in anywhere.inbox().items for word in ("roof", "gate", "pump") if word in item.memory.content
        }

    assert tasks("mend the roof before winter", "paint the gate by June") == {"pending": 2}
    assert waiting() == {"roof", "gate"}
    kept = next(item for item in anywhere.inbox().items if "roof" in item.memory.content).memory.id
    counts = tasks("paint the gate by June", "replace the pump in the cellar")
    assert counts["expired"] == 1
    assert waiting() == {"gate", "pump"}
    assert anywhere.get(kept).memory.status == "archived"
    assert anywhere.verify().problems == []
    again = tasks("mend the roof before winter", "paint the gate by June", "replace the pump in the cellar")
    assert again.get("expired") is None
    assert waiting() == {"roof", "gate", "pump"}


@pytest.mark.covers("C4")
def test_a_file_that_is_gone_is_no_longer_found_until_it_is_back(
    anywhere: Memory, clock: ManualClock, tmp_path: Path
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    beacon, lamp = folder / "a.md", folder / "b.md"
    beacon.write_text("The Beck beacon runs on channel 31.\n", "utf-8")
    lamp.write_text("The Beck lamp is green.\n", "utf-8")

    def passages(as_of: str | None = None) -> list[str]:
        results = anywhere.recall("which channel does the Beck beacon run on?", as_of=as_of).results
        return [result.passage.text.strip() for result in results if result.passage is not None]

    anywhere.ingest(str(folder), extract=False)
    assert "The Beck beacon runs on channel 31." in passages()
    clock.advance(days=1)
    text = beacon.read_text("utf-8")
    beacon.unlink()
    answer = anywhere.ingest(str(folder))
    assert [(detail.path, detail.reason) for detail in answer.details] == [
        ("a.md", "the file was removed, so recall no longer finds its text")
    ]
    assert "The Beck beacon runs on channel 31." not in passages()
    assert "The Beck lamp is green." in passages(), "the other file is still there"
    assert "The Beck beacon runs on channel 31." in passages(as_of="yesterday 23:00"), "it was there then"
    entries = anywhere.status().ledger_entries
    assert anywhere.ingest(str(folder)).details == [], "that is said once"
    assert anywhere.status().ledger_entries == entries + 1  # type: ignore[operator]
    anywhere.reindex()
    assert "The Beck beacon runs on channel 31." not in passages(), "a rebuilt index agrees"
    beacon.write_text(text, "utf-8")
    assert anywhere.ingest(str(folder)).documents == 1
    assert "The Beck beacon runs on channel 31." in passages()
    beacon.write_text("", "utf-8")
    anywhere.ingest(str(folder))
    assert "The Beck beacon runs on channel 31." not in passages(), "an emptied file says nothing"
    assert anywhere.verify().problems == []


@pytest.mark.covers("C4")
def test_what_a_file_alone_had_said_leaves_with_it_and_comes_back_with_it(anywhere: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    (folder / "sub").mkdir(parents=True)
    roof, gate, sub = folder / "roof.md", folder / "gate.md", folder / "sub" / "pump.md"
    texts = {roof: "mend the roof before winter", gate: "paint the gate by June", sub: "replace the pump in the cellar"}
    for path, text in texts.items():
        path.write_text(f"- [ ] {text}\n", "utf-8")
    anywhere.ingest(str(folder))
    anywhere.work()

    def waiting() -> set[str]:
        return {
            word for item in anywhere.inbox().items for word in ("roof", "gate", "pump") if word in item.memory.content
        }

    entries = anywhere.status().ledger_entries
    assert anywhere.ingest(str(folder / "sub")).expired == 0, "a part of it is not the whole"
    assert anywhere.ingest(str(folder)).expired == 0
    assert waiting() == {"roof", "gate", "pump"}
    said = roof.read_text("utf-8")
    roof.unlink()
    answer = anywhere.ingest(str(folder))
    assert (answer.expired, answer.returned) == (1, 0)
    assert [detail.path for detail in answer.details] == ["roof.md"]
    assert waiting() == {"gate", "pump"}
    assert anywhere.ingest(str(folder)).expired == 0, "once"
    roof.write_text(said, "utf-8")
    answer = anywhere.ingest(str(folder))
    assert (answer.expired, answer.returned) == (0, 1)
    assert waiting() == {"roof", "gate", "pump"}
    anywhere.work()
    assert waiting() == {"roof", "gate", "pump"}
    assert len(anywhere.inbox().items) == 3, "the returned memory rests on the file that is back"
    assert anywhere.status().ledger_entries > entries  # type: ignore[operator]
    assert anywhere.verify().problems == []


@pytest.mark.covers("C4", "B8")
def test_what_was_rejected_does_not_come_back_with_its_file(owner: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    path = folder / "roof.md"
    path.write_text("- [ ] mend the roof before winter\n", "utf-8")
    owner.ingest(str(folder))
    owner.work()
    (item,) = owner.inbox().items
    path.unlink()
    owner.ingest(str(folder))
    same = owner.learn(item.memory.content).memory.id
    owner.forget(same, reason="it was mended")
    path.write_text("- [ ] mend the roof before winter\n", "utf-8")
    assert owner.ingest(str(folder)).returned == 0
    assert owner.get(item.memory.id).memory.status == "archived"


@pytest.mark.covers("C4")
def test_what_a_person_stands_behind_stays_whatever_its_document_says(owner: Memory, tmp_path: Path) -> None:
    path = tmp_path / "todo.md"
    path.write_text("- [ ] mend the roof before winter\n", "utf-8")
    owner.ingest(str(path))
    owner.work()
    (item,) = owner.inbox().items
    owner.approve(item.memory.id)
    path.write_text("Nothing is left to do.\n", "utf-8")
    owner.ingest(str(path))
    owner.work()
    assert owner.get(item.memory.id).memory.status == "active"


@pytest.mark.covers("B3", "C4")
def test_rules_for_agents_inside_a_folder_are_rules(owner: Memory, tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text(
        "# Rules\n\n- Use tabs, not spaces, in Go files.\n- Prefer small pull requests.\n"
    )
    (tmp_path / "notes.md").write_text("The heron nests by the weir.\n")
    answer = owner.ingest(str(tmp_path))
    assert (answer.format, answer.documents, answer.memories) == ("documents", 1, {"pending": 2})
    assert {item.memory.kind for item in owner.inbox().items} == {"convention"}


@pytest.mark.covers("C4")
def test_notes_of_one_thread_do_not_replace_each_other(owner: Memory) -> None:
    owner.capture("- [ ] mend the roof before winter", thread="diary")
    owner.work()
    owner.capture("- [ ] paint the gate by June", thread="diary")
    (job,) = owner.work().jobs
    assert "expired" not in job.counts
    assert len(owner.inbox().items) == 2


@pytest.mark.covers("D3")
def test_a_text_with_a_speaker_is_what_that_person_said(owner: Memory) -> None:
    owner.capture("I prefer dark mode in every editor.", speaker="Ana")
    owner.work()
    (item,) = owner.inbox().items
    assert "Ana prefers" in item.memory.content
    assert item.evidence[0].speaker == "Ana"


@pytest.mark.covers("C4", "C14", "A14")
def test_recall_finds_the_newest_text_of_a_document_and_as_of_then_the_one_before(
    anywhere: Memory, tmp_path: Path
) -> None:
    path = tmp_path / "api.txt"

    def hand_in(port: int) -> None:
        path.write_text(f"The API listens on port {port}.\n", "utf-8")
        anywhere.ingest(str(path), extract=False)

    def ports(**how: Any) -> list[str]:
        results = anywhere.recall("which port does the API listen on?", within=["sources"], **how).results
        return [result.passage.text.strip() for result in results if result.passage]

    hand_in(9090)
    then = f"#{anywhere.status().ledger_entries}"
    hand_in(7070)
    assert ports() == ["The API listens on port 7070."]
    assert ports(as_of=then) == ["The API listens on port 9090."]
    hand_in(9090)
    assert ports() == ["The API listens on port 9090."], "also where it is the old one again"
    assert anywhere.ingest(str(path), extract=False).unchanged == 1
    anywhere.reindex()
    assert (ports(), ports(as_of=then)) == (["The API listens on port 9090."],) * 2
    assert anywhere.verify().problems == []
