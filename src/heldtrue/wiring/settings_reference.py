"""Every setting with its default and its meaning, read from the settings classes and the sentence under each field."""

from __future__ import annotations

from typing import Any

import msgspec

from heldtrue.wiring import settings
from heldtrue.wiring.toml_values import spell_toml

NOT_SET = "not set"


class Setting(msgspec.Struct, frozen=True):
    """One key of the file."""

    section: str
    key: str
    """With the subsection it is in, if any: `decay.per_day`."""
    default: str
    """As the file would have it; `NOT_SET` if there is none."""
    meaning: str

    @property
    def path(self) -> str:
        """The key with its section: `recall.decay.per_day`."""
        return f"{self.section}.{self.key}"


def describe_settings() -> list[Setting]:
    """Every key, in the order of the file."""
    sentences = _field_sentences()
    return [
        setting
        for section in msgspec.structs.fields(settings.Settings)
        for setting in _describe_section(section.type, section.name, "", sentences)
    ]


def _describe_section(shape: Any, section: str, prefix: str, sentences: dict[tuple[str, str], str]) -> list[Setting]:
    described: list[Setting] = []
    for field in msgspec.structs.fields(shape):
        key = f"{prefix}{field.name}"
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            described += _describe_section(field.type, section, f"{key}.", sentences)
            continue
        value = field.default_factory() if field.default is msgspec.NODEFAULT else field.default
        default = NOT_SET if value is None else spell_toml(msgspec.to_builtins(value))
        meaning = " ".join(sentences.get((shape.__name__, field.name), "").split())
        described.append(Setting(section, key, default, meaning))
    return described


def _field_sentences() -> dict[tuple[str, str], str]:
    """The sentence under each field of the settings classes, by class and field."""
    import ast
    import inspect

    sentences: dict[tuple[str, str], str] = {}
    for node in ast.parse(inspect.getsource(settings)).body:
        if not isinstance(node, ast.ClassDef):
            continue
        for field, following in zip(node.body, node.body[1:], strict=False):
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and isinstance(following, ast.Expr)
            ):
                sentences[node.name, field.target.id] = str(ast.literal_eval(following.value)).strip()
    return sentences
