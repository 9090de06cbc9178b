"""The labelled messages and snippets, and what has to hold of them.

The reader is trained on `tuning`, `second` and `voices_a` to `voices_c`, less their development items; `aside` and
`voices_d` have other subjects and are only measured, like the sets in `bench/held_out/units`, which have the form of
the training files. In `must`, a string is wanted as it stands, without regard to case; `a|b` wants one of the two.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import msgspec

from heldtrue.domain.memory import Kind

FOLDER = Path(__file__).parent
TRAINING = FOLDER.parents[1] / "packages/heldtrue-reader/training"
HELD_OUT = FOLDER.parent / "held_out/units"
TRAINED_SETS = ("tuning", "second", "voices_a", "voices_b", "voices_c")
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
    optional: tuple[str, ...] = ()
    """Spans on which careful people would differ: finding them is neither right nor false."""


def read_set(name: str, folder: Path = FOLDER) -> list[Labelled]:
    """A set by its name, in the order of its file."""
    lines = (folder / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [msgspec.json.decode(line, type=Labelled) for line in lines]


def read_unit_file(path: Path) -> list[Labelled]:
    """The items of a file in the form of the training files."""
    return [
        _as_labelled(f"{path.stem}-{number:04}", item)
        for number, item in enumerate(_training("labels").read_units(path.read_text("utf-8")), 1)
    ]


def read_development() -> list[Labelled]:
    """The items that the reader was not trained on, to choose thresholds by."""
    items = [item for name in TRAINED_SETS for item in read_set(name)]
    items += [item for path in sorted((TRAINING / "units").glob("*.txt")) for item in read_unit_file(path)]
    return [item for item in items if is_development(item.text)]


def is_development(text: str) -> bool:
    """Whether training leaves a text out, as its own programs say."""
    held: bool = _training("examples")._is_dev(text)
    return held


def _training(name: str) -> Any:
    """A module of the training programs, which are not a package."""
    if str(TRAINING) not in sys.path:
        sys.path.append(str(TRAINING))
    return import_module(name)


def _as_labelled(name: str, item: Any) -> Labelled:
    header = item.header
    speaker, _, said = item.before.partition(": ")
    return Labelled(
        id=name,
        sort="document" if header.get("sort") == "document" else "message",
        domain=header.get("genre", ""),
        register="",
        language=header.get("lang", "en"),
        at=header.get("date", "2026-01-01"),
        text=item.text,
        facts=tuple(
            Fact(
                kind=Kind(fact.kinds[0]),
                also=tuple(map(Kind, fact.kinds[1:])),
                must=fact.must,
                span=fact.span,
                strength="explicit",
            )
            for fact in item.facts
            if fact.kinds
        ),
        project=header.get("project"),
        speaker=header["speaker"].replace("_", " ") if "speaker" in header else None,
        role=header.get("role", "user"),
        before=(Turn(speaker=speaker, text=said),) if item.before else (),
        path=header.get("path"),
        optional=tuple(fact.span for fact in item.facts if not fact.kinds),
    )


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
