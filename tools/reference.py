"""Writes the reference pages, the index of verbs and the everyday tools from the declarations.

`--check` only says if they are current.
"""

from __future__ import annotations

import sys
from enum import Enum
from itertools import groupby
from pathlib import Path
from typing import Any, get_args, get_origin

from heldtrue.capabilities.parameters import Parameter
from heldtrue.capabilities.registry import Capability
from heldtrue.capabilities.verb_index import INDEX, all_capabilities, index_text
from heldtrue.surfaces.mcp.tools import WRITTEN_DOWN, write_down
from heldtrue.wiring.describing import describe_settings

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "docs" / "reference"
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


def _for_whom(capability: Capability) -> str:
    return f"For {capability.declared.audience}."


def describe_capability(capability: Capability) -> str:
    table = ["No arguments."]
    if capability.parameters:
        table = ["| argument | takes | default | meaning |", "| --- | --- | --- | --- |"]
        table += [
            f"| `{one.name}` | {name_type(one.type)} | {_default(one)} | {one.description} |"
            for one in capability.parameters
        ]
    answer = name_type(capability.answer)
    head = [
        f"## {capability.name}",
        "",
        capability.doc,
        "",
        f"{_for_whom(capability)} Effect: {capability.effect}. Answer: `{answer}`.",
        "",
    ]
    return "\n".join([*head, *table, ""])


def capabilities_page() -> str:
    intro = (
        "# Capabilities\n\n"
        f"{_MADE}\n\n"
        "Each is a method of `Memory` (`memory.learn`; `import` is `import_` there) and a command of `heldtrue`\n"
        "(`heldtrue learn`; underscores are dashes).\n\n"
    )
    return intro + "\n".join(describe_capability(one) for one in all_capabilities().values())


def settings_page() -> str:
    """Every key with its default, and honestly whether anything reads it yet."""
    lines = ["# Settings", "", _MADE, "", "One file, `heldtrue.toml`, in the home. An unknown key is an error that",
             "suggests the right one.", "",
             "`heldtrue serve` also reads the settings of `[server]` from environment variables, which win over the",
             "file: `HELDTRUE_SERVER_PORT=8080`, `HELDTRUE_SERVER_ALLOWED_HOSTS=memory.example,10.0.0.5`.",
             ""]  # fmt: skip
    for section, settings in groupby(describe_settings(), lambda one: one.section):
        lines += [f"## [{section}]", "", "| key | default | meaning |", "| --- | --- | --- |"]
        for one in settings:
            lines.append(f"| `{one.key}` | `{one.default}` | {one.meaning}{' *Reserved.*' if one.reserved else ''} |")
        lines.append("")
    lines += ["Keys marked *reserved* are checked now and take effect with the parts that use them (sessions, rendered",
              "files, vectors).", ""]  # fmt: skip
    return "\n".join(lines)


def generated() -> dict[Path, str]:
    """Every file that this tool writes, with what belongs into it."""
    return {
        REFERENCE / "capabilities.md": capabilities_page(),
        REFERENCE / "settings.md": settings_page(),
        INDEX: index_text(),
        WRITTEN_DOWN: write_down().decode(),
    }


def main(arguments: list[str]) -> int:
    """Write the files, or with --check say which are out of date."""
    stale = []
    REFERENCE.mkdir(parents=True, exist_ok=True)
    for path, text in generated().items():
        if not path.exists() or path.read_text("utf-8") != text:
            stale.append(str(path.relative_to(ROOT)))
            if "--check" not in arguments:
                path.write_text(text, "utf-8")
    if "--check" in arguments and stale:
        print(f"out of date: {', '.join(stale)}; run make reference")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
