"""Homes to measure: made with an embedder of choice, their vectors stored before anything is timed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from heldtrue import Memory
from heldtrue.capabilities.call import Instance
from heldtrue.ports import Clock
from heldtrue.recall.index.embedding import keep_vectors
from heldtrue.wiring.instance import open_instance
from heldtrue.wiring.settings import SETTINGS_FILE

EMBEDDERS = ("none", "static", "quality")


def set_up(home: Path, *, embedder: str = "auto", floor: float | None = None, url: str = "heldtrue.db") -> None:
    """Write the settings of a home; what is in it stays."""
    home.mkdir(parents=True, exist_ok=True)
    lines = ["[storage]", f'url = "{url}"', "[recall]", f'vector_model = "{embedder}"']
    if floor is not None:
        lines.append(f"floor = {floor}")
    (home / SETTINGS_FILE).write_text("\n".join(lines) + "\n", "utf-8")


@contextmanager
def open_space(home: Path, *, clock: Clock | None = None) -> Iterator[Instance]:
    """A home, opened without a caller; `Memory.over` gives it one."""
    instance = open_instance(home, clock=clock)
    try:
        yield instance
    finally:
        instance.close()


def store_vectors(instance: Instance) -> int:
    """Embed now what the background would embed soon; how many documents that were."""
    embedder = instance.tools().embedder
    return keep_vectors(instance.store, embedder) if embedder is not None else 0


def what_is_missing(home: Path, embedder: str) -> str | None:
    """Why an embedder cannot be used here, in words; none if it can."""
    set_up(home, embedder=embedder)
    with open_space(home) as instance:
        return "; ".join(note.text for note in instance.tools().problems) or None


def ask_as_agent(instance: Instance, project: str) -> Memory:
    """An agent at work in a project: it is shown what is global and what is of that project."""
    return Memory.over(instance, agent="asker", project=project)
