"""Over HTTP: one message a POST, headers that agree with it, no sessions, and nothing that a framework would know."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from heldtrue.domain.limits import MCP_MESSAGE_BYTES_MAX
from heldtrue.surfaces.mcp.headers import decode_value, encode_value
from heldtrue.surfaces.mcp.http import HttpAnswer, answer_http
from heldtrue.wiring.instance import open_instance
from tests.surfaces.mcp_support import ENVELOPE, REVISION, Desk

PLAIN = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
PING: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.fixture(scope="module")
def desk() -> Iterator[Desk]:
    instance = open_instance(None)
    yield Desk(instance)
    instance.close()


class Doubled(dict[str, str]):
    """Headers as some frameworks give them: all of them, one more than once."""

    def __init__(self, headers: dict[str, str], again: str) -> None:
        super().__init__(headers)
        self._again = again

    def items(self) -> Any:
        return [*super().items(), (self._again, self[self._again])]


def post(desk: Desk, message: Any, headers: dict[str, str] | None = None, method: str = "POST") -> HttpAnswer:
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return answer_http(desk.server, method, PLAIN if headers is None else headers, body, desk.call)


def stateless(method: str, **params: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """A request of the stateless kind with the headers it needs."""
    headers = {**PLAIN, "MCP-Protocol-Version": REVISION, "Mcp-Method": method}
    if name := params.get("name") or params.get("uri"):
        headers["Mcp-Name"] = encode_value(name)
    message = {"jsonrpc": "2.0", "id": 5, "method": method, "params": {**params, "_meta": ENVELOPE}}
    return message, headers


def code_of(answer: HttpAnswer) -> int:
    return int(json.loads(answer.body)["error"]["code"])


@pytest.mark.covers("A20")
def test_a_request_is_answered_with_json_and_a_notification_with_nothing(desk: Desk) -> None:
    answer = post(desk, PING)
    assert (answer.status, answer.headers) == (200, {"content-type": "application/json"})
    assert json.loads(answer.body) == {"jsonrpc": "2.0", "id": 1, "result": {}}
    for message in (
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 1, "result": 1},
    ):
        accepted = post(desk, message)
        assert (accepted.status, accepted.body) == (202, b"")


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "HEAD", "OPTIONS", "PATCH"])
def test_there_is_no_stream_and_no_session(desk: Desk, method: str) -> None:
    answer = post(desk, b"", method=method)
    assert (answer.status, answer.headers, answer.body) == (405, {"allow": "POST"}, b"")


def test_no_session_is_given(desk: Desk) -> None:
    begun = post(desk, {**PING, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}})
    assert begun.status == 200
    assert not [name for name in begun.headers if "session" in name.lower()]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 415),
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "application/x-www-form-urlencoded"}, 415),
        ({"content-type": "multipart/form-data; boundary=x"}, 415),
        ({"content-type": "application/json", "accept": "text/html"}, 406),
        ({"content-type": "application/json", "accept": "text/event-stream"}, 406),
        ({"Content-Type": "application/json; charset=utf-8", "Accept": "*/*"}, 200),
        ({"content-type": "APPLICATION/JSON"}, 200),
        ({"content-type": "application/json", "accept": "application/json"}, 200),
        ({"content-type": "application/json", "accept": "text/html, application/*;q=0.5"}, 200),
        (PLAIN | {"mcp-protocol-version": "2025-06-18"}, 200),
        (PLAIN | {"mcp-protocol-version": "2025-11-25", "mcp-session-id": "old"}, 200),
        (PLAIN | {"mcp-protocol-version": "1999-01-01"}, 400),
        (PLAIN | {"mcp-protocol-version": "2025-03-26"}, 400),
        (PLAIN | {"mcp-protocol-version": REVISION}, 400),
    ],
)
def test_a_request_must_be_one_of_ours(desk: Desk, headers: dict[str, str], status: int) -> None:
    assert post(desk, PING, headers).status == status


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"[]", 400),
        (b"[" * 100_000, 400),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', 400),
        (b" " * (MCP_MESSAGE_BYTES_MAX + 1), 413),
    ],
)
def test_what_is_no_message_is_refused(desk: Desk, body: bytes, status: int) -> None:
    answer = post(desk, body)
    assert answer.status == status
    assert json.loads(answer.body)["id"] is None


def test_an_older_client_reads_refusals_with_200(desk: Desk) -> None:
    answer = post(desk, {**PING, "method": "nothing"})
    assert (answer.status, code_of(answer)) == (200, -32601)


@pytest.mark.covers("A20")
def test_a_stateless_request_is_answered(desk: Desk) -> None:
    for method, params in (
        ("server/discover", {}),
        ("tools/list", {}),
        ("tools/call", {"name": "memory_status"}),
        ("resources/read", {"uri": "heldtrue://context?task=Öl"}),
        ("prompts/get", {"name": "keep_learnings"}),
    ):
        message, headers = stateless(method, **params)
        answer = post(desk, message, headers)
        assert answer.status == 200, answer.body
        assert json.loads(answer.body)["result"]["resultType"] == "complete"


@pytest.mark.parametrize(
    "change",
    [
        {"MCP-Protocol-Version": None},
        {"MCP-Protocol-Version": "2025-11-25"},
        {"MCP-Protocol-Version": "2027-01-01"},
        {"Mcp-Method": None},
        {"Mcp-Method": "tools/list"},
        {"Mcp-Method": "Tools/Call"},
        {"Mcp-Name": None},
        {"Mcp-Name": "memory_forget"},
        {"Mcp-Name": "=?base64?bWVtb3J5X2Zvcmdlb==?="},
        {"Mcp-Name": "=?base64?!!?="},
    ],
)
def test_headers_that_say_something_else_are_refused(desk: Desk, change: dict[str, str | None]) -> None:
    message, headers = stateless("tools/call", name="memory_status")
    changed = {name: value for name, value in {**headers, **change}.items() if value is not None}
    answer = post(desk, message, changed)
    assert (answer.status, code_of(answer)) == (400, -32020)
    assert json.loads(answer.body)["id"] == 5


@pytest.mark.parametrize("name", ["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"])
def test_a_header_that_came_twice_is_refused(desk: Desk, name: str) -> None:
    message, headers = stateless("tools/call", name="memory_status")
    assert post(desk, message, Doubled(headers, "accept")).status == 200
    assert code_of(post(desk, message, Doubled(headers, name))) == -32020


def test_headers_are_read_as_http_says(desk: Desk) -> None:
    message, headers = stateless("tools/call", name="memory_status")
    spelled = {name.upper(): f" {value}\t" for name, value in headers.items()}
    assert post(desk, message, spelled).status == 200
    assert post(desk, message, headers | {"Mcp-Name": "=?base64?bWVtb3J5X3N0YXR1cw==?="}).status == 200


@pytest.mark.parametrize(
    ("method", "meta", "status", "code"),
    [
        ("nothing", ENVELOPE, 404, -32601),
        ("ping", ENVELOPE, 404, -32601),
        ("initialize", ENVELOPE, 404, -32601),
        ("tools/list", {}, 400, -32602),
        ("tools/list", {"io.modelcontextprotocol/protocolVersion": REVISION}, 400, -32602),
        ("tools/call", ENVELOPE, 400, -32602),
    ],
)
def test_refusals_are_told_in_http_too(desk: Desk, method: str, meta: Any, status: int, code: int) -> None:
    headers = {**PLAIN, "mcp-protocol-version": REVISION, "mcp-method": method}
    answer = post(desk, {"jsonrpc": "2.0", "id": 5, "method": method, "params": {"_meta": meta}}, headers)
    assert (answer.status, code_of(answer)) == (status, code)
    assert json.loads(answer.body)["id"] == 5


def test_a_revision_to_come_is_told_what_is_spoken(desk: Desk) -> None:
    message, headers = stateless("tools/list")
    message["params"]["_meta"] = ENVELOPE | {"io.modelcontextprotocol/protocolVersion": "2027-01-01"}
    answer = post(desk, message, headers | {"MCP-Protocol-Version": "2027-01-01"})
    assert (answer.status, code_of(answer)) == (400, -32022)
    assert json.loads(answer.body)["error"]["data"]["supported"] == [REVISION]
    notice = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
    assert post(desk, notice, PLAIN | {"mcp-protocol-version": REVISION}).status == 202
    assert post(desk, notice, PLAIN | {"mcp-protocol-version": "2027-01-01"}).status == 400


@pytest.mark.parametrize("text", ["memory_recall", "", " a", "ä", "a\nb", "=?base64?eA==?=", "a b", "heldtrue://x?y=z"])
def test_a_name_survives_its_header(text: str) -> None:
    value = encode_value(text)
    assert value.isascii()
    assert value.isprintable()
    assert decode_value(value) == text


def test_one_callers_answer_is_not_anothers(desk: Desk) -> None:
    mine = Desk(desk.call.instance, agent="mine")
    mine.use("memory_learn", content="The canary sings at dawn", scope="agent:mine", visibility="private")
    message, headers = stateless("tools/call", name="memory_recall", arguments={"context": "canary dawn"})
    own = answer_http(desk.server, "POST", headers, json.dumps(message).encode(), mine.call)
    assert b"canary sings" in own.body
    assert b"canary sings" not in post(desk, message, headers).body
