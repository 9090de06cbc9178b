"""`heldtrue where` and `heldtrue trust`: which memory is used here and why, and accepting one that changed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec

from heldtrue.capabilities.call import Call
from heldtrue.capabilities.homes import accept_memory, find_doubts
from heldtrue.domain.errors import NotAllowed
from heldtrue.domain.principal import OWNER
from heldtrue.surfaces.cli.backends import CHANNEL, find_url, require_home
from heldtrue.surfaces.cli.options import Options
from heldtrue.surfaces.cli.page import Page, bold, dim, ink
from heldtrue.surfaces.cli.screen import Screen, encode_answer
from heldtrue.surfaces.cli.usage import UsageProblem
from heldtrue.wiring.clock import SystemClock
from heldtrue.wiring.homes import HOME_VARIABLE, URL_VARIABLE, FoundHome, HomeChoice, locate_home
from heldtrue.wiring.instance import open_instance
from heldtrue.wiring.known_homes import KnownHome, space_of

DECLINED = 1
_REASONS = {
    HomeChoice.OPTION: "chosen with --home",
    HomeChoice.VARIABLE: f"set by {HOME_VARIABLE}",
    HomeChoice.FOLDER: "the home of this folder or of a folder above it",
    HomeChoice.DEFAULT: "your own home, because neither this folder nor a folder above it has one "
    "(to create one: heldtrue init --here)",
}


class WhereAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The store that commands, hooks and servers use when they are started here."""

    home: str | None
    """The folder; null if a service is used."""
    service: str | None
    """The URL of the service in HELDTRUE_URL, which commands use instead of a home."""
    chosen_by: str
    """`option`, `variable`, `folder`, `default` or `service`."""
    exists: bool
    is_known: bool
    """Whether it was created on this machine or chosen with --home; otherwise a folder's home is refused."""
    memory: str | None
    """The id of the store, if anything has been written to it."""


def run_where(_given: dict[str, Any], options: Options) -> int:
    """Show which store is used here, and why. Nothing is opened or created."""
    url = find_url(options)
    answer = _describe_service(url) if url is not None else _describe_home(locate_home(options.home))
    screen = Screen(sys.stdout, options.color)
    if options.json:
        screen.write_bytes(encode_answer(answer, pretty=screen.is_terminal))
        return 0
    page = Page(screen, 0)
    page.line(bold(answer.service or str(answer.home)))
    if not options.quiet:
        _explain(page, answer)
    screen.write(str(page))
    return 0


def _describe_service(url: str) -> WhereAnswer:
    return WhereAnswer(home=None, service=url, chosen_by="service", exists=True, is_known=True, memory=None)


def _describe_home(found: FoundHome) -> WhereAnswer:
    home = found.path.absolute()
    is_known = found.choice is not HomeChoice.FOLDER or KnownHome(home).is_known
    memory = space_of(home)
    return WhereAnswer(
        home=str(home), service=None, chosen_by=found.choice, exists=home.is_dir(), is_known=is_known, memory=memory
    )


def _explain(page: Page, answer: WhereAnswer) -> None:
    if answer.service is not None:
        page.line(dim(f"  the service set by {URL_VARIABLE}"))
        return
    page.line(dim(f"  {_REASONS[HomeChoice(answer.chosen_by)]}"))
    if not answer.is_known:
        page.line(ink("  not used, because it was not created on this machine", "yellow"))
        page.line(dim("  if you trust this home, run: heldtrue trust; to use your own store, add --home ~/.heldtrue"))
    elif not answer.exists:
        page.line(dim("  this home does not exist yet; the first heldtrue learn creates it"))
    elif answer.memory is not None:
        page.line(dim(f"  store {answer.memory}"))


def run_trust(given: dict[str, Any], options: Options) -> int:
    """Accept a store as it is, after showing what is wrong with it."""
    if options.agent is not None:
        raise NotAllowed("only a person can accept a store", field="agent", hint="remove --agent")
    if find_url(options) is not None:
        raise NotAllowed(
            f"{URL_VARIABLE} is set, but a store can only be accepted on its own machine",
            field="home",
            hint="run the command on that machine, or choose a home on this machine with --home",
        )
    home = locate_home(options.home).path.absolute()
    require_home(home)
    is_known = KnownHome(home).is_known
    instance = open_instance(home, clock=SystemClock(is_confirmed=True), is_trusted=True)
    try:
        doubts = find_doubts(instance, SystemClock())
        reasons = (
            doubts
            if is_known
            else [
                "this store was not created on this machine: it came with the folder, for example in a git clone",
                *doubts,
            ]
        )
        if not reasons:
            return _report(options, home, reasons, "Nothing to accept: this store is known and complete.")
        if not given.get("yes") and not _ask(home, reasons, options):
            return _report(options, home, [], "Nothing was changed.") or DECLINED
        accept_memory(Call(instance=instance, principal=OWNER, channel=CHANNEL), doubts)
    finally:
        instance.close()
    return _report(
        options,
        home,
        reasons,
        f"Accepted {home} as it is. Restart the programs that have this store open, such as heldtrue serve.",
    )


def _ask(home: Path, reasons: list[str], options: Options) -> bool:
    refused = UsageProblem(
        "nothing was changed, because the question was not answered", field="yes", hint="add --yes to skip the question"
    )
    if options.json or options.quiet:
        raise refused
    screen = Screen(sys.stdout, options.color)
    page = Page(screen, 0)
    page.line(bold(str(home)))
    for reason in reasons:
        page.text(reason, indent=4, first=ink("  -", "yellow"))
    screen.write(f"{page}\nAccept this store as it is? [y/N] ")
    answer = sys.stdin.readline()
    if not answer:
        screen.write("\n")
        raise refused
    return answer.strip().lower() in ("y", "yes")


def _report(options: Options, home: Path, accepted: list[str], text: str) -> int:
    screen = Screen(sys.stdout, options.color)
    if options.json:
        screen.write_bytes(encode_answer({"home": str(home), "accepted": accepted}, pretty=screen.is_terminal))
    elif not options.quiet:
        page = Page(screen, 0)
        page.text(text)
        screen.write(str(page))
    return 0
