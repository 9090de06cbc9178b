"""`heldtrue serve`: its address, the token, and commands to try."""

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
from heldtrue.wiring.homes import find_home

if TYPE_CHECKING:
    from heldtrue.surfaces.rest.serve import Listening

_SAFE = (
    "Both servers can run: each sees the other's changes at once, and each job runs only once. If one server is "
    "enough, stop this one with Ctrl-C."
)

_OWN_TOKENS = (
    "Give each agent its own token, never the owner's: everything learned with the owner's token is "
    "recorded as stated by a person."
)
_UNENCRYPTED = (
    "Other machines can reach this address, and tokens are sent unencrypted. Put a TLS proxy in front of the server."
)


def run_server(arguments: dict[str, Any], options: Options) -> int:
    """Serve until it is stopped."""
    from heldtrue.surfaces.rest.serve import Server  # loads the web server, which no other command needs

    server = Server(
        find_home(options.home), host=arguments.get("host"), port=arguments.get("port"), engine=arguments.get("engine")
    )
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
    """Warn that another server serves the same memory; for programs this is in the log."""
    screen = Screen(sys.stderr, options.color)
    page = Page(screen, 0)
    for server in listening.others:
        text = f"another server is already serving this store at {server.url} (process {server.pid})."
        page.text(text, indent=10, first=ink("heldtrue:", "bold", "yellow"))
    if listening.others:
        page.text(dim(_SAFE), indent=10)
        screen.write(str(page))


def _show(page: Page, listening: Listening) -> None:
    program = name_program()
    home = str(name_fully(Path(listening.home)))
    agents = f"{program} --home {shlex.quote(home)} agents"
    page.line(bold(f"Heldtrue {__version__}"), " is listening on ", ink(listening.url, "bold", "green"))
    page.line(dim("home    "), home)
    if listening.token is not None:
        page.line(dim("token   "), bold(listening.token), dim("   (for the owner; shown only once)"))
    else:
        page.line(
            dim("token   "), "already shown when it was created; to create a new one: ", bold(f"{agents} rotate owner")
        )
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
    page.line(dim("Add an agent:              "), f"{agents} add codex --project shop")
    page.line(dim("MCP:                       "), f"{listening.url}/mcp", dim("   (needs an agent's token)"))
    page.line(dim("API description (OpenAPI): "), f"{listening.url}/openapi.json", dim("   (needs a token)"))
    page.gap()
    page.text(dim(_OWN_TOKENS))
    if listening.is_exposed:
        page.text(ink(_UNENCRYPTED, "yellow"))
    page.line(dim("Stop with Ctrl-C."))
