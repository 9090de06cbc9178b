"""Every capability, loaded: importing this fills the registry."""

from __future__ import annotations

from holdfast.capabilities import (
    capturing,
    expanding,
    explaining,
    ingesting,
    injecting,
    reading,
    recalling,
    reviewing,
    transfer,
    upkeep,
    using,
    working,
    writing,
)
from holdfast.capabilities.registry import CAPABILITIES

__all__ = [
    "CAPABILITIES",
    "capturing",
    "expanding",
    "explaining",
    "ingesting",
    "injecting",
    "reading",
    "recalling",
    "reviewing",
    "transfer",
    "upkeep",
    "using",
    "working",
    "writing",
]
