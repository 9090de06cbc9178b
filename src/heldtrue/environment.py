"""The environment variables of this process; no other module reads or sets them."""

from __future__ import annotations

import os


def read_variable(name: str) -> str | None:
    """The value of a variable; an empty one counts as not set."""
    return os.environ.get(name) or None


def read_variables(prefix: str = "") -> dict[str, str]:
    """The variables whose names begin so; an empty one counts as not set."""
    return {name: value for name, value in os.environ.items() if name.startswith(prefix) and value}


def set_default(name: str, value: str) -> None:
    """Set a variable for this process and those that it starts, unless it has been set."""
    os.environ.setdefault(name, value)
