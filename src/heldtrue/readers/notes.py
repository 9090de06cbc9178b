"""A Markdown note with its front matter, as the readers of notes share it."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from heldtrue.domain.limits import SOURCE_BYTES_MAX
from heldtrue.readers.feeds import Feed
from heldtrue.readers.front_matter import FrontMatter, read_front_matter
from heldtrue.readers.plain import decode_text, mend, shorten
from heldtrue.readers.values import Document, FileNote, Skipped


class MarkdownNote(msgspec.Struct, frozen=True):
    """A note that was read."""

    path: str
    title: str
    text: str
    """The whole text with its front matter, so that line numbers match the file."""
    front: FrontMatter
    modified_at: int | None

    def document(self) -> Document:
        return Document(
            path=self.path,
            title=self.title,
            text=self.text,
            content_type="text/markdown",
            lines=True,
            modified_at=self.modified_at,
        )

    def body(self) -> Iterator[tuple[int, str]]:
        """The lines after the front matter, with their numbers in the file; those of code blocks are left out."""
        fence = ""
        for number, line in enumerate(self.text.split("\n"), 1):
            stripped = line.lstrip()
            if number <= self.front.lines:
                continue
            if fence:
                fence = "" if stripped.startswith(fence) else fence
            elif stripped.startswith(("```", "~~~")):
                fence = stripped[:3]
            else:
                yield number, line


def read_note(feed: Feed) -> Iterator[MarkdownNote | Skipped | FileNote]:
    """Read one note, and the remarks about how it was read."""
    text, note = decode_text(feed.read(SOURCE_BYTES_MAX))
    text = mend(text)
    if note:
        yield FileNote(path=feed.path, text=note)
    if not text.strip():
        yield Skipped(path=feed.path, reason="it contains no text", is_empty=True)
        return
    front = read_front_matter(text)
    if front.problem:
        yield FileNote(path=feed.path, text=front.problem)
    title = shorten(front.text("title")) or shorten(feed.name.rpartition(".")[0]) or feed.name
    yield MarkdownNote(feed.path, title, text, front, feed.modified_at)
