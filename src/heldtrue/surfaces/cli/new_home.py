"""Try a command that would create a home in memory first, so that an error leaves no home behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from heldtrue.capabilities.call import Call, Instance
from heldtrue.capabilities.registry import Capability
from heldtrue.wiring.instance import open_instance


class _AboutToWrite(Exception):
    """The arguments are valid."""


class _Stop:
    """A gateway that stops every write."""

    def submit(self, *_: Any) -> Any:
        raise _AboutToWrite


def _stop(*_: Any) -> Any:
    raise _AboutToWrite


def rehearse(capability: Capability, make_call: Callable[[Instance], Call], arguments: dict[str, Any]) -> None:
    """Invoke a capability up to its first write; an error in its arguments is raised."""
    instance = open_instance(None)
    rehearsed = msgspec.structs.replace(instance, gateway=_Stop(), open_scratch=_stop, open_file=_stop)
    try:
        capability.invoke(make_call(rehearsed), arguments)
    except _AboutToWrite:
        pass
    finally:
        instance.close()
