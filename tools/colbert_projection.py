"""Makes the matrix that shortens ColBERT's token vectors, from the sentences beside this file: their middle, then the
directions in which they differ most.

The matrix that was committed is the truth: another processor rounds the quantised network a little differently, and
vectors of two matrices cannot be compared. Make it anew only together with another name for the embedder.
"""

from __future__ import annotations

from pathlib import Path

import numpy

from heldtrue.models.onnx import LATE_DIMENSION, PROJECTION, open_colbert

SENTENCES = Path(__file__).with_name("colbert_sentences.txt")


def main() -> None:
    """Write the matrix, and say how much of the vectors it keeps."""
    colbert = open_colbert()
    lines = SENTENCES.read_text(encoding="utf-8").splitlines()
    rows = numpy.concatenate([colbert.read_tokens(line) for line in lines]).astype(numpy.float64)
    middle = rows.mean(axis=0)
    shares, directions = find_directions(rows - middle)
    numpy.save(PROJECTION, numpy.vstack([middle, directions[:, :LATE_DIMENSION].T]).astype(numpy.float16))
    kept = shares[:LATE_DIMENSION].sum() / shares.sum()
    print(
        f"{len(rows)} tokens of {len(lines)} sentences; {LATE_DIMENSION} directions keep {kept:.1%} of how they differ"
    )


def find_directions(rows: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """The directions of some vectors as columns, the one that holds most of them first, and how much each holds."""
    shares, directions = numpy.linalg.eigh(rows.T @ rows)
    shares, directions = shares[::-1], directions[:, ::-1]
    # A direction may point either way; the larger part decides, so that every run gives the same.
    places = numpy.abs(directions).argmax(axis=0)
    return shares, directions * numpy.sign(directions[places, range(len(places))])


if __name__ == "__main__":
    main()
