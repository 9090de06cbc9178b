"""`heldtrue follow`: what happens, a line for each event, until it is stopped."""

from __future__ import annotations

import sys
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from heldtrue.domain.errors import HeldtrueError, InvalidInput
from heldtrue.domain.times import parse_moment, to_iso
from heldtrue.surfaces.cli.answers.following import show_event
from heldtrue.surfaces.cli.backends import check_visitor, find_url, require_home
from heldtrue.surfaces.cli.options import Options
from heldtrue.surfaces.cli.page import Page, note
from heldtrue.surfaces.cli.screen import Screen, encode_answer
from heldtrue.surfaces.cli.usage import UsageProblem
from heldtrue.surfaces.sdk import Memory
from heldtrue.wiring.clock import SystemClock
from heldtrue.wiring.instance import find_home

if TYPE_CHECKING:
    from heldtrue.capabilities.following import Event


def run_follow(given: dict[str, Any], options: Options) -> int:
    """Tell each event as it happens."""
    limit = given.pop("limit", None)
    if limit is not None and limit < 1:
        raise InvalidInput(
            f"limit is {limit}, and 1 is the least", field="limit", hint="leave it out to go on for ever"
        )
    since = given.pop("since", None)
    screen = Screen(sys.stdout, options.color)
    with _open(options) as memory:
        begin = _find_begin(memory, since) if since is not None else None
        if begin is not None:
            given["after"] = _one_of(given.get("after"), begin)
        with memory.follow(**given) as following:
            note(f"Listening for events of {_place(options)}; stop with Ctrl+C", options)
            following.watch(lambda problem: note(_tell_connection(problem), options))
            wanted = (event for event in following if begin is None or event.at >= begin.at)
            for event in islice(wanted, limit):
                _tell(screen, event, options)
    return 0


class _Begin(NamedTuple):
    """Where to begin."""

    at: str
    """The moment, as events have it."""
    place: str
    """The last entry of the ledger before it. Where the log of recalls stood then is not known: it is read whole."""


def _find_begin(memory: Memory, since: str) -> _Begin:
    moment = parse_moment(since, field="since", now=SystemClock().now())
    entry = memory.diff(since, until=since).until.removeprefix("#")
    return _Begin(to_iso(moment), f"{entry}.0")


def _one_of(after: str | None, begin: _Begin) -> str:
    if after is not None:
        raise UsageProblem("--after and --since both say where to begin", field="since", hint="leave one of them out")
    return begin.place


def _place(options: Options) -> str:
    return find_url(options) or str(find_home(options.home))


def _tell_connection(problem: HeldtrueError | None) -> str:
    return "Connected again; nothing was missed" if problem is None else f"Connection lost, trying again: {problem}"


def _open(options: Options) -> Memory:
    around: dict[str, Any] = {"project": options.project, "repo": options.repo, "session": options.session}
    if (url := find_url(options)) is not None:
        check_visitor(options)
        return Memory.connect(url, **around)
    home = find_home(options.home)
    require_home(home)
    return Memory.open(home, agent=options.agent, **around)


def _tell(screen: Screen, event: Event, options: Options) -> None:
    if options.json:
        screen.write_bytes(encode_answer(event, pretty=False))
    elif options.quiet:
        screen.write(f"{event.id}\n")
    else:
        page = Page(screen, 0)
        show_event(page, event)
        screen.write(str(page))
    sys.stdout.flush()
