"""Keeps a fault in the analysis of a text, or too much work on it, from costing the text.

Every function that takes a text apart for the rest of the program is decorated with `guarded`. If it raises, or does
more work than a text of that length is worth, the text is treated as unparsed: `guarded` returns the value that stands
for "nothing was found". This is the only place that catches such an error. It logs the stack without any of the text,
and counts it; `status` shows the count.

Work is counted in characters that were read (`spend`), not in seconds, so that the same text always gives the same
answer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec, TypeVar

from heldtrue.domain.limits import ANALYSIS_WORK_MIN, ANALYSIS_WORK_PER_CHAR_MAX

Given = ParamSpec("Given")
Answer = TypeVar("Answer")
_FRAMES_SHOWN = 12


class TooMuchWork(Exception):
    """An analysis read far more than a text of its length is worth."""


class _Effort(threading.local):
    """What the current thread may still read, whether it is to leave texts unparsed, and how often it has done so."""

    left: float = float("inf")
    is_off: bool = False
    unparsed: int = 0


_effort = _Effort()
_failures: dict[str, AnalysisFailure] = {}
_lock = threading.Lock()


def spend(characters: int) -> None:
    """Count characters that an analysis is about to read; raises `TooMuchWork` if there are too many."""
    _effort.left -= characters
    if _effort.left < 0:
        raise TooMuchWork


def guarded(unparsed: Callable[..., Any]) -> Callable[[Callable[Given, Answer]], Callable[Given, Answer]]:
    """Decorate an analysis with the answer for a text that it cannot take apart."""

    def decorate(analyse: Callable[Given, Answer]) -> Callable[Given, Answer]:
        @wraps(analyse)
        def run(*given: Given.args, **named: Given.kwargs) -> Answer:
            if _effort.is_off:
                _effort.unparsed += 1
                answer: Answer = unparsed(*given, **named)
                return answer
            before = _effort.left
            length = sum(len(text) for text in given if isinstance(text, str))
            allowed = min(before, ANALYSIS_WORK_MIN + ANALYSIS_WORK_PER_CHAR_MAX * length)
            _effort.left = allowed
            try:
                return analyse(*given, **named)
            except Exception as problem:  # noqa: BLE001 - the one place: whatever it is, the text is kept
                note_failure(AnalysisFailure(_place_of(problem), _trace_of(problem), 1))
            finally:
                _effort.left = before - (allowed - _effort.left)
            kept: Answer = unparsed(*given, **named)
            return kept

        return run

    return decorate


@contextmanager
def leave_unparsed() -> Iterator[None]:
    """Within this context, the current thread takes no text apart."""
    _effort.is_off = True
    try:
        yield
    finally:
        _effort.is_off = False


class AnalysisFailure(NamedTuple):
    """How often an analysis failed at one place in the code, and the calls that led there."""

    place: str
    trace: str
    times: int


def note_failure(failure: AnalysisFailure) -> None:
    """Count an analysis that failed, and log its trace if it is the first at this place."""
    _effort.unparsed += failure.times
    with _lock:
        before = _failures.get(failure.place)
        times = failure.times + (before.times if before else 0)
        _failures[failure.place] = failure._replace(times=times)
    if before is None:
        import logging  # nobody pays for it until something fails

        logger = logging.getLogger("heldtrue.language")
        logger.error("a text could not be analysed and is kept unparsed: %s\n%s", failure.place, failure.trace)


def list_failures() -> list[AnalysisFailure]:
    """The analyses that failed since this process started."""
    with _lock:
        return list(_failures.values())


def take_failures() -> list[AnalysisFailure]:
    """The same, and forget them: a child process hands them to its parent."""
    with _lock:
        taken = list(_failures.values())
        _failures.clear()
    return taken


def count_unparsed() -> int:
    """How many analyses have left a text unparsed so far in this thread; the difference tells about one text."""
    return _effort.unparsed


def _place_of(problem: Exception) -> str:
    import traceback  # as logging: nobody pays for it until something fails

    frame = traceback.extract_tb(problem.__traceback__)[-1]
    return f"{type(problem).__name__} at {Path(frame.filename).name}:{frame.lineno}"


def _trace_of(problem: Exception) -> str:
    """The innermost calls. The message of the error is left out, since it may quote the text."""
    import traceback

    frames = traceback.extract_tb(problem.__traceback__)[-_FRAMES_SHOWN:]
    return "".join(traceback.format_list(frames)).rstrip()
