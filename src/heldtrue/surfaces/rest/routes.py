"""Which address stands for which capability: one made from the registry for each, and natural forms for the common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args, get_origin

import msgspec

from heldtrue.capabilities.declaration import Route
from heldtrue.capabilities.parameters import bare_type, choices_of
from heldtrue.capabilities.registry import IDEMPOTENCY, Capability
from heldtrue.capabilities.verb_index import all_capabilities
from heldtrue.domain.errors import InvalidInput


class Form(msgspec.Struct, frozen=True, kw_only=True):
    """One way to use a capability over HTTP."""

    method: str
    path: str
    """As OpenAPI and Starlette spell it; a name in braces is the argument of that name."""
    capability: Capability
    fixed: Mapping[str, Any] = {}
    """Arguments that the address itself stands for; `{id}` in a text is taken from the path."""
    renamed: Mapping[str, str] = {}
    """The argument that a name in the path stands for, where it is another."""
    made: frozenset[str] = frozenset()
    """Outcomes that made something new, which HTTP has a status of its own for."""

    @property
    def in_body(self) -> bool:
        return self.method in ("POST", "PUT", "PATCH")

    @property
    def in_path(self) -> tuple[str, ...]:
        return tuple(part[1:-1] for part in self.path.split("/") if part.startswith("{"))

    @property
    def taken(self) -> frozenset[str]:
        """The arguments that are not the sender's to give."""
        return frozenset(self.fixed) | {self.renamed.get(name, name) for name in self.in_path}

    def arguments_of_path(self, values: Mapping[str, str]) -> dict[str, Any]:
        """What the address says."""
        fixed = {name: _fill(value, values) for name, value in self.fixed.items()}
        named = {self.renamed.get(name, name): value for name, value in values.items() if not self._is_filled(name)}
        return fixed | named

    def _is_filled(self, name: str) -> bool:
        return any(f"{{{name}}}" in one for value in self.fixed.values() for one in _texts(value))


def _fill(value: Any, values: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [_fill(one, values) for one in value]
    for name, given in values.items():
        value = value.replace(f"{{{name}}}", given)
    return value


def _texts(value: Any) -> Iterable[str]:
    return value if isinstance(value, list) else (value,)


def forms() -> list[Form]:
    """Every form of every capability, in a fixed order."""
    every = sorted(all_capabilities().values(), key=lambda one: one.name)
    own = [_form(one, Route("POST", f"/v1/{one.name}")) for one in every]
    natural = sorted((_form(one, route) for one in every for route in one.declared.routes), key=_place)
    return own + natural


def _form(capability: Capability, route: Route) -> Form:
    return Form(
        method=route.method,
        path=route.path,
        capability=capability,
        fixed=route.fixed,
        renamed=route.renamed,
        made=frozenset(capability.declared.creates),
    )


def _place(form: Form) -> tuple[str, str]:
    return form.path, form.method


def arguments_of_query(form: Form, pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Arguments from a query string; one that may be given more than once is a list.

    Where it is a list of fixed words, commas do as well; other texts may hold commas of their own.
    """
    kinds = {one.name: bare_type(one.type) for one in form.capability.parameters}
    lists = {name: choices_of(get_args(kind)[0]) for name, kind in kinds.items() if get_origin(kind) is list}
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in lists:
            found.setdefault(name, []).extend(split_words(value) if lists[name] else [value])
        elif name in found:
            raise InvalidInput(f"{name} is given twice", field=name, hint="give it once")
        else:
            found[name] = value
    return found


def split_words(text: str) -> list[str]:
    """Words with commas between them."""
    return [word.strip() for word in text.split(",")]


def join_arguments(form: Form, given: dict[str, Any], path: Mapping[str, str], key: str | None) -> dict[str, Any]:
    """All arguments of a request; none of them may be said twice."""
    fixed = form.arguments_of_path(path)
    if doubled := sorted(given.keys() & fixed.keys()):
        raise InvalidInput(f"{doubled[0]} is in the address already", field=doubled[0], hint="leave it out")
    takes_key = any(one.name == IDEMPOTENCY for one in form.capability.parameters)
    if key is not None and takes_key:
        if given.get(IDEMPOTENCY) not in (None, key):
            raise InvalidInput("there are two idempotency keys", field=IDEMPOTENCY, hint="send one")
        given[IDEMPOTENCY] = key
    return given | fixed
