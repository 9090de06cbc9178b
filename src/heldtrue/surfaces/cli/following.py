"""`heldtrue follow`: print events as they happen, one per line, until it is stopped."""

from __future__ import annotations

import sys
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from heldtrue.domain.errors import HeldtrueError, InvalidInput
from heldtrue.domain.times import to_iso
from heldtrue.language.moments import parse_moment
from heldtrue.surfaces.cli.answers.following import show_event
from heldtrue.surfaces.cli.backends import check_visitor, find_url, require_home
from heldtrue.surfaces.cli.options import Options
from heldtrue.surfaces.cli.page import Page, note
from heldtrue.surfaces.cli.screen import Screen, encode_answer
from heldtrue.surfaces.cli.usage import UsageProblem
from heldtrue.surfaces.sdk import Memory
from heldtrue.wiring.clock import SystemClock
from heldtrue.wiring.homes import find_home

if TYPE_CHECKING:
    from heldtrue.capabilities.following import Event


def run_follow(arguments: dict[str, Any], options: Options) -> int:
    """Print each event as it happens."""
    limit = arguments.pop("limit", None)
    if limit is not None and limit < 1:
        raise InvalidInput(
            f"limit must be at least 1, not {limit}", field="limit", hint="remove --limit to print events until stopped"
        )
    since = arguments.pop("since", None)
    screen = Screen(sys.stdout, options.color)
    with _open(options) as memory:
        begin = _find_begin(memory, since) if since is not None else None
        if begin is not None:
            arguments["after"] = _one_of(arguments.get("after"), begin)
        with memory.follow(**arguments) as following:
            note(f"Listening for events from {_place(options)}; stop with Ctrl-C", options)
            following.watch(lambda problem: note(_tell_connection(problem), options))
            wanted = (event for event in following if begin is None or event.at >= begin.at)
            for event in islice(wanted, limit):
                _tell(screen, event, options)
    return 0


class _Begin(NamedTuple):
    """Where to begin."""

    at: str
    """The time, in the format that events use."""
    place: str
    """The last ledger entry before it. The position in the recall log at that time is unknown, so all of it is read."""


def _find_begin(memory: Memory, since: str) -> _Begin:
    moment = parse_moment(since, field="since", now=SystemClock().now())
    entry = memory.diff(since, until=since).until.removeprefix("#")
    return _Begin(to_iso(moment), f"{entry}.0")


def _one_of(after: str | None, begin: _Begin) -> str:
    if after is not None:
        raise UsageProblem("--after and --since cannot be used together", field="since", hint="remove one of them")
    return begin.place


def _place(options: Options) -> str:
    return find_url(options) or str(find_home(options.home))


def _tell_connection(problem: HeldtrueError | None) -> str:
    return "Reconnected; no events were missed" if problem is None else f"Connection lost, retrying: {problem}"


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
