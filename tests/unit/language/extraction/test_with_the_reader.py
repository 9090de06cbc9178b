"""The real reader on a few plain texts: what it keeps, as what, and what it leaves."""

from __future__ import annotations

import pytest

from heldtrue.domain.memory import Kind
from heldtrue.language.extraction import extract_document, extract_message
from heldtrue.wiring.installed_reader import judge_units, shared_reader


@pytest.mark.parametrize(
    ("text", "kinds", "said"),
    [
        ("I'm allergic to shellfish.", {Kind.PROFILE}, "Mira is allergic to shellfish."),
        ("Please always answer in metric units.", {Kind.PREFERENCE, Kind.CONVENTION}, "metric units"),
        (
            "We decided to use Postgres instead of MySQL.",
            {Kind.DECISION, Kind.PROJECT},
            "otter decided to use Postgres",
        ),
        ("Clearing the cache fixed the login loop.", {Kind.PATTERN, Kind.LESSON}, "Clearing the cache fixed"),
    ],
)
def test_it_keeps_what_lasts(text: str, kinds: set[Kind], said: str) -> None:
    (found,) = extract_message(text, judge=judge_units, speaker="Mira", project="otter")
    assert found.kind in kinds
    assert said in found.text


@pytest.mark.parametrize(
    "text",
    [
        "Thanks, that fixed it!",
        "ok, let me look into it now",
        "Maybe we should use Rust. What do you think?",
        "Make the text shorter and more formal.",
        "ugh, Mondays",
    ],
)
def test_it_leaves_what_passes(text: str) -> None:
    assert extract_message(text, judge=judge_units, speaker="Mira", project="otter") == []


def test_it_reads_documents_and_a_long_text_costs_it_a_unit_for_each_sentence() -> None:
    text = "# Setup\n\nThe build server is called anchor and runs Debian 12.\n"
    (found,) = extract_document(text, judge=judge_units, path="setup.md", project="otter")
    assert "anchor" in found.text
    before = shared_reader().passes
    extract_document("Fine weather.\n" * 20, judge=judge_units, path="setup.md", project="otter")
    assert shared_reader().passes - before == 20
