"""Resources that a client can attach to a conversation: the context of a task, lessons, and single memories."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from heldtrue.capabilities.call import Call
from heldtrue.capabilities.verb_index import find_capability
from heldtrue.domain.errors import InvalidInput, NotFound
from heldtrue.surfaces.mcp.answers import give_answer

_MIME = "text/plain"
_CONTEXT = "heldtrue://context"
_LESSONS = "heldtrue://lessons"
_ASKED_OF_CONTEXT = ("task", "project", "repo")
_CONTEXT_OF = f"{_CONTEXT}{{?{','.join(_ASKED_OF_CONTEXT)}}}"
_MEMORY = "heldtrue://memory/{id}"
GAPS = {_CONTEXT_OF: _ASKED_OF_CONTEXT, _MEMORY: ("id",)}
"""The arguments of each template."""

RESOURCES = [
    {
        "uri": _CONTEXT,
        "name": "context",
        "title": "Context for a new session",
        "description": "The profile, decisions, conventions and lessons, as one block of recalled memories.",
        "mimeType": _MIME,
    },
    {
        "uri": _LESSONS,
        "name": "lessons",
        "title": "Lessons learned",
        "description": "Lessons from earlier work, newest first.",
        "mimeType": _MIME,
    },
]
TEMPLATES = [
    {
        "uriTemplate": _CONTEXT_OF,
        "name": "context_for_task",
        "title": "Context for a task",
        "description": "The profile, decisions, conventions and lessons for one task, project or repository.",
        "mimeType": _MIME,
    },
    {
        "uriTemplate": _MEMORY,
        "name": "memory",
        "title": "One memory",
        "description": "A memory with its evidence, links and conflicts.",
        "mimeType": _MIME,
    },
]


def read_resource(uri: str, call: Call) -> list[dict[str, Any]]:
    """The content of a resource. One that the caller may not see counts as missing."""
    verb, arguments = _what_is_meant(uri)
    capability = find_capability(verb)
    assert capability is not None
    answer = give_answer(capability, capability.invoke(call, arguments))
    return [{"uri": uri, "mimeType": _MIME, "text": answer["content"][0]["text"]}]


def _what_is_meant(uri: str) -> tuple[str, dict[str, Any]]:
    try:
        parts = urlsplit(uri)
        asked = parse_qs(parts.query, strict_parsing=bool(parts.query))
    except ValueError:
        raise InvalidInput("unknown resource URI", field="uri", hint=f"for example {_CONTEXT}?task=...") from None
    if parts.scheme != "heldtrue" or parts.fragment:
        raise _nothing_there()
    path = unquote(parts.path).strip("/")
    match parts.netloc, bool(path), bool(asked):
        case "memory", True, False:
            return "get", {"memory": path}
        case "lessons", False, False:
            return "list", {"kinds": ["lesson"]}
        case "context", False, _ if asked.keys() <= set(_ASKED_OF_CONTEXT):
            return "context_for", {name: values[-1] for name, values in asked.items()}
    raise _nothing_there()


def _nothing_there() -> NotFound:
    return NotFound("no such resource", field="uri", hint=f"for example {_CONTEXT} or heldtrue://memory/ID")
