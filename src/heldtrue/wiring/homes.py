"""Chooses the home: the one specified, the folder's, or the user's own. Every surface uses this module."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path

import msgspec

from heldtrue.domain.limits import PATH_FILE_BYTES_MAX
from heldtrue.environment import read_variable
from heldtrue.wiring.known_homes import KnownHome

HOME_VARIABLE = "HELDTRUE_HOME"
URL_VARIABLE = "HELDTRUE_URL"
"""The environment variable with the URL of a service to use instead of a home."""
HOME_FOLDER = ".heldtrue"
_IN_GIT = "heldtrue"
_POINTER = "gitdir:"


class HomeChoice(StrEnum):
    """Why a home is used."""

    OPTION = "option"
    VARIABLE = "variable"
    FOLDER = "folder"
    DEFAULT = "default"


class FoundHome(msgspec.Struct, frozen=True):
    """The home to use, and why."""

    path: Path
    choice: HomeChoice


def find_home(given: str | os.PathLike[str] | None = None, *, start: str | os.PathLike[str] | None = None) -> Path:
    """The home to use; a folder home that is not known on this machine is refused."""
    found = locate_home(given, start=start)
    if found.choice is HomeChoice.FOLDER:
        KnownHome(found.path).refuse_unknown()
    return found.path


def locate_home(
    given: str | os.PathLike[str] | None = None, *, start: str | os.PathLike[str] | None = None
) -> FoundHome:
    """The specified home, `HELDTRUE_HOME`, the home of the folder or of a folder above it, or the user's own home.

    `start` is the folder to look in; by default the current one.
    """
    if given:
        return FoundHome(Path(given).expanduser(), HomeChoice.OPTION)
    if named := read_variable(HOME_VARIABLE):
        return FoundHome(Path(named).expanduser(), HomeChoice.VARIABLE)
    own = default_home()
    try:
        here = Path(start or Path.cwd()).absolute()
    except FileNotFoundError:  # the current folder was deleted
        return FoundHome(own, HomeChoice.DEFAULT)
    for folder in (here, *here.parents):
        for home in (_home_in_git(folder), folder / HOME_FOLDER):
            if home is not None and home != own and home.is_dir():
                return FoundHome(home, HomeChoice.FOLDER)
    return FoundHome(own, HomeChoice.DEFAULT)


def default_home() -> Path:
    """The user's own home."""
    return Path.home() / HOME_FOLDER


def folder_home(folder: Path) -> Path:
    """The home that a folder would have.

    In a git work tree it is inside the folder of the repository itself: git overwrites and deletes files that it
    ignores, and never touches what it does not know in there.
    """
    for parent in (folder, *folder.parents):
        if (home := _home_in_git(parent)) is not None:
            return home
    return folder / HOME_FOLDER


def _home_in_git(folder: Path) -> Path | None:
    """The home in the repository of a work tree; None if the folder is not the top of one.

    All work trees of a repository have the same one.
    """
    pointer = folder / ".git"
    try:
        repository = pointer if pointer.is_dir() else _read_pointer(pointer, folder)
        if repository is None or not (repository / "HEAD").is_file():
            return None
        shared = repository / "commondir"
        if shared.is_file() and (named := _read_short(shared).strip()):
            repository = (repository / named).resolve()
    except (OSError, ValueError):
        return None
    return repository / _IN_GIT if repository.is_dir() else None


def _read_pointer(pointer: Path, folder: Path) -> Path | None:
    """Where the `.git` file of a further work tree or a submodule points to."""
    text = _read_short(pointer) if pointer.is_file() else ""
    return (folder / text.removeprefix(_POINTER).strip()).resolve() if text.startswith(_POINTER) else None


def _read_short(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(PATH_FILE_BYTES_MAX).decode("utf-8")
