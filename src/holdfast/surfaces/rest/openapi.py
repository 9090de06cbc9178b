"""The description of the service (OpenAPI 3.1), made from the registry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from holdfast import __version__
from holdfast.capabilities.registry import IDEMPOTENCY, Capability, Effect
from holdfast.domain.limits import IDEMPOTENCY_KEY_CHARS_MAX, NAME_CHARS_MAX
from holdfast.surfaces.rest.problems import PROBLEM_TYPE, ProblemDetails
from holdfast.surfaces.rest.routes import Form, forms

_REF = "#/components/schemas/{name}"
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
_SURROUNDINGS = ("Project", "Repo", "Session")


def describe_api() -> dict[str, Any]:
    """The whole document."""
    used = forms()
    types = list(dict.fromkeys([one for form in used for one in (form.capability.request, form.capability.answer)]))
    schemas, components = msgspec.json.schema_components([*types, ProblemDetails], ref_template=_REF)
    of_type = dict(zip([*types, ProblemDetails], schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for form in used:
        paths.setdefault(form.path, {})[form.method.lower()] = _operation(form, of_type, components)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Holdfast",
            "version": __version__,
            "description": "The memory that AI agents share and people can audit.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": paths | {"/v1/events": {"get": _stream()}},
        "components": {
            "schemas": components,
            "responses": {code: _refusal(text, of_type[ProblemDetails]) for code, text in _REFUSALS.items()},
            "parameters": {name: _surrounding(name) for name in _SURROUNDINGS} | {"IdempotencyKey": _key()},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": "hf_..."}},
        },
    }


def _operation(form: Form, of_type: Mapping[Any, Any], components: Mapping[str, Any]) -> dict[str, Any]:
    capability = form.capability
    answers = {"200": "The answer."} | ({"201": "Something new was made."} if form.made else {})
    answer = {"application/json": {"schema": of_type[capability.answer]}}
    described: dict[str, Any] = {
        "operationId": _operation_id(form),
        "summary": capability.summary,
        "description": capability.doc,
        "tags": [capability.effect.value],
        "parameters": _parameters(form, components),
        "responses": {code: {"description": text, "content": answer} for code, text in answers.items()}
        | {code: {"$ref": f"#/components/responses/{code}"} for code in _REFUSALS},
    }
    if form.method == "GET":
        described["responses"]["304"] = {"description": "Nothing has changed since (If-None-Match)."}
    if form.in_body:
        schema = _body_schema(form, of_type[capability.request], components)
        # Also where every argument may be left out: what comes without its media type could be any page's.
        described["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    return described


def _operation_id(form: Form) -> str:
    """The capability's verb for its own route; method and place for a natural form."""
    if form.path == f"/v1/{form.capability.name}":
        return form.capability.verb
    return "_".join([form.method.lower(), *(part.strip("{}") for part in form.path.strip("/").split("/"))])


def _body_schema(form: Form, schema: Any, components: Mapping[str, Any]) -> Any:
    if not form.taken:
        return schema
    whole = components[form.capability.request.__name__]
    properties = {name: one for name, one in whole["properties"].items() if name not in form.taken}
    required = [name for name in whole.get("required", []) if name not in form.taken]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _parameters(form: Form, components: Mapping[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in form.in_path
    ]
    if not form.in_body:
        properties = components[form.capability.request.__name__]["properties"]
        found += [
            _query_parameter(one.name, one.description, one.required, properties[one.name])
            for one in form.capability.parameters
            if one.name not in form.taken and one.name != IDEMPOTENCY and _fits_query(properties[one.name])
        ]
    found += [{"$ref": f"#/components/parameters/{name}"} for name in _SURROUNDINGS]
    return found + ([{"$ref": "#/components/parameters/IdempotencyKey"}] if _takes_key(form.capability) else [])


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


def _stream() -> dict[str, Any]:
    """The events as they happen, which are no answer but a stream of them."""
    text = "Server-sent events: id, event and data, which is one event as memory.events answers it."
    where = "The id of the last event seen; a browser sends it as Last-Event-ID by itself."
    return {
        "operationId": "stream_events",
        "summary": "What happens, as it happens.",
        "description": text,
        "tags": ["read"],
        "parameters": [
            {"name": "after", "in": "query", "description": where, "schema": {"type": "string"}},
            {"name": "Last-Event-ID", "in": "header", "description": where, "schema": {"type": "string"}},
            {
                "name": "names",
                "in": "query",
                "description": "Only these events.",
                "schema": {"type": "array", "items": {"type": "string"}},
            },
        ],
        "responses": {"200": {"description": text, "content": {"text/event-stream": {"schema": {"type": "string"}}}}}
        | {code: {"$ref": f"#/components/responses/{code}"} for code in _REFUSALS},
    }


def _takes_key(capability: Capability) -> bool:
    return capability.effect is Effect.WRITE


def _refusal(text: str, schema: Any) -> dict[str, Any]:
    return {"description": text, "content": {PROBLEM_TYPE: {"schema": schema}}}


def _surrounding(name: str) -> dict[str, Any]:
    return {
        "name": f"Holdfast-{name}",
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
