"""What the commands about clients take. Declared apart from what they do: help must not load that."""

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
    "Whose configuration: yours everywhere, or that of this project.",
    False,
)
_YES = Parameter("yes", bool, False, "Make the change without asking.", False)

INSTALL = (
    Parameter("client", ClientName | None, None, "The program to connect; left out, all of them are listed.", True),
    _SCOPE,
    _YES,
    Parameter("print", bool, False, "Only print what would be added.", False),
    Parameter(
        "url",
        str | None,
        None,
        "Connect it to the service there, with the token of an agent in HELDTRUE_TOKEN; left out, to a memory on this "
        "machine.",
        False,
    ),
    Parameter("hooks", bool, True, "Do not add the hooks that inject and capture.", False),
)
UNINSTALL = (Parameter("client", ClientName, REQUIRED, "The program to disconnect.", True), _SCOPE, _YES)
HOOK = (
    Parameter(
        "event", Literal["session-start", "prompt", "stop", "session-end"], REQUIRED, "What has just happened.", True
    ),
)
