"""Writes the reference pages from the code: every capability and setting. `--check` only says if they are current."""

from __future__ import annotations

import ast
import inspect
import sys
from enum import Enum
from pathlib import Path
from typing import Any, get_args, get_origin

import msgspec

from holdfast.capabilities.all import CAPABILITIES
from holdfast.capabilities.registry import Capability, Parameter
from holdfast.wiring import settings as settings_module
from holdfast.wiring.settings import Settings

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"
_MADE = "<!-- Made by tools/reference.py from the code; edit the code instead. -->"


def name_type(hint: Any) -> str:
    """A type as a reader would say it."""
    if hasattr(hint, "__metadata__"):
        return name_type(hint.__origin__)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return " \\| ".join(f"`{member.value}`" for member in hint)
    arguments = get_args(hint)
    if get_origin(hint) is list:
        return f"list of {name_type(arguments[0])}"
    if arguments:
        return " \\| ".join(_name_choice(one) for one in arguments if one is not type(None))
    return getattr(hint, "__name__", str(hint))


def _name_choice(one: Any) -> str:
    return f"`{one}`" if isinstance(one, str) else name_type(one)


def _default(parameter: Parameter) -> str:
    if parameter.required:
        return "required"
    value = parameter.default.value if isinstance(parameter.default, Enum) else parameter.default
    return "" if value is None else f"`{value}`"


def describe_capability(capability: Capability) -> str:
    table = ["No arguments."]
    if capability.parameters:
        table = ["| argument | takes | default | meaning |", "| --- | --- | --- | --- |"]
        table += [
            f"| `{one.name}` | {name_type(one.type)} | {_default(one)} | {one.description} |"
            for one in capability.parameters
        ]
    answer = name_type(capability.answer)
    head = [f"## {capability.name}", "", capability.doc, "", f"Effect: {capability.effect}. Answer: `{answer}`.", ""]
    return "\n".join([*head, *table, ""])


def capabilities_page() -> str:
    intro = (
        "# Capabilities\n\n"
        f"{_MADE}\n\n"
        "Each is a method of `Memory` (`memory.learn`; `import` is `import_` there) and a command of `holdfast`\n"
        "(`holdfast learn`; underscores are dashes).\n\n"
    )
    return intro + "\n".join(describe_capability(one) for one in CAPABILITIES.values())


def _field_docs() -> dict[tuple[str, str], str]:
    """The sentence under each field of the settings classes."""
    docs: dict[tuple[str, str], str] = {}
    for node in ast.parse(inspect.getsource(settings_module)).body:
        if not isinstance(node, ast.ClassDef):
            continue
        for field, after in zip(node.body, node.body[1:], strict=False):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(after, ast.Expr):
                docs[node.name, field.target.id] = str(ast.literal_eval(after.value)).strip()
    return docs


NOT_YET = {"sessions", "memory.max_memory_size", "memory.memory_path"}


def settings_page() -> str:
    """Every key with its default, and honestly whether anything reads it yet."""
    docs = _field_docs()
    lines = ["# Settings", "", _MADE, "", "One file, `holdfast.toml`, in the home. An unknown key is an error that",
             "suggests the right one.", ""]  # fmt: skip
    for section in msgspec.structs.fields(Settings):
        lines += [f"## [{section.name}]", "", "| key | default | meaning |", "| --- | --- | --- |"]
        lines += _settings_rows(section.type, section.name, section.name, docs)
        lines.append("")
    lines += ["Keys marked *reserved* are checked now and take effect with the parts that use them (sessions, rendered",
              "files, vectors).", ""]  # fmt: skip
    return "\n".join(lines)


def _settings_rows(shape: Any, prefix: str, section: str, docs: dict[tuple[str, str], str]) -> list[str]:
    rows: list[str] = []
    for field in msgspec.structs.fields(shape):
        name = f"{prefix}.{field.name}"
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            rows += _settings_rows(field.type, name, section, docs)
            continue
        default = field.default_factory() if field.default is msgspec.NODEFAULT else field.default
        shown = default.value if isinstance(default, Enum) else default
        text = "none" if shown is None else str(shown).lower() if isinstance(shown, bool) else str(shown)
        mark = " *Reserved.*" if NOT_YET & {name, section} else ""
        meaning = " ".join(docs.get((shape.__name__, field.name), "").split()) + mark
        rows.append(f"| `{name.removeprefix(section + '.')}` | `{text}` | {meaning} |")
    return rows


def main(arguments: list[str]) -> int:
    """Write the pages, or with --check say which are out of date."""
    stale = []
    REFERENCE.mkdir(parents=True, exist_ok=True)
    for name, text in (("capabilities.md", capabilities_page()), ("settings.md", settings_page())):
        path = REFERENCE / name
        if not path.exists() or path.read_text("utf-8") != text:
            stale.append(name)
            if "--check" not in arguments:
                path.write_text(text, "utf-8")
    if "--check" in arguments and stale:
        print(f"out of date: {', '.join(stale)}; run make reference")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
