"""`heldtrue mcp` as a real process: only messages on its output, a clean end, many at once on one home."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from heldtrue import Memory
from heldtrue.domain.limits import MCP_MESSAGE_BYTES_MAX
from heldtrue.surfaces.mcp.messages import UNREACHABLE
from tests.surfaces.conftest import ENVIRONMENT
from tests.surfaces.mcp_support import ENVELOPE, http_service
from tests.waiting import wait_until

SERVERS = 16
CALLS = 25


class Server:
    """A server process, as a client has it."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._number = 0

    def write(self, message: Any) -> None:
        assert self.process.stdin is not None
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(data + b"\n")
        self.process.stdin.flush()

    def read(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.endswith(b"\n"), "the server is gone"
        return json.loads(line)

    def begin(self, method: str, **params: Any) -> int:
        self._number += 1
        self.write({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        return self._number

    def ask(self, method: str, **params: Any) -> Any:
        number = self.begin(method, **params)
        answer = self.read()
        assert answer["id"] == number
        return answer

    def use(self, tool: str, **arguments: Any) -> Any:
        return self.ask("tools/call", name=tool, arguments=arguments)["result"]

    def close(self) -> tuple[int, bytes, bytes]:
        """End it as a client does; its status, and what it said last."""
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


@contextmanager
def serving(
    home: Path, *words: str, cwd: Path | None = None, python: tuple[str, ...] = (), **environment: str
) -> Iterator[Server]:
    process = subprocess.Popen(
        [sys.executable, *python, "-m", "heldtrue", "mcp", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env=ENVIRONMENT | {"HELDTRUE_HOME": str(home)} | environment,
    )
    try:
        yield Server(process)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def test_what_there_is_can_be_asked_without_making_a_home(home: Path) -> None:
    with serving(home) as server:
        assert server.ask("initialize", protocolVersion="2025-11-25")["result"]["serverInfo"]["name"] == "heldtrue"
        for method in ("tools/list", "resources/list", "prompts/list"):
            assert server.ask(method)["result"]
        assert server.close() == (0, b"", b"")
    assert not home.exists()


NOT_FOR_A_FIRST_ANSWER = {
    *("asyncio", "http.client", "importlib.metadata", "mcp", "numpy.ma", "starlette", "uvicorn"),
    *("heldtrue.capabilities.transfer", "heldtrue.ingest.gateway", "heldtrue.surfaces.rest"),
}


def test_a_first_answer_loads_no_more_than_it_needs(home: Path) -> None:
    with Memory.open(home) as owner:
        owner.learn_many([{"content": f"Lamp {n} stands in room {n}"} for n in range(20)])
        owner.add_agent("mcp", role="general")
    with serving(home, python=("-X", "importtime")) as server:
        assert server.use("memory_recall", context="where is lamp 7?")["structuredContent"]["results"]
        _, _, err = server.close()
    loaded = {line.rpartition(b"|")[2].strip().decode() for line in err.splitlines() if line.startswith(b"import time")}
    assert "heldtrue.recall.pipeline" in loaded
    assert loaded & NOT_FOR_A_FIRST_ANSWER == set()


@pytest.mark.covers("A20")
def test_who_speaks_and_where_is_said_when_it_is_started(home: Path) -> None:
    with serving(home, "--agent", "codex", "--project", "shop") as server:
        memory = server.use("memory_learn", content="The shop opens at nine")["structuredContent"]["memory"]
    assert (memory["agent"], memory["scope"]) == ("agent:codex", "project:shop")
    with Memory.open(home) as owner:
        assert [agent.role for agent in owner.agents().items] == ["general"], "the first agent of a space is registered"
        owner.add_agent("mcp", role="general")
    with serving(home) as server:
        memory = server.use("memory_learn", content="The lamp is green")["structuredContent"]["memory"]
    assert memory["agent"] == "agent:mcp"
    with Memory.open(home) as owner:
        assert {entry.channel for entry in owner.history(memory["id"]).entries} == {"mcp"}


@pytest.mark.covers("A20", "B1")
def test_a_token_says_who_speaks_until_it_is_taken_back(home: Path) -> None:
    with Memory.open(home) as owner:
        token = owner.invoke("memory.add_agent", name="codex", projects=["shop"]).token
        owner.learn("The vault code is in the attic", scope="project:other")
        with serving(home, HELDTRUE_TOKEN=token) as server:
            memory = server.use("memory_learn", content="The shop opens at nine", scope="project:shop")
            assert memory["structuredContent"]["memory"]["agent"] == "agent:codex"
            refused = server.use("memory_recall", context="vault code", scopes=["project:other"])
            assert refused["_meta"]["heldtrue/error"]["code"] == "not_allowed"
            owner.invoke("memory.revoke_agent", name="codex")
            gone = server.use("memory_recall", context="shop")
            assert gone["_meta"]["heldtrue/error"]["code"] == "no_credential"
            assert server.ask("resources/read", uri="heldtrue://context")["error"]["code"] == -32602
            assert server.ask("tools/list")["result"]
        with serving(home, HELDTRUE_TOKEN="ht_wrong") as server:
            assert server.use("memory_status")["isError"]


@pytest.mark.covers("A20", "B1")
def test_an_agent_that_is_named_speaks_whatever_token_is_in_the_environment(home: Path) -> None:
    with Memory.open(home) as owner:
        token = owner.invoke("memory.add_agent", name="codex", projects=["shop"]).token
        owner.invoke("memory.add_agent", name="helper", role="skill")
        owner.invoke("memory.add_agent", name="other", role="general")
        for stray in (token, "ht_wrong"):
            with serving(home, "--agent", "other", HELDTRUE_TOKEN=stray) as server:
                memory = server.use("memory_learn", content=f"The lamp is green, says {stray[:4]}")
                assert memory["structuredContent"]["memory"]["agent"] == "agent:other"
        with serving(home, "--agent", "helper", HELDTRUE_TOKEN=token) as server:
            refused = server.use("memory_learn", content="The lamp is red")
            assert refused["_meta"]["heldtrue/error"]["code"] == "not_allowed"


@pytest.mark.covers("A20", "B1")
def test_the_tools_are_those_of_whoever_the_token_was_given_to(home: Path) -> None:
    def listed(*words: str, **environment: Any) -> set[str]:
        with serving(home, *words, **environment) as server:
            return {tool["name"] for tool in server.ask("tools/list")["result"]["tools"]}

    before = listed()
    with Memory.open(home) as owner:
        tokens = {"owner": owner.invoke("memory.rotate_agent", name="owner").token}
        tokens["helper"] = owner.invoke("memory.add_agent", name="helper", role="skill").token
        tokens["codex"] = owner.invoke("memory.add_agent", name="codex", projects=["shop"]).token
        assert listed() == {"memory_handed"}, "an agent without a record has the least reach"
        owner.add_agent("mcp", role="general")
    assert listed() == listed(HELDTRUE_TOKEN=tokens["codex"]) == before
    assert listed(HELDTRUE_TOKEN=tokens["owner"]) == before | {"memory_compact"}
    assert listed(HELDTRUE_TOKEN=tokens["helper"]) == listed("--agent", "helper") == {"memory_handed"}
    # Who cannot be told yet is taken for an agent, and learns with the first call what is wrong.
    assert listed(HELDTRUE_TOKEN="ht_wrong") == listed("--agent", "a b") == before


@pytest.mark.covers("A20")
def test_the_project_may_be_that_of_the_folder_it_is_started_in(home: Path, tmp_path: Path) -> None:
    shop, other = tmp_path / "web shop", tmp_path / "other"
    (shop / "src").mkdir(parents=True)
    for folder in (shop, other):
        (folder / ".git").mkdir(parents=True)

    def scope(*words: str, cwd: Path, **environment: str) -> str:
        with serving(home, *words, cwd=cwd, CLAUDE_PROJECT_DIR=environment.get("CLAUDE_PROJECT_DIR", "")) as server:
            learned = server.use("memory_learn", content="The shop opens at nine")
            found: str = learned["structuredContent"]["memory"]["scope"]
            return found

    assert scope("--here", cwd=shop / "src") == "project:web-shop"
    assert scope("--here", "--project", "named", cwd=shop) == "project:named"
    assert scope("--here", cwd=other, CLAUDE_PROJECT_DIR=str(shop)) == "project:web-shop"
    assert scope(cwd=shop) == "global"
    with Memory.open(home) as owner:
        owner.invoke("memory.add_agent", name="bound", projects=["till"])
    assert scope("--here", "--agent", "bound", cwd=shop) == "project:till"


def test_an_agent_with_a_record_has_its_reach_also_without_a_token(home: Path) -> None:
    with Memory.open(home) as owner:
        owner.invoke("memory.add_agent", name="helper", role="skill")
        owner.learn("The shop opens at nine")
        with serving(home, "--agent", "helper") as server:
            assert server.use("memory_learn", content="The lamp is green")["isError"]
            assert "opens at nine" not in json.dumps(server.use("memory_recall", context="when does the shop open"))


def test_more_tools_are_there_for_who_asks(home: Path) -> None:
    with serving(home, "--tools", "all") as server:
        assert len(server.ask("tools/list")["result"]["tools"]) > 35
        assert "isError" not in server.use("memory_list")


def test_what_was_begun_is_answered_before_the_end(home: Path) -> None:
    with serving(home) as server:
        numbers = {
            server.begin("tools/call", name="memory_learn", arguments={"content": f"Room {n} has {n} lamps."})
            for n in range(20)
        }
        status, out, _ = server.close()
    assert status == 0
    answers = [json.loads(line) for line in out.splitlines()]
    assert {answer["id"] for answer in answers} == numbers
    assert all(answer["result"]["structuredContent"]["outcome"] == "created" for answer in answers)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_as_cleanly(home: Path, number: signal.Signals) -> None:
    with serving(home) as server:
        server.use("memory_learn", content="The lamp is green")
        begun = {server.begin("tools/call", name="memory_status") for _ in range(3)}
        time.sleep(0.2)
        server.process.send_signal(number)
        assert server.process.stdout is not None
        answers = [json.loads(line) for line in server.process.stdout.read().splitlines()]
        assert server.process.wait(60) == 0
    assert {answer["id"] for answer in answers} == begun


def test_answers_match_their_requests(home: Path) -> None:
    with serving(home) as server:
        for n in range(8):
            server.use("memory_learn", content=f"Tower {n} has {n + 3} bells", topic=f"tower-{n}")
        asked = {
            server.begin("tools/call", name="memory_recall", arguments={"context": f"Tower {n} bells", "limit": 1}): n
            for n in range(8)
        }
        for _ in list(asked):
            answer = server.read()
            (result,) = answer["result"]["structuredContent"]["results"]
            assert result["memory"]["content"].startswith(f"Tower {asked.pop(answer['id'])} ")
    assert not asked


def test_what_is_no_message_does_not_end_it(home: Path) -> None:
    with serving(home) as server:
        for line, code in (
            (b"nonsense", -32700),
            (b"[]", -32600),
            (b"[" * 50_000, -32600),
            (b'"' + b"x" * (2 * MCP_MESSAGE_BYTES_MAX) + b'"', -32600),
        ):
            server.write(line)
            assert server.read()["error"]["code"] == code
        server.write(b"")
        server.write({"jsonrpc": "2.0", "method": "notifications/whatever"})
        assert server.ask("ping")["result"] == {}


def test_an_id_that_is_under_way_is_not_taken_again(home: Path) -> None:
    message = {"jsonrpc": "2.0", "id": "same", "method": "tools/call", "params": {"name": "memory_status"}}
    with serving(home) as server:
        server.write(json.dumps(message).encode() + b"\n" + json.dumps(message).encode())
        answers = [server.read(), server.read()]
    # The first one is at the home that it has to make when the second is read.
    assert sorted("error" in answer for answer in answers) == [False, True]


def test_what_was_cancelled_is_not_answered(home: Path) -> None:
    with serving(home) as server:
        server.use("memory_status")
        many = [{"content": f"Lamp {n} stands in room {n}"} for n in range(200)]
        first = server.begin("tools/call", name="memory_capture", arguments={"messages": many})
        server.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": first}})
        second = server.begin("tools/call", name="memory_status", arguments={})
        _, out, _ = server.close()
    assert [json.loads(line)["id"] for line in out.splitlines()] == [second]


def test_what_is_printed_by_mistake_is_not_taken_for_a_message(home: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import os, pathlib, threading\n"
        "def chatter():\n"
        "    for _ in range(20):\n"
        "        os.write(1, b'chatter\\n'); print('chatter', flush=True)\n"
        f"    pathlib.Path({str(tmp_path / 'done')!r}).touch()\n"
        "threading.Timer(0.5, chatter).start()\n"
    )
    path = os.pathsep.join([str(tmp_path), ENVIRONMENT["PYTHONPATH"]])
    with serving(home, PYTHONPATH=path) as server:
        server.ask("ping")
        wait_until((tmp_path / "done").exists)
        server.ask("ping")
        status, out, err = server.close()
    assert (status, out) == (0, b"")
    assert err.count(b"chatter") == 40


def test_a_person_who_starts_it_by_hand_is_told_what_it_is(home: Path) -> None:
    inner, outer = os.openpty()
    with os.fdopen(outer, "rb"), os.fdopen(inner, "wb") as keyboard:
        process = subprocess.Popen(
            [sys.executable, "-m", "heldtrue", "mcp"],
            stdin=outer,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=ENVIRONMENT | {"HELDTRUE_HOME": str(home)},
        )
        keyboard.write(b"\x04")
        keyboard.flush()
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, b"")
    assert b"heldtrue install" in err


def test_a_home_that_cannot_be_used_is_told_to_the_model(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with serving(tmp_path / "file") as server:
        result = server.use("memory_status")
        assert result["isError"]
        assert "is a file, not a folder" in result["content"][0]["text"]
        assert server.ask("tools/list")["result"]
        assert server.ask("resources/read", uri="heldtrue://context")["error"]["code"] == -32603


def test_a_name_that_is_none_is_told_to_the_model(home: Path) -> None:
    with serving(home, "--agent", "a b") as server:
        assert "is not an agent name" in server.use("memory_status")["content"][0]["text"]


@pytest.mark.covers("A20", "B28")
@pytest.mark.slow
def test_many_servers_share_one_home(home: Path) -> None:
    """Sixteen agents at once, each learning, recalling and correcting: no call fails and nothing is lost."""
    with Memory.open(home) as owner:
        for number in range(SERVERS):
            owner.add_agent(f"agent{number}", role="general")

    def work(number: int) -> list[str]:
        with serving(home, "--agent", f"agent{number}", "--project", "shop") as server:
            server.ask("initialize", protocolVersion="2025-11-25")
            kept = []
            for turn in range(CALLS // 5):
                learned = server.use(
                    "memory_learn", content=f"Shelf {turn} of agent {number} holds {number * turn} jars"
                )
                kept.append(learned["structuredContent"]["memory"]["id"])
                results = [
                    learned,
                    server.use("memory_recall", context=f"shelf {turn} jars"),
                    server.use("memory_link", memory=kept[-1], to="https://example.org/shelf"),
                    server.use("memory_explain", memory=kept[-1]),
                    server.use("memory_capture", content=f"Agent {number} counted shelf {turn}"),
                ]
                assert not [result for result in results if result.get("isError")]
            assert server.close()[0] == 0
        return kept

    with ThreadPoolExecutor(SERVERS) as pool:
        kept = [memory for memories in pool.map(work, range(SERVERS)) for memory in memories]
    assert len(set(kept)) == SERVERS * (CALLS // 5)
    with Memory.open(home) as owner:
        assert all(owner.get(memory).memory.status == "active" for memory in kept)
        assert owner.verify().ok


# Leading on to a service


@pytest.mark.covers("A20")
def test_a_pipe_can_lead_to_a_service(home: Path, tmp_path: Path) -> None:
    with http_service(home, agent="far", token="secret") as url:
        with serving(tmp_path / "none", "--url", url, HELDTRUE_TOKEN="secret") as server:
            assert server.ask("initialize", protocolVersion="2025-06-18")["result"]["protocolVersion"] == "2025-06-18"
            server.write({"jsonrpc": "2.0", "method": "notifications/initialized"})
            learned = server.use("memory_learn", content="The lighthouse blinks twice")
            assert learned["structuredContent"]["memory"]["agent"] == "agent:far"
            assert server.ask("nothing")["error"]["code"] == -32601
            found = server.ask("tools/call", name="memory_recall", arguments={"context": "lighthouse"}, _meta=ENVELOPE)
            assert found["result"]["resultType"] == "complete"
            read = server.ask("resources/read", uri="heldtrue://context?task=größe", _meta=ENVELOPE)
            assert read["result"]["contents"]
            assert server.close()[0] == 0
        with serving(tmp_path / "none", "--url", f"{url}/mcp") as server:
            refused = server.ask("tools/list")["error"]
            assert "returned status 401: set HELDTRUE_TOKEN" in refused["message"]
    assert not (tmp_path / "none").exists()


def test_a_service_that_is_gone_or_hangs_up_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as rude:
        threading.Thread(target=hang_up, args=[rude], daemon=True).start()
        url = f"http://127.0.0.1:{rude.getsockname()[1]}"
        with serving(tmp_path / "none", "--url", url) as server:
            assert "may or may not have been carried out" in server.ask("tools/list")["error"]["message"]
    with serving(tmp_path / "none", "--url", url) as server:
        for method in ("tools/list", "tools/call"):
            refused = server.ask(method)["error"]
            # No code that the protocol keeps for itself, and none that clients use for a pipe that broke.
            assert refused["code"] == UNREACHABLE
            assert not -32768 <= UNREACHABLE <= -32000
            told = refused["message"]
            assert "is not responding (ConnectionRefusedError); nothing was sent" in told
            assert "may or may not" not in told
        assert server.close()[0] == 0


def hang_up(server: socket.socket) -> None:
    """Take what comes on the first connection, and say nothing."""
    connection, _ = server.accept()
    with connection:
        connection.recv(4096)


@pytest.mark.parametrize("url", ["ftp://example.org", "http://", "://"])
def test_an_address_that_is_none_is_refused_at_the_start(home: Path, url: str) -> None:
    with serving(home, "--url", url) as server:
        status, out, err = server.close()
    assert (status, out) == (2, b"")
    assert b"is not a service URL" in err
