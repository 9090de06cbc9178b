"""Memories and notes of other programs."""

import json
from pathlib import Path
from typing import Any

import pytest

from heldtrue.domain.limits import CONTENT_BYTES_MAX
from heldtrue.readers.front_matter import read_front_matter
from heldtrue.readers.recognise import read
from heldtrue.readers.values import Document, FileNote, NamedLink, Remark, Skipped, Value
from tests.unit.readers import samples
from tests.unit.readers.making import zipped
from tests.unit.readers.samples import dumps


def read_as(tmp_path: Path, kind: str, data: bytes, name: str | None = None) -> list[Value]:
    path = tmp_path / (name or samples.FILES[kind][0])
    path.write_bytes(data)
    return list(read(path, kind))


def remarks(values: list[Value]) -> list[Remark]:
    return [value for value in values if isinstance(value, Remark)]


def skipped(values: list[Value]) -> list[tuple[str, str]]:
    return [(value.path, value.reason) for value in values if isinstance(value, Skipped)]


def test_observations_are_remarks_about_their_entity_and_relations_are_links(tmp_path: Path) -> None:
    assert read_as(tmp_path, "server-memory", samples.SERVER_MEMORY) == [
        Remark(content="Ada sleeps afloat", subject="Ada", tags=("otter",), origin="memory.jsonl:1"),
        Remark(content="Ada likes kelp", subject="Ada", tags=("otter",), origin="memory.jsonl:1"),
        NamedLink(from_name="Ada", relation="lives_in", to_name="Kelp forest", origin="memory.jsonl:2"),
    ]


def test_the_whole_graph_in_one_object_says_the_same(tmp_path: Path) -> None:
    entity, relation = (json.loads(line) for line in samples.SERVER_MEMORY.splitlines())
    graph = json.dumps({"entities": [entity], "relations": [relation]}).encode()
    values = read_as(tmp_path, "server-memory", graph, "graph.json")
    assert [remark.content for remark in remarks(values)] == ["Ada sleeps afloat", "Ada likes kelp"]
    assert sum(isinstance(value, NamedLink) for value in values) == 1


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"type": "entity", "name": "Ada"}, "has no name or no list"),
        ({"type": "entity", "name": 3, "observations": ["x"]}, "has no name or no list"),
        ({"type": "entity", "name": "Ada", "observations": []}, "Ada has no observations"),
        ({"type": "entity", "name": "Ada", "observations": [3]}, "no text"),
        ({"type": "entity", "name": "Ada", "observations": ["x" * (CONTENT_BYTES_MAX + 1)]}, "longer than 65,536"),
        ({"type": "relation", "from": "Ada", "to": "Kelp"}, "one of its two entities is missing"),
        ({"type": "otter"}, "neither an entity nor a relation"),
    ],
)
def test_what_is_no_memory_is_named(tmp_path: Path, record: Any, reason: str) -> None:
    values = read_as(tmp_path, "server-memory", dumps(record) + samples.SERVER_MEMORY)
    [(path, why)] = skipped(values)
    assert path == "memory.jsonl:1"
    assert reason in why
    assert len(remarks(values)) == 2


def test_a_memory_of_mem0_keeps_its_user_its_time_and_its_plain_metadata(tmp_path: Path) -> None:
    remark, link = read_as(tmp_path, "mem0", samples.MEM0)
    assert remark == Remark(
        content="Ada keeps otters",
        subject="ada",
        created_at=1_722_008_921_039_788,
        tags=("animals",),
        details=(("user_id", "ada"), ("type", "professional")),
        origin="mem0.json#results#1",
    )
    assert link == NamedLink(from_name="ada", relation="keeps", to_name="otters", origin="mem0.json#relations#1")


@pytest.mark.parametrize("shape", ["list", "lines", "memories"])
def test_memories_of_mem0_come_in_several_shapes(tmp_path: Path, shape: str) -> None:
    memories = [{"memory": "otter", "user_id": "ada"}, {"text": "kelp", "created_at": "2026-01-01T00:00:00Z"}]
    shapes = {
        "list": json.dumps(memories).encode(),
        "lines": dumps(*memories),
        "memories": json.dumps({"memories": memories}).encode(),
    }
    values = read_as(tmp_path, "mem0", shapes[shape])
    assert [remark.content for remark in remarks(values)] == ["otter", "kelp"]


def test_a_backup_of_openmemory_names_its_categories_and_what_was_deleted_stays_so(tmp_path: Path) -> None:
    backup = {
        "user": {"user_id": "ada"},
        "categories": [{"id": "c1", "name": "animals"}],
        "memories": [
            {"id": "1", "user_id": "u", "content": "otter", "state": "active", "category_ids": ["c1"]},
            {"id": "2", "user_id": "u", "content": "shark", "state": "deleted", "category_ids": []},
        ],
        "export_meta": {"version": "1"},
    }
    path = tmp_path / "e.zip"
    path.write_bytes(zipped(memories_dot_json=json.dumps(backup, indent=2).encode()))
    values = list(read(path))
    assert [(remark.content, remark.tags) for remark in remarks(values)] == [("otter", ("animals",))]
    assert skipped(values) == [("memories.json#memories#2", "it was deleted in Mem0")]


def test_a_note_of_basic_memory_is_a_document_with_remarks_and_links(tmp_path: Path) -> None:
    document, *values = read_as(tmp_path, "basic-memory", samples.BASIC_MEMORY)
    assert isinstance(document, Document)
    assert document.text == samples.BASIC_MEMORY.decode()
    created = 1_767_571_200_000_000
    assert values == [
        Remark(
            content="Otters get kelp every day",
            kind="decision",
            subject="Otter care",
            created_at=created,
            tags=("decision", "food", "daily", "otters", "care"),
            details=(("context", "agreed in May"),),
            origin="Otter care.md:14",
        ),
        Remark(
            content="Keep the water cold",
            subject="Otter care",
            created_at=created,
            tags=("technique", "otters", "care"),
            origin="Otter care.md:15",
        ),
        NamedLink(from_name="Otter care", relation="part_of", to_name="Sea life", origin="Otter care.md:21"),
        NamedLink(from_name="Otter care", relation="was taught by", to_name="Ada", origin="Otter care.md:22"),
    ]
    assert document.text.split("\n")[14 - 1].startswith("- [decision]")


def test_observations_in_code_are_code(tmp_path: Path) -> None:
    values = read_as(tmp_path, "basic-memory", b"```\n- [decision] no otter\n```\n- [decision] otter\n")
    assert [remark.content for remark in remarks(values)] == ["otter"]


def test_a_vault_is_its_notes_and_its_links_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".obsidian" / "app.json").write_text("{}")
    (tmp_path / "Rafts.md").write_bytes(samples.OBSIDIAN)
    (tmp_path / "otter.png").write_bytes(b"\x89PNG\0")
    values = list(read(tmp_path))
    [document] = [value for value in values if isinstance(value, Document)]
    assert (document.title, document.lines) == ("Rafts", True)
    assert "[[Otter care|care]]" in document.text
    assert {path for path, _ in skipped(values)} == {".obsidian", "otter.png"}


def test_each_rule_of_an_agents_file_is_a_convention_with_its_line(tmp_path: Path) -> None:
    values = read_as(tmp_path, "agents-files", samples.AGENTS)
    assert [(remark.content, remark.subject, remark.origin) for remark in remarks(values)] == [
        ("Always count otters twice.", "Otter project", "AGENTS.md:3"),
        ("Run `make test` before a commit", "Testing", "AGENTS.md:6"),
        ("For new code: write a test first", "Testing", "AGENTS.md:8"),
        ("For new code: no mocks", "Testing", "AGENTS.md:9"),
        ("Use real otters\non every machine", "Testing", "AGENTS.md:10"),
        ("To build:\n\n```sh\nmake build\n```", "Testing", "AGENTS.md:13"),
    ]
    assert {remark.kind for remark in remarks(values)} == {"convention"}
    assert skipped(values) == [("AGENTS.md:20", "it refers to another file, which is not read")]


def test_a_lead_that_introduces_nothing_is_a_rule_itself(tmp_path: Path) -> None:
    values = read_as(tmp_path, "agents-files", b"- Note:\n- otter\n\nAlways:\n\n# Next\n- kelp:\n")
    assert [remark.content for remark in remarks(values)] == ["Note:", "otter", "Always:", "kelp:"]


def test_the_instructions_of_a_project_are_found_where_agents_look(tmp_path: Path) -> None:
    for name in ("CLAUDE.md", "sub/AGENTS.md", ".cursorrules", ".github/copilot-instructions.md", ".git/AGENTS.md"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("- count otters")
    (tmp_path / "README.md").write_text("- not a rule")
    values = list(read(tmp_path, "agents-files"))
    assert [remark.origin for remark in remarks(values)] == [
        ".cursorrules:1",
        ".github/copilot-instructions.md:1",
        "CLAUDE.md:1",
        "sub/AGENTS.md:1",
    ]
    assert {path for path, _ in skipped(values)} == {".git", "README.md"}


# Front matter


def test_front_matter_has_plain_values_and_flat_lists() -> None:
    found = read_front_matter(
        "---\ntitle: \"Otter: \\\"care\\\"\"  \nplain: a # comment\nit's: 'it''s'\nurl: http://a/b\n"
        "tags: [a, \"b, c\", 'd']\nlist:\n  - one\n- two\nempty:\n# comment\n---\nbody"
    )
    assert found.problem is None
    assert found.fields == {
        "title": 'Otter: "care"',
        "plain": "a",
        "it's": "it's",
        "url": "http://a/b",
        "tags": ("a", "b, c", "d"),
        "list": ("one", "two"),
        "empty": "",
    }
    assert found.lines == 12


@pytest.mark.parametrize(
    ("matter", "problem"),
    [
        ("a: &x b\n", "anchors and aliases"),
        ("a: *x\n", "anchors and aliases"),
        ("a: [b, *x]\n", "anchors and aliases"),
        ("a:\n  - &x b\n", "anchors and aliases"),
        ("a: b\na: c\n", "duplicate key"),
        ("a: " + "x" * 16_384 + "\n", "longer than 16,384 bytes"),
        ("é" * 8_200 + ": x\n", "longer than 16,384 bytes"),
    ],
)
def test_front_matter_that_could_harm_is_not_read_at_all(matter: str, problem: str) -> None:
    found = read_front_matter(f"---\nkept: no\n{matter}---\nbody")
    assert problem in (found.problem or "")
    assert found.fields == {}


def test_what_is_not_plain_is_named_and_the_rest_is_read() -> None:
    found = read_front_matter("---\na: {b: c}\nd: |\n  text\nmap:\n  k: v\ntag: !!x y\nkept: yes\n---\n")
    assert found.fields == {"kept": "yes"}
    assert found.problem == "parts of the front matter were skipped: a, d, line 4, line 6, tag"


@pytest.mark.parametrize("text", ["", "body", "---", "---\n", "---\nnever: closed\n", "--- \nx", "----\na: b\n----\n"])
def test_a_note_without_front_matter_has_none(text: str) -> None:
    found = read_front_matter(text)
    assert (found.fields, found.lines, found.problem) == ({}, 0, None)


def test_a_reader_of_a_note_is_told_what_was_not_read(tmp_path: Path) -> None:
    note, document = read_as(tmp_path, "obsidian", b"---\na: &x 1\n---\notter\n")
    assert isinstance(note, FileNote)
    assert "anchor" in note.text
    assert isinstance(document, Document)
