"""`heldtrue follow`: what happens, a line for each event, until it is stopped."""

from __future__ import annotations

import sys
from itertools import islice
from typing import TYPE_CHECKING, Any

from heldtrue.domain.errors import InvalidInput
from heldtrue.surfaces.cli.answers.following import show_event
from heldtrue.surfaces.cli.backends import check_visitor, find_url, require_home
from heldtrue.surfaces.cli.options import Options
from heldtrue.surfaces.cli.page import Page
from heldtrue.surfaces.cli.screen import Screen, encode_answer
from heldtrue.surfaces.sdk import Memory
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
    screen = Screen(sys.stdout, options.color)
    with _open(options) as memory, memory.follow(**given) as following:
        for event in islice(following, limit):
            _tell(screen, event, options)
    return 0


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
