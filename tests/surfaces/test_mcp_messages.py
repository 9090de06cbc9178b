"""What is no message, or not one for us, is refused with the right code and harms nothing."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldtrue.domain.limits import MCP_MESSAGE_BYTES_MAX
from heldtrue.surfaces.mcp.messages import encode
from heldtrue.wiring.instance import open_instance
from tests.surfaces.mcp_support import ENVELOPE, REVISION, Desk


@pytest.fixture(scope="module")
def desk() -> Iterator[Desk]:
    instance = open_instance(None)
    yield Desk(instance)
    instance.close()


def nested(depth: int) -> bytes:
    """A message with lists in one another, `depth` levels in all."""
    inner = "[" * (depth - 3) + "]" * (depth - 3)
    return encode(request(method="tools/call", params={"name": "memory_status", "arguments": {"x": 0}})).replace(
        b'"x":0', f'"x":{inner}'.encode()
    )


def request(**changes: Any) -> dict[str, Any]:
    whole = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}} | changes
    return {name: value for name, value in whole.items() if value is not ...}


@pytest.mark.covers("A20")
@pytest.mark.parametrize(
    ("data", "code", "reply_to"),
    [
        (b"", -32700, None),
        (b"{", -32700, None),
        (b"nonsense", -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}', -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":-Infinity}}', -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"\\ud800"}}', -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"\xff"}}', -32700, None),
        (b"[" * 100_000, -32600, None),
        (b'{"a":' * 50_000, -32600, None),
        (b"[]", -32600, None),
        (encode([request(), request(id=2)]), -32600, None),
        (b'"ping"', -32600, None),
        (b"null", -32600, None),
        (encode(request(jsonrpc="1.0")), -32600, 1),
        (encode(request(jsonrpc=...)), -32600, 1),
        (encode(request(id=None)), -32600, None),
        (encode(request(id=True)), -32600, None),
        (encode(request(id=1.5)), -32600, None),
        (encode(request(id={"a": 1})), -32600, None),
        (encode(request(method=7)), -32600, 1),
        (encode(request(method=...)), -32600, 1),
        (encode(request(params=[1])), -32602, 1),
        (encode(request(params="x")), -32602, 1),
        (encode(request(method="tools/delete")), -32601, 1),
        (encode(request(method="")), -32601, 1),
        (encode(request(method="logging/setLevel")), -32601, 1),
        (encode(request(method="resources/subscribe")), -32601, 1),
        (encode(request(method="initialize")), -32602, 1),
        (encode(request(method="initialize", params={"protocolVersion": 3})), -32602, 1),
        (encode(request(method="tools/list", params={"cursor": "next"})), -32602, 1),
        (encode(request(method="tools/call")), -32602, 1),
        (encode(request(method="tools/call", params={"name": 3})), -32602, 1),
        (encode(request(method="tools/call", params={"name": "memory_recall", "arguments": [1]})), -32602, 1),
        (encode(request(method="tools/call", params={"name": "memory_everything"})), -32602, 1),
        (encode(request(method="tools/call", params={"name": "memory_export"})), -32602, 1),
        (encode(request(method="tools/call", params={"name": "memory.recall"})), -32602, 1),
        (encode(request(method="prompts/get", params={"name": "nothing"})), -32602, 1),
        (encode(request(method="prompts/get", params={"name": "start_task"})), -32602, 1),
        (encode(request(method="prompts/get", params={"name": "start_task", "arguments": {"task": 1}})), -32602, 1),
        (encode(request(method="resources/read", params={"uri": "file:///etc/passwd"})), -32002, 1),
        (encode(request(method="resources/read", params={"uri": "heldtrue://memory/"})), -32002, 1),
        (encode(request(method="resources/read", params={"uri": "heldtrue://memory/nothing"})), -32002, 1),
        (encode(request(method="resources/read", params={"uri": "heldtrue://[bad"})), -32602, 1),
        (nested(33), -32600, 1),
        (encode(request(params={"x": "y" * MCP_MESSAGE_BYTES_MAX})), -32600, None),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused_by_its_code(desk: Desk, data: bytes, code: int, reply_to: int | None) -> None:
    answer = desk.send(data)
    assert answer["jsonrpc"] == "2.0"
    assert (answer["error"]["code"], answer["id"]) == (code, reply_to)
    assert answer["error"]["message"]
    assert "result" not in answer


def test_what_is_just_within_the_limits_is_answered(desk: Desk) -> None:
    # Nested as deep as allowed, it reaches the tool, which has no such argument.
    assert desk.send(nested(32))["result"]["isError"]
    room = MCP_MESSAGE_BYTES_MAX - len(encode(request(params={"x": ""})))
    assert desk.send(encode(request(params={"x": "y" * room}))) == {"jsonrpc": "2.0", "id": 1, "result": {}}


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}},
        {"jsonrpc": "2.0", "method": "notifications/unheard-of"},
        {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "memory_status"}},
        {"jsonrpc": "2.0", "id": 7, "result": {}},
        {"jsonrpc": "2.0", "id": 7, "error": {"code": 1, "message": "x"}},
    ],
)
def test_nobody_answers_a_notification_or_an_answer(desk: Desk, message: dict[str, Any]) -> None:
    assert desk.send(message) is None


@pytest.mark.parametrize("message_id", [0, -1, 2**53, "", "abc", "7", 7])
def test_an_answer_has_the_id_of_its_request(desk: Desk, message_id: Any) -> None:
    assert desk.send(request(id=message_id)) == {"jsonrpc": "2.0", "id": message_id, "result": {}}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)
METHODS = [
    *("initialize", "ping", "server/discover", "tools/list", "tools/call", "resources/read", "prompts/get", "x"),
    "completion/complete",
]
REFS = [{"type": "ref/prompt", "name": "start_task"}, {"type": "ref/resource", "uri": "heldtrue://memory/{id}"}]


@settings(max_examples=150)
@given(
    method=st.sampled_from(METHODS),
    params=st.dictionaries(
        st.sampled_from(["name", "arguments", "uri", "cursor", "_meta", "protocolVersion", "ref", "argument"]),
        JSON
        | st.sampled_from(["memory_recall", "memory_learn", "start_task", "heldtrue://context?task=a", *REFS])
        | st.fixed_dictionaries({"name": st.sampled_from(["id", "task", "project"]), "value": JSON}),
    ),
    stateless=st.booleans(),
)
def test_whatever_is_asked_gets_one_answer(desk: Desk, method: str, params: dict[str, Any], stateless: bool) -> None:
    given_params = {**params, "_meta": ENVELOPE} if stateless else params
    try:
        data = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": given_params}).encode()
        data.decode("utf-8")
    except ValueError:
        return
    answer = desk.send(data)
    assert ("result" in answer) != ("error" in answer)
    assert answer.get("error", {}).get("code") != -32603


@settings(max_examples=100)
@given(data=st.binary(max_size=200))
def test_whatever_comes_is_no_reason_to_fall_over(desk: Desk, data: bytes) -> None:
    answer = desk.send(data)
    assert answer is None or "error" in answer or "result" in answer


# The revisions


@pytest.mark.covers("A20")
@pytest.mark.parametrize(
    ("asked", "settled"),
    [
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2024-11-05", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("tomorrow", "2025-11-25"),
    ],
)
def test_a_handshake_settles_a_revision(desk: Desk, asked: str, settled: str) -> None:
    result = desk.result("initialize", protocolVersion=asked, capabilities={}, clientInfo={"name": "x", "version": "1"})
    assert result["protocolVersion"] == settled
    assert result["serverInfo"]["name"] == "heldtrue"
    assert set(result["capabilities"]) == {"tools", "resources", "prompts", "completions"}
    assert "memory_recall" in result["instructions"]


def test_the_stateless_revision_says_more_in_every_result(desk: Desk) -> None:
    found = desk.result("server/discover", stateless=True)
    assert found["supportedVersions"] == [REVISION]
    assert (found["resultType"], found["cacheScope"]) == ("complete", "private")
    assert found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "heldtrue"
    for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list"):
        listed = desk.result(method, stateless=True)
        assert (listed["resultType"], listed["cacheScope"]) == ("complete", "private")
        assert listed["ttlMs"] > 0
        assert "resultType" not in desk.result(method)
    read = desk.result("resources/read", stateless=True, uri="heldtrue://context")
    assert (read["resultType"], read["cacheScope"], read["ttlMs"]) == ("complete", "private", 0)
    called = desk.result("tools/call", stateless=True, name="memory_status")
    assert called["resultType"] == "complete"
    assert "ttlMs" not in called


@pytest.mark.parametrize(
    ("meta", "code"),
    [
        (None, -32602),
        ({}, -32602),
        ({"io.modelcontextprotocol/protocolVersion": REVISION}, -32602),
        ({"io.modelcontextprotocol/clientCapabilities": {}}, -32602),
        (ENVELOPE | {"io.modelcontextprotocol/protocolVersion": 20260728}, -32602),
        (ENVELOPE | {"io.modelcontextprotocol/clientCapabilities": []}, -32602),
        (ENVELOPE | {"io.modelcontextprotocol/protocolVersion": "2027-01-01"}, -32022),
    ],
)
def test_a_stateless_request_must_say_what_it_is(desk: Desk, meta: Any, code: int) -> None:
    answer = desk.send(request(method="server/discover", params={"_meta": meta}))
    assert (answer["error"]["code"], answer["id"]) == (code, 1)
    if code == -32022:
        assert answer["error"]["data"] == {"supported": [REVISION], "requested": "2027-01-01"}


@pytest.mark.parametrize("method", ["ping", "initialize", "logging/setLevel", "resources/subscribe", "tasks/get"])
def test_what_the_stateless_revision_dropped_is_not_there(desk: Desk, method: str) -> None:
    assert desk.ask(method, stateless=True)["error"]["code"] == -32601


def test_nothing_is_found_by_the_code_of_the_revision(desk: Desk) -> None:
    for stateless, code in ((False, -32002), (True, -32602)):
        answer = desk.ask("resources/read", stateless, uri="heldtrue://memory/nothing")
        assert answer["error"]["code"] == code
        assert answer["error"]["data"]["uri"] == "heldtrue://memory/nothing"
