"""Arguments with several ids, or with line numbers of the last listing instead of ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from heldtrue.capabilities.registry import Capability
from heldtrue.domain.ids import ends_id, is_id, plain_reference
from heldtrue.surfaces.cli.arguments import Argument
from heldtrue.surfaces.cli.last_listing import find_lines, is_numbers, lists_views
from heldtrue.surfaces.cli.page import Line
from heldtrue.surfaces.cli.usage import UsageProblem


class Named(msgspec.Struct, frozen=True):
    """A request for each id, and the lines of the listing that were named by number."""

    requests: list[dict[str, Any]]
    lines: list[Line]


def read_references(capability: Capability, arguments: Sequence[Argument], values: dict[str, Any], store: str) -> Named:
    """One request per id; line numbers become ids."""
    lines: list[Line] = []
    several: str | None = None
    for argument in arguments:
        if argument.name not in values or not argument.names_ids:
            continue
        names = _read_names(capability, argument, values[argument.name], store, lines)
        if argument.shape.many:
            values = {**values, argument.name: names}
            continue
        if len(names) > 1 and several is not None:
            raise UsageProblem(
                f"{capability.verb} accepts several ids in only one argument",
                field=argument.name,
                hint="use a single id in the other argument",
            )
        several = argument.name if len(names) > 1 else several
        values = {**values, argument.name: names if len(names) > 1 else names[0]}
    if several is None:
        return Named([values], lines)
    return Named([{**values, several: name} for name in values[several]], lines)


def _read_names(capability: Capability, argument: Argument, value: Any, store: str, lines: list[Line]) -> list[str]:
    """The ids in a value; any other text unchanged."""
    pieces = value if isinstance(value, list) else _split(value)
    names: list[str] = []
    for piece in pieces:
        if not is_numbers(piece):
            names.append(piece)
            continue
        if capability.declared.irreversible:
            raise UsageProblem(
                f"{capability.verb} cannot be undone, so it does not accept line numbers",
                field=argument.name,
                hint="use an id",
            )
        assert argument.parameter.reference is not None
        what = argument.parameter.reference.what
        if "view" in what and not lists_views(store, besides=piece):
            names.append(piece)
            continue
        named = find_lines(piece, what, store)
        lines += named
        names += [line.id for line in named]
    return list(dict.fromkeys(names))


def _split(value: str) -> list[str]:
    """The pieces of a list of ids and line numbers; an IRI may contain a comma and is one piece."""
    pieces = [piece.strip() for piece in value.split(",")]
    return pieces if all(is_numbers(piece) or _is_name(piece) for piece in pieces) else [value]


def _is_name(piece: str) -> bool:
    plain = plain_reference(piece)
    return is_id(plain) or ends_id(plain)
