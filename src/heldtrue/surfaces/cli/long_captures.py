"""Capture a conversation in parts if it is too long for one request, as `ingest` does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from heldtrue.capabilities.registry import Capability
from heldtrue.domain.errors import InvalidInput
from heldtrue.domain.limits import CAPTURE_BYTES_MAX, CAPTURE_MESSAGES_MAX
from heldtrue.surfaces.cli.backends import Backend


def use_in_parts(backend: Backend, capability: Capability, arguments: dict[str, Any]) -> Any:
    """Invoke a capability once per part of the messages, and join the answers."""
    parts = list(split_messages(arguments["messages"]))
    thread = "thread" if any(parameter.name == "thread" for parameter in capability.parameters) else "session"
    answer: Any = None
    done = 0
    for number, part in enumerate(parts, 1):
        request = arguments | {"messages": part}
        if number > 1:
            # Each part has its own thread, so that capturing the file again gives the same parts.
            request[thread] = f"{answer.thread} ({number})"
        try:
            answer = _join(answer, backend.use(capability, request))
        except InvalidInput as problem:
            _count_on(problem, done)
            raise
        done += len(part)
    if len(parts) > 1:
        answer = msgspec.structs.replace(answer, notes=[*answer.notes, f"stored in {len(parts):,} parts"])
    return answer


def split_messages(messages: Sequence[Any]) -> Iterator[list[Any]]:
    """The messages in parts that are small enough for one capture."""
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
    """Change the message index in an error from the part to the whole conversation."""
    index = (problem.field or "").removeprefix("messages[").partition("]")[0]
    if index.isdigit():
        old, new = f"messages[{index}]", f"messages[{int(index) + done}]"
        problem.field = (problem.field or "").replace(old, new, 1)
        problem.message = problem.message.replace(old, new, 1)


def _join(before: Any, answer: Any) -> Any:
    """Join two answers of a capture."""
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
