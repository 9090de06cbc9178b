"""Find the project of a folder, and its id."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from heldtrue.environment import read_variable

if TYPE_CHECKING:
    from heldtrue.domain.principal import Principal

WORK_VARIABLE = "CLAUDE_PROJECT_DIR"
"""The variable in which Claude Code passes its project folder to the hooks and servers that it starts."""
_NO_ID = str.maketrans(dict.fromkeys(":*?%", " "))
_WORKTREES = ("worktrees", ".git")
_POINTER = "gitdir:"
_BACK = "gitdir"


def find_project(here: Path) -> Path:
    """The nearest parent folder under version control, otherwise the folder itself."""
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)


def name_project(folder: Path) -> str | None:
    """The id of the project in a folder: the name of its repository, without characters that ids cannot have.

    A second working tree of a repository is the same project. A home folder is not a project.
    """
    project = _repository_of(find_project(folder))
    if project == Path.home():
        return None
    name = "-".join(project.name.translate(_NO_ID).split())
    return name if name.isprintable() and name else None


def project_at_work(principal: Principal, project: str | None = None) -> str | None:
    """The default project of an agent: its own if it has exactly one, otherwise that of the folder.

    The folder is the one that the client passes, otherwise the one it started this process in. Hooks and the server
    both use this, so that they agree on the project.
    """
    return principal.own_project or name_project(folder_at_work(project))


def folder_at_work(told: str | None = None) -> Path:
    """The folder that a client works in: the one that it passes, otherwise the one it started this process in."""
    return Path(read_variable(WORK_VARIABLE) or told or Path.cwd())


def _repository_of(folder: Path) -> Path:
    """The folder of the repository that a working tree belongs to.

    Anybody can put a pointer to any repository into a folder they distribute. It is only trusted if the repository has
    a pointer back to this working tree.
    """
    pointer = folder / ".git"
    try:
        text = pointer.read_text("utf-8") if pointer.is_file() else ""
        if not text.startswith(_POINTER):
            return folder
        # Both pointers may be relative, each to where it stands.
        kept = (folder / text.removeprefix(_POINTER).strip()).resolve()
        if tuple(parent.name for parent in kept.parents[:2]) != _WORKTREES or not (kept / _BACK).is_file():
            return folder
        back = kept / (kept / _BACK).read_text("utf-8").strip()
        is_known = back.name == pointer.name and back.parent.resolve() == folder.resolve()
    except (OSError, ValueError, RuntimeError):  # not there, no text, no path, or links in a circle
        return folder
    return kept.parents[2] if is_known else folder
