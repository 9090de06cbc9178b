"""Writing the log of recalls and reads just after the answer, so that nobody waits for it."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Sequence
from functools import cached_property

from heldtrue.domain.errors import HeldtrueError
from heldtrue.domain.limits import (
    RECALL_LOG_BATCH_MAX,
    RECALL_LOG_DELAY_SECONDS,
    RECALL_LOG_LOCK_MS,
    RECALL_LOG_RETRY_SECONDS,
    RECALL_LOG_WAITING_MAX,
)
from heldtrue.domain.rows import RecallRow
from heldtrue.language.masking import current_policy, masking_by
from heldtrue.ports import Background
from heldtrue.recall.log_rows import READS, read_results
from heldtrue.recall.ports import RecallStore

JOB = "writing the recall log"


class _PendingRow:
    """A row that waits, and the memories whose use it counts. It is made when it is first needed."""

    def __init__(self, recall_id: str, make: Callable[[], RecallRow], recalled: tuple[str, ...]) -> None:
        self.id = recall_id
        self.recalled = recalled
        self._make = make

    @cached_property
    def row(self) -> RecallRow:
        return self._make()

    @property
    def injected(self) -> set[str]:
        return {result.id for result in read_results(self.row) if result.injected}


class RecallLog:
    """Keeps what was recalled in memory for a moment, so that a recall never waits for a writer and never fails by it.

    Rows that cannot be written wait for better times, up to a limit. Logging the same recall twice leaves one row.
    """

    def __init__(self, store: RecallStore, background: Background) -> None:
        self._store = store
        self._background = background
        self.dropped = 0
        """Rows that were lost because the store could not be written for too long."""
        self._begin()
        _LOGS.add(self)

    def _begin(self) -> None:
        """Start empty; in a forked child, what waits is the parent's to write."""
        self._held = threading.Lock()
        self._writing = threading.Lock()
        self._waiting: dict[str, _PendingRow] = {}

    @property
    def waiting(self) -> int:
        """How many rows are not written yet."""
        return len(self._waiting)

    def note(self, row: RecallRow, memory_ids: Sequence[str]) -> None:
        """Log a recall of some memories; it is written within half a second."""
        self.note_later(row.id, lambda: row, memory_ids)

    def note_later(self, recall_id: str, make: Callable[[], RecallRow], memory_ids: Sequence[str]) -> None:
        """The same for a row that is only made when it is written, or looked for before."""
        if self._store.read_only:
            return
        policy = current_policy()

        def make_masked() -> RecallRow:
            with masking_by(policy):
                return make()

        with self._held:
            self._waiting.setdefault(recall_id, _PendingRow(recall_id, make_masked, tuple(memory_ids)))
            if len(self._waiting) > RECALL_LOG_WAITING_MAX:
                del self._waiting[next(iter(self._waiting))]
                self.dropped += 1
            # By the one row that fills a batch, not by all after it: where writing fails, it is not tried at once.
            urgent = len(self._waiting) == RECALL_LOG_BATCH_MAX
        self._background.later(JOB, self._write_or_retry, delay_s=0.0 if urgent else RECALL_LOG_DELAY_SECONDS)

    def find(self, recall_id: str) -> RecallRow | None:
        """A logged recall, written or not."""
        if (noted := self._waiting.get(recall_id)) is not None:
            return noted.row
        with self._store.read() as reading:
            return reading.log.recall(recall_id)

    def rows(self, *, principal: str | None, before: tuple[int, str] | None, limit: int) -> list[RecallRow]:
        """The recalls, newest first, with those not written yet; `before` is the moment and id where the page ended.

        It writes nothing, so that reading the log waits for nobody.
        """
        end = before or (2**62, "")
        with self._held:
            rows = [noted.row for noted in self._waiting.values()]
        waiting = [row for row in rows if principal in (None, row.principal)]
        found = {row.id: row for row in waiting if row.verb not in READS and _position(row) < end}
        found |= {row.id: row for row in self._stored(principal, end, limit)}
        return sorted(found.values(), key=_position, reverse=True)[:limit]

    def _stored(self, principal: str | None, end: tuple[int, str], limit: int) -> list[RecallRow]:
        """Written rows before a position. Several may share a moment, so the last one is read again from its start."""
        wanted = limit
        with self._store.read() as reading:
            while True:
                page = reading.log.recalls(principal=principal, before=end[0] + 1, limit=wanted, without=READS)
                rows = [row for row in page if _position(row) < end]
                if len(rows) >= limit or len(page) < wanted:
                    return rows
                wanted *= 2

    def flush(self) -> bool:
        """Write what waits; False where the store could not be written and it goes on waiting."""
        try:
            self._write()
        except HeldtrueError:
            return False
        return True

    def _write_or_retry(self) -> None:
        try:
            self._write()
        except HeldtrueError:
            # Weak: a log that cannot be written must not keep a space open that nobody uses any more.
            self._background.later(JOB, _weakly(self), delay_s=RECALL_LOG_RETRY_SECONDS)
            raise

    def _write(self) -> None:
        with self._writing:
            while batch := self._next_batch():
                try:
                    self._write_batch(batch)
                except HeldtrueError:
                    raise
                except Exception:
                    # No store will ever take these; they must not hold up the others.
                    self._forget(batch, lost=len(batch))
                    raise
                self._forget(batch)

    def _next_batch(self) -> list[_PendingRow]:
        with self._held:
            return list(self._waiting.values())[:RECALL_LOG_BATCH_MAX]

    def _forget(self, batch: Sequence[_PendingRow], *, lost: int = 0) -> None:
        with self._held:
            self.dropped += lost
            for noted in batch:
                self._waiting.pop(noted.id, None)

    def _write_batch(self, batch: Sequence[_PendingRow]) -> None:
        # Looked up before the lock is taken: what was logged before is not counted again.
        with self._store.read() as reading:
            fresh = [noted for noted in batch if reading.log.recall(noted.id) is None]
        if not fresh:
            return
        with self._store.write(patience_ms=RECALL_LOG_LOCK_MS) as transaction:
            transaction.log.add([noted.row for noted in fresh])
            for (recalled, injected, at), ids in _group_uses(fresh).items():
                transaction.log.count_uses(ids, recalled=recalled, injected=injected, at=at)


def _position(row: RecallRow) -> tuple[int, str]:
    return row.recorded_at, row.id


def _group_uses(batch: Sequence[_PendingRow]) -> dict[tuple[int, int, int], list[str]]:
    """The memories of a batch by how often they were recalled and injected, and when last."""
    totals: dict[str, tuple[int, int, int]] = {}
    for noted in batch:
        injected = noted.injected
        for memory_id in dict.fromkeys(noted.recalled):
            times, prompts, at = totals.get(memory_id, (0, 0, 0))
            totals[memory_id] = (times + 1, prompts + (memory_id in injected), max(at, noted.row.recorded_at))
    groups: dict[tuple[int, int, int], list[str]] = {}
    for memory_id, total in sorted(totals.items()):
        groups.setdefault(total, []).append(memory_id)
    return groups


def _weakly(log: RecallLog) -> Callable[[], None]:
    known = weakref.ref(log)

    def write() -> None:
        if (alive := known()) is not None:
            alive._write_or_retry()

    return write


_LOGS: weakref.WeakSet[RecallLog] = weakref.WeakSet()


def _forget_parents() -> None:
    for log in list(_LOGS):
        log._begin()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_parents)
