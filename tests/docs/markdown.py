"""Reads Markdown just far enough to run its code blocks and to follow its links."""

import re
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,}|~{3,})\s*(?P<language>[\w+-]*)(?P<rest>[^`]*)$")
NOT_RUN = re.compile(r"<!--\s*not run:\s*\S.*-->")
INLINE_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
INLINE_LINK = re.compile(r"\]\(\s*<?([^)<>\s]+)>?(?:\s+[\"'][^)]*)?\s*\)")
REFERENCE_LINK = re.compile(r"^ {0,3}\[[^\]]+\]:\s*<?(\S+?)>?(?:\s|$)")
SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)


@dataclass(frozen=True)
class Block:
    """One fenced code block."""

    language: str
    text: str
    line: int
    """The number, counted from 1, of the first line inside the fence."""
    is_run: bool
    """False where a comment `<!-- not run: reason -->` stands just before the block."""


def read_blocks(markdown: str) -> list[Block]:
    """The fenced code blocks of a document, in order."""
    blocks: list[Block] = []
    lines = markdown.splitlines()
    before = ""
    number = 0
    while number < len(lines):
        opening = FENCE.match(lines[number])
        if opening is None:
            before = lines[number].strip() or before
            number += 1
            continue
        inside = lines_until_closed(lines[number + 1 :], opening["fence"])
        text = "".join(f"{strip_indent(line, len(opening['indent']))}\n" for line in inside)
        blocks.append(Block(opening["language"], text, number + 2, NOT_RUN.search(before) is None))
        before = ""
        number += len(inside) + 2
    return blocks


def lines_until_closed(lines: list[str], fence: str) -> list[str]:
    """The lines before the one that closes a fence, or all of them."""
    for count, line in enumerate(lines):
        closing = line.strip()
        if closing.startswith(fence) and not closing.strip(fence[0]):
            return lines[:count]
    return lines


def strip_indent(line: str, width: int) -> str:
    """A line without the indent that its fence has, as in a list."""
    return line[min(width, len(line) - len(line.lstrip(" "))) :]


def read_relative_links(markdown: str) -> list[str]:
    """The paths that a document links to beside it, without anchors and without other sites."""
    links: list[str] = []
    for line in lines_outside_fences(markdown):
        prose = INLINE_CODE.sub("", line)
        links += INLINE_LINK.findall(prose)
        links += REFERENCE_LINK.findall(prose)
    paths = (link.partition("#")[0] for link in links if not SCHEME.match(link))
    return [path for path in paths if path]


def lines_outside_fences(markdown: str) -> list[str]:
    """The lines of a document that are not inside a code block."""
    lines = markdown.splitlines()
    for block in reversed(read_blocks(markdown)):
        del lines[block.line - 2 : block.line + block.text.count("\n")]
    return lines


def documents(project: Path) -> list[Path]:
    """The documents that come with the project and whose examples must work."""
    at_the_top = ("README.md", "ARCHITECTURE.md", "DOMAIN.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
    return [path for name in at_the_top if (path := project / name).exists()] + sorted((project / "docs").rglob("*.md"))
