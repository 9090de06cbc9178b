"""Runs a Dockerfile without Docker: its steps in a folder that stands for the file system of the image.

The paths that the steps name begin with the folder instead. One stage is at that place at a time, as paths are written
into what is installed. Only the instructions that our Dockerfile uses are known; any other is an error.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

_INSIDE = re.compile(r"(?<![\w./])/(?=(?:build|opt|var)\b)")
"""The start of a path inside the image. What a step takes from the system (/bin/sh) is that of this machine."""


@dataclass(frozen=True)
class Instruction:
    name: str
    text: str

    @property
    def words(self) -> list[str]:
        """The words after the options; a JSON list as it is."""
        rest = re.sub(r"^(?:--\S+\s+)+", "", self.text)
        return json.loads(rest) if rest.startswith("[") else shlex.split(rest)

    @property
    def options(self) -> dict[str, str]:
        return dict(re.findall(r"--([\w-]+)=(\S+)", self.text.partition(" CMD ")[0].partition("[")[0]))


def read_dockerfile(text: str) -> list[Instruction]:
    """The instructions, in order."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [Instruction(*line.split(maxsplit=1)) for line in joined.splitlines()]


def copy_context(project: Path, target: Path) -> Path:
    """What Docker would be sent of a folder: all that .dockerignore does not leave out; the last pattern counts."""
    patterns = [line for line in (project / ".dockerignore").read_text().splitlines() if line and line[0] != "#"]
    for path in filter(Path.is_file, project.rglob("*")):
        name = path.relative_to(project)
        above = [name.as_posix(), *(parent.as_posix() for parent in name.parents)]
        is_ignored = False
        for pattern in patterns:
            wanted = pattern.removeprefix("!")
            candidates = name.parts if wanted.startswith("**/") else above
            if any(fnmatch(candidate, wanted.removeprefix("**/")) for candidate in candidates):
                is_ignored = not pattern.startswith("!")
        if not is_ignored:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target / name)
    return target


@dataclass
class Image:
    """What the steps of a Dockerfile make."""

    root: Path
    context: Path
    tools: Path
    outside: Mapping[str, str]
    """The variables that stand for the machine which builds: where its programs are, and how pip finds packages."""
    base: str = ""
    variables: dict[str, str] = field(default_factory=dict)
    folder: str = "/"
    stated: dict[str, Instruction] = field(default_factory=dict)
    """Instructions about the image itself: CMD, EXPOSE, HEALTHCHECK, USER, VOLUME."""

    def build(self, instructions: list[Instruction]) -> None:
        for instruction in instructions:
            match instruction.name:
                case "FROM":
                    self._begin_stage(instruction.words)
                case "WORKDIR":
                    self.folder = instruction.words[0]
                    self.place(self.folder).mkdir(parents=True, exist_ok=True)
                case "ENV":
                    name, _, value = instruction.text.partition("=")
                    self.variables[name] = self._expand(value)
                case "COPY":
                    self._copy(instruction)
                case "RUN":
                    self.run(["sh", "-ec", self._move_paths(instruction.text)])
                case "CMD" | "EXPOSE" | "HEALTHCHECK" | "USER" | "VOLUME":
                    self.stated[instruction.name] = instruction
                case other:
                    raise AssertionError(f"the instruction {other} is not known here")

    def place(self, path: str) -> Path:
        """Where a path of the image is on this machine."""
        return self.root / path.lstrip("/")

    @property
    def environment(self) -> dict[str, str]:
        """The variables of a process in the image."""
        inside = {name: self._move_paths(value) for name, value in self.variables.items()}
        path = f"{inside['PATH']}:" if "PATH" in inside else ""
        return {**self.outside, **inside, "PATH": f"{path}{self.tools}:/usr/bin:/bin"}

    def run(self, command: list[str]) -> str:
        done = subprocess.run(
            command, cwd=self.place(self.folder), env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{shlex.join(command)}\n{done.stdout}{done.stderr}"
        return done.stdout

    def _begin_stage(self, words: list[str]) -> None:
        if self.root.exists():
            self.root.rename(self.root.with_name("build"))
        self.base, self.folder, self.variables, self.stated = words[0], "/", {}, {}
        (self.root / "opt").mkdir(parents=True)
        (self.root / "var" / "lib").mkdir(parents=True)

    def _copy(self, instruction: Instruction) -> None:
        stage = instruction.options.get("from")
        source = self.root.with_name(stage) if stage else self.context
        *names, target = instruction.words
        into = self.place(target) if target.startswith("/") else self.place(self.folder) / target
        for name in names:
            path = source / name.lstrip("/")
            if path.is_dir():
                shutil.copytree(path, into, symlinks=True, dirs_exist_ok=True)
            else:
                goal = into / path.name if target.endswith("/") else into
                goal.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, goal)

    def _expand(self, value: str) -> str:
        """A value without the PATH of the base image, which is this machine's here."""
        return value.strip('"').removesuffix(":$PATH")

    def _move_paths(self, text: str) -> str:
        return _INSIDE.sub(f"{self.root}/", text)


def make_tools(folder: Path) -> Path:
    """The programs of a Python image: this interpreter and its pip, and a chown that anyone may call."""
    folder.mkdir()
    programs = {
        "python": f'exec {shlex.quote(sys.executable)} "$@"',
        "pip": f'exec {shlex.quote(sys.executable)} -m pip "$@"',
        "chown": f'echo "$@" >> {shlex.quote(str(folder / "chown.log"))}',
    }
    for name, line in programs.items():
        (folder / name).write_text(f"#!/bin/sh\n{line}\n")
        os.chmod(folder / name, 0o755)  # noqa: PTH101 - the same on a path that was just written
    return folder
