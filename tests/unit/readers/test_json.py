"""JSON from anywhere: cut without holding it whole, and refused with a reason."""

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldtrue.readers import feeds, json_parts, strict_json
from heldtrue.readers.feeds import Feed, Meter
from heldtrue.readers.json_parts import JsonPart, read_parts
from heldtrue.readers.strict_json import Malformed, Row, parse_json, read_rows
from heldtrue.readers.values import FileNote, Skipped


def feed_of(data: bytes, path: str = "f.json") -> Feed:
    return Feed(path, len(data), None, lambda: io.BytesIO(data), Meter())


def parts(data: bytes, *keys: str) -> list[JsonPart | Skipped | FileNote]:
    return list(read_parts(feed_of(data), frozenset(keys)))


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(
    st.lists(VALUES, max_size=5), st.integers(1, 9), st.booleans(), st.sampled_from(["utf-8", "utf-8-sig", "utf-16"])
)
def test_a_list_is_cut_into_its_elements_wherever_the_chunks_end(
    values: list[Any], chunk: int, ascii_only: bool, encoding: str
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(feeds, "READ_CHUNK_BYTES", chunk)
        data = json.dumps(values, ensure_ascii=ascii_only, indent=chunk % 3).encode(encoding)
        found = parts(data)
    assert [part.value for part in found if isinstance(part, JsonPart)] == values
    assert [part.number for part in found if isinstance(part, JsonPart)] == list(range(1, len(values) + 1))
    assert all(isinstance(part, JsonPart) for part in found)


@given(st.dictionaries(st.text(), VALUES, max_size=5), st.lists(VALUES, max_size=4), st.integers(1, 9))
def test_the_members_of_an_object_come_one_by_one_and_lists_that_are_asked_for_by_element(
    members: dict[str, Any], results: list[Any], chunk: int
) -> None:
    members.pop("results", None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(feeds, "READ_CHUNK_BYTES", chunk)
        found = parts(json.dumps({**members, "results": results, "z": 1}).encode(), "results")
    assert all(isinstance(part, JsonPart) for part in found)
    whole = {part.key: part.value for part in found if isinstance(part, JsonPart) and part.number is None}
    assert whole == {**members, "z": 1}
    assert [part.value for part in found if isinstance(part, JsonPart) and part.number is not None] == results


@pytest.mark.parametrize(
    ("data", "values", "reason"),
    [
        (b'[{"a": 1}, {"a": }, {"b": 2}]', [{"a": 1}, {"b": 2}], "not valid JSON"),
        (b'[{"a": 1}, {"a": 2', [{"a": 1}], "it is truncated"),
        (b"[1] and more", [1], "text after the end"),
        (b"", [], "empty"),
        (b"42", [], "neither a JSON array nor a JSON object"),
        (b"[1, NaN]", [1], "NaN"),
        (b"[1, -Infinity]", [1], "Infinity"),
        (b'[1, {"a": 1, "a": 2}]', [1], "duplicate key"),
        (b"[1, " + b"9" * 301 + b"]", [1], "300 digits"),
        (b"[1, 0." + b"9" * 301 + b"]", [1], "300 digits"),
        (b"[1, " + b"[" * 33 + b"]" * 33 + b"]", [1], "deeper than 32"),
        (b"[1, " + b"[" * 90_000 + b"]" * 90_000 + b"]", [1], "deeper than 32"),
    ],
)
def test_what_is_wrong_is_named_and_the_rest_is_read(data: bytes, values: list[Any], reason: str) -> None:
    found = parts(data)
    assert [part.value for part in found if isinstance(part, JsonPart)] == values
    skipped = [part for part in found if isinstance(part, Skipped)]
    assert len(skipped) == 1
    assert reason in skipped[0].reason


def test_numbers_and_levels_within_the_limits_are_read() -> None:
    assert parse_json("9" * 300) == int("9" * 300)
    assert parse_json("[" * 32 + "]" * 32)
    assert parse_json("1e999") == float("inf")
    with pytest.raises(Malformed):
        parse_json("[" * 33 + "]" * 33)


def test_an_element_that_is_too_large_is_passed_over_and_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_parts, "EXPORT_ELEMENT_BYTES_MAX", 1_000)
    small, large = "x" * 900, "y" * 100_000
    found = parts(json.dumps([small, large, small]).encode())
    assert [part.value for part in found if isinstance(part, JsonPart)] == [small, small]
    assert [part.path for part in found if isinstance(part, Skipped)] == ["f.json#2"]


def rows(data: bytes) -> list[Row | Skipped | FileNote]:
    return list(read_rows(feed_of(data, "f.jsonl")))


def test_a_broken_line_is_named_by_its_number_and_the_next_is_read() -> None:
    found = rows(b'{"a": 1}\r\n\n{"a": \n[1]\n{"b": 2}')
    assert [row.record for row in found if isinstance(row, Row)] == [{"a": 1}, {"b": 2}]
    assert [row.path for row in found if isinstance(row, Skipped)] == ["f.jsonl:3", "f.jsonl:4"]
    assert "line 3 is not valid JSON" in next(row.reason for row in found if isinstance(row, Skipped))


def test_a_line_that_is_too_long_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strict_json, "IMPORT_LINE_BYTES_MAX", 100)
    monkeypatch.setattr(feeds, "READ_CHUNK_BYTES", 64)
    long = json.dumps({"a": "x" * 500}).encode()
    found = rows(b'{"a": 1}\n' + long + b'\n{"b": 2}\n' + long)
    assert [row.record for row in found if isinstance(row, Row)] == [{"a": 1}, {"b": 2}]
    assert [row.path for row in found if isinstance(row, Skipped)] == ["f.jsonl:2", "f.jsonl:4"]


def test_lines_in_latin_1_are_read_with_one_note() -> None:
    found = rows('{"a": "café"}\n{"a": "thé"}\n'.encode("latin-1"))
    assert [row.record["a"] for row in found if isinstance(row, Row)] == ["café", "thé"]
    assert [row.text for row in found if isinstance(row, FileNote)] == [
        "it is not valid UTF-8, so it was read as Latin-1"
    ]
