"""The last listing of a terminal: its lines are numbered, and a number stands for the id in that line.

It is kept for one terminal alone, by its device and its session, outside of the home. A line is taken only as it was
shown: what has changed since is refused.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import msgspec

from heldtrue.domain.errors import WrongState
from heldtrue.domain.plural import count
from heldtrue.environment import read_variable
from heldtrue.surfaces.cli.page import LINES_MAX, Line
from heldtrue.surfaces.cli.screen import SESSION_VARIABLE
from heldtrue.surfaces.cli.usage import UsageProblem
from heldtrue.wiring.known_homes import state_folder

_AGE_SECONDS_MAX = 24 * 3600
_AGAIN = "list again, and name the line of the new listing"


class TerminalListing(msgspec.Struct, frozen=True):
    """The lines of a listing; each may show several things, such as a memory and its conflict."""

    store: str
    """The home or the service that it was made of."""
    lines: list[list[Line]]


def find_terminal() -> str | None:
    """What tells this terminal from all others, now and later; none where there is no terminal."""
    if named := read_variable(SESSION_VARIABLE):
        return f"session {named}"
    for descriptor in (0, 1, 2):
        try:
            device = os.ttyname(descriptor)
            # The name of a device is given to another terminal when this one is closed; its time is not.
            return f"{device} {os.getsid(0)} {os.stat(device).st_ctime_ns}"  # noqa: PTH116
        except OSError:
            continue
    return None


def keep_listing(store: str, lines: list[list[Line]], *, seen: bool) -> None:
    """Keep a listing that was just printed. One that went elsewhere than to the terminal only ends the one before:
    its numbers may have been read in a pager, and must not be taken for those of the other."""
    is_named = bool(read_variable(SESSION_VARIABLE))
    remember_listing(TerminalListing(store, lines) if lines and (seen or is_named) else None)


def remember_listing(listing: TerminalListing | None) -> None:
    """Keep a listing for this terminal instead of the one before, without its texts; None forgets that one."""
    if (path := _path_here()) is None:
        return
    with suppress(OSError):  # numbers are a convenience: where nothing can be kept, ids are typed
        if listing is None:
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _drop_old(path.parent)
        bare = [[line._replace(text="") for line in shown] for shown in listing.lines]
        _write_whole(path, msgspec.json.encode(TerminalListing(listing.store, bare)))


def _path_here() -> Path | None:
    terminal = find_terminal()
    if terminal is None:
        return None
    return state_folder() / "listings" / f"{sha256(terminal.encode('utf-8', 'replace')).hexdigest()[:32]}.json"


def _drop_old(folder: Path) -> None:
    earliest = time.time() - _AGE_SECONDS_MAX
    for file in folder.iterdir():
        if file.stat().st_mtime < earliest:
            file.unlink(missing_ok=True)


def _write_whole(path: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # readable by nobody else
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _read_listing() -> TerminalListing:
    path = _path_here()
    if path is None:
        raise UsageProblem(
            "a line number is taken only in the terminal that showed the listing, and this is not a terminal",
            hint="give an id",
        )
    try:
        if path.stat().st_mtime >= time.time() - _AGE_SECONDS_MAX:
            return msgspec.json.decode(path.read_bytes(), type=TerminalListing)
    except (OSError, msgspec.DecodeError):
        pass  # there is none, or not one of this version
    raise UsageProblem("no listing was shown in this terminal yet", hint="see: heldtrue list, heldtrue inbox")


def is_numbers(text: str) -> bool:
    """Whether a text names lines of a listing: `3`, or `1-10,14`. No id is written so: an id is a UUID."""
    return all(_bounds(piece) is not None for piece in text.split(","))


def _bounds(piece: str) -> tuple[int, int] | None:
    first, dash, last = piece.strip().partition("-")
    last = last if dash else first
    if not all(
        number.isascii() and number.isdigit() and len(number) <= len(str(LINES_MAX)) for number in (first, last)
    ):
        return None
    return int(first), int(last)


def read_numbers(text: str) -> list[int]:
    """The numbers that a text names, each once, in the order given."""
    numbers: dict[int, None] = {}
    for piece in text.split(","):
        first, last = _bounds(piece) or (0, 0)
        if not 1 <= first <= last:
            raise UsageProblem(
                f"{piece.strip()!r} is not a line or a range of lines", hint="write them as 3 or 1-10,14"
            )
        numbers |= dict.fromkeys(range(first, last + 1))
    return list(numbers)


def find_lines(text: str, what: Sequence[str], store: str) -> list[Line]:
    """What the named lines of the last listing show, each of one of the kinds that are wanted."""
    listing = _read_listing()
    if listing.store != store:
        raise UsageProblem(
            f"the last listing in this terminal was of {listing.store}, not of {store}",
            hint="list again, or give an id",
        )
    found = []
    for number in read_numbers(text):
        if number > len(listing.lines):
            lines = count(len(listing.lines), "line")
            raise UsageProblem(
                f"the last listing in this terminal has {lines}, so there is no line {number}", hint=_AGAIN
            )
        line = listing.lines[number - 1]
        fitting = [shown for shown in line if shown.what in what]
        if len(fitting) != 1:
            raise UsageProblem(
                f"line {number} of the last listing shows a {line[0].what}, and a {' or '.join(what)} is wanted",
                hint="give an id",
            )
        found.append(fitting[0])
    return found


def lists_views(store: str, *, besides: str) -> bool:
    """Whether the last listing was of views, none of which has this name: a view may be called as a line is."""
    try:
        listing = _read_listing()
    except UsageProblem:
        return False
    shown = [thing for line in listing.lines for thing in line]
    return listing.store == store and all(thing.what == "view" and thing.id != besides for thing in shown)


def refuse_changed(line: Line, state: str | None) -> None:
    """Refuse what is not any more as the listing showed it; `state` is how it is now, None where it is gone."""
    if line.state and line.state != state:
        now = f"it was {line.state}, and is {state} now" if state else "it is not there any more"
        raise WrongState(f"{line.what} {line.id} has changed since it was listed: {now}; nothing was done", hint=_AGAIN)
