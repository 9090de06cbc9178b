"""Everything that is held about a person or a thing."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Annotated

import msgspec
from msgspec import Meta

from heldtrue.capabilities.about_items import AboutItem, make_item
from heldtrue.capabilities.about_page import say_time, write_page
from heldtrue.capabilities.arguments import Cursor, ListLimit
from heldtrue.capabilities.call import Call
from heldtrue.capabilities.declaration import FileUse, Group
from heldtrue.capabilities.file_access import SentFile
from heldtrue.capabilities.files import note_copy, target_file, whole_file
from heldtrue.capabilities.parameters import Mark, Metavar, Request
from heldtrue.capabilities.reading import read_cursor
from heldtrue.capabilities.registry import capability
from heldtrue.capabilities.shapes import EntryName, ListPage, When
from heldtrue.capabilities.views import to_iso
from heldtrue.domain import limits
from heldtrue.domain.action import Audience, Effect
from heldtrue.domain.errors import InvalidInput
from heldtrue.domain.outside import CopyKind
from heldtrue.language.mentions import Mentions
from heldtrue.projections.subject_scan import HeldSection, SubjectScan

FORMAT = 1
"""The version of the JSON file. It changes if a field is removed or gets another meaning."""
_FIELD = "export"
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(AboutItem).decode


class AboutFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was written."""

    path: str
    bytes: int


class AboutAnswer(ListPage[AboutItem], frozen=True, kw_only=True):
    """What is held about a subject: how much of each kind, and one page of it, or the files with all of it."""

    counts: dict[str, int]
    """The number of items in each section, in all."""
    made_at: When
    entry: EntryName
    """The last ledger entry that was read."""
    files: list[AboutFile]
    """The files that were written with `export`, which contain all items."""


class AboutReport(msgspec.Struct, frozen=True, kw_only=True):
    """The head of a file: what was searched for, when, by whom and where."""

    heldtrue_about: int
    made_at: When
    made_by: str
    space_id: str
    entry: EntryName
    names: list[str]
    counts: dict[str, int]


class AboutRequest(Request):
    name: Annotated[
        str,
        Meta(min_length=1, description="A name, email address, phone number or handle of the person or thing."),
        Mark.PROSE,
        Mark.SENTENCE,
    ]
    also: Annotated[
        list[str] | None,
        Meta(description="Another name, alias or identifier of the same person or thing."),
        Mark.PROSE,
        Metavar("ALIAS"),
    ] = None
    export: Annotated[
        str | None,
        Meta(
            description="Write everything to this file (.json or .html). If the name has no extension, both files are "
            "written."
        ),
        Mark.PATH,
        Metavar("FILE"),
    ] = None
    overwrite: Annotated[bool, Meta(description="Whether to overwrite an existing file.")] = False
    limit: ListLimit = limits.LIST_DEFAULT
    cursor: Cursor = None


@capability(
    "memory.about",
    Effect.READ,
    audience=Audience.PEOPLE,
    group=Group.LOOK_UP,
    positional=("name",),
    file=FileUse.WRITES,
    file_argument=_FIELD,
    file_endings=(".json", ".html"),
    progress="searching",
    examples=(
        "heldtrue about Ann Smith --also ann@example.com",
        "heldtrue about Ann Smith --export ann.html",
    ),
)
def about(call: Call, request: AboutRequest) -> AboutAnswer:
    """List everything that is held about a person or a thing, in every scope and status, with its sources.

    This includes private memories of agents, earlier versions, rejected values, captured messages, logged questions
    and jobs. Names match as whole words; email addresses and phone numbers match however they are written. With
    `export`, everything is written to a file.
    """
    mentions = Mentions([request.name], field="name")
    if request.also:
        mentions = Mentions([request.name, *request.also], field="also")
    writers = _find_targets(call, request)
    call.instance.recall_log.flush()
    scan, now = SubjectScan(call.instance.store, mentions), call.now
    start = read_cursor(request.cursor) or 0
    counts: Counter[HeldSection] = Counter()
    page: list[AboutItem] = []
    with tempfile.SpooledTemporaryFile(limits.EXPORT_SPOOL_BYTES) as spool:
        for number, trace in enumerate(scan.find()):
            counts[trace.section] += 1
            if writers:
                spool.write(_encode(make_item(scan.space, trace, mentions, now)) + b"\n")
            elif start <= number < start + request.limit:
                page.append(make_item(scan.space, trace, mentions, now))
        report = AboutReport(
            heldtrue_about=FORMAT,
            made_at=to_iso(now),
            made_by=call.principal.id,
            space_id=scan.space.id,
            entry=f"#{scan.head.seq}",
            names=list(mentions.names),
            counts={section.value: counts[section] for section in HeldSection},
        )
        files = [_write(call, target, write, report, spool) for target, write in writers.items()]
        for target in writers:
            note_copy(call, target, CopyKind.ABOUT, scan.space.id, scan.head.seq)
    end = start + len(page)
    return AboutAnswer(
        items=page,
        next_cursor=str(end) if page and end < counts.total() else None,
        counts=report.counts,
        made_at=report.made_at,
        entry=report.entry,
        files=files,
    )


# Files

Writer = Callable[[IO[bytes], AboutReport, Iterator[AboutItem]], None]


def _write_json(file: IO[bytes], report: AboutReport, items: Iterator[AboutItem]) -> None:
    """One JSON object: the fields of the report, and under `sections` a list of items for each section."""
    file.write(_encode(report)[:-1] + b',"sections":{')
    following = next(items, None)
    for number, section in enumerate(HeldSection):
        file.write(b"," * bool(number) + _encode(section) + b":[")
        is_first = True
        while following is not None and following.section == section:
            file.write((b"\n" if is_first else b",\n") + _encode(following))
            following, is_first = next(items, None), False
        file.write(b"]")
    file.write(b"}}\n")


def _write_html(file: IO[bytes], report: AboutReport, items: Iterator[AboutItem]) -> None:
    for piece in write_page(report.names, _say_report(report), report.counts, items):
        file.write(piece.encode())


def _say_report(report: AboutReport) -> dict[str, str]:
    return {
        "Searched for": ", ".join(report.names),
        "Made at": say_time(report.made_at),
        "Made by": report.made_by,
        "Store": report.space_id,
        "Up to ledger entry": report.entry,
    }


_WRITERS: Mapping[str, Writer] = {".json": _write_json, ".html": _write_html}


def _find_targets(call: Call, request: AboutRequest) -> dict[Path, Writer]:
    """The files to write, each with its writer, before anything is read."""
    if request.export is None:
        return {}
    path = Path(request.export)
    ending = path.suffix.lower()
    if not path.name:
        raise InvalidInput(
            "export is not the name of a file", field=_FIELD, hint="specify a file, for example ann.html"
        )
    if ending in _WRITERS:
        return {target_file(call, request.export, request.overwrite, field=_FIELD): _WRITERS[ending]}
    is_sent = isinstance(call.files, SentFile)
    if ending or is_sent:
        raise InvalidInput(
            f"{path.name} does not end in .json or .html",
            field=_FIELD,
            hint="use one of these extensions" + ("" if is_sent else ", or no extension to write both files"),
        )
    return {
        target_file(call, f"{path}{known}", request.overwrite, field=_FIELD): writer
        for known, writer in _WRITERS.items()
    }


def _write(call: Call, target: Path, write: Writer, report: AboutReport, spool: IO[bytes]) -> AboutFile:
    spool.seek(0)
    with whole_file(target, field=_FIELD) as part, part.open("wb") as file:
        write(file, report, (_decode(line) for line in spool))
    # A file that is sent in a response has the name that the client gives it.
    shown = target.name if isinstance(call.files, SentFile) else str(target)
    return AboutFile(path=shown, bytes=target.stat().st_size)
