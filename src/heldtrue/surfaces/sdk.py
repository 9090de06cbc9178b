"""The Python surface: one class whose methods are the capabilities."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import date, timedelta
from enum import Enum
from pathlib import Path
from types import MethodType, TracebackType
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import msgspec

from heldtrue.access.identity import find_named
from heldtrue.capabilities.call import Call, Instance
from heldtrue.capabilities.registry import Capability
from heldtrue.capabilities.verb_index import PREFIX, all_capabilities, find_capability
from heldtrue.domain.errors import InvalidInput, NotAllowed
from heldtrue.domain.principal import OWNER, Principal
from heldtrue.ports import Clock
from heldtrue.wiring.homes import find_home
from heldtrue.wiring.instance import open_instance

if TYPE_CHECKING:
    from inspect import Signature

    from heldtrue.capabilities.following import Event, EventsAnswer
    from heldtrue.surfaces.following import EventSource, Following
    from heldtrue.surfaces.remote import Remote

IN_MEMORY = ":memory:"


class Memory:
    """An open store, used by one caller."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._followed: WeakSet[Following[Event]] = WeakSet()

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
        """Open a home on this machine, and create it if needed. The home `":memory:"` lasts as long as the process.

        The caller is `agent`, or by default the home's owner, a person.
        """
        instance = open_instance(None if home == IN_MEMORY else find_home(home), clock=clock)
        return cls.over(instance, agent=agent, project=project, repo=repo, session=session)

    @classmethod
    def over(
        cls, instance: Instance, *, agent: str | None = None, channel: str = "sdk", **surroundings: str | None
    ) -> Memory:
        """Use an instance that is already open."""
        principal = _principal(instance, agent) if agent is not None else OWNER
        return cls(Call(instance=instance, principal=principal, channel=channel, **surroundings))  # type: ignore[arg-type]

    @classmethod
    def connect(
        cls,
        url: str | None = None,
        token: str | None = None,
        *,
        project: str | None = None,
        repo: str | None = None,
        session: str | None = None,
    ) -> Memory:
        """Connect to a store on a server. The methods are the same, and the token determines who the caller is.

        The defaults are the environment variables HELDTRUE_URL and HELDTRUE_TOKEN.
        """
        from heldtrue.surfaces.remote import Remote

        return RemoteMemory(Remote(url, token, project=project, repo=repo, session=session))

    def as_agent(self, name: str) -> Memory:
        """The same store, with an agent as the caller."""
        return Memory(msgspec.structs.replace(self._call, principal=_principal(self._call.instance, name)))

    @property
    def home(self) -> Path | None:
        """The store's folder, or None for a store in memory."""
        return self._call.instance.home

    def invoke(self, name: str, /, **arguments: Any) -> Any:
        """Invoke a capability by name, for example `memory.learn`."""
        return self._use(_find(name), _as_plain(arguments))

    def follow(self, *, after: str | None = None, names: Sequence[str] | None = None) -> Following[Event]:
        """Follow events as they happen, starting after the event with this id, or now if none is given.

        A lost connection to a server is resumed. Following ends when the returned iterator or this object is closed.
        """
        from heldtrue.surfaces.following import Following

        following = Following(self._source(after, names))
        self._followed.add(following)
        return following

    def _source(self, after: str | None, names: Sequence[str] | None) -> EventSource[Event]:
        from heldtrue.domain.limits import EVENTS_MAX
        from heldtrue.surfaces.following import Pages

        def ask(cursor: str | None) -> EventsAnswer:
            found: EventsAnswer = self.invoke("memory.events", after=cursor, names=names, limit=EVENTS_MAX)
            return found

        return Pages(ask, after)

    def _use(self, capability: Capability, arguments: dict[str, Any]) -> Any:
        return capability.invoke(self._call, arguments)

    def __getattr__(self, name: str) -> Any:
        """A capability that was declared after this class was created."""
        found = find_capability(name.rstrip("_")) if not name.startswith("_") else None
        if found is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return MethodType(Method(found), self)

    def __repr__(self) -> str:
        return f"<Memory {f'at {self.home}' if self.home is not None else 'in memory'}, as {self._call.principal.id}>"

    def close(self) -> None:
        """Stop following events, finish background work such as logging recalls, and close the files.

        All acknowledged writes are already durable.
        """
        self._end_followed()
        self._call.instance.close()

    def _end_followed(self) -> None:
        for following in list(self._followed):
            following.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class RemoteMemory(Memory):
    """A store on a server, over HTTP, with the same methods, results and errors."""

    def __init__(self, remote: Remote) -> None:
        self._remote = remote
        self._followed = WeakSet()

    def __repr__(self) -> str:
        return f"<Memory {self._remote.place}>"

    def as_agent(self, name: str) -> Memory:
        raise NotAllowed("the token determines who the caller is", field="agent", hint=f"connect with {name}'s token")

    @property
    def home(self) -> Path | None:
        return None

    def _use(self, capability: Capability, arguments: dict[str, Any]) -> Any:
        return msgspec.json.decode(self._remote.use(capability, arguments), type=capability.answer)

    def _source(self, after: str | None, names: Sequence[str] | None) -> EventSource[Event]:
        from heldtrue.capabilities.following import Event
        from heldtrue.surfaces.following import Stream

        return Stream(self._remote, after, names, msgspec.json.Decoder(Event).decode)

    def close(self) -> None:
        self._end_followed()
        self._remote.close()


def _principal(instance: Instance, agent: str) -> Principal:
    with instance.store.read() as reading:
        return find_named(reading, agent)


def method_name(capability: Capability) -> str:
    """The method name of a capability; a Python keyword gets an underscore."""
    return capability.verb + "_" if capability.verb in ("import",) else capability.verb


def _find(name: str) -> Capability:
    found = find_capability(name.removeprefix(PREFIX)) if name.startswith(PREFIX) else None
    if found is not None:
        return found
    import difflib

    names = [capability.name for capability in all_capabilities().values()]
    close = difflib.get_close_matches(name, names, 1, 0.5)
    hint = f"did you mean {close[0]}?" if close else f"the capabilities are: {', '.join(names)}"
    raise InvalidInput(f"no capability named {name!r}", field="name", hint=hint)


def _as_plain(value: Any) -> Any:
    """Convert Python types to the text that every surface uses: paths, times and durations."""
    match value:
        case str() | int() | float() | None:
            return value
        case dict():
            return {key: _as_plain(item) for key, item in value.items()}
        case list() | tuple():
            return [_as_plain(item) for item in value]
        case date():
            return value.isoformat()
        case timedelta():
            return f"{round(value.total_seconds())} seconds"
        case os.PathLike():
            return os.fsdecode(value)
        case _:
            return value


class Method:
    """A capability as a method of `Memory`; its signature is computed on demand."""

    def __init__(self, capability: Capability) -> None:
        self._capability = capability
        self.__name__ = method_name(capability)
        self.__qualname__ = f"Memory.{self.__name__}"
        self.__doc__ = capability.doc

    def __get__(self, memory: Memory | None, owner: type[Memory] | None = None) -> Any:
        return self if memory is None else MethodType(self, memory)

    def __call__(self, memory: Memory, /, *values: Any, **arguments: Any) -> Any:
        if values:
            arguments |= self._by_place(values, arguments)
        return memory._use(self._capability, _as_plain(arguments))

    def _by_place(self, values: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        places = [parameter.name for parameter in self._capability.parameters if parameter.positional]
        if len(values) > len(places):
            raise TypeError(f"{self.__name__}() takes at most {len(places)} positional arguments")
        given = dict(zip(places, values, strict=False))
        if doubled := given.keys() & named.keys():
            raise TypeError(f"{self.__name__}() got {', '.join(sorted(doubled))} twice")
        return given

    @property
    def __signature__(self) -> Signature:
        from inspect import Parameter, Signature

        taken = [Parameter("self", Parameter.POSITIONAL_ONLY)]
        for parameter in self._capability.parameters:
            kind = Parameter.POSITIONAL_OR_KEYWORD if parameter.positional else Parameter.KEYWORD_ONLY
            default = parameter.default.value if isinstance(parameter.default, Enum) else parameter.default
            taken.append(
                Parameter(
                    parameter.name,
                    kind,
                    default=Parameter.empty if parameter.required else default,
                    annotation=_without_notes(parameter.type),
                )
            )
        return Signature(taken, return_annotation=self._capability.answer)

    def __repr__(self) -> str:
        return f"<method {self.__qualname__}>"


def _without_notes(hint: Any) -> Any:
    return hint.__origin__ if hasattr(hint, "__metadata__") else hint


def add_methods() -> None:
    """Give `Memory` a method for every capability that has none yet."""
    for capability in all_capabilities().values():
        if method_name(capability) not in Memory.__dict__:
            setattr(Memory, method_name(capability), Method(capability))


add_methods()
