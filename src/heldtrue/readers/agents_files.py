"""Instructions for coding agents (CLAUDE.md, AGENTS.md, .cursorrules and so on): each rule is a convention."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from heldtrue.readers.feeds import Feed
from heldtrue.readers.notes import MarkdownNote, read_note
from heldtrue.readers.remarks import make_remark
from heldtrue.readers.values import Remark, Skipped, Value

FILES = re.compile(
    r"(?:^|/)(?:CLAUDE(?:\.local)?\.md|AGENTS\.md|GEMINI\.md|\.cursorrules|\.windsurfrules"
    r"|\.github/copilot-instructions\.md|\.cursor/rules/(?:[^/]+/)*[^/]+\.mdc)$"
)
SHOWN = frozenset({".cursorrules", ".windsurfrules", ".github", ".cursor"})
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(\S.*)")
_ITEM = re.compile(r"([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(\S.*)")
_IMPORT = re.compile(r"@\S+")
_RULE = re.compile(r"[ \t]*(?:[-*_][ \t]*){3,}")


@dataclass
class _Rule:
    """A rule as it grows line by line."""

    line: int
    indent: int
    """Of a list item, in characters; -1 for a paragraph."""
    lines: list[str] = field(default_factory=list)

    def words(self) -> str:
        return "\n".join(self.lines).strip("\n")


def read_agents_file(feed: Feed) -> Iterator[Value]:
    """Each list item and paragraph as a remark with its line, under the heading it stands below."""
    for found in read_note(feed):
        if isinstance(found, MarkdownNote):
            yield from _read_rules(found)
        else:
            yield found


def _read_rules(note: MarkdownNote) -> Iterator[Value]:
    heading: str | None = None
    leads: list[_Rule] = []
    waiting = False  # whether the last lead has introduced nothing yet
    for found in [*_group(note), ""]:
        is_inner = isinstance(found, _Rule) and bool(leads) and found.indent > leads[-1].indent
        if waiting and not is_inner:
            yield _make(note, leads[-1], leads[:-1], heading)
        waiting = False
        if isinstance(found, str):
            heading, leads = found, []
            continue
        while leads and leads[-1].indent >= found.indent:
            leads.pop()
        if found.words().endswith(":"):
            leads.append(found)
            waiting = True
        else:
            yield _make(note, found, leads, heading)


def _make(note: MarkdownNote, rule: _Rule, leads: list[_Rule], heading: str | None) -> Remark | Skipped:
    """A rule with the words that introduce the list it stands in."""
    where, words = f"{note.path}:{rule.line}", rule.words()
    if _IMPORT.fullmatch(words):
        return Skipped(path=where, reason="it refers to another file, which is not read")
    whole = " ".join([*(lead.words() for lead in leads[-2:]), words])
    return make_remark(whole, origin=where, kind="convention", subject=heading, tags=[note.title])


def _group(note: MarkdownNote) -> Iterator[str | _Rule]:
    """Headings and rules in order; a block of code belongs to the rule before it."""
    rule: _Rule | None = None
    fence = ""
    for number, line in enumerate(_without_comments(note.text).split("\n"), 1):
        if number <= note.front.lines:
            continue
        stripped = line.strip()
        if fence or stripped.startswith(("```", "~~~")):
            rule = rule or _Rule(number, -1)
            rule.lines.append(line)
            fence = _fence_after(fence, stripped)
        elif rule is not None and _goes_on(rule, line):
            rule.lines.append(stripped)
        else:
            if rule is not None:
                yield rule
            rule = _begin(number, line)
            if found := _HEADING.fullmatch(line):
                yield found[1].strip(" \t#")
    if rule is not None:
        yield rule


def _fence_after(fence: str, line: str) -> str:
    """The fence of code that is open after a line; empty where none is."""
    return "" if fence and line.startswith(fence) else fence or line[:3]


def _goes_on(rule: _Rule, line: str) -> bool:
    """Whether a line is more of a rule: a blank one may be, and text that follows without a blank line."""
    if not line.strip():
        return True
    is_new = _HEADING.fullmatch(line) or _ITEM.fullmatch(line) or _RULE.fullmatch(line)
    return not is_new and bool(rule.lines[-1].strip())


def _begin(number: int, line: str) -> _Rule | None:
    if item := _ITEM.fullmatch(line):
        return _Rule(number, len(item[1].expandtabs(4)), [item[2]])
    is_none = not line.strip() or _HEADING.fullmatch(line) or _RULE.fullmatch(line)
    return None if is_none else _Rule(number, -1, [line.strip()])


def _without_comments(text: str) -> str:
    """The text with its comments blanked, line for line."""
    kept: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0:
        end = text.find("-->", start)
        end = len(text) if end < 0 else end + 3
        kept += [text[at:start], "\n" * text.count("\n", start, end)]
        at = end
    return "".join([*kept, text[at:]])
