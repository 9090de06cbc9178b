"""`heldtrue serve` as a person sees it: where it listens, the token, and what to try next."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heldtrue import __version__
from heldtrue.surfaces.cli.options import Options
from heldtrue.surfaces.cli.page import Page, bold, dim, ink
from heldtrue.surfaces.cli.program_path import name_fully, name_program
from heldtrue.surfaces.cli.screen import Screen, encode_answer
from heldtrue.wiring.instance import find_home

if TYPE_CHECKING:
    from heldtrue.surfaces.rest.serve import Listening

_SAFE = (
    "Both may run: each sees at once what the other writes, and a job is done by one of them. If one is enough, stop "
    "this one with Ctrl-C."
)

_WHOSE = (
    "Give each agent a token of its own, and never the owner's: what is learned with that counts as said by a person."
)
_IN_THE_CLEAR = (
    "Others can reach this address, and tokens go over the wire in the clear: put a proxy with TLS in front of it."
)


def run_server(given: dict[str, Any], options: Options) -> int:
    """Serve until someone stops it."""
    from heldtrue.surfaces.rest.serve import Server  # brings the web server, which no other command needs

    server = Server(find_home(options.home), host=given.get("host"), port=given.get("port"), engine=given.get("engine"))
    screen = Screen(sys.stdout, options.color)
    listening = server.announce()
    if options.json:
        screen.write_bytes(encode_answer(listening, pretty=False))
    elif options.quiet:
        screen.write(f"{listening.url}\n")
    else:
        _warn(listening, options)
        page = Page(screen, 0)
        _show(page, listening)
        screen.write(str(page))
    sys.stdout.flush()
    server.run()
    if not (options.json or options.quiet):
        screen.write("stopped\n")
    return 0


def _warn(listening: Listening, options: Options) -> None:
    """Say that the same memory is served elsewhere; for programs the log says it."""
    screen = Screen(sys.stderr, options.color)
    page = Page(screen, 0)
    for one in listening.others:
        told = f"another server serves this memory already, at {one.url} (process {one.pid})."
        page.text(told, indent=10, first=ink("heldtrue:", "bold", "yellow"))
    if listening.others:
        page.text(dim(_SAFE), indent=10)
        screen.write(str(page))


def _show(page: Page, listening: Listening) -> None:
    program = name_program()
    home = str(name_fully(Path(listening.home)))
    again = f"{program} --home {shlex.quote(home)} agents"
    page.line(bold(f"Heldtrue {__version__}"), " listens at ", ink(listening.url, "bold", "green"))
    page.line(dim("memory  "), home)
    if listening.token is not None:
        page.line(dim("token   "), bold(listening.token), dim("   the owner's; shown this once"))
    else:
        page.line(dim("token   "), "the one you were given; another: ", bold(f"{again} rotate owner"))
    page.gap()
    page.line(dim("In another terminal:"))
    page.gap()
    page.line(f"  export HELDTRUE_URL={listening.url} HELDTRUE_TOKEN={listening.token or 'PUT_YOUR_TOKEN_HERE'}")
    page.line(f'  {program} learn "Deploys happen on Tuesdays" --source wiki/deploys.md')
    page.line(f"  {program} recall when do we deploy")
    auth = '-H "Authorization: Bearer $HELDTRUE_TOKEN"'
    page.line(f"""  curl -s {auth} "$HELDTRUE_URL/v1/recall?context=when+do+we+deploy" """)
    page.line(f"  {program} follow")
    page.gap()
    page.line(dim("A token for an agent:  "), f"{again} add codex --project shop")
    page.line(dim("MCP:                   "), f"{listening.url}/mcp", dim("   (with the token of an agent)"))
    page.line(dim("All of it, described:  "), f"{listening.url}/openapi.json", dim("   (with a token)"))
    page.gap()
    page.text(dim(_WHOSE))
    if listening.is_exposed:
        page.text(ink(_IN_THE_CLEAR, "yellow"))
    page.line(dim("Stop with Ctrl-C."))
