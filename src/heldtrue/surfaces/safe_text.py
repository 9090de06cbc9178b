"""Make stored text safe to display: `clean` escapes everything that could control a terminal or reorder text."""

from __future__ import annotations

import unicodedata

JOINERS = "\u200c\u200d"
"""Invisible but harmless characters that several scripts and emoji need."""
_ESCAPED = ("Cc", "Cf", "Cs", "Zl", "Zp")


def clean(text: object) -> str:
    """A text as one safe line: control, bidi and invisible characters are escaped, line breaks become spaces."""
    line = str(text)
    if not line.isprintable():
        line = "".join(_show(letter) for letter in line.replace("\r\n", " ").replace("\n", " ").replace("\t", " "))
    return line


def clean_lines(text: str) -> list[str]:
    """The lines of a text, each safe; trailing blank lines are dropped."""
    lines = [clean(line) for line in text.replace("\r\n", "\n").split("\n")]
    while lines and not lines[-1].strip():
        lines.pop()
    return lines or [""]


def is_hidden(letter: str) -> bool:
    """Whether a character must be escaped before it reaches a terminal."""
    return not letter.isprintable() and letter not in JOINERS and unicodedata.category(letter) in _ESCAPED


def _show(letter: str) -> str:
    if not is_hidden(letter):
        return letter
    code = ord(letter)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
