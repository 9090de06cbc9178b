"""Kinds of data that a space names itself, by a pattern in a small part of the usual syntax.

A pattern may have letters, digits, spaces and signs; `\\d`, `\\w` and sets such as `[A-Z0-9]`; groups with choices,
`(DE|FR)`; and `?`, `{3}` or `{2,6}` after any of these. There is nothing without an upper limit, and a repetition never
gives back what it took. So the cost of a search grows with the length of the text alone, whatever the pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from heldtrue.domain.limits import OWN_SHAPE_CHARS_MAX, OWN_SHAPE_CHARS_MIN, OWN_SHAPE_PATTERN_CHARS_MAX
from heldtrue.language.findings import Finding, compiled

_REPEAT = re.compile(r"\{(\d{1,3})(?:,(\d{1,3}))?\}")
_SET = re.compile(r"\[(?:\\[dw.^$*+?()\[\]{}|/\\-]|[A-Za-z0-9 _.,:;/#@&=+*?!%$()-])+\]")
_ESCAPED = re.compile(r"\\[dw.^$*+?()\[\]{}|/\\-]")
_PLAIN = re.compile(r"[^\W_]|[ _,:;/#@&=!%<>~'\"-]")


class UnsafeShape(ValueError):
    """A pattern that uses more than the allowed syntax; the message says what and where."""


def compile_shape(pattern: str) -> re.Pattern[str]:
    """The pattern as it is searched for; raises `UnsafeShape` with the reason."""
    if len(pattern) > OWN_SHAPE_PATTERN_CHARS_MAX:
        raise UnsafeShape(f"it is longer than {OWN_SHAPE_PATTERN_CHARS_MAX} characters")
    reading = _Reading(pattern)
    made, least, most = reading.read_choices()
    if reading.place < len(pattern):
        raise UnsafeShape(f"it has an unmatched ) at position {reading.place + 1}")
    if least < OWN_SHAPE_CHARS_MIN:
        raise UnsafeShape(f"it matches texts of fewer than {OWN_SHAPE_CHARS_MIN} characters")
    if most > OWN_SHAPE_CHARS_MAX:
        raise UnsafeShape(f"it matches texts of more than {OWN_SHAPE_CHARS_MAX} characters")
    try:
        return compiled(rf"(?<!\w)(?>{made})(?!\w)")
    except re.error as problem:
        raise UnsafeShape(f"it cannot be read: {problem.msg}") from None


def find_own_shapes(text: str, shapes: Mapping[str, str]) -> Iterator[Finding]:
    """What the space's own patterns find."""
    for kind, pattern in shapes.items():
        for match in compile_shape(pattern).finditer(text):
            yield Finding(kind, match.start(), match.end())


class _Reading:
    """Reads a pattern from left to right, and writes one that cannot go back: groups and repetitions are atomic."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self.place = 0

    def read_choices(self) -> tuple[str, int, int]:
        """Alternatives, with the least and the most characters that they match."""
        parts = [self._read_sequence()]
        while self._pattern.startswith("|", self.place):
            self.place += 1
            parts.append(self._read_sequence())
        return "|".join(made for made, _, _ in parts), min(part[1] for part in parts), max(part[2] for part in parts)

    def _read_sequence(self) -> tuple[str, int, int]:
        made, least, most = "", 0, 0
        while self.place < len(self._pattern) and self._pattern[self.place] not in "|)":
            atom, shortest, longest = self._read_atom()
            times, fewest, often = self._read_repeat()
            made += atom + times
            least, most = least + shortest * fewest, most + longest * often
        return made, least, most

    def _read_atom(self) -> tuple[str, int, int]:
        if self._pattern.startswith("(", self.place):
            self.place += 1
            made, least, most = self.read_choices()
            if not self._pattern.startswith(")", self.place):
                raise UnsafeShape("it has an unmatched (")
            self.place += 1
            return f"(?>{made})", least, most
        for rule in (_SET, _ESCAPED, _PLAIN):
            if match := rule.match(self._pattern, self.place):
                self.place = match.end()
                return match[0] if rule is not _PLAIN else re.escape(match[0]), 1, 1
        raise UnsafeShape(
            f"{self._pattern[self.place]!r} at position {self.place + 1} is not allowed; use letters, digits, \\d, "
            "\\w, [A-Z0-9], (A|B), ?, {3} and {2,6}, and put \\ before a sign"
        )

    def _read_repeat(self) -> tuple[str, int, int]:
        if self._pattern.startswith("?", self.place):
            self.place += 1
            return "?+", 0, 1
        if match := _REPEAT.match(self._pattern, self.place):
            self.place = match.end()
            fewest, often = int(match[1]), int(match[2] or match[1])
            if often < max(fewest, 1):
                raise UnsafeShape(f"{match[0]} at position {match.start() + 1} is not a range")
            return f"{{{fewest},{often}}}+", fewest, often
        return "", 1, 1
