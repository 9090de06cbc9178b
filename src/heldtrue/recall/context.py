"""Stage: what to know before a task, of what always counts and of what fits it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, zip_longest

from heldtrue.recall.answer import Result


def share_context(
    standing: Sequence[Result], results: Sequence[Result], limit: int
) -> tuple[list[Result], list[Result]]:
    """What always counts, and what fits the task: half of the limit each, and what the other leaves free."""
    fitting = {result.key: result for result in reversed(results)}
    always = list(standing[: (limit + 1) // 2])
    keys = {result.key for result in always}
    others = [result for result in results if result.key not in keys][: limit - len(always)]
    keys |= {result.key for result in others}
    rest = [result for result in standing if result.key not in keys]
    always += rest[: limit - len(always) - len(others)]
    # What does both is shown with why it fits.
    return [fitting.get(result.key, result) for result in always], others


def take_turns(always: Sequence[Result], fitting: Sequence[Result]) -> list[tuple[Result, bool]]:
    """Both in turn, so that a small budget leaves the best of each; True for what always counts."""
    turns = zip_longest(((result, False) for result in fitting), ((result, True) for result in always))
    return [pair for pair in chain.from_iterable(turns) if pair is not None]
