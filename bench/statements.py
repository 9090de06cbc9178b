"""What becomes of labelled texts that an agent learns: kept, waiting or refused, by what each text is.

`python -m bench statements` reads the texts that nobody trains or tunes on, and prints totals only.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence

from bench.held_out import read_statements
from heldtrue import Memory

FATES = ("kept", "waits", "refused")
_FATE_OF = {"pending": "waits", "refused": "refused"}


def count_fates(texts: Sequence[tuple[str, str]]) -> dict[str, Counter[str]]:
    """By sort, how many of some labelled texts are kept, wait and are refused, each in a fresh space."""
    fates: dict[str, Counter[str]] = {}
    for sort, text in texts:
        with Memory.open(":memory:") as memory:
            outcome = memory.as_agent("scout").learn(text)
        fates.setdefault(sort, Counter())[_FATE_OF.get(outcome.outcome, "kept")] += 1
        if outcome.outcome == "pending":
            fates[sort][f"waits: {outcome.cause}"] += 1
    return fates


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench statements", description=__doc__)
    parser.parse_args(arguments)
    print(f"{'sort':<14}{'texts':>7}" + "".join(f"{fate:>9}" for fate in FATES) + "   waits because")
    for sort, counts in count_fates(read_statements()).items():
        figures = [counts[fate] for fate in FATES]
        causes = {name.partition(": ")[2]: number for name, number in sorted(counts.items()) if ": " in name}
        told = ", ".join(f"{cause} {number}" for cause, number in causes.items())
        print(f"{sort:<14}{sum(figures):>7}" + "".join(f"{figure:>9}" for figure in figures) + f"   {told}")
    return 0
