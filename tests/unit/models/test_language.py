"""Asking a language model: the requests that two makers describe, plainer ones where a server balks, and patience."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from heldtrue.domain.errors import ModelProblem
from heldtrue.domain.limits import MODEL_REST_SECONDS
from heldtrue.models.language import ChatEndpoint, ChatReply, ChatRequest, Patience, Style, Usage
from heldtrue.models.outage import Outage
from tests.model_server import ModelServer, completes, says, sends, serving, uses_tool
from tests.model_server import Reply as Answers

KEY = "sk-very-secret"
SCHEMA = {"type": "object", "properties": {"well": {"type": "string"}}, "required": ["well"]}
REQUEST = ChatRequest("Say how it went.", "It went well.", SCHEMA)
DONE = {"well": "done"}
NOT_TAKEN = says(400, {"error": {"message": f"no such field; your key was {KEY}"}})
Ask = Callable[..., ChatEndpoint]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setenv("OTTER_KEY", KEY)
    with serving() as running:
        running.replies = [completes(DONE)]
        yield running


@pytest.fixture
def slept() -> list[float]:
    return []


@pytest.fixture
def now() -> list[float]:
    return [1000.0]


@pytest.fixture
def make(server: ModelServer, slept: list[float], now: list[float]) -> Ask:
    def make(style: Style = "openai", **more: Any) -> ChatEndpoint:
        outage = Outage(monotonic=lambda: now[0])
        more = {"timeout_seconds": 5.0, "patience": Patience(slept.append, outage), **more}
        return ChatEndpoint(style, server.url, "otter-large", "OTTER_KEY", **more)

    return make


def test_openai_is_asked_as_it_describes(server: ModelServer, make: Ask) -> None:
    assert make(max_tokens=321).ask(REQUEST) == ChatReply(json.dumps(DONE), Usage(100, 20))
    assert make().name == "otter-large"
    assert server.paths == ["/v1/chat/completions"]
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert server.asked == [
        {
            "model": "otter-large",
            "max_tokens": 321,
            "temperature": 0,
            "messages": [
                {"role": "system", "content": "Say how it went."},
                {"role": "user", "content": "It went well."},
            ],
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
            },
        }
    ]


def test_anthropic_is_asked_as_it_describes(server: ModelServer, make: Ask) -> None:
    server.replies = [uses_tool(DONE, read=7, written=5)]
    reply = make("anthropic", max_tokens=321).ask(REQUEST)
    assert (json.loads(reply.text), reply.usage, reply.is_whole) == (DONE, Usage(7, 5), True)
    assert server.paths == ["/v1/messages"]
    assert server.headers[0]["x-api-key"] == KEY
    assert server.headers[0]["anthropic-version"] == "2023-06-01"
    assert "authorization" not in server.headers[0]
    assert server.asked == [
        {
            "model": "otter-large",
            "max_tokens": 321,
            "temperature": 0,
            "system": "Say how it went.",
            "messages": [{"role": "user", "content": "It went well."}],
            "tools": [{"name": "answer", "description": "Gives the answer.", "input_schema": SCHEMA}],
            "tool_choice": {"type": "tool", "name": "answer"},
        }
    ]


def test_a_server_that_knows_no_schemas_is_told_the_schema_in_words_and_not_asked_twice(
    server: ModelServer, make: Ask
) -> None:
    server.replies = [NOT_TAKEN, completes(DONE)]
    chat = make()
    assert json.loads(chat.ask(REQUEST).text) == DONE
    assert json.loads(chat.ask(REQUEST).text) == DONE
    formats = [asked["response_format"]["type"] for asked in server.asked]
    assert formats == ["json_schema", "json_object", "json_object"]
    told = server.asked[1]["messages"][0]["content"]
    assert told.startswith("Say how it went.")
    assert json.dumps(SCHEMA, separators=(",", ":")) in told


LIMITED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "maxItems": {"type": "array", "items": {"type": ["string", "null"], "maxLength": 9}, "maxItems": 3},
    },
    "required": ["maxItems"],
}


def test_a_server_that_refuses_limits_in_a_schema_gets_it_without_and_is_not_asked_twice(
    server: ModelServer, make: Ask
) -> None:
    server.replies = [lambda asked: (NOT_TAKEN if "maxLength" in json.dumps(asked) else completes(DONE))(asked)]
    chat, request = make(), ChatRequest("Say how it went.", "It went well.", LIMITED)
    chat.ask(request)
    chat.ask(request)
    schemas = [asked["response_format"]["json_schema"]["schema"] for asked in server.asked]
    plain = {"maxItems": {"type": "array", "items": {"type": ["string", "null"]}}}
    assert schemas == [LIMITED, *[{**LIMITED, "properties": plain}] * 2]


def test_a_model_that_takes_neither_a_temperature_nor_max_tokens_is_asked_without(
    server: ModelServer, make: Ask
) -> None:
    def fussy(asked: dict[str, Any]) -> Any:
        fits = not {"temperature", "max_tokens"} & asked.keys()
        return (completes(DONE) if fits else NOT_TAKEN)(asked)

    server.replies = [fussy]
    assert json.loads(make(max_tokens=321).ask(REQUEST).text) == DONE
    assert server.asked[-1]["max_completion_tokens"] == 321
    assert server.asked[-1]["response_format"]["type"] == "json_schema"


def test_a_server_that_knows_no_formats_is_asked_in_words_alone(server: ModelServer, make: Ask) -> None:
    server.replies = [lambda asked: (NOT_TAKEN if "response_format" in asked else completes(DONE))(asked)]
    assert json.loads(make().ask(REQUEST).text) == DONE
    assert "JSON" in server.asked[-1]["messages"][0]["content"]


@pytest.mark.parametrize("status", [400, 422])
def test_a_server_that_takes_nothing_is_a_problem_and_is_not_left_alone(
    server: ModelServer, make: Ask, slept: list[float], status: int
) -> None:
    server.replies = [says(status, {"error": KEY})]
    chat = make()
    with pytest.raises(ModelProblem, match=f"status {status}") as caught:
        chat.ask(REQUEST)
    assert KEY not in str(caught.value)
    assert (len(server.asked), slept) == (4, [])
    server.replies = [completes(DONE)]
    assert json.loads(chat.ask(REQUEST).text) == DONE


def test_once_a_form_was_taken_a_refusal_is_about_the_text(server: ModelServer, make: Ask) -> None:
    chat = make()
    chat.ask(REQUEST)
    server.replies = [NOT_TAKEN]
    with pytest.raises(ModelProblem, match="status 400"):
        chat.ask(REQUEST)
    assert len(server.asked) == 2


def test_a_model_of_anthropic_that_takes_no_temperature_or_cannot_be_forced_is_asked_otherwise(
    server: ModelServer, make: Ask
) -> None:
    def newest(asked: dict[str, Any]) -> Any:
        fits = "temperature" not in asked and asked["tool_choice"]["type"] == "auto"
        return (uses_tool(DONE) if fits else NOT_TAKEN)(asked)

    server.replies = [newest]
    assert json.loads(make("anthropic").ask(REQUEST).text) == DONE
    assert [("temperature" in asked, asked["tool_choice"]["type"]) for asked in server.asked] == [
        (True, "tool"),
        (False, "tool"),
        (False, "auto"),
    ]


def test_what_is_said_instead_of_using_the_tool_is_the_text(server: ModelServer, make: Ask) -> None:
    thinks = {"type": "thinking", "thinking": "hm", "signature": "x"}
    server.replies = [sends([thinks, {"type": "text", "text": '{"well":'}, {"type": "text", "text": '"done"}'}])]
    assert json.loads(make("anthropic").ask(REQUEST).text) == DONE
    server.replies = [uses_tool(DONE, name="rm")]
    assert make("anthropic").ask(REQUEST).text == "Here it is."


@pytest.mark.parametrize(
    ("style", "answer"),
    [("openai", completes('{"we', finish="length")), ("anthropic", sends([], stop="max_tokens"))],
)
def test_an_answer_that_ran_out_of_tokens_says_so_and_is_counted(
    server: ModelServer, make: Ask, style: Style, answer: Answers
) -> None:
    server.replies = [answer]
    reply = make(style).ask(REQUEST)
    assert (reply.is_whole, reply.usage) == (False, Usage(100, 20))


def test_a_refusal_to_answer_is_an_empty_text(server: ModelServer, make: Ask) -> None:
    server.replies = [completes(None)]
    assert make().ask(REQUEST) == ChatReply("", Usage(100, 20))


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": None}, {"prompt_tokens": -5, "completion_tokens": -1}])
def test_tokens_that_are_not_told_count_nought(server: ModelServer, make: Ask, usage: object) -> None:
    server.replies = [says(200, {"choices": [{"message": {"content": "{}"}}], "usage": usage})]
    assert make().ask(REQUEST) == ChatReply("{}", Usage())


@pytest.mark.parametrize("style", ["openai", "anthropic"])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>welcome</html>",
        b"\xff\xfe",
        [],
        {},
        {"choices": []},
        {"choices": [{}]},
        {"choices": [{"message": {"content": 5}}]},
        {"content": "well"},
        {"content": [{"text": "well"}]},
        b'{"choices": [], "content": [], "other": ' + b"[" * 200_000,
    ],
)
def test_garbage_is_a_model_problem(server: ModelServer, make: Ask, style: Style, body: object) -> None:
    server.replies = [says(200, body)]
    with pytest.raises(ModelProblem, match="something other than a message"):
        make(style).ask(REQUEST)


@pytest.mark.parametrize("status", [429, 500, 529])
def test_a_server_that_is_overwhelmed_is_asked_again_later(
    server: ModelServer, make: Ask, slept: list[float], status: int
) -> None:
    server.replies = [says(status), says(status, Retry_After="4"), completes(DONE)]
    assert json.loads(make().ask(REQUEST).text) == DONE
    assert slept == [0.5, 4.0]
    assert len(server.asked) == 3


def test_one_that_failed_in_all_tries_is_left_alone_for_a_while(
    server: ModelServer, make: Ask, now: list[float]
) -> None:
    chat = make()
    server.replies = [says(503)]
    with pytest.raises(ModelProblem, match="status 503"):
        chat.ask(REQUEST)
    server.replies = [completes(DONE)]
    with pytest.raises(ModelProblem, match="tried again in 60 seconds"):
        chat.ask(REQUEST)
    assert len(server.asked) == 3
    now[0] += MODEL_REST_SECONDS
    assert json.loads(chat.ask(REQUEST).text) == DONE


def test_a_server_that_is_too_slow_is_a_model_problem(server: ModelServer, make: Ask, slept: list[float]) -> None:
    server.replies = [server.silence()]
    with pytest.raises(ModelProblem, match="did not respond in time"):
        make(timeout_seconds=0.1).ask(REQUEST)
    assert (slept, len(server.asked)) == ([], 1), "whoever is too slow once is not waited for again"


def test_a_server_that_is_down_is_a_model_problem(slept: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(ModelProblem, match="ConnectionRefusedError"):
        ChatEndpoint("openai", f"http://127.0.0.1:{port}", "otter-large", patience=Patience(slept.append)).ask(REQUEST)
    assert slept == [0.5, 2.0]


def test_half_a_character_does_not_keep_a_text_from_being_sent(server: ModelServer, make: Ask) -> None:
    make().ask(ChatRequest("Say.", "half a \ud800 pair, 日本 😀", SCHEMA))
    assert server.asked[0]["messages"][1]["content"] == "half a ? pair, 日本 😀"


@pytest.mark.parametrize("address", ["", "models.example", "https://me:pass@models.example"])
def test_an_address_that_cannot_be_asked_is_refused(address: str) -> None:
    with pytest.raises(ModelProblem, match="language model's endpoint") as caught:
        ChatEndpoint("anthropic", address, "otter-large")
    assert "pass@" not in str(caught.value)


def test_threads_may_share_it(make: Ask) -> None:
    chat, found = make(), []
    threads = [threading.Thread(target=lambda: found.append(chat.ask(REQUEST).usage)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [Usage(100, 20)] * 8
