"""Stage: logs a recall, once it is known which results were returned and which went into a prompt."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from heldtrue.domain.rows import RecallRow
from heldtrue.recall.answer import RecallOutcome, Result
from heldtrue.recall.log_rows import LoggedQuery, LoggedRecall, LoggedResult, make_row
from heldtrue.recall.log_writer import RecallLog
from heldtrue.recall.query import RecallQuery

_DEFAULTS = msgspec.structs.asdict(RecallQuery(context=""))


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """What of a recall was given to whom, and how."""

    principal: str
    channel: str
    verb: str
    results: Sequence[Result]
    injected: Collection[str] = ()
    """The keys of the results that went into a prompt, where not all of them did."""
    tier: str = "items"
    uncounted: Collection[str] = ()
    """Memories that were not asked for, and so do not count as recalled."""
    tokens: int | None = None
    """How many tokens the prompt took."""


def log_recall(log: RecallLog, outcome: RecallOutcome, delivery: Delivery) -> None:
    """Log a recall. The row is made by whoever writes it: the caller has its answer by then."""
    memories = [result.memory.memory_id for result in delivery.results if result.memory is not None]
    counted = [memory_id for memory_id in memories if memory_id not in delivery.uncounted]
    log.note_later(outcome.id, lambda: _make_row(outcome, delivery), counted)


def _make_row(outcome: RecallOutcome, delivery: Delivery) -> RecallRow:
    query = outcome.query
    arguments = {
        name: value
        for name, value in msgspec.structs.asdict(query).items()
        if value != _DEFAULTS[name] and name != "context"
    }
    return make_row(
        LoggedRecall(
            id=outcome.id,
            now=outcome.now,
            principal=delivery.principal,
            channel=delivery.channel,
            verb=delivery.verb,
            question=query.context,
            query=LoggedQuery(arguments=arguments, rewritten=outcome.rewritten),
            tier=delivery.tier,
            results=[_log_result(result, delivery.injected) for result in delivery.results],
            cost=outcome.cost if delivery.tokens is None else {**outcome.cost, "tokens": delivery.tokens},
        )
    )


def _log_result(result: Result, injected: Collection[str]) -> LoggedResult:
    memory, passage = result.memory, result.passage
    if memory is not None:
        return LoggedResult(
            id=memory.memory_id,
            version=memory.version,
            score=result.score,
            parts=result.breakdown,
            injected=result.key in injected,
        )
    assert passage is not None
    return LoggedResult(
        id=passage.source_id,
        what="passage",
        passage=passage.no,
        score=result.score,
        parts=result.breakdown,
        injected=result.key in injected,
    )
