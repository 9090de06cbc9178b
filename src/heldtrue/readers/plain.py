"""Cleans text and times from untrusted files so that they can be stored; nothing here raises."""

from __future__ import annotations

import codecs
import math
import re
from datetime import UTC, datetime
from hashlib import blake2b

from heldtrue.domain.limits import FRONT_MATTER_TAGS_MAX, NAME_CHARS_MAX, TITLE_CHARS_MAX
from heldtrue.domain.times import from_datetime

BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
LATIN_NOTE = "it is not valid UTF-8, so it was read as Latin-1"
_LAST_MOMENT = from_datetime(datetime.max.replace(tzinfo=UTC))
_LINE_ENDS = re.compile("\r\n?")
_BROKEN = re.compile("[\x00\ud800-\udfff]")


def find_bom(data: bytes) -> tuple[bytes, str] | None:
    """The byte order mark at the start of the bytes, and its encoding."""
    return next(((mark, name) for mark, name in BOMS if data.startswith(mark)), None)


def decode_text(data: bytes) -> tuple[str, str | None]:
    """Bytes decoded as text, and a note about the decoding."""
    found = find_bom(data)
    if found is not None:
        mark, name = found
        try:
            return data[len(mark) :].decode(name), None
        except UnicodeDecodeError:
            return data[len(mark) :].decode(name, "replace"), f"some of it is not valid {name.upper()}"
    try:
        return data.decode("utf-8"), None
    except UnicodeDecodeError:
        return data.decode("latin-1"), LATIN_NOTE


def is_binary(head: bytes) -> bool:
    """Whether a file with this start is binary."""
    return find_bom(head) is None and b"\x00" in head[:8192]


def mend(text: str) -> str:
    """A text with uniform line ends and with invalid characters replaced."""
    if "\r" in text:
        text = _LINE_ENDS.sub("\n", text)
    # Halves of a character that stand side by side are a character.
    if _BROKEN.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\x00", "\ufffd")
    return text


def as_text(value: object) -> str:
    """A string cleaned for storage; empty for any other type."""
    return mend(value) if isinstance(value, str) else ""


def shorten(value: object, most: int = TITLE_CHARS_MAX) -> str | None:
    """A name or title on one line, shortened if too long; None if there is none."""
    line = " ".join(as_text(value).split())
    if not line:
        return None
    return line if len(line) <= most else line[: most - 1] + "…"


def short_tags(values: object) -> tuple[str, ...]:
    """The strings of a list, each once."""
    listed = values if isinstance(values, list | tuple) else []
    named = (shorten(value, NAME_CHARS_MAX) for value in listed[:FRONT_MATTER_TAGS_MAX])
    return tuple(dict.fromkeys(tag for tag in named if tag))


def name_thread(kind: str, value: object, instead: str) -> str:
    """The thread name of a conversation: from its id, or from its origin if it has none."""
    name = f"{kind}:{' '.join(as_text(value).split()) or mend(instead)}"
    if len(name) <= NAME_CHARS_MAX:
        return name
    return f"{kind}:{blake2b(name.encode(), digest_size=16).hexdigest()}"


def moment_of_ns(nanoseconds: int) -> int | None:
    """A time from a file system; None if it is not plausible."""
    moment = nanoseconds // 1000
    return moment if 0 < moment <= _LAST_MOMENT else None


def moment_of(value: object) -> int | None:
    """A time in microseconds, from seconds since 1970 or ISO 8601; None for anything else."""
    try:
        if isinstance(value, str):
            return from_datetime(datetime.fromisoformat(value.strip()))
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return None
        # Some tools write milliseconds; as seconds they would lie beyond the year 5000.
        seconds = value / 1000 if abs(value) > 1e11 else value
        return from_datetime(datetime.fromtimestamp(seconds, UTC))
    except (ValueError, OverflowError, OSError):
        return None
