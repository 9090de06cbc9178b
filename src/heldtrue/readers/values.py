"""The values that readers return: documents, conversations, memories of other products, and skipped parts."""

from __future__ import annotations

import msgspec


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """One text to keep as evidence."""

    path: str
    """As referred to, relative to the folder or archive that was given; a page of a PDF ends in `#page=2`."""
    title: str | None = None
    text: str
    content_type: str
    lines: bool = True
    """Whether line numbers of the text are those of the file."""
    modified_at: int | None = None
    """Microseconds UTC."""


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """One turn of a conversation."""

    speaker: str | None = None
    """A name, where the format has one beside the role."""
    role: str
    """user or assistant."""
    text: str
    at: int | None = None


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    """Turns in the order they were said."""

    thread: str
    """The same for the same conversation in every export of it."""
    title: str | None = None
    turns: tuple[Turn, ...]
    started_at: int | None = None
    folder: str | None = None
    """The working folder it took place in, where a coding agent noted it."""
    origin: str
    """Where it was read from, as a reference."""


class Remark(msgspec.Struct, frozen=True, kw_only=True):
    """A ready-made memory of another product."""

    content: str
    kind: str | None = None
    """One of our kinds of memory, where the format says so."""
    subject: str | None = None
    """What or whom it is about."""
    created_at: int | None = None
    tags: tuple[str, ...] = ()
    details: tuple[tuple[str, str], ...] = ()
    """What else its product kept about it, as plain pairs."""
    origin: str
    """Where it was read from, with the line or the place."""


class NamedLink(msgspec.Struct, frozen=True, kw_only=True):
    """A relation between two things by their names."""

    from_name: str
    relation: str
    to_name: str
    origin: str


class Skipped(msgspec.Struct, frozen=True, kw_only=True):
    """Something that was skipped."""

    path: str
    reason: str


class FileNote(msgspec.Struct, frozen=True, kw_only=True):
    """Something that was read with changes."""

    path: str
    text: str


Value = Document | Conversation | Remark | NamedLink | Skipped | FileNote
