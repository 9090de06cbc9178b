"""Runs the commands of a console block and compares what they print with what the document shows."""

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

COMMAND_TIMEOUT_SECONDS = 120.0
PROMPT = "$ "
RUNNABLE = re.compile(r"^(?:[A-Z_][A-Z0-9_]*=\S* )*(?:heldtrue|python3?)(?: |$)")

IDENTIFIER = r"\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[a-f]*[0-9])[0-9a-f]{8,64})\b"
TIME = (
    r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d| ?UTC)?)?"
    r"|\bjust now\b|\b\d+ ?[a-z]+ ago\b"
)
SPECIAL = re.compile(rf"(?P<any>\.\.\.|…)|(?P<time>{TIME})|(?P<identifier>{IDENTIFIER})|(?P<space>[ \t]+)")


@dataclass(frozen=True)
class Step:
    """A command of a console block and the output that the document shows for it, if it shows any."""

    command: str
    output: str


class ConsoleMismatchError(AssertionError):
    """A command in a document failed, or printed something else than the document shows."""


def read_steps(block: str) -> list[Step]:
    """The commands of a console block, each with the lines that follow it."""
    steps: list[Step] = []
    for line in block.splitlines():
        if line.startswith(PROMPT):
            steps.append(Step(line.removeprefix(PROMPT), ""))
        elif not steps:
            raise ConsoleMismatchError(f"a console block starts with a line that is no command: {line!r}")
        elif steps[-1].command.endswith("\\"):
            steps[-1] = Step(f"{steps[-1].command[:-1]}{line.removeprefix('> ').lstrip()}", "")
        else:
            steps[-1] = Step(steps[-1].command, f"{steps[-1].output}{line}\n")
    return steps


class Console:
    """The commands of one document, run one after another in one folder.

    An identifier differs from run to run. The first time a document shows one in an output, it stands for
    whatever was printed in its place; where the document repeats it, in a command or an output, it means the same.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._folder = folder
        self._environment = environment
        self._meaning: dict[str, str] = {}

    def run(self, step: Step) -> None:
        """Run one command; raise unless it succeeds and prints what the document shows."""
        if not RUNNABLE.match(step.command):
            raise ConsoleMismatchError(
                f"only heldtrue and python are run from documents: `{step.command}` "
                "needs `<!-- not run: reason -->` before its block, or a block of another language"
            )
        done = subprocess.run(
            self._translate(step.command),
            shell=True,
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=COMMAND_TIMEOUT_SECONDS,
            check=False,
        )
        if done.returncode != 0:
            raise ConsoleMismatchError(f"`{step.command}` ended with status {done.returncode}:\n{done.stdout}")
        if step.output.strip():
            self._compare(step, done.stdout)

    def _translate(self, command: str) -> str:
        for shown, printed in self._meaning.items():
            command = command.replace(shown, printed)
        return command

    def _compare(self, step: Step, printed: str) -> None:
        pattern, identifiers = self._pattern(tidy(step.output))
        match = re.fullmatch(pattern, tidy(printed), re.DOTALL)
        if match is None:
            raise ConsoleMismatchError(f"`{step.command}` shows\n{step.output}\nin the document but prints\n{printed}")
        self._meaning.update({shown: match[group] for shown, group in identifiers.items()})

    def _pattern(self, shown: str) -> tuple[str, dict[str, str]]:
        """A pattern for the output, and the names of its groups for identifiers not seen before."""
        parts: list[str] = []
        groups: dict[str, str] = {}
        end = 0
        for special in SPECIAL.finditer(shown):
            parts += [re.escape(shown[end : special.start()]), self._pattern_part(special, groups)]
            end = special.end()
        return "".join([*parts, re.escape(shown[end:])]), groups

    def _pattern_part(self, special: re.Match[str], groups: dict[str, str]) -> str:
        shown = special[0]
        if special["any"]:
            return ".*?"
        if special["time"]:
            return f"(?:{TIME})"
        if special["space"]:
            return r"[ \t]+"
        if shown in self._meaning:
            return re.escape(self._meaning[shown])
        if shown in groups:
            return f"(?P={groups[shown]})"
        groups[shown] = f"identifier_{len(groups)}"
        return f"(?P<{groups[shown]}>{IDENTIFIER})"


def tidy(output: str) -> str:
    """Output without trailing blanks and without empty lines around it."""
    return "\n".join(line.rstrip() for line in output.strip("\n").splitlines()).strip()
