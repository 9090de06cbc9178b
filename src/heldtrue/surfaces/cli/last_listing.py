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
from heldtrue.domain.limits import LISTING_AGE_SECONDS_MAX, NUMBERED_LINES_MAX
from heldtrue.domain.plural import count
from heldtrue.environment import read_variable
from heldtrue.surfaces.cli.page import Line
from heldtrue.surfaces.cli.screen import SESSION_VARIABLE
from heldtrue.surfaces.cli.usage import UsageProblem
from heldtrue.wiring.known_homes import state_folder

_AGAIN = "list the items again, and use the new line number"


class TerminalListing(msgspec.Struct, frozen=True):
    """The lines of a listing; a line may show several items, such as a memory and its conflict."""

    store: str
    """The home or the service that was listed."""
    lines: list[list[Line]]


def find_terminal() -> str | None:
    """An identifier of this terminal; None if there is no terminal."""
    if named := read_variable(SESSION_VARIABLE):
        return f"session {named}"
    for descriptor in (0, 1, 2):
        try:
            device = os.ttyname(descriptor)
            # A device name is reused after a terminal is closed; its creation time is not.
            return f"{device} {os.getsid(0)} {os.stat(device).st_ctime_ns}"  # noqa: PTH116
        except OSError:
            continue
    return None


def keep_listing(store: str, lines: list[list[Line]], *, seen: bool) -> None:
    """Store a listing that was just printed. One that was not printed to the terminal only clears the previous one:
    its numbers may have been read in a pager, and must not be mixed up with the previous ones."""
    is_named = bool(read_variable(SESSION_VARIABLE))
    remember_listing(TerminalListing(store, lines) if lines and (seen or is_named) else None)


def remember_listing(listing: TerminalListing | None) -> None:
    """Store a listing, without its texts, as the last of this terminal; None clears it."""
    if (path := _path_here()) is None:
        return
    with suppress(OSError):  # line numbers are a convenience; ids always work
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
    earliest = time.time() - LISTING_AGE_SECONDS_MAX
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
            "line numbers work only in the terminal that showed the listing, but this command does not run in a "
            "terminal",
            hint="use an id",
        )
    try:
        if path.stat().st_mtime >= time.time() - LISTING_AGE_SECONDS_MAX:
            return msgspec.json.decode(path.read_bytes(), type=TerminalListing)
    except (OSError, msgspec.DecodeError):
        pass  # there is none, or it has another format
    raise UsageProblem(
        "no listing has been shown in this terminal yet", hint="run heldtrue list or heldtrue inbox first, or use an id"
    )


def is_numbers(text: str) -> bool:
    """Whether a text is a list of line numbers: `3`, or `1-10,14`. No id looks like that: an id is a UUID."""
    return all(_bounds(piece) is not None for piece in text.split(","))


def _bounds(piece: str) -> tuple[int, int] | None:
    first, dash, last = piece.strip().partition("-")
    last = last if dash else first
    if not all(
        number.isascii() and number.isdigit() and len(number) <= len(str(NUMBERED_LINES_MAX))
        for number in (first, last)
    ):
        return None
    return int(first), int(last)


def read_numbers(text: str) -> list[int]:
    """The line numbers in a text, each once, in order."""
    numbers: dict[int, None] = {}
    for piece in text.split(","):
        first, last = _bounds(piece) or (0, 0)
        if not 1 <= first <= last:
            raise UsageProblem(
                f"{piece.strip()!r} is not a line number or a range of line numbers",
                hint="write 3 or 1-10,14, for example",
            )
        numbers |= dict.fromkeys(range(first, last + 1))
    return list(numbers)


def find_lines(text: str, what: Sequence[str], store: str) -> list[Line]:
    """The items of the given line numbers in the last listing, each of a kind in `what`."""
    listing = _read_listing()
    if listing.store != store:
        raise UsageProblem(
            f"the last listing in this terminal is from {listing.store}, not from {store}",
            hint="list the items again, or use an id",
        )
    found = []
    for number in read_numbers(text):
        if number > len(listing.lines):
            lines = count(len(listing.lines), "line")
            raise UsageProblem(f"there is no line {number}: the last listing in this terminal has {lines}", hint=_AGAIN)
        line = listing.lines[number - 1]
        fitting = [shown for shown in line if shown.what in what]
        if len(fitting) != 1:
            raise UsageProblem(
                f"line {number} of the last listing is a {line[0].what}, not a {' or '.join(what)}",
                hint="use an id",
            )
        found.append(fitting[0])
    return found


def lists_views(store: str, *, besides: str) -> bool:
    """Whether the last listing was of views, none with this name: the name of a view may be a number."""
    try:
        listing = _read_listing()
    except UsageProblem:
        return False
    shown = [item for line in listing.lines for item in line]
    return listing.store == store and all(item.what == "view" and item.id != besides for item in shown)


def refuse_changed(line: Line, state: str | None) -> None:
    """Refuse an item that has changed since it was listed; `state` is its state now, None if it is gone."""
    if line.state and line.state != state:
        now = f"it was {line.state} and is now {state}" if state else "it no longer exists"
        raise WrongState(
            f"{line.what} {line.id} has changed since it was listed ({now}); nothing was changed", hint=_AGAIN
        )
