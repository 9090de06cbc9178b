"""Admission to the service as functions: hosts, origins, bodies, tokens."""

from __future__ import annotations

import pytest

from heldtrue.access.identity import NoCredential
from heldtrue.domain.errors import HeldtrueError, InvalidInput, NotAllowed, TooLarge
from heldtrue.domain.limits import REQUEST_BYTES_MAX
from heldtrue.surfaces.rest.admission import LOOPBACK, check_length, check_media, check_origin, read_token
from heldtrue.surfaces.rest.problems import WrongHost, WrongMediaType
from heldtrue.surfaces.wire import is_deeper, read_json


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:80", "127.0.0.1:7373", "[::1]:7373", "[::1]"])
def test_names_of_this_machine_are_let_in(host: str) -> None:
    check_origin({"host": host}, LOOPBACK)
    check_origin({"host": host, "origin": f"http://{host.lower()}"}, LOOPBACK)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "localhost:80:80",
        "localhost:x",
        "a@localhost",
        "localhost/x",
        "127.0.0.2",
        "[::1",
        "::1",
        "localhost ",
    ],
)
def test_other_hosts_are_not(host: str) -> None:
    with pytest.raises(WrongHost):
        check_origin({"host": host}, LOOPBACK)


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "",
        "https://evil.example",
        "http://localhost.evil.example",
        "file:///etc",
        "http://evil@x",
        "http://[::1",
        "javascript:1",
        "chrome-extension://a",
    ],
)
def test_pages_from_elsewhere_are_not(origin: str) -> None:
    with pytest.raises(NotAllowed):
        check_origin({"host": "localhost", "origin": origin}, LOOPBACK)


def test_a_name_that_is_allowed_is_let_in() -> None:
    allowed = LOOPBACK | {"memory.example"}
    check_origin({"host": "memory.example:443", "origin": "https://memory.example"}, allowed)
    with pytest.raises(WrongHost):
        check_origin({"host": "memory.example"}, LOOPBACK)


@pytest.mark.parametrize(
    ("method", "headers", "refusal"),
    [
        ("POST", {}, WrongMediaType),
        ("POST", {"content-type": "text/plain"}, WrongMediaType),
        ("PATCH", {"content-type": "application/jsonp"}, WrongMediaType),
        ("POST", {"content-type": "application/json", "content-length": "5000000"}, TooLarge),
        ("POST", {"content-type": "application/json", "content-length": "-1"}, InvalidInput),
        ("POST", {"content-type": "application/json", "content-length": "9" * 30}, InvalidInput),
    ],
)
def test_a_body_is_looked_at_before_it_is_read(
    method: str, headers: dict[str, str], refusal: type[HeldtrueError]
) -> None:
    def check() -> None:
        check_length(headers, REQUEST_BYTES_MAX)
        check_media(method, headers)

    with pytest.raises(refusal):
        check()
    fine = {"content-type": "Application/JSON; charset=utf-8", "content-length": "12"}
    check_length(fine, REQUEST_BYTES_MAX)
    check_media("POST", fine)
    check_media("GET", {})


@pytest.mark.parametrize("sent", ["", "Bearer", "Bearer  ", "Basic abc", "ht_abc", "Token ht_abc"])
def test_a_token_comes_as_a_bearers_and_no_other_way(sent: str) -> None:
    with pytest.raises(NoCredential):
        read_token({"authorization": sent})
    assert read_token({"authorization": "bearer ht_abc"}) == "ht_abc"


def test_what_is_nested_is_counted_by_lists_and_objects() -> None:
    assert not is_deeper(1, 1)
    assert not is_deeper([1], 1)
    assert is_deeper([[1]], 1)
    assert read_json(b'{"a": [1, {"b": 2}]}') == {"a": [1, {"b": 2}]}
    with pytest.raises(InvalidInput, match="nested"):
        read_json(b"[" * 33 + b"]" * 33)
    assert read_json(b"[" * 32 + b"]" * 32)
