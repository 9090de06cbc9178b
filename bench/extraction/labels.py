"""The labelled messages and snippets, and what has to hold of them.

`tuning.jsonl` is there to write rules against, and `voices_a` to `voices_c` to learn weights from; `aside.jsonl` and
`voices_d.jsonl` have other subjects and are only measured. In `must`, a string is wanted as it stands, without regard
to case; `a|b` wants one of the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Literal

import msgspec

from heldtrue.domain.memory import Kind

FOLDER = Path(__file__).parent
SETS = ("tuning", "aside")
"""The files, in the order in which they are reported."""
_FOREIGN_MOST = 0.05


class Fact(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something that is worth keeping, and what a sentence has to contain to say it."""

    kind: Kind
    also: tuple[Kind, ...]
    must: tuple[str, ...]
    span: str
    strength: Literal["explicit", "implied", "inferred"]
    valid_from: str | None = None
    line: int | None = None


class Turn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something said before a message."""

    speaker: str | None
    text: str


class Labelled(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A message or a snippet of a document, with all that is worth keeping of it."""

    id: str
    sort: Literal["message", "document"]
    domain: str
    register: str
    language: str
    at: str
    text: str
    facts: tuple[Fact, ...]
    project: str | None = None
    speaker: str | None = None
    role: Literal["user", "assistant", "tool"] = "user"
    before: tuple[Turn, ...] = ()
    path: str | None = None


def read_set(name: str, folder: Path = FOLDER) -> list[Labelled]:
    """A set by its name, in the order of its file."""
    lines = (folder / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [msgspec.json.decode(line, type=Labelled) for line in lines]


def find_faults(items: Sequence[Labelled]) -> list[str]:
    """What is wrong with a set; nothing where its labels can be trusted to be well-formed."""
    faults = [fault for item in items for fault in _faults_of(item)]
    names = [item.id for item in items]
    faults += [f"{name}: the id is used twice" for name in sorted({name for name in names if names.count(name) > 1})]
    texts = [item.text for item in items]
    faults += [f"{item.id}: its text is there twice" for item in items if texts.count(item.text) > 1]
    messages = [item for item in items if item.sort == "message"]
    empty = sum(not item.facts for item in messages)
    if abs(2 * empty - len(messages)) > len(messages) * 0.05:
        faults.append(f"{empty} of {len(messages)} messages hold nothing, and not half of them")
    foreign = sum(item.language != "en" for item in items)
    if foreign > _FOREIGN_MOST * len(items):
        faults.append(f"{foreign} of {len(items)} are not in English")
    return faults


def _faults_of(item: Labelled) -> Iterator[str]:
    if not _is_date(item.at):
        yield f"{item.id}: {item.at!r} is no date"
    if item.sort == "message" and len(item.facts) > 3:
        yield f"{item.id}: it holds more than three facts"
    for fact in item.facts:
        if fact.span not in item.text:
            yield f"{item.id}: {fact.span!r} does not occur in it"
        if not fact.must or not all(choice.strip() for word in fact.must for choice in word.split("|")):
            yield f"{item.id}: nothing has to be said"
        if fact.valid_from is not None and not _is_date(fact.valid_from):
            yield f"{item.id}: {fact.valid_from!r} is no date"
        if fact.kind in fact.also:
            yield f"{item.id}: {fact.kind} is named twice"
        if item.sort == "document" and fact.line != line_of(item.text, item.text.find(fact.span)):
            yield f"{item.id}: {fact.span!r} is not in line {fact.line}"


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def line_of(text: str, offset: int) -> int:
    """The line of a place in a text, from 1."""
    return text.count("\n", 0, max(offset, 0)) + 1
