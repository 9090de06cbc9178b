"""`python -m bench`: measure, print, and with --save keep the figures with the machine they were taken on."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from bench import cold_start, history, writes

Figure = dict[str, float | str]
BENCHES: dict[str, Callable[[], list[Figure]]] = {
    "writes": writes.measure,
    "cold-start": cold_start.measure,
    "history": history.measure,
}
RESULTS = Path(__file__).parent / "results"


def machine() -> dict[str, str | int]:
    """What the figures were taken on; compare ratios, not seconds, across machines."""
    import apsw

    return {
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count() or 0,
        "load": f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "",
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
    }


def show(name: str, figures: list[Figure]) -> None:
    print(f"\n{name}")
    for figure in figures:
        bar = f"   (bar: {figure['bar']})" if "bar" in figure else ""
        print(f"  {figure['what']:<58} {figure['value']:>12}{bar}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *BENCHES], help="which; left out, all")
    parser.add_argument("--save", action="store_true", help="keep the figures in bench/results/")
    chosen = parser.parse_args()
    print("machine:", ", ".join(f"{name} {value}" for name, value in machine().items()))
    for name in chosen.names or BENCHES:
        figures = BENCHES[name]()
        show(name, figures)
        if chosen.save:
            RESULTS.mkdir(exist_ok=True)
            text = json.dumps({"machine": machine(), "figures": figures}, indent=2)
            (RESULTS / f"{name}.json").write_text(text + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
