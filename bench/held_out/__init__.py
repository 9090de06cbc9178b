"""Texts that nobody trains or tunes on, read in the formats of the training texts."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
_TRAINING = FOLDER.parents[1] / "packages" / "heldtrue-reader" / "training"


def _training(module: str) -> Any:
    """A module of the reader's training."""
    if str(_TRAINING) not in sys.path:
        sys.path.insert(0, str(_TRAINING))
    return import_module(module)


def read_pairs() -> list[Any]:
    """The facts of all files, each with the sentences that stand in a relation to it."""
    read = _training("labels").read_pairs
    return [fact for path in sorted((FOLDER / "pairs").glob("*.txt")) for fact in read(path.read_text("utf-8"))]


def read_items(name: str) -> list[Any]:
    """The labelled messages or snippets of a file."""
    items: list[Any] = _training("labels").read_units((FOLDER / "units" / f"{name}.txt").read_text("utf-8"))
    return items


def read_statements() -> list[tuple[str, str]]:
    """Single texts with what they are as a whole."""
    texts: list[tuple[str, str]] = _training("labels").read_statements((FOLDER / "statements.txt").read_text("utf-8"))
    return texts


def read_frames() -> dict[str, list[str]]:
    """Sentences around a statement, by what they make of it: repeated, denied or open."""
    frames: dict[str, list[str]] = _training("frames").read_frames(FOLDER / "frames.txt")
    return frames


def put(frame: str, statement: str) -> str:
    """A statement in a frame."""
    framed: str = _training("frames").put(frame, statement)
    return framed
