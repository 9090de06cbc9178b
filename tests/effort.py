"""How work grows, for tests that say that something costs no more than it must.

What is compared is the processor time of this thread at two sizes in the same run: another machine, or other work on
this one, changes both alike. Nothing is held against a number of seconds.
"""

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

GROWTH = 8
"""How much more is done the second time."""
ROOM = 3
"""What is linear may take this much more than its share; what is quadratic takes 8 times its share."""
TRIES = 3
NOTHING_SECONDS = 0.02
"""Below this, figures say more about the clock than about the work."""

Part = TypeVar("Part", str, Sequence[str])


def processor_seconds(work: Callable[[], object]) -> float:
    """What one call costs this thread."""
    started = time.thread_time()
    work()
    return time.thread_time() - started


def assert_linear(work: Callable[[Part], object], whole: Part) -> None:
    """Fail where the whole of a text or a list takes far more than eight times what an eighth of it takes."""
    work(whole[: len(whole) // GROWTH // GROWTH])  # what is loaded once is loaded now
    for attempt in range(TRIES):
        # One shorter each time, since what was seen before may be remembered.
        share = processor_seconds(lambda: work(whole[: max(0, len(whole) // GROWTH - attempt)]))  # noqa: B023 - called at once
        spent = processor_seconds(lambda: work(whole[: len(whole) - attempt]))  # noqa: B023 - called at once
        if spent <= max(NOTHING_SECONDS, GROWTH * ROOM * share):
            return
    raise AssertionError(f"{GROWTH} times as much took {spent:.3f} s after {share:.3f} s")


def best_of(work: Callable[[], object], *, calls: int, tries: int = 5) -> float:
    """What one of many equal calls costs, in processor seconds, in the best of some tries."""

    def call_all() -> None:
        for _ in range(calls):
            work()

    return min(processor_seconds(call_all) for _ in range(tries)) / calls
