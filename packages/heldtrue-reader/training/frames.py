"""Sentences around a statement that repeat it, deny it, or leave it open; `{}` is the statement without its stop."""

from __future__ import annotations

from pathlib import Path

_SMALL = frozenset(
    "The A An Our We My His Her Their All No Every Each It There In On At For If When After Before".split()
)


def read_frames(path: Path) -> dict[str, list[str]]:
    """The frames of a file by what they make of a statement: repeated, denied, open."""
    frames: dict[str, list[str]] = {}
    for line in path.read_text("utf-8").splitlines():
        label, _, frame = line.partition("\t")
        frames.setdefault(label, []).append(frame)
    return frames


def put(frame: str, statement: str) -> str:
    """A statement in a frame."""
    said = statement.strip().rstrip(".")
    if not frame.startswith("{}"):
        first = said.split(" ", 1)[0]
        if first in _SMALL:
            said = said[0].lower() + said[1:]
    return frame.replace("{}", said)
