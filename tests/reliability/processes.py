"""Starting real processes quickly: forked from a clean server that has loaded Heldtrue and opened nothing."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from multiprocessing.context import ForkServerProcess
from typing import Any

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["heldtrue.surfaces.sdk", "psycopg"])


def start(function: Callable[..., None], *arguments: Any) -> ForkServerProcess:
    process = CONTEXT.Process(target=function, args=arguments, daemon=True)
    process.start()
    return process


def join(processes: Sequence[ForkServerProcess], seconds: float = 120) -> list[int | None]:
    """Wait for all of them; the answer is how each ended."""
    for process in processes:
        process.join(seconds)
    return [process.exitcode for process in processes]
