"""`heldtrue completion` prints the script of a shell; `heldtrue __complete` is what that script asks."""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

from heldtrue.surfaces.cli.completion.suggestions import NOTHING, Completion, complete_line
from heldtrue.surfaces.cli.options import Options
from heldtrue.surfaces.cli.screen import Screen
from heldtrue.surfaces.cli.text import shorten
from heldtrue.surfaces.safe_text import clean

_DESCRIPTION_CHARS = 60


def run_completion(arguments: dict[str, Any], options: Options) -> int:
    """Print the script that completes commands in a shell."""
    script = Path(__file__).with_name(f"heldtrue.{arguments['shell']}").read_text("utf-8")
    Screen(sys.stdout, options.color).write(script)
    return 0


def run_complete(words: list[str]) -> int:
    """Answer a shell: `files` or `words`, and then a line for each word, with its description behind a tab.

    The shell is the first word. For bash the rest of the line follows as one, because bash cuts it up in its own way.
    """
    shell, *typed = words or ["bash"]
    line = _split(typed[0] if typed else "")[1:] if shell == "bash" else typed
    try:
        with Path(os.devnull).open("w") as nowhere, redirect_stderr(nowhere):
            found = complete_line(line)
    except Exception:  # noqa: BLE001 - a key that is pressed must not print an error into the line that is typed
        found = NOTHING
    Screen(sys.stdout, "never").write(_render(found))
    return 0


def _split(line: str) -> list[str]:
    """The words of a line that is still being typed; a quote may be open."""
    for closing in ("", '"', "'"):
        try:
            words = shlex.split(line + closing)
        except ValueError:
            continue
        return [*words, ""] if not closing and line[-1:].isspace() else words
    return line.split(" ")


def _render(completion: Completion) -> str:
    lines = ["files" if completion.files and not completion.suggestions else "words"]
    lines += [
        f"{clean(suggestion.value)}\t{shorten(suggestion.description, _DESCRIPTION_CHARS)}"
        for suggestion in completion.suggestions
    ]
    return "".join(f"{line}\n" for line in lines)
