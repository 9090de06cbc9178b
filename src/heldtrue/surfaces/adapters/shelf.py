"""Items by namespace and key, in one scope of a memory; the gate checks every change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from typing import Any

from heldtrue.domain.cause import RetractionCause
from heldtrue.domain.errors import WrongState
from heldtrue.domain.limits import ADAPTER_TRIES_MAX, LIST_MAX, QUERY_CHARS_MAX, RESULTS_MAX
from heldtrue.surfaces.adapters.items import SINCE, Held, read_memory, topic_of, write_item
from heldtrue.surfaces.tools import Invoker

_KIND = "episode"
"""The kind of the memories; the gate does not ask whether an item is a fact or an opinion."""
_REASONS = {
    RetractionCause.REPLACED: "replaced by a later put of the same key",
    RetractionCause.DELETED: "deleted from the store",
}
_GONE = ("superseded", "retracted", "rejected", "contradicted", "archived")


class NotStored(WrongState):
    """The gate did not accept the value."""

    code = "not_stored"


class StoreShelf:
    """Gets, puts, deletes and finds items."""

    def __init__(self, memory: Invoker, scope: str) -> None:
        self._memory = memory
        self._scope = scope
        self._changing = Lock()

    def get(self, path: str) -> Held | None:
        return next(iter(self._held(path)), None)

    def put(self, path: str, value: dict[str, Any]) -> None:
        """Store a value in place of the previous one, or raise `NotStored` with the reason."""
        content = write_item(path, value)
        with self._changing:
            _insist(lambda: self._put(path, value, content))

    def delete(self, path: str) -> None:
        """Delete an item, or raise `NotStored` if only a person can."""
        with self._changing:
            _insist(lambda: self._delete(path))

    def find(self, query: str) -> list[Held]:
        """The items that match a question, best first."""
        where = {"scopes": [self._scope], "kinds": [_KIND], "within": ["memory"], "limit": RESULTS_MAX}
        answer = self._memory.invoke("memory.recall", context=query[:QUERY_CHARS_MAX], **where)
        return [held for result in answer.results for held in read_memory(result.memory, result.score)]

    def every(self) -> Iterator[Held]:
        """All items, newest first."""
        seen: set[str] = set()
        for held in self._list(statuses=["active"]):
            if held.item.path not in seen:
                seen.add(held.item.path)
                yield held

    def _held(self, path: str) -> list[Held]:
        """The active memories of an item, newest first: one, or more after concurrent writes."""
        found = self._list(statuses=["active"], topic=topic_of(path))
        ours = (held for held in found if held.item.path == path)
        return sorted(ours, key=lambda held: (held.updated_at, held.memory), reverse=True)

    def _list(self, **asked: Any) -> Iterator[Held]:
        asked |= {"scopes": [self._scope], "kinds": [_KIND], "limit": LIST_MAX, "cursor": None}
        while True:
            page = self._memory.invoke("memory.list", **asked)
            for memory in page.items:
                yield from read_memory(memory)
            asked["cursor"] = page.next_cursor
            if page.next_cursor is None:
                return

    def _put(self, path: str, value: dict[str, Any], content: str) -> None:
        held = self._held(path)
        answer = self._write(path, content, held)
        if answer.outcome == "refused" and (edition := self._next_edition(path, content)) > 1:
            answer = self._write(path, write_item(path, value, edition), held)
        if answer.memory is None or answer.memory.status != "active":
            problem = "was refused" if answer.memory is None else "is waiting for a person's approval"
            raise _not_stored(path, problem, answer.reason, answer.hint)
        self._forget(held[1:], RetractionCause.REPLACED)

    def _write(self, path: str, content: str, held: Sequence[Held]) -> Any:
        if held and write_item(path, held[0].item.value) != content:
            return self._memory.invoke(
                "memory.correct",
                memory=held[0].memory,
                content=content,
                reason=_REASONS[RetractionCause.REPLACED],
                cause=RetractionCause.REPLACED.value,
                # A correction is a memory of its own; this is where it says how old the item is.
                rationale=SINCE + held[0].created_at,
            )
        text = held[0].content if held else content
        where = {"scope": self._scope, "topic": topic_of(path), "kind": _KIND, "staleness": "stable"}
        return self._memory.invoke("memory.learn", content=text, **where)

    def _delete(self, path: str) -> None:
        for answer in self._forget(self._held(path), RetractionCause.DELETED):
            if answer.outcome != "retracted":
                raise _not_stored(path, "was not deleted", answer.reason, answer.hint)

    def _forget(self, items: Sequence[Held], cause: RetractionCause) -> list[Any]:
        given = {"reason": _REASONS[cause], "cause": cause.value}
        return [self._memory.invoke("memory.forget", memory=held.memory, **given) for held in items]

    def _next_edition(self, path: str, content: str) -> int:
        """The number of the next edition of this value: how often it was replaced or deleted here, plus one.

        The gate refuses retired values. A value that only the store retired can be stored again as a new edition; one
        that a person or another agent rejected cannot.
        """
        gone = self._list(statuses=list(_GONE), topic=topic_of(path))
        same = [held for held in gone if write_item(path, held.item.value) == content]
        for held in same:
            if not self._was_retired_here(held):
                why = f"rejected by {held.changed_by}: {held.reason}"
                hint = f"a person can restore it with `restore` {held.memory} and a `reason`"
                raise _not_stored(path, "was refused", why, hint)
        return len(same) + 1

    def _was_retired_here(self, gone: Held) -> bool:
        if gone.status != "archived":
            return gone.cause in set(RetractionCause)
        # A value deleted long ago has been archived since; its history says why it was deleted.
        versions = self._memory.invoke("memory.history", memory=gone.memory).versions
        return any(version.cause in set(RetractionCause) for version in versions)


def _not_stored(path: str, problem: str, why: str, hint: str | None) -> NotStored:
    return NotStored(f"the value of {path} {problem}: {why}", field="value", hint=hint)


def _insist(change: Callable[[], None]) -> None:
    """Make a change, and retry it after a concurrent change."""
    for _ in range(ADAPTER_TRIES_MAX - 1):
        try:
            return change()
        except NotStored:
            raise
        except WrongState:
            continue
    return change()
