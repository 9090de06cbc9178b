"""Where output goes: colours only where they are wanted, no text that the far end cannot take."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Any, TextIO

from heldtrue.environment import read_variable

_CODES = {
    "dim": "2",
    "bold": "1",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "magenta": "35",
    "cyan": "36",
}
_PLAIN = str.maketrans({"…": "...", "·": "-", "—": "-", "→": "->", "←": "<-", "│": "|", "●": "*", "○": "o", "✓": "ok"})
WIDTH_MIN, WIDTH_MAX, WIDTH_PLAIN = 50, 110, 100


def is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False


SESSION_VARIABLE = "HELDTRUE_SESSION"
"""Names what counts as one terminal, where the device does not tell: in a multiplexer, or for a program."""


def has_terminal() -> bool:
    """Whether somebody may be looking: there is a terminal, or a name for one."""
    streams = (sys.stdout, sys.stdin, sys.stderr)
    return bool(read_variable(SESSION_VARIABLE)) or any(is_terminal(stream) for stream in streams)


def wants_color(when: str, stream: TextIO) -> bool:
    """`auto` means on a terminal that shows them, unless NO_COLOR asks otherwise."""
    if when == "auto":
        return not read_variable("NO_COLOR") and read_variable("TERM") != "dumb" and is_terminal(stream)
    return when == "always"


def find_width(stream: TextIO) -> int:
    """How wide lines may be: the terminal's width within reason."""
    asked = read_variable("COLUMNS") or ""
    columns = int(asked) if asked.isdigit() else 0
    if not columns and is_terminal(stream):
        try:
            columns = os.get_terminal_size(stream.fileno()).columns
        except OSError:
            columns = 80
    return min(max(columns or WIDTH_PLAIN, WIDTH_MIN), WIDTH_MAX)


class Screen:
    """Standard output or standard error, as a place for finished text."""

    def __init__(self, stream: TextIO, color: str = "auto") -> None:
        self.stream = stream
        self.colors = wants_color(color, stream)
        self.width = find_width(stream)
        self.is_terminal = is_terminal(stream)

    def paint(self, text: str, *styles: str) -> str:
        if not self.colors or not styles or not text:
            return text
        return f"\x1b[{';'.join(_CODES[style] for style in styles)}m{text}\x1b[0m"

    def write(self, text: str) -> None:
        """Print, whatever the encoding of the far end: what it cannot show is shown escaped."""
        encoding = self.stream.encoding or "utf-8"
        if encoding.lower().replace("-", "") != "utf8":
            text = text.translate(_PLAIN)
        self.write_bytes(text.encode(encoding, "backslashreplace"), encoding)

    def write_bytes(self, data: bytes, encoding: str = "utf-8") -> None:
        buffer = getattr(self.stream, "buffer", None)
        self.stream.flush()
        if buffer is None:
            self.stream.write(data.decode(encoding, "replace"))
        else:
            buffer.write(data)
        self.stream.flush()


def encode_answer(answer: Any, *, pretty: bool) -> bytes:
    """An answer as one JSON document."""
    import msgspec

    try:
        document = msgspec.json.encode(answer)
    except UnicodeEncodeError:
        # A path may hold bytes that are no text; JSON can still spell them.
        import json

        document = json.dumps(msgspec.to_builtins(answer)).encode()
    if pretty:
        document = escape_hidden(msgspec.json.format(document, indent=2).decode()).encode()
    return document + b"\n"


def escape_hidden(document: str) -> str:
    """The same JSON with everything spelled out that could steer a terminal; JSON itself leaves some of it raw."""
    if document.isascii() and "\x7f" not in document:
        return document
    from heldtrue.surfaces.safe_text import is_hidden

    return "".join(_spell(letter) if is_hidden(letter) and letter != "\n" else letter for letter in document)


def _spell(letter: str) -> str:
    code = ord(letter)
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def quiet_stdout() -> None:
    """Point standard output nowhere, so that leaving after a broken pipe says nothing more."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
