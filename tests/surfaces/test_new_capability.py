"""A capability is declared once: two new ones, in a module that nothing else knows of, are found on every surface."""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from heldtrue import Memory, NotAllowed
from heldtrue.adapters import get_anthropic_tools, get_langchain_tools, get_openai_tools, run_openai_tool_call
from heldtrue.capabilities.registry import CAPABILITIES
from heldtrue.capabilities.verb_index import all_capabilities, index_text
from heldtrue.domain.principal import OWNER
from heldtrue.surfaces.mcp.tools import write_down
from heldtrue.surfaces.rest.admission import Limits
from heldtrue.surfaces.rest.app import build_app
from heldtrue.surfaces.rest.openapi import describe_api
from heldtrue.wiring.instance import open_instance
from tests.surfaces.conftest import CommandLine
from tests.surfaces.mcp_support import Desk
from tools import reference, stubs, typescript

MODULE = '''
"""Two capabilities of a module that is not part of the product."""

from typing import Annotated

import msgspec
from msgspec import Meta

from heldtrue.capabilities.call import Call
from heldtrue.capabilities.declaration import EverydayTool, Group
from heldtrue.capabilities.parameters import Request
from heldtrue.capabilities.registry import capability
from heldtrue.domain.action import Audience, Effect


class Told(msgspec.Struct, frozen=True, kw_only=True):
    said: str


class RingRequest(Request):
    bell: Annotated[str, Meta(description="Which bell it is.")]
    times: Annotated[int, Meta(ge=1, description="How often it rings.")] = 1


@capability("memory.ring_bell", Effect.WRITE, audience=Audience.PEOPLE, group=Group.DECIDE, positional=("bell",))
def ring_bell(call: Call, request: RingRequest) -> Told:
    """Ring a bell, as only a person may."""
    return Told(said=f"{call.principal.id} rings {request.bell} {request.times} times")


class HearRequest(Request):
    bell: Annotated[str, Meta(description="The bell to listen for.")]


@capability(
    "memory.hear_bell",
    Effect.READ,
    group=Group.LOOK_UP,
    positional=("bell",),
    tool=EverydayTool("Listen for a bell.", {"bell": "Which one"}, rank=90),
)
def hear_bell(call: Call, request: HearRequest) -> Told:
    """Hear whether a bell rings; anyone can."""
    return Told(said=f"{call.principal.id} hears {request.bell}")
'''
LIMITS = Limits(requests_per_second=1_000, writes_per_minute=1_000, in_flight=10)


@pytest.fixture(autouse=True)
def declared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The module, loaded as any program could load one of its own."""
    before = {verb: capability.name for verb, capability in all_capabilities().items()}
    assert not {"ring_bell", "hear_bell"} & before.keys(), "the control: they are not there yet"
    folder = tmp_path / "modules"
    folder.mkdir()
    (folder / "bells.py").write_text(MODULE, "utf-8")
    monkeypatch.syspath_prepend(str(folder))
    importlib.import_module("bells")
    yield
    for name in ("memory.ring_bell", "memory.hear_bell"):
        del CAPABILITIES[name]
    del sys.modules["bells"]
    assert {verb: capability.name for verb, capability in all_capabilities().items()} == before


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "home") as opened:
        opened.learn("The tower has one bell")
        yield opened


@pytest.mark.covers("A26")
def test_they_are_commands_with_help(heldtrue: CommandLine) -> None:
    heldtrue("learn", "The tower has one bell")
    assert "person:owner rings Tom 2 times" in heldtrue("ring-bell", "Tom", "--times", "2")
    assert heldtrue.json("--agent", "codex", "hear-bell", "Tom") == {"said": "agent:codex hears Tom"}
    refused = heldtrue.run("--json", "--agent", "codex", "ring-bell", "Tom")
    assert (refused.status, json.loads(refused.err)["error"]["code"]) == (NotAllowed.exit_status, "not_allowed")
    told = json.loads(heldtrue("--json", "help"))["commands"]
    assert {"ring-bell", "hear-bell"} <= {command["name"] for command in told}
    described = heldtrue("help", "ring-bell")
    assert all(text in described for text in ("as only a person may", "Which bell it is.", "How often it rings."))
    assert "ring-bell" in heldtrue.run("ring-bel", "Tom").err


@pytest.mark.covers("A26")
def test_they_are_methods_of_a_memory(memory: Memory) -> None:
    owner: Any = memory
    agent: Any = memory.as_agent("codex")
    assert owner.ring_bell("Tom").said == "person:owner rings Tom 1 times"
    assert agent.hear_bell(bell="Tom").said == "agent:codex hears Tom"
    before = memory.status().ledger_entries
    with pytest.raises(NotAllowed, match="only a person may use ring_bell"):
        agent.ring_bell("Tom")
    assert memory.status().ledger_entries == (before or 0) + 1, "a write that is refused is on record"


@pytest.mark.covers("A26")
def test_they_are_routes_of_the_service_and_in_its_description(tmp_path: Path, memory: Memory) -> None:
    tokens = [memory.rotate_agent("owner").token, memory.add_agent("codex", role="admin").token]
    paths = describe_api()["paths"]
    assert paths["/v1/memory.ring_bell"]["post"]["tags"] == ["Review"]
    assert paths["/v1/memory.hear_bell"]["post"]["summary"] == "Hear whether a bell rings; anyone can."
    instance = open_instance(tmp_path / "home")

    async def ask() -> list[tuple[int, Any]]:
        app = build_app(instance, LIMITS, frozenset(), threads=2)
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            bearers = [{"Authorization": f"Bearer {token}"} for token in tokens]
            answers = [
                await client.post(f"/v1/memory.{verb}", json={"bell": "Tom"}, headers=bearer)
                for verb in ("ring_bell", "hear_bell")
                for bearer in bearers
            ]
        app.finish(5)
        return [(answer.status_code, answer.json()) for answer in answers]

    (rung, refused, heard, heard_too) = asyncio.run(ask())
    instance.close()
    assert rung == (200, {"said": "person:owner rings Tom 1 times"})
    assert (refused[0], refused[1]["code"]) == (403, "not_allowed")
    assert [heard[1]["said"], heard_too[1]["said"]] == ["person:owner hears Tom", "agent:codex hears Tom"]


@pytest.mark.covers("A26", "A20")
def test_they_are_tools_for_those_who_may_use_them(memory: Memory, tmp_path: Path) -> None:
    instance = open_instance(tmp_path / "home")
    for offer, principal, expected in (
        ("all", OWNER, {"memory_ring_bell", "memory_hear_bell"}),
        ("all", None, {"memory_hear_bell"}),
        ("default", OWNER, {"memory_hear_bell"}),
        ("default", None, {"memory_hear_bell"}),
    ):
        listed = Desk(instance, offer, principal=principal).result("tools/list")["tools"]  # type: ignore[arg-type]
        names = {tool["name"] for tool in listed}
        assert names & {"memory_ring_bell", "memory_hear_bell"} == expected, (offer, principal)
    agent = Desk(instance, "all")
    assert agent.use("memory_hear_bell", bell="Tom")["structuredContent"] == {"said": "agent:codex hears Tom"}
    assert "only a person may" in agent.use("memory_ring_bell", bell="Tom")["content"][0]["text"]
    instance.close()


@pytest.mark.covers("A26", "A23", "A24")
def test_they_are_tools_of_every_framework(memory: Memory) -> None:
    both = {"memory_ring_bell", "memory_hear_bell"}
    assert both <= {tool["function"]["name"] for tool in get_openai_tools("all")}
    assert both <= {tool["name"] for tool in get_anthropic_tools("all")}
    assert both <= {tool.name for tool in get_langchain_tools(memory, "all")}
    assert "memory_hear_bell" in {tool["name"] for tool in get_anthropic_tools()}
    call = {"id": "1", "function": {"name": "memory_ring_bell", "arguments": '{"bell": "Tom"}'}}
    assert "person:owner rings" in run_openai_tool_call(memory, call, "all")["content"]
    assert "not_allowed" in run_openai_tool_call(memory.as_agent("codex"), call, "all")["content"]


@pytest.mark.covers("A26", "A19")
def test_they_are_in_everything_that_is_generated() -> None:
    page = reference.capabilities_page()
    ring = page.partition("### memory.ring_bell")[2].partition("\n### ")[0]
    assert "Permission: write, people only" in ring
    assert "| `bell` | string | required | Which bell it is. |" in ring
    hear = page.partition("### memory.hear_bell")[2].partition("\n### ")[0]
    assert "Permission: read, people and agents" in hear
    index = json.loads(index_text())
    assert (index["ring_bell"]["audience"], index["hear_bell"].get("audience", "everyone")) == ("people", "everyone")
    assert b'"memory_hear_bell"' in write_down()
    assert "def ring_bell(" in stubs.stub_text()
    assert "ringBell(request: RingBellRequest" in typescript.client_text()
