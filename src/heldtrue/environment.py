"""Reads environment variables."""

from __future__ import annotations

import os


def read_variables(prefix: str) -> dict[str, str]:
    """The variables whose names begin so; an empty one counts as not set."""
    return {name: value for name, value in os.environ.items() if name.startswith(prefix) and value}
