"""The verifier's small parts; what it finds in real homes is in tests/reliability."""

import pytest

from heldtrue.audit.verify import parse_head
from heldtrue.domain.errors import InvalidInput
from heldtrue.domain.ledger import Head


@pytest.mark.covers("D2")
def test_a_head_is_read_as_it_is_printed() -> None:
    head = Head(120, bytes(range(32)), 5)
    assert parse_head(f" {head.as_text()} ") == (120, bytes(range(32)))


@pytest.mark.parametrize(
    "text", ["", "120", "120:", ":" + "0" * 64, "x:" + "0" * 64, "120:" + "0" * 63, "1:" + "g" * 64]
)
def test_anything_else_is_no_head(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_head(text)
    assert refused.value.field == "head"
