"""Keeps the memory of a server that runs for weeks from growing with the number of its threads."""

from __future__ import annotations

import ctypes
import sys

from heldtrue.environment import read_variable

_ARENA_MAX, _MMAP_THRESHOLD = -8, -3
"""How glibc's mallopt() numbers them."""
_LARGE_BYTES = 256 * 1024
_CHOSEN_BY_USER = ("MALLOC_ARENA_MAX", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES", "LD_PRELOAD")


def keep_heap_in_one_piece() -> None:
    """Let all threads allocate from one heap, and hand large arrays back to the system as soon as they are free.

    glibc gives each thread a heap of its own and keeps what was freed there for that thread. With a dozen threads
    that all recall, as much again is held as is in use, and more with each hour. Threads that take turns for the
    interpreter gain nothing from it. Another allocator, or one whose user has tuned it, is left as it is.
    """
    if not sys.platform.startswith("linux") or any(map(read_variable, _CHOSEN_BY_USER)):
        return
    tune = getattr(ctypes.CDLL(None), "mallopt", None)
    if tune is not None:
        tune(_ARENA_MAX, 1)
        tune(_MMAP_THRESHOLD, _LARGE_BYTES)
