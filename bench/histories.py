"""Random histories against the oracle: `python -m bench histories --count 10000`.

Each history learns, corrects, forgets, restores and merges under a clock that also jumps, and asks `list`, `recall`
and `get` about random moments of both clocks. Every answer must be that of the oracle.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.oracle import OWNER, Fact, Oracle, overlap, period
from heldtrue import ManualClock, Memory, NotFound

START = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
MACHINES = ("kiln", "press", "crane")
NAMES = tuple(consonant + vowel for consonant in "bdfglmnrst" for vowel in "ao")
"""Each history in a space is about machines with a name of its own."""
PORTS = (7001, 7002, 7003, 7004)
JUMPS = (0, 1, 3_600, 86_400, 2_592_000, 2_592_000, 7_776_000, -86_400)
"""Seconds by which the clock may jump before an act."""
STEPS = 25
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_iso(moment: int) -> str:
    return (_EPOCH + timedelta(microseconds=moment)).isoformat()


def from_iso(text: str | None) -> int | None:
    return None if text is None else (datetime.fromisoformat(text) - _EPOCH) // timedelta(microseconds=1)


def write_statement(subject: str, port: int) -> str:
    return f"The {subject} listens on port {port}."


class History:
    """One history, written to a space and to the oracle at once."""

    def __init__(self, memory: Memory, clock: ManualClock, oracle: Oracle, seed: int) -> None:
        self._memory = memory
        self._clock = clock
        self._random = random.Random(seed)
        self.subjects = [machine + NAMES[seed % len(NAMES)] for machine in MACHINES]
        self.oracle = oracle
        self.first = oracle.seq + 1
        """The first entry that may belong to this history."""
        self.checks = 0

    def run(self, steps: int = STEPS) -> None:
        acts: tuple[tuple[Callable[[], None], int], ...] = (
            (self._learn, 9), (self._correct, 5), (self._forget, 3), (self._restore, 3), (self._merge, 1),
        )  # fmt: skip
        for _ in range(steps):
            self._clock.advance(seconds=self._random.choice(JUMPS))
            self._random.choices([act for act, _ in acts], [weight for _, weight in acts])[0]()
            self._check()

    # Acts

    def _moment(self) -> int | None:
        """A moment in the world, within two years of the start; None if it is left open."""
        if self._random.random() < 0.45:
            return None
        return int((START - _EPOCH) / timedelta(microseconds=1)) + self._random.randrange(-24, 25) * 2_592_000_000_000

    def _period(self) -> tuple[int | None, int | None]:
        start, end = self._moment(), self._moment() if self._random.random() < 0.4 else None
        return (start, end) if start is None or end is None or start < end else (start, None)

    def _learn(self) -> None:
        who = self._random.choice((OWNER, OWNER, "agent:codex"))
        subject, port = self._random.choice(self.subjects), self._random.choice(PORTS)
        start, end = self._period() if who == OWNER else (None, None)
        now = self._clock.now()
        expected, facts = self.oracle.plan_learn(who, subject, port, start, end, now)
        if expected in ("refreshed", "corroborated", "superseded") and len(facts) > 1:
            return  # which of several it joins is not a question of time
        view = self._memory if who == OWNER else self._memory.as_agent("codex")
        dates = {"valid_from": start and to_iso(start), "valid_to": end and to_iso(end)}
        answer = view.invoke("memory.learn", content=write_statement(subject, port), **dates)
        assert answer.outcome == expected, (answer.outcome, expected)
        self.oracle.learn(answer.memory and answer.memory.id, who, subject, port, start, end, now)
        assert answer.seq == self.oracle.seq
        if expected == "pending":
            waiting = self.oracle.facts[answer.memory.id]
            self._memory.dismiss(waiting.id)
            self.oracle.dismiss(waiting, now)

    def _correct(self) -> None:
        if not (old := self._choose(self._active())):
            return
        port = self._random.choice(PORTS)
        given: dict[str, Any] = {}
        start, end = old.now.start, old.now.end
        if self._random.random() < 0.4:
            start = self._moment()
            given["valid_from"] = "none" if start is None else to_iso(start)
        if self._random.random() < 0.3:
            end = self._moment()
            given["valid_to"] = "none" if end is None else to_iso(end)
        if (start is not None and end is not None and start >= end) or (
            (port, start, end) == (old.value, old.now.start, old.now.end)
        ):
            return
        now = self._clock.now()
        if any(fact.value == port and fact is not old for fact in self._beside(old.subject, start, end)):
            return
        answer = self._memory.correct(old.id, write_statement(old.subject, port), reason="looked again", **given)
        assert answer.outcome == "superseded", answer.outcome
        self.oracle.correct(old, answer.memory.id, port, start, end, now)

    def _forget(self) -> None:
        if fact := self._choose(self._active()):
            assert self._memory.forget(fact.id, reason="gone").outcome == "retracted"
            self.oracle.forget(fact, self._clock.now())

    def _restore(self) -> None:
        gone = [fact for fact in self._own() if fact.now.status in ("superseded", "retracted")]
        if not (fact := self._choose(gone)):
            return
        if any(other.value == fact.value for other in self._beside(fact.subject, fact.now.start, fact.now.end)):
            return  # two memories of one fact would be active
        assert self._memory.restore(fact.id, reason="back").outcome == "restored"
        self.oracle.restore(fact, self._clock.now())

    def _merge(self) -> None:
        kept = self._choose(self._active())
        others = [fact for fact in self.oracle.active(kept.subject) if fact is not kept] if kept else []
        if kept is None or not (gone := self._choose(others)):
            return
        if self.oracle.rejected.keys() & {(fact.subject, fact.value) for fact in (kept, gone)}:
            return
        assert self._memory.merge(kept.id, gone.id).outcome == "merged"
        self.oracle.merge(kept, gone, self._clock.now())

    def _own(self) -> list[Fact]:
        return [fact for fact in self.oracle.facts.values() if fact.subject in self.subjects]

    def _active(self) -> list[Fact]:
        return [fact for fact in self._own() if fact.is_active]

    def _choose(self, facts: Sequence[Fact]) -> Fact | None:
        return self._random.choice(facts) if facts else None

    def _beside(self, subject: str, start: int | None, end: int | None) -> list[Fact]:
        when = period(start, end, self._clock.now())
        return [fact for fact in self.oracle.active(subject) if overlap(when, self.oracle.period_of(fact))]

    # Questions

    def _check(self) -> None:
        oracle, chance = self.oracle, self._random
        if oracle.seq < self.first:
            return
        asked: dict[str, Any] = {}
        seq, moment = oracle.seq, self._clock.now()
        if chance.random() < 0.6:
            seq = chance.randrange(self.first, oracle.seq + 1)
            moment = oracle.recorded[seq]
            asked["as_of"] = f"#{seq}" if chance.random() < 0.5 else to_iso(moment)
        valid_at = self._moment()
        if valid_at is not None:
            asked["valid_at"] = to_iso(valid_at)
        self._check_list(seq, valid_at, asked)
        self._check_get(seq)
        self.checks += 2
        if chance.random() < 0.4:
            self._check_recall(seq, valid_at, moment, asked)
            self.checks += 1

    def _check_list(self, seq: int, valid_at: int | None, asked: dict[str, Any]) -> None:
        items = self._memory.list(limit=1_000, **asked).items
        told = {item.id: (item.valid_from, item.valid_to) for item in items if item.content.split()[1] in self.subjects}
        expected = {
            fact.id: (state.start, state.end)
            for fact, state in self.oracle.believed(seq)
            if fact.subject in self.subjects and (valid_at is None or state.holds_at(valid_at))
        }
        assert {key: (from_iso(start), from_iso(end)) for key, (start, end) in told.items()} == expected, asked

    def _check_recall(self, seq: int, valid_at: int | None, moment: int, asked: dict[str, Any]) -> None:
        subject = self._random.choice(self.subjects)
        found = self._memory.recall(f"which port does the {subject} listen on?", limit=100, **asked).results
        told = {result.memory.content for result in found if result.memory and subject in result.memory.content}
        expected = {
            write_statement(fact.subject, fact.value)
            for fact, state in self.oracle.believed(seq)
            if fact.subject == subject
            if (state.holds_at(valid_at) if valid_at is not None else state.end is None or state.end > moment)
        }
        assert told == expected, (asked, told, expected)

    def _check_get(self, seq: int) -> None:
        fact = self._choose(self._own())
        if fact is None:
            return
        state = fact.at(seq)
        try:
            told = self._memory.get(fact.id, as_of=f"#{seq}").memory
        except NotFound:
            assert state is None
            return
        assert state is not None
        assert (told.status, from_iso(told.valid_from), from_iso(told.valid_to)) == (
            state.status, state.start, state.end,
        )  # fmt: skip
        assert told.content == write_statement(fact.subject, fact.value)


def run_histories(seeds: Sequence[int], *, home: Path | None = None, steps: int = STEPS) -> int:
    """Run some histories one after another in one space; the number of answers compared."""
    clock, oracle, checks = ManualClock(START), Oracle(), 0
    with Memory.open(home or ":memory:", clock=clock) as memory:
        for seed in seeds:
            history = History(memory, clock, oracle, seed)
            try:
                history.run(steps)
            except AssertionError as problem:
                raise AssertionError(f"history {seed} of {seeds[0]} to {seeds[-1]} differs: {problem}") from problem
            checks += history.checks
        assert memory.verify().problems == []
    return checks


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench histories", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="how many histories")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first one")
    chosen = parser.parse_args(arguments)
    checks = done = differences = 0
    started, last = time.monotonic(), chosen.first + chosen.count
    for first in range(chosen.first, last, len(NAMES)):
        seeds = range(first, min(first + len(NAMES), last))
        done += len(seeds)
        try:
            checks += run_histories(seeds)
        except AssertionError as problem:
            differences += 1
            print(problem, file=sys.stderr)
        seconds = time.monotonic() - started
        if done % 500 == 0 or done == chosen.count:
            print(
                f"{done:,} histories, {checks:,} answers compared, {differences} differences, {seconds:,.0f} s",
                flush=True,
            )
    return 1 if differences else 0
