"""What the rules find in documents, and on which line."""

from __future__ import annotations

from datetime import UTC, datetime

from heldtrue.domain.memory import Kind
from heldtrue.language.extraction import extract_document

README = """# Pelican

Pelican is a photo gallery generator written in Rust.

## Rules

- Every commit must be signed.
- Nothing special.

```
pelican build
```

- [ ] support for AVIF
- [x] dark theme
"""

RECORD = """# 3. Cache thumbnails on disk

Date: 2025-11-03

## Decision

We will cache thumbnails on disk, because memory is scarce.

## Alternatives

Redis was rejected because it needs another service.
"""


def lines_of(text: str, **known: str) -> dict[int, tuple[Kind, str]]:
    found = extract_document(text, **known)  # type: ignore[arg-type]
    assert all(text[statement.start : statement.end].strip() for statement in found)
    return {text.count("\n", 0, statement.start) + 1: (statement.kind, statement.text) for statement in found}


def test_reads_prose_rules_and_open_boxes() -> None:
    found = lines_of(README, path="README.md", project="pelican")
    assert found[3] == (Kind.PROJECT, "Pelican is a photo gallery generator written in Rust.")
    assert found[7] == (Kind.CONVENTION, "Every commit must be signed.")
    assert found[14] == (Kind.TASK_HINT, "To do: support for AVIF.")
    assert not {8, 11, 15} & set(found)


def test_a_decision_record_has_its_date_its_reason_and_what_it_is_against() -> None:
    found = extract_document(RECORD, path="docs/adr/0003.md", project="pelican")
    kept, rejected = found
    assert kept.text == "pelican will cache thumbnails on disk, because memory is scarce."
    assert kept.rationale == "memory is scarce"
    assert kept.valid_from == int(datetime(2025, 11, 3, tzinfo=UTC).timestamp() * 1_000_000)
    assert (rejected.kind, rejected.alternatives) == (Kind.DECISION, ("Redis",))


def test_minutes_give_decisions_and_tasks_but_no_chatter() -> None:
    text = (
        "Agreed: the fee is 20 euros.\nAction: Bo writes the letter by 1 April.\nChris was late.\nDiscussed: a roof?\n"
    )
    found = lines_of(text, path="minutes.md")
    assert {line: kind for line, (kind, _) in found.items()} == {1: Kind.DECISION, 2: Kind.TASK_HINT}


def test_of_code_only_what_is_left_to_do() -> None:
    code = "# TODO(Ravi): free the buffer\n# we always round\ndef total():\n    return 1  # FIXME round it well\n"
    assert lines_of(code, path="src/total.py") == {
        1: (Kind.TASK_HINT, "To do, Ravi: free the buffer."),
        4: (Kind.TASK_HINT, "To do: round it well."),
    }


def test_of_data_logs_and_change_lists_nothing() -> None:
    said = "- Every commit must be signed.\n"
    for path in ("data/a.csv", "values.yaml", "a.log", "CHANGELOG.md", "LICENSE"):
        assert extract_document(said, path=path) == []
    assert extract_document(said, path="RULES.md") != []


def test_definitions_and_rows_of_tables() -> None:
    text = (
        "**Flux** is the volume per hour.\n\n| host | role |\n| --- | --- |\n| anchor | build runner |\n| 12 | 34 |\n"
    )
    assert lines_of(text, path="glossary.md", project="otter") == {
        1: (Kind.ENTITY, "Flux is the volume per hour."),
        5: (Kind.PROJECT, "anchor: role build runner."),
    }


def test_templates_and_questions_say_nothing() -> None:
    assert (
        extract_document("Dear [name],\nWe will reply within [days] days.\nIs the museum open?\n", path="a.txt") == []
    )
