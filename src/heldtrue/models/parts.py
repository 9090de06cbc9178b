"""Finds what an optional extra brings. A package that we want for its files only is never imported."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from heldtrue.distribution import suggest_install
from heldtrue.domain.errors import ModelProblem
from heldtrue.environment import set_default


def find_package(name: str, *, extra: str) -> Path:
    """The folder of an installed package."""
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise ModelProblem(f"The package {name} is not installed.", hint=suggest_install(extra))
    return Path(spec.submodule_search_locations[0])


def find_file(folder: Path, inside: str, *, extra: str) -> Path:
    """A file that a package should hold."""
    path = folder / inside
    if not path.is_file():
        raise ModelProblem(f"The installed package {folder.name} has no file {inside}.", hint=suggest_install(extra))
    return path


def import_part(name: str, *, extra: str) -> Any:
    """A module that an extra brings."""
    try:
        return import_module(name)
    except ImportError as problem:
        raise ModelProblem(
            f"The package {name} is not installed or cannot be loaded.", hint=suggest_install(extra)
        ) from problem


def import_onnxruntime(*, extra: str) -> Any:
    """The module onnxruntime. Its builds report their use to their maker, unless they are told not to beforehand."""
    set_default("ORT_DISABLE_TELEMETRY", "1")
    return import_part("onnxruntime", extra=extra)


def read_version(folder: Path) -> str:
    """The version of a package, by the folder that an installer leaves beside it.

    Its metadata says the same, but to import what reads that costs more than a whole recall.
    """
    beside = sorted(folder.parent.glob(f"{folder.name}-*.dist-info"))
    if not beside:
        return "unknown"
    return beside[-1].name.removeprefix(f"{folder.name}-").removesuffix(".dist-info")


def load_tokenizer(path: Path, *, extra: str) -> Any:
    """The tokenizer of a model; what looks like one of its control tokens in a text is read as plain text."""
    tokenizers = import_part("tokenizers", extra=extra)
    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(path))
    except Exception as problem:  # the library raises nothing narrower
        raise ModelProblem(f"The tokenizer {path.name} cannot be read.", hint=suggest_install(extra)) from problem
    tokenizer.encode_special_tokens = True
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
