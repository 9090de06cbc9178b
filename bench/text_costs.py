"""What hostile texts cost at every way in: processor time at n and 4n, and beside ordinary prose of the same length.

`python -m bench text_costs` sends runs of every class of characters and of the pieces of all our patterns, up to 1 MiB.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from time import thread_time

from bench.made_texts import PROSE, all_runs, repeat
from bench.spaces import open_space, set_up
from heldtrue import Memory
from heldtrue.capabilities.call import Instance
from heldtrue.domain.limits import CONTENT_BYTES_MAX, QUERY_CHARS_MAX, SOURCE_BYTES_MAX
from heldtrue.language.excerpts import quote_mentions
from heldtrue.language.mentions import Mentions

GROWTH = 4
GROWTH_COST_MAX = 5.0
"""How much more four times as much may cost."""
PROSE_COST_MAX = 5.0
"""How much more than ordinary prose of its length a text may cost."""
TRIES = 3
NOTHING_SECONDS = 0.01
"""Below this, figures say more about the clock than about the work."""
_KIB = 1024
_turn = count(1)


@dataclass(frozen=True)
class WayIn:
    """A public call that takes a text, and the longest text that it is sent here."""

    send: Callable[[Memory, str], object]
    bytes_max: int


@dataclass(frozen=True)
class Slow:
    """A text that costs too much."""

    way_in: str
    piece: str
    small: float
    large: float
    prose: float

    def __str__(self) -> str:
        return (
            f"{self.way_in}: {self.piece!r} took {self.large:.3f} s, a quarter of it {self.small:.3f} s, "
            f"prose of that length {self.prose:.3f} s"
        )


def _fresh(text: str) -> str:
    """The same text under a number, so that it was not seen before."""
    return f"{next(_turn)} {text}"


def _capture_and_work(memory: Memory, text: str) -> None:
    memory.capture(_fresh(text))
    _work(memory)


def _talk_and_work(memory: Memory, text: str) -> None:
    memory.capture(messages=[{"role": "user", "content": _fresh(text)}])
    _work(memory)


def _work(memory: Memory) -> None:
    for job in memory.work().jobs:
        assert job.state == "done", job


def _notes(memory: Memory, text: str) -> None:
    memory.capture_conversation(_fresh(text), capture_mode="notes", occurred_at="2026-05-01")


def _correct(memory: Memory, text: str) -> None:
    learned = memory.learn(f"The port of service {next(_turn)} is 80.")
    memory.correct(learned.memory.id, _fresh(text), reason=text[:100])


def _feedback(memory: Memory, text: str) -> None:
    memory.feedback(memory.recall("Which host is the deploy host?").recall_id, answer=text)


def _about(_memory: Memory, text: str) -> None:
    """Apart from the space, which grows from text to text; with a name that prose contains, so that it is read, too."""
    beginnings = [f"a{text[:length]}b" for length in (1, 4, 10)]  # normalised, a character may become 18
    quote_mentions(text, Mentions([*beginnings, "the", "ann@example.com", "+49 30 1234567"]))


def _ingest(memory: Memory, text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "notes.md").write_bytes(_fresh(text).encode("utf-8", "replace"))
        memory.ingest(folder)


WAYS_IN: Mapping[str, WayIn] = {
    "learn": WayIn(lambda memory, text: memory.learn(_fresh(text), title=text[:10]), CONTENT_BYTES_MAX - _KIB),
    "learn as a value": WayIn(
        lambda memory, text: memory.learn(f"The pier of harbour {next(_turn)} is {text}"), CONTENT_BYTES_MAX - _KIB
    ),
    "learn_many": WayIn(
        lambda memory, text: memory.learn_many([{"content": _fresh(text)}, {"content": "Ana owns the pipeline."}]),
        CONTENT_BYTES_MAX - _KIB,
    ),
    "source_text": WayIn(
        lambda memory, text: memory.learn(f"Service {next(_turn)} is up.", source_text=_fresh(text)),
        SOURCE_BYTES_MAX - _KIB,
    ),
    "capture and work": WayIn(_capture_and_work, SOURCE_BYTES_MAX - _KIB),
    "messages and work": WayIn(_talk_and_work, SOURCE_BYTES_MAX - _KIB),
    "capture_conversation": WayIn(_notes, SOURCE_BYTES_MAX - _KIB),
    "ingest": WayIn(_ingest, SOURCE_BYTES_MAX - _KIB),
    "correct": WayIn(_correct, CONTENT_BYTES_MAX - _KIB),
    "feedback": WayIn(_feedback, SOURCE_BYTES_MAX - _KIB),
    "share": WayIn(
        lambda memory, text: memory.share(to="codex", action="look", context=_fresh(text)), CONTENT_BYTES_MAX - _KIB
    ),
    "recall": WayIn(lambda memory, text: memory.recall(text[:QUERY_CHARS_MAX]), QUERY_CHARS_MAX),
    "inject": WayIn(lambda memory, text: memory.inject(text[:QUERY_CHARS_MAX]), QUERY_CHARS_MAX),
    "about": WayIn(_about, SOURCE_BYTES_MAX - _KIB),
    "search": WayIn(lambda memory, text: memory.search(text[:QUERY_CHARS_MAX]), QUERY_CHARS_MAX),
}


@contextmanager
def open_plain() -> Iterator[Instance]:
    """A new space without vectors: what a model costs is not what is measured."""
    with tempfile.TemporaryDirectory() as folder:
        set_up(Path(folder), embedder="none")
        with open_space(Path(folder)) as instance:
            memory = Memory.over(instance)
            memory.learn("The deploy host of the shop is called gimli.")
            memory.add_agent("codex", projects=["shop"])
            yield instance


def find_slow(
    memory: Memory, pieces: Iterable[str], *, large: int, ways_in: Mapping[str, WayIn] = WAYS_IN
) -> Iterator[Slow]:
    """Send runs of pieces through every way in; the texts that cost too much in each of three tries."""
    pieces = list(pieces)
    for name, way_in in ways_in.items():
        size = min(large, way_in.bytes_max)
        prose = PROSE * (size // len(PROSE) + 1)
        _cost(way_in, memory, prose[: size // GROWTH])  # what is loaded once is loaded now
        usual = max(NOTHING_SECONDS, *(_cost(way_in, memory, prose[:size]) for _ in range(TRIES)))
        for piece in pieces:
            slow = _measure(name, way_in, memory, piece, size, usual)
            if slow is not None:
                yield slow


def _measure(name: str, way_in: WayIn, memory: Memory, piece: str, size: int, usual: float) -> Slow | None:
    """Nothing if a text is cheaper than prose, or in any try no dearer than it may be."""
    for _ in range(TRIES):
        spent = _cost(way_in, memory, repeat(piece, size))
        if spent <= usual:
            return None
        share = _cost(way_in, memory, repeat(piece, size // GROWTH))
        if spent <= PROSE_COST_MAX * usual and spent <= GROWTH_COST_MAX * share:
            return None
    return Slow(name, piece, share, spent, usual)


def _cost(way_in: WayIn, memory: Memory, text: str) -> float:
    started = thread_time()
    way_in.send(memory, text)
    return thread_time() - started


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench text_costs", description=__doc__)
    parser.add_argument("--bytes", type=int, default=SOURCE_BYTES_MAX - _KIB, help="the length of the longest texts")
    parser.add_argument("--every", type=int, default=1, help="take only every nth run, for less")
    parser.add_argument("--ways", nargs="*", choices=WAYS_IN, default=list(WAYS_IN), help="which ways in")
    chosen = parser.parse_args(arguments)
    runs = all_runs()[:: chosen.every]
    print(f"{len(runs)} runs of up to {chosen.bytes:,} bytes, through {', '.join(chosen.ways)}")
    found = 0
    with open_plain() as instance:
        memory = Memory.over(instance)
        ways_in = {name: WAYS_IN[name] for name in chosen.ways}
        for slow in find_slow(memory, runs, large=chosen.bytes, ways_in=ways_in):
            found += 1
            print(slow, flush=True)
        failures = memory.status().analysis_failures
    print(f"{found} texts cost too much; {failures} analyses failed")
    return 1 if found or failures else 0
