"""Rows of the log of recalls and reads: how they are made, and how they are read again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import msgspec

from heldtrue.domain.ids import new_id
from heldtrue.domain.rows import RecallRow
from heldtrue.language.masking import mask_text

READS = frozenset(("get", "expand", "explain", "history"))
"""The verbs that read one thing by its id. They are logged for those who follow, and are no recalls."""

_encode = msgspec.json.Encoder(order="sorted").encode


class LoggedQuery(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A question as it was put and as it was searched for."""

    arguments: dict[str, Any] = {}
    rewritten: str | None = None


class LoggedResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
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


_read_query = msgspec.json.Decoder(LoggedQuery).decode
_read_results = msgspec.json.Decoder(list[LoggedResult]).decode


def recall_id_of(*, now: int, parts: Iterable[bytes | str]) -> str:
    """The id of a recall: the same question of the same store at the same moment has the same one.

    It has the form of every other id and sorts by its moment; where those have chance, it has a hash of the parts.
    """
    digest = blake2b(now.to_bytes(8, "big", signed=True), digest_size=8)
    for part in parts:
        piece = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(piece).to_bytes(8, "big"))
        digest.update(piece)
    tail = f"{int.from_bytes(digest.digest(), 'big') & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000:016x}"
    return f"{new_id(now)[:18]}-{tail[:4]}-{tail[4:]}"


class LoggedRecall(msgspec.Struct, frozen=True, kw_only=True):
    """A recall as it is to be logged."""

    id: str
    now: int
    principal: str
    channel: str
    verb: str
    question: str
    query: LoggedQuery = LoggedQuery()
    tier: str = "items"
    results: Sequence[LoggedResult] = ()
    cost: Mapping[str, Any] = {}


def make_row(recall: LoggedRecall) -> RecallRow:
    """The row of a recall: its words made plain and rid of secrets, like everything else that is stored."""
    return RecallRow(
        id=recall.id,
        recorded_at=recall.now,
        principal=recall.principal,
        channel=recall.channel,
        verb=recall.verb,
        question=make_plain(recall.question),
        asked=_encode(make_plain(msgspec.to_builtins(recall.query))).decode(),
        tier=recall.tier,
        results=_encode(recall.results).decode(),
        cost=_encode(recall.cost).decode(),
    )


def read_row(*, now: int, principal: str, channel: str, verb: str, read: LoggedResult) -> RecallRow:
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


def read_query(row: RecallRow) -> LoggedQuery:
    return _read_query(row.asked)


def read_results(row: RecallRow) -> list[LoggedResult]:
    return _read_results(row.results)


def make_plain(value: Any) -> Any:
    """A text, or all texts in lists and objects, as they may be stored: readable, and without secrets."""
    match value:
        case str():
            return _plain_text(value)
        case dict():
            return {name: make_plain(part) for name, part in value.items()}
        case list() | tuple():
            return [make_plain(part) for part in value]
        case _:
            return value


def _plain_text(text: str) -> str:
    # Most questions are a few plain words: what cleans is loaded for the others only.
    if not (text.isascii() and text.isprintable()):
        from heldtrue.language.normalise import clean_text

        text = clean_text(text)
    return mask_text(text).text
