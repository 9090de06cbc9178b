"""Sentences with their offsets: lines, bullets and full stops cut; abbreviations, numbers and wrapped lines do not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import msgspec

from heldtrue.domain.limits import SENTENCE_CHARS_MAX

_BULLET = r"[ \t]{0,12}(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[([ xX])\][ \t]+)?"
_HEADING = r"[ \t]{0,3}#{1,6}[ \t]+"
_STOP = r"(?<![.!?…])[.!?…]++[\"')\]*_]{0,3}(?=\s)|[。！？]|(?<=\S);(?=\s)"
_ABBREVIATIONS = frozenset(
    "dr mr mrs ms prof st e.g i.e eg ie cf vs nr approx ca fig sec vol al resp dept bzw z.b usw d.h pp incl etc".split()
)
_WRAP_CHARS = 50
"""A line at least this long that ends without a stop goes on in a next line that starts small."""


class Sentence(msgspec.Struct, frozen=True, gc=False):
    """One sentence and where it stands."""

    text: str
    start: int
    end: int
    bullet: str = ""
    """Empty outside a list; `-` for an item, `[ ]` for an open box, `[x]` for a ticked one."""
    heading: int = 0
    """The level of a heading, 0 for running text."""


@cache
def _rules() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    return re.compile(_BULLET), re.compile(_HEADING), re.compile(_STOP)


def split_sentences(text: str) -> list[Sentence]:
    """Every sentence of a cleaned text, in order."""
    return [sentence for start, end in _read_blocks(text) for sentence in _split_block(text, start, end)]


def _read_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Stretches that belong together: a line, with the lines that only wrap it."""
    start = position = 0
    size = len(text)
    while position < size:
        newline = text.find("\n", position)
        end = newline if newline >= 0 else size
        position = end + 1
        if newline >= 0 and _goes_on(text, start, end):
            continue
        if text[start:end].strip():
            yield start, end
        start = position
    if start < size and text[start:].strip():
        yield start, size


def _goes_on(text: str, start: int, end: int) -> bool:
    last_line = text.rfind("\n", start, end) + 1 or start
    line = text[last_line:end].rstrip()
    following = text[end + 1 : end + 2]
    return len(line) >= _WRAP_CHARS and following.islower() and line[-1] not in ".!?:;…"


def _split_block(text: str, start: int, end: int) -> Iterator[Sentence]:
    bullet_rule, heading_rule, stop_rule = _rules()
    bullet, heading = "", 0
    if found := heading_rule.match(text, start, end):
        heading, start = found.group().count("#"), found.end()
    elif found := bullet_rule.match(text, start, end):
        bullet = "-" if found[1] is None else "[ ]" if found[1] == " " else "[x]"
        start = found.end()
    begin = start
    for stop in stop_rule.finditer(text, start, end):
        if _ends(text, begin, stop):
            yield from _make_sentence(text, begin, stop.end(), bullet, heading)
            begin = stop.end()
    yield from _make_sentence(text, begin, end, bullet, heading)


def _ends(text: str, begin: int, stop: re.Match[str]) -> bool:
    if stop.group()[0] != ".":
        return True
    before = text[max(begin, stop.start() - 12) : stop.start()].split()
    word = before[-1].lower().lstrip("(\"'") if before else ""
    if word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha() and before[-1].isupper()):
        return False
    return not (word.isdigit() and stop.start() - begin <= 3)


def _make_sentence(text: str, start: int, end: int, bullet: str, heading: int) -> Iterator[Sentence]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if 0 < end - start <= SENTENCE_CHARS_MAX:
        yield Sentence(text[start:end], start, end, bullet, heading)
