"""Environments to install into that need no package index: what is installed here already is found there."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Mapping
from pathlib import Path

PROJECT = Path(__file__).parents[2]


def create_environment(folder: Path) -> Path:
    """A virtual environment without a pip of its own that finds the packages of this one; its interpreter."""
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    inside = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    )
    # The folders themselves, and not what their own .pth files name: this copy of Heldtrue must not be found there.
    shared = [path for path in sys.path if path.endswith("site-packages")]
    (Path(inside.stdout.strip()) / "shared.pth").write_text("".join(f"{path}\n" for path in shared))
    return python


def offline(python: Path) -> Mapping[str, str]:
    """The variables of a shell where that environment is active and pip works with what is on this machine."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTHON", "HELDTRUE_"))}
    return kept | {
        "PATH": f"{python.parent}:{os.environ['PATH']}",
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_BUILD_ISOLATION": "false",  # pip reads it the other way round: build in this environment
        "PIP_NO_INDEX": "1",
        "PIP_ROOT_USER_ACTION": "ignore",
    }


def copy_project(target: Path) -> Path:
    """The files of this checkout that git knows or would add, as a clone has them."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (source := PROJECT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_bytes(source.read_bytes())
    return target
