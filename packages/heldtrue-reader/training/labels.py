"""Reads the labelled texts, and says what is wrong with them: `python labels.py FILE...`."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

KINDS = (
    "profile",
    "preference",
    "decision",
    "convention",
    "pattern",
    "project",
    "task_hint",
    "lesson",
    "entity",
    "claim",
    "note",
)
ACTS = ("statement", "opinion", "chatter", "instruction", "transcript")
MARKS = {"=": "says", "+": "contains", "!": "contradicts", "~": "sibling", "^": "near_miss"}
ROLES = ("user", "assistant", "tool")
MUSTS = re.compile(r"\s*;\s*")


@dataclass
class Fact:
    """A span that is worth keeping; `kinds` is empty where careful people would differ."""

    kinds: tuple[str, ...]
    span: str
    must: tuple[str, ...]


@dataclass
class Item:
    """A labelled message or snippet."""

    header: dict[str, str]
    before: str
    text: str
    facts: list[Fact] = field(default_factory=list)


@dataclass
class PairFact:
    """A fact with the sentences that stand in a relation to it, as (language, relation, sentence)."""

    domain: str
    text: str
    others: list[tuple[str, str, str]] = field(default_factory=list)


def read_units(text: str) -> list[Item]:
    return [_read_item(block.strip("\n")) for block in re.split(r"^---\s*$", text, flags=re.M) if block.strip()]


def _read_item(block: str) -> Item:
    lines = block.split("\n")
    header = dict(part.split("=", 1) for part in lines[0].removeprefix("@").split() if "=" in part)
    item = Item(header if lines[0].startswith("@") else {}, "", "")
    body = lines[1:]
    if body and body[0].startswith("< "):
        item.before = body.pop(0)[2:]
    while body and re.match(r"(- [a-z_]+(,[a-z_]+)* \| |\? \| )", body[-1]):
        item.facts.insert(0, _read_fact(body.pop()))
    item.text = "\n".join(body)
    return item


def _read_fact(line: str) -> Fact:
    if line.startswith("?"):
        return Fact((), line.split("|", 1)[1].strip(), ())
    kinds, _, rest = line[2:].partition(" | ")
    span, _, must = rest.partition(" | ")
    return Fact(tuple(kinds.split(",")), span.strip(), tuple(m for m in MUSTS.split(must.strip()) if m))


def read_pairs(text: str) -> list[PairFact]:
    facts: list[PairFact] = []
    domain = ""
    for line in filter(None, map(str.strip, text.split("\n"))):
        if line.startswith("#"):
            domain = line[1:].strip()
        elif line[0] in MARKS:
            facts[-1].others += [("en", MARKS[line[0]], s.strip()) for s in line[1:].split("|") if s.strip()]
        elif line.startswith("@"):
            language, _, rest = line[1:].partition(" ")
            for sentence in filter(None, map(str.strip, rest.split("|"))):
                facts[-1].others.append((language, MARKS[sentence[0]], sentence[1:].strip()))
        else:
            facts.append(PairFact(domain, line))
    return facts


def read_statements(text: str) -> list[tuple[str, str]]:
    rows = [line.split("\t", 1) for line in text.split("\n") if line.strip()]
    return [(row[0].strip(), row[-1].replace("\\n", "\n")) for row in rows]


def faults_of(path: Path) -> list[str]:
    text = path.read_text("utf-8")
    if path.parent.name == "units":
        return [fault for n, item in enumerate(read_units(text), 1) for fault in _item_faults(n, item)]
    if path.parent.name == "pairs":
        return [f for fact in read_pairs(text) for f in _pair_faults(fact)]
    return [f"{label!r} is no label: {said[:50]}" for label, said in read_statements(text) if label not in ACTS]


def _item_faults(number: int, item: Item) -> list[str]:
    where = f"item {number} ({item.text[:40]!r})"
    faults = [f"{where}: {name} is missing" for name in ("role", "date", "genre") if name not in item.header]
    if item.header.get("role", "user") not in ROLES:
        faults.append(f"{where}: role is user, assistant or tool")
    try:
        date.fromisoformat(item.header.get("date", "2026-01-01"))
    except ValueError:
        faults.append(f"{where}: the date is written 2026-03-02")
    if not item.text.strip():
        faults.append(f"{where}: there is no text")
    for fact in item.facts:
        if fact.span not in item.text:
            faults.append(f"{where}: the span is not in the text as it stands: {fact.span!r}")
        faults += [f"{where}: {kind!r} is no kind" for kind in fact.kinds if kind not in KINDS]
        if fact.kinds and not fact.must:
            faults.append(f"{where}: nothing has to be said: {fact.span!r}")
    return faults


def _pair_faults(fact: PairFact) -> list[str]:
    relations = {relation for language, relation, _ in fact.others if language == "en"}
    return [f"{fact.text[:50]!r}: {name} is missing" for name in MARKS.values() if name not in relations]


def _counts_of(path: Path) -> str:
    text = path.read_text("utf-8")
    if path.parent.name == "units":
        items = read_units(text)
        kinds = [kind for item in items for fact in item.facts for kind in fact.kinds[:1]]
        empty = sum(not item.facts for item in items)
        table = ", ".join(f"{kind} {kinds.count(kind)}" for kind in KINDS)
        return f"{len(items)} items, {empty} empty; {table}"
    if path.parent.name == "pairs":
        facts = read_pairs(text)
        return f"{len(facts)} facts, {sum(len(fact.others) for fact in facts)} sentences"
    return f"{len(read_statements(text))} texts"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(f"{name}: {_counts_of(Path(name))}")
        for found in faults_of(Path(name)):
            print("  ", found)
