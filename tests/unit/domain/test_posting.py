"""A posting is eight bytes that say which document, how much, how long, and whether it asks."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as some

from heldtrue.domain.posting import (
    LENGTHS,
    PLACES_MAX,
    POSTING_BYTES,
    from_bytes,
    length_code,
    pack_posting,
    passage_number,
    thread_of,
    to_bytes,
)

DOCUMENTS = some.integers(0, 2**48 - 1)


def unpack(posting: int) -> tuple[int, bool, float, int]:
    """Document, whether it asks, weight and length code of a posting, as the layout says."""
    return posting >> 16, bool(posting >> 15 & 1), (posting >> 8 & 127) / 2, posting & 255


@pytest.mark.covers("B19")
@given(DOCUMENTS, some.integers(0, 127), some.integers(0, 100_000), some.booleans())
def test_a_posting_holds_what_it_was_made_of(doc: int, halves: int, length: int, asks: bool) -> None:
    packed = pack_posting(doc, halves / 2, length, asks=asks)
    assert unpack(packed) == (doc, asks, halves / 2, length_code(length))
    assert 0 <= packed < 2**64


@given(some.lists(some.tuples(DOCUMENTS, some.integers(0, 127), some.integers(0, 9_999))))
def test_postings_are_put_one_after_another_and_read_back(rows: list[tuple[int, int, int]]) -> None:
    packed = [pack_posting(doc, halves / 2, length) for doc, halves, length in rows]
    data = to_bytes(packed)
    assert len(data) == POSTING_BYTES * len(packed)
    assert list(from_bytes(data)) == packed
    half = len(packed) // 2
    assert to_bytes(packed[:half]) + to_bytes(packed[half:]) == data


def test_the_bytes_are_the_same_on_every_machine() -> None:
    assert to_bytes([pack_posting(5, 1.5, 1)]).hex() == "0003050000000000"
    assert to_bytes([pack_posting(5, 1.5, 1, asks=True)]).hex() == "0083050000000000"


@pytest.mark.parametrize(
    ("weight", "kept"), [(0.5, 0.5), (1.0, 1.0), (1.5, 1.5), (63.5, 63.5), (64.0, 63.5), (9e9, 63.5)]
)
def test_a_weight_counts_in_halves_and_has_an_end(weight: float, kept: float) -> None:
    assert unpack(pack_posting(1, weight, 1)) == (1, False, kept, 0)


def test_a_length_is_rounded_up_by_less_than_a_tenth() -> None:
    for length in [*range(1, 3_000), 40_000, 1_000_000]:
        assert length <= LENGTHS[length_code(length)] < length * 1.06
    assert length_code(0) == length_code(1) == 0
    assert length_code(10**9) == 255
    assert all(shorter < other for shorter, other in pairwise(LENGTHS))


@given(some.integers(1, 2**27), some.integers(0, PLACES_MAX - 1))
def test_the_number_of_a_passage_tells_its_thread_and_keeps_its_order(thread: int, position: int) -> None:
    number = passage_number(thread, position)
    assert thread_of(number) == thread
    assert passage_number(thread, 0) <= number < passage_number(thread + 1, 0)
    assert number < 2**48
