"""Which project a folder belongs to, and what that project is called."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from heldtrue.environment import read_variable

if TYPE_CHECKING:
    from heldtrue.domain.principal import Principal

WORK_VARIABLE = "CLAUDE_PROJECT_DIR"
"""Where Claude Code says which project it works in, to the hooks and the servers that it starts."""
_NO_ID = str.maketrans(dict.fromkeys(":*?%", " "))
_WORKTREES = ("worktrees", ".git")
_POINTER = "gitdir:"
_BACK = "gitdir"


def find_project(here: Path) -> Path:
    """The nearest folder upwards that is under version control, else the one we are in."""
    return next((one for one in (here, *here.parents) if (one / ".git").exists()), here)


def name_project(folder: Path) -> str | None:
    """The id of the project in a folder: the name of its repository, without what no id may hold.

    A second working tree of a repository is the same project. A home folder is none.
    """
    project = _repository_of(find_project(folder))
    if project == Path.home():
        return None
    name = "-".join(project.name.translate(_NO_ID).split())
    return name if name.isprintable() and name else None


def project_at_work(principal: Principal, told: str | None = None) -> str | None:
    """The project that an agent works in where none is named: its own if it has just one, else that of the folder.

    The folder is the one that a client names or tells, else the one that it has started us in. Hooks and the server ask
    here, so that both of one client mean the same project.
    """
    return principal.own_project or name_project(Path(read_variable(WORK_VARIABLE) or told or Path.cwd()))


def _repository_of(folder: Path) -> Path:
    """The folder of the repository that a working tree belongs to.

    Anybody can write a pointer to any repository into a folder that they hand out. It is believed if the repository
    knows this working tree: it keeps a pointer back.
    """
    pointer = folder / ".git"
    try:
        text = pointer.read_text("utf-8") if pointer.is_file() else ""
        if not text.startswith(_POINTER):
            return folder
        # Both pointers may be relative, each to where it stands.
        kept = (folder / text.removeprefix(_POINTER).strip()).resolve()
        if tuple(one.name for one in kept.parents[:2]) != _WORKTREES or not (kept / _BACK).is_file():
            return folder
        back = kept / (kept / _BACK).read_text("utf-8").strip()
        is_known = back.name == pointer.name and back.parent.resolve() == folder.resolve()
    except (OSError, ValueError, RuntimeError):  # not there, no text, no path, or links in a circle
        return folder
    return kept.parents[2] if is_known else folder
