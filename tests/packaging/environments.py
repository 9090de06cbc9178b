"""Environments to install into that need no package index: what is installed here already is found there."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Mapping
from importlib.metadata import distribution
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


def offline(**variables: str) -> Mapping[str, str]:
    """The variables of a shell in which pip asks no index and builds with what is on this machine."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTHON", "HELDTRUE_"))}
    return kept | {
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_BUILD_ISOLATION": "false",  # pip reads it the other way round: build in this environment
        "PIP_NO_INDEX": "1",
        "PIP_ROOT_USER_ACTION": "ignore",
        **variables,
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


def read_pins(lock: str) -> set[str]:
    """The packages of a lock file with their versions and conditions."""
    lines = (PROJECT / "requirements" / f"{lock}.txt").read_text().splitlines()
    return {line.rstrip(" \\") for line in lines if "==" in line and not line.lstrip().startswith("#")}


def name_packages(lock: str) -> set[str]:
    """The packages of a lock file, by their names alone."""
    return {pin.partition("==")[0] for pin in read_pins(lock)}


def collect_packages(lock: str, folder: Path) -> Path:
    """A folder with the packages of a lock file and no others, linked from this environment: what the lock brings."""
    folder.mkdir()
    for name in name_packages(lock) - {"tzdata"}:  # that one is for Windows
        installed = distribution(name)
        for top in {file.parts[0] for file in installed.files or [] if file.parts[0] not in ("..", "__pycache__")}:
            (folder / top).symlink_to(str(installed.locate_file(top)))
    return folder
