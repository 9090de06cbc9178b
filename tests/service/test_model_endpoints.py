"""An embeddings endpoint that fails costs the vectors and nothing else, in every process that starts meanwhile."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from heldtrue import Memory
from heldtrue.models.scripted import spread_word
from tests.model_server import Answer, ModelServer, drips, says, serving
from tests.service.server import ENVIRONMENT, Server

KEEPER = "The keeper of the lighthouse is called Ines."
QUESTION = "who is the keeper of the lighthouse"
DIMENSION = 16
Break = Callable[[ModelServer], None]


def embeds(dimension: int = DIMENSION) -> Callable[[dict[str, Any]], Answer]:
    """An endpoint that works."""

    def embed(asked: dict[str, Any]) -> Answer:
        vectors = [
            list(map(sum, zip(*(spread_word(word, dimension) for word in text.casefold().split()), strict=True)))
            for text in asked["input"]
        ]
        return says(200, {"data": [{"embedding": vector} for vector in vectors]})(asked)

    return embed


BREAKS: dict[str, Break] = {
    "says 500": lambda server: server.replies.__setitem__(slice(None), [says(500)]),
    "says 401": lambda server: server.replies.__setitem__(slice(None), [says(401)]),
    "says nothing": lambda server: server.replies.__setitem__(slice(None), [server.silence()]),
    "drips": lambda server: server.replies.__setitem__(slice(None), [drips(b" " * 100_000, pause_seconds=0.05)]),
    "talks nonsense": lambda server: server.replies.__setitem__(slice(None), [says(200, b"<html>Welcome</html>")]),
    "has another model": lambda server: server.replies.__setitem__(slice(None), [embeds(DIMENSION // 2)]),
}


class Desk:
    """A home whose vectors come from an endpoint, and the processes that use it."""

    def __init__(self, home: Path, endpoint: ModelServer) -> None:
        self.home = home
        self.endpoint = endpoint
        self.token = ""
        """The owner's, which only the first service of the home shows."""

    def run(self, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "heldtrue", "--home", str(self.home), *words],
            input=given,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            env=ENVIRONMENT | {"no_proxy": "*"},
        )

    def answer(self, *words: str) -> dict[str, Any]:
        done = self.run("--json", *words)
        assert done.returncode == 0, done.stderr
        told: dict[str, Any] = json.loads(done.stdout)
        return told

    def forget_outages(self) -> None:
        """As if a minute had passed."""
        for note in self.home.glob("endpoint-*.down"):
            note.unlink()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    home = tmp_path_factory.mktemp("endpoint") / "home"
    with pytest.MonkeyPatch.context() as patch, serving() as endpoint:
        patch.setenv("no_proxy", "*")
        endpoint.replies = [embeds()]
        home.mkdir()
        settings = f'[recall]\nvector_model = "endpoint"\n[recall.endpoint]\nurl = "{endpoint.url}"\nmodel = "otter"\n'
        (home / "heldtrue.toml").write_text(settings, "utf-8")
        with Memory.open(home) as memory:
            for name in ("codex", "claude-code"):
                memory.add_agent(name, role="admin")
            memory.learn(KEEPER)
            memory.learn("The harbour is dredged every spring.")
            memory.maintain()
            whole = memory.recall(QUESTION)
            assert whole.notes == []
            assert whole.results[0].breakdown["meaning"] > 0, "the control: with the endpoint, vectors count"
        yield Desk(home, endpoint)


@pytest.fixture
def desk(filled: Desk) -> Iterator[Desk]:
    filled.endpoint.replies = [embeds()]
    filled.endpoint.asked.clear()
    filled.forget_outages()
    yield filled
    filled.endpoint.replies = [embeds()]
    filled.forget_outages()


def check_by_words(answer: dict[str, Any], endpoint: ModelServer, *, advice: str) -> None:
    """The answer is found by words, and a note names what failed and what to do."""
    assert [result["memory"]["content"] for result in answer["results"]] == [KEEPER]
    assert "meaning" not in answer["results"][0]["breakdown"]
    assert answer["note_codes"] == ["vectors_failed"], answer["notes"]
    (note,) = answer["notes"]
    assert f"127.0.0.1:{endpoint.port}" in note or "endpoint:otter" in note, note
    assert advice in note, note


@pytest.mark.covers("B6", "A29")
@pytest.mark.parametrize("way", BREAKS)
def test_a_command_that_starts_while_the_endpoint_fails_answers_by_words(desk: Desk, way: str) -> None:
    BREAKS[way](desk.endpoint)
    for verb in ("recall", "search"):
        check_by_words(desk.answer(verb, QUESTION), desk.endpoint, advice="To fix it, ")
    for words in (("inject", QUESTION), ("context-for", "--task", QUESTION), ("learn", "The pier is new.")):
        done = desk.run(*words)
        assert done.returncode == 0, done.stderr
    assert KEEPER in desk.run("inject", QUESTION).stdout
    passing = way in ("says 500", "says nothing", "drips")
    asked = len(desk.endpoint.asked)
    assert asked == 1 if passing else asked > 1, "one process waits; those that follow know"


@pytest.mark.covers("B6", "A29")
def test_a_command_that_starts_while_nobody_is_at_the_address_answers_by_words(desk: Desk) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    settings = desk.home / "heldtrue.toml"
    before = settings.read_text("utf-8")
    settings.write_text(before.replace(f":{desk.endpoint.port}/", f":{port}/"), "utf-8")
    try:
        for words in (("recall", QUESTION), ("search", QUESTION)):
            answer = desk.answer(*words)
            assert answer["results"][0]["memory"]["content"] == KEEPER
            assert f"127.0.0.1:{port}" in answer["notes"][0]
            assert "[recall.endpoint] in heldtrue.toml" in answer["notes"][0]
        assert "failed" in answer["notes"][0], "the second did not try"
    finally:
        settings.write_text(before, "utf-8")
    assert desk.answer("recall", QUESTION)["results"][0]["breakdown"]["meaning"] > 0, "the control: the right address"


@pytest.mark.covers("B6", "A29")
@pytest.mark.parametrize("way", BREAKS)
def test_an_mcp_server_that_starts_while_the_endpoint_fails_answers_by_words(desk: Desk, way: str) -> None:
    BREAKS[way](desk.endpoint)
    start = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}}
    call = {"name": "memory_recall", "arguments": {"context": QUESTION}}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": start},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
    ]
    done = desk.run("mcp", "--agent", "codex", given="".join(f"{json.dumps(message)}\n" for message in messages))
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout.splitlines()[-1])["result"]
    text = "".join(block["text"] for block in answer["content"])
    assert KEEPER in text
    assert not answer.get("isError")
    assert "Tell the person who runs this store" in text


@pytest.mark.covers("B6", "A29")
@pytest.mark.parametrize("way", BREAKS)
def test_a_service_that_starts_while_the_endpoint_fails_is_ready_and_answers_by_words(desk: Desk, way: str) -> None:
    BREAKS[way](desk.endpoint)
    server = Server(desk.home, token=desk.token).start()
    try:
        desk.token = server.token
        assert server.ask("GET", "/readyz", token=None).status == 200
        for _ in range(3):
            reply = server.ask("GET", f"/v1/recall?context={QUESTION.replace(' ', '+')}")
            assert reply.status == 200, reply.body
            check_by_words(reply.json, desk.endpoint, advice="To fix it, ")
        assert server.ask("POST", "/v1/memories", {"content": f"The tide table of {way} is on the wall."}).status == 201
    finally:
        server.stop()
    desk.endpoint.replies = [embeds()]
    desk.forget_outages()
    assert desk.answer("recall", QUESTION)["results"][0]["breakdown"]["meaning"] > 0, "no stored vector was lost"


@pytest.mark.covers("B6")
def test_a_hook_that_runs_while_the_endpoint_is_silent_still_gives_context(desk: Desk, tmp_path: Path) -> None:
    BREAKS["says nothing"](desk.endpoint)
    told = {"session_id": "s", "transcript_path": str(tmp_path / "t.jsonl"), "cwd": str(tmp_path), "prompt": QUESTION}
    for _ in range(3):
        done = desk.run("hook", "prompt", given=json.dumps(told))
        assert (done.returncode, done.stderr) == (0, "")
        assert KEEPER in done.stdout
    assert len(desk.endpoint.asked) <= 1


def test_an_endpoint_that_is_back_is_used_by_the_process_that_left_it_alone(desk: Desk) -> None:
    BREAKS["says 500"](desk.endpoint)
    with Memory.open(desk.home) as memory:
        assert memory.recall(QUESTION).note_codes == ["vectors_failed"]
        desk.endpoint.replies = [embeds()]
        assert memory.recall(QUESTION).note_codes == ["vectors_failed"], "for a minute it is not asked"
        assert len(desk.endpoint.asked) == 1
    desk.forget_outages()
    with Memory.open(desk.home) as memory:
        assert memory.recall(QUESTION).results[0].breakdown["meaning"] > 0


def test_a_wrong_dimension_at_the_start_does_not_outlast_it(desk: Desk) -> None:
    with Memory.open(desk.home) as memory:
        BREAKS["has another model"](desk.endpoint)
        assert memory.recall(QUESTION).note_codes == ["vectors_failed"]
        memory.learn("The slipway is closed.")
        assert any(f"but its stored vectors have {DIMENSION}" in line for line in memory.maintain().done)
        desk.endpoint.replies = [embeds()]
        whole = memory.recall(QUESTION)
        assert whole.note_codes in ([], ["vectors_missing"])
        assert whole.results[0].breakdown["meaning"] > 0
