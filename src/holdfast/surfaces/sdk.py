"""The Python surface: one class whose methods are the capabilities."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from holdfast.capabilities.all import CAPABILITIES
from holdfast.capabilities.call import Call, Instance
from holdfast.capabilities.registry import Capability
from holdfast.domain.principal import OWNER, Principal, agent_principal
from holdfast.ports import Clock
from holdfast.wiring.instance import find_home, open_instance

IN_MEMORY = ":memory:"


class Memory:
    """A space, opened for one caller."""

    def __init__(self, call: Call) -> None:
        self._call = call

    @classmethod
    def open(
        cls,
        home: str | os.PathLike[str] | None = None,
        *,
        agent: str | None = None,
        project: str | None = None,
        repo: str | None = None,
        session: str | None = None,
        clock: Clock | None = None,
    ) -> Memory:
        """Open a home on this machine, making it if need be; `":memory:"` is one that ends with the process.

        Without `agent` the caller is the owner of the home, a person; with it, that agent.
        """
        instance = open_instance(None if home == IN_MEMORY else find_home(home), clock=clock)
        return cls.over(instance, agent=agent, project=project, repo=repo, session=session)

    @classmethod
    def over(
        cls, instance: Instance, *, agent: str | None = None, channel: str = "sdk", **surroundings: str | None
    ) -> Memory:
        """A caller's view of an instance that is open already."""
        principal: Principal = agent_principal(agent) if agent is not None else OWNER
        return cls(Call(instance=instance, principal=principal, channel=channel, **surroundings))  # type: ignore[arg-type]

    def as_agent(self, name: str) -> Memory:
        """The same space, for an agent."""
        return Memory(msgspec.structs.replace(self._call, principal=agent_principal(name)))

    @property
    def home(self) -> Path | None:
        """The folder of the space; none for one in memory."""
        return self._call.instance.home

    def invoke(self, name: str, **arguments: Any) -> Any:
        """Use a capability by its name, such as `memory.learn`."""
        return CAPABILITIES[name].invoke(self._call, arguments)

    def close(self) -> None:
        """Let go of the files; everything acknowledged is already safe."""
        self._call.instance.store.close()
        self._call.instance.heads.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def method_name(capability: Capability) -> str:
    """The name of a capability's method; a Python word gets an underscore."""
    return capability.verb + "_" if capability.verb in ("import",) else capability.verb


def _make_method(capability: Capability) -> Callable[..., Any]:
    positional = [one.name for one in inspect.signature(capability.handler).parameters.values()][1:]

    def method(self: Memory, *values: Any, **arguments: Any) -> Any:
        if len(values) > len(positional):
            raise TypeError(f"{method.__name__}() takes at most {len(positional)} positional arguments")
        given = dict(zip(positional, values, strict=False))
        if doubled := given.keys() & arguments.keys():
            raise TypeError(f"{method.__name__}() got {', '.join(sorted(doubled))} twice")
        return capability.invoke(self._call, given | arguments)

    method.__name__ = method.__qualname__ = method_name(capability)
    method.__doc__ = capability.doc
    return method


def add_methods() -> None:
    """Give `Memory` a method for every capability that has none yet."""
    for capability in CAPABILITIES.values():
        if method_name(capability) not in Memory.__dict__:
            setattr(Memory, method_name(capability), _make_method(capability))


add_methods()
