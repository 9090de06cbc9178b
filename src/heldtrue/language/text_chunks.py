"""Splits long texts into chunks that can be found and read on their own, with the headings that each stands under.

A cut is made where the text itself makes one: at a heading, a blank line, the end of a sentence, a line or a word, in
that order. Code blocks and tables stay whole where they fit. The chunks together are the whole text.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cache, lru_cache

import msgspec

from heldtrue.domain.limits import HEADING_BLANKS_MAX, HEADING_CHARS_MAX, HEADING_READ_CHARS_MAX, MARKS_IN_A_ROW_MAX
from heldtrue.language.guard import guarded

CHUNK_CHARS = 1200
_SECTION_SHARE = 4
"""A heading starts a new chunk once the chunk before it fills this part of the room: a quarter."""
_FILLED_AT_LEAST = 0.4
"""A chunk is not cut at a blank line or a sentence before it is filled so far."""


def _split_evenly(text: str, *, chars_max: int = CHUNK_CHARS, **_named: int) -> list[tuple[int, int]]:
    """Chunks of equal size, for a text whose layout could not be analysed."""
    room = max(1, chars_max)
    return [(start, min(start + room, len(text))) for start in range(0, len(text), room)]


@guarded(_split_evenly)
def split_chunks(text: str, *, chars_max: int = CHUNK_CHARS, overlap: int = 0) -> list[tuple[int, int]]:
    """Spans of at most `chars_max` characters that cover the text in order.

    With an overlap each span but the first starts up to so many characters earlier, at a word; half the room at most.
    """
    room = max(1, chars_max)
    shared = min(max(0, overlap), room // 2)
    layout = _read_layout(text)
    spans: list[tuple[int, int]] = []
    start = 0
    while start < len(text):
        end = _before_cluster(text, start, _find_cut(text, layout, start, room - shared))
        spans.append((_reach_back(text, start, shared), end))
        start = end
    return spans


# --- the layout of a text -----------------------------------------------------------------------------


class _Layout(msgspec.Struct, frozen=True):
    """Where a text may be cut between blocks, and what should stay whole; all in order."""

    headings: list[int]
    blanks: list[int]
    """Where a block begins after a blank line, and where code blocks and tables begin and end."""
    whole: list[tuple[int, int]]
    """Code blocks and tables."""
    titles: list[tuple[int, int, str]]
    """Each heading: where it begins, its level, its words."""


_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?$")
_UNDERLINE = re.compile(r" {0,3}(?:={3,}|-{3,})\s*$")
_NO_TITLE = ("|", "-", "*", "+", ">", "#", "`")


@lru_cache(maxsize=2)
def _read_layout(text: str) -> _Layout:
    """The layout, in one pass over the lines; the last two are kept, as the title of each piece needs it again."""
    layout = _Layout([], [], [], [])
    fence, block, kind = "", 0, ""
    before, before_at, after_blank = "", 0, True
    for start, line in _read_lines(text):
        stripped = line.strip()
        if kind == "code":
            if _closes(line, fence):
                _keep_whole(layout, block, start + len(line) + 1, len(text))
                kind, before = "", ""
            continue
        is_row = stripped[:1] == "|"
        if kind == "table" and not is_row:
            _keep_whole(layout, block, start, len(text))
            kind = ""
        if opening := _FENCE.match(line):
            fence, block, kind = opening[1], start, "code"
        elif is_row and not kind:
            block, kind = start, "table"
        elif not is_row:
            _read_heading(layout, start, line, before, before_at)
        if after_blank and stripped:
            layout.blanks.append(start)
        before, before_at, after_blank = line, start, not stripped
    if kind:
        _keep_whole(layout, block, len(text), len(text))
    layout.blanks.sort()
    return layout


def _read_lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield start, text[start:end]
        start = end + 1


def _closes(line: str, fence: str) -> bool:
    stripped = line.strip()
    return len(stripped) >= len(fence) and stripped == fence[0] * len(stripped)


def _keep_whole(layout: _Layout, start: int, end: int, length: int) -> None:
    layout.whole.append((start, min(end, length)))
    layout.blanks.extend((start, min(end, length)))


def _read_heading(layout: _Layout, start: int, line: str, before: str, before_at: int) -> None:
    """`## Install`, or a line of words over a ruler."""
    if line.lstrip(" ")[:1] == "#":
        if found := _HEADING.match(line.rstrip()):
            layout.headings.append(start)
            layout.titles.append((start, len(found[1]), found[2] or ""))
    elif before.strip() and not before.lstrip().startswith(_NO_TITLE) and _UNDERLINE.match(line):
        layout.headings.append(before_at)
        layout.titles.append((before_at, 1 if "=" in line else 2, before))


# --- where to cut -------------------------------------------------------------------------------------


def _find_cut(text: str, layout: _Layout, start: int, room: int) -> int:
    """The end of the piece that starts here."""
    limit = start + room
    section = bisect_left(layout.headings, start + max(1, room // _SECTION_SHARE))
    if section < len(layout.headings) and layout.headings[section] <= limit:
        return layout.headings[section]
    if limit >= len(text):
        return len(text)
    least = start + max(1, int(room * _FILLED_AT_LEAST))
    block = _block_at(layout, limit)
    inside = block is not None and block[0] <= start
    if not inside:
        blank = bisect_right(layout.blanks, limit) - 1
        # What begins in a block that stays whole is no place to cut, except where the block itself begins.
        if blank >= 0 and layout.blanks[blank] >= least:
            return layout.blanks[blank]
        if block is not None and block[1] - block[0] <= room:
            return block[0]
    return _cut_in_block(text, start, least, limit, prefers_lines=block is not None)


def _block_at(layout: _Layout, place: int) -> tuple[int, int] | None:
    """The code block or table that a place lies inside, not at its start or end."""
    found = bisect_left(layout.whole, (place,)) - 1
    if found < 0:
        return None
    start, end = layout.whole[found]
    return (start, end) if start < place < end else None


_NO_END = r"(?<!\n\d)(?<!\n\d\d)(?<!e\.g)(?<!i\.e)(?<!\bDr)(?<!\bMr)(?<!\bMrs)(?<!\bvs)"
"""Before a full stop that ends no sentence: the number of a list entry, an abbreviation."""
_SENTENCE_END = _NO_END + r"[.!?…][)\]\"'”’»]*\s+|[。！？｡؟।॥][)\]\"'”’»」』）]*\s*"


@cache
def _sentence_ends() -> re.Pattern[str]:
    return re.compile(_SENTENCE_END)


def _cut_in_block(text: str, start: int, least: int, limit: int, *, prefers_lines: bool) -> int:
    """The last end of a sentence, a line or a word that fits; anywhere where there is none."""
    line = text.rfind("\n", least - 1, limit) + 1
    if prefers_lines and line:
        return line
    sentence = 0
    for match in _sentence_ends().finditer(text, least - 1, limit):
        sentence = match.end()
    if sentence or line:
        return sentence or line
    for place in range(limit, max(start, limit - (limit - start) * 3 // 4), -1):
        if text[place - 1].isspace() or text[place - 1] in "、，；,;":
            return place
    return limit


def _before_cluster(text: str, start: int, place: int) -> int:
    """The place, moved back so that marks stay with their letter and the parts of an emoji together."""
    if place == len(text):
        return place
    for back in range(place, max(start, place - MARKS_IN_A_ROW_MAX - 2), -1):
        if not _joins(text, back):
            return back
    return place


def _joins(text: str, place: int) -> bool:
    """Whether what stands on both sides of a place shows as one character."""
    char, before = text[place], text[place - 1]
    if unicodedata.category(char)[0] == "M" or char in "\u200d\ufe0e\ufe0f" or "\U0001f3fb" <= char <= "\U0001f3ff":
        return True
    if before == "\u200d" or (before == "\r" and char == "\n"):
        return True
    if "\ud800" <= before <= "\udbff" and "\udc00" <= char <= "\udfff":
        return True
    # flags are pairs: keeping any two together keeps every pair
    return "\U0001f1e6" <= char <= "\U0001f1ff" and "\U0001f1e6" <= before <= "\U0001f1ff" and _is_second(text, place)


def _is_second(text: str, place: int) -> bool:
    """Whether the letter of a flag at this place is the second of its pair, counted from where the flags begin."""
    count = 0
    while count <= MARKS_IN_A_ROW_MAX and place > count and "\U0001f1e6" <= text[place - 1 - count] <= "\U0001f1ff":
        count += 1
    return count % 2 == 1


def _reach_back(text: str, start: int, shared: int) -> int:
    """Where a piece begins that repeats the end of the one before: at a word, no earlier than allowed."""
    if not shared or not start:
        return start
    earliest = max(0, start - shared)
    words = (place for place in range(earliest, start) if place == 0 or text[place - 1].isspace())
    letters = (place for place in range(earliest, start) if place == 0 or not _joins(text, place))
    return next(words, next(letters, start))


# --- what a piece is about ----------------------------------------------------------------------------

_MARKUP = re.compile(r"!?\[([^\[\]]{0,200})\]\([^()]{0,500}\)|[`*]+|\s#+\s*$")


@guarded(lambda _text, _start: "")
def context_title(text: str, start: int) -> str:
    """The Markdown headings under which a place stands, outermost first (`Guide > Install`), or nothing.

    A heading that begins at the place counts: it is the title of the piece that begins with it.
    """
    head = text[start : start + HEADING_BLANKS_MAX]
    start += len(head) - len(head.lstrip())
    titles = _read_titles(text)
    found = bisect_right(titles, start, key=lambda title: title[0])
    return titles[found - 1][1] if found else ""


@lru_cache(maxsize=2)
def _read_titles(text: str) -> list[tuple[int, str]]:
    """Each heading's place and the path that leads to it."""
    open_titles: list[tuple[int, str]] = []
    paths: list[tuple[int, str]] = []
    for start, level, words in _read_layout(text).titles:
        while open_titles and open_titles[-1][0] >= level:
            open_titles.pop()
        plain = " ".join(_MARKUP.sub(r"\1", words[:HEADING_READ_CHARS_MAX]).split())[:HEADING_CHARS_MAX]
        if plain:
            open_titles.append((level, plain))
        paths.append((start, " > ".join(title for _, title in open_titles)))
    return paths
