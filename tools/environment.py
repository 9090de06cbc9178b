"""Make the virtual environment of a checkout, from a lock file, with nothing but Python and pip.

`run` installs what the service needs, `dev` everything that the tests, checks and benchmarks need: the second adds to
the first. The Makefile runs this file with whatever Python it found, so it imports the standard library only.
"""

import fcntl
import hashlib
import importlib.util
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

PROJECT = Path(__file__).resolve().parent.parent
ENVIRONMENT = PROJECT / ".venv"
PYPROJECT = PROJECT / "pyproject.toml"
READER = PROJECT / "packages" / "heldtrue-reader"
LOCK_FILES = {"run": PROJECT / "requirements" / "run.txt", "dev": PROJECT / "requirements" / "dev.txt"}
READY_STAMPS = {"run": ENVIRONMENT / "ready-to-run", "dev": ENVIRONMENT / "ready"}
"""Each names the project folder. Written last, so that one exists only when everything else does."""

INSTALLED_LOCK = ENVIRONMENT / "installed-lock"
"""Names the lock whose packages are in the environment, and the folder that their programs point into."""

QUIET_SECONDS = 5.0
"""Where lines cannot be rewritten, how long nothing is printed at most while a step is under way."""


class StepFailedError(Exception):
    """A step of the set-up failed; the message holds its output and what to do."""


def main(arguments: Sequence[str]) -> int:
    """Bring the environment up to date, saying what happens; 0 when it is ready to use."""
    if len(arguments) != 1 or arguments[0] not in LOCK_FILES:
        print("usage: python tools/environment.py run|dev", file=sys.stderr)
        return 2
    purpose = arguments[0]
    with only_one_at_a_time():
        try:
            if is_current("dev"):
                write_stamp("run")  # what the tests need includes what the service needs
            elif not is_current(purpose):
                make_ready(purpose)
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


def is_current(purpose: str) -> bool:
    """Say whether the environment works, is for this purpose and folder, and is newer than what it was made from."""
    stamp = READY_STAMPS[purpose]
    if not stamp.exists() or stamp.read_text().strip() != str(PROJECT) or not interpreter_starts():
        return False
    return stamp.stat().st_mtime > max(path.stat().st_mtime for path in (PYPROJECT, LOCK_FILES[purpose]))


def make_ready(purpose: str) -> None:
    """Install what is missing: everything where the lock changed, else the package alone."""
    started = time.monotonic()
    installed = find_installed()
    if installed != "dev" and installed != purpose:
        if installed is None:
            create_environment()
        # Until pip is done, nothing is known about what is inside.
        INSTALLED_LOCK.unlink(missing_ok=True)
        install_packages(purpose)
        INSTALLED_LOCK.write_text(name_lock(purpose))
    for stamp in READY_STAMPS.values():
        stamp.unlink(missing_ok=True)
    install_project()
    write_stamp("run")
    if find_installed() == "dev":
        write_stamp("dev")
    say(f"ready after {time.monotonic() - started:.0f} s")


def find_installed() -> str | None:
    """The purpose whose locked packages are in the environment; none where it does not run or has other ones."""
    if not INSTALLED_LOCK.exists() or not interpreter_starts():
        return None
    lock = INSTALLED_LOCK.read_text()
    return next((purpose for purpose in LOCK_FILES if name_lock(purpose) == lock), None)


def interpreter_starts() -> bool:
    """Say whether the interpreter of the environment is still there and works."""
    try:
        return subprocess.run([python_inside(), "-c", ""], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def name_lock(purpose: str) -> str:
    """A name for the locked packages of a purpose, installed in this folder."""
    return f"{hashlib.sha256(LOCK_FILES[purpose].read_bytes()).hexdigest()} {PROJECT}"


def write_stamp(purpose: str) -> None:
    """Note that the environment can be used for this purpose."""
    READY_STAMPS[purpose].write_text(f"{PROJECT}\n")


def create_environment() -> None:
    """Start from an empty environment, so that nothing left over can hide a missing dependency."""
    say(f"creating .venv with Python {sys.version.split()[0]}")
    shutil.rmtree(ENVIRONMENT, ignore_errors=True)
    without_pip = [] if has_ensurepip() else ["--without-pip"]
    run(
        [sys.executable, "-m", "venv", *without_pip, str(ENVIRONMENT)],
        advice="Is the venv module installed? Try another interpreter: make PYTHON=/path/to/python3",
    )


def install_packages(purpose: str) -> None:
    """Install the locked packages, each checked against its hash, and no others: a lock names all that is needed."""
    lock_file = LOCK_FILES[purpose]
    count = sum("==" in line for line in lock_file.read_text().splitlines())
    what = "that the service needs" if purpose == "run" else "for development, including PostgreSQL for the tests"
    say(f"installing the packages {what}; this is done once")
    # Python compiles a module when it first loads it, which takes half the time of compiling all of them now.
    options = ["--no-deps", "--no-compile", "--progress-bar", "off", "--require-hashes"]
    run(
        [*pip(), "install", *options, "--requirement", str(lock_file)],
        advice="pip could not install the locked packages. Can this machine reach its package index?",
        progress=Progress(count),
    )


def install_project() -> None:
    """Install Heldtrue and its reader, editable, with the build backend that the lock brought."""
    say("installing heldtrue")
    editable = [word for folder in (PROJECT, READER) for word in ("--editable", str(folder))]
    run(
        [*pip(), "install", "--quiet", "--no-deps", "--no-build-isolation", *editable],
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


class Progress:
    """What pip is doing, read from the lines it prints: one line that changes on a terminal, a few lines elsewhere."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._done = 0
        self._package = ""
        self._started = self._printed = time.monotonic()
        self._is_terminal = sys.stdout.isatty()
        self.quiet_seconds = QUIET_SECONDS

    def read(self, line: str) -> None:
        """Take in a line that pip printed."""
        step, _, rest = line.strip().partition(" ")
        if step == "Ignoring":  # a package for another Python or another system
            self._count -= 1
        elif match := re.match(r"(?:Collecting|Requirement already satisfied:) ([\w.-]+)", line):
            self._done += 1
            self._package = match[1]
            self.show(f"{self._done} of {self._count}: {self._package}")
        elif step == "Downloading" and (size := re.search(r"\(([\d.]+ [kMG]?B)\)", rest)):
            self.show(f"{self._done} of {self._count}: {self._package} ({size[1]})")
        elif line.startswith("Installing collected packages"):
            self.show(f"unpacking {self._count} packages", at_once=True)

    def wait(self) -> None:
        """Nothing was printed for a while: say that the step is still under way."""
        self.show(f"still at work after {time.monotonic() - self._started:.0f} s", at_once=True)

    def show(self, text: str, *, at_once: bool = False) -> None:
        if self._is_terminal:
            print(f"\r\033[Kheldtrue:   {text}", end="", flush=True)
        elif at_once or time.monotonic() - self._printed >= self.quiet_seconds:
            self._printed = time.monotonic()
            say(f"  {text}")

    def end(self) -> None:
        if self._is_terminal:
            print("\r\033[K", end="", flush=True)


def run(command: Sequence[str], *, advice: str, progress: Progress | None = None) -> None:
    """Run one step; where it fails, raise what it printed together with what to do."""
    # pip may run as root in a container, where its warning about that helps nobody.
    environment = {**os.environ, "PIP_ROOT_USER_ACTION": "ignore"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        printed = [*follow_lines(process.stdout, progress)]
    if progress is not None:
        progress.end()
    if process.returncode != 0:
        raise StepFailedError(f"$ {' '.join(command)}\n{''.join(printed)}\nheldtrue: set-up failed. {advice}")


def follow_lines(stream: IO[str], progress: Progress | None) -> Iterator[str]:
    """The lines of a process as it prints them, shown as progress on the way."""
    if progress is None:
        yield from stream
        return
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def pass_on() -> None:
        for line in stream:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=pass_on, daemon=True).start()
    while True:
        try:
            line = lines.get(timeout=progress.quiet_seconds)
        except queue.Empty:
            progress.wait()
            continue
        if line is None:
            return
        progress.read(line)
        yield line


def say(line: str) -> None:
    """Tell the person what happens now."""
    print(f"heldtrue: {line}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
