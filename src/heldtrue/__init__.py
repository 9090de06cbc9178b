"""Heldtrue: the memory that AI agents share and people can audit."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from heldtrue.domain.errors import (
        Busy,
        HeldtrueError,
        IdempotencyMismatch,
        InvalidInput,
        NotAllowed,
        NotFound,
        StorageProblem,
        Untrusted,
        WrongState,
    )
    from heldtrue.surfaces.remote import BrainClient
    from heldtrue.surfaces.sdk import Memory
    from heldtrue.wiring.clock import ManualClock

__version__ = "0.1.0"
__all__ = [
    "BrainClient",
    "Busy",
    "HeldtrueError",
    "IdempotencyMismatch",
    "InvalidInput",
    "ManualClock",
    "Memory",
    "NotAllowed",
    "NotFound",
    "StorageProblem",
    "Untrusted",
    "WrongState",
    "__version__",
]
_HOMES = {
    "BrainClient": "heldtrue.surfaces.remote",
    "Memory": "heldtrue.surfaces.sdk",
    "ManualClock": "heldtrue.wiring.clock",
}


def __getattr__(name: str) -> object:
    # Names are loaded when used: importing the package costs nothing and has no side effect.
    if name not in __all__:
        raise AttributeError(f"module 'heldtrue' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES.get(name, "heldtrue.domain.errors")), name)
