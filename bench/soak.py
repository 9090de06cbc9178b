"""The longest runs, one after another: `python -m bench soak`, or only some of them: `python -m bench soak text_fuzz`.

A part is another command of `python -m bench`. All run, and the exit status says whether each of them was content.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

PARTS: dict[str, tuple[str, ...]] = {
    "text_fuzz": (),
    "text_costs": (),
}
"""Each part with its arguments."""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench soak", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], help="which; left out, all")
    chosen = parser.parse_args(arguments).parts or list(PARTS)
    failed = []
    for name in chosen:
        print(f"\n== {name}", flush=True)
        if subprocess.run([sys.executable, "-m", "bench", name, *PARTS[name]], check=False).returncode:
            failed.append(name)
    print(
        f"\n{len(chosen) - len(failed)} of {len(chosen)} parts passed"
        + (f"; failed: {', '.join(failed)}" * bool(failed))
    )
    return 1 if failed else 0
