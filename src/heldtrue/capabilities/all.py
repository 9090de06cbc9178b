"""Every capability, loaded: importing this fills the registry."""

from __future__ import annotations

from heldtrue.capabilities import (
    agents,
    capturing,
    expanding,
    explaining,
    following,
    ingesting,
    injecting,
    reading,
    recalling,
    reviewing,
    sharing,
    transfer,
    upkeep,
    using,
    working,
    writing,
)
from heldtrue.capabilities.registry import CAPABILITIES

__all__ = [
    "CAPABILITIES",
    "agents",
    "capturing",
    "expanding",
    "explaining",
    "following",
    "ingesting",
    "injecting",
    "reading",
    "recalling",
    "reviewing",
    "sharing",
    "transfer",
    "upkeep",
    "using",
    "working",
    "writing",
]
