"""A conversation that is too long for one capture is handed in part by part, as `ingest` does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from heldtrue.capabilities.registry import Capability
from heldtrue.domain.errors import InvalidInput
from heldtrue.domain.limits import CAPTURE_BYTES_MAX, CAPTURE_MESSAGES_MAX
from heldtrue.surfaces.cli.backends import Backend


def use_in_parts(backend: Backend, capability: Capability, given: dict[str, Any]) -> Any:
    """Use a capability that takes messages, as often as it takes, and answer as if it had been once."""
    parts = list(split_messages(given["messages"]))
    thread = "thread" if any(parameter.name == "thread" for parameter in capability.parameters) else "session"
    answer: Any = None
    done = 0
    for number, part in enumerate(parts, 1):
        request = given | {"messages": part}
        if number > 1:
            # A thread of its own for each part, so that each begins as it did when the file is handed in again.
            request[thread] = f"{answer.thread} ({number})"
        try:
            answer = _join(answer, backend.use(capability, request))
        except InvalidInput as problem:
            _count_on(problem, done)
            raise
        done += len(part)
    if len(parts) > 1:
        answer = msgspec.structs.replace(answer, notes=[*answer.notes, f"kept in {len(parts):,} parts"])
    return answer


def split_messages(messages: Sequence[Any]) -> Iterator[list[Any]]:
    """The messages in parts that one capture takes."""
    part: list[Any] = []
    size = 0
    for message in messages:
        length = len(msgspec.json.encode(message))
        if part and (len(part) >= CAPTURE_MESSAGES_MAX or size + length > CAPTURE_BYTES_MAX):
            yield part
            part, size = [], 0
        part.append(message)
        size += length
    yield part


def _count_on(problem: InvalidInput, done: int) -> None:
    """Let a problem with a message of a part name its place among all of them."""
    place = (problem.field or "").removeprefix("messages[").partition("]")[0]
    if place.isdigit():
        here, there = f"messages[{place}]", f"messages[{int(place) + done}]"
        problem.field = (problem.field or "").replace(here, there, 1)
        problem.message = problem.message.replace(here, there, 1)


def _join(before: Any, answer: Any) -> Any:
    """Two answers of a capture as one."""
    if before is None:
        return answer
    return msgspec.structs.replace(
        before,
        outcome=before.outcome if before.captured else answer.outcome,
        sources=[*before.sources, *answer.sources],
        captured=before.captured + answer.captured,
        known=before.known + answer.known,
        job=answer.job or before.job,
        notes=list(dict.fromkeys([*before.notes, *answer.notes])),
        seq=answer.seq,
    )
