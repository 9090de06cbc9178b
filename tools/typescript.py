"""Writes types and methods of the TypeScript client from the OpenAPI document. `--check` says if they are current."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from heldtrue.surfaces.rest.openapi import EFFECT, describe_api

Schema = Mapping[str, Any]
GENERATED = Path(__file__).parents[1] / "clients" / "typescript" / "src" / "generated.ts"
_OWN_ROUTE = "/v1/memory."
"""Each capability has one route of this form; the natural forms beside it are the same capabilities again."""
_BY_HAND = frozenset(("call", "events"))
"""Methods that the client itself has: events is a stream there, and `call("events")` one page of it."""
_PROBLEM = "ProblemDetails"
_PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_SAID_ELSEWHERE = frozenset(
    "title description default format pattern minimum maximum minLength maxLength minItems maxItems required".split()
)
"""What a schema may say beside its type: in words, or for the server to check."""
_HEAD = """\
// Made by tools/typescript.py from the OpenAPI document; edit the capabilities instead, then run make reference.

import type { CallOptions } from "./options.js";
"""
_CALLING = """\
export type OperationName = keyof Operations;
export type RequestOf<Name extends OperationName> = Operations[Name]["request"];
export type AnswerOf<Name extends OperationName> = Operations[Name]["answer"];

/** What follows the name of an operation: what it needs, or nothing where it needs nothing. */
export type Given<Name extends OperationName> =
  Record<never, never> extends RequestOf<Name>
    ? [request?: RequestOf<Name>, options?: CallOptions]
    : [request: RequestOf<Name>, options?: CallOptions];

/** What an operation does to a space. */
export type Effect = "read" | "write" | "admin";
"""
_CLASS = """\
/** One method for each capability. */
export abstract class Capabilities {
  /** Use a capability by its name. */
  abstract call<Name extends OperationName>(name: Name, ...given: Given<Name>): Promise<AnswerOf<Name>>;
"""


class UnknownShapeError(Exception):
    """The document says something that this tool does not know how to say in TypeScript."""


class Operation(NamedTuple):
    """A capability as the document tells of it."""

    name: str
    effect: str
    doc: str
    request: str
    answer: str
    needs_request: bool


class Speller:
    """Says the schemas of a document in TypeScript."""

    def __init__(self, document: Schema) -> None:
        self._schemas: dict[str, Schema] = document["components"]["schemas"]
        problem = _refs(document["components"]["responses"]["400"])
        self._names = {name: _PROBLEM if name in problem else _local_name(name) for name in self._schemas}
        if len(set(self._names.values())) < len(self._names):
            raise UnknownShapeError(f"two schemas have one name: {sorted(self._names.values())}")
        routes = _own_routes(document)
        self.operations = [self._operation(path, described) for path, described in routes]
        self._sent = self._reachable(_refs([_json_of(described["requestBody"]) for _, described in routes]))

    def _operation(self, path: str, described: Schema) -> Operation:
        body = described["requestBody"]
        return Operation(
            name=path.removeprefix(_OWN_ROUTE),
            effect=described[EFFECT],
            doc=described["description"],
            request=self.spell(_json_of(body)),
            answer=self.spell(_json_of(described["responses"]["200"])),
            # A body is always sent, but a caller may leave it to us where it may be empty.
            needs_request=any(self._schemas[name].get("required") for name in _refs(_json_of(body))),
        )

    def _reachable(self, names: Iterable[str]) -> set[str]:
        found: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += _refs(self._schemas[name])
        return found

    def declare_all(self) -> str:
        """Every named type, in the order of the names."""
        by_name = sorted((spelled, name) for name, spelled in self._names.items())
        return "\n".join(
            self._declare(spelled, self._schemas[name], sent=name in self._sent) for spelled, name in by_name
        )

    def _declare(self, name: str, schema: Schema, *, sent: bool) -> str:
        doc = _comment(schema.get("description", ""))
        if "properties" not in schema:
            return f"{doc}export type {name} = {self.spell(schema)};\n"
        _refuse_unknown(schema, "type", "properties", "additionalProperties")
        if not schema["properties"]:
            return f"{doc}export type {name} = Record<string, never>;\n"
        # The server leaves nothing out of what it answers, so a default only makes optional what is sent to it.
        required = set(schema.get("required", ())) if sent else set(schema["properties"])
        lines = [
            f"{_comment(_describe(one), '  ')}  {_key(key)}{'' if key in required else '?'}: {self.spell(one, sent)};\n"
            for key, one in schema["properties"].items()
        ]
        return f"{doc}export interface {name} {{\n{''.join(lines)}}}\n"

    def spell(self, schema: Schema, sent: bool = False) -> str:
        """A schema as a type; lists that are sent may be read-only ones."""
        if "$ref" in schema:
            _refuse_unknown(schema, "$ref")
            return self._names[_name_of(schema["$ref"])]
        if "enum" in schema:
            _refuse_unknown(schema, "enum", "type")
            return " | ".join(json.dumps(value) for value in schema["enum"])
        if "anyOf" in schema:
            _refuse_unknown(schema, "anyOf")
            return " | ".join(self.spell(one, sent) for one in schema["anyOf"])
        match schema.get("type"):
            case "array":
                return self._spell_list(schema, sent)
            case "object":
                _refuse_unknown(schema, "type", "additionalProperties")
                values = schema.get("additionalProperties", True)
                return f"Record<string, {self.spell(values, sent) if isinstance(values, Mapping) else 'unknown'}>"
            case str() as kind if kind in _PLAIN:
                _refuse_unknown(schema, "type")
                return _PLAIN[kind]
            case _:
                _refuse_unknown(schema)
                return "unknown"

    def _spell_list(self, schema: Schema, sent: bool) -> str:
        _refuse_unknown(schema, "type", "items", "prefixItems")
        prefix = "readonly " if sent else ""
        if "prefixItems" in schema:
            return f"{prefix}[{', '.join(self.spell(one, sent) for one in schema['prefixItems'])}]"
        inner = self.spell(schema.get("items", {}), sent)
        return f"{prefix}({inner})[]" if " " in inner else f"{prefix}{inner}[]"


def _own_routes(document: Schema) -> list[tuple[str, Schema]]:
    return [(path, one["post"]) for path, one in sorted(document["paths"].items()) if path.startswith(_OWN_ROUTE)]


def _json_of(described: Schema) -> Schema:
    schema: Schema = described["content"]["application/json"]["schema"]
    return schema


def _refs(part: Any) -> list[str]:
    """The names of all schemas that a part of the document refers to."""
    if isinstance(part, Mapping):
        own = [_name_of(part["$ref"])] if isinstance(part.get("$ref"), str) else []
        return own + [name for one in part.values() for name in _refs(one)]
    return [name for one in part for name in _refs(one)] if isinstance(part, list) else []


def _name_of(reference: str) -> str:
    return reference.rpartition("/")[2]


def _local_name(name: str) -> str:
    """The name of a type; where two modules have one of that name, the module's comes before it."""
    parts = name.split(".")
    return parts[-1] if len(parts) == 1 else parts[-2].title().replace("_", "") + parts[-1]


def _refuse_unknown(schema: Schema, *known: str) -> None:
    if unknown := schema.keys() - _SAID_ELSEWHERE - set(known):
        raise UnknownShapeError(f"{sorted(unknown)} in {json.dumps(schema)[:200]}")


def _key(name: str) -> str:
    return name if _NAME.fullmatch(name) else json.dumps(name)


def _describe(schema: Schema) -> str:
    """What is said about an argument, with what is taken where it is left out."""
    default = schema.get("default")
    said = [schema.get("description", "")]
    if default not in (None, []):
        said.append(f"Default: {json.dumps(default, ensure_ascii=False)}.")
    return " ".join(filter(None, said))


def _comment(text: str, indent: str = "") -> str:
    """A text as a comment for editors; none for no text."""
    if not text:
        return ""
    lines = text.replace("*/", "*\\/").split("\n")
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    return f"{indent}/**\n" + "".join(f"{indent} * {line}".rstrip() + "\n" for line in lines) + f"{indent} */\n"


def method_name(operation: str) -> str:
    """The name of a method, as TypeScript has them: `capture_session` is captureSession."""
    first, *rest = operation.split("_")
    return first + "".join(part.title() for part in rest)


def _spell_method(one: Operation) -> str:
    request = f"request: {one.request}{'' if one.needs_request else ' = {}'}"
    return (
        f"{_comment(one.doc, '  ')}"
        f"  {method_name(one.name)}({request}, options?: CallOptions): Promise<{one.answer}> {{\n"
        f'    return this.call("{one.name}", request, options);\n'
        "  }\n"
    )


def client_text() -> str:
    """The whole file."""
    speller = Speller(describe_api())
    operations = speller.operations
    listed = "".join(f"  {one.name}: {{ request: {one.request}; answer: {one.answer} }};\n" for one in operations)
    effects = "".join(f'  {one.name}: "{one.effect}",\n' for one in operations)
    methods = "\n".join(_spell_method(one) for one in operations if method_name(one.name) not in _BY_HAND)
    return "\n".join(
        [
            _HEAD,
            speller.declare_all(),
            f"/** What each operation takes and answers. */\nexport interface Operations {{\n{listed}}}\n",
            _CALLING,
            f"export const EFFECTS: {{ readonly [Name in OperationName]: Effect }} = {{\n{effects}}};\n",
            f"{_CLASS}\n{methods}}}\n",
        ]
    )


def main(arguments: list[str]) -> int:
    """Write the file, or with --check say if it is out of date."""
    current = GENERATED.exists() and GENERATED.read_text("utf-8") == client_text()
    if "--check" in arguments:
        if not current:
            print("clients/typescript/src/generated.ts is out of date; run make reference")
        return 0 if current else 1
    GENERATED.write_text(client_text(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
