"""Recognises the format of a file, a folder or a zip by its content, and reads it with the right reader."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from heldtrue.domain.errors import HeldtrueError, InvalidInput, NotFound
from heldtrue.domain.limits import READ_BYTES_MAX, RECOGNISE_FILES_MAX
from heldtrue.readers import agents_files, chatgpt, claude_export
from heldtrue.readers.agents_files import read_agents_file
from heldtrue.readers.archives import ZIP_MARKS, walk_archive
from heldtrue.readers.basic_memory import read_basic_memory
from heldtrue.readers.chatgpt import read_chatgpt
from heldtrue.readers.claude_code import read_claude_code
from heldtrue.readers.claude_export import read_claude_export
from heldtrue.readers.codex import read_codex
from heldtrue.readers.feeds import Feed, Meter, Progress
from heldtrue.readers.files import document_bytes_max, read_document
from heldtrue.readers.folders import BytesMax, open_single, walk_folder
from heldtrue.readers.mem0 import read_mem0
from heldtrue.readers.obsidian import read_obsidian
from heldtrue.readers.server_memory import read_server_memory
from heldtrue.readers.signs import DOCUMENTS, name_format
from heldtrue.readers.values import Skipped, Value

_ANY = re.compile("")
_LINES = re.compile(r"\.jsonl$", re.IGNORECASE)
_JSON = re.compile(r"\.jsonl?$", re.IGNORECASE)
_NOTES = re.compile(r"\.(?:md|markdown)$", re.IGNORECASE)
_VAULT = ".obsidian"
_EXPORTS = ("chatgpt", "claude-export", "mem0")


class Format(msgspec.Struct, frozen=True, kw_only=True):
    """A format that is read."""

    says: str
    """What it is, for people."""
    read: Callable[[Feed], Iterator[Value]]
    takes: re.Pattern[str] = _ANY
    """Which files of a folder or an archive are part of it; a single file is taken by any name."""
    bytes_max: BytesMax = lambda _: READ_BYTES_MAX
    shown: frozenset[str] = frozenset()
    """Hidden names that are part of it."""


FORMATS: dict[str, Format] = {
    DOCUMENTS: Format(says="notes, code, data, pages and PDFs", read=read_document, bytes_max=document_bytes_max),
    "chatgpt": Format(says="a ChatGPT export", read=read_chatgpt, takes=chatgpt.FILES),
    "claude-export": Format(says="a Claude export", read=read_claude_export, takes=claude_export.FILES),
    "claude-code": Format(says="Claude Code transcripts", read=read_claude_code, takes=_LINES),
    "codex": Format(says="Codex CLI sessions", read=read_codex, takes=_LINES),
    "server-memory": Format(says="the file of the MCP memory server", read=read_server_memory, takes=_JSON),
    "mem0": Format(says="Mem0 memories", read=read_mem0, takes=_JSON),
    "basic-memory": Format(
        says="Basic Memory notes", read=read_basic_memory, takes=_NOTES, bytes_max=document_bytes_max
    ),
    "obsidian": Format(says="an Obsidian vault", read=read_obsidian, takes=_NOTES, bytes_max=document_bytes_max),
    "agents-files": Format(
        says="instructions for coding agents",
        read=read_agents_file,
        takes=agents_files.FILES,
        bytes_max=document_bytes_max,
        shown=agents_files.SHOWN,
    ),
}


def read(
    path: str | Path,
    format: str | None = None,  # noqa: A002 - the word that people use
    *,
    progress: Progress | None = None,
) -> Iterator[Value]:
    """The values of a file, a folder or a zip, as they are read; by the format that is named, or that it shows.

    `progress` is told the bytes that were read so far, after unpacking.
    """
    source = _existing_path(path)
    name = recognise(source) if format is None else format
    if name not in FORMATS:
        raise InvalidInput(f"unknown format: {name}", field="format", hint=f"use one of {', '.join(FORMATS)}")
    chosen, meter = FORMATS[name], Meter(progress)
    if _is_many(source):
        return _read_many(_walk(source, chosen, meter), name, chosen, meter)
    return chosen.read(open_single(source, meter))


def _read_many(feeds: Iterator[Feed | Skipped], name: str, chosen: Format, meter: Meter) -> Iterator[Value]:
    """Read each file with the same reader; an unreadable file does not stop the others."""
    taken = 0
    for feed in feeds:
        if isinstance(feed, Skipped):
            yield feed
        elif not chosen.takes.search(feed.path):
            yield Skipped(path=feed.path, reason=f"it is not part of {chosen.says}")
        else:
            taken += 1
            try:
                # In a folder of documents the rules for coding agents are still rules.
                is_rules = name == DOCUMENTS and agents_files.FILES.search(feed.path)
                yield from (read_agents_file if is_rules else chosen.read)(feed)
            except HeldtrueError as problem:
                if meter.total > READ_BYTES_MAX:
                    raise
                yield Skipped(path=feed.path, reason=str(problem))
    if not taken and name != DOCUMENTS:
        raise InvalidInput(
            f"the input does not contain {chosen.says}", field="path", hint="choose another format, or omit the option"
        )


def recognise(path: str | Path) -> str:
    """The name of the format of a file, a folder or a zip, by what is in it."""
    source = _existing_path(path)
    if _is_many(source):
        return _recognise_many(source)
    feed = open_single(source, Meter())
    name = name_format(feed.path, feed.head())
    if name is None:
        raise InvalidInput(
            f"the format of {source} is not supported", field="path", hint=f"supported formats: {', '.join(FORMATS)}"
        )
    return name


def _recognise_many(source: Path) -> str:
    """By the file that an export is named after; else by what most of the first files are."""
    votes: Counter[str] = Counter()
    seen = 0
    sampler = Format(says="", read=read_document)
    for feed in _walk(source, sampler, Meter()):
        if isinstance(feed, Skipped):
            if _VAULT in feed.path.split("/"):
                return "obsidian"
            continue
        is_export = _names_export(feed.path)
        if seen >= RECOGNISE_FILES_MAX and not is_export:
            continue
        seen += 1
        name = _name_safely(feed)
        if is_export and name in _EXPORTS:
            return name
        votes[name or ""] += 1
    winner, count = votes.most_common(1)[0] if votes else (DOCUMENTS, 0)
    is_clear = count * 2 > seen and winner not in ("", "agents-files")
    return winner if is_clear else DOCUMENTS


def _names_export(path: str) -> bool:
    """Whether a file near the top is one that an export is named after."""
    return path.count("/") < 2 and bool(chatgpt.FILES.search(path) or claude_export.FILES.search(path))


def _name_safely(feed: Feed) -> str | None:
    try:
        return name_format(feed.path, feed.head())
    except HeldtrueError:
        return None


def _existing_path(path: str | Path) -> Path:
    """The path of something that exists."""
    try:
        source = Path(path)
        source.stat()
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or problem
        raise NotFound(f"{path} cannot be read: {why}", field="path") from None
    return source


def _is_many(source: Path) -> bool:
    return source.is_dir() or _is_zip(source)


def _is_zip(source: Path) -> bool:
    return source.is_file() and open_single(source, Meter()).head(4).startswith(ZIP_MARKS)


def _walk(source: Path, chosen: Format, meter: Meter) -> Iterator[Feed | Skipped]:
    walk = walk_folder if source.is_dir() else walk_archive
    return walk(source, bytes_max=chosen.bytes_max, meter=meter, shown=chosen.shown)
