"""How this Heldtrue is started again: what is written into a configuration, and what a person can copy."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

_PROGRAMS = ("heldtrue", "heldtrue.exe")


def find_start() -> list[str]:
    """What starts this Heldtrue from anywhere, with no PATH and whatever the folder is.

    The program beside the interpreter is what pip, pipx and uv install. Where there is none, the interpreter itself is
    named, with -P: the folder that a client is started in must not lend us its modules.
    """
    python = Path(sys.executable)
    folder = name_fully(python.parent)
    for name in _PROGRAMS:
        program = folder / name
        if program.is_file() and os.access(program, os.X_OK):
            return [str(program)]
    return [str(folder / python.name), "-P", "-m", "heldtrue"]


def name_fully(folder: Path) -> Path:
    """A folder by a name that means it from anywhere. Links in it are kept, unless only they tell what `..` means."""
    return folder.resolve() if ".." in folder.parts else folder.absolute()


def name_program() -> str:
    """What a person types to start this Heldtrue: its name where that finds it, else all of its path."""
    import shutil

    start = find_start()
    found = shutil.which(_PROGRAMS[0])
    is_known = found is not None and len(start) == 1 and Path(found).samefile(start[0])
    return _PROGRAMS[0] if is_known else shlex.join(start)
