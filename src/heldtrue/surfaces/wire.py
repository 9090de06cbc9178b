"""JSON from and to clients: input is limited before it is parsed, and invalid input gets a clear error."""

from __future__ import annotations

from typing import Any

import msgspec

from heldtrue.domain.errors import InvalidInput, TooLarge
from heldtrue.domain.limits import JSON_DEPTH_MAX, REQUEST_BYTES_MAX


def read_json(body: bytes, *, field: str = "body") -> Any:
    """Parse JSON from outside."""
    if len(body) > REQUEST_BYTES_MAX:
        raise too_large(field)
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise InvalidInput(f"the {field} is not JSON: {problem}", field=field, hint="send a JSON object") from None
    except RecursionError:
        raise _too_deep(field) from None
    if is_deeper(value, JSON_DEPTH_MAX):
        raise _too_deep(field)
    return value


def write_json(value: Any) -> bytes:
    """Encode a value as JSON, whatever characters its texts contain."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        # The name of a file may hold bytes that are no text, and so may what was kept from an export of long ago.
        import json

        return json.dumps(msgspec.to_builtins(value), ensure_ascii=False).encode("utf-8", "replace")


def too_large(field: str) -> TooLarge:
    return TooLarge(
        f"the {field} is larger than {REQUEST_BYTES_MAX:,} bytes", field=field, hint="send it in several requests"
    )


def _too_deep(field: str) -> InvalidInput:
    return InvalidInput(f"the {field} is nested more than {JSON_DEPTH_MAX} levels deep", field=field, hint="flatten it")


def is_deeper(value: Any, most: int) -> bool:
    """Whether lists and objects are nested too deeply."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(most):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True
