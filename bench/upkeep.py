"""`python -m bench upkeep`: every job over and over on a full memory, its workers killed within and between steps.

Runs come in pairs at one moment: the first finds something to do, the second must not. After each it is checked that
no source is gone and that the ledger holds just the entries that the jobs say they made; now and then all of a run is
undone, and the memory must be as it was before. It is no measure of speed, though it tells how long it took.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec

from bench.machine import describe_machine
from bench.material import facts, invent_name
from bench.pages import RESULTS, machine_lines, table, write_page
from bench.spaces import open_space
from heldtrue import ManualClock, Memory
from heldtrue.domain.errors import WrongState
from heldtrue.domain.job import Job
from heldtrue.domain.limits import JOB_LEASE_US
from heldtrue.domain.principal import EVERYTHING
from heldtrue.domain.rows import VersionFilter
from heldtrue.domain.times import SECOND_US
from heldtrue.engine.ports import EngineReadTransaction
from heldtrue.engine.queue import NewJob, ask_for
from heldtrue.wiring.settings import SETTINGS_FILE

MEMORIES, ROUNDS, KILLS = 10_000, 100, 3
UNDO_EVERY, FIRST_UNDONE = 10, 3
"""Which pairs of runs are undone; the fourth archives a whole category."""
START = datetime(2026, 1, 5, 3, 0, tzinfo=UTC)
PHASES = (("nightly",), ("monthly", "compact"), ("weekly",))
"""What each run asks for, in the order in which one makes work for the next; the rest of the jobs they ask for
themselves, and `extract` comes with what is captured."""
ALONE = JOB_LEASE_US // SECOND_US + 1
"""Seconds after which the job of a worker that was killed may be taken over."""
_BATCH = 1_000
_CATEGORIES = ("work", "hobbies", "health", "preferences", "")
_STALENESS = ("stable", "stable", "stable", "weekly", "daily")
_PROCESSES = get_context("forkserver")
_LOADED = ("worker", "extract", "consolidate", "compact", "insights", "regular", "summarise")
_PROCESSES.set_forkserver_preload(
    ["bench.upkeep", "psycopg", "heldtrue.language.extraction", *(f"heldtrue.engine.{name}" for name in _LOADED)]
)
State = dict[str, tuple[str, str, float]]
"""Of each memory what it says, its status and its confidence."""


class Broken(AssertionError):
    """Something that must not happen has happened."""


def require(holds: bool, what: str) -> None:
    """An assertion that optimisation does not remove."""
    if not holds:
        raise Broken(what)


# The memory that is kept up


def fill(home: Path, memories: int) -> None:
    """Memories of a person and of agents, in several scopes and categories, some doubtful, doubled or forgotten."""
    with Memory.open(home, clock=ManualClock(START)) as owner:
        codex = owner.as_agent("codex")
        waiting = enumerate(facts(memories, seed=7))
        while batch := list(islice(waiting, _BATCH)):
            owner.learn_many([_owned(number, text) for number, text in batch if number % 10 < 7])
            codex.learn_many([_proposed(number, text) for number, text in batch if number % 10 >= 7])
        for number in range(max(3, memories // 100)):
            _say_twice(owner, codex, number)
            _forget_one(owner, codex, number)


def _place(number: int, text: str) -> dict[str, Any]:
    scope = "global" if number % 3 else f"project:p{number % 5}"
    return {"content": text, "scope": scope, "category": _CATEGORIES[number // 10 % len(_CATEGORIES)] or None}


_owned = _place


def _proposed(number: int, text: str) -> dict[str, Any]:
    doubtful = {"confidence": 0.2} if number % 50 == 9 else {}
    return _place(number, text) | {"staleness": _STALENESS[number // 50 % len(_STALENESS)]} | doubtful


def _say_twice(owner: Memory, codex: Memory, number: int) -> None:
    """Two memories that say the same: the gate lets no second one in, but a person may put one into such words."""
    said = f"The {invent_name(number)} lamp hangs over the {invent_name(number + 1)} door."
    codex.learn(said, category="hobbies")
    held = codex.learn(f"Ada was seen by {invent_name(number + 5_000)} once.", kind="profile").memory
    owner.approve(held.id, content=said)


def _forget_one(owner: Memory, codex: Memory, number: int) -> None:
    gone = codex.learn(f"The {invent_name(number)} ferry leaves at nine.").memory
    owner.forget(gone.id, reason="it was cancelled")


def feed(owner: Memory, round_: int) -> None:
    """What comes in between two runs: things said once, things said twice, a duplicate, and what contradicts."""
    first, second = (invent_name(20_000 + 2 * round_ + side) for side in (0, 1))
    turns = (f"I prefer {first} tea in the morning.", f"My cousin {second} lives in Porto.")
    for thread, opening in (("one", ""), ("two", "Good morning, Tom. ")):
        messages = [{"name": "Mira", "content": opening + text} for text in turns]
        owner.capture(messages=messages, thread=f"{thread} {round_}")
    codex, claude = owner.as_agent("codex"), owner.as_agent("claude")
    codex.learn(f"The {first} gauge reads 30 bar.", staleness="daily", category="work")
    claude.learn(f"The {first} gauge reads 60 bar.", category="work")
    for kind in ("kite", "kite line", "kite reel"):
        codex.learn(f"The {second} {kind} flies in {first} wind.", category="hobbies", staleness="daily")
    _say_twice(owner, codex, 30_000 + 10 * round_)


# The workers, and how they die


@dataclass(frozen=True)
class Death:
    """When a worker is killed: at which step, in its transaction or right after it."""

    step: int
    within: bool


def work(home: str, moment: datetime, death: Death | None) -> None:
    """Do what is in the queue, at a given time, until done or killed."""
    with open_space(Path(home), clock=ManualClock(moment)) as instance:
        steps = 0

        def told(_job: Job) -> None:
            nonlocal steps
            steps += 1
            if death is not None and steps >= death.step:
                if death.within:
                    _die()
                # The head of the ledger is noted as soon as a write is committed, and before anything else is done.
                instance.heads.publish = _die  # type: ignore[method-assign, assignment]

        instance.engine.run_due([], told, lambda: True)


def _die(*_arguments: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def work_with_kills(home: Path, moment: datetime, deaths: Iterator[Death | None]) -> tuple[datetime, int]:
    """Let one worker after another do what is in the queue, until one lives; the time then, and how many died."""
    killed = 0
    while True:
        process = _PROCESSES.Process(target=work, args=(str(home), moment, next(deaths)), daemon=True)
        process.start()
        process.join()
        if process.exitcode == 0:
            return moment, killed
        require(process.exitcode == -signal.SIGKILL, f"a worker ended with {process.exitcode}")
        killed += 1
        moment += timedelta(seconds=ALONE)


def choose_deaths(chance: random.Random, kills: int, steps: int) -> Iterator[Death | None]:
    """Some deaths at any step, and then none."""
    for _ in range(kills):
        yield Death(chance.randint(1, steps), chance.random() < 0.5)
    while True:
        yield None


# The runs


@dataclass
class Soaked:
    """What the runs came to."""

    runs: int = 0
    kills: int = 0
    entries: int = 0
    undone: int = 0
    undos: int = 0
    jobs: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    memories: int = 0
    sources: int = 0


class Soak:
    """Runs every job again and again, and looks at what is left each time."""

    def __init__(self, home: Path, memories: int, *, kills: int, seed: int = 5) -> None:
        self._home = home
        self._kills = kills
        self._steps = max(8, memories // 120)
        self._chance = random.Random(seed)
        self._moment = START
        self.soaked = Soaked()

    def run_pair(self, number: int, *, undo: bool) -> None:
        """One moment: a run that finds something to do, one that must not, and then perhaps all of it taken back."""
        # A little earlier, so that it is read before anything else is done about it.
        self._moment = START + timedelta(days=2 * number + 1, hours=-1)
        with self._open() as owner:
            feed(owner, number)
            before = read_state(owner)
        self._moment = START + timedelta(days=2 * number + 1)
        done = self._run(number)
        require(bool(done), "the run that has something to do did nothing")
        again = self._run(number)
        require(not again, f"a second run at the same moment changed something: {list(map(tell_changes, again))}")
        if undo:
            self._undo(done, before)
            again = self._run(number)
            require(not again, f"what was undone was done again: {list(map(tell_changes, again))}")

    def _run(self, number: int) -> list[Job]:
        """Every job once; those that changed something, in the order in which they did."""
        with self._open() as owner:
            head, sources, earlier = _head(owner), read_sources(owner), _finished(owner)
        deaths, killed = choose_deaths(self._chance, self._kills, self._steps), 0
        for names in PHASES:
            with self._open() as owner:
                self._ask(owner, names, number)
            self._moment, more = work_with_kills(self._home, self._moment, deaths)
            killed += more
        with self._open() as owner:
            jobs = self._check(owner, head, sources, earlier)
        self.soaked.runs += 1
        self.soaked.kills += killed
        self.soaked.jobs.update(job.name for job in jobs)
        self.soaked.entries += sum(len(entries_of(job)) for job in jobs)
        for job in jobs:
            self.soaked.counts.update(_outcome(job).get("counts", {}))
        return sorted((job for job in jobs if entries_of(job)), key=lambda job: max(entries_of(job)), reverse=True)

    def _ask(self, owner: Memory, names: Sequence[str], number: int) -> None:
        instance, slot = owner._call.instance, START + timedelta(days=2 * number + 1)
        arguments = {"slot": int(slot.timestamp() * SECOND_US)}
        with instance.store.write() as transaction:
            for name in names:
                given = arguments if name == "nightly" else {}
                new = NewJob(name=name, asked_by="system:heldtrue", trigger="bench", arguments=given)
                ask_for(transaction, new, now=instance.clock.now())

    def _check(self, owner: Memory, head: int, sources: set[str], earlier: set[str]) -> list[Job]:
        """No source is gone, every job is done, and their entries are those of the ledger, each in one of them."""
        with owner._call.instance.store.read() as reading:
            jobs = [job for job in _every_job(reading) if job.id not in earlier]
            written = reading.ledger.entries(after=head, until=2**60, limit=2**31)
        require({job.state for job in jobs} <= {"done"}, f"not all jobs are done: {Counter(job.state for job in jobs)}")
        require(sources <= read_sources(owner), "a source is gone")
        claimed = Counter(seq for job in jobs for seq in entries_of(job))
        require(not [seq for seq, times in claimed.items() if times > 1], "two jobs claim the same entry")
        strange = [
            f"#{entry.seq} {entry.action} {entry.outcome}: {entry.reason}"
            for entry in written
            if entry.seq not in claimed
        ]
        require(not strange, f"no job tells of {len(strange)} entries, such as {strange[:2]}")
        require(len(claimed) == len(written), f"jobs tell of {len(claimed)} changes, the ledger of {len(written)}")
        return jobs

    def _undo(self, done: Sequence[Job], before: Mapping[str, tuple[str, str, float]]) -> None:
        """Take back all of a run, each job in one call, and compare with what was before."""
        with self._open() as owner:
            for job in done:
                try:
                    answer = owner.undo(job.id, reason="a bench")
                except WrongState as problem:
                    # The job that asked for it was undone before, and it with that one.
                    require("already undone" in problem.message, f"{job.name}: {problem.message}")
                    continue
                left = [reason for reason in answer.left if "already undone" not in reason]
                require(not left, f"{job.name} could not be undone: {left[:3]}")
                self.soaked.undone += answer.undone
                self.soaked.undos += 1
            after = read_state(owner)
        changed = {name for name, was in before.items() if after[name] != was}
        require(not changed, f"{len(changed)} memories are not as before, such as {min(changed, default='')}")
        fresh = {after[name][1] for name in after.keys() - before.keys()}
        require(fresh <= {"retracted"}, f"what a run made is {fresh} after it was undone")

    def finish(self) -> Soaked:
        with self._open() as owner:
            problems = owner.verify().problems
            require(not problems, f"the history does not verify: {problems[:3]}")
            self.soaked.memories, self.soaked.sources = len(read_state(owner)), owner.status().sources or 0
        return self.soaked

    def _open(self) -> Memory:
        return Memory.open(self._home, clock=ManualClock(self._moment))


def read_state(memory: Memory) -> State:
    """Every memory as it is now."""
    found: State = {}
    before = None
    with memory._call.instance.store.read() as reading:
        while page := reading.memories.list_versions(VersionFilter(sight=EVERYTHING), before=before, limit=_BATCH):
            before = page[-1].no
            found |= {version.memory_id: (version.content, version.status, version.confidence) for version in page}
    return found


def read_sources(memory: Memory) -> set[str]:
    """The ids of all evidence."""
    with memory._call.instance.store.read() as reading:
        return {
            source.id for source in reading.ledger.records_written("sources", after=0, until=reading.ledger.head().seq)
        }


def _head(memory: Memory) -> int:
    with memory._call.instance.store.read() as reading:
        return reading.ledger.head().seq


def _finished(memory: Memory) -> set[str]:
    """The jobs of earlier runs."""
    with memory._call.instance.store.read() as reading:
        return {job.id for job in _every_job(reading) if job.finished_at is not None}


def _every_job(reading: EngineReadTransaction) -> list[Job]:
    found: list[Job] = []
    before = "~"
    while page := reading.queue.jobs(names=[], states=[], asked_by=None, before=before, limit=_BATCH):
        found += page
        before = page[-1].id
    return found


def _outcome(job: Job) -> dict[str, Any]:
    return msgspec.json.decode(job.outcome, type=dict[str, Any])


def entries_of(job: Job) -> list[int]:
    """The ledger entries that a job says it made."""
    found: list[int] = _outcome(job).get("entries", [])
    return found


def tell_changes(job: Job) -> str:
    return f"{job.name} {_outcome(job).get('counts')} {entries_of(job)}"


def soak(
    home: Path,
    memories: int,
    rounds: int,
    *,
    kills: int = KILLS,
    undo_every: int = UNDO_EVERY,
    tell: Callable[[str], None] = lambda _text: None,
) -> Soaked:
    """Fill a home and run each job on it so many times, in pairs."""
    fill(home, memories)
    start = perf_counter()
    running = Soak(home, memories, kills=kills)
    number = 0
    while running.soaked.runs < rounds:
        running.run_pair(number, undo=number % undo_every == min(FIRST_UNDONE, undo_every - 1))
        number += 1
        done = running.soaked
        tell(f"run {done.runs:>3} of {rounds}, {done.kills} kills, {done.entries:,} changes, {done.undone:,} undone")
    done = running.finish()
    done.seconds = perf_counter() - start
    return done


# The page


def page(done: Soaked, memories: int) -> list[str]:
    """The sections of upkeep.md."""
    found = [
        ("memories at the end, of all states", f"{done.memories:,}"),
        ("sources at the end, none gone", f"{done.sources:,}"),
        ("runs of every job", f"{done.runs:,}"),
        ("jobs", f"{done.jobs.total():,}"),
        ("workers killed", f"{done.kills:,}"),
        ("changes by jobs, each one entry of the ledger", f"{done.entries:,}"),
        ("jobs undone in one call each", f"{done.undos:,}"),
        ("changes taken back, all as before", f"{done.undone:,}"),
        ("changes by second runs", "0"),
        ("seconds", f"{done.seconds:,.0f}"),
    ]
    return [
        "# Upkeep, killed and repeated",
        f"`make bench-upkeep`: a memory that begins with {memories:,} memories; every two days of its time something "
        "comes in and every job is run, and at once run again. In each run workers die by SIGKILL at random steps, "
        "half of them within the transaction of a step and half right after its commit; another takes over. After each "
        "run no source is gone and the ledger holds just the entries that the jobs list as theirs; a second run "
        f"changes nothing; each {UNDO_EVERY}th run is undone, after which every memory is as it was, and a further one "
        "does not do it again. At the end the history verifies.",
        machine_lines(describe_machine()),
        table(("what", "number"), found),
        "What the jobs counted:",
        table(
            ("outcome", "times"), [(name.replace("_", " "), f"{times:,}") for name, times in done.counts.most_common()]
        ),
        "Which jobs ran, those that a regular job is made of among them:",
        table(("job", "times"), [(name, f"{times:,}") for name, times in done.jobs.most_common()]),
    ]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench upkeep", description=__doc__)
    parser.add_argument("--memories", type=int, default=MEMORIES, help="how many memories there are to begin with")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often each job is run")
    parser.add_argument("--kills", type=int, default=KILLS, help="how many workers die in each run at most")
    parser.add_argument("--out", type=Path, help="where the page goes; left out, bench/results for the usual numbers")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        home.mkdir()
        (home / SETTINGS_FILE).write_text('[engine]\ntimezone = "UTC"\n', "utf-8")
        start = perf_counter()

        def tell(text: str) -> None:
            print(f"  {perf_counter() - start:>6,.0f} s  {text}", flush=True)

        done = soak(home, chosen.memories, chosen.rounds, kills=chosen.kills, tell=tell)
    usual = (chosen.memories, chosen.rounds, chosen.kills) == (MEMORIES, ROUNDS, KILLS)
    where = chosen.out or (RESULTS if usual else None)
    if where is not None:
        print(f"written: {write_page(where, 'upkeep', page(done, chosen.memories), {})}")
    return 0
