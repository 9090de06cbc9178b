"""The capabilities over HTTP: addresses, statuses, errors, keys, pages, events, starting and stopping."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from heldtrue import IdempotencyMismatch, InvalidInput, Memory, NotFound
from heldtrue.access.rates import TooOften
from heldtrue.capabilities.verb_index import all_capabilities
from tests.service.server import ENVIRONMENT, Server
from tests.waiting import wait_until


@pytest.mark.covers("A25", "B1")
def test_a_memory_is_learned_found_corrected_and_explained_by_natural_addresses(shared: Server) -> None:
    made = shared.ask("POST", "/v1/memories", {"content": "The canary deploys on Mondays", "source": "wiki/canary.md"})
    assert made.status == 201
    memory = made.json["memory"]
    found = shared.ask("GET", "/v1/recall?context=when+does+the+canary+deploy&limit=3")
    assert [result["memory"]["id"] for result in found.json["results"]] == [memory["id"]]
    fixed = shared.ask(
        "PATCH", f"/v1/memories/{memory['id']}", {"content": "The canary deploys on Fridays", "reason": "it moved"}
    )
    assert fixed.json["outcome"] == "superseded"
    history = shared.ask("GET", f"/v1/memories/{memory['id']}/history").json
    assert [version["status"] for version in history["versions"]] == ["active", "superseded"]
    explained = shared.ask("GET", f"/v1/memories/{fixed.json['memory']['id']}/explain").json
    assert "Mondays" in json.dumps(explained)
    gone = shared.ask("DELETE", f"/v1/memories/{fixed.json['memory']['id']}?reason=no+longer+true")
    assert gone.json["outcome"] == "retracted"
    again = shared.ask("POST", "/v1/memories", {"content": "The canary deploys on Fridays"})
    assert (again.status, again.json["outcome"]) == (201, "created")
    assert "the rejection was lifted" in again.json["notes"][0], "a person may always state it again, and is told so"


def test_the_knowledge_of_a_project_is_at_its_address(shared: Server) -> None:
    owner = shared.owner()
    owner.learn("The billing service is written in Go", scope="project:billing", kind="entity")
    owner.learn("Somewhere else entirely", scope="project:other")
    found = shared.ask("GET", "/v1/projects/billing/knowledge").json
    assert [item["content"] for item in found["items"]] == ["The billing service is written in Go"]
    assert found["next_cursor"] is None


@pytest.mark.covers("A26")
def test_everything_is_under_one_version_and_every_list_has_one_form(shared: Server) -> None:
    described = shared.ask("GET", "/openapi.json").json
    assert all(path.startswith("/v1/") for path in described["paths"])
    lists = {verb for verb, capability in all_capabilities().items() if "items" in capability.answer.__struct_fields__}
    assert {"list", "inbox", "conflicts", "recalls", "views", "jobs", "agents", "handed", "summaries"} <= lists
    for verb in lists:
        needed = {parameter.name: "x" for parameter in all_capabilities()[verb].parameters if parameter.required}
        page = shared.ask("POST", f"/v1/memory.{verb}", needed).json
        assert isinstance(page["items"], list), verb
        assert "next_cursor" in page, verb


@pytest.mark.covers("A26")
def test_every_capability_has_its_address_and_is_described(shared: Server) -> None:
    described = shared.ask("GET", "/openapi.json").json
    assert described["openapi"].startswith("3.1")
    for name, capability in ((capability.name, capability) for capability in all_capabilities().values()):
        operation = described["paths"][f"/v1/{name}"]["post"]
        assert operation["summary"] == capability.summary
        # Nothing is sent that it needs: it is there, and says what is missing or answers.
        assert shared.ask("POST", f"/v1/{name}", {"no_such_argument": 1}).status == 400, name


def test_a_mistake_is_told_with_its_field_and_what_to_do(shared: Server) -> None:
    reply = shared.ask("POST", "/v1/memory.recall", {"context": "x", "limit": 0})
    assert reply.status == 400
    assert reply.headers["content-type"] == "application/problem+json"
    told = reply.json
    assert (told["code"], told["field"], told["status"]) == ("invalid_input", "limit", 400)
    assert told["hint"]
    assert shared.ask("GET", "/v1/memories?limit=many").json["field"] == "limit"
    assert shared.ask("GET", "/v1/memories?limit=1&limit=2").json["field"] == "limit"
    assert shared.ask("GET", "/v1/memories/nothing-like-it").status == 404
    assert shared.ask("GET", "/v1/nowhere").status == 404
    refused = shared.ask("DELETE", "/v1/memories")
    assert (refused.status, refused.headers["allow"]) == (405, "GET, HEAD, POST") or refused.status == 405


def test_a_hint_names_what_to_do_in_words_that_hold_over_http_and_for_tools(shared: Server) -> None:
    missing = "01a1e2c7-9c51-753f-9497-000000000000"
    mistakes = {
        "get": ({"memory": missing}, "find the id with memory.list, or memory.recall"),
        "resolve": (
            {"conflict": missing, "disposition": "keep_old", "reason": "x"},
            "list the conflicts with memory.conflicts",
        ),
        "job": ({"job": missing}, "list the jobs with memory.jobs"),
        "why": ({"recall_id": missing}, "list the logged recalls with memory.recalls"),
        "view": ({"name": "nothing"}, "list the views with memory.views"),
        "share": ({"to": "nobody", "action": "x", "context": "y"}, "a person can add the agent with memory.add_agent"),
        "revoke_agent": ({"name": "nobody"}, "list the agents with memory.agents"),
        "quarantine": ({"source": missing, "reason": "x"}, "memory.explain lists the sources of a memory"),
    }
    for verb, (given, told) in mistakes.items():
        assert told in shared.ask("POST", f"/v1/memory.{verb}", given).json["hint"], verb
    stranger = shared.ask("GET", "/v1/status", token="ht_x").json["hint"]
    assert (
        stranger
        == "ask the owner to create a token for you (memory.add_agent), or to replace a lost one (memory.rotate_agent)"
    )
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
    params = {"name": "memory_revoke_agent", "arguments": {"name": "nobody"}}
    sent = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    asked = shared.ask("POST", "/mcp?tools=all", sent, headers=headers).json["result"]
    assert "list the agents with memory_agents" in asked["content"][0]["text"]
    assert "heldtrue" not in asked["_meta"]["heldtrue/error"]["hint"]
    with pytest.raises(NotFound) as refused:
        shared.owner().get(missing)
    assert refused.value.hint == "find the id with memory.list, or memory.recall"


def test_a_write_that_is_refused_says_how_it_could_be_done_in_words_that_hold_everywhere(shared: Server) -> None:
    owner = shared.owner()
    gone = owner.learn("The osprey nests on the crane").memory.id
    owner.forget(gone, reason="it moved")
    keeper = shared.let_in("keeper", role="admin")
    again = shared.ask("POST", "/v1/memories", {"content": "The osprey nests on the crane"}, token=keeper).json
    assert again["outcome"] == "refused"
    assert again["hint"] == f"a person can allow this claim again with `restore` {gone} and a `reason`"


ODD = {
    "not JSON": (b"{", 400),
    "no object": (b"[1]", 400),
    "not a number": (b'{"context": NaN}', 400),
    "half a character": (b'{"context": "\\ud800"}', 400),
    "half a character inside": (b'{"memory": "\\ud800x"}', 400),
    "no UTF-8": (b'{"context": "\xff"}', 400),
    "too deep": (b'{"context": ' + b"[" * 40 + b"]" * 40 + b"}", 400),
    "far too deep": (b"[" * 100_000, 400),
    "huge number": (b'{"context": "x", "limit": 9223372036854775808}', 400),
    "endless number": (b'{"context": "x", "limit": 1e999}', 400),
    "too large": (b'{"context": "' + b"x" * 5_000_000 + b'"}', 413),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_bodies_are_refused_and_nothing_breaks(shared: Server, name: str) -> None:
    body, status = ODD[name]
    path = "/v1/memory.get" if b"memory" in body else "/v1/memory.recall"
    try:
        assert shared.ask("POST", path, body).status == status
    except (BrokenPipeError, ConnectionResetError):
        assert status == 413, "the server may hang up on what is too large while it is still being sent"
    assert shared.ask("POST", "/v1/memory.recall", {"context": "anything"}).status == 200


def test_a_body_of_unknown_length_is_cut_off_at_the_limit(shared: Server) -> None:
    connection = HTTPConnection("127.0.0.1", shared.port, timeout=20)
    try:
        parts = (b"x" * 65536 for _ in range(200))
        headers = {"Authorization": f"Bearer {shared.token}", "Content-Type": "application/json"}
        try:
            connection.request("POST", "/v1/memory.recall", parts, headers, encode_chunked=True)
            assert connection.getresponse().status == 413
        except (BrokenPipeError, ConnectionResetError):
            pass
    finally:
        connection.close()
    assert shared.ask("GET", "/healthz", token=None).status == 200


def test_a_problem_names_its_request_and_says_more_than_its_title(shared: Server) -> None:
    plain = {"Content-Type": "text/plain"}
    refused = [
        shared.ask("GET", "/v1/nowhere"),
        shared.ask("GET", "/v1/memory.learn"),
        shared.ask("PUT", "/v1/memories"),
        shared.ask("GET", "/v1/memories", token=None),
        shared.ask("GET", "/v1/memories", headers={"Host": "elsewhere.example"}),
        shared.ask("POST", "/v1/memories", b"x", headers=plain),
        shared.ask("POST", "/v1/memories", b"{"),
    ]
    assert [reply.status for reply in refused] == [404, 405, 405, 401, 421, 415, 400]
    for reply in refused:
        assert reply.json["instance"] == f"urn:uuid:{reply.headers['heldtrue-request']}"
        assert reply.json["detail"].rstrip(".") != reply.json["title"]
    assert "use POST;" in refused[1].json["hint"]
    assert "use GET or POST;" in refused[2].json["hint"]
    assert refused[2].headers["allow"] == "GET, HEAD, POST"
    assert "'elsewhere.example'" in refused[4].json["detail"]
    assert "'text/plain'" in refused[5].json["detail"]


def test_a_list_of_words_may_be_given_with_commas(shared: Server) -> None:
    owner = shared.owner()
    owner.learn("The weir is open on Mondays", topic="weirs", kind="pattern")
    owner.learn("Never open the weir at night", topic="weirs", kind="lesson")
    for query in ("kinds=pattern,lesson", "kinds=pattern&kinds=lesson", "kinds=pattern,%20lesson"):
        assert len(shared.ask("GET", f"/v1/memories?topic=weirs&{query}").json["items"]) == 2, query
    assert len(shared.ask("GET", "/v1/memories?topic=weirs&kinds=lesson").json["items"]) == 1
    assert shared.ask("GET", "/v1/memories?kinds=pattern,nonsense").status == 400
    for names in ("names=memory:write,memory:search", "names=memory:write&names=memory:search"):
        told = read_stream(shared, f"/v1/events?after=0.0&{names}", 2)
        assert {event["event"] for event in told} <= {"memory:write", "memory:search"}
    assert shared.ask("GET", "/v1/events?names=memory:write,memory:wrote").status == 400


@pytest.mark.covers("B28")
def test_a_request_sent_again_with_its_key_changes_nothing(shared: Server) -> None:
    headers = {"Idempotency-Key": "retry-of-the-parrot"}
    body = {"content": "The parrot lives in the lobby"}
    first = shared.ask("POST", "/v1/memories", body, headers=headers)
    again = shared.ask("POST", "/v1/memories", body, headers=headers)
    assert (first.json, first.status) == (again.json, again.status)
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    assert first.headers["location"] == again.headers["location"] == f"/v1/memories/{first.json['memory']['id']}"
    assert shared.ask("GET", first.headers["location"]).json["memory"]["content"] == body["content"]
    known = shared.ask("POST", "/v1/memories", body)
    assert (known.status, "location" in known.headers) == (200, False)
    other = shared.ask("POST", "/v1/memories", {"content": "Another parrot"}, headers=headers)
    assert (other.status, other.json["code"]) == (409, "idempotency_mismatch")
    both = shared.ask("POST", "/v1/memories", {**body, "idempotency_key": "other"}, headers=headers)
    assert (both.status, both.json["field"]) == (400, "idempotency_key")


def test_pages_follow_each_other_and_an_unchanged_answer_is_not_sent_again(shared: Server) -> None:
    owner = shared.owner()
    for number in range(5):
        owner.learn(f"Pageant number {number} is in hall {number}", topic="pageants")
    seen, cursor = [], ""
    while True:
        page = shared.ask("GET", f"/v1/memories?topic=pageants&limit=2{cursor}").json
        seen += [item["content"] for item in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert seen == [f"Pageant number {number} is in hall {number}" for number in (4, 3, 2, 1, 0)]
    first = shared.ask("GET", "/v1/memories?topic=pageants")
    tag = first.headers["etag"]
    assert shared.ask("GET", "/v1/memories?topic=pageants", headers={"If-None-Match": tag}).status == 304
    for same in (f"W/{tag}", f'"other", W/{tag}', f'"with, comma",{tag}', "*", " * "):
        again = shared.ask("GET", "/v1/memories?topic=pageants", headers={"If-None-Match": same})
        assert (again.status, again.headers["etag"], again.body) == (304, tag, b""), same
    for other in ('"other"', 'W/"other"', tag.strip('"'), '"*"', ""):
        again = shared.ask("GET", "/v1/memories?topic=pageants", headers={"If-None-Match": other})
        assert again.status == 200, other
    owner.learn("Pageant number 6 is outside", topic="pageants")
    assert shared.ask("GET", "/v1/memories?topic=pageants", headers={"If-None-Match": tag}).status == 200


def test_the_remote_memory_has_the_methods_answers_and_errors_of_a_home(shared: Server) -> None:
    with shared.owner() as memory:
        learned = memory.learn("The lighthouse keeper is called Ines", source="log.md:1")
        assert learned.memory.content == "The lighthouse keeper is called Ines"
        assert memory.recall("who keeps the lighthouse?").results[0].memory.id == learned.memory.id
        with pytest.raises(NotFound) as missing:
            memory.get("01a1e2c7-9c51-753f-9497-000000000000")
        assert missing.value.field == "memory"
        with pytest.raises(InvalidInput):
            memory.recall("x", limit=0)
        memory.learn("One thing", idempotency_key="lighthouse")
        with pytest.raises(IdempotencyMismatch):
            memory.learn("Another thing", idempotency_key="lighthouse")
        assert memory.home is None


@pytest.mark.covers("A25")
def test_the_thin_client_answers_with_plain_values_also_to_async_code(shared: Server) -> None:
    import asyncio

    from heldtrue import BrainClient

    with BrainClient(shared.url, shared.token) as brain:
        learned = brain.learn("The glacier is measured in August")
        assert learned["outcome"] == "created"

        async def ask() -> Any:
            return await asyncio.gather(*(brain.aio.recall("when is the glacier measured?") for _ in range(4)))

        answers = asyncio.run(ask())
        assert {answer["results"][0]["memory"]["id"] for answer in answers} == {learned["memory"]["id"]}
        with pytest.raises(AttributeError):
            brain.no_such_verb()


def test_one_who_comes_too_often_is_told_when_to_come_again(server: Server) -> None:
    token = server.let_in("eager", projects=["p"], writes_per_minute=2)
    with server.connect(token) as memory:
        memory.learn("One thing is first")
        memory.learn("Another thing is second")
        with pytest.raises(TooOften) as refused:
            memory.learn("And one more is third")
    assert 10 < refused.value.retry_after_seconds <= 31


def read_stream(
    server: Server,
    path: str,
    wanted: int,
    headers: dict[str, str] | None = None,
    *,
    begun: threading.Event | None = None,
) -> list[dict[str, str]]:
    """The first events of a stream; `begun` is set at its first word, from which on nothing is missed."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=15)
    connection.request("GET", path, headers={"Authorization": f"Bearer {server.token}", **(headers or {})})
    response = connection.getresponse()
    assert response.status == 200
    assert response.headers["Content-Type"].startswith("text/event-stream")
    found: list[dict[str, str]] = []
    current: dict[str, str] = {}
    while len(found) < wanted:
        line = response.readline().decode().rstrip("\n")
        if begun is not None:
            begun.set()
        if not line and "data" in current:
            found.append(current)
        if not line:
            current = {}
        elif not line.startswith(":"):
            name, _, value = line.partition(": ")
            current[name] = value
    connection.close()
    return found


@pytest.mark.covers("C15")
def test_events_are_told_as_they_happen_and_are_taken_up_where_they_were_left(server: Server) -> None:
    owner = server.owner()
    told: list[list[dict[str, str]]] = []
    begun = threading.Event()
    reader = threading.Thread(target=lambda: told.append(read_stream(server, "/v1/events", 2, begun=begun)))
    reader.start()
    assert begun.wait(30)
    owner.learn("The tide table hangs in the hall")
    owner.recall("where does the tide table hang?")
    reader.join(15)
    write, search = told[0]
    assert (write["event"], search["event"]) == ("memory:write", "memory:search")
    assert json.loads(search["data"])["payload"]["query"] == "where does the tide table hang?"
    owner.learn("The barometer hangs beside it")
    owner.capture_session([{"role": "user", "content": "We keep the sextant in the attic"}], session="s1")
    later = read_stream(server, "/v1/events", 3, {"Last-Event-ID": write["id"]})
    assert [event["event"] for event in later] == ["memory:search", "memory:write", "memory:flush"]
    only = read_stream(server, "/v1/events?after=0.0&names=memory:flush", 1)
    assert json.loads(only[0]["data"])["payload"]["sessionId"] == "s1"
    assert server.ask("GET", "/v1/events?after=what").status == 400


def test_a_token_that_is_taken_away_ends_its_streams_too(server: Server) -> None:
    token = server.let_in("listener", projects=["p"])
    connection = HTTPConnection("127.0.0.1", server.port, timeout=15)
    connection.request("GET", "/v1/events", headers={"Authorization": f"Bearer {token}"})
    stream = connection.getresponse()
    server.owner().learn("The foghorn sounds twice", scope="project:p")
    seen = b""
    while b"memory:write" not in seen:  # the control: it hears what it may
        seen += stream.readline()
    server.owner().revoke_agent("listener")
    wait_until(lambda: server.ask("GET", "/v1/memories", token=token).status == 401)
    server.owner().learn("The foghorn is broken, okapicanary", scope="project:p")
    assert b"okapicanary" not in stream.read()  # it ends, and nothing came after
    connection.close()


def test_it_stops_cleanly_with_a_stream_open_and_finishes_what_is_under_way(tmp_path: Path) -> None:
    server = Server(tmp_path / "home").start()
    owner = server.owner()
    opened = HTTPConnection("127.0.0.1", server.port, timeout=20)
    opened.request("GET", "/v1/events", headers={"Authorization": f"Bearer {server.token}"})
    stream = opened.getresponse()
    stream.readline()
    kept: list[str] = []

    def write() -> None:
        for number in range(500):
            try:
                kept.append(owner.learn(f"Buoy {number} is painted in colour {number}").memory.id)
            except Exception:  # noqa: BLE001 - the server ends in the middle of it
                return

    writer = threading.Thread(target=write)
    writer.start()
    while len(kept) < 5:
        time.sleep(0.01)
    assert server.stop() == 0
    writer.join(20)
    with Memory.open(server.home) as memory:
        held = {item.id for item in memory.list(limit=1000).items}
        assert set(kept) <= held
        assert memory.verify().ok


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_is_obeyed_however_soon_it_comes(tmp_path: Path, sign: signal.Signals) -> None:
    for milliseconds in (0, 20, 60, 110, 170, 240):
        server = Server(tmp_path / "home").start()
        time.sleep(milliseconds / 1000)
        server.process.send_signal(sign)
        assert server.process.wait(20) == 0, milliseconds


def test_the_log_has_ids_and_figures_and_never_content(server: Server) -> None:
    owner = server.owner()
    owner.learn("zanzibarcanary is the password of nobody")
    owner.recall("zanzibarcanary")
    server.ask("GET", "/v1/recall?context=zanzibarcanary")
    server.ask("GET", "/v1/zanzibarcanary")
    server.ask("POST", "/v1/memory.recall", b'{"zanzibarcanary"')
    server.stop()
    lines = [json.loads(line) for line in server.log]
    assert len(lines) >= 5
    assert {"at", "level", "event", "request", "method", "route", "status", "ms"} <= lines[0].keys()
    assert not any("zanzibarcanary" in line for line in server.log)
    assert not any(server.token in line for line in server.log)


def test_the_log_is_for_people_where_they_watch_it(tmp_path: Path) -> None:
    import pty

    terminal, end = pty.openpty()
    command = [sys.executable, "-m", "heldtrue", "--home", str(tmp_path / "h"), "--json", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=end, env=ENVIRONMENT) as process:
        os.close(end)
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        with Memory.connect(told["url"], told["token"]) as memory:
            memory.recall("zanzibarcanary")
        process.terminate()
        assert process.wait(20) == 0
    seen = os.read(terminal, 65_536).decode()
    os.close(terminal)
    assert re.search(r"\d\d:\d\d:\d\d  POST  /v1/memory\.recall  200  [\d.]+ ms  person:owner", seen), seen
    assert not re.search("zanzibarcanary|[{]", seen)


def test_it_warms_up_by_itself_which_nobody_waits_for_and_no_log_has(server: Server) -> None:
    loaded = Path(f"/proc/{server.process.pid}/maps")
    if not loaded.exists():
        pytest.skip("nobody can tell here what a process has loaded")
    assert server.ask("GET", "/readyz", token=None).status == 200
    wait_until(lambda: "tokenizers" in loaded.read_text())
    assert server.owner().recalls().items == []
    assert server.owner().events(names=["memory:search", "memory:read"]).items == []


def test_it_stops_where_nothing_is_under_way_but_a_stream_is_open(server: Server) -> None:
    opened = HTTPConnection("127.0.0.1", server.port, timeout=20)
    opened.request("GET", "/v1/events", headers={"Authorization": f"Bearer {server.token}"})
    opened.getresponse().readline()
    server.owner().recall("anything")
    wait_until(lambda: server.owner().recalls().items)
    assert server.stop() == 0
    opened.close()


def test_a_memory_says_where_it_is_and_as_whom_but_never_its_token(shared: Server, tmp_path: Path) -> None:
    from heldtrue import BrainClient

    with Memory.open(tmp_path / "h") as home:
        assert repr(home) == f"<Memory at {tmp_path / 'h'}, as person:owner>"
        assert repr(home.as_agent("scout")) == f"<Memory at {tmp_path / 'h'}, as agent:scout>"
    with Memory.open(":memory:") as nowhere:
        assert repr(nowhere) == "<Memory in memory, as person:owner>"
    with shared.owner() as memory, BrainClient(shared.url, shared.token) as brain:
        assert repr(memory) == f"<Memory at {shared.url}, with a token>"
        assert repr(brain) == f"<BrainClient at {shared.url}, with a token>"
        assert {"recall", "learn", "import_", "follow", "aio", "close"} <= set(dir(brain))
        assert {"recall", "learn", "import_", "follow"} <= set(dir(brain.aio))
        assert callable(brain.import_)
    secret = Memory.connect("http://someone:s3cret@127.0.0.1:1/v1", "ht_token")
    assert repr(secret) == "<Memory at http://127.0.0.1:1, with a token>"


def test_metrics_count_by_route_and_are_a_persons_to_see(server: Server) -> None:
    server.ask("GET", "/v1/memories")
    text = server.ask("GET", "/metrics").body.decode()
    assert 'heldtrue_requests_total{method="GET",route="/v1/memories",status="200"} 1.0' in text
    token = server.let_in("prober", role="project", projects=["p"])
    assert server.ask("GET", "/metrics", token=token).status == 403
    assert server.ask("GET", "/readyz", token=None).json == {"status": "ready"}


def test_the_engine_runs_inside_and_may_run_apart(tmp_path: Path) -> None:
    said = "I always take the night train to Vienna."
    inside, apart = Server(tmp_path / "inside").start(), Server(tmp_path / "apart", ("--no-engine",)).start()
    try:
        apart.owner().capture(said, speaker="Mara")
        inside.owner().capture(said, speaker="Mara")
        wait_until(lambda: inside.owner().inbox().items)
        assert "Vienna" in inside.owner().inbox().items[0].memory.content
        assert not apart.owner().inbox().items, "it was handed in before the other, which is done"
        apart.owner().work()
        assert apart.owner().inbox().items
    finally:
        inside.stop()
        apart.stop()


def serve(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A server that is refused before it starts."""
    command = [sys.executable, "-m", "heldtrue", "--home", str(home), "serve", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=30, env=ENVIRONMENT, check=False)


def test_a_port_that_is_taken_and_an_address_for_others_are_refused_with_a_reason(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = serve(tmp_path / "h", "--port", str(port))
        told = " ".join(done.stderr.split())
        assert done.returncode == 7
        assert f"port {port} on 127.0.0.1 is in use by another program" in told
        assert "stop that program, or choose another port" in told
        assert "served there already" not in told
    exposed = serve(tmp_path / "h", "--port", "0", "--host", "0.0.0.0")
    assert exposed.returncode != 0
    assert "other machines can reach" in " ".join(exposed.stderr.split())
    for name in ("127.256.0.1", "nosuch.invalid"):
        elsewhere = serve(tmp_path / "h", "--port", "0", "--host", name)
        assert elsewhere.returncode == 7
        assert f"the host name '{name}' does not resolve" in " ".join(elsewhere.stderr.split())


def test_the_port_of_a_server_that_serves_the_same_memory_is_told_as_such(server: Server, tmp_path: Path) -> None:
    done = serve(server.home, "--port", str(server.port))
    told = " ".join(done.stderr.split())
    assert done.returncode == 7
    where = f"at {server.url} (process {server.process.pid})"
    assert f"port {server.port} is in use by another server for this store, {where}" in told
    assert f"HELDTRUE_URL={server.url}" in told
    other = " ".join(serve(tmp_path / "other", "--port", str(server.port)).stderr.split())
    assert "by a Heldtrue server for another store" in other  # the control: it is not this one


def test_the_command_line_asks_the_service_that_the_environment_names(server: Server, tmp_path: Path) -> None:
    around = ENVIRONMENT | {"HELDTRUE_URL": server.url, "HELDTRUE_TOKEN": server.token}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "heldtrue", *words]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=60, cwd=tmp_path, env=around, check=False
        )

    assert "created" in run("learn", "The ferry leaves at nine", "--source", "quay.md").stdout
    assert "The ferry leaves at nine" in run("recall", "when does the ferry leave?").stdout
    assert server.owner().list().items[0].content == "The ferry leaves at nine"
    assert not (tmp_path / ".heldtrue").exists()
    assert "the token determines the agent" in " ".join(run("--agent", "codex", "list").stderr.split())
    assert run("export", "x").returncode == 0
    assert "The ferry leaves at nine" in (tmp_path / "x").read_text("utf-8")  # written here, by what the service sent
    local = run("--home", str(tmp_path / "own"), "learn", "Only here")
    assert "created" in local.stdout  # a home that is named is used all the same
    assert len(server.owner().list().items) == 1
