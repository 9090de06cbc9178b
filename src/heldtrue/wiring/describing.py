"""What can be set, in words: from the classes of the settings and the sentence under each of their fields."""

from __future__ import annotations

from typing import Any

import msgspec

from heldtrue.wiring import settings
from heldtrue.wiring.toml_values import spell_toml

NOT_YET = {"sessions", "memory.max_memory_size", "memory.memory_path"}
"""Sections and keys that are checked now, and take effect with the parts that use them."""


NOT_SET = "not set"


class Setting(msgspec.Struct, frozen=True):
    """One key of the file."""

    section: str
    key: str
    """With the sections inside of the section, if it is in one: `decay.per_day`."""
    default: str
    """As it would stand in the file; `NOT_SET` where there is none."""
    meaning: str
    reserved: bool
    """Whether nothing reads it yet."""

    @property
    def path(self) -> str:
        """The key with its section: `recall.decay.per_day`."""
        return f"{self.section}.{self.key}"


def describe_settings() -> list[Setting]:
    """Every key, in the order of the file."""
    docs = _field_docs()
    return [
        one
        for section in msgspec.structs.fields(settings.Settings)
        for one in _describe(section.type, section.name, "", docs)
    ]


def _describe(shape: Any, section: str, prefix: str, docs: dict[tuple[str, str], str]) -> list[Setting]:
    found: list[Setting] = []
    for field in msgspec.structs.fields(shape):
        key = f"{prefix}{field.name}"
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            found += _describe(field.type, section, f"{key}.", docs)
            continue
        default = field.default_factory() if field.default is msgspec.NODEFAULT else field.default
        text = NOT_SET if default is None else spell_toml(msgspec.to_builtins(default))
        meaning = " ".join(docs.get((shape.__name__, field.name), "").split())
        found.append(Setting(section, key, text, meaning, bool(NOT_YET & {f"{section}.{key}", section})))
    return found


def _field_docs() -> dict[tuple[str, str], str]:
    """The sentence under each field of the settings classes."""
    import ast
    import inspect

    docs: dict[tuple[str, str], str] = {}
    for node in ast.parse(inspect.getsource(settings)).body:
        if not isinstance(node, ast.ClassDef):
            continue
        for field, after in zip(node.body, node.body[1:], strict=False):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(after, ast.Expr):
                docs[node.name, field.target.id] = str(ast.literal_eval(after.value)).strip()
    return docs
