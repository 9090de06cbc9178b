"""The description of the service (OpenAPI 3.1), made from the registry."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from heldtrue import __version__
from heldtrue.access.identity import NoCredential
from heldtrue.access.rates import TooOften
from heldtrue.capabilities.declaration import Group
from heldtrue.capabilities.following import Event
from heldtrue.capabilities.registry import IDEMPOTENCY, Capability
from heldtrue.domain.action import Effect
from heldtrue.domain.errors import HeldtrueError, InvalidInput, NotFound
from heldtrue.domain.limits import IDEMPOTENCY_KEY_CHARS_MAX, NAME_CHARS_MAX
from heldtrue.surfaces.rest.problems import PROBLEM_TYPE, ProblemDetails, describe
from heldtrue.surfaces.rest.routes import Form, forms

EXAMPLES = Path(__file__).parent / "examples.json"
"""For each common capability a request with its answer; tools/examples.py writes them from a real story."""
EFFECT = "x-heldtrue-effect"
"""What an operation does to a space: read, write or admin."""
_JSON = "application/json"
_REF = "#/components/schemas/{name}"
_ABOUT = """\
The memory that AI agents share and people can audit.

Every capability has an address of its own, `POST /v1/memory.VERB` with a JSON object of its arguments; the common ones
have natural forms beside it. Who asks is told by a bearer token. Moments that are answered are RFC 3339 in UTC; where
one is asked for, a date, a moment or words such as `3 days ago` will do. Ids can be shortened to eight characters or
more. Errors are problem details (RFC 9457).
"""
_REFUSALS = {
    "400": "The request is not well formed; field and hint say how to mend it.",
    "401": "No token, or one that is not known.",
    "403": "This principal may not do that.",
    "404": "There is nothing of that name for this caller.",
    "408": "The request took too long to arrive.",
    "409": "The state does not allow it, or the idempotency key was used for another request.",
    "413": "The request is too large.",
    "415": "The body is not JSON.",
    "421": "The server does not answer for that host.",
    "429": "Too many requests; Retry-After says when to come again.",
    "431": "The address and the headers together are too long.",
    "500": "Something unexpected happened inside.",
    "503": "Busy or not available; nothing was written.",
    "507": "The store cannot be written.",
}
_REFUSED: dict[str, HeldtrueError] = {
    "400": InvalidInput("limit is 0, and 1 is the least", field="limit", hint="At most this many results."),
    "401": NoCredential("no token was sent", hint="send the header Authorization: Bearer TOKEN"),
    "404": NotFound(
        "there is no memory '019e34f6'", field="memory", hint="find it with: memory.list, or memory.recall"
    ),
    "429": TooOften("agent:codex writes more than 60 times a minute", hint="try again in 1.5 seconds"),
}
_WAIT = {"Retry-After": {"description": "Seconds until it may be tried again.", "schema": {"type": "integer"}}}
_HEADERS: dict[str, dict[str, Any]] = {
    "401": {"WWW-Authenticate": {"description": "Bearer.", "schema": {"type": "string"}}},
    "408": _WAIT,
    "429": _WAIT,
    "503": _WAIT,
}
_TAG = {"ETag": {"description": "Names this answer, for If-None-Match.", "schema": {"type": "string"}}}
_PLACE = {"Location": {"description": "Where the new memory is.", "schema": {"type": "string"}}}
_REPLAYED = {
    "Idempotency-Replayed": {
        "description": "`true` where it was done before under this key, and this is the first answer again.",
        "schema": {"type": "string"},
    }
}
_SURROUNDINGS = ("Project", "Repo", "Session")


class _Told(msgspec.Struct, frozen=True):
    """A use of a capability that was kept as an example."""

    request: dict[str, Any]
    answer: dict[str, Any]


class _Parts(msgspec.Struct, frozen=True):
    """What operations are described with."""

    of_type: Mapping[Any, Any]
    schemas: Mapping[str, Any]
    examples: Mapping[str, _Told]


def describe_api() -> dict[str, Any]:
    """The whole document."""
    used = forms()
    types = list(dict.fromkeys([one for form in used for one in (form.capability.request, form.capability.answer)]))
    types += [Event, ProblemDetails]
    found, schemas = msgspec.json.schema_components(types, ref_template=_REF)
    parts = _Parts(dict(zip(types, found, strict=True)), schemas, read_examples())
    paths: dict[str, dict[str, Any]] = {}
    for form in used:
        paths.setdefault(form.path, {})[form.method.lower()] = _operation(form, parts)
    document = {
        "openapi": "3.1.0",
        "info": {
            "title": "Heldtrue",
            "version": __version__,
            "description": _ABOUT,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "tags": [{"name": name} for name in Group if any(form.capability.declared.group == name for form in used)],
        "security": [{"token": []}],
        "paths": paths | {"/v1/events": {"get": _stream(parts)}},
        "components": {
            "schemas": schemas,
            "examples": {
                _example_name(verb, part): {"summary": text, "value": getattr(told, part)}
                for verb, told in parts.examples.items()
                for part, text in (("request", "What is asked"), ("answer", "What is answered"))
            },
            "responses": {code: _refusal(code, text, parts) for code, text in _REFUSALS.items()},
            "parameters": {name: _surrounding(name) for name in _SURROUNDINGS} | {"IdempotencyKey": _key()},
            "securitySchemes": {"token": _scheme()},
        },
    }
    return _name_words(document)


def read_examples() -> dict[str, _Told]:
    """The examples by verb."""
    return msgspec.json.decode(EXAMPLES.read_bytes(), type=dict[str, _Told])


def _name_words(document: dict[str, Any]) -> dict[str, Any]:
    """Every set of words under its name, said once, instead of again in each place where one of them stands."""
    schemas = document["components"]["schemas"]
    words = {name: {**one, "type": "string"} for name, one in schemas.items() if "enum" in one}
    rest = {name: one for name, one in schemas.items() if name not in words}
    document["components"]["schemas"] = rest
    whole: dict[str, Any] = _refer_to(words, document)
    whole["components"]["schemas"] |= words
    return whole


def _refer_to(words: dict[str, Any], part: Any) -> Any:
    """A part of the document that refers to words by their name, where they have one; new ones are noted."""
    if isinstance(part, list):
        return [_refer_to(words, one) for one in part]
    if not isinstance(part, dict):
        return part
    whole = {key: _refer_to(words, value) for key, value in part.items()}
    if not isinstance(whole.get("enum"), list):
        return whole
    if not isinstance(name := whole.get("title"), str):
        return {**whole, "type": "string"}
    named = words.setdefault(name, {"title": name, "type": "string", "enum": whole["enum"]})
    assert named["enum"] == whole["enum"], f"two sets of words are called {name}"
    said = {key: value for key, value in whole.items() if key not in named}
    return {"$ref": _REF.format(name=name), **said}


def _operation(form: Form, parts: _Parts) -> dict[str, Any]:
    capability = form.capability
    told = parts.examples.get(capability.verb)
    described: dict[str, Any] = {
        "operationId": _operation_id(form),
        "summary": capability.summary,
        "description": capability.doc,
        "tags": [capability.declared.group],
        EFFECT: capability.effect.value,
        "parameters": _parameters(form, parts),
        "responses": _answers(form, parts) | {code: {"$ref": f"#/components/responses/{code}"} for code in _REFUSALS},
    }
    if form.in_body:
        content: dict[str, Any] = {"schema": _body_schema(form, parts)}
        if told is not None:
            content["examples"] = {"usual": _body_example(form, told)}
        # Also where every argument may be left out: what comes without its media type could be any page's.
        described["requestBody"] = {"required": True, "content": {_JSON: content}}
    return described


def _answers(form: Form, parts: _Parts) -> dict[str, Any]:
    """What may come back where nothing went wrong."""
    capability = form.capability
    told = parts.examples.get(capability.verb)
    is_made = told is not None and told.answer.get("outcome") in form.made
    found: dict[str, Any] = {}
    for code, text in {"200": "The answer.", "201": "Something new was made."}.items():
        if code == "201" and not form.made:
            continue
        content: dict[str, Any] = {"schema": parts.of_type[capability.answer]}
        if told is not None and is_made is (code == "201"):
            content["examples"] = {"usual": _example(capability.verb, "answer")}
        found[code] = {"description": text, "content": {_JSON: content}}
        headers = _PLACE if code == "201" and "memory" in _fields_of(capability.answer) else {}
        if headers := headers | (_REPLAYED if _takes_key(capability) else {}):
            found[code]["headers"] = headers
    if form.method == "GET":
        found["200"]["headers"] = _TAG
        found["304"] = {"description": "Nothing has changed since (If-None-Match).", "headers": _TAG}
    return found


def _fields_of(answer: Any) -> tuple[str, ...]:
    return getattr(answer, "__struct_fields__", ())


def _operation_id(form: Form) -> str:
    """The capability's verb for its own route; method and place for a natural form."""
    if form.path == f"/v1/{form.capability.name}":
        return form.capability.verb
    return "_".join([form.method.lower(), *(part.strip("{}") for part in form.path.strip("/").split("/"))])


def _example_name(verb: str, part: str) -> str:
    return f"{verb}.{part}"


def _example(verb: str, part: str) -> dict[str, str]:
    return {"$ref": f"#/components/examples/{_example_name(verb, part)}"}


def _body_example(form: Form, told: _Told) -> dict[str, Any]:
    if not form.taken:
        return _example(form.capability.verb, "request")
    return {"value": {name: value for name, value in told.request.items() if name not in form.taken}}


def _body_schema(form: Form, parts: _Parts) -> Any:
    if not form.taken:
        return parts.of_type[form.capability.request]
    whole = parts.schemas[form.capability.request.__name__]
    properties = {name: one for name, one in whole["properties"].items() if name not in form.taken}
    required = [name for name in whole.get("required", []) if name not in form.taken]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _parameters(form: Form, parts: _Parts) -> list[dict[str, Any]]:
    told = parts.examples.get(form.capability.verb)
    values = told.request if told is not None else {}
    properties = parts.schemas[form.capability.request.__name__]["properties"]
    found = [_path_parameter(form, name, values) for name in form.in_path]
    if not form.in_body:
        found += [
            _query_parameter(one.name, one.description, one.required, properties[one.name])
            | ({"example": values[one.name]} if one.name in values else {})
            for one in form.capability.parameters
            if one.name not in form.taken and one.name != IDEMPOTENCY and _fits_query(properties[one.name])
        ]
    found += [{"$ref": f"#/components/parameters/{name}"} for name in _SURROUNDINGS]
    return found + ([{"$ref": "#/components/parameters/IdempotencyKey"}] if _takes_key(form.capability) else [])


def _path_parameter(form: Form, name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    argument = form.renamed.get(name, name)
    described = {one.name: one.description for one in form.capability.parameters}
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": described.get(argument) or "The id of a project.",
        "schema": {"type": "string"},
        "example": values.get(argument, "shop"),
    }


def _query_parameter(name: str, text: str, required: bool, schema: Mapping[str, Any]) -> dict[str, Any]:
    """A query string knows no null: leaving it out says the same."""
    kinds = [one for one in schema.get("anyOf", []) if one.get("type") != "null"]
    plain = dict(schema) if not kinds else {**kinds[0]} if len(kinds) == 1 else {"anyOf": kinds}
    plain.pop("description", None)
    if plain.get("default", 0) is None:
        plain.pop("default")
    return {"name": name, "in": "query", "required": required, "description": text, "schema": plain}


def _fits_query(schema: Mapping[str, Any]) -> bool:
    """Whether a query string can say it: texts, numbers and lists of them, but no objects."""
    return '"object"' not in msgspec.json.encode(schema).decode()


def _stream(parts: _Parts) -> dict[str, Any]:
    """The events as they happen, which are no answer but a stream of them."""
    text = (
        "Server-sent events: id, event and data, which is one event (Event) as memory.events answers it. A stream that "
        "broke off is taken up after the id of the last event."
    )
    where = "The id of the last event seen; a browser sends it as Last-Event-ID by itself. Left out, it begins now."
    names = parts.schemas["EventsRequest"]["properties"]["names"]["anyOf"]
    shown = "".join(
        f"id: {one['id']}\nevent: {one['event']}\ndata: {msgspec.json.encode(one).decode()}\n\n"
        for one in parts.examples["events"].answer["events"]
    )
    content = {"schema": {"type": "string"}, "examples": {"usual": {"value": f"id: 1.0\nretry: 2000\n\n{shown}"}}}
    return {
        "operationId": "stream_events",
        "summary": "What happens, as it happens.",
        "description": text,
        "tags": [Group.FOLLOW],
        EFFECT: Effect.READ.value,
        "parameters": [
            {"name": "after", "in": "query", "description": where, "schema": {"type": "string"}, "example": "1.0"},
            {"name": "Last-Event-ID", "in": "header", "description": where, "schema": {"type": "string"}},
            {
                "name": "names",
                "in": "query",
                "description": "Only these events: given more than once, or with commas between them.",
                "schema": next(one for one in names if one.get("type") == "array"),
            },
            *({"$ref": f"#/components/parameters/{name}"} for name in _SURROUNDINGS),
        ],
        "responses": {"200": {"description": text, "content": {"text/event-stream": content}}}
        | {code: {"$ref": f"#/components/responses/{code}"} for code in _REFUSALS},
    }


def _takes_key(capability: Capability) -> bool:
    return capability.effect is Effect.WRITE


def _refusal(code: str, text: str, parts: _Parts) -> dict[str, Any]:
    content: dict[str, Any] = {"schema": parts.of_type[ProblemDetails]}
    if code in _REFUSED:
        content["example"] = msgspec.to_builtins(describe(_REFUSED[code]))
    refused: dict[str, Any] = {"description": text, "content": {PROBLEM_TYPE: content}}
    return refused | ({"headers": _HEADERS[code]} if code in _HEADERS else {})


def _scheme() -> dict[str, str]:
    text = (
        "The token of an agent, or of the owner. `heldtrue serve` shows the owner's once, when it first starts; "
        "memory.add_agent and memory.rotate_agent make those of agents."
    )
    return {"type": "http", "scheme": "bearer", "bearerFormat": "ht_ and 43 characters", "description": text}


def _surrounding(name: str) -> dict[str, Any]:
    return {
        "name": f"Heldtrue-{name}",
        "in": "header",
        "description": f"The {name.lower()} you work in; it must be one that your token allows.",
        # What the id part of a scope may be, as far as a header can hold it.
        "schema": {"type": "string", "minLength": 1, "maxLength": NAME_CHARS_MAX, "pattern": r"^[!-$&-)+-9;->@-~]+$"},
    }


def _key() -> dict[str, Any]:
    return {
        "name": "Idempotency-Key",
        "in": "header",
        "description": "Names this one request: sent again, it gets the first answer and changes nothing.",
        "schema": {"type": "string", "minLength": 1, "maxLength": IDEMPOTENCY_KEY_CHARS_MAX},
    }
