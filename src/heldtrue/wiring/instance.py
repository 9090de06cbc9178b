"""Builds an instance: the store, the clock and the head file. Nothing else does."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from heldtrue.capabilities.call import Instance
from heldtrue.domain.errors import StorageProblem
from heldtrue.environment import read_variable
from heldtrue.ports import Clock, HeadKeeper, NoHeads
from heldtrue.recall.log_writer import RecallLog
from heldtrue.storage.headfile import HeadFile
from heldtrue.storage.sqlite.connector import SqliteConnector
from heldtrue.storage.store import SqlStore
from heldtrue.wiring.background import BackgroundThread
from heldtrue.wiring.clock import SystemClock
from heldtrue.wiring.engine import EngineParts
from heldtrue.wiring.known_homes import note_home, refuse_unknown_home
from heldtrue.wiring.models import Models
from heldtrue.wiring.settings import Settings, read_settings

if TYPE_CHECKING:
    from heldtrue.engine.ports import EngineStore
    from heldtrue.ingest.gateway import Gateway, WriteRequest

Answer = TypeVar("Answer")
HOME_VARIABLE = "HELDTRUE_HOME"
URL_VARIABLE = "HELDTRUE_URL"
"""The environment variable with the URL of a service to use instead of a home."""
HOME_FOLDER = ".heldtrue"
HEAD_FILE = "ledger.head"
_SHARED_FILE_SYSTEMS = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "fuse.sshfs"})


class SpaceSettings(msgspec.Struct, frozen=True):
    """The settings that capabilities read, taken from the file."""

    name: str
    default_scope: str
    default_visibility: str
    default_staleness: str
    max_facts: int
    recall_profile: str
    recall_floor: float | None
    decay: dict[str, float]
    """Rate a day by category; under the empty name that of all others."""
    log_days: int
    jobs_days: int
    extracts: bool
    """Whether captured text is queued for extraction."""
    settings: Settings

    def profile_weights(self, profile: str) -> dict[str, float]:
        return self.settings.recall.profiles.get(profile, {})

    def conflict_rule(self, scope: str) -> str:
        return self.settings.conflicts.rule_for(scope)


def find_home(given: str | os.PathLike[str] | None = None) -> Path:
    """The home to use: the given one, `HELDTRUE_HOME`, or `.heldtrue` of the current project.

    The project folder is the nearest one upwards that has a home already or is the root of a repository: a home
    outside a repository is not that of the repository. Where there is neither, it is the current folder.
    """
    named = given or read_variable(HOME_VARIABLE)
    if named:
        return Path(named).expanduser()
    here = Path.cwd()
    for folder in (here, *here.parents):
        home = folder / HOME_FOLDER
        if home.is_dir():
            refuse_unknown_home(home)
            return home
        if (folder / ".git").exists():
            return home
    return here / HOME_FOLDER


def open_instance(home: Path | None, *, clock: Clock | None = None) -> Instance:
    """Open a home and create it if necessary; None opens a space in memory."""
    if home is not None:
        _make_home(home)
        if home.name == HOME_FOLDER:
            note_home(home)
    settings = read_settings(home) if home is not None else Settings()
    clock = clock or SystemClock()
    heads: HeadKeeper = NoHeads()
    if home is None:
        store: EngineStore = SqlStore(SqliteConnector(None))
    else:
        store = _open_store(home, settings)
        heads = HeadFile(home / HEAD_FILE)
    background = BackgroundThread()
    models = Models(settings.recall, store, background)
    gate = _LazyGateway(store, clock, heads, settings.project.base_iri)
    engine = EngineParts(settings, store, clock, gate, models.keep_vectors)
    if settings.memory.compact_on_start:
        store.tidy()
        engine.compact()
    return Instance(
        store=store,
        gateway=gate,
        clock=clock,
        heads=heads,
        settings=_space_settings(settings),
        home=home,
        open_scratch=_open_scratch,
        open_file=_open_file,
        background=background,
        recall_log=RecallLog(store, background),
        tools=models.tools,
        keep_vectors=models.keep_vectors,
        keep_vectors_soon=models.keep_vectors_soon,
        engine=engine,
    )


class _LazyGateway:
    """The gateway, loaded by the first write: a process that only reads starts without the way in."""

    def __init__(self, store: EngineStore, clock: Clock, heads: HeadKeeper, base_iri: str) -> None:
        self._parts = (store, clock, heads, base_iri)

    @cached_property
    def _gateway(self) -> Gateway:
        from heldtrue.ingest.gateway import Gateway

        return Gateway(*self._parts)

    def submit(self, request: WriteRequest, act: Any, answer_type: type[Answer]) -> Answer:
        return self._gateway.submit(request, act, answer_type)


def _space_settings(settings: Settings) -> SpaceSettings:
    memory, recall = settings.memory, settings.recall
    return SpaceSettings(
        name=settings.project.name,
        default_scope=memory.default_scope,
        default_visibility=memory.default_visibility.value,
        default_staleness=memory.default_staleness.value,
        max_facts=memory.max_facts,
        recall_profile=recall.profile,
        recall_floor=recall.floor,
        decay={"": recall.decay.per_day, **recall.decay.categories},
        log_days=recall.log_days,
        jobs_days=settings.engine.jobs_days,
        extracts=settings.engine.extract,
        settings=settings,
    )


def _make_home(home: Path) -> None:
    if home.is_dir():
        return
    try:
        # Others may be making it at the same moment: only what the system says afterwards counts.
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except FileExistsError:
        raise StorageProblem(
            f"the home {home} is a file, not a folder", field="home", hint="choose another with --home FOLDER"
        ) from None
    except OSError as problem:
        raise StorageProblem(
            f"cannot create the home {home}: {problem.strerror}",
            field="home",
            hint="choose another with --home FOLDER",
        ) from None
    _refuse_shared_disk(home)
    with suppress(OSError):
        # What is remembered here may be private: it must not slip into the project's version control.
        (home / ".gitignore").touch(mode=0o600)
        (home / ".gitignore").write_text("*\n", "utf-8")


def _refuse_shared_disk(home: Path) -> None:
    """Refuse to create a home on a network file system, where a database can lose writes."""
    try:
        mounts = Path("/proc/self/mounts").read_text("utf-8", "replace").splitlines()
    except OSError:
        return
    longest, file_system = "", ""
    resolved = f"{home.resolve()}/"
    for mount in mounts:
        fields = mount.split(" ")
        mount_point = fields[1].replace("\\040", " ").rstrip("/") + "/"
        if resolved.startswith(mount_point) and len(mount_point) >= len(longest):
            longest, file_system = mount_point, fields[2]
    if file_system in _SHARED_FILE_SYSTEMS:
        home.rmdir()
        raise StorageProblem(
            f"{home} is on a network file system ({file_system}), where file locks are unreliable",
            field="home",
            hint="choose a home on a local disk, or use PostgreSQL (storage.url)",
        )


def _open_store(home: Path, settings: Settings) -> EngineStore:
    url = settings.storage.url
    if url.startswith(("postgresql://", "postgres://")):
        from heldtrue.storage.postgres import open_connector

        return SqlStore(open_connector(url, settings.storage.space))
    path = home / url.removeprefix("sqlite:///")
    if not path.exists():
        # Made before SQLite does, so that nobody else can read it.
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    return SqlStore(SqliteConnector(path))


def _open_scratch() -> EngineStore:
    from heldtrue.wiring.scratch_store import ScratchStore

    return ScratchStore()


def _open_file(path: Path, read_only: bool) -> EngineStore:
    return SqlStore(SqliteConnector(path, read_only=read_only))
