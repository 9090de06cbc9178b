"""Which part of a compound a correction replaces."""

import pytest

from heldtrue.ingest.acts.correct import divide_claims
from heldtrue.ingest.stages.match import read_statement


@pytest.mark.covers("A4")
@pytest.mark.parametrize(
    ("old", "new", "replaced", "kept"),
    [
        ("The office is in Berlin.", "The office is in Lisbon.", 1, 0),
        ("The office is in Berlin and the lab is in Rome.", "The office is in Lisbon.", 1, 1),
        ("The office is in Berlin and the lab is in Rome.", "The lab is in Milan.", 1, 1),
        ("The office is in Berlin and the lab is in Rome.", "The weather is bad.", 0, 0),
        ("The office is in Berlin and the lab is in Rome.", "The office is in Lisbon and the lab is in Rome.", 1, 0),
        ("The office is in Berlin and the lab is in Rome.", "The office is in Lisbon and the lab is in Milan.", 2, 0),
    ],
)
def test_only_what_a_correction_speaks_of_is_replaced(old: str, new: str, replaced: int, kept: int) -> None:
    parts = divide_claims(read_statement(old), read_statement(new))
    assert (len(parts.replaced), len(parts.kept)) == (replaced, kept)
