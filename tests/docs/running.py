"""Runs the code blocks of one document, in order, as a reader would."""

import doctest
import os
from pathlib import Path
from typing import Any

from tests.docs.console import Console, ConsoleMismatchError, read_steps
from tests.docs.markdown import Block, read_blocks


def run_document(markdown: str, name: str, folder: Path) -> None:
    """Run the blocks of one document in order: Python shares one namespace, commands share one folder."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    console = Console(folder, dict(os.environ))
    for block in read_blocks(markdown):
        if block.is_run and block.language in {"python", "pycon"}:
            run_python(block, name, namespace)
        elif block.is_run and block.language == "console":
            run_commands(block, name, console)


def run_python(block: Block, name: str, namespace: dict[str, Any]) -> None:
    if block.text.lstrip().startswith(">>>"):
        run_dialogue(block, name, namespace)
        return
    above = "\n" * (block.line - 1)  # so that a traceback names the line of the document
    exec(compile(above + block.text, name, "exec"), namespace)


def run_dialogue(block: Block, name: str, namespace: dict[str, Any]) -> None:
    dialogue = doctest.DocTestParser().get_doctest(block.text, namespace, name, name, block.line - 1)
    runner = doctest.DebugRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(dialogue, clear_globs=False)
    namespace.update(dialogue.globs)


def run_commands(block: Block, name: str, console: Console) -> None:
    try:
        for step in read_steps(block.text):
            console.run(step)
    except ConsoleMismatchError as mismatch:
        raise ConsoleMismatchError(f"{name}, block at line {block.line}: {mismatch}") from None
