"""The OpenAPI document: well formed, complete in itself, and true of what is answered."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from heldtrue.capabilities.declaration import Group
from heldtrue.capabilities.verb_index import all_capabilities
from heldtrue.domain.job import JobState
from heldtrue.domain.memory import Kind, Staleness, Status, Strength, Visibility
from heldtrue.domain.records import ConflictKind, Disposition, SourceKind
from heldtrue.surfaces.rest.openapi import describe_api, read_examples
from heldtrue.surfaces.rest.routes import FILES, forms

PROJECT = Path(__file__).parents[2]
METHODS = ("get", "post", "put", "patch", "delete")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
FORMATS = FormatChecker(("uuid",))
FORMATS.checks("date-time")(lambda value: not isinstance(value, str) or _TIME.fullmatch(value) is not None)
NOT_ALWAYS = {
    ".target": "an entry may be about a view's name or a principal",
    ".to": "a link may lead to an IRI",
    "status.space": "a space has no id before its first write",
}
"""Where an id may stand, or something else."""


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return describe_api()


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method in METHODS:
            if method in methods:
                yield f"{method.upper()} {path}", methods[method]


def walk(part: Any) -> Iterator[dict[str, Any]]:
    """Every object of the document."""
    if isinstance(part, dict):
        yield part
    for child in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from walk(child)


def look_up(document: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """What a part says, or what it refers to."""
    while "$ref" in part:
        found: Any = document
        for name in part["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        part = found
    return part


def schema_of(document: dict[str, Any], verb: str, side: str) -> dict[str, Any]:
    """The schema of a request or of an answer, complete in itself."""
    operation = document["paths"][f"/v1/memory.{verb}"]["post"]
    described = operation["requestBody"] if side == "request" else operation["responses"]["200"]
    return {**described["content"]["application/json"]["schema"], "components": document["components"]}


@pytest.mark.covers("A25")
def test_the_document_is_openapi_3_1_and_each_schema_in_it_is_one(document: dict[str, Any]) -> None:
    definitions = pytest.importorskip("schemathesis.specs.openapi.definitions")
    meta = Draft202012Validator(definitions.OPENAPI_31)
    assert [f"{list(error.path)}: {error.message}" for error in meta.iter_errors(document)] == []
    broken = {**document, "paths": {**document["paths"], "/x": {"get": {"responses": {"all": {}}}}}}
    assert not meta.is_valid(broken)  # the control: it would notice
    schemas = [*document["components"]["schemas"].values()]
    schemas += [node["schema"] for node in walk(document) if isinstance(node.get("schema"), dict)]
    assert len(schemas) > 300
    for schema in schemas:
        Draft202012Validator.check_schema(schema)


def test_everything_that_is_referred_to_is_there_and_everything_there_is_used(document: dict[str, Any]) -> None:
    references = {node["$ref"] for node in walk(document) if isinstance(node.get("$ref"), str)}
    for reference in references:
        look_up(document, {"$ref": reference})
    kept = {f"#/components/{kind}/{name}" for kind, all_ in document["components"].items() for name in all_}
    unused = kept - references - {"#/components/securitySchemes/token", "#/components/schemas/Event"}
    assert unused == set()


def test_every_operation_has_a_group_a_summary_its_effect_and_a_name_of_its_own(document: dict[str, Any]) -> None:
    known = [tag["name"] for tag in document["tags"]]
    assert [name for name in Group if name in known] == known
    names = []
    for where, operation in operations(document):
        assert operation["summary"].endswith("."), where
        assert len(operation["tags"]) == 1, where
        assert operation["tags"][0] in known, where
        assert operation["x-heldtrue-effect"] in ("read", "write", "admin"), where
        names.append(operation["operationId"])
    assert len(set(names)) == len(names) > len(all_capabilities())
    used = {operation["tags"][0] for _, operation in operations(document)}
    assert used == set(known), "a group that nothing is in"


def test_a_token_is_asked_for_and_problems_are_described_once(document: dict[str, Any]) -> None:
    scheme = document["components"]["securitySchemes"]["token"]
    assert (scheme["type"], scheme["scheme"]) == ("http", "bearer")
    assert document["security"] == [{"token": []}]
    problem = "#/components/schemas/ProblemDetails"
    for code, refusal in document["components"]["responses"].items():
        assert refusal["content"]["application/problem+json"]["schema"] == {"$ref": problem}, code
    for where, operation in operations(document):
        refused = {code: response for code, response in operation["responses"].items() if code >= "400"}
        assert {"400", "401", "403", "404", "429", "503"} <= refused.keys(), where
        assert all(response == {"$ref": f"#/components/responses/{code}"} for code, response in refused.items()), where
    Draft202012Validator({"$ref": problem, "components": document["components"]}, format_checker=FORMATS).validate(
        document["components"]["responses"]["404"]["content"]["application/problem+json"]["example"]
    )


ENUMS = (Kind, Status, Visibility, Staleness, Strength, SourceKind, ConflictKind, Disposition, JobState)


@pytest.mark.parametrize("enum", ENUMS, ids=lambda enum: enum.__name__)
def test_a_closed_set_of_words_is_one_in_answers_too(document: dict[str, Any], enum: Any) -> None:
    named = document["components"]["schemas"][enum.__name__]
    assert named["enum"] == sorted(str(choice) for choice in enum)
    answers = {form.capability.answer.__name__ for form in forms()}
    reachable, waiting = set(), list(answers)
    while waiting:
        name = waiting.pop()
        if name not in reachable:
            reachable.add(name)
            schema = document["components"]["schemas"][name]
            waiting += [node["$ref"].rpartition("/")[2] for node in walk(schema) if "$ref" in node]
    assert enum.__name__ in reachable


@pytest.mark.covers("A25")
def test_every_common_operation_has_an_example_that_fits(document: dict[str, Any]) -> None:
    told = read_examples()
    natural = {form.capability.verb for form in forms() if not form.file and form.path != f"/v1/{form.capability.name}"}
    assert natural <= told.keys()
    for verb, example in told.items():
        for side, value in (("request", example.request), ("answer", example.answer)):
            validator = Draft202012Validator(schema_of(document, verb, side), format_checker=FORMATS)
            assert [f"{list(error.path)}: {error.message}" for error in validator.iter_errors(value)] == [], (
                verb,
                side,
            )
    for where, operation in operations(document):
        verb = where.rpartition("memory.")[2]
        if verb in told or (
            where.startswith("GET") and not where.startswith(f"GET {FILES}") and "/events" not in where
        ):
            good = [response for code, response in operation["responses"].items() if code in ("200", "201")]
            assert any("examples" in response["content"]["application/json"] for response in good), where
        if operation.get("requestBody") and verb in told:
            assert operation["requestBody"]["content"]["application/json"]["examples"], where


def test_the_examples_are_what_would_be_answered_now() -> None:
    words = [sys.executable, "tools/examples.py", "--check"]
    done = subprocess.run(words, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def unsaid(document: dict[str, Any], schema: dict[str, Any], value: Any, where: str) -> Iterator[str]:
    """Moments and ids in an answer of which the schema does not say that they are."""
    schema = look_up(document, schema)
    kinds = [look_up(document, choice) for choice in schema.get("anyOf", [schema])]
    match value:
        case dict():
            known: dict[str, Any] = next((kind["properties"] for kind in kinds if "properties" in kind), {})
            for name, inner in value.items():
                if name in known:
                    yield from unsaid(document, known[name], inner, f"{where}.{name}")
        case list():
            items: dict[str, Any] = next((kind["items"] for kind in kinds if isinstance(kind.get("items"), dict)), {})
            for inner in value:
                yield from unsaid(document, items, inner, f"{where}[]")
        case str():
            for form, shape in (("date-time", _TIME), ("uuid", _ID)):
                is_said = where.endswith(tuple(NOT_ALWAYS)) or any(kind.get("format") == form for kind in kinds)
                if shape.fullmatch(value) and not is_said:
                    yield f"{where} is a {form}: {value}"


def test_whatever_is_a_moment_or_an_id_in_an_answer_is_said_to_be_one(document: dict[str, Any], tmp_path: Path) -> None:
    """The story that tells every capability, each answer held against its schema."""
    from tests.service.test_congruence import serve_files_of, tell_story

    problems: list[str] = []
    seen: set[str] = set()
    server = serve_files_of(tmp_path)

    def ask(verb: str, **given: Any) -> Any:
        reply = server.ask("POST", f"/v1/memory.{verb}", given)
        if reply.status >= 300:
            return reply.json
        seen.add(verb)
        schema = schema_of(document, verb, "answer")
        validator = Draft202012Validator(schema, format_checker=FORMATS)
        problems.extend(f"{verb} {list(error.path)}: {error.message}" for error in validator.iter_errors(reply.json))
        problems.extend(unsaid(document, schema, reply.json, verb))
        return reply.json

    try:
        tell_story(ask, tmp_path)
    finally:
        server.stop()
    assert not problems, "\n".join(sorted(set(problems)))
    assert len(seen) > 0.7 * len(all_capabilities())
