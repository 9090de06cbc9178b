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
    "Which configuration to change: your own for all projects (user), or this project's (project).",
    False,
)
_YES = Parameter("yes", bool, False, "Make the change without asking for confirmation.", False)

INSTALL = (
    Parameter("client", ClientName | None, None, "The client to connect. Default: list all supported clients.", True),
    _SCOPE,
    _YES,
    Parameter("print", bool, False, "Only print what would be added to the configuration.", False),
    Parameter("hooks", bool, True, "Do not add the hooks that inject memories and capture conversations.", False),
)
UNINSTALL = (Parameter("client", ClientName, REQUIRED, "The client to disconnect.", True), _SCOPE, _YES)
HOOK = (
    Parameter(
        "event", Literal["session-start", "prompt", "stop", "session-end"], REQUIRED, "The Claude Code event.", True
    ),
)
