"""Keep the memory use of a long-running server from growing with the number of its threads."""

from __future__ import annotations

import ctypes
import sys

from heldtrue.environment import read_variable

_ARENAS, _MMAP_THRESHOLD = -8, -3
"""Parameter numbers of glibc's mallopt()."""
_MMAP_FROM = 256 * 1024
"""The size in bytes from which an array gets memory of its own, which is returned when the array is freed."""
_CHOSEN_BY_USER = ("MALLOC_ARENA_MAX", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES", "LD_PRELOAD")


def keep_heap_in_one_piece() -> None:
    """Let all threads allocate from one heap, and return large arrays to the system as soon as they are free.

    glibc gives each thread its own heap and reuses freed memory only there. With a dozen threads that all recall, this
    doubles the memory use, and it grows with time. Threads that share one interpreter lock gain nothing from separate
    heaps. Other allocators, and a glibc that the user has tuned, are not changed.
    """
    if not sys.platform.startswith("linux") or any(map(read_variable, _CHOSEN_BY_USER)):
        return
    tune = getattr(ctypes.CDLL(None), "mallopt", None)
    if tune is not None:
        tune(_ARENAS, 1)
        tune(_MMAP_THRESHOLD, _MMAP_FROM)
