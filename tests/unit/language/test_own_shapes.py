"""A space's own kinds: a small syntax that cannot be made slow."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldtrue.domain.masking import MaskingPolicy
from heldtrue.language.masking import mask_text, masking_by
from heldtrue.language.own_shapes import UnsafeShape, compile_shape
from tests.effort import assert_linear


@pytest.mark.parametrize(
    ("pattern", "text", "masked"),
    [
        (r"EMP-\d{6}", "Ola is EMP-104417, since May", "Ola is [redacted:own], since May"),
        (r"EMP-\d{6}", "XEMP-104417 and EMP-1044170", "XEMP-104417 and EMP-1044170"),
        (r"[A-Z]{2}\d{4}(-[A-Z])?", "lot AB1234-C, AB1234", "lot [redacted:own], [redacted:own]"),
        (r"(DE|FR)\.\d{2,4}", "DE.123 IT.123 FR.12", "[redacted:own] IT.123 [redacted:own]"),
        (r"K\+\w{3,8}", "K+abc K+ab", "[redacted:own] K+ab"),
    ],
)
def test_a_pattern_masks_what_it_describes(pattern: str, text: str, masked: str) -> None:
    with masking_by(MaskingPolicy(shapes={"own": pattern})):
        assert mask_text(text).text == masked
    assert mask_text(text).text == text, "only where the setting holds"


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            "a*bcd",
            "(a+)+bcd",
            ".{4}",
            "(?=abcd)efgh",
            r"(abcd)\1",
            "abcd$",
            "^abcd",
            "[^a]bcde",
            "(abcd",
            "abcd)",
            "{4}",
        ),
        *("abc", "a?b?c?d?e?", r"\d{201}", r"\d{5,2}", r"\bword", "abcd|", r"(\w{50}){50}", "a" * 301, ""),
    ],
)
def test_other_patterns_are_refused_with_the_reason(pattern: str) -> None:
    with pytest.raises(UnsafeShape) as refusal:
        compile_shape(pattern)
    assert len(str(refusal.value)) > 10


PIECE = st.sampled_from([r"\d", r"\w", "[A-Z0-9]", "a", "(a|ab)", "(a?b{1,9}){1,4}", "-"])
TIMES = st.sampled_from(["", "?", "{2}", "{1,9}", "{0,20}"])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(PIECE, TIMES), min_size=1, max_size=7))
def test_no_accepted_pattern_is_slow(pieces: list[tuple[str, str]]) -> None:
    pattern = "aaaa" + "".join(piece + times for piece, times in pieces)
    try:
        rule: re.Pattern[str] = compile_shape(pattern)
    except UnsafeShape:
        return
    for unit in ("a", "ab", "a1", "aaaaabbbb-"):
        assert_linear(lambda text: list(rule.finditer(text)), unit * (8_192 // len(unit)))
