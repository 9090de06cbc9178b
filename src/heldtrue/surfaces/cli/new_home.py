"""A command that would make a home is tried in memory first: a mistake in it leaves no home behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from heldtrue.capabilities.call import Call, Instance
from heldtrue.capabilities.registry import Capability
from heldtrue.wiring.instance import open_instance


class _AboutToWrite(Exception):
    """Everything that was given is right."""


class _Stop:
    """Stands for the gateway: nothing gets through."""

    def submit(self, *_: Any) -> Any:
        raise _AboutToWrite


def _stop(*_: Any) -> Any:
    raise _AboutToWrite


def rehearse(capability: Capability, make_call: Callable[[Instance], Call], given: dict[str, Any]) -> None:
    """Use a capability up to the moment when it would write; what is wrong with it is raised."""
    instance = open_instance(None)
    rehearsed = msgspec.structs.replace(instance, gateway=_Stop(), open_scratch=_stop, open_file=_stop)
    try:
        capability.invoke(make_call(rehearsed), given)
    except _AboutToWrite:
        pass
    finally:
        instance.close()
