"""The routes: one for each capability of the registry, and resource routes for common ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args, get_origin

import msgspec

from heldtrue.capabilities.declaration import FileUse, Route
from heldtrue.capabilities.parameters import bare_type, choices_of
from heldtrue.capabilities.registry import IDEMPOTENCY, Capability
from heldtrue.capabilities.verb_index import all_capabilities
from heldtrue.domain.errors import InvalidInput

FILES = "/v1/files"
"""Where files are sent to and fetched from."""


class Form(msgspec.Struct, frozen=True, kw_only=True):
    """A route of a capability."""

    method: str
    path: str
    """In OpenAPI and Starlette syntax; a name in braces is the argument of that name."""
    capability: Capability
    fixed: Mapping[str, Any] = {}
    """Arguments that the path fixes; `{id}` in a text is taken from the path."""
    renamed: Mapping[str, str] = {}
    """Names in the path that stand for an argument of another name."""
    made: frozenset[str] = frozenset()
    """Outcomes that created something; they are answered with 201."""

    file: FileUse | None = None
    """Whether the body of the request or of the answer is a file; arguments are then in the query."""

    @property
    def in_body(self) -> bool:
        return self.file is None and self.method in ("POST", "PUT", "PATCH")

    @property
    def in_path(self) -> tuple[str, ...]:
        return tuple(part[1:-1] for part in self.path.split("/") if part.startswith("{"))

    @property
    def taken(self) -> frozenset[str]:
        """The arguments that the path already gives."""
        return frozenset(self.fixed) | {self.renamed.get(name, name) for name in self.in_path}

    def arguments_of_path(self, values: Mapping[str, str]) -> dict[str, Any]:
        """The arguments from the path."""
        fixed = {name: _fill(value, values) for name, value in self.fixed.items()}
        named = {self.renamed.get(name, name): value for name, value in values.items() if not self._is_filled(name)}
        return fixed | named

    def _is_filled(self, name: str) -> bool:
        return any(f"{{{name}}}" in text for value in self.fixed.values() for text in _texts(value))


def _fill(value: Any, values: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [_fill(item, values) for item in value]
    for name, given in values.items():
        value = value.replace(f"{{{name}}}", given)
    return value


def _texts(value: Any) -> Iterable[str]:
    return value if isinstance(value, list) else (value,)


def forms() -> list[Form]:
    """Every route of every capability, in a fixed order."""
    every = sorted(all_capabilities().values(), key=lambda capability: capability.name)
    own = [_form(capability, Route("POST", f"/v1/{capability.name}")) for capability in every]
    natural = sorted(
        (_form(capability, route) for capability in every for route in capability.declared.routes), key=_sort_key
    )
    bodies = [
        _file_form(capability, capability.declared.file) for capability in every if capability.declared.file is not None
    ]
    return own + bodies + natural


def _file_form(capability: Capability, file: FileUse) -> Form:
    """The route that takes a file as its body, or answers with one."""
    path = f"{FILES}/{capability.verb}"
    if file is FileUse.READS:
        return Form(method="POST", path=path, capability=capability, file=file)
    declared = capability.declared
    # The name of a file says nothing to the server, unless its ending decides what is written.
    fixed = {"overwrite": False} | ({} if declared.file_endings else {declared.file_argument: capability.verb})
    return Form(method="GET", path=path, capability=capability, fixed=fixed, file=file)


def _form(capability: Capability, route: Route) -> Form:
    return Form(
        method=route.method,
        path=route.path,
        capability=capability,
        fixed=route.fixed,
        renamed=route.renamed,
        made=frozenset(capability.declared.creates),
    )


def _sort_key(form: Form) -> tuple[str, str]:
    return form.path, form.method


def arguments_of_query(form: Form, pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Arguments from a query string; a list argument can be repeated.

    A list of enum values can also be separated by commas; other texts may contain commas.
    """
    kinds = {parameter.name: bare_type(parameter.type) for parameter in form.capability.parameters}
    lists = {name: choices_of(get_args(kind)[0]) for name, kind in kinds.items() if get_origin(kind) is list}
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in lists:
            found.setdefault(name, []).extend(split_words(value) if lists[name] else [value])
        elif name in found:
            raise InvalidInput(f"{name} was specified twice", field=name, hint="specify it only once")
        else:
            found[name] = value
    return found


def split_words(text: str) -> list[str]:
    """Split values at commas."""
    return [word.strip() for word in text.split(",")]


def join_arguments(form: Form, values: dict[str, Any], path: Mapping[str, str], key: str | None) -> dict[str, Any]:
    """All arguments of a request; none may be given twice."""
    fixed = form.arguments_of_path(path)
    if doubled := sorted(values.keys() & fixed.keys()):
        raise InvalidInput(
            f"{doubled[0]} is already in the path of the URL",
            field=doubled[0],
            hint="remove it from the other arguments",
        )
    takes_key = any(parameter.name == IDEMPOTENCY for parameter in form.capability.parameters)
    if key is not None and takes_key:
        if values.get(IDEMPOTENCY) not in (None, key):
            raise InvalidInput("two idempotency keys were sent", field=IDEMPOTENCY, hint="send only one")
        values[IDEMPOTENCY] = key
    return values | fixed
