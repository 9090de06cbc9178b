"""`heldtrue mcp`: an MCP server on standard input and output."""

from __future__ import annotations

from typing import Any

from heldtrue.surfaces.cli.options import Options
from heldtrue.surfaces.mcp.stdio import StdioSurroundings, run_stdio
from heldtrue.surfaces.projects import folder_at_work
from heldtrue.wiring.homes import default_home, find_home


def run_mcp(arguments: dict[str, Any], options: Options) -> int:
    """Serve one agent on standard input and output until it disconnects."""
    around = {name: getattr(options, name) for name in ("agent", "project", "repo", "session")}
    here = arguments.pop("here", False)
    home = default_home() if options.url else find_home(options.home, start=folder_at_work())
    return run_stdio(StdioSurroundings(home=home, here=here, **around), url=options.url, **arguments)
