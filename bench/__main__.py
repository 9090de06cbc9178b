"""`python -m bench`: measure, print, and with --save keep the figures with the machine they were taken on.

The longer measurements have arguments of their own and write pages: `python -m bench recall --help`, likewise for every
name in `STUDIES`; `soak` runs the longest ones in a row.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from importlib import import_module

from bench import cold_start, history, writes
from bench.machine import describe_machine
from bench.pages import RESULTS

Figure = dict[str, float | str]
BENCHES: dict[str, Callable[[], list[Figure]]] = {
    "writes": writes.measure,
    "cold-start": cold_start.measure,
    "history": history.measure,
}
STUDIES = {
    "recall": "bench.locomo",
    "scale": "bench.scale",
    "load": "bench.load",
    "extraction": "bench.extraction",
    "conflicts": "bench.conflicts",
    "forgetting": "bench.forgetting",
    "taking_in": "bench.taking_in",
    "real_model": "bench.real_model",
    "upkeep": "bench.upkeep",
    "contract": "bench.contract",
    "canaries": "bench.canaries",
    "hostile": "bench.hostile",
    "service": "bench.service",
    "histories": "bench.histories",
    "masking": "bench.masking",
    "mutation": "bench.mutation",
    "poison": "bench.poison",
    "statements": "bench.statements",
    "kills": "bench.kills",
    "text_costs": "bench.text_costs",
    "text_fuzz": "bench.text_fuzz",
    "soak": "bench.soak",
    "vandal": "bench.vandal",
}
"""Modules with a `main` of their own."""


def show(name: str, figures: list[Figure]) -> None:
    print(f"\n{name}")
    for figure in figures:
        bar = f"   (bar: {figure['bar']})" if "bar" in figure else ""
        print(f"  {figure['what']:<58} {figure['value']:>12}{bar}")


def main() -> int:
    if sys.argv[1:2] and sys.argv[1] in STUDIES:
        status: int = import_module(STUDIES[sys.argv[1]]).main(sys.argv[2:])
        return status
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *BENCHES], help="which; left out, all of these")
    parser.add_argument("--save", action="store_true", help="keep the figures in bench/results/")
    chosen = parser.parse_args()
    print("machine:", ", ".join(f"{name} {value}" for name, value in describe_machine().items()))
    for name in chosen.names or BENCHES:
        figures = BENCHES[name]()
        show(name, figures)
        if chosen.save:
            RESULTS.mkdir(exist_ok=True)
            text = json.dumps({"machine": describe_machine(), "figures": figures}, indent=2)
            (RESULTS / f"{name}.json").write_text(text + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
