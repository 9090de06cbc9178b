"""Make the virtual environment of a checkout, from the lock file, with nothing but Python and pip.

Run by the Makefile with whatever Python it found, so this file imports the standard library only.
"""

import fcntl
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
ENVIRONMENT = PROJECT / ".venv"
LOCK_FILE = PROJECT / "requirements" / "dev.txt"
PYPROJECT = PROJECT / "pyproject.toml"

READY_STAMP = ENVIRONMENT / "ready"
"""Names the project folder. Written last, so that it exists only when everything else does."""

INSTALLED_LOCK = ENVIRONMENT / "installed-lock"
"""Names the lock whose packages are in the environment, and the folder that their programs point into."""


class StepFailedError(Exception):
    """A step of the set-up failed; the message holds its output and what to do."""


def main() -> int:
    """Bring the environment up to date, saying one line per step; 0 when it is ready to use."""
    with only_one_at_a_time():
        if is_ready():
            return 0
        try:
            make_ready()
        except StepFailedError as failure:
            print(failure, file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            say("set-up was interrupted; the next make starts it again")
            return 130
    return 0


@contextmanager
def only_one_at_a_time() -> Iterator[None]:
    """Let a second set-up of the same checkout wait for the first instead of tearing it apart."""
    with PYPROJECT.open("rb") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def is_ready() -> bool:
    """Say whether the environment belongs to this folder and is newer than what it was made from."""
    if not READY_STAMP.exists() or READY_STAMP.read_text().strip() != str(PROJECT):
        return False
    return READY_STAMP.stat().st_mtime > max(path.stat().st_mtime for path in (PYPROJECT, LOCK_FILE))


def make_ready() -> None:
    """Install what is missing: everything where the lock changed, else the package alone."""
    started = time.monotonic()
    lock = f"{hashlib.sha256(LOCK_FILE.read_bytes()).hexdigest()} {PROJECT}"
    if not packages_match(lock):
        create_environment()
        install_packages()
        INSTALLED_LOCK.write_text(lock)
    READY_STAMP.unlink(missing_ok=True)
    install_project()
    READY_STAMP.write_text(f"{PROJECT}\n")
    say(f"ready after {time.monotonic() - started:.0f} s")


def packages_match(lock: str) -> bool:
    """Say whether the environment runs and holds just the packages of that lock, installed in this folder."""
    if not INSTALLED_LOCK.exists() or INSTALLED_LOCK.read_text() != lock:
        return False
    return subprocess.run([python_inside(), "-c", ""], capture_output=True, check=False).returncode == 0


def create_environment() -> None:
    """Start from an empty environment, so that nothing left over can hide a missing dependency."""
    say(f"creating .venv with Python {sys.version.split()[0]}")
    shutil.rmtree(ENVIRONMENT, ignore_errors=True)
    without_pip = [] if has_ensurepip() else ["--without-pip"]
    run(
        [sys.executable, "-m", "venv", *without_pip, str(ENVIRONMENT)],
        advice="Is the venv module installed? Try another interpreter: make PYTHON=/path/to/python3",
    )


def install_packages() -> None:
    """Install the locked packages, each checked against its hash."""
    count = sum("==" in line for line in LOCK_FILE.read_text().splitlines())
    say(f"installing the {count} locked packages, PostgreSQL for the tests among them; this is done once")
    run(
        [*pip(), "install", "--quiet", "--require-hashes", "--requirement", str(LOCK_FILE)],
        advice="pip could not install the locked packages. Can this machine reach its package index?",
    )


def install_project() -> None:
    """Install Heldtrue itself, editable, with the build backend that the lock brought."""
    say("installing heldtrue")
    run(
        [*pip(), "install", "--quiet", "--no-deps", "--no-build-isolation", "--editable", str(PROJECT)],
        advice="The package could not be built; the lines above say why.",
    )


def pip() -> list[str]:
    """The pip that installs into the environment.

    Some systems package venv without ensurepip: there the pip outside installs into the environment.
    """
    if (ENVIRONMENT / "bin" / "pip").exists():
        return [python_inside(), "-m", "pip", "--disable-pip-version-check"]
    return [sys.executable, "-m", "pip", "--python", python_inside(), "--disable-pip-version-check"]


def python_inside() -> str:
    """The interpreter of the environment."""
    return str(ENVIRONMENT / "bin" / "python")


def has_ensurepip() -> bool:
    """Say whether this Python can put a pip into a new environment."""
    return importlib.util.find_spec("ensurepip") is not None


def run(command: Sequence[str], *, advice: str) -> None:
    """Run one step; where it fails, raise what it printed together with what to do."""
    # pip may run as root in a container, where its warning about that helps nobody.
    environment = {**os.environ, "PIP_ROOT_USER_ACTION": "ignore"}
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, check=False
    )
    if done.returncode != 0:
        raise StepFailedError(f"$ {' '.join(command)}\n{done.stdout}\nheldtrue: set-up failed. {advice}")


def say(line: str) -> None:
    """Tell the person what happens now."""
    print(f"heldtrue: {line}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
