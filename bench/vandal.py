"""Whether verify finds whatever is changed in a home, wherever: `python -m bench vandal`.

Draws from all tables, columns, rows, triggers, indexes and files, and writes vandal.md. A change that is not found is
counted as harmless if no answer differs: what is recalled, hidden, refused or allowed.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from bench.machine import describe_machine
from bench.pages import RESULTS, machine_lines, table, write_page
from tests.reliability.vandalism import Tally, count_changes, prepare_everything

CHANGES, SEED = 1_000, 32


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench vandal", description=__doc__)
    parser.add_argument("--changes", type=int, default=CHANGES)
    parser.add_argument("--seed", default=str(SEED))
    parser.add_argument("--out", type=Path, default=None, help="the folder for the page; only a full run writes one")
    chosen = parser.parse_args(arguments)
    started = perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        pristine = Path(folder) / "pristine"
        prepare_everything(pristine)
        tally = count_changes(pristine, Path(folder), chosen.changes, chosen.seed)
    sections = describe(tally, perf_counter() - started)
    print("\n\n".join(sections))
    if chosen.out is not None or chosen.changes >= CHANGES:
        write_page(chosen.out or RESULTS, "vandal", sections, {})
    return 1 if tally.missed or tally.crashed else 0


def describe(tally: Tally, seconds: float) -> list[str]:
    """The page."""
    altering = tally.found + len(tally.missed)
    rows = [
        ("changes", f"{tally.made:,}", ", ".join(f"{count} {kind}" for kind, count in tally.kinds.most_common())),
        ("found", f"{tally.found:,} of {altering:,}", "bar: all that alter an answer"),
        ("missed", f"{len(tally.missed)}", "; ".join(tally.missed[:5]) or "none"),
        ("verify failed", f"{len(tally.crashed)}", "; ".join(tally.crashed[:5]) or "none"),
        ("alter no answer, not found", f"{tally.harmless}", "counted apart"),
        ("outside the claim, not found", f"{tally.outside}", "use counts, the recall log, jobs, schedules, summaries"),
    ]
    return [
        "# Changes behind the back of a space",
        machine_lines(describe_machine()),
        table(("what", "figure", "remark"), rows),
        f"`python -m bench vandal` took {seconds:,.0f} s.",
    ]
