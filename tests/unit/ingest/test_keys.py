"""Look-up keys: equal values meet, and nobody without the space's key can compute one."""

import pytest

from heldtrue.ingest.stages.keys import covering_scopes, lookup_key, pair_key, value_keys
from heldtrue.ingest.stages.match import read_statement

KEY, OTHER = bytes(range(32)), bytes(reversed(range(32)))
TEXT = "The office is in Berlin."


def keys(text: str, scope: str = "global", space: bytes = KEY) -> set[int]:
    return set(value_keys(space, scope, read_statement(text)))


@pytest.mark.covers("A5")
@pytest.mark.parametrize(
    "text",
    ["THE OFFICE IS IN BERLIN", "«the office is in berlin»", "Th\u0435 \u043effice is in B\u0435rlin.",
     "The of\u200bfice is in Berlin!", "Parking is free and the office is in Berlin."],
)  # fmt: skip
def test_spellings_of_one_value_share_a_key(text: str) -> None:
    assert keys(text) & keys(TEXT)


@pytest.mark.covers("A5")
@pytest.mark.parametrize(
    "text", ["The office is in Lisbon.", "The office is not in Berlin.", "The lab is in Berlin.", "Berlin is big."]
)
def test_other_values_share_none(text: str) -> None:
    assert not keys(text) & keys(TEXT)


@pytest.mark.covers("A5")
def test_a_spared_claim_has_no_key_in_any_spelling() -> None:
    statement = read_statement("The \u043effice is in B\u0435rlin and the lab is in Rome.")
    spare = {statement.claims[0].key}
    spared = value_keys(KEY, "global", statement, spare=spare)
    assert set(value_keys(KEY, "global", statement)) & keys(TEXT)
    assert not set(spared) & keys(TEXT)
    assert set(spared) & keys("The lab is in Rome.")


def test_keys_depend_on_the_scope_and_on_the_space() -> None:
    assert not keys(TEXT) & keys(TEXT, scope="project:a")
    assert not keys(TEXT) & keys(TEXT, space=OTHER)
    assert lookup_key(KEY, "a", "bc") != lookup_key(KEY, "ab", "c"), "parts do not run into each other"
    assert -(2**63) <= lookup_key(KEY, "a") < 2**63


def test_a_pair_has_one_key_whichever_came_first() -> None:
    one, other = read_statement(TEXT), read_statement("The office is in Lisbon.")
    assert pair_key(KEY, one, other) == pair_key(KEY, other, one) != pair_key(KEY, one, one)


@pytest.mark.covers("B11")
def test_a_rejection_reaches_down_from_all_to_project_to_repo() -> None:
    assert covering_scopes("repo:r", "p") == ("repo:r", "project:p", "global")
    assert covering_scopes("project:p", "p") == ("project:p", "global")
    assert covering_scopes("global", None) == ("global",)
