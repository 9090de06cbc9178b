"""Write an item of a key-value store as a memory that can be read back exactly.

The gate analyses statements: it splits sentences, finds contradictions, and merges two wordings of one fact. An item
is a record, not a statement. It is therefore written as code between backticks, which the gate treats as one unit, and
with a digest of its key and value, so that no two records look alike.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote, unquote

import msgspec

from heldtrue.domain.errors import InvalidInput
from heldtrue.domain.limits import ADAPTER_QUOTE_CHARS_MAX, NAME_CHARS_MAX
from heldtrue.language.masking import mask_text
from heldtrue.language.normalise import clean_text

_QUOTED = re.compile("`([^`]*)`")
_UNSAFE = re.compile("[^\x20-\x7e]|`|(?<= ) ")
_MARK_DIGITS = 16
SINCE = "in the store since "
"""How a memory that replaced another records the age of its item."""


class StoreItem(msgspec.Struct, frozen=True):
    """An item of a store."""

    namespace: tuple[str, ...]
    key: str
    value: dict[str, Any]

    @property
    def path(self) -> str:
        return path_of(self.namespace, self.key)


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """An item with its memory."""

    item: StoreItem
    memory: str
    content: str
    status: str
    changed_by: str
    reason: str | None
    """Why the memory has this status."""
    cause: str | None
    """The code of the reason, if the store itself retired it."""
    created_at: str
    updated_at: str
    score: float | None


def path_of(namespace: Sequence[str], key: str) -> str:
    """The path of an item: `users/alice/prefs`."""
    return "/".join(quote(part, safe="@+=,!~") for part in (*namespace, key))


def topic_of(path: str) -> str:
    """The topic of an item: its path, shortened if it is too long for a name."""
    if len(path) <= NAME_CHARS_MAX:
        return path
    return f"{path[: NAME_CHARS_MAX - _MARK_DIGITS - 1]}~{_digest(path)}"


def write_item(path: str, value: dict[str, Any], edition: int = 1) -> str:
    """An item as the content of a memory. A value that is stored again after it was replaced is a new edition."""
    plain = _plain_json(value)
    text = f"{path} v{_digest(path, plain, str(edition))} {plain}"
    if found := mask_text(text).findings:
        raise InvalidInput(
            f"the value contains a secret ({found[0].kind}), and secrets are never stored",
            field="value",
            hint="store the secret elsewhere, and only a reference to it here",
        )
    pieces = [text[start : start + ADAPTER_QUOTE_CHARS_MAX] for start in range(0, len(text), ADAPTER_QUOTE_CHARS_MAX)]
    return " ".join(f"`{piece}`" for piece in pieces)


def read_item(content: str) -> StoreItem | None:
    """The item of a memory; None if it is not an item."""
    parts = "".join(_QUOTED.findall(content)).split(" ", 2)
    if len(parts) != 3 or not parts[1].startswith("v"):
        return None
    try:
        value = json.loads(parts[2])
    except ValueError:
        return None
    *namespace, key = map(unquote, parts[0].split("/"))
    return StoreItem(tuple(namespace), key, value) if isinstance(value, dict) else None


def read_memory(memory: Any, score: float | None = None) -> Iterator[Held]:
    """The item of a memory, if it is one."""
    item = read_item(memory.content)
    if item is not None:
        since = (memory.rationale or "").partition(SINCE)[2] or memory.created_at
        yield Held(
            item=item,
            memory=memory.id,
            content=memory.content,
            status=memory.status,
            changed_by=memory.changed_by,
            reason=memory.reason,
            cause=memory.cause,
            created_at=since,
            updated_at=memory.updated_at,
            score=score,
        )


def _plain_json(value: dict[str, Any]) -> str:
    """JSON that is stored unchanged: characters that would be normalised are escaped."""
    try:
        text = json.dumps(value, ensure_ascii=False)
        escaped = json.dumps(value)
    except (TypeError, ValueError, RecursionError) as problem:
        raise InvalidInput(f"the value is not JSON: {problem}", field="value", hint="store plain JSON values") from None
    readable = _UNSAFE.sub(_escape, text)
    return readable if clean_text(readable) == readable else _UNSAFE.sub(_escape, escaped)


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    if char not in " `" and clean_text(f"a{char}a") == f"a{char}a":
        return char
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[index]:02x}{units[index + 1]:02x}" for index in range(0, len(units), 2))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\x00".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:_MARK_DIGITS]
