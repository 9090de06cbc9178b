"""How long memories and sources stay in the working set: the rules of the settings, and what each of them is about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from heldtrue.domain.limits import RETENTION_DAYS_MAX
from heldtrue.domain.memory import Kind, MemoryVersion
from heldtrue.domain.records import Source, SourceKind
from heldtrue.domain.rows import SourceHead
from heldtrue.domain.times import DAY_US

DIMENSIONS = ("category", "kind", "source", "scope")
"""What a rule can name; it is about the rows that have all of what it names."""


class RetentionEnd(StrEnum):
    """What happens to what has been kept for long enough."""

    ARCHIVE = "archive"
    """It leaves the working set and stays in the history."""
    ERASE = "erase"
    """Its words are destroyed for good."""


class RetentionRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How many days the memories and sources that it describes stay in the working set."""

    days: Annotated[int, Meta(ge=1, le=RETENTION_DAYS_MAX)]
    category: str | None = None
    kind: Kind | None = None
    source: SourceKind | None = None
    """A kind of source. With a category or a kind, the rule is about memories that rest on such sources alone."""
    scope: str | None = None
    then: RetentionEnd = RetentionEnd.ARCHIVE
    """What happens to them afterwards."""

    @property
    def named(self) -> dict[str, str]:
        """What the rule names, by dimension."""
        values = {name: getattr(self, name) for name in DIMENSIONS}
        return {name: str(value) for name, value in values.items() if value is not None}

    @property
    def describes_memories(self) -> bool:
        """Whether it can be about a memory: one that names nothing but sources is about the sources themselves."""
        return self.source is None or self.category is not None or self.kind is not None

    @property
    def describes_sources(self) -> bool:
        return self.category is None and self.kind is None

    @property
    def reason(self) -> str:
        """Why something that the rule is about is archived, in words."""
        named = ", ".join(f'{name} "{value}"' for name, value in self.named.items())
        return f"kept for {self.days} days (retention rule: {named})"

    def is_over(self, row: MemoryVersion | SourceHead, now: int) -> bool:
        """Whether a row that it is about has been kept for as long as the rule says."""
        return now - kept_since(row) >= self.days * DAY_US


class RetentionPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """What the settings say about how long things are kept."""

    retracted_days: int = 30
    min_confidence: float = 0.3
    rules: tuple[RetentionRule, ...] = ()

    def source_days(self, then: RetentionEnd) -> int | None:
        """The least number of days after which a rule with this end is about a source; None without such a rule."""
        return min((rule.days for rule in self.rules if rule.describes_sources and rule.then is then), default=None)

    def memory_rule(self, memory: MemoryVersion, find_kinds: Callable[[], AbstractSet[str]]) -> RetentionRule | None:
        """The first rule that is about a memory. `find_kinds` looks up the kinds of its sources."""
        category = (memory.category or "").strip().lower()
        for rule in self.rules:
            if (
                rule.describes_memories
                and rule.scope in (None, memory.scope)
                and rule.kind in (None, memory.kind)
                and (rule.category is None or rule.category.strip().lower() == category)
                and (rule.source is None or find_kinds() == {rule.source.value})
            ):
                return rule
        return None

    def source_rule(self, source: SourceHead) -> RetentionRule | None:
        """The first rule that is about a source."""
        about: Sequence[RetentionRule] = [rule for rule in self.rules if rule.describes_sources]
        fitting = (rule for rule in about if rule.source in (None, source.kind) and rule.scope in (None, source.scope))
        return next(fitting, None)


def kept_since(row: MemoryVersion | Source | SourceHead) -> int:
    """From when on the days of a rule count: since a memory was last stated, and since a source was stored.

    What was imported with an earlier date counts from its import.
    """
    return max(row.observed_at, row.created_at) if isinstance(row, MemoryVersion) else row.recorded_at
