"""Every capability, loaded: importing this fills the registry."""

from __future__ import annotations

from holdfast.capabilities import explaining, reading, reviewing, transfer, upkeep, writing
from holdfast.capabilities.registry import CAPABILITIES

__all__ = ["CAPABILITIES", "explaining", "reading", "reviewing", "transfer", "upkeep", "writing"]
