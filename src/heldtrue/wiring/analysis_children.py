"""The analysis of long texts in child processes of a service, which can be killed.

A child runs `heldtrue.wiring.analysis_child`. It is started when the first long text arrives, does one piece of work
after another, and is stopped after a while without work. It ends itself at the time limit, also in the middle of a
long call that never returns to the interpreter, and its parent kills it soon after if it did not. Whatever happens to
it, the text is kept: the work is then done in this process with all texts left unparsed.
"""

from __future__ import annotations

import logging
import pickle
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any, NamedTuple, TypeVar

from heldtrue.domain.limits import (
    ANALYSIS_CHILD_IDLE_SECONDS,
    ANALYSIS_CHILDREN_MAX,
    ANALYSIS_INLINE_CHARS_MAX,
    ANALYSIS_KILL_SECONDS,
    ANALYSIS_SECONDS_MAX,
    ANALYSIS_TRACE_BYTES_MAX,
    ANALYSIS_TRACE_SECONDS_MAX,
)
from heldtrue.language.guard import AnalysisFailure, leave_unparsed, note_failure
from heldtrue.language.masking import current_policy

Given = TypeVar("Given")
Answer = TypeVar("Answer")
_log = logging.getLogger("heldtrue.analysis")
_LENGTH = struct.Struct(">Q")


class InChildren:
    """Analyses long texts, and what background jobs read, in child processes with a time limit."""

    def __init__(self, *, seconds_max: float = ANALYSIS_SECONDS_MAX) -> None:
        self._seconds_max = seconds_max
        self._turns = threading.BoundedSemaphore(ANALYSIS_CHILDREN_MAX)
        self._lock = threading.Lock()
        self._idle: list[_Child] = []
        self._all: set[_Child] = set()

    def run(self, work: Callable[[Given], Answer], given: Given, *, chars: int) -> Answer:
        return work(given) if chars <= ANALYSIS_INLINE_CHARS_MAX else self.run_apart(work, given)

    def run_apart(self, work: Callable[[Given], Answer], given: Given, *, seconds_more: float = 0.0) -> Answer:
        try:
            outcome = self._ask_child(work, given, self._seconds_max + seconds_more)
        except OSError as problem:
            _log.warning("the process that analyses texts could not be started: %s", problem.strerror)
            return work(given)
        for failure in outcome.failures:
            note_failure(failure)
        if outcome.is_cut_off:
            with leave_unparsed():
                return work(given)
        if outcome.problem is not None:
            raise outcome.problem
        answer: Answer = outcome.answer
        return answer

    def close(self) -> None:
        """Kill the children."""
        with self._lock:
            children, self._all, self._idle = list(self._all), set(), []
        for child in children:
            child.kill()

    def _ask_child(self, work: Callable[[Given], Answer], given: Given, seconds_max: float) -> ChildOutcome:
        with self._turns:
            with self._lock:
                child = self._idle.pop() if self._idle else None
            child = child or self._start_child()
            outcome = child.ask(work, given, seconds_max)
            with self._lock:
                if child in self._all and not outcome.is_cut_off:
                    self._idle.append(child)
                    child.stop_later(self._retire)
                    return outcome
            self._retire(child)
            return outcome

    def _start_child(self) -> _Child:
        child = _Child()
        with self._lock:
            self._all.add(child)
        return child

    def _retire(self, child: _Child) -> None:
        """End a child that died, or that had no work for a while and has none now."""
        with self._lock:
            if child in self._idle:
                self._idle.remove(child)
            elif child.is_alive:
                return
            self._all.discard(child)
        child.kill()


class ChildOutcome(NamedTuple):
    """What came of one piece of work in a child."""

    answer: Any = None
    problem: Exception | None = None
    failures: tuple[AnalysisFailure, ...] = ()
    is_cut_off: bool = False
    """Whether the child died or was too slow."""


class _Child:
    """One child process, which does one piece of work at a time."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "heldtrue.wiring.analysis_child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._stopping: threading.Timer | None = None

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, work: Callable[[Given], Answer], given: Given, seconds_max: float) -> ChildOutcome:
        """Have a piece of work done."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        if self._stopping is not None:
            self._stopping.cancel()
        killing = _start_timer(seconds_max + ANALYSIS_KILL_SECONDS, process.kill)
        try:
            write_message(process.stdin, (seconds_max, current_policy(), work, given))
            outcome: ChildOutcome | None = read_message(process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError):
            outcome = None
        finally:
            killing.cancel()
        if outcome is not None:
            return outcome
        name = getattr(getattr(work, "func", work), "__name__", "analysis")
        lost = AnalysisFailure(f"the process running {name} was killed or died", self._read_trace(), 1)
        return ChildOutcome(failures=(lost,), is_cut_off=True)

    def stop_later(self, stop: Callable[[_Child], None]) -> None:
        """Stop the child unless it gets more work soon."""
        self._stopping = _start_timer(ANALYSIS_CHILD_IDLE_SECONDS, lambda: stop(self))

    def kill(self) -> None:
        if self._stopping is not None:
            self._stopping.cancel()
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def _read_trace(self) -> str:
        """What the child said about where it was when it ended: code, and no text."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(ANALYSIS_TRACE_SECONDS_MAX)
        self._process.kill()
        assert self._process.stderr is not None
        return self._process.stderr.read(ANALYSIS_TRACE_BYTES_MAX).decode("utf-8", "replace").strip()


def _start_timer(seconds: float, act: Callable[[], object]) -> threading.Timer:
    timer = threading.Timer(seconds, act)
    timer.daemon = True
    timer.start()
    return timer


# Messages between the two: a length, and that many bytes of pickle. Both sides are this package.


def write_message(pipe: IO[bytes], message: object) -> None:
    packed = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.write(_LENGTH.pack(len(packed)))
    pipe.write(packed)
    pipe.flush()


def read_message(pipe: IO[bytes]) -> Any:
    """The next message; raises `EOFError` if the other side has ended."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    return pickle.loads(pipe.read(length))  # noqa: S301 - the other side is a process of ours
