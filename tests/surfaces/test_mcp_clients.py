"""The official clients do what an agent does: learn, recall, correct and explain, in every revision that is spoken."""

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.conftest import ENVIRONMENT
from tests.surfaces.mcp_support import REVISION, http_service

mcp = pytest.importorskip("mcp")

NODE_CLIENTS = Path(__file__).parents[1] / "clients" / "mcp-typescript"
COMMAND = [sys.executable, "-m", "heldtrue", "mcp", "--agent", "codex"]
needs_node = pytest.mark.skipif(shutil.which("npm") is None, reason="there is no npm on this machine")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture(params=["stdio", "http"])
def target(request: pytest.FixtureRequest, home: Path) -> Iterator[list[str]]:
    """Where a server is: a command, or an address."""
    if request.param == "stdio":
        yield [*COMMAND, "--home", str(home)]
        return
    with http_service(home) as url:
        yield [f"{url}/mcp"]


def connect(target: list[str], mode: str) -> Any:
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    if len(target) == 1:
        return Client(target[0], mode=mode)
    return Client(stdio_client(StdioServerParameters(command=target[0], args=target[1:], env=ENVIRONMENT)), mode=mode)


@pytest.mark.covers("A20")
@pytest.mark.parametrize(("mode", "revision"), [("legacy", "2025-11-25"), ("auto", REVISION), (REVISION, REVISION)])
def test_the_python_client(target: list[str], mode: str, revision: str) -> None:
    async def use() -> None:
        async with connect(target, mode) as client:
            assert client.protocol_version == revision
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert tools["memory_recall"].annotations.read_only_hint
            learned = await client.call_tool("memory_learn", {"content": "The shop opens at nine", "source": "door:1"})
            memory = learned.structured_content["memory"]["id"]
            found = await client.call_tool("memory_recall", {"context": "when does the shop open"})
            assert [result["memory"]["id"] for result in found.structured_content["results"]] == [memory]
            assert "| The shop opens at nine" in found.content[0].text
            corrected = await client.call_tool(
                "memory_correct", {"memory": memory, "content": "The shop opens at ten", "reason": "winter hours"}
            )
            assert corrected.structured_content["outcome"] == "superseded"
            explained = await client.call_tool("memory_explain", {"memory": memory})
            assert "winter hours" in explained.structured_content["story"]
            again = await client.call_tool("memory_learn", {"content": "The shop opens at nine"})
            assert again.structured_content["outcome"] == "refused"
            mistaken = await client.call_tool("memory_learn", {"content": "x", "kind": "fact"})
            assert mistaken.is_error
            assert "is not one of" in mistaken.content[0].text
            with pytest.raises(mcp.MCPError, match="Unknown tool"):
                await client.call_tool("memory_everything", {})
            context = await client.read_resource("heldtrue://context?task=open%20the%20shop")
            assert "The shop opens at ten" in context.contents[0].text
            assert {prompt.name for prompt in (await client.list_prompts()).prompts} >= {"start_task"}
            assert (await client.get_prompt("start_task", {"task": "open the shop"})).messages

    asyncio.run(asyncio.wait_for(use(), 60))


@pytest.mark.covers("A20")
def test_a_plain_session_of_the_python_client(home: Path) -> None:
    from mcp.client.session import ClientSession
    from mcp.client.stdio import StdioServerParameters, stdio_client

    async def use() -> None:
        parameters = StdioServerParameters(
            command=COMMAND[0], args=[*COMMAND[1:], "--home", str(home)], env=ENVIRONMENT
        )
        async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
            settled = await session.initialize()
            assert settled.protocol_version == "2025-11-25"
            assert (await session.send_ping()) is not None
            result = await session.call_tool("memory_status", {})
            assert not result.is_error

    asyncio.run(asyncio.wait_for(use(), 60))


# The TypeScript clients and the Inspector


@pytest.fixture(scope="session")
def node_clients() -> Path:
    """The folder of the clients, installed as the lock file says."""
    lock, done = NODE_CLIENTS / "package-lock.json", NODE_CLIENTS / "node_modules" / ".installed"
    if not (done.exists() and done.read_text("utf-8") == lock.read_text("utf-8")):
        command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        installed = subprocess.run(command, cwd=NODE_CLIENTS, capture_output=True, text=True, timeout=600, check=False)
        assert installed.returncode == 0, installed.stderr
        done.write_text(lock.read_text("utf-8"), "utf-8")
    return NODE_CLIENTS


def test_the_lock_file_names_no_host() -> None:
    packages = json.loads((NODE_CLIENTS / "package-lock.json").read_text("utf-8"))["packages"]
    assert all("integrity" in package for name, package in packages.items() if name)
    assert not [name for name, package in packages.items() if "resolved" in package]


def run_node(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["node", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=ENVIRONMENT,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@needs_node
@pytest.mark.slow
@pytest.mark.covers("A20")
@pytest.mark.parametrize(
    ("sdk", "mode", "revision"),
    [
        ("v1", "legacy", "handshake"),
        ("v2", "legacy", "2025-11-25"),
        ("v2", "auto", REVISION),
        ("v2", REVISION, REVISION),
    ],
)
def test_the_typescript_clients(node_clients: Path, target: list[str], sdk: str, mode: str, revision: str) -> None:
    said = json.loads(run_node(node_clients, "client.mjs", sdk, mode, *target))
    assert (said["revision"], said["server"]) == (revision, "heldtrue")
    assert {"memory_learn", "memory_recall", "memory_correct", "memory_explain"} <= set(said["tools"])
    assert (said["learned"], said["corrected"]) == ("created", "superseded")
    assert said["recalled"] == ["The shop opens at nine"]
    assert "winter hours" in said["explained"]
    assert said["mistaken"][0] is True
    assert said["mistaken"][1].startswith("not_found: ")
    assert "The shop opens at ten" in said["context"]
    assert "The shop opens at ten" in said["prompt"]


@needs_node
@pytest.mark.slow
@pytest.mark.covers("A20")
def test_the_inspector(node_clients: Path, home: Path) -> None:
    inspector = "node_modules/@modelcontextprotocol/inspector-cli/build/index.js"
    command = [*COMMAND, "--home", str(home)]

    def inspect(method: str, *words: str) -> Any:
        return json.loads(run_node(node_clients, inspector, *command, "--method", method, *words))

    def use(tool: str, **arguments: str) -> Any:
        pairs = [word for name, value in arguments.items() for word in ("--tool-arg", f"{name}={value}")]
        return inspect("tools/call", "--tool-name", tool, *pairs)["structuredContent"]

    assert len(inspect("tools/list")["tools"]) <= 13
    memory = use("memory_learn", content="The shop opens at nine")["memory"]["id"]
    assert use("memory_recall", context="when does the shop open")["results"][0]["memory"]["id"] == memory
    assert use("memory_correct", memory=memory, content="The shop opens at ten", reason="winter")["outcome"]
    assert "winter" in use("memory_explain", memory=memory)["story"]
    assert inspect("resources/list")["resources"]
    assert inspect("prompts/list")["prompts"]
    assert home.is_dir()
