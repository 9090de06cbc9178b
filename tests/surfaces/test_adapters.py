"""The adapters: every capability is a tool of each framework, in its shape, and a call of it is really done."""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import anthropic
import openai
import pytest
from anthropic.types import ToolUseBlock
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from llama_index.core.tools import FunctionTool
from msgspec import Meta
from openai.types.chat import ChatCompletionMessageFunctionToolCall
from openai.types.responses import ResponseFunctionToolCall

from heldtrue import InvalidInput, Memory
from heldtrue.adapters import (
    get_anthropic_tools,
    get_langchain_tools,
    get_llamaindex_tools,
    get_openai_tools,
    run_anthropic_tool_call,
    run_openai_tool_call,
)
from heldtrue.capabilities.call import Call
from heldtrue.capabilities.parameters import Request
from heldtrue.capabilities.registry import CAPABILITIES, Capability, capability
from heldtrue.capabilities.verb_index import all_capabilities
from heldtrue.distribution import suggest_install
from heldtrue.domain.action import Effect
from heldtrue.surfaces.tool_catalogue import tool_name
from tests.model_server import says, serving
from tests.surfaces.conftest import ENVIRONMENT

PORT = "The API listens on port 8080."
LIBRARIES = ("anthropic", "langchain_core", "langgraph", "llama_index", "openai", "pydantic")
Said = tuple[dict[str, Any], bool | None]
"""What a tool said, and whether it was marked as an error; None where a vendor has no mark for that."""
Run = Callable[[Memory, str, dict[str, Any]], Said]


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    monkeypatch.chdir(tmp_path)
    with Memory.open(tmp_path / "home") as opened:
        yield opened


# --- a call, as each framework makes it ------------------------------------------------------------------


def by_chat(memory: Memory, name: str, arguments: dict[str, Any]) -> Said:
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = ChatCompletionMessageFunctionToolCall.model_validate({"id": "c1", "type": "function", "function": function})
    message = run_openai_tool_call(memory, call, "all")
    assert message == {"role": "tool", "tool_call_id": "c1", "content": message["content"]}
    return json.loads(message["content"]), None


def by_chat_dict(memory: Memory, name: str, arguments: dict[str, Any]) -> Said:
    function = {"name": name, "arguments": json.dumps(arguments)}
    message = run_openai_tool_call(memory, {"id": "c2", "type": "function", "function": function}, tools="all")
    assert message == {"role": "tool", "tool_call_id": "c2", "content": message["content"]}
    return json.loads(message["content"]), None


def by_responses(memory: Memory, name: str, arguments: dict[str, Any]) -> Said:
    fields = {"type": "function_call", "call_id": "c3", "name": name, "arguments": json.dumps(arguments)}
    item = run_openai_tool_call(memory, ResponseFunctionToolCall.model_validate(fields), "all")
    assert item == {"type": "function_call_output", "call_id": "c3", "output": item["output"]}
    return json.loads(item["output"]), None


def by_anthropic(memory: Memory, name: str, arguments: dict[str, Any]) -> Said:
    block = ToolUseBlock.model_validate({"type": "tool_use", "id": "t1", "name": name, "input": arguments})
    result = run_anthropic_tool_call(memory, block, "all")
    assert result["type"] == "tool_result"
    assert result["tool_use_id"] == "t1"
    return json.loads(result["content"]), result.get("is_error", False)


def by_anthropic_dict(memory: Memory, name: str, arguments: dict[str, Any]) -> Said:
    block = {"type": "tool_use", "id": "t2", "name": name, "input": arguments}
    result = run_anthropic_tool_call(memory, block, tools="all")
    assert result["tool_use_id"] == "t2"
    return json.loads(result["content"]), result.get("is_error", False)


def by_langchain(memory: Memory, name: str, arguments: dict[str, Any]) -> Said:
    message = langchain_tool(memory, name).invoke({"type": "tool_call", "id": "l1", "name": name, "args": arguments})
    assert message.tool_call_id == "l1"
    return json.loads(message.content), message.status == "error"


def by_langchain_async(memory: Memory, name: str, arguments: dict[str, Any]) -> Said:
    call = {"type": "tool_call", "id": "l2", "name": name, "args": arguments}
    message = asyncio.run(langchain_tool(memory, name).ainvoke(call))
    return json.loads(message.content), message.status == "error"


def langchain_tool(memory: Memory, name: str) -> BaseTool:
    tool, *_ = get_langchain_tools(memory, [name, "list", "recall"])
    return tool


def by_llamaindex(memory: Memory, name: str, arguments: dict[str, Any]) -> Said:
    output = llamaindex_tool(memory, name).call(**arguments)
    assert output.tool_name == name
    return json.loads(output.content), output.is_error


def by_llamaindex_async(memory: Memory, name: str, arguments: dict[str, Any]) -> Said:
    output = asyncio.run(llamaindex_tool(memory, name).acall(**arguments))
    return json.loads(output.content), output.is_error


def llamaindex_tool(memory: Memory, name: str) -> FunctionTool:
    tool, *_ = get_llamaindex_tools(memory, [name, "list", "recall"])
    return tool


WAYS = [
    by_chat,
    by_chat_dict,
    by_responses,
    by_anthropic,
    by_anthropic_dict,
    by_langchain,
    by_langchain_async,
    by_llamaindex,
    by_llamaindex_async,
]
each_way = pytest.mark.parametrize("run", WAYS, ids=lambda way: way.__name__)


@pytest.mark.covers("A22", "A23", "A24")
@each_way
def test_a_call_is_really_done(run: Run, memory: Memory) -> None:
    learned, failed = run(memory, "memory_learn", {"content": PORT, "topic": "deploy"})
    assert (learned["outcome"], failed in (False, None)) == ("created", True)
    found, _ = run(memory, "memory_recall", {"context": "Which port does the API use?"})
    assert [result["memory"]["content"] for result in found["results"]] == [PORT]
    corrected, _ = run(
        memory,
        "memory_correct",
        {"memory": learned["memory"]["id"], "content": "The API listens on port 9090.", "reason": "it moved"},
    )
    assert corrected["outcome"] == "superseded"
    assert [item.content for item in memory.list().items] == ["The API listens on port 9090."]
    assert run(memory, "memory_forget", {"memory": corrected["memory"]["id"], "reason": "no API"})[0]["outcome"]
    assert memory.list().items == []


@pytest.mark.covers("A22", "A23", "A24")
@each_way
def test_what_cannot_be_done_is_told_so_that_a_model_can_act(run: Run, memory: Memory) -> None:
    told, failed = run(memory, "memory_learn", {"content": PORT, "kind": "decison"})
    assert failed in (True, None)
    assert told["error"] == {
        "code": "invalid_input",
        "message": told["error"]["message"],
        "field": "kind",
        "hint": "did you mean decision?",
    }
    assert "'decison' is not one of profile," in told["error"]["message"]
    told, _ = run(memory, "memory_forget", {"memory": "0190a000-0000-7000-8000-000000000001", "reason": "x"})
    assert told["error"]["code"] == "not_found"
    assert "find the id with memory_list, or memory_recall" in told["error"]["hint"]


@each_way
def test_an_argument_that_is_null_is_left_out(run: Run, memory: Memory) -> None:
    assert run(memory, "memory_learn", {"content": PORT, "kind": None, "topic": None})[0]["outcome"] == "created"


def made_up(schema: dict[str, Any]) -> Any:
    """A value that a schema allows."""
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return made_up(schema["anyOf"][0])
    match schema.get("type"):
        case "object":
            return {name: made_up(schema["properties"][name]) for name in schema.get("required", ())}
        case "array":
            return [made_up(schema["items"])]
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
    return "made-up"


@pytest.mark.covers("A22", "A23", "A24")
@pytest.mark.parametrize("run", [by_chat, by_anthropic, by_langchain, by_llamaindex], ids=lambda way: way.__name__)
def test_every_capability_is_reached(run: Run, memory: Memory) -> None:
    """With arguments made up from the schema, each either does its work or says in our words why it cannot."""
    for tool in get_anthropic_tools("all"):
        told, _ = run(memory, tool["name"], made_up(tool["input_schema"]))
        problem = told.get("error")
        assert problem is None or (isinstance(problem, dict) and problem.get("code") != "internal"), tool["name"]
        assert problem is None or not problem["message"].startswith(("no tool", "unknown")), tool["name"]


@pytest.mark.parametrize("name", ["memory_save_view", "memory_view"])
def test_a_tool_may_have_an_argument_called_name(name: str, memory: Memory) -> None:
    assert by_chat(memory, "memory_save_view", {"name": "ports", "question": "port"})[0].get("error") is None
    assert by_chat(memory, name, {"name": "ports", "question": "port"} if "save" in name else {"name": "ports"})[0]


# --- what is offered ------------------------------------------------------------------------------------


def names_offered(memory: Memory, tools: Any) -> dict[str, list[str]]:
    return {
        "chat": [tool["function"]["name"] for tool in get_openai_tools(tools)],
        "responses": [tool["name"] for tool in get_openai_tools(tools, api="responses")],
        "anthropic": [tool["name"] for tool in get_anthropic_tools(tools)],
        "langchain": [tool.name for tool in get_langchain_tools(memory, tools)],
        "llamaindex": [str(tool.metadata.name) for tool in get_llamaindex_tools(memory, tools)],
    }


@pytest.mark.covers("A22", "A23", "A24")
def test_every_adapter_offers_a_dozen_all_or_those_of_some_names(memory: Memory) -> None:
    for offered in names_offered(memory, None).values():
        assert 10 <= len(offered) <= 13
        assert {"memory_learn", "memory_recall", "memory_correct", "memory_forget"} <= set(offered)
    for offered in names_offered(memory, "all").values():
        assert sorted(offered) == sorted(tool_name(capability.verb) for capability in all_capabilities().values())
        assert len(set(offered)) == len(all_capabilities())
    for offered in names_offered(memory, ["memory.recall", "memory_learn", "forget"]).values():
        assert offered == ["memory_recall", "memory_learn", "memory_forget"]
    with pytest.raises(InvalidInput, match=r"no tool named 'recal' \(did you mean memory_recall\?\)"):
        get_openai_tools(["recal"])
    with pytest.raises(InvalidInput, match="not a valid choice of tools"):
        get_openai_tools("recall")


def ask_for(memory: Memory, name: str, arguments: dict[str, Any], tools: Any) -> Iterator[dict[str, Any]]:
    """What each dispatcher says to a call of a model that was offered these tools."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    yield json.loads(run_openai_tool_call(memory, {"id": "1", "function": function}, tools)["content"])
    item = run_openai_tool_call(memory, {"call_id": "1", **function}, tools=tools)
    yield json.loads(item["output"])
    result = run_anthropic_tool_call(memory, {"id": "1", "name": name, "input": arguments}, tools)
    assert result.get("is_error", False) == ("error" in json.loads(result["content"]))
    yield json.loads(result["content"])


@pytest.mark.covers("A23", "A24")
def test_a_tool_that_was_not_offered_is_not_run(memory: Memory) -> None:
    for tools in (["recall"], None):
        for told in ask_for(memory, "memory_add_agent", {"name": "intruder"}, tools):
            assert told["error"]["message"].startswith("no tool named 'memory_add_agent'")
            assert "agent" not in told["error"]["hint"]
    for told in ask_for(memory, "memory_learn", {"content": PORT}, ["recall", "memory.status"]):
        assert told["error"]["hint"] == "the tools are: memory_recall, memory_status"
    assert [item.name for item in memory.agents().items if item.name == "intruder"] == []
    assert memory.list().items == []


@pytest.mark.covers("A23", "A24")
def test_what_an_administrator_does_must_be_named(memory: Memory) -> None:
    admin = {
        tool_name(capability.verb) for capability in all_capabilities().values() if capability.effect is Effect.ADMIN
    }
    for offered in names_offered(memory, None).values():
        assert not admin & set(offered)
    for told in ask_for(memory, "memory_compact", {"dry_run": True}, None):
        assert told["error"]["field"] == "name"
    for tools in (["compact"], "all"):
        for told in ask_for(memory, "memory_compact", {"dry_run": True}, tools):
            assert "error" not in told


def test_a_hint_names_no_tool_that_was_not_offered(memory: Memory) -> None:
    gone = {"memory": "0190a000-0000-7000-8000-000000000001", "reason": "x"}
    for told in ask_for(memory, "memory_forget", gone, ["forget", "recall"]):
        assert "memory_list" not in told["error"]["hint"]
        assert "memory_recall" in told["error"]["hint"]


class GreetRequest(Request):
    whom: Annotated[str, Meta(description="Who is greeted.")]


def greet(call: Call, request: GreetRequest) -> dict[str, str]:
    """Greet somebody."""
    return {"greeting": f"Hello, {request.whom}, from {call.principal.id}"}


@pytest.mark.covers("A26")
@each_way
def test_a_capability_that_is_declared_appears_everywhere(
    run: Run, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "memory_greet" not in names_offered(memory, "all")["chat"]
    monkeypatch.setitem(CAPABILITIES, "memory.greet", Capability(capability("memory.greet", Effect.READ), greet))
    for offered in names_offered(memory, "all").values():
        assert "memory_greet" in offered
    described = {tool["name"]: tool for tool in get_anthropic_tools("all")}["memory_greet"]
    assert described["description"] == "Greet somebody."
    assert described["input_schema"]["properties"]["whom"] == {"type": "string", "description": "Who is greeted."}
    assert run(memory, "memory_greet", {"whom": "Ada"})[0] == {"greeting": "Hello, Ada, from person:owner"}


# --- shapes that vendors accept -------------------------------------------------------------------------


def schemas_within(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for key, value in schema.items():
            yield from schemas_within(list(value.values()) if key == "properties" else value)
    elif isinstance(schema, list):
        for part in schema:
            yield from schemas_within(part)


@pytest.mark.covers("A23", "A24")
def test_names_descriptions_and_schemas_are_what_vendors_accept() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    for tool in (*get_anthropic_tools(), *get_anthropic_tools("all")):
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", tool["name"])
        assert 0 < len(tool["description"]) <= 1024
        schema = tool["input_schema"]
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        assert "$ref" not in json.dumps(schema)
        for part in schemas_within(schema):
            assert not part.keys() & {"title", "$defs", "allOf", "oneOf", "not"}


def test_a_strict_schema_says_nothing_that_strict_mode_refuses() -> None:
    tools = [tool["function"] for tool in get_openai_tools("all", strict=True)]
    assert sum(tool["strict"] for tool in tools) > 40
    for tool in tools:
        if not tool["strict"]:
            continue
        for part in schemas_within(tool["parameters"]):
            assert not part.keys() & {"default", "minLength", "maxLength", "title", "$ref"}
            if part.get("type") in ("object", ["object", "null"]):
                assert part["additionalProperties"] is False
                assert part["required"] == list(part["properties"])
    recall = next(tool for tool in tools if tool["name"] == "memory_recall")["parameters"]["properties"]
    assert recall["context"]["type"] == "string"
    assert recall["limit"]["type"] == ["integer", "null"]
    assert "weights" not in recall  # an object with any keys: strict mode cannot say that


def test_langchain_and_llamaindex_tell_a_model_what_the_registry_says(memory: Memory) -> None:
    wanted = {tool["name"]: tool["input_schema"] for tool in get_anthropic_tools()}
    for tool in get_langchain_tools(memory):
        told = convert_to_openai_tool(tool)["function"]["parameters"]
        assert told["properties"] == wanted[tool.name]["properties"]
    for other in get_llamaindex_tools(memory):
        assert other.metadata.get_parameters_dict() == {
            key: value for key, value in wanted[str(other.metadata.name)].items() if key != "additionalProperties"
        }
        assert other.metadata.to_openai_tool()["function"]["name"] == other.metadata.name


def test_a_langchain_message_has_the_answer_itself_as_its_artifact(memory: Memory) -> None:
    call = {"type": "tool_call", "id": "x", "name": "memory_learn", "args": {"content": PORT}}
    assert langchain_tool(memory, "memory_learn").invoke(call).artifact.memory.content == PORT
    assert llamaindex_tool(memory, "memory_status").call().raw_output.answer.active == 1


# --- the vendors' own clients, answered from this machine --------------------------------------------------


@pytest.mark.covers("A23")
def test_a_conversation_with_the_openai_client(memory: Memory) -> None:
    memory.learn(PORT)
    function = {"name": "memory_recall", "arguments": '{"context": "Which port?"}'}
    message = {"role": "assistant", "tool_calls": [{"id": "call_1", "type": "function", "function": function}]}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    body = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    with serving() as server, openai.OpenAI(api_key="none", base_url=server.url) as client:
        server.replies = [says(200, body, content_type="application/json")]
        messages: list[Any] = [{"role": "user", "content": "Which port?"}]
        tools: Any = get_openai_tools()
        said = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
        messages.append(said)
        messages += [run_openai_tool_call(memory, call) for call in said.tool_calls or ()]
        client.chat.completions.create(model="m", messages=messages, tools=tools)
    assert server.asked[0]["tools"] == tools
    result = server.asked[1]["messages"][2]
    assert (result["role"], result["tool_call_id"], PORT in result["content"]) == ("tool", "call_1", True)


@pytest.mark.covers("A23")
def test_a_conversation_with_the_openai_client_over_responses(memory: Memory) -> None:
    memory.learn(PORT)
    call = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "memory_recall", "status": "completed"}
    body = {"id": "1", "object": "response", "created_at": 1, "model": "m", "status": "completed", "tools": []}
    body |= {"output": [call | {"arguments": '{"context": "Which port?"}'}], "parallel_tool_calls": True}
    with serving() as server, openai.OpenAI(api_key="none", base_url=server.url) as client:
        server.replies = [says(200, body, content_type="application/json")]
        tools: Any = get_openai_tools(api="responses", strict=True)
        said = client.responses.create(model="m", input="Which port?", tools=tools)
        items: list[Any] = [run_openai_tool_call(memory, item) for item in said.output if item.type == "function_call"]
        client.responses.create(model="m", previous_response_id="1", input=items, tools=tools)
    assert server.asked[0]["tools"] == tools
    (item,) = server.asked[1]["input"]
    assert (item["type"], item["call_id"], PORT in item["output"]) == ("function_call_output", "call_1", True)


@pytest.mark.covers("A24")
def test_a_conversation_with_the_anthropic_client(memory: Memory) -> None:
    memory.learn(PORT)
    block = {"type": "tool_use", "id": "toolu_1", "name": "memory_recall", "input": {"context": "Which port?"}}
    usage = {"input_tokens": 1, "output_tokens": 1}
    body: dict[str, Any] = {"id": "1", "type": "message", "role": "assistant", "model": "m"}
    body |= {"content": [block], "usage": usage}
    body |= {"stop_reason": "tool_use", "stop_sequence": None}
    with serving() as server, anthropic.Anthropic(api_key="none", base_url=server.url) as client:
        server.replies = [says(200, body, content_type="application/json")]
        messages: list[Any] = [{"role": "user", "content": "Which port?"}]
        tools: Any = get_anthropic_tools()
        said = client.messages.create(model="m", max_tokens=9, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": said.content})
        results = [run_anthropic_tool_call(memory, block) for block in said.content if block.type == "tool_use"]
        messages.append({"role": "user", "content": results})
        client.messages.create(model="m", max_tokens=9, messages=messages, tools=tools)
    assert server.asked[0]["tools"] == tools
    (result,) = server.asked[1]["messages"][2]["content"]
    assert (result["tool_use_id"], "is_error" in result, PORT in result["content"]) == ("toolu_1", False, True)


# --- what is wrong with a call --------------------------------------------------------------------------


def test_a_model_that_makes_no_sense_is_told_so(memory: Memory) -> None:
    def told(arguments: Any, name: str = "memory_status") -> dict[str, Any]:
        message = run_openai_tool_call(memory, {"id": "1", "function": {"name": name, "arguments": arguments}})
        found: dict[str, Any] = json.loads(message["content"]).get("error", {})
        return found

    assert told("") == {}
    assert told(None) == {}
    assert told("{")["message"].startswith("the arguments are not JSON")
    assert told("[1]")["hint"] == "send one JSON object"
    assert told("{}", "memory_statu")["hint"] == "did you mean memory_status?"
    assert told("{}", "zzz")["hint"].startswith("the tools are: ")
    assert told('{"limit": "x"}')["field"] == "limit"


def test_a_program_that_gives_something_else_than_a_call_gets_an_error(memory: Memory) -> None:
    for wrong in ({"id": "1"}, {"id": "1", "name": "memory_status"}, 5, {"function": {}, "id": "1"}):
        with pytest.raises(InvalidInput):
            run_openai_tool_call(memory, wrong)
    with pytest.raises(InvalidInput, match="the tool call has no name"):
        run_anthropic_tool_call(memory, {"id": "1"})


# --- libraries ------------------------------------------------------------------------------------------


def run_python(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, env=ENVIRONMENT)


def test_no_library_is_loaded_before_its_adapter_is_used() -> None:
    done = run_python(
        "import sys, heldtrue, heldtrue.adapters as adapters\n"
        "from heldtrue import Memory\n"
        "adapters.get_openai_tools(); adapters.get_anthropic_tools('all')\n"
        "with Memory.open(':memory:') as memory:\n"
        "    adapters.run_anthropic_tool_call(memory, {'id': '1', 'name': 'memory_status', 'input': {}})\n"
        f"print([name for name in {LIBRARIES} if name in sys.modules])"
    )
    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.parametrize(
    ("name", "library", "extra"),
    [
        ("get_langchain_tools", "langchain_core", "langchain"),
        ("HeldtrueStore", "langgraph", "langgraph"),
        ("get_llamaindex_tools", "llama_index", "llamaindex"),
    ],
)
def test_a_library_that_is_not_there_is_named_with_its_extra(name: str, library: str, extra: str) -> None:
    done = run_python(f"import sys; sys.modules[{library!r}] = None\nfrom heldtrue.adapters import {name}")
    assert done.returncode == 1
    assert f"{name} needs {library}, which is not installed: {suggest_install(extra)}" in done.stderr


def test_there_is_no_other_adapter() -> None:
    import heldtrue.adapters as adapters

    assert all(getattr(adapters, name) for name in adapters.__all__)
    with pytest.raises(AttributeError, match=r"'heldtrue.adapters' has no attribute 'get_tools'"):
        _ = adapters.get_tools
