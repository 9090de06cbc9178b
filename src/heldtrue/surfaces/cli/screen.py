"""Output streams: colours only if wanted, and only text that the encoding can represent."""

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
NARROWEST, WIDEST, PLAIN_WIDTH = 50, 110, 100


def is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False


SESSION_VARIABLE = "HELDTRUE_SESSION"
"""Identifies a terminal session if the device does not: in a multiplexer, or for a program."""


def has_terminal() -> bool:
    """Whether a person may be at a terminal: there is one, or a session name."""
    streams = (sys.stdout, sys.stdin, sys.stderr)
    return bool(read_variable(SESSION_VARIABLE)) or any(is_terminal(stream) for stream in streams)


def wants_color(when: str, stream: TextIO) -> bool:
    """Whether to use colours; `auto` means on a terminal that has them, unless NO_COLOR is set."""
    if when == "auto":
        return not read_variable("NO_COLOR") and read_variable("TERM") != "dumb" and is_terminal(stream)
    return when == "always"


def find_width(stream: TextIO) -> int:
    """The width of lines: the width of the terminal, within limits."""
    asked = read_variable("COLUMNS") or ""
    columns = int(asked) if asked.isdigit() else 0
    if not columns and is_terminal(stream):
        try:
            columns = os.get_terminal_size(stream.fileno()).columns
        except OSError:
            columns = 80
    return min(max(columns or PLAIN_WIDTH, NARROWEST), WIDEST)


class Screen:
    """Standard output or standard error."""

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
        """Print in the encoding of the stream; characters that it lacks are escaped."""
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
        # A path may contain bytes that are not text; JSON can still escape them.
        import json

        document = json.dumps(msgspec.to_builtins(answer)).encode()
    if pretty:
        document = escape_hidden(msgspec.json.format(document, indent=2).decode()).encode()
    return document + b"\n"


def escape_hidden(document: str) -> str:
    """The same JSON with every character escaped that could control a terminal; JSON leaves some unescaped."""
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
    """Discard standard output, so that the exit after a broken pipe prints nothing."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
