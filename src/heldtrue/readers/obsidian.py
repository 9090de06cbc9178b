"""The notes of an Obsidian vault: each is a document, with its links left as they are written."""

from __future__ import annotations

from collections.abc import Iterator

from heldtrue.readers.feeds import Feed
from heldtrue.readers.notes import MarkdownNote, read_note
from heldtrue.readers.values import Value


def read_obsidian(feed: Feed) -> Iterator[Value]:
    """One note as a document; it is called what its front matter says, or what its file is."""
    for found in read_note(feed):
        yield found.document() if isinstance(found, MarkdownNote) else found
