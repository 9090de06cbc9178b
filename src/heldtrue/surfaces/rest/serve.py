"""`heldtrue serve`: open a home, listen, run queued jobs, and stop cleanly."""

from __future__ import annotations

import errno
import gc
import http.client
import ipaddress
import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import FrameType

import msgspec
import uvicorn

from heldtrue.capabilities.agents import RotateAgentRequest, rotate_agent
from heldtrue.capabilities.call import Call, Instance
from heldtrue.capabilities.file_access import NO_PATH, FileAccess, PathsBelow
from heldtrue.capabilities.recalling import warm_up
from heldtrue.domain.errors import HeldtrueError, InvalidInput, InvalidSettings, StorageUnavailable
from heldtrue.domain.limits import (
    END_SECONDS_MAX,
    ENGINE_POLL_SECONDS,
    FINISH_SECONDS_MAX,
    PORT_MAX,
    PROBE_SECONDS_MAX,
    STOP_SECONDS_MAX,
)
from heldtrue.domain.principal import OWNER
from heldtrue.surfaces.rest.admission import Limits
from heldtrue.surfaces.rest.app import ServiceApp, build_app
from heldtrue.surfaces.rest.connections import Door, Listener, choose_limits
from heldtrue.surfaces.rest.heap import keep_heap_in_one_piece
from heldtrue.surfaces.rest.logs import start_log
from heldtrue.surfaces.rest.neighbours import Notice, OtherServer, find_neighbours
from heldtrue.surfaces.rest.protocol import Bounded
from heldtrue.wiring.analysis_children import InChildren
from heldtrue.wiring.instance import open_instance
from heldtrue.wiring.server_settings import VARIABLE_PREFIX, read_server_settings
from heldtrue.wiring.settings import SETTINGS_FILE, ServerSettings

_WARMING_WORDS = "what was decided here, and by whom?"
_STOPS = (signal.SIGTERM, signal.SIGINT)
_LOG = logging.getLogger("heldtrue.server")


class Listening(msgspec.Struct, frozen=True, kw_only=True):
    """The address of a server, and what a caller needs."""

    url: str
    """A URL that works from this machine, even if the server listens on all addresses."""
    home: str
    token: str | None
    """The owner's token, shown once; None if it was shown before."""
    engine: bool
    is_exposed: bool = False
    """Whether other machines can reach it."""
    others: list[OtherServer] = []
    """Other servers for the same home. This is safe: each sees the writes of the others, and a job runs only once."""


class PortTaken(StorageUnavailable):
    """The port is in use."""

    code = "port_taken"


class Server:
    """A home that is being served."""

    def __init__(self, home: Path, *, host: str | None, port: int | None, engine: bool | None) -> None:
        keep_heap_in_one_piece()
        settings = read_server_settings(home)
        chosen = {"host": host, "port": port, "engine": engine}
        self._settings = msgspec.structs.replace(
            settings, **{name: value for name, value in chosen.items() if value is not None}
        )
        _refuse_exposure(self._settings, home)
        self._files = _find_files(self._settings)
        self._connection_limits = choose_limits(self._settings.threads)
        self._socket = _listen(self._settings, home)
        try:
            self._instance = open_instance(home, analysis=InChildren())
        except BaseException:
            self._socket.close()
            raise
        self._home = home
        self._notice = Notice(home, OtherServer(self._url, os.getpid()))
        self._others = self._notice.others()
        self._stopping = threading.Event()
        # From here on, before anyone is told where it listens: who stops it at once gets a clean end, too.
        self._is_stopped_early = False
        for number in _STOPS:
            signal.signal(number, self._note_stop)

    def _note_stop(self, *_: object) -> None:
        self._is_stopped_early = True

    @property
    def _url(self) -> str:
        host, port = self._socket.getsockname()[:2]
        if ipaddress.ip_address(host).is_unspecified:
            host = "::1" if ":" in host else "127.0.0.1"
        elif self._is_exposed and host not in self._settings.allowed_hosts:
            host = self._settings.allowed_hosts[0]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    @property
    def _is_exposed(self) -> bool:
        return not _is_loopback(self._socket.getsockname()[0])

    def announce(self) -> Listening:
        """The address; on the first start this creates the owner's token."""
        return Listening(
            url=self._url,
            home=str(self._home),
            token=_owner_token(self._instance),
            engine=self._settings.engine,
            is_exposed=self._is_exposed,
            others=self._others,
        )

    def run(self) -> None:
        """Serve until a signal; requests in progress are finished first."""
        start_log(self._settings.log)
        for other in self._others:
            _LOG.warning("another server is already running for this home", extra={"url": other.url, "pid": other.pid})
        settings = self._settings
        limits = Limits(settings.requests_per_second, settings.writes_per_minute, settings.in_flight)
        app = build_app(
            self._instance,
            limits,
            frozenset(settings.allowed_hosts),
            threads=settings.threads,
            files=self._files,
        )
        door = Door(self._connection_limits)
        self._socket.guard(door)
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,  # nothing here goes by where a request says that it came from
            http=partial(Bounded, door=door),  # type: ignore[arg-type]  # uvicorn only calls it
            loop="asyncio",
            backlog=door.limits.accepted_at_once,
            ws="none",
            lifespan="on",
            timeout_graceful_shutdown=STOP_SECONDS_MAX,
        )
        beside = [threading.Thread(target=self._warm_up, name="heldtrue-warm-up", daemon=True)]
        if settings.engine and not self._instance.store.read_only:
            beside.append(threading.Thread(target=self._work, name="heldtrue-engine", daemon=True))
        for thread in beside:
            thread.start()
        server = _Uvicorn(config, app)
        # uvicorn takes signals itself and hands them on here when it is done; there is still something to close then.
        for number in _STOPS:
            signal.signal(number, server.handle_exit)
        server.should_exit = server.should_exit or self._is_stopped_early
        try:
            server.run(sockets=[self._socket])
        finally:
            self._stopping.set()
            self._notice.take_down()
            until = time.monotonic() + FINISH_SECONDS_MAX
            finished = app.finish(FINISH_SECONDS_MAX)
            for thread in beside:
                thread.join(max(0.0, until - time.monotonic()))
            if not finished or any(thread.is_alive() for thread in beside):
                _cut_short()
            self._instance.close()
            # What is left goes with the process: nothing is gained by looking through all of it once more.
            gc.freeze()

    def _warm_up(self) -> None:
        """Load what the first recall needs in advance; an earlier recall loads it itself.

        It runs a search that is not logged. Errors here are reported by the first recall.
        """
        try:
            self._instance.tools()
            if not self._stopping.is_set():
                call = Call(instance=self._instance, principal=OWNER, channel="serve")
                warm_up(call, _WARMING_WORDS)
        except Exception as problem:  # noqa: BLE001 - the server serves without it
            _LOG.warning("warm-up", extra={"problem": type(problem).__name__})

    def _work(self) -> None:
        """Run queued jobs repeatedly."""
        engine = self._instance.engine
        while not self._stopping.wait(ENGINE_POLL_SECONDS):
            try:
                engine.ask_overdue()
                engine.run_due((), lambda _: None, lambda: not self._stopping.is_set())
            except HeldtrueError as problem:
                _LOG.warning("engine", extra={"problem": problem.code})
            except Exception as problem:  # noqa: BLE001 - one bad turn must not end all work until the next start
                _LOG.error("engine", extra={"problem": type(problem).__name__})


def _end_in_time() -> None:
    """Exit after the time that a server may take to stop, whatever is still under way then."""
    ending = threading.Timer(END_SECONDS_MAX, _cut_short)
    ending.daemon = True
    ending.start()


def _cut_short() -> None:
    """Exit at once: the interpreter would wait for a thread that does not end.

    The store treats it like a crash: acknowledged writes are kept, others are rolled back.
    """
    _LOG.error("cut short")
    logging.shutdown()
    os._exit(1)


class _Uvicorn(uvicorn.Server):
    """Tells the application as soon as it is to stop, so that streams of events end by themselves."""

    def __init__(self, config: uvicorn.Config, app: ServiceApp) -> None:
        super().__init__(config)
        self._app = app

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if not self.should_exit:
            _end_in_time()
        self._app.close()
        super().handle_exit(sig, frame)


def _owner_token(instance: Instance) -> str | None:
    with instance.store.read() as reading:
        owner = reading.agents.named(OWNER.name)
    if owner is not None or instance.store.read_only:
        return None
    call = Call(instance=instance, principal=OWNER, channel="serve")
    return rotate_agent(call, RotateAgentRequest(name=OWNER.name)).token


def _refuse_exposure(settings: ServerSettings, home: Path) -> None:
    """Listen only on this machine, unless the settings name the allowed hosts."""
    if settings.host == "localhost" or _is_loopback(settings.host):
        return
    _check_name(settings.host)
    if settings.allowed_hosts:
        return
    raise InvalidSettings(
        f"other machines can reach {settings.host}, but server.allowed_hosts is not set",
        field="server.allowed_hosts",
        hint=f'write [server] allowed_hosts = ["memory.example"] into {home / SETTINGS_FILE}, set '
        f"{VARIABLE_PREFIX}ALLOWED_HOSTS=memory.example, or listen on 127.0.0.1",
    )


def _check_name(host: str) -> None:
    """Refuse a host name that does not resolve."""
    try:
        socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise StorageUnavailable(
            f"the host name {host!r} does not resolve",
            field="host",
            hint="use an address of this machine, for example 127.0.0.1",
        ) from None


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _find_files(settings: ServerSettings) -> FileAccess:
    """The folder in which requests may name files."""
    if not settings.files:
        return NO_PATH
    folder = Path(settings.files).expanduser()
    if not folder.is_absolute() or not folder.is_dir():
        raise InvalidSettings(
            f"{settings.files} is not the full path of a folder",
            field="server.files",
            hint="create the folder, or remove the setting server.files",
        )
    return PathsBelow(folder)


def _listen(settings: ServerSettings, home: Path) -> Listener:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # With its protocol named: only then does asyncio send without waiting for more (TCP_NODELAY), and not waiting is
    # forty milliseconds an answer.
    listening = Listener(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host, settings.port))
        listening.listen()
    except OverflowError:
        listening.close()
        raise InvalidInput(
            f"{settings.port} is not a valid port",
            field="port",
            hint="choose a port up to 65535, or 0 for any free port",
        ) from None
    except OSError as problem:
        listening.close()
        raise _refuse_place(problem, settings, find_neighbours(home)) from None
    return listening


def _refuse_place(problem: OSError, settings: ServerSettings, others: Sequence[OtherServer]) -> StorageUnavailable:
    """The error for an address that the server cannot listen on."""
    if problem.errno != errno.EADDRINUSE:
        field = "port" if problem.errno == errno.EACCES else "host"
        hint = (
            "choose another port with --port, or use --port 0 for any free port" if field == "port" else "use 127.0.0.1"
        )
        said = problem.strerror or str(problem)
        return StorageUnavailable(f"cannot listen on {settings.host}:{settings.port}: {said}", field=field, hint=hint)
    for server in others:
        if server.url.endswith(f":{settings.port}"):
            return PortTaken(
                f"port {settings.port} is in use by another server for this store, at {server.url} (process "
                f"{server.pid})",
                field="port",
                hint=f"use that server (HELDTRUE_URL={server.url}), or start a second one with --port 0",
            )
    is_ours = _is_heldtrue(settings.host, settings.port)
    by, what = ("a Heldtrue server for another store", "server") if is_ours else ("another program", "program")
    return PortTaken(
        f"port {settings.port} on {settings.host} is in use by {by}",
        field="port",
        hint=f"stop that {what}, or choose another port: --port {_next_port(settings.port)}, --port 0 for any free "
        f"port, or [server] port in {SETTINGS_FILE}",
    )


def _is_heldtrue(host: str, port: int) -> bool:
    """Whether a Heldtrue server answers on a port of this machine."""
    if host != "localhost" and not _is_loopback(host):
        return False
    connection = http.client.HTTPConnection(host, port, timeout=PROBE_SECONDS_MAX)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().headers.get("Heldtrue-Request") is not None
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _next_port(port: int) -> int:
    return port + 1 if port < PORT_MAX else port - 1
