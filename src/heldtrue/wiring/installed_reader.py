"""The reader of this process: opened when it is first needed, once, and shared by everything that asks it.

The engine may judge in child processes. They are given `judge_units` by its name, so that a parent that judges nothing
loads no weights.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from heldtrue.domain.judged import UnitInContext, UnitJudgement

if TYPE_CHECKING:
    from heldtrue.models.reader import Reader

_lock = threading.Lock()
_reader: Reader | None = None


def shared_reader() -> Reader:
    """The reader, or a `ModelProblem` that says what to install."""
    global _reader  # noqa: PLW0603 - one for each process
    with _lock:
        if _reader is None:
            from heldtrue.models.reader import open_reader
            from heldtrue.models.static import open_static

            _reader = open_reader(open_static())
        return _reader


def judge_units(units: Sequence[UnitInContext]) -> list[UnitJudgement]:
    """What the reader of this process says of units of texts."""
    return shared_reader().judge_units(units)


def _begin_anew() -> None:
    """In a forked child, a lock may be held by a thread that is gone."""
    global _lock, _reader
    _lock, _reader = threading.Lock(), None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
