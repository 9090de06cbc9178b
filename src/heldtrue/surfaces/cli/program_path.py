"""The command that starts this Heldtrue, for configuration files and for people to copy."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

_PROGRAMS = ("heldtrue", "heldtrue.exe")


def find_start() -> list[str]:
    """The command that starts this Heldtrue from any folder, without PATH.

    pip, pipx and uv install a program beside the interpreter. Without one, the interpreter is used, with -P: modules
    in the folder where a client starts it must not be imported.
    """
    python = Path(sys.executable)
    folder = name_fully(python.parent)
    for name in _PROGRAMS:
        program = folder / name
        if program.is_file() and os.access(program, os.X_OK):
            return [str(program)]
    return [str(folder / python.name), "-P", "-m", "heldtrue"]


def name_fully(folder: Path) -> Path:
    """The absolute path of a folder. Links are not resolved, unless the path has a `..`."""
    return folder.resolve() if ".." in folder.parts else folder.absolute()


def name_program() -> str:
    """What a person types to start this Heldtrue: its name if PATH has it, otherwise its full path."""
    import shutil

    start = find_start()
    found = shutil.which(_PROGRAMS[0])
    is_known = found is not None and len(start) == 1 and Path(found).samefile(start[0])
    return _PROGRAMS[0] if is_known else shlex.join(start)
