"""The analysis of texts in this process, for programs and commands; a service uses `analysis_children`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Given = TypeVar("Given")
Answer = TypeVar("Answer")


class InProcess:
    """Analyses texts in this process, where the work counter of `language.guard` limits it."""

    def run(self, work: Callable[[Given], Answer], given: Given, *, chars: int) -> Answer:  # noqa: ARG002 - the port
        return work(given)

    def run_apart(self, work: Callable[[Given], Answer], given: Given, *, seconds_more: float = 0.0) -> Answer:  # noqa: ARG002 - the port
        return work(given)

    def close(self) -> None:
        """Nothing is open."""
