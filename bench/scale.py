"""How recall holds up as a memory grows, beside plain FTS5 and an exact numpy scan of the same memories.

`make bench-scale` fills homes of 1,000, 10,000 and 100,000 memories; ARGS=--million adds 1,000,000, which takes about
an hour and 4 GiB of disk and of memory. A run over the default sizes writes scale.md and its chart; one over others
only prints, unless --out names a folder.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import islice
from multiprocessing import get_context
from operator import itemgetter
from pathlib import Path
from time import perf_counter

from bench.charts import log_chart
from bench.machine import describe_machine, resident_bytes
from bench.material import facts, paraphrase, zipf_rank
from bench.pages import RESULTS, against_bar, machine_lines, percentile, table, write_page
from bench.reference import PlainMemory, Spent, spend
from bench.spaces import ask_as_agent, open_space, set_up, store_vectors
from heldtrue import Memory
from heldtrue.capabilities.call import Instance
from heldtrue.distribution import suggest_install
from heldtrue.recall.meaning import plain_question

SIZES = (1_000, 10_000, 100_000)
MILLION = 1_000_000
SCOPES = 100
BATCH = 1_000
QUESTIONS, WARMING, TURN = 300, 200, 25
"""Questions that are timed, those asked before, and how many of ours and of the reference are timed in turn."""
COLD_STARTS = 5
RESULTS_WANTED = 10
BARS = {10_000: 0.25, 100_000: 0.10}
"""The most that our p50 may be, as a share of the reference's."""
BYTES_BAR, COLD_BAR, COLD_SIZE, GROWTH_BAR = 2_000, 1.0, 100_000, 2.0
Clock = Callable[[Spent], float]
BY_CLOCK: Clock = itemgetter(0)
BY_PROCESSOR: Clock = itemgetter(1)
_SEED = 5
_COLD = """
import sys
from heldtrue import Memory
with Memory.open(sys.argv[1], agent="asker", project=sys.argv[2]) as memory:
    memory.recall(sys.argv[3])
"""


@dataclass(frozen=True)
class Placed:
    """A memory and the scope it is in."""

    scope: str
    content: str


@dataclass(frozen=True)
class Probe:
    """A question, who asks it, and which memory it is about."""

    words: str
    project: str
    about: str


@dataclass(frozen=True)
class Timed:
    """What asking came to: what each question took, and how often the memory was among the first ten."""

    ours: list[Spent]
    embedding: list[Spent]
    reference: list[Spent]
    hits: float
    reference_hits: float
    resident: int
    searched: float
    """The mean share of all memories that the askers could see."""

    @property
    def without_embedding(self) -> list[Spent]:
        pairs = zip(self.ours, self.embedding, strict=True)
        return [Spent(whole.clock - own.clock, whole.processor - own.processor) for whole, own in pairs]


@dataclass(frozen=True)
class Measured:
    """Everything about one size."""

    size: int
    add_rate: float
    embed_rate: float
    bytes_each: float
    cold_cpu: float
    timed: Timed

    def ratio(self, by: Clock) -> float:
        """Our p50 as a share of the reference's, both without embedding the question."""
        ours, theirs = self.timed.without_embedding, self.timed.reference
        return percentile(list(map(by, ours)), 0.5) / percentile(list(map(by, theirs)), 0.5)


# The material


def name_scope(rank: int) -> str:
    """The scope of a rank by size: what names no scope is global, so that is the largest."""
    return "global" if rank == 0 else f"project:p{rank:02}"


def placed_facts(size: int) -> Iterator[Placed]:
    """The memories of a size, over scopes of very unequal sizes; the same in every process."""
    chance = random.Random(_SEED)
    for content in facts(size, seed=_SEED):
        yield Placed(name_scope(zipf_rank(chance, SCOPES)), content)


def make_probes(size: int, count: int) -> list[Probe]:
    """Questions about memories drawn evenly, so that a scope is asked in as often as it is large."""
    chance = random.Random(size)
    wanted = {chance.randrange(size): None for _ in range(2 * count)}
    chosen = set(list(wanted)[:count])
    probes = [
        Probe(paraphrase(fact.content, chance), _asking_project(fact.scope, chance), fact.content)
        for number, fact in enumerate(placed_facts(size))
        if number in chosen
    ]
    chance.shuffle(probes)
    return probes


def _asking_project(scope: str, chance: random.Random) -> str:
    """The project of a memory; about what is global, any project asks."""
    while scope == "global":
        scope = name_scope(zipf_rank(chance, SCOPES))
    return scope.removeprefix("project:")


# Filling


def fill(home: Path, size: int) -> tuple[float, float]:
    """Learn the memories as the owner and store their vectors; memories a second for each."""
    set_up(home, embedder="static")
    with open_space(home) as instance:
        memory, waiting, adding = Memory.over(instance), placed_facts(size), 0.0
        while batch := [{"content": memory.content, "scope": memory.scope} for memory in islice(waiting, BATCH)]:
            started = perf_counter()
            counts = memory.learn_many(batch).counts
            adding += perf_counter() - started
            if set(counts) != {"created"}:
                print(f"  not all were created: {counts}", file=sys.stderr)
        started = perf_counter()
        store_vectors(instance)
        embedding = perf_counter() - started
        memory.maintain()
    return size / adding, size / embedding


def bytes_on_disk(home: Path) -> int:
    return sum(path.stat().st_size for path in home.rglob("*") if path.is_file())


# Asking


def ask_all(home: Path, size: int, questions: int) -> Timed:
    """Ask in a process of its own: ours alone until it is warm, then ours and the reference in turn."""
    probes = make_probes(size, WARMING + questions)
    warming, timed = probes[:WARMING], probes[WARMING:]
    with open_space(home) as instance:
        for probe in warming:
            _ask_ours(instance, probe)
        resident = resident_bytes()
        reference = PlainMemory(home.with_name("reference.db"), placed_facts(size), instance.tools().embedder)
        for probe in warming[:TURN]:
            reference.find(probe.words, probe.project)
        return _ask_in_turn(instance, reference, timed, resident)


def _ask_in_turn(instance: Instance, reference: PlainMemory, probes: Sequence[Probe], resident: int) -> Timed:
    ours: list[Spent] = []
    embedding: list[Spent] = []
    theirs: list[Spent] = []
    hits = reference_hits = 0
    for start in range(0, len(probes), TURN):
        turn = probes[start : start + TURN]
        for probe in turn:
            spent, found = _ask_ours(instance, probe)
            ours.append(spent)
            hits += found
        embedding += [_time_embedding(instance, probe) for probe in turn]
        for probe in turn:
            spent, contents = reference.find(probe.words, probe.project)
            theirs.append(spent)
            reference_hits += probe.about in contents
    return Timed(
        ours=ours,
        embedding=embedding,
        reference=theirs,
        hits=hits / len(probes),
        reference_hits=reference_hits / len(probes),
        resident=resident,
        searched=sum(reference.share_seen(probe.project) for probe in probes) / len(probes),
    )


def _ask_ours(instance: Instance, probe: Probe) -> tuple[Spent, bool]:
    memory = ask_as_agent(instance, probe.project)
    spent, answer = spend(lambda: memory.recall(probe.words, limit=RESULTS_WANTED))
    return spent, any(result.memory is not None and result.memory.content == probe.about for result in answer.results)


def _time_embedding(instance: Instance, probe: Probe) -> Spent:
    embedder = instance.tools().embedder
    assert embedder is not None
    plain = plain_question(probe.words, ())
    return spend(lambda: embedder.embed_question(plain))[0]


def cold_start(home: Path, size: int) -> float:
    """CPU seconds of a new process from its start through its first answer to its end; the best of some."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    taken = []
    for probe in make_probes(size, COLD_STARTS + 1):
        before = os.times()
        command = [sys.executable, "-c", _COLD, str(home), probe.project, probe.words]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
        after = os.times()
        taken.append(after.children_user + after.children_system - before.children_user - before.children_system)
    # The first one may have to compile modules.
    return min(taken[1:])


def measure(size: int, questions: int = QUESTIONS) -> Measured:
    """Fill a home, ask it, and start on it cold."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        add_rate, embed_rate = fill(home, size)
        held = bytes_on_disk(home)
        cold = cold_start(home, size)
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            timed = process.submit(ask_all, home, size, questions).result()
    return Measured(size, add_rate, embed_rate, held / size, cold, timed)


# The page


def time_rows(measured: Sequence[Measured]) -> list[list[str]]:
    rows = []
    for result in measured:
        timed, bar = result.timed, BARS.get(result.size)
        ratio = result.ratio(BY_CLOCK)
        rows.append(
            [
                f"{result.size:,}",
                *(_show(timed.ours, share) for share in (0.5, 0.95)),
                *(_show(timed.without_embedding, share) for share in (0.5, 0.95)),
                *(_show(timed.reference, share) for share in (0.5, 0.95)),
                against_bar(ratio, bar, f"{ratio:.3f}") if bar else f"{ratio:.3f}",
                f"{result.ratio(BY_PROCESSOR):.3f}",
            ]
        )
    return rows


def _show(spent: Sequence[Spent], share: float) -> str:
    return f"{1000 * percentile([call.clock for call in spent], share):.2f}"


TIME_HEADS = (
    *("memories", "p50, ms", "p95, ms", "p50 less embedding", "p95 less embedding", "reference p50", "reference p95"),
    *("p50 / reference", "the same in CPU time"),
)
FOUND_HEADS = ("memories", "found, %", "reference found, %", "seen by the asker, %")


def found_rows(measured: Sequence[Measured]) -> list[list[str]]:
    shares = [
        (result.size, result.timed.hits, result.timed.reference_hits, result.timed.searched) for result in measured
    ]
    return [[f"{size:,}", *(f"{100 * share:.1f}" for share in found)] for size, *found in shares]


COST_HEADS = ("memories", "added a second", "embedded a second", "bytes each", "cold start, CPU s", "resident, MiB")


def cost_rows(measured: Sequence[Measured]) -> list[list[str]]:
    return [
        [
            f"{result.size:,}",
            f"{result.add_rate:,.0f}",
            f"{result.embed_rate:,.0f}",
            against_bar(result.bytes_each, BYTES_BAR, f"{result.bytes_each:,.0f}"),
            against_bar(result.cold_cpu, COLD_BAR, f"{result.cold_cpu:.2f}")
            if result.size == COLD_SIZE
            else f"{result.cold_cpu:.2f}",
            f"{result.timed.resident / 2**20:,.0f}",
        ]
        for result in measured
    ]


def growth(measured: Sequence[Measured]) -> list[str]:
    """What a tenfold memory costs, where both sizes were measured."""
    by_size = {result.size: percentile([spent.clock for spent in result.timed.ours], 0.95) for result in measured}
    if MILLION not in by_size or COLD_SIZE not in by_size:
        return []
    ratio = by_size[MILLION] / by_size[COLD_SIZE]
    return [f"The p95 at 1,000,000 is {against_bar(ratio, GROWTH_BAR, f'{ratio:.2f}')} times that at 100,000."]


def page(measured: Sequence[Measured], command: str) -> list[str]:
    """The sections of scale.md."""
    return [
        "# Recall over size",
        f"`{command}`: facts over {SCOPES} scopes whose sizes follow Zipf's law (the largest is the global one), "
        f"learned by the owner in batches of {BATCH:,}, their vectors stored. An agent at work in a project asks, so "
        f"that what is global and what is of the project is searched; {QUESTIONS} questions, each some words of a "
        "memory in another order among ordinary question words, projects drawn by size. *Found* is how often that "
        "memory is among the first ten.",
        machine_lines(describe_machine()),
        "![p50 and p95 over size](scale.svg)",
        table(TIME_HEADS, time_rows(measured)),
        "The reference runs in the same process, in turn with ours: SQLite's FTS5 over all memories (any word of the "
        "question, ranked by BM25, filtered by scope), then an exact scan of all vectors with numpy, masked by scope; "
        "its times hold no embedding, so the ratio compares them with ours less the embedding of the question. Both "
        "sides have one thread for numpy. CPU time is that of the asking thread, which other work on the machine "
        "disturbs less than the clock.",
        *growth(measured),
        table(FOUND_HEADS, found_rows(measured)),
        table(COST_HEADS, cost_rows(measured)),
        "Bytes are those of the whole home, with vectors. A cold start is a new process that opens the home, answers "
        "one question and ends. Resident memory is that of a process that has answered "
        f"{WARMING} questions, before the reference is loaded.",
    ]


def draw(measured: Sequence[Measured]) -> str:
    times = {
        "Heldtrue": {result.size: result.timed.ours for result in measured},
        "FTS5 + numpy": {result.size: result.timed.reference for result in measured},
    }
    series = {
        f"{name} p{share}": [
            (size, 1000 * percentile([call.clock for call in spent], share / 100)) for size, spent in by_size.items()
        ]
        for name, by_size in times.items()
        for share in (50, 95)
    }
    return log_chart("One recall, in process", "memories", series, unit="ms")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench scale", description=__doc__)
    parser.add_argument("--million", action="store_true", help="1,000,000 memories too: an hour, 4 GiB")
    parser.add_argument("--sizes", help="other sizes instead, such as 1000,10000")
    parser.add_argument("--out", type=Path, help="where the page goes; left out, bench/results for the default sizes")
    chosen = parser.parse_args(arguments)
    if not all(find_spec(part) for part in ("numpy", "tokenizers", "wordllama")):
        print(f"This measures vectors too: {suggest_install('vectors')}", file=sys.stderr)
        return 2
    # Threads inside numpy wait for one another on a busy machine; one is what both sides get.
    os.environ |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    given = tuple(int(size) for size in chosen.sizes.split(",")) if chosen.sizes else SIZES
    measured = []
    for size in (*given, MILLION) if chosen.million else given:
        measured.append(measure(size))
        print(f"{size:,}: done", flush=True)
    command = " ".join(["make bench-scale", *(["ARGS=--million"] if chosen.million else [])])
    sections = page(measured, command)
    where = chosen.out or (None if chosen.sizes else RESULTS)
    print("\n\n".join(sections[2:3] + sections[4:]))
    if where is not None:
        print(f"written: {write_page(where, 'scale', sections, {'scale.svg': draw(measured)})}")
    return 0
