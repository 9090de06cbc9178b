"""What capabilities are for: the headings that help and the description of the service put them under."""

from __future__ import annotations

from heldtrue.capabilities.registry import Capability

_GROUPS = {
    "writing": "Remember",
    "capturing": "Remember",
    "recalling": "Look things up",
    "reading": "Look things up",
    "explaining": "Look things up",
    "injecting": "Tell a model what is known",
    "expanding": "Tell a model what is known",
    "using": "Ask again, and tell what helped",
    "ingesting": "Hand in files",
    "working": "Let it work",
    "reviewing": "Decide, as a person",
    "agents": "Let agents in, and hand over",
    "sharing": "Let agents in, and hand over",
    "following": "Follow what happens",
    "upkeep": "Look after it",
    "transfer": "Move it",
}
"""By the module that declares a verb; any other goes under the last one."""
OTHERS = "More"
GROUPS = tuple(dict.fromkeys((*_GROUPS.values(), OTHERS)))


def group_of(capability: Capability) -> str:
    """The heading that a capability stands under."""
    return _GROUPS.get(capability.handler.__module__.rpartition(".")[2], OTHERS)
