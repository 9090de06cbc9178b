"""Where a command runs: in a home on this machine, or at the service in HELDTRUE_URL."""

from __future__ import annotations

import sys
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from heldtrue.access.identity import NoCredential, find_named
from heldtrue.capabilities.call import Call, Instance
from heldtrue.capabilities.registry import Capability
from heldtrue.domain.errors import InvalidInput, NotFound
from heldtrue.domain.limits import CLIENT_SECONDS_MAX
from heldtrue.domain.principal import OWNER, Principal, agent_principal
from heldtrue.environment import read_variable
from heldtrue.surfaces.cli.options import Options
from heldtrue.wiring.clock import SystemClock
from heldtrue.wiring.homes import URL_VARIABLE, find_home
from heldtrue.wiring.instance import open_instance
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


class Backend(Protocol):
    """A memory that commands run on."""

    @property
    def name(self) -> str:
        """The folder of a home, or the URL of a service."""

    @property
    def now(self) -> int: ...

    def use(self, capability: Capability, arguments: dict[str, Any]) -> Any:
        """The answer of a capability."""

    def state_of(self, line: Line) -> str | None:
        """The state of a listed item now; None if it is gone."""


@contextmanager
def open_backend(
    capability: Capability,
    options: Options,
    arguments: dict[str, Any],
    clock: Clock | None = None,
    *,
    patience_seconds: float = CLIENT_SECONDS_MAX,
) -> Iterator[Backend]:
    """Open the memory for a capability, and create it if the capability may do so."""
    if (url := find_url(options)) is not None:
        with _open_service(url, options, patience_seconds) as service:
            yield service
        return
    home = find_home(options.home)
    if options.agent is not None:
        agent_principal(options.agent)  # refuse an invalid name before anything is opened
    if not _is_there(home):
        if not capability.declared.makes_home:
            require_home(home)
        from heldtrue.surfaces.cli.new_home import rehearse  # only the first command in a home pays for it

        rehearse(capability, lambda instance: make_call(instance, options), arguments)
    instance = open_instance(home, clock=clock)
    try:
        yield HomeBackend(home, make_call(instance, options), options)
    finally:
        instance.close()


def find_url(options: Options) -> str | None:
    """The URL of the service; None if a home is used."""
    if options.url is not None and options.home is not None:
        raise InvalidInput("--url and --home cannot be used together", field="url", hint="remove one of them")
    return options.url or (read_variable(URL_VARIABLE) if options.home is None else None)


class HomeBackend:
    """An open home on this machine."""

    def __init__(self, home: Path, call: Call, options: Options) -> None:
        self.name = str(home.resolve())
        self._call = call
        self._options = options

    @property
    def now(self) -> int:
        return self._call.now

    def use(self, capability: Capability, arguments: dict[str, Any]) -> Any:
        with _progress(capability, self._options) as progress:
            if progress is not None:
                self._call.instance.engine.watch = progress.show_job
            return capability.invoke(self._call, arguments)

    def state_of(self, line: Line) -> str | None:
        from heldtrue.capabilities.states import state_of

        return state_of(self._call, line.what, line.id)


class ServiceBackend:
    """A service; the token decides the caller."""

    def __init__(self, remote: Remote, options: Options) -> None:
        self.name = remote.url
        self._remote = remote
        self._options = options

    @property
    def now(self) -> int:
        return SystemClock().now()

    def use(self, capability: Capability, arguments: dict[str, Any]) -> Any:
        with _progress(capability, self._options):
            return msgspec.json.decode(self._remote.use(capability, arguments), type=capability.answer)

    def state_of(self, line: Line) -> str | None:
        from heldtrue.capabilities.jobs import job
        from heldtrue.capabilities.reading import get
        from heldtrue.capabilities.registry import CAPABILITIES
        from heldtrue.capabilities.views import memory_state

        handler = {"memory": get, "job": job}.get(line.what)
        if handler is None:
            return line.state  # the service itself refuses a conflict that was resolved meanwhile
        asked = next(known for known in CAPABILITIES.values() if known.handler is handler)
        try:
            answer = self.use(asked, {line.what: line.id})
        except NotFound:
            return None
        return answer.job.state if line.what == "job" else memory_state(answer.memory.status, answer.memory.version)


@contextmanager
def _open_service(url: str, options: Options, patience_seconds: float) -> Iterator[ServiceBackend]:
    from heldtrue.surfaces.remote import Remote

    check_visitor(options)
    around = {"project": options.project, "repo": options.repo, "session": options.session}
    remote = Remote(url, None, **around, timeout_seconds=patience_seconds)
    try:
        yield ServiceBackend(remote, options)
    finally:
        remote.close()


def check_visitor(options: Options) -> None:
    """Refuse to use a service without a token, or with --agent."""
    from heldtrue.surfaces.remote import TOKEN_VARIABLE

    if options.agent is not None:
        raise InvalidInput(
            "when you use a service, the token determines the agent", field="agent", hint="remove --agent"
        )
    if not read_variable(TOKEN_VARIABLE):
        raise NoCredential(
            f"a service needs a token, but {TOKEN_VARIABLE} is not set",
            hint=f"set {TOKEN_VARIABLE} to your token, or use a store on this machine with --home",
        )


def make_call(instance: Instance, options: Options) -> Call:
    """A call with the caller and the context of the options."""
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
        return find_named(reading, agent)


def require_home(home: Path) -> None:
    """Refuse a home that does not exist."""
    if not _is_there(home):
        raise NotFound(
            f"there is no store at {home}",
            field="home",
            hint="create one with heldtrue init or heldtrue learn, or choose another home with --home",
        )


def _is_there(home: Path) -> bool:
    """Whether a home exists, or anything else that opening it reports as an error."""
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
