"""JSON from outside: a key stands once in an object, and what the parser takes the check takes too."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldtrue.domain.errors import InvalidInput
from heldtrue.surfaces.mcp.messages import INVALID_REQUEST, ProtocolError, read_message
from heldtrue.surfaces.wire import find_repeated_key, read_json

_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
)


@given(_JSON)
def test_an_ordinary_value_is_read_as_it_is(value: object) -> None:
    body = json.dumps(value).encode("utf-8", "replace")
    try:
        msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return
    assert find_repeated_key(body) is None
    read_json(body)


@given(st.binary())
def test_whatever_the_parser_takes_the_check_takes_too(body: bytes) -> None:
    try:
        msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return
    find_repeated_key(body)


@given(st.dictionaries(st.text(), st.integers(), min_size=1), st.integers(0, 5))
def test_a_repeated_key_is_found_at_every_depth(fields: dict[str, int], depth: int) -> None:
    key = next(iter(fields))
    pairs = [*fields.items(), (key, 0)]
    text = "{" + ", ".join(f"{json.dumps(name)}: {value}" for name, value in pairs) + "}"
    for _ in range(depth):
        text = f'[{{"inner": {text}}}]'
    with pytest.raises(InvalidInput, match="twice in one object"):
        read_json(text.encode("utf-8", "replace"))


def test_keys_that_are_spelt_differently_are_the_same_key() -> None:
    assert find_repeated_key(b'{"a": 1, "\\u0061": 2}') == "a"
    assert find_repeated_key(b'{"a": {"b": 1}, "b": {"a": 1}}') is None


def test_an_mcp_message_with_a_repeated_key_is_refused_with_its_id() -> None:
    message = b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"a": 1, "a": 2}}'
    with pytest.raises(ProtocolError) as caught:
        read_message(message)
    assert (caught.value.code, caught.value.reply_to) == (INVALID_REQUEST, 7)
    assert read_message(message.replace(b', "a": 2', b"")) is not None
