"""What is kept of documents, and on which line: with a judge that knows its answers, and by marks alone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from heldtrue.domain.judged import JudgeUnits
from heldtrue.domain.memory import Kind
from heldtrue.language.extraction import extract_document
from tests.unit.language.extraction.judges import judge_by, keep_all

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


def lines_of(text: str, judge: JudgeUnits | None, **known: str) -> dict[int, tuple[Kind, str]]:
    found = extract_document(text, judge=judge, **known)  # type: ignore[arg-type]
    assert all(text[statement.start : statement.end].strip() for statement in found)
    return {text.count("\n", 0, statement.start) + 1: (statement.kind, statement.text) for statement in found}


def test_without_a_reader_what_stands_under_a_heading_or_beside_a_box_is_kept() -> None:
    assert lines_of(README, None, path="README.md", project="pelican") == {
        7: (Kind.CONVENTION, "Every commit must be signed."),
        8: (Kind.CONVENTION, "Nothing special."),
        14: (Kind.TASK_HINT, "To do: support for AVIF."),
    }


def test_with_a_reader_prose_is_kept_too_and_an_item_that_says_nothing_is_not() -> None:
    table = {
        "Pelican is a photo gallery generator written in Rust": Kind.PROJECT,
        "Every commit must be signed": Kind.PROJECT,
        "support for AVIF": Kind.NOTE,
    }
    assert lines_of(README, judge_by(table), path="README.md", project="pelican") == {
        3: (Kind.PROJECT, "Pelican is a photo gallery generator written in Rust."),
        7: (Kind.CONVENTION, "Every commit must be signed."),
        14: (Kind.TASK_HINT, "To do: support for AVIF."),
    }


def test_headings_code_and_done_boxes_are_never_kept() -> None:
    found = lines_of(README, keep_all(Kind.NOTE), path="README.md", project="pelican")
    assert sorted(found) == [3, 7, 8, 14]


def test_a_decision_record_has_its_date_its_reason_and_what_it_is_against() -> None:
    (kept,) = extract_document(RECORD, judge=None, path="docs/adr/0003.md", project="pelican")
    assert kept.text == "pelican will cache thumbnails on disk, because memory is scarce."
    assert kept.rationale == "memory is scarce"
    assert kept.valid_from == int(datetime(2025, 11, 3, tzinfo=UTC).timestamp() * 1_000_000)
    judge = judge_by({"Redis was rejected because it needs another service": Kind.DECISION})
    rejected = extract_document(RECORD, judge=judge, path="docs/adr/0003.md", project="pelican")[-1]
    assert (rejected.kind, rejected.alternatives) == (Kind.DECISION, ("Redis",))


def test_labels_in_minutes_give_decisions_and_tasks_but_no_chatter() -> None:
    text = (
        "Agreed: the fee is 20 euros.\nAction: Bo writes the letter by 1 April.\nChris was late.\nDiscussed: a roof?\n"
    )
    found = lines_of(text, None, path="minutes.md")
    assert {line: kind for line, (kind, _) in found.items()} == {1: Kind.DECISION, 2: Kind.TASK_HINT}


@pytest.mark.parametrize("judge", [None, keep_all(Kind.NOTE)])
def test_of_code_only_what_is_left_to_do(judge: JudgeUnits | None) -> None:
    code = "# TODO(Ravi): free the buffer\n# we always round\ndef total():\n    return 1  # FIXME round it well\n"
    assert lines_of(code, judge, path="src/total.py") == {
        1: (Kind.TASK_HINT, "To do, Ravi: free the buffer."),
        4: (Kind.TASK_HINT, "To do: round it well."),
    }


def test_of_data_logs_and_change_lists_nothing() -> None:
    said = "- Every commit must be signed.\n"
    judge = keep_all(Kind.CONVENTION)
    for path in ("data/a.csv", "values.yaml", "a.log", "CHANGELOG.md", "LICENSE"):
        assert extract_document(said, judge=judge, path=path) == []
    assert extract_document(said, judge=judge, path="RULES.md") != []


def test_definitions_and_rows_of_tables() -> None:
    text = (
        "**Flux** is the volume per hour.\n\n| host | role |\n| --- | --- |\n| anchor | build runner |\n| 12 | 34 |\n"
    )
    defined = {1: (Kind.ENTITY, "Flux is the volume per hour.")}
    assert lines_of(text, None, path="glossary.md", project="otter") == defined
    kept = lines_of(text, keep_all(Kind.PROJECT), path="glossary.md", project="otter")
    assert kept == {**defined, 5: (Kind.PROJECT, "anchor: role build runner.")}
    under = lines_of(f"# Decisions\n\n{text}", None, path="glossary.md", project="otter")
    assert under[7] == (Kind.DECISION, "anchor: role build runner.")


def test_templates_and_questions_say_nothing() -> None:
    text = "Dear [name],\nWe will reply within [days] days.\nIs the museum open?\n"
    assert extract_document(text, judge=keep_all(Kind.NOTE), path="a.txt") == []


def test_nobody_speaks_in_a_document() -> None:
    found = extract_document("I keep the key in the shed.\n", judge=keep_all(Kind.NOTE), path="a.txt")
    assert [statement.text for statement in found] == ['The document says: "I keep the key in the shed".']
