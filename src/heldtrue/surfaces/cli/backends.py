"""Where a command is used: at a home on this machine, or at the service that HELDTRUE_URL names."""

from __future__ import annotations

import sys
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from heldtrue.access.identity import NoCredential, find_local
from heldtrue.capabilities.call import Call, Instance
from heldtrue.capabilities.registry import Capability
from heldtrue.domain.errors import InvalidInput, NotFound
from heldtrue.domain.principal import OWNER, Principal, agent_principal
from heldtrue.environment import read_variable
from heldtrue.surfaces.cli.options import Options
from heldtrue.wiring.clock import SystemClock
from heldtrue.wiring.instance import URL_VARIABLE, find_home, open_instance
from heldtrue.wiring.settings import read_settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from heldtrue.ports import Clock
    from heldtrue.surfaces.cli.page import Line
    from heldtrue.surfaces.cli.progress import Progress
    from heldtrue.surfaces.remote import Remote

CHANNEL = "cli"
_PATIENCE_SECONDS = 60.0
"""How long a service may take to answer."""


class Backend(Protocol):
    """A memory that commands are used on."""

    @property
    def name(self) -> str:
        """What tells it from others: the folder of a home, or the address of a service."""

    @property
    def now(self) -> int: ...

    def use(self, capability: Capability, given: dict[str, Any]) -> Any:
        """The answer of a capability."""

    def state_of(self, line: Line) -> str | None:
        """How something that was listed is now; none where it is not there any more."""


@contextmanager
def open_backend(
    capability: Capability,
    options: Options,
    given: dict[str, Any],
    clock: Clock | None = None,
    *,
    patience_seconds: float = _PATIENCE_SECONDS,
) -> Iterator[Backend]:
    """The memory that is meant, for a capability; it is made where there is none and the capability fills one."""
    if (url := find_url(options)) is not None:
        with _open_service(url, capability, options, patience_seconds) as service:
            yield service
        return
    home = find_home(options.home)
    if options.agent is not None:
        agent_principal(options.agent)  # a name that is none is told before anything is opened
    if not _is_there(home):
        if not capability.declared.makes_home:
            require_home(home)
        from heldtrue.surfaces.cli.new_home import rehearse  # only the first command in a home pays for it

        rehearse(capability, lambda instance: make_call(instance, options), given)
    instance = open_instance(home, clock=clock)
    try:
        yield HomeBackend(home, make_call(instance, options), options)
    finally:
        instance.close()


def find_url(options: Options) -> str | None:
    """The service that is to be asked; none where a home is named, or nothing is."""
    return read_variable(URL_VARIABLE) if options.home is None else None


class HomeBackend:
    """A home on this machine, opened."""

    def __init__(self, home: Path, call: Call, options: Options) -> None:
        self.name = str(home.resolve())
        self._call = call
        self._options = options

    @property
    def now(self) -> int:
        return self._call.now

    def use(self, capability: Capability, given: dict[str, Any]) -> Any:
        with _progress(capability, self._options) as progress:
            if progress is not None:
                self._call.instance.engine.watch = progress.show_job
            return capability.invoke(self._call, given)

    def state_of(self, line: Line) -> str | None:
        from heldtrue.capabilities.states import state_of

        return state_of(self._call, line.what, line.id)


class ServiceBackend:
    """A service, asked as whoever the token was given to."""

    def __init__(self, remote: Remote, options: Options) -> None:
        self.name = remote.url
        self._remote = remote
        self._options = options

    @property
    def now(self) -> int:
        return SystemClock().now()

    def use(self, capability: Capability, given: dict[str, Any]) -> Any:
        with _progress(capability, self._options):
            return msgspec.json.decode(self._remote.use(capability, given), type=capability.answer)

    def state_of(self, line: Line) -> str | None:
        from heldtrue.capabilities.jobs import job
        from heldtrue.capabilities.reading import get
        from heldtrue.capabilities.registry import CAPABILITIES
        from heldtrue.capabilities.views import memory_state

        handler = {"memory": get, "job": job}.get(line.what)
        if handler is None:
            return line.state  # a conflict that was settled meanwhile is refused by the service itself
        asked = next(known for known in CAPABILITIES.values() if known.handler is handler)
        try:
            answer = self.use(asked, {line.what: line.id})
        except NotFound:
            return None
        return answer.job.state if line.what == "job" else memory_state(answer.memory.status, answer.memory.version)


@contextmanager
def _open_service(
    url: str, capability: Capability, options: Options, patience_seconds: float
) -> Iterator[ServiceBackend]:
    from heldtrue.surfaces.remote import Remote

    check_visitor(options)
    if capability.declared.uses_files:
        here = "run it where the memory is, with --home"
        raise InvalidInput(f"{capability.verb} reads or writes files beside the memory", field="command", hint=here)
    around = {"project": options.project, "repo": options.repo, "session": options.session}
    remote = Remote(url, None, **around, timeout_seconds=patience_seconds)
    try:
        yield ServiceBackend(remote, options)
    finally:
        remote.close()


def check_visitor(options: Options) -> None:
    """Refuse to ask a service without a token, or to act as someone else than whoever it was given to."""
    from heldtrue.surfaces.remote import TOKEN_VARIABLE

    if options.agent is not None:
        raise InvalidInput(f"with {URL_VARIABLE} set, who acts is the token's", field="agent", hint="leave --agent out")
    if not read_variable(TOKEN_VARIABLE):
        raise NoCredential(
            f"{URL_VARIABLE} names a service, and no token says who asks it",
            hint=f"set {TOKEN_VARIABLE} to the token that you were given, or name a memory on this machine with --home",
        )


def make_call(instance: Instance, options: Options) -> Call:
    """A call of whoever the options say, in the surroundings they say."""
    return Call(
        instance=instance,
        principal=_principal(instance, options.agent) if options.agent is not None else OWNER,
        channel=CHANNEL,
        project=options.project,
        repo=options.repo,
        session=options.session,
    )


def _principal(instance: Instance, agent: str) -> Principal:
    with instance.store.read() as reading:
        return find_local(reading, agent)


def require_home(home: Path) -> None:
    """Refuse a home that is not there yet."""
    if not _is_there(home):
        raise NotFound(
            f"there is no memory at {home} yet",
            field="home",
            hint="heldtrue init or heldtrue learn makes one, or name another with --home",
        )


def _is_there(home: Path) -> bool:
    """Whether there is a memory at a home, or something that is none and says so when it is opened."""
    if not home.is_dir():
        return home.exists()
    file = read_settings(home).storage.file
    return file is None or (home / file).exists()


def _progress(capability: Capability, options: Options) -> AbstractContextManager[Progress | None]:
    doing = capability.declared.progress
    if doing is None or options.quiet or not sys.stderr.isatty():
        return nullcontext()
    from heldtrue.surfaces.cli.progress import Progress

    return Progress(doing)
