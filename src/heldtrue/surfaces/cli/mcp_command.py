"""`heldtrue mcp`: an MCP server on standard input and output."""

from __future__ import annotations

from typing import Any

from heldtrue.surfaces.cli.options import Options
from heldtrue.surfaces.mcp.stdio import StdioSurroundings, run_stdio
from heldtrue.wiring.instance import find_home


def run_mcp(given: dict[str, Any], options: Options) -> int:
    """Serve one agent on standard input and output until it disconnects."""
    around = {name: getattr(options, name) for name in ("agent", "project", "repo", "session")}
    here = given.pop("here", False)
    return run_stdio(StdioSurroundings(home=find_home(options.home), here=here, **around), **given)
