"""The job `summarise`: one text for each category of each scope, from its active memories; older summaries are kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from heldtrue.domain.job import SummaryRow
from heldtrue.domain.limits import JOB_PAGE_MAX, SUMMARY_LINES_MAX
from heldtrue.domain.memory import MemoryVersion, Status
from heldtrue.domain.principal import Sight
from heldtrue.domain.rows import VersionFilter
from heldtrue.domain.times import to_iso
from heldtrue.engine.ports import EngineStore
from heldtrue.engine.worker import Run
from heldtrue.ports import Clock, ReadTransaction


def category_of(memory: MemoryVersion) -> str:
    """What a memory is summarised under: its category, else its kind."""
    return (memory.category or memory.kind).strip().lower()


def write_summary(category: str, memories: Sequence[MemoryVersion], *, now: int) -> str:
    """The memories of a category as Markdown: what is true now, then under a heading of its own what has ended.

    Verified memories come first, then those with the highest confidence, then the newest.
    """
    ranked = sorted(
        memories,
        key=lambda memory: (memory.verified_by is None, -memory.confidence, -memory.observed_at, memory.memory_id),
    )
    ended = [memory for memory in ranked if memory.has_ended(now)]
    lines = [f"# {category}", "", *_write_lines([memory for memory in ranked if not memory.has_ended(now)])]
    if ended:
        lines += ([""] if lines[-1] else []) + ["## Ended", "", *_write_lines(ended)]
    return "\n".join(lines) + "\n"


def _write_lines(memories: Sequence[MemoryVersion]) -> list[str]:
    lines = []
    for memory in memories[:SUMMARY_LINES_MAX]:
        content = " ".join(memory.content.split())
        until = f"until {to_iso(memory.valid_to)[:10]}, " if memory.valid_to is not None else ""
        observed = f"{until}{to_iso(memory.observed_at)[:10]}"
        lines.append(f"- {content} ({observed}, confidence {memory.confidence:.2f}, {memory.memory_id})")
    if len(memories) > SUMMARY_LINES_MAX:
        lines.append(f"- and {len(memories) - SUMMARY_LINES_MAX:,} more")
    return lines


def read_categories(
    reading: ReadTransaction, scopes: tuple[str, ...] | None, category: str | None = None
) -> dict[tuple[str, str], list[MemoryVersion]]:
    """What counts now and is nobody's alone, by scope and category. Two scopes are never mixed."""
    found: dict[tuple[str, str], list[MemoryVersion]] = {}
    for memory in _active(reading, scopes):
        if not memory.privacy.is_private and category in (None, category_of(memory)):
            found.setdefault((memory.scope, category_of(memory)), []).append(memory)
    return found


def _active(reading: ReadTransaction, scopes: tuple[str, ...] | None) -> Iterator[MemoryVersion]:
    chosen, before = VersionFilter(sight=Sight(scopes), statuses=(Status.ACTIVE.value,)), None
    while page := reading.memories.list_versions(chosen, before=before, limit=JOB_PAGE_MAX):
        yield from page
        before = page[-1].no


class SummaryJob:
    """Runs the job."""

    def __init__(self, store: EngineStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def __call__(self, run: Run) -> dict[str, Any]:
        with self._store.read() as reading:
            held = read_categories(reading, (run.job.scope,) if run.job.scope else None)
            present = {(summary.scope, summary.category): summary for summary in reading.summaries.current()}
        now = self._clock.now()
        texts = {key: write_summary(key[1], memories, now=now) for key, memories in held.items()}
        changed = [key for key, text in texts.items() if key not in present or present[key].text != text]
        ended = [key for key in present if key not in held and run.job.scope in ("", key[0])]
        for scope, category in sorted(changed):
            self._keep(run, scope, category, texts[scope, category], len(held[scope, category]))
        self._end(ended)
        return {"counts": {"rewritten": len(changed), "ended": len(ended), "unchanged": len(texts) - len(changed)}}

    def _keep(self, run: Run, scope: str, category: str, text: str, memories: int) -> None:
        with self._store.write() as transaction:
            earlier = transaction.summaries.of_category(scope, category, limit=1)
            made_at = max(self._clock.now(), earlier[0].made_at + 1 if earlier else 0)
            transaction.summaries.keep(SummaryRow(scope, category, made_at, memories, text))
            run.note(transaction, done=run.job.done + 1)

    def _end(self, keys: Iterable[tuple[str, str]]) -> None:
        for scope, category in keys:
            with self._store.write() as transaction:
                transaction.summaries.end(scope, category, self._clock.now())
