"""The parameters of the commands about clients, in a module of their own so that help loads fast."""

from __future__ import annotations

from typing import Literal

from heldtrue.capabilities.parameters import REQUIRED, Parameter

ClientName = Literal[
    "claude-code", "claude-desktop", "cursor", "vscode", "codex", "gemini", "zed", "windsurf"
]  # fmt: skip
_SCOPE = Parameter(
    "scope",
    Literal["user", "project"],
    "user",
    "The configuration to change: yours for all projects, or that of this project.",
    False,
)
_YES = Parameter("yes", bool, False, "Make the change without asking.", False)

INSTALL = (
    Parameter("client", ClientName | None, None, "The program to connect. Without one, all are listed.", True),
    _SCOPE,
    _YES,
    Parameter("print", bool, False, "Only print what would be added.", False),
    Parameter(
        "url",
        str | None,
        None,
        "Connect to this service, with an agent's token in HELDTRUE_TOKEN. Default: a memory on this machine.",
        False,
    ),
    Parameter("hooks", bool, True, "Do not add the hooks that inject and capture.", False),
)
UNINSTALL = (Parameter("client", ClientName, REQUIRED, "The program to disconnect.", True), _SCOPE, _YES)
HOOK = (
    Parameter(
        "event", Literal["session-start", "prompt", "stop", "session-end"], REQUIRED, "The event of Claude Code.", True
    ),
)
