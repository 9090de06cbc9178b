"""A page of output: lines of styled words. Every word is made safe here, so no renderer can forget it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from heldtrue.domain.limits import NUMBERED_LINES_MAX
from heldtrue.surfaces.cli.screen import Screen
from heldtrue.surfaces.cli.text import width_of, wrap
from heldtrue.surfaces.safe_text import clean

if TYPE_CHECKING:
    from heldtrue.surfaces.cli.options import Options

Ink = tuple[str, tuple[str, ...]]
"""A text and its styles."""
Words = str | Ink
LABEL_WIDTH = 8


class Line(NamedTuple):
    """An item on a numbered line of a listing."""

    what: str
    """memory, source, conflict, job, recall, view or agent."""
    id: str
    state: str = ""
    """The status and version, to detect a later change; empty for items that never change."""
    text: str = ""


def ink(text: object, *styles: str) -> Ink:
    return str(text), styles


def dim(text: object) -> Ink:
    return str(text), ("dim",)


def bold(text: object) -> Ink:
    return str(text), ("bold",)


def inked(words: Words) -> Ink:
    return (words, ()) if isinstance(words, str) else words


class Page:
    """Collects the lines of one answer for one screen."""

    def __init__(self, screen: Screen, now: int, typed: Sequence[str] = (), *, compact: bool = False) -> None:
        self._screen = screen
        self.now = now
        self.typed = typed
        """The command line of this page, for the command that continues it."""
        self.compact = compact
        """Whether a listing has one line per item."""
        self.listed: list[list[Line]] | None = None
        """The numbered lines so far; a line may show several items, such as a memory and its conflict."""
        self.width = screen.width
        self.is_terminal = screen.is_terminal
        self._lines: list[str] = []

    def line(self, *words: Words) -> None:
        """One line, not wrapped."""
        pieces = (inked(word) for word in words)
        self._lines.append("".join(self._screen.paint(clean(text), *styles) for text, styles in pieces).rstrip())

    def begin_listing(self) -> None:
        """Mark the page as a listing, even if it is empty."""
        self.listed = self.listed or []

    def number(self, *shown: Line) -> str:
        """The number of the next line of a listing, which shows these items."""
        self.begin_listing()
        assert self.listed is not None
        if len(self.listed) >= NUMBERED_LINES_MAX:
            return "   "
        self.listed.append(list(shown))
        return f"{len(self.listed):>3}"

    def gap(self) -> None:
        """One blank line, never two, never first."""
        if self._lines and self._lines[-1]:
            self._lines.append("")

    def text(self, words: Words, *, indent: int = 0, first: Ink | None = None) -> None:
        """A wrapped text; `first` is put into the indent of its first line."""
        content, styles = inked(words)
        margin = " " * indent
        if first is not None and width_of(clean(first[0])) >= indent:
            self.line(first)
            first = None
        for index, piece in enumerate(wrap(content, self.width - indent)):
            lead: tuple[Words, ...] = (margin,)
            if index == 0 and first is not None:
                lead = (first, " " * (indent - width_of(clean(first[0]))))
            self.line(*lead, ink(piece, *styles))

    def row(self, label: str, words: Words, *, indent: int = 2, color: str = "dim") -> None:
        """A text with a label: the label in a narrow column, the text wrapped beside it."""
        self.text(words, indent=indent + LABEL_WIDTH, first=ink(" " * indent + label, color))

    def list(self, words: Iterable[Words], *, indent: int = 2, label: str = "", between: str = " · ") -> None:
        """Short texts in a row, wrapped between them."""
        start: list[Words] = [ink(" " * indent + label.ljust(LABEL_WIDTH if label else 0), "dim")]
        edge = indent + (LABEL_WIDTH if label else 0)
        current, taken = list(start), edge
        for word in words:
            text, styles = inked(word)
            columns = width_of(clean(text))
            if taken > edge and taken + len(between) + columns > self.width:
                self.line(*current)
                current, taken = [" " * edge], edge
            if taken > edge:
                current.append(dim(between))
                taken += len(between)
            current.append(ink(text, *styles))
            taken += columns
        if taken > edge:
            self.line(*current)

    def title(self, text: str) -> None:
        """A heading inside an answer."""
        self.gap()
        self.line("  ", bold(text))

    def __str__(self) -> str:
        lines = self._lines
        while lines and not lines[-1]:
            lines.pop()
        return "".join(f"{line}\n" for line in lines)


def note(text: str, options: Options) -> None:
    """Print a note to a person at a terminal, apart from the answer."""
    screen = Screen(sys.stderr, options.color)
    if screen.is_terminal and not (options.json or options.quiet):
        page = Page(screen, 0)
        page.text(dim(text))
        screen.write(str(page))
