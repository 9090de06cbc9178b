"""What in a text is nobody's statement: code, logs, quoted lines, tables. It is blanked, and every offset stays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from heldtrue.domain.limits import EXTRACTION_CHARS_MAX

_SIGNS = frozenset("`~>|{}[]<>$;=\t#@/\\_")
_LOG = r"""(?x)^\s{0,8}(?:
    \[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d | \[?\d\d:\d\d:\d\d | (?:[A-Z][a-z]{2}\s+\d{1,2}\s\d\d:\d\d:\d\d)
  | (?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL|TRACE|CRITICAL)\b[:\s\]] | \[(?:debug|info|warn|warning|error|fatal)\]
  | Traceback\s\(most | File\s"[^"\n]{1,300}",\sline\s\d | \s*at\s[\w.$<>]{1,200}\( | [A-Z]\w{1,60}(?:Error
    |Exception):
  | HTTP/\d | (?:npm|yarn|pip|cargo)\s(?:WARN|ERR|warning|error|notice) | [dl-][rwxst-]{9}\s | total\s\d+$
  | (?:diff\s--git|index\s[0-9a-f]{7}|@@\s|\+\+\+\s|---\s[ab]/) | \$\s\w | >>>\s | \d+\spassed\b | \d+\sfailed\b
)"""
_CODE = r"""(?x)^(?:
    \s*(?:def|class|async\sdef)\s\w{1,80}\s?[(:] | \s*(?:from\s[\w.]{1,80}\simport\s|import\s[\w.{*]{1,80}(?:;|$
    |\sas\s))
  | \s*(?:const|let|var|public|private|protected|static|export|fn|func|function|package|use|namespace)\s[\w*{<]{1,80}
      .{0,200}[;{=(]\s*$
  | \s*(?:if|for|while|switch|elif|else|try|except|catch|with)\b.{0,200}[{:]\s*$ | \s*return\b.{0,200}[;()\[\]]\s*$
  | \s*[\w.\[\]]{1,80}\s?(?:=|:=|\+=|-=)\s?[\w"'(\[{].{0,300}$ | .{0,300}[;{}]\s*$ | \s*[}\])]+[;,]?\s*$
  | \s*</?\w{1,40}[\s>/] | \s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP)\s.{0,200}\b(?:FROM|INTO|SET|TABLE
    |INDEX)\b
  | \s{4,}[\w.]{1,80}\(.{0,200}\)\s*$ | \s*@\w{1,60}(?:\(|$) | \s*//.{0,300}$ | \s*/\*
)"""
_ROW = r"^\s*\|.{0,2000}\|\s*$|^[^|\n]{0,200}(?:\|[^|\n]{0,200}){2,40}$"
_CSV = r"^[^\s,;][^,;\n]{0,60}(?:([,;])[^\s,;][^,;\n]{0,60})(?:\1[^,;\n]{0,61}){1,40}$"
"""Each place of it can be read in one way only: with two, a line of more columns took the time of a universe."""
_HEADER = r"^[A-Za-z][\w-]{1,40}:\s\S{1,80}$"
_LEAST_PASTED = 3
_WORDS_AMONG_PASTED = 5
_DATA = r"^\s*[\[{].{0,4000}[\]},]\s*$"


@cache
def _rules() -> dict[str, re.Pattern[str]]:
    table = {"log": _LOG, "code": _CODE, "row": _ROW, "csv": _CSV, "data": _DATA, "comment": r"^\s*#\s"}
    return {name: re.compile(pattern) for name, pattern in table.items()}


def blank_non_statements(text: str, *, keeps_tables: bool = False) -> str:
    """The text with what is no statement blanked out; as long as before, up to the longest that is read."""
    text = text[:EXTRACTION_CHARS_MAX].replace("’", "'").replace("\u00a0", " ").replace("\r", " ")
    if _SIGNS.isdisjoint(text) and not _may_be_log(text):
        return text
    lines = text.split("\n")
    kinds = list(_name_lines(lines))
    if not keeps_tables and _is_mostly_code(lines, kinds):
        return _blank(text)
    dropped = {"fence", "log", "code", "data", "quote", "csv"} | (set() if keeps_tables else {"row"})
    return "\n".join(_blank(line) if kind in dropped else line for line, kind in zip(lines, kinds, strict=True))


def is_machine_output(text: str) -> bool:
    """Whether a text is a paste of logs or code: at least three such lines, and fewer than one in five that is not."""
    lines = text[:EXTRACTION_CHARS_MAX].split("\n")
    filled = [kind for line, kind in zip(lines, _name_lines(lines), strict=True) if line.strip() and kind != "comment"]
    machine = sum(kind in ("log", "code") for kind in filled)
    return machine >= _LEAST_PASTED and (len(filled) - machine) * _WORDS_AMONG_PASTED < len(filled)


def _may_be_log(text: str) -> bool:
    return "\n" in text or any(char.isdigit() for char in text[:12]) or "Traceback" in text or ";" in text


def _blank(line: str) -> str:
    return "".join(char if char == "\n" else " " for char in line)


def _name_lines(lines: list[str]) -> Iterator[str]:
    """What each line is: `fence`, `quote`, `log`, `code`, `row`, `csv`, `data`, `comment` or `words`."""
    rules = _rules()
    fence = ""
    for line in lines:
        stripped = line.lstrip()
        mark = stripped[:3]
        if fence:
            yield "fence"
            fence = "" if mark == fence else fence
        elif mark in ("```", "~~~"):
            fence = mark
            yield "fence"
        elif stripped.startswith(">") and not stripped.startswith(">>>"):
            yield "quote"
        else:
            yield next((name for name, rule in rules.items() if rule.match(line[:4096])), "words")


def _is_mostly_code(lines: list[str], kinds: list[str]) -> bool:
    """Whether the message is a paste: its lines are code, logs or rows, and what is between them is their comment."""
    filled = [kind for line, kind in zip(lines, kinds, strict=True) if line.strip() and kind != "fence"]
    machine = sum(kind in ("log", "code", "row", "csv", "data") for kind in filled)
    return machine > 0 and machine * 2 >= len([kind for kind in filled if kind != "comment"])


def is_mostly_quoted(text: str) -> bool:
    """Whether most of a sentence stands in quotation marks."""
    if '"' not in text and "“" not in text and "«" not in text:
        return False
    quoted = sum(len(found) for found in re.findall(r"\"[^\"\n]{2,400}\"|“[^”\n]{2,400}”|«[^»\n]{2,400}»", text))
    return quoted * 2 > len(text)
