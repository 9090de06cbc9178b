"""A text without the tags of HTML and XML, every character in its place: cells become cells, rows become lines."""

from __future__ import annotations

import re

from heldtrue.language.findings import compiled

_TAG = r"<[/!]?[A-Za-z][^<>]{0,200}>"
_SIGNS = {"td": "|", "th": "|", "br": "\n", "/dt": ":", "/p": "\n", "/li": "\n", "/div": "\n"}
_ROW_END = "</tr>"


def has_markup(text: str) -> bool:
    """Whether a text has anything that tags lay out or mark."""
    return "</" in text or "<br" in text


def without_tags(text: str) -> str:
    """The text as a reader sees it, of the same length, so that places can be compared."""
    parts = compiled(r"(?i)</tr>").split(text)
    joined = _ROW_END.join([*(_join_row(part) for part in parts[:-1]), parts[-1]])
    return compiled(_TAG).sub(_blank_tag, joined)


def _join_row(part: str) -> str:
    """What stands before the end of a row, with the cells of that row on one line."""
    start = max(part.rfind("<tr"), part.rfind("<TR"))
    return part if start == -1 else part[:start] + part[start:].replace("\n", " ").replace("|", " ")


def _blank_tag(tag: re.Match[str]) -> str:
    name = compiled(r"/?[A-Za-z]+").search(tag[0])
    low_name = name[0].lower() if name else ""
    if low_name == "/tr":
        rest = tag.string[tag.end() : tag.end() + 20].lstrip(" \t")
        return " " * len(tag[0]) if rest.startswith("\n") else "\n".ljust(len(tag[0]))
    return _SIGNS.get(low_name, " ").ljust(len(tag[0]))
