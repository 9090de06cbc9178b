"""A saved page as text: headings, lists and tables stay visible; scripts, styles and navigation are gone."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import msgspec

from heldtrue.domain.errors import InvalidInput
from heldtrue.domain.limits import LIST_LEVELS_MAX
from heldtrue.readers.plain import mend, shorten

_HIDDEN = re.compile(r"<!--|<(script|style|template|noscript|svg)(?=[\s/>])|<[!?]", re.IGNORECASE)
_SKIPPED = frozenset("nav iframe object button select textarea datalist dialog".split())
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_BLOCKS = frozenset(
    "address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form header hgroup "
    "html main p section summary table tbody thead tfoot".split()
)
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_BARE_ITEM = re.compile(r" *(?:-|\d+\.) ")
_BLANK_LINES = re.compile(r"\n{3,}")


class HtmlPage(msgspec.Struct, frozen=True):
    """What a page says."""

    title: str | None
    text: str


def read_html(markup: str) -> HtmlPage:
    """The title and the text of a page."""
    parser = _HtmlReader()
    try:
        parser.feed(_close_off(_cut_hidden(mend(markup))))
    except ValueError as problem:  # a character reference with more digits than a number may have
        raise InvalidInput("the page cannot be read: it contains an invalid character", field="path") from problem
    parser.close()
    lines = (line.rstrip() for line in parser.text().split("\n"))
    return HtmlPage(shorten(parser.title), _BLANK_LINES.sub("\n\n", "\n".join(lines)).strip("\n"))


def _cut_hidden(markup: str) -> str:
    """The page without what is never shown. Each look goes on where the last one ended, whatever the page holds."""
    kept: list[str] = []
    at = 0
    while (found := _HIDDEN.search(markup, at)) is not None:
        kept.append(markup[at : found.start()])
        if found[1]:
            end = re.compile(rf"</{found[1]}(?=[\s/>])", re.IGNORECASE).search(markup, found.end())
            after = markup.find(">", end.end()) + 1 if end else 0
            after = after or -1
        else:
            mark = "-->" if found[0] == "<!--" else ">"
            after = markup.find(mark, found.end()) + len(mark)
            after = after if after >= len(mark) else -1
        if after < 0:
            return "".join(kept)  # it is never closed: nothing after it is shown
        at = after
    return "".join([*kept, markup[at:]])


def _close_off(markup: str) -> str:
    """The page with what begins like a tag after the last one spelled as text: the parser would search it in vain."""
    last = markup.rfind(">") + 1
    return markup[:last] + markup[last:].replace("<", "&lt;")


class _HtmlReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self._out: list[str] = []
        self._skipping: list[str] = []
        """The element that is skipped, and those of the same name inside of it."""
        self._lists: list[int] = []
        """For each list that is open, its next number; 0 where it has none."""
        self._in_title = False
        self._verbatim = 0

    def text(self) -> str:
        return "".join(self._out)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._skipping:
            if tag == self._skipping[0]:
                self._skipping.append(tag)
        elif tag not in _VOID and (tag in _SKIPPED or _is_hidden(attrs)):
            self._skipping.append(tag)
        elif tag == "title":
            self._in_title = not self.title
        elif tag in _HEADINGS:
            self._write(f"\n\n{_HEADINGS[tag]}")
        else:
            self._open_block(tag)

    def _open_block(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._break("\n\n")
        elif tag in ("ul", "ol", "menu"):
            self._break("\n" if self._lists else "\n\n")
            self._lists = [*self._lists, int(tag == "ol")][:LIST_LEVELS_MAX]
        elif tag == "li":
            self._open_item()
        elif tag == "pre":
            self._verbatim += 1
            self._write("\n\n```\n")
        elif tag in ("br", "hr", "tr"):
            self._break("\n")
        elif tag in ("td", "th"):
            self._write("" if self._at_line_start() else " | ")

    def _drop_bare_item(self) -> None:
        """Take back the mark of an item that has nothing in it."""
        if self._out and _BARE_ITEM.fullmatch(self._out[-1]):
            self._out.pop()

    def _open_item(self) -> None:
        self._drop_bare_item()
        number = self._lists[-1] if self._lists else 0
        if number:
            self._lists[-1] += 1
        self._break("\n")
        self._write("  " * max(0, len(self._lists) - 1) + (f"{number}. " if number else "- "))

    def handle_endtag(self, tag: str) -> None:
        if self._skipping:
            if tag == self._skipping[0]:
                self._skipping.pop()
        elif tag == "title":
            self._in_title = False
        elif tag in _HEADINGS or tag in _BLOCKS:
            self._break("\n\n")
        elif tag in ("ul", "ol", "menu") and self._lists:
            self._drop_bare_item()
            self._lists.pop()
            self._break("\n" if self._lists else "\n\n")
        elif tag == "pre" and self._verbatim:
            self._verbatim -= 1
            self._write("\n```\n\n")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID and tag not in _BLOCKS:
            self.handle_endtag(tag)

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        elif self._skipping:
            return
        elif self._verbatim:
            self._write(data)
        else:
            words = " ".join(data.split())
            before = " " if data[:1].isspace() and not self._at_line_start() else ""
            after = " " if words and data[-1:].isspace() else ""
            self._write(before + words + after)

    def _write(self, text: str) -> None:
        if text:
            self._out.append(text)

    def _break(self, ends: str) -> None:
        """End the line, unless it is ended, or a list item has only just begun."""
        if not self._out or self._out[-1].endswith(("- ", ". ")):
            return
        if ends != "\n" or not self._out[-1].endswith("\n"):
            self._write(ends)

    def _at_line_start(self) -> bool:
        return not self._out or self._out[-1].endswith(("\n", " "))


def _is_hidden(attrs: list[tuple[str, str | None]]) -> bool:
    given = dict(attrs)
    style = (given.get("style") or "").replace(" ", "").lower()
    unseen = "hidden" in given or "display:none" in style or given.get("aria-hidden") == "true"
    return unseen or given.get("role") == "navigation"
