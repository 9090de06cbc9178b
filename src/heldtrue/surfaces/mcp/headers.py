"""The headers of the protocol over HTTP. They repeat parts of the message, so that proxies need not parse it."""

from __future__ import annotations

import base64
import re
from typing import Any

from heldtrue.surfaces.mcp.messages import Message

REVISION = "mcp-protocol-version"
METHOD = "mcp-method"
NAME = "mcp-name"
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""Methods with a target, and the parameter that names it."""
_PLAIN = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?")
_CODED = re.compile(r"=\?base64\?(.*)\?=")


def name_in(message: Message) -> Any:
    """The target of a message; None if it has none."""
    parameter = _NAMED.get(message.method)
    return message.params.get(parameter) if parameter else None


def encode_value(text: str) -> str:
    """Encode a text as a header value: plain if possible, otherwise base64."""
    if _PLAIN.fullmatch(text) and not _CODED.fullmatch(text):
        return text
    return f"=?base64?{base64.b64encode(text.encode('utf-8', 'replace')).decode('ascii')}?="


def decode_value(value: str | None) -> str | None:
    """Decode a header value; None if it is invalid."""
    coded = _CODED.fullmatch(value) if value is not None else None
    if coded is None:
        return value
    try:
        data = base64.b64decode(coded[1], validate=True)
        # Several codes of one text would let two readers disagree about what was said.
        return data.decode("utf-8") if base64.b64encode(data).decode("ascii") == coded[1] else None
    except ValueError:
        return None
