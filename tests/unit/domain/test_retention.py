"""Which rule is about a memory or a source, and from when on its days count."""

from __future__ import annotations

from typing import Any

import pytest

from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.records import SourceKind
from heldtrue.domain.retention import RetentionEnd, RetentionPolicy, RetentionRule, kept_since
from heldtrue.domain.rows import SourceHead
from heldtrue.domain.times import DAY_US
from tests.conformance.samples import make_version


def policy(*rules: dict[str, Any]) -> RetentionPolicy:
    return RetentionPolicy(rules=tuple(RetentionRule(**({"days": 30} | rule)) for rule in rules))


def memory(**changed: Any) -> MemoryVersion:
    return make_version(**({"scope": "project:shop", "category": "Health ", "kind": "lesson"} | changed))


def source(**changed: Any) -> SourceHead:
    fields: dict[str, Any] = {"kind": "conversation", "scope": "project:shop", "recorded_at": 7, "beginning": "Hi."}
    return SourceHead(**({"id": "source-1"} | fields | changed))


@pytest.mark.covers("A32")
@pytest.mark.parametrize(
    ("named", "memories", "sources"),
    [
        ({"category": "health"}, True, False),
        ({"category": "work"}, False, False),
        ({"kind": "lesson"}, True, False),
        ({"kind": "note"}, False, False),
        ({"scope": "project:shop"}, True, True),
        ({"scope": "project"}, False, False),
        ({"source": SourceKind.CONVERSATION}, False, True),
        ({"source": SourceKind.CONVERSATION, "scope": "global"}, False, False),
        ({"source": SourceKind.DOCUMENT}, False, False),
        ({"source": SourceKind.CONVERSATION, "kind": "lesson"}, True, False),
        ({"source": SourceKind.DOCUMENT, "kind": "lesson"}, False, False),
    ],
)
def test_a_rule_is_about_what_has_all_that_it_names(named: dict[str, Any], memories: bool, sources: bool) -> None:
    rules = policy(named)
    assert (rules.memory_rule(memory(), lambda: {"conversation"}) is not None) == memories
    assert (rules.source_rule(source()) is not None) == sources


def test_a_memory_that_rests_on_sources_of_two_kinds_is_not_of_one() -> None:
    for kind in SourceKind:
        rules = policy({"source": kind, "category": "health"})
        assert rules.memory_rule(memory(), lambda kind=kind: {kind.value}) is not None  # type: ignore[misc]
        assert rules.memory_rule(memory(), lambda: {"manual", "import"}) is None
        assert rules.memory_rule(memory(), set) is None


def test_sources_are_looked_up_only_for_a_rule_that_needs_them() -> None:
    def look_up() -> set[str]:
        raise AssertionError("nobody asked")

    rules = policy({"category": "work", "source": SourceKind.RUN}, {"category": "health"})
    assert rules.memory_rule(memory(), look_up) is rules.rules[1]


@pytest.mark.covers("A32")
def test_the_days_of_a_rule_count_from_the_last_statement_and_from_storing() -> None:
    assert kept_since(memory(created_at=5, observed_at=9)) == 9
    assert kept_since(memory(created_at=9, observed_at=5)) == 9, "what was imported with an earlier date"
    (rule,) = policy({"scope": "project:shop", "days": 2}).rules
    for row in (memory(created_at=1, observed_at=7), source()):
        assert [rule.is_over(row, 7 + 2 * DAY_US - early) for early in (0, 1)] == [True, False]


def test_only_rules_about_sources_make_sources_be_looked_through() -> None:
    assert policy({"category": "work"}).source_days(RetentionEnd.ARCHIVE) is None
    assert (
        policy({"category": "work", "days": 3}, {"scope": "global"}, {"source": SourceKind.RUN}).source_days(
            RetentionEnd.ARCHIVE
        )
        == 30
    )
