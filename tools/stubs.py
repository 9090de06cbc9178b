"""Writes the type stub of `Memory`, whose methods are made from the registry. `--check` only says if it is current."""

from __future__ import annotations

import sys
from enum import Enum
from pathlib import Path
from typing import Any, get_args, get_origin

import msgspec

from heldtrue.capabilities.parameters import Mark, Parameter
from heldtrue.capabilities.registry import Capability
from heldtrue.capabilities.verb_index import all_capabilities
from heldtrue.surfaces.sdk import method_name

_LINE_CHARS_MAX = 121
STUB = Path(__file__).parents[1] / "src" / "heldtrue" / "surfaces" / "sdk.pyi"
_HEAD = '''"""Made by tools/stubs.py from the registry; edit the capabilities instead."""

import os
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

'''
_ALSO = {Mark.MOMENT: "date", Mark.SPAN: "timedelta", Mark.PATH: "os.PathLike[str]"}
"""What Python takes beside a text; a datetime is a date too."""
_IMPORTED = {
    "heldtrue.capabilities.call": ("Call", "Instance"),
    "heldtrue.capabilities.following": ("Event",),
    "heldtrue.capabilities.registry": ("Capability",),
    "heldtrue.ports": ("Clock",),
    "heldtrue.surfaces.following": ("Following",),
}
_CLASS = '''
IN_MEMORY: str

def method_name(capability: Capability) -> str: ...
def add_methods() -> None: ...

class Memory:
    """A space, opened for one caller."""

    _call: Call
    def __init__(self, call: Call) -> None: ...
    @classmethod
    def open(
        cls,
        home: str | os.PathLike[str] | None = ...,
        *,
        agent: str | None = ...,
        project: str | None = ...,
        repo: str | None = ...,
        session: str | None = ...,
        clock: Clock | None = ...,
    ) -> Memory: ...
    @classmethod
    def over(
        cls, instance: Instance, *, agent: str | None = ..., channel: str = ..., **surroundings: str | None
    ) -> Memory: ...
    @classmethod
    def connect(
        cls,
        url: str | None = ...,
        token: str | None = ...,
        *,
        project: str | None = ...,
        repo: str | None = ...,
        session: str | None = ...,
    ) -> Memory:
        """A space on a server, with the same methods; who acts is whoever the token was given to."""

    def as_agent(self, name: str) -> Memory: ...
    @property
    def home(self) -> Path | None: ...
    def invoke(self, name: str, /, **arguments: Any) -> Any: ...
    def follow(self, *, after: str | None = ..., names: Sequence[EventNameName] | None = ...) -> Following[Event]:
        """What happens, event by event, as it happens: after the event of that id, or from now on.

        On a server, a connection that breaks is taken up where it was. It ends when it is closed, with the memory at
        the latest.
        """
    def close(self) -> None: ...
    def __enter__(self) -> Memory: ...
    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None: ...
'''


def spell_type(hint: Any) -> str:
    """A type as a stub says it: an enum may be given by its value, a struct as a mapping."""
    if hasattr(hint, "__metadata__"):
        return spell_type(hint.__origin__)
    if isinstance(hint, type) and not get_args(hint):
        return _spell_class(hint)
    arguments = get_args(hint)
    if get_origin(hint) is list:
        # Inside the class `list` is a method.
        return f"Sequence[{spell_type(arguments[0])}]"
    if get_origin(hint) is dict:
        return f"Mapping[{', '.join(map(spell_type, arguments))}]"
    if arguments and all(isinstance(one, str) for one in arguments):
        return "Literal[" + ", ".join(f'"{one}"' for one in arguments) + "]"
    return " | ".join(spell_type(one) for one in arguments) if arguments else str(hint.__name__)


def _spell_class(kind: type) -> str:
    if kind is type(None):
        return "None"
    if issubclass(kind, Enum):
        return f"{kind.__name__}Name"
    return "dict[str, Any]" if issubclass(kind, msgspec.Struct) else kind.__name__


def _spell_parameter(parameter: Parameter) -> str:
    spelled = spell_type(parameter.type)
    for mark, kind in _ALSO.items():
        if parameter.has(mark):
            spelled = spelled.replace("str", f"str | {kind}", 1)
    return f"        {parameter.name}: {spelled}{'' if parameter.required else ' = ...'},"


def spell_method(capability: Capability) -> str:
    """The stub of one capability's method, with its docstring."""
    positional = [one for one in capability.parameters if one.positional]
    keyword = [one for one in capability.parameters if not one.positional]
    lines = [f"    def {method_name(capability)}(", "        self,", *map(_spell_parameter, positional)]
    if keyword:
        lines += ["        *,", *map(_spell_parameter, keyword)]
    doc = capability.doc.replace("\n", "\n        ").replace("\n        \n", "\n\n")
    end = '\n        """' if "\n" in doc else '"""'
    return "\n".join([*lines, f"    ) -> {capability.answer.__name__}:", f'        """{doc}{end}'])


def _enums_in(hint: Any) -> set[type[Enum]]:
    if isinstance(hint, type) and issubclass(hint, Enum):
        return {hint}
    inner = [hint.__origin__] if hasattr(hint, "__metadata__") else get_args(hint)
    return set().union(*(_enums_in(one) for one in inner))


def _spell_aliases() -> str:
    """A name for the values of each enum that some argument takes."""
    hints = [parameter.type for one in all_capabilities().values() for parameter in one.parameters]
    enums = sorted(set().union(*map(_enums_in, hints)), key=lambda enum: enum.__name__)
    aliases = []
    for enum in enums:
        values = "".join(f'    "{member.value}",\n' for member in enum)
        aliases.append(f"{enum.__name__}Name = Literal[\n{values}]\n")
    return "".join(aliases)


def _spell_import(module: str, names: list[str]) -> str:
    line = f"from {module} import {', '.join(names)}\n"
    if len(line) <= _LINE_CHARS_MAX:
        return line
    return f"from {module} import (\n" + "".join(f"    {name},\n" for name in names) + ")\n"


def stub_text() -> str:
    """The whole stub."""
    names: dict[str, set[str]] = {module: set(given) for module, given in _IMPORTED.items()}
    for one in all_capabilities().values():
        names.setdefault(one.answer.__module__, set()).add(one.answer.__name__)
    imports = "".join(_spell_import(module, sorted(given, key=str.lower)) for module, given in sorted(names.items()))
    methods = "\n".join(spell_method(one) for one in all_capabilities().values())
    return f"{_HEAD}{imports}\n{_spell_aliases()}{_CLASS}{methods}\n"


def main(arguments: list[str]) -> int:
    """Write the stub, or with --check say if it is out of date."""
    current = STUB.exists() and STUB.read_text("utf-8") == stub_text()
    if "--check" in arguments:
        if not current:
            print("src/heldtrue/surfaces/sdk.pyi is out of date; run make reference")
        return 0 if current else 1
    STUB.write_text(stub_text(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
