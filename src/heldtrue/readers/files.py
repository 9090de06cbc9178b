"""Files that people have, each as a document: notes, code, data, saved pages and PDFs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from heldtrue.domain.limits import RENDERED_BYTES_MAX, SOURCE_BYTES_MAX, TITLE_READ_CHARS_MAX
from heldtrue.readers.archives import ZIP_MARKS
from heldtrue.readers.feeds import Feed
from heldtrue.readers.front_matter import read_front_matter
from heldtrue.readers.html_text import read_html
from heldtrue.readers.pdf import PDF_MARK, read_pdf
from heldtrue.readers.plain import LATIN_NOTE, decode_text, is_binary, mend, shorten
from heldtrue.readers.values import Document, FileNote, Skipped, Value

MARKDOWN = (".md", ".markdown", ".mdx", ".mdc")
_HTML = (".html", ".htm", ".xhtml")
_RENDERED = (*_HTML, ".pdf")
_TYPES = {
    **dict.fromkeys(MARKDOWN, "text/markdown"),
    **dict.fromkeys((".txt", ".text", ".log", ".org", ".adoc"), "text/plain"),
    **dict.fromkeys((".jsonl", ".ndjson"), "application/jsonl"),
    **dict.fromkeys((".c", ".h"), "text/x-c"),
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".hh", ".hpp", ".ipp"), "text/x-c++"),
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx"), "text/javascript"),
    **dict.fromkeys((".ts", ".tsx", ".mts", ".cts"), "text/x-typescript"),
    **dict.fromkeys((".py", ".pyi", ".pyx"), "text/x-python"),
    **dict.fromkeys((".sh", ".bash", ".zsh", ".fish"), "text/x-shellscript"),
    **dict.fromkeys((".yaml", ".yml"), "application/yaml"),
    **dict.fromkeys((".css", ".scss", ".less"), "text/css"),
    **dict.fromkeys((".kt", ".kts"), "text/x-kotlin"),
    **dict.fromkeys((".ex", ".exs", ".erl"), "text/x-erlang"),
    **dict.fromkeys((".hs", ".ml", ".mli", ".clj", ".lisp", ".el", ".scm"), "text/x-functional"),
    **dict.fromkeys((".ini", ".cfg", ".conf", ".properties"), "text/x-config"),
    **dict.fromkeys((".vue", ".svelte"), "text/x-component"),
    ".rst": "text/x-rst",
    ".json": "application/json",
    ".toml": "application/toml",
    ".xml": "application/xml",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".sql": "application/sql",
    ".rs": "text/x-rust",
    ".go": "text/x-go",
    ".java": "text/x-java",
    ".rb": "text/x-ruby",
    ".php": "text/x-php",
    ".swift": "text/x-swift",
    ".scala": "text/x-scala",
    ".cs": "text/x-csharp",
    ".lua": "text/x-lua",
    ".pl": "text/x-perl",
    ".r": "text/x-r",
    ".jl": "text/x-julia",
    ".dart": "text/x-dart",
    ".zig": "text/x-zig",
    ".m": "text/x-objective-c",
    ".proto": "text/x-protobuf",
    ".graphql": "text/x-graphql",
    ".tex": "text/x-tex",
    ".diff": "text/x-diff",
    ".patch": "text/x-diff",
}
"""The kind of text by suffix; the bytes decide whether it is text at all."""
_HEADING = re.compile(r"^#[ \t]+(.+)$", re.MULTILINE)


def document_bytes_max(path: str) -> int:
    """The maximum size of a file read as a document: of rendered formats, only the text is kept."""
    return RENDERED_BYTES_MAX if path.lower().endswith(_RENDERED) else SOURCE_BYTES_MAX


def read_document(feed: Feed) -> Iterator[Value]:
    """A file as a document, by its bytes first and its suffix second."""
    head = feed.head(8192)
    if head.startswith(PDF_MARK):
        yield from read_pdf(feed)
    elif head.startswith(ZIP_MARKS):
        yield Skipped(path=feed.path, reason="nested archives are not read")
    elif is_binary(head):
        yield Skipped(path=feed.path, reason="it is not a text file")
    elif _begins_as_page(head) or feed.suffix in _HTML:
        yield from _read_page(feed)
    else:
        yield from _read_text(feed)


def _begins_as_page(head: bytes) -> bool:
    """Whether a file is HTML by its beginning, after comments and declarations."""
    at = len(head) - len(head.lstrip())
    while head.startswith((b"<!--", b"<?"), at):
        mark = b"-->" if head.startswith(b"<!--", at) else b">"
        end = head.find(mark, at)
        if end < 0:
            return False
        at = end + len(mark)
        while head[at : at + 1].isspace():
            at += 1
    return head[at : at + 14].lower() == b"<!doctype html" or head[at : at + 6].lower() in (b"<html>", b"<html ")


def _read_page(feed: Feed) -> Iterator[Value]:
    markup, note = decode_text(feed.read(RENDERED_BYTES_MAX))
    page = read_html(markup)
    if note:
        yield FileNote(path=feed.path, text=note)
    yield from _make(feed, page.text, title=page.title, content_type="text/html", lines=False)


def _read_text(feed: Feed) -> Iterator[Value]:
    text, note = decode_text(feed.read(SOURCE_BYTES_MAX))
    if note == LATIN_NOTE and feed.suffix not in _TYPES:
        yield Skipped(path=feed.path, reason="it is not a text file")
        return
    if note:
        yield FileNote(path=feed.path, text=note)
    text = mend(text)
    content_type = _TYPES.get(feed.suffix, "text/plain")
    title = title_of_note(text) if content_type == "text/markdown" else None
    yield from _make(feed, text, title=title, content_type=content_type, lines=True)


def _make(feed: Feed, text: str, *, title: str | None, content_type: str, lines: bool) -> Iterator[Document | Skipped]:
    if not text.strip():
        yield Skipped(path=feed.path, reason="it contains no text", is_empty=True)
    elif len(text.encode()) > SOURCE_BYTES_MAX:
        yield Skipped(path=feed.path, reason=f"its text is longer than {SOURCE_BYTES_MAX:,} bytes")
    else:
        yield Document(
            path=feed.path,
            title=title,
            text=text,
            content_type=content_type,
            lines=lines,
            modified_at=feed.modified_at,
        )


def title_of_note(text: str) -> str | None:
    """The title that a note gives itself: in its front matter, or its first heading."""
    given = read_front_matter(text).text("title")
    found = _HEADING.search(text[:TITLE_READ_CHARS_MAX])
    return shorten(given) or (shorten(found[1].strip(" \t#")) if found else None)
