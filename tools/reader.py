"""Says whether the reader was trained on the labels in this tree, and how it is trained anew."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import numpy

PACKAGE = Path(__file__).resolve().parent.parent / "packages" / "heldtrue-reader"
sys.path.insert(0, str(PACKAGE / "training"))


def main() -> int:
    """Compare the digest in the weights with the labels, and print the steps of a training."""
    digest_labels = import_module("examples").digest_labels
    with numpy.load(PACKAGE / "src" / "heldtrue_reader" / "weights.npz") as weights:
        is_fresh = str(weights["digest"]) == digest_labels()
    print(
        "The reader was trained on the labels in this tree." if is_fresh else "The labels changed since the training."
    )
    steps = (PACKAGE / "README.md").read_text("utf-8").partition("\n    ")[2]
    print(f"\nTo train it anew, in {PACKAGE.relative_to(PACKAGE.parents[1])}:\n\n    {steps}", end="")
    return 0 if is_fresh else 1


if __name__ == "__main__":
    sys.exit(main())
