"""The homes that this user has created or named. A home that came with a folder is not trusted.

A home decides where texts and keys are sent and what a model reads, so it must not be enough to unpack an
archive, or to clone a repository that has one inside.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from heldtrue.domain.errors import NotAllowed
from heldtrue.environment import read_variable

_LIST = "homes"


def refuse_unknown_home(home: Path) -> None:
    """Refuse a home that this user has neither created nor named."""
    if str(home.resolve()) not in _known_homes():
        raise NotAllowed(
            f"{home} was not created on this machine: it came with the folder",
            field="home",
            hint=f"if you trust its content, name it once: heldtrue --home {home} status",
        )


def note_home(home: Path) -> None:
    """Remember a home as this user's own. If that cannot be stored, the home must be named each time."""
    path = str(home.resolve())
    if path in _known_homes() or "\n" in path:
        return
    with suppress(OSError):
        _list_file().parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _list_file().open("a", encoding="utf-8", errors="surrogateescape") as file:
            file.write(f"{path}\n")


def _known_homes() -> frozenset[str]:
    try:
        return frozenset(_list_file().read_text("utf-8", "surrogateescape").splitlines())
    except OSError:
        return frozenset()


def _list_file() -> Path:
    return state_folder() / _LIST


def state_folder() -> Path:
    """Where this user's programs keep what is no setting and may be lost."""
    state = read_variable("XDG_STATE_HOME") or read_variable("LOCALAPPDATA")
    return (Path(state) if state else Path.home() / ".local" / "state") / "heldtrue"
