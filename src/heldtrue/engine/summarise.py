"""The job `summarise`: one text for each category of each scope, from what counts there; older ones are kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from heldtrue.domain.job import SummaryRow
from heldtrue.domain.memory import MemoryVersion, Status, Visibility
from heldtrue.domain.principal import Sight
from heldtrue.domain.times import to_iso
from heldtrue.engine.worker import Run
from heldtrue.ports import Clock, Reading, Store, VersionFilter

LINES_MAX = 100
"""Memories told in one summary; the rest is counted."""
_PAGE = 1_000


def category_of(memory: MemoryVersion) -> str:
    """What a memory is summarised under: its category, else its kind."""
    return (memory.category or memory.kind).strip().lower()


def write_summary(category: str, memories: Sequence[MemoryVersion]) -> str:
    """The memories of a category as Markdown: what a person stands behind first, then the most certain, the newest."""
    ranked = sorted(
        memories, key=lambda one: (one.verified_by is None, -one.confidence, -one.observed_at, one.memory_id)
    )
    lines = [f"# {category}", ""]
    for one in ranked[:LINES_MAX]:
        said = " ".join(one.content.split())
        lines.append(f"- {said} ({to_iso(one.observed_at)[:10]}, confidence {one.confidence:.2f}, {one.memory_id})")
    if len(ranked) > LINES_MAX:
        lines.append(f"- and {len(ranked) - LINES_MAX:,} more")
    return "\n".join(lines) + "\n"


def read_categories(
    reading: Reading, scopes: tuple[str, ...] | None, category: str | None = None
) -> dict[tuple[str, str], list[MemoryVersion]]:
    """What counts now and is nobody's alone, by scope and category. Two scopes are never mixed."""
    found: dict[tuple[str, str], list[MemoryVersion]] = {}
    for memory in _active(reading, scopes):
        if memory.visibility != Visibility.PRIVATE and category in (None, category_of(memory)):
            found.setdefault((memory.scope, category_of(memory)), []).append(memory)
    return found


def _active(reading: Reading, scopes: tuple[str, ...] | None) -> Iterator[MemoryVersion]:
    chosen, before = VersionFilter(sight=Sight(scopes), statuses=(Status.ACTIVE.value,)), None
    while page := reading.list_versions(chosen, before=before, limit=_PAGE):
        yield from page
        before = page[-1].no


class Summarising:
    """Runs the job."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def __call__(self, run: Run) -> dict[str, Any]:
        with self._store.read() as reading:
            held = read_categories(reading, (run.job.scope,) if run.job.scope else None)
            present = {(one.scope, one.category): one for one in reading.current_summaries()}
        texts = {place: write_summary(place[1], memories) for place, memories in held.items()}
        changed = [place for place, text in texts.items() if place not in present or present[place].text != text]
        ended = [place for place in present if place not in held and run.job.scope in ("", place[0])]
        for scope, category in sorted(changed):
            self._keep(run, scope, category, texts[scope, category], len(held[scope, category]))
        self._end(ended)
        return {"counts": {"rewritten": len(changed), "ended": len(ended), "unchanged": len(texts) - len(changed)}}

    def _keep(self, run: Run, scope: str, category: str, text: str, memories: int) -> None:
        with self._store.write() as transaction:
            earlier = transaction.summaries_of(scope, category, limit=1)
            made_at = max(self._clock.now(), earlier[0].made_at + 1 if earlier else 0)
            transaction.keep_summary(SummaryRow(scope, category, made_at, memories, text))
            run.note(transaction, done=run.job.done + 1)

    def _end(self, places: Iterable[tuple[str, str]]) -> None:
        for scope, category in places:
            with self._store.write() as transaction:
                transaction.end_summary(scope, category, self._clock.now())
