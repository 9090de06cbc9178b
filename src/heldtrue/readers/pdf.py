"""The pages of a PDF as documents, by an optional package."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from heldtrue.distribution import suggest_install
from heldtrue.domain.errors import InvalidInput
from heldtrue.domain.limits import PDF_PAGES_MAX, RENDERED_BYTES_MAX, SOURCE_BYTES_MAX
from heldtrue.readers.feeds import Feed
from heldtrue.readers.plain import mend, shorten
from heldtrue.readers.values import Document, Skipped

PDF_MARK = b"%PDF-"


class ReaderMissing(InvalidInput):
    """A package that reads this kind of file is not installed; other files are read without it."""

    code = "reader_missing"


def read_pdf(feed: Feed) -> Iterator[Document | Skipped]:
    """One document for each page that has text; a scan has none, and is named."""
    reader = _open(feed)
    pages, title = reader.pages, _title_of(reader)
    count = _ask(lambda: len(pages), feed)
    empty = 0
    for index in range(min(count, PDF_PAGES_MAX)):
        path = f"{feed.path}#page={index + 1}"
        try:
            text = mend(pages[index].extract_text() or "").strip()
        except Exception as problem:  # noqa: BLE001 - the package raises whatever a broken page brings it to
            yield Skipped(path=path, reason=f"the page cannot be read ({type(problem).__name__})")
            continue
        if len(text.encode()) > SOURCE_BYTES_MAX:
            yield Skipped(path=path, reason=f"the text of the page is longer than {SOURCE_BYTES_MAX:,} bytes")
        elif text:
            yield Document(
                path=path,
                title=title,
                text=text,
                content_type="application/pdf",
                lines=False,
                modified_at=feed.modified_at,
            )
        else:
            empty += 1
    if empty:
        yield Skipped(path=feed.path, reason=f"{empty} of {count} pages have no text; they may be scans")
    if count > PDF_PAGES_MAX:
        yield Skipped(path=feed.path, reason=f"only the first {PDF_PAGES_MAX:,} of {count:,} pages were read")


def _open(feed: Feed) -> Any:
    try:
        package = import_module("pypdf")
    except ImportError:
        raise ReaderMissing(
            f"{feed.path}: reading a PDF needs the package pypdf.", field="path", hint=suggest_install("documents")
        ) from None
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what is wrong with a file is told by us
    data = feed.read(RENDERED_BYTES_MAX)
    reader = _ask(lambda: package.PdfReader(io.BytesIO(data)), feed)
    if _ask(lambda: bool(reader.is_encrypted), feed) and not _ask(lambda: reader.decrypt(""), feed):
        raise InvalidInput(f"{feed.path} is protected by a password", field="path", hint="save it without a password")
    return reader


def _ask(question: Any, feed: Feed) -> Any:
    try:
        return question()
    except Exception as problem:  # noqa: BLE001 - as above
        raise InvalidInput(f"{feed.path} is not a readable PDF ({type(problem).__name__})", field="path") from None


def _title_of(reader: Any) -> str | None:
    try:
        return shorten(reader.metadata.title) if reader.metadata else None
    except Exception:  # noqa: BLE001 - a title is not worth a refusal
        return None
