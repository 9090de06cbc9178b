"""Holdfast: the memory that AI agents share and people can audit."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.domain.errors import (
        Busy,
        HoldfastError,
        IdempotencyMismatch,
        InvalidInput,
        NotAllowed,
        NotFound,
        StorageProblem,
        Untrusted,
        WrongState,
    )
    from holdfast.surfaces.remote import BrainClient
    from holdfast.surfaces.sdk import Memory
    from holdfast.wiring.clock import ManualClock

__version__ = "0.1.0"
__all__ = [
    "BrainClient",
    "Busy",
    "HoldfastError",
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
    "BrainClient": "holdfast.surfaces.remote",
    "Memory": "holdfast.surfaces.sdk",
    "ManualClock": "holdfast.wiring.clock",
}


def __getattr__(name: str) -> object:
    # Names are loaded when used: importing the package costs nothing and has no side effect.
    if name not in __all__:
        raise AttributeError(f"module 'holdfast' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES.get(name, "holdfast.domain.errors")), name)
