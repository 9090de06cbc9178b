"""A page of output: lines made of inked words. Every word is made harmless here, so no renderer can forget it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from heldtrue.surfaces.cli.screen import Screen
from heldtrue.surfaces.cli.text import width_of, wrap
from heldtrue.surfaces.safe_text import clean

Ink = tuple[str, tuple[str, ...]]
"""A text and its styles."""
Words = str | Ink
LABEL_WIDTH = 8


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

    def __init__(self, screen: Screen, now: int, typed: Sequence[str] = ()) -> None:
        self._screen = screen
        self.now = now
        self.typed = typed
        """What was typed to get this page, so that it can say how to go on."""
        self.width = screen.width
        self._lines: list[str] = []

    def line(self, *words: Words) -> None:
        """One line, as long as it is."""
        pieces = (inked(one) for one in words)
        self._lines.append("".join(self._screen.paint(clean(text), *styles) for text, styles in pieces).rstrip())

    def gap(self) -> None:
        """One blank line, never two, never first."""
        if self._lines and self._lines[-1]:
            self._lines.append("")

    def text(self, words: Words, *, indent: int = 0, first: Ink | None = None) -> None:
        """A text wrapped into the page; `first` stands in the indent of its first line."""
        content, styles = inked(words)
        margin = " " * indent
        if first is not None and width_of(clean(first[0])) >= indent:
            self.line(first)
            first = None
        for place, piece in enumerate(wrap(content, self.width - indent)):
            lead: tuple[Words, ...] = (margin,)
            if place == 0 and first is not None:
                lead = (first, " " * (indent - width_of(clean(first[0]))))
            self.line(*lead, ink(piece, *styles))

    def row(self, label: str, words: Words, *, indent: int = 2, color: str = "dim") -> None:
        """A labelled text: the label in a narrow column, the text wrapped beside it."""
        self.text(words, indent=indent + LABEL_WIDTH, first=ink(" " * indent + label, color))

    def list(self, words: Iterable[Words], *, indent: int = 2, label: str = "", between: str = " · ") -> None:
        """Short pieces in a row, broken between them where the page ends."""
        start: list[Words] = [ink(" " * indent + label.ljust(LABEL_WIDTH if label else 0), "dim")]
        edge = indent + (LABEL_WIDTH if label else 0)
        current, taken = list(start), edge
        for one in words:
            text, styles = inked(one)
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
