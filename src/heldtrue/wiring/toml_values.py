"""Values as TOML spells them."""

from __future__ import annotations

import json
import re
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def spell_toml(value: Any) -> str:
    """A value as it stands behind the equals sign: text, number, boolean, list or inline table."""
    if isinstance(value, dict):
        pairs = ", ".join(f"{spell_key(str(name))} = {spell_toml(inner)}" for name, inner in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(spell_toml(inner) for inner in value)}]"
    # TOML spells the rest as JSON does.
    return json.dumps(value, ensure_ascii=False)


def spell_key(name: str) -> str:
    """A key as it stands in the file: in quotes where it is not a plain word."""
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)
