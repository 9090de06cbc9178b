"""Recognises each format by the start of a file."""

from __future__ import annotations

from typing import Any

from heldtrue.readers import agents_files
from heldtrue.readers.archives import ZIP_MARKS
from heldtrue.readers.basic_memory import has_observation
from heldtrue.readers.codex import ENVELOPES
from heldtrue.readers.files import MARKDOWN
from heldtrue.readers.front_matter import read_front_matter
from heldtrue.readers.pdf import PDF_MARK
from heldtrue.readers.peek import Peek, peek_at
from heldtrue.readers.plain import is_binary, mend

DOCUMENTS = "documents"
"""The format of a text that matches no other format."""
_SESSION_LINES = ("user", "assistant", "system", "summary", "queue-operation", "file-history-snapshot", "progress")
_MEMORY_KEYS = frozenset({"hash", "user_id", "agent_id", "run_id", "created_at", "metadata", "score"})


def name_format(path: str, head: bytes) -> str | None:
    """The format of a file with this start; None if it is not text."""
    if head.startswith(PDF_MARK):
        return DOCUMENTS
    if head.startswith(ZIP_MARKS) or is_binary(head):
        return None
    seen = peek_at(head)
    return _by_keys(seen) or _by_rows(seen) or _by_words(path, seen) or DOCUMENTS


def _by_keys(seen: Peek) -> str | None:
    keys = seen.keys
    if "mapping" in keys and keys & {"current_node", "title", "create_time", "conversation_id"}:
        return "chatgpt"
    if "chat_messages" in keys or "conversations_memory" in keys:
        return "claude-export"
    if not seen.is_list and {"entities", "relations"} <= keys:
        return "server-memory"
    return "mem0" if _is_of_mem0(seen) else None


def _is_of_mem0(seen: Peek) -> bool:
    """Whether it is a list of memories of Mem0, an answer of its service, or a backup."""
    keys, text = seen.keys, seen.text
    if seen.is_list:
        return "memory" in keys and bool(keys & _MEMORY_KEYS)
    is_answer = "results" in keys and '"memory"' in text
    return is_answer or ("memories" in keys and ("export_meta" in keys or '"memory"' in text or '"content"' in text))


def _by_rows(seen: Peek) -> str | None:
    return next((name for row in seen.rows if (name := _name_row(row)) is not None), None)


def _name_row(row: dict[str, Any]) -> str | None:
    return next((name for name, is_row in _ROWS if is_row(row, row.get("type"))), None)


def _is_codex_row(row: dict[str, Any], kind: object) -> bool:
    if kind is None:  # the first line of a rollout before there were envelopes
        return "timestamp" in row and ("instructions" in row or "git" in row)
    return kind in ENVELOPES and "payload" in row


def _is_claude_code_row(row: dict[str, Any], kind: object) -> bool:
    return ("sessionId" in row and kind in _SESSION_LINES) or (kind == "summary" and "leafUuid" in row)


def _is_server_memory_row(row: dict[str, Any], kind: object) -> bool:
    return (kind == "entity" and "entityType" in row) or (kind == "relation" and "relationType" in row)


def _is_mem0_row(row: dict[str, Any], _kind: object) -> bool:
    is_memory = isinstance(row.get("memory"), str) and bool(_MEMORY_KEYS & row.keys())
    return is_memory or (isinstance(row.get("content"), str) and {"state", "categories"} <= row.keys())


_ROWS = (
    ("codex", _is_codex_row),
    ("claude-code", _is_claude_code_row),
    ("server-memory", _is_server_memory_row),
    ("mem0", _is_mem0_row),
)
"""The formats with one record on each line, and a test for each."""


def _by_words(path: str, seen: Peek) -> str | None:
    if agents_files.FILES.search(path):
        return "agents-files"
    if not path.lower().endswith(MARKDOWN):
        return None
    text = mend(seen.text)
    front = read_front_matter(text)
    is_typed = front.text("type") is not None and has_observation(text)
    return "basic-memory" if front.text("permalink") or is_typed else None
