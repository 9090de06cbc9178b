"""The values that readers return: documents, conversations, memories of other products, and skipped parts."""

from __future__ import annotations

import msgspec


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """One text to keep as evidence."""

    path: str
    """The path relative to the given folder or archive; a page of a PDF ends in `#page=2`."""
    title: str | None = None
    text: str
    content_type: str
    lines: bool = True
    """Whether the line numbers of the text match the file."""
    modified_at: int | None = None
    """Microseconds UTC."""


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """One turn of a conversation."""

    speaker: str | None = None
    """The name of the speaker, if the format has one besides the role."""
    role: str
    """user or assistant."""
    text: str
    at: int | None = None


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    """Turns in the order they were said."""

    thread: str
    """The id of the conversation, the same in every export of it."""
    title: str | None = None
    turns: tuple[Turn, ...]
    started_at: int | None = None
    folder: str | None = None
    """The working folder of the session, if a coding agent recorded it."""
    origin: str
    """The reference of the file that it was read from."""


class Remark(msgspec.Struct, frozen=True, kw_only=True):
    """A ready-made memory of another product."""

    content: str
    kind: str | None = None
    """The kind of memory, if the format has one that we know."""
    subject: str | None = None
    """What or whom it is about."""
    created_at: int | None = None
    tags: tuple[str, ...] = ()
    details: tuple[tuple[str, str], ...] = ()
    """Further fields of the other product, as plain pairs."""
    origin: str
    """The reference of the file that it was read from, with the line or the key."""


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
    is_empty: bool = False
    """Whether it is a document without text, so that what it said before is gone."""


class FileNote(msgspec.Struct, frozen=True, kw_only=True):
    """Something that was read with changes."""

    path: str
    text: str


Value = Document | Conversation | Remark | NamedLink | Skipped | FileNote
