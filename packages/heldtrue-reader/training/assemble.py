"""Joins the trained parts and the embeddings of the base model into the file that the package carries.

python assemble.py BASE.npz PART.npz... ../src/heldtrue_reader/weights.npz
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy

EMBEDDINGS = {"words": "embeddings.word_embeddings.weight", "places": "embeddings.position_embeddings.weight"}
PLACES = 256
"""The longest input."""


def assemble(base: str, parts: list[str]) -> dict[str, numpy.ndarray]:
    """All arrays of the reader, by name."""
    joined = {name: value for part in parts for name, value in numpy.load(part).items()}
    given = numpy.load(base)
    for name, original in EMBEDDINGS.items():
        for ending in ("", "::scale"):
            joined[f"{name}.weight{ending}"] = given[original + ending]
    for ending in ("", "::scale"):
        joined[f"places.weight{ending}"] = joined[f"places.weight{ending}"][:PLACES]
    return joined


if __name__ == "__main__":
    *read, written = sys.argv[1:]
    numpy.savez(written, **assemble(read[0], read[1:]))
    print(f"{Path(written).stat().st_size / 1e6:.1f} MB")
