"""JSON from and to clients: input is limited before it is parsed, and invalid input gets a clear error."""

from __future__ import annotations

from typing import Any

import msgspec

from heldtrue.domain.errors import InvalidInput, TooLarge
from heldtrue.domain.limits import JSON_DEPTH_MAX, QUOTED_VALUE_CHARS_MAX, REQUEST_BYTES_MAX

JSON_TYPE = "application/json"
FILE_TYPE = "application/octet-stream"
"""The media type of a file that is sent to the service, or fetched from it."""
ANSWER_HEADER = "Heldtrue-Answer"
"""The answer of a capability, as JSON, in a response whose body is a file."""


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
    if (key := find_repeated_key(body)) is not None:
        raise InvalidInput(
            f"the {field} has the key {key!r} twice in one object", field=field, hint="send each key once"
        )
    return value


def find_repeated_key(body: bytes) -> str | None:
    """A key that stands twice in one object of a JSON text, which has been parsed before and is not too deep.

    Parsers differ in which of the two counts, so a proxy in between might check the other one.
    """
    import json

    repeated: list[str] = []

    def note(pairs: list[tuple[str, object]]) -> None:
        if len(dict(pairs)) != len(pairs):
            keys = [key for key, _ in pairs]
            repeated.append(next(key for key in keys if keys.count(key) > 1))

    json.loads(body, object_pairs_hook=note, strict=False, parse_int=len, parse_float=len)
    return repeated[0][:QUOTED_VALUE_CHARS_MAX] if repeated else None


def write_json(value: Any) -> bytes:
    """Encode a value as JSON, whatever characters its texts contain."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        # The name of a file may hold bytes that are no text, and so may what was kept from an export of long ago.
        import json

        return json.dumps(msgspec.to_builtins(value), ensure_ascii=False).encode("utf-8", "replace")


def too_large(field: str, bytes_max: int = REQUEST_BYTES_MAX) -> TooLarge:
    return TooLarge(f"the {field} is larger than {bytes_max:,} bytes", field=field, hint="send it in several requests")


def _too_deep(field: str) -> InvalidInput:
    return InvalidInput(
        f"the {field} is nested more than {JSON_DEPTH_MAX} levels deep", field=field, hint="send it with fewer levels"
    )


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
