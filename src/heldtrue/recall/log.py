"""The log of recalls and reads: who asked what, what came back and what it cost, written just after the answer."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import Any

import msgspec

from heldtrue.domain.errors import HeldtrueError
from heldtrue.domain.ids import new_id
from heldtrue.language.secret_shapes import may_hold_named, may_hold_token
from heldtrue.ports import Background, RecallRow, Store

JOB = "writing the recall log"
WRITE_WITHIN_S = 0.4
"""A little less than the half second that a killed process may lose, because writing takes a moment too."""
RETRY_S = 5.0
BATCH = 200
"""So many rows are written without further delay, and at most so many in one transaction."""
WAITING_MAX = 10_000
"""Rows that wait in memory for a store that cannot be written; then the oldest go."""

READS = frozenset(("get", "expand", "explain", "history"))
"""The verbs that read one thing by its id. They are logged for those who follow, and are no recalls."""

_encode = msgspec.json.Encoder(order="sorted").encode


class Asked(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A question as it was put and as it was searched for."""

    arguments: dict[str, Any] = {}
    rewritten: str | None = None


class Logged(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that came back."""

    id: str
    """The id of a memory; of a passage, the id of its source."""
    what: str = "memory"
    """`memory` or `passage`."""
    version: int | None = None
    """Which version of the memory it was."""
    passage: int | None = None
    """The number of the passage."""
    score: float = 0.0
    parts: dict[str, float] = {}
    injected: bool = False
    """Whether it went into the prompt, where not all that came back did."""


_read_asked = msgspec.json.Decoder(Asked).decode
_read_results = msgspec.json.Decoder(list[Logged]).decode


def recall_id_of(*, now: int, parts: Iterable[bytes | str]) -> str:
    """The id of a recall: the same question of the same store at the same moment has the same one.

    It has the form of every other id and sorts by its moment; where those have chance, it has a hash of the parts.
    """
    digest = blake2b(digest_size=8)
    for part in parts:
        piece = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(piece).to_bytes(8, "big"))
        digest.update(piece)
    tail = f"{int.from_bytes(digest.digest(), 'big') & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000:016x}"
    return f"{new_id(now)[:18]}-{tail[:4]}-{tail[4:]}"


def log_row(
    *,
    recall_id: str,
    now: int,
    principal: str,
    channel: str,
    verb: str,
    question: str,
    asked: Asked,
    tier: str,
    results: Sequence[Logged],
    cost: Mapping[str, Any],
) -> RecallRow:
    """A recall as it is logged: its words made plain and rid of secrets, like everything else that is stored."""
    return RecallRow(
        id=recall_id,
        recorded_at=now,
        principal=principal,
        channel=channel,
        verb=verb,
        question=make_plain(question),
        asked=_encode(make_plain(msgspec.to_builtins(asked))).decode(),
        tier=tier,
        results=_encode(results).decode(),
        cost=_encode(cost).decode(),
    )


def read_row(*, now: int, principal: str, channel: str, verb: str, read: Logged) -> RecallRow:
    """A read of one thing as it is logged: who, when, and what it was; of its words nothing."""
    assert verb in READS
    parts = (verb, principal, channel, read.id, str(read.version), str(read.passage))
    return RecallRow(
        id=recall_id_of(now=now, parts=parts),
        recorded_at=now,
        principal=principal,
        channel=channel,
        verb=verb,
        question="",
        asked="{}",
        tier="none",
        results=_encode([read]).decode(),
        cost="{}",
    )


def read_asked(row: RecallRow) -> Asked:
    return _read_asked(row.asked)


def read_results(row: RecallRow) -> list[Logged]:
    return _read_results(row.results)


def make_plain(value: Any) -> Any:
    """A text, or all texts in lists and objects, as they may be stored: readable, and without secrets."""
    match value:
        case str():
            return _plain_text(value)
        case dict():
            return {name: make_plain(one) for name, one in value.items()}
        case list() | tuple():
            return [make_plain(one) for one in value]
        case _:
            return value


def _plain_text(text: str) -> str:
    # Most questions are a few plain words: what cleans and masks is loaded for the others only.
    if not (text.isascii() and text.isprintable()):
        from heldtrue.language.normalise import clean_text

        text = clean_text(text)
    if not (may_hold_token(text) or may_hold_named(text.lower())):
        return text
    from heldtrue.language.secrets import redact_secrets

    return redact_secrets(text).text


class _Noted:
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
        return {one.id for one in read_results(self.row) if one.injected}


class RecallLog:
    """Keeps what was recalled in memory for a moment, so that a recall never waits for a writer and never fails by it.

    Rows that cannot be written wait for better times, up to a limit. Logging the same recall twice leaves one row.
    """

    def __init__(self, store: Store, background: Background) -> None:
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
        self._waiting: dict[str, _Noted] = {}

    @property
    def waiting(self) -> int:
        """How many rows are not written yet."""
        return len(self._waiting)

    def note(self, row: RecallRow, memory_ids: Sequence[str]) -> None:
        """Log a recall of some memories; it is written within half a second."""
        self.note_later(row.id, lambda: row, memory_ids)

    def note_later(self, recall_id: str, make: Callable[[], RecallRow], memory_ids: Sequence[str]) -> None:
        """The same for a row that is only made when it is written, or looked for before."""
        with self._held:
            self._waiting.setdefault(recall_id, _Noted(recall_id, make, tuple(memory_ids)))
            if len(self._waiting) > WAITING_MAX:
                del self._waiting[next(iter(self._waiting))]
                self.dropped += 1
            # By the one row that fills a batch, not by all after it: where writing fails, it is not tried at once.
            urgent = len(self._waiting) == BATCH
        self._background.later(JOB, self._write_or_retry, delay_s=0.0 if urgent else WRITE_WITHIN_S)

    def find(self, recall_id: str) -> RecallRow | None:
        """A logged recall, written or not."""
        if (noted := self._waiting.get(recall_id)) is not None:
            return noted.row
        with self._store.read() as reading:
            return reading.recall_row(recall_id)

    def rows(self, *, principal: str | None, before: tuple[int, str] | None, limit: int) -> list[RecallRow]:
        """The recalls, newest first, with those not written yet; `before` is the moment and id where the page ended.

        It writes nothing, so that reading the log waits for nobody.
        """
        end = before or (2**62, "")
        with self._held:
            waiting = [one.row for one in self._waiting.values() if principal in (None, one.row.principal)]
        found = {row.id: row for row in waiting if row.verb not in READS and _place(row) < end}
        found |= {row.id: row for row in self._stored(principal, end, limit)}
        return sorted(found.values(), key=_place, reverse=True)[:limit]

    def _stored(self, principal: str | None, end: tuple[int, str], limit: int) -> list[RecallRow]:
        """Written rows before a place. Several may share a moment, so the last moment is read again from its start."""
        wanted = limit
        with self._store.read() as reading:
            while True:
                page = reading.recall_rows(principal=principal, before=end[0] + 1, limit=wanted, without=READS)
                rows = [row for row in page if _place(row) < end]
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
            self._background.later(JOB, _weakly(self), delay_s=RETRY_S)
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

    def _next_batch(self) -> list[_Noted]:
        with self._held:
            return list(self._waiting.values())[:BATCH]

    def _forget(self, batch: Sequence[_Noted], *, lost: int = 0) -> None:
        with self._held:
            self.dropped += lost
            for noted in batch:
                self._waiting.pop(noted.id, None)

    def _write_batch(self, batch: Sequence[_Noted]) -> None:
        # Looked up before the lock is taken: what was logged before is not counted again.
        with self._store.read() as reading:
            fresh = [noted for noted in batch if reading.recall_row(noted.id) is None]
        if not fresh:
            return
        with self._store.write() as transaction:
            transaction.log_recalls([noted.row for noted in fresh])
            for (recalled, injected, at), ids in _group_uses(fresh).items():
                transaction.count_uses(ids, recalled=recalled, injected=injected, at=at)


def _place(row: RecallRow) -> tuple[int, str]:
    return row.recorded_at, row.id


def _group_uses(batch: Sequence[_Noted]) -> dict[tuple[int, int, int], list[str]]:
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
