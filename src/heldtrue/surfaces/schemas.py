"""JSON Schemas for models: self-contained and short."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

import msgspec

from heldtrue.capabilities.registry import Capability

Schema = dict[str, Any]
_NULL = {"type": "null"}
_LOCAL = "#/$defs/"


def schema_of_request(capability: Capability) -> Schema:
    """All the arguments of a capability."""
    schema = _read(capability.request)
    for parameter in capability.parameters:
        if parameter.description:
            schema["properties"][parameter.name].setdefault("description", parameter.description)
    return schema


def schema_of_few(capability: Capability, descriptions: Mapping[str, str]) -> Schema:
    """The most important arguments, with short descriptions; the others are accepted but not listed."""
    schema = schema_of_request(capability)
    kept = {name: _shorten(schema["properties"][name], words) for name, words in descriptions.items()}
    return {"type": "object", "properties": kept, **_required(schema, kept)}


def schema_of_answer(capability: Capability) -> Schema:
    """The answer of a capability, in full."""
    return _read(capability.answer)


def outline_of_answer(capability: Capability) -> Schema:
    """The answer of a capability: only the names of its required fields."""
    return {"type": "object", **_required(schema := _read(capability.answer), schema["properties"])}


def _read(shape: Any) -> Schema:
    schema = msgspec.json.schema(shape)
    definitions = schema.pop("$defs", {})
    plain = _plain(schema, definitions, ())
    assert isinstance(plain, dict)
    return plain


def _required(schema: Schema, kept: Container[str]) -> Schema:
    names = [name for name in schema.get("required", ()) if name in kept]
    return {"required": names} if names else {}


def _plain(schema: Any, definitions: Mapping[str, Schema], within: tuple[str, ...]) -> Any:
    """A schema with all definitions inlined; a recursive one is left open."""
    if isinstance(schema, list):
        return [_plain(part, definitions, within) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_LOCAL)
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        if name in within:
            return {"type": "object", **rest}
        # What is said in its place says more than what is said of all of its kind.
        return {**_plain(definitions[name], definitions, (*within, name)), **rest}
    if "properties" in schema:
        inner = {name: _plain(field, definitions, within) for name, field in schema["properties"].items()}
        return _tidy({**schema, "properties": inner})
    return _tidy({key: _plain(value, definitions, within) for key, value in schema.items()})


def _tidy(schema: Schema) -> Schema:
    """Without the names of types, and without the null of optional arguments."""
    schema.pop("title", None)
    if not schema.get("required", True):
        del schema["required"]
    if "enum" in schema:
        schema.setdefault("type", "string")
    if "default" in schema and schema["default"] is None:
        del schema["default"]
        others = [choice for choice in schema.get("anyOf", ()) if choice != _NULL]
        if len(others) == 1:
            del schema["anyOf"]
            return {**others[0], **schema}
    return schema


_BOUNDS = frozenset("default description maximum maxItems minimum minItems minLength additionalProperties".split())


def _shorten(schema: Schema, words: str) -> Schema:
    """One argument in short form; the error for a wrong value says the rest."""
    short = {key: value for key, value in schema.items() if key not in _BOUNDS}
    if "items" in short:
        short["items"] = _shorten(short["items"], "")
    if "properties" in short:
        short["properties"] = {name: _shorten(field, "") for name, field in short["properties"].items()}
    return {**short, "description": words} if words else short
