"""A language model somewhere else: any server that answers `/v1/chat/completions` the way OpenAI's does, or Anthropic's
`/v1/messages`.

It is asked for JSON of a given schema. What comes back is what the server says, to be checked by whoever asked.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, Protocol

import msgspec

from heldtrue.domain.limits import MODEL_ANSWER_BYTES_MAX, MODEL_USAGE_TOKENS_MAX
from heldtrue.models.address import complete_url
from heldtrue.models.http import JsonEndpoint, NoAnswer, bearer, decode_answer
from heldtrue.models.outage import Outage
from heldtrue.models.packing import mend_text

Style = Literal["openai", "anthropic"]
WHAT = "language model's endpoint"
TAILS: Mapping[Style, str] = {"openai": "/chat/completions", "anthropic": "/messages"}
TOOL = "answer"
"""The name of the schema in a request."""
_MISFITS = (400, 422)
"""The HTTP statuses for a request with a field that the server does not know."""
_LIMITS = ("maxItems", "maxLength")
"""What a schema says about how long a part of the answer may be; some servers know it and some refuse it."""
_ANTHROPIC_VERSION = "2023-06-01"


class Usage(msgspec.Struct, frozen=True):
    """Tokens that were read and written."""

    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens)


class ChatReply(msgspec.Struct, frozen=True):
    """A model's answer: JSON, if it followed the instructions."""

    text: str
    usage: Usage = Usage()
    is_whole: bool = True
    """Whether the answer is complete, not cut off at the token limit."""


class ChatRequest(msgspec.Struct, frozen=True):
    """A request to a model: the instructions, the text, and the schema of the answer."""

    instructions: str
    text: str
    schema: Mapping[str, Any]


class Patience(NamedTuple):
    """How an endpoint waits: between two tries, and after a failure."""

    sleep: Callable[[float], None] = time.sleep
    outage: Outage | None = None


class ChatEndpoint:
    """Asks a server to complete a chat of one message. Threads may share it.

    `key_variable` is the name of the environment variable that holds the key; without one no key is sent.
    """

    def __init__(
        self,
        style: Style,
        url: str,
        model: str,
        key_variable: str | None = None,
        *,
        timeout_seconds: float = 60.0,
        max_tokens: int = 4_000,
        patience: Patience = Patience(),  # noqa: B008 - it has no state
    ) -> None:
        self._style = _STYLES[style]
        self._server = JsonEndpoint(
            complete_url(url, TAILS[style], what=f"a {WHAT}"),
            WHAT,
            key_variable=key_variable,
            make_headers=self._style.make_headers,
            answer_bytes_max=MODEL_ANSWER_BYTES_MAX,
            hint="start the endpoint, or check url, name and key_variable under [extraction] in heldtrue.toml",
            sleep=patience.sleep,
        )
        self._model = model
        self._timeout_seconds = timeout_seconds
        self._max_tokens = max_tokens
        self._outage = patience.outage
        self._form: int | None = None
        """The request form that the server has accepted; None before the first success."""

    @property
    def name(self) -> str:
        """The model's own name."""
        return self._model

    def ask(self, request: ChatRequest) -> ChatReply:
        """Return the model's answer. The request is sent in simpler forms until the server accepts one."""
        forms = range(len(self._style.forms)) if self._form is None else (self._form,)
        form, body = self._offer(request, forms)
        try:
            reply = self._style.read(body)
        except (ValueError, IndexError) as problem:
            raise self._server.problem("returned something other than a message") from problem
        self._form = form
        return reply

    def _offer(self, request: ChatRequest, forms: range | tuple[int]) -> tuple[int, bytes]:
        refused: dict[str, Any] | None = None
        for form in forms:
            body = self._style.write(request, self._style.forms[form])
            body = {"model": self._model, self._style.forms[form].limit: self._max_tokens, **body}
            if body == refused:
                continue  # a schema that sets no limits is the same without them
            try:
                return form, self._server.ask(body, timeout_seconds=self._timeout_seconds, outage=self._outage)
            except NoAnswer as problem:
                if problem.status not in _MISFITS or form == forms[-1]:
                    raise
                refused = body
        raise AssertionError("the last form is taken or raises")


# The two styles


class _Form(msgspec.Struct, frozen=True):
    """One form of a request."""

    shape: Literal["json_schema", "json_object", "text", "tool", "any"]
    """How the request specifies the shape of the answer."""
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    is_cold: bool = True
    """Whether the temperature is set to 0; the newest models of both vendors accept none."""
    has_limits: bool = True
    """Whether the schema includes its length limits, which stop a model that repeats itself."""

    def temperature(self) -> dict[str, Any]:
        return {"temperature": 0} if self.is_cold else {}


class _Style(Protocol):
    """The API of a vendor."""

    @property
    def forms(self) -> tuple[_Form, ...]:
        """The request forms, strictest first."""

    def make_headers(self, key: str) -> Mapping[str, str]: ...
    def write(self, request: ChatRequest, form: _Form) -> dict[str, Any]: ...
    def read(self, body: bytes) -> ChatReply:
        """The reply in an answer; raises `ValueError` or `IndexError` if there is none."""


def _tell_schema(request: ChatRequest) -> str:
    """The instructions with the schema, for a server that does not enforce the schema itself."""
    schema = msgspec.json.encode(request.schema).decode()
    return f"{mend_text(request.instructions)}\n\nAnswer with JSON of this schema and with nothing else:\n{schema}"


def _without_limits(schema: Any) -> Any:
    """A schema, or a part of one, without its length limits."""
    if isinstance(schema, Mapping):
        kept = ((name, part) for name, part in schema.items() if name not in _LIMITS or not isinstance(part, int))
        return {name: _without_limits(part) for name, part in kept}
    return [_without_limits(part) for part in schema] if isinstance(schema, list) else schema


def _usage(read: int | None, written: int | None) -> Usage:
    return Usage(*(min(max(0, tokens or 0), MODEL_USAGE_TOKENS_MAX) for tokens in (read, written)))


class _OpenAIMessage(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _OpenAIMessage
    finish_reason: str | None = None


class _OpenAITokens(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    usage: _OpenAITokens | None = None


class _OpenAI:
    forms = (
        _Form("json_schema"),
        _Form("json_schema", has_limits=False),
        _Form("json_object"),
        _Form("json_schema", "max_completion_tokens", is_cold=False, has_limits=False),
        _Form("text"),
    )

    def make_headers(self, key: str) -> Mapping[str, str]:
        return bearer(key)

    def write(self, request: ChatRequest, form: _Form) -> dict[str, Any]:
        body = form.temperature()
        instructions = mend_text(request.instructions) if form.shape == "json_schema" else _tell_schema(request)
        body["messages"] = [
            {"role": "system", "content": instructions},
            {"role": "user", "content": mend_text(request.text)},
        ]
        if form.shape == "json_schema":
            schema = request.schema if form.has_limits else _without_limits(request.schema)
            described = {"name": TOOL, "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": described}
        elif form.shape == "json_object":
            body["response_format"] = {"type": "json_object"}
        return body

    def read(self, body: bytes) -> ChatReply:
        completion = decode_answer(body, _Completion)
        choice, tokens = completion.choices[0], completion.usage or _OpenAITokens()
        return ChatReply(
            choice.message.content or "",
            _usage(tokens.prompt_tokens, tokens.completion_tokens),
            is_whole=choice.finish_reason != "length",
        )


class _Block(msgspec.Struct):
    type: str
    text: str = ""
    name: str = ""
    input: msgspec.Raw = msgspec.Raw()


class _AnthropicTokens(msgspec.Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None


class _AnthropicMessage(msgspec.Struct):
    content: list[_Block]
    stop_reason: str | None = None
    usage: _AnthropicTokens | None = None


class _Anthropic:
    forms = (_Form("tool"), _Form("tool", is_cold=False), _Form("any", is_cold=False))

    def make_headers(self, key: str) -> Mapping[str, str]:
        version = {"anthropic-version": _ANTHROPIC_VERSION}
        return {**version, "x-api-key": key} if key else version

    def write(self, request: ChatRequest, form: _Form) -> dict[str, Any]:
        body = form.temperature()
        must = form.shape == "tool"
        body["system"] = mend_text(request.instructions) if must else _tell_schema(request)
        body["messages"] = [{"role": "user", "content": mend_text(request.text)}]
        body["tools"] = [{"name": TOOL, "description": "Gives the answer.", "input_schema": request.schema}]
        body["tool_choice"] = {"type": "tool", "name": TOOL} if must else {"type": "auto"}
        return body

    def read(self, body: bytes) -> ChatReply:
        message = decode_answer(body, _AnthropicMessage)
        tokens = message.usage or _AnthropicTokens()
        called = [
            bytes(block.input).decode() for block in message.content if (block.type, block.name) == ("tool_use", TOOL)
        ]
        said = "".join(block.text for block in message.content if block.type == "text")
        return ChatReply(
            called[0] if called else said,
            _usage(tokens.input_tokens, tokens.output_tokens),
            is_whole=message.stop_reason not in ("max_tokens", "model_context_window_exceeded"),
        )


_STYLES: Mapping[Style, _Style] = {"openai": _OpenAI(), "anthropic": _Anthropic()}
