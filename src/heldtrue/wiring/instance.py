"""Builds an instance: the store, the clock and the head file. Nothing else does."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from heldtrue.capabilities.call import Instance
from heldtrue.domain.continuity import StoredHead
from heldtrue.domain.erasure import PAGES_PENDING
from heldtrue.domain.errors import Busy, HomeChanged, StorageProblem
from heldtrue.domain.limits import BUSY_TIMEOUT_MS
from heldtrue.domain.masking import MaskingPolicy
from heldtrue.domain.principal import SYSTEM
from heldtrue.ports import Clock, HeadKeeper, NoHeads
from heldtrue.recall.log_writer import RecallLog
from heldtrue.storage.headfile import HeadFile, HeadFiles
from heldtrue.storage.sqlite.connector import SqliteConnector
from heldtrue.storage.store import SqlStore
from heldtrue.wiring.analysis import InProcess
from heldtrue.wiring.background import BackgroundThread
from heldtrue.wiring.clock import SystemClock
from heldtrue.wiring.engine import EngineParts
from heldtrue.wiring.known_homes import HEAD_FILE, KnownHome, space_of
from heldtrue.wiring.models import Models
from heldtrue.wiring.outside_records import outside_records
from heldtrue.wiring.settings import Settings, read_settings
from heldtrue.wiring.space_keys import KeyFolder, user_keys

if TYPE_CHECKING:
    from heldtrue.engine.ports import EngineStore
    from heldtrue.ingest.gateway import Gateway, WriteRequest
    from heldtrue.ingest.ports import TextAnalysis

Answer = TypeVar("Answer")
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
    """The decay rate per day, by category; the empty name stands for all others."""
    log_days: int
    jobs_days: int
    extracts: bool
    """Whether captured text is queued for extraction."""
    masking: MaskingPolicy
    settings: Settings

    def profile_weights(self, profile: str) -> dict[str, float]:
        return self.settings.recall.profiles.get(profile, {})

    def conflict_rule(self, scope: str) -> str:
        return self.settings.conflicts.rule_for(scope)


def open_instance(
    home: Path | None,
    *,
    clock: Clock | None = None,
    analysis: TextAnalysis | None = None,
    is_trusted: bool = False,
    patience_ms: int = BUSY_TIMEOUT_MS,
) -> Instance:
    """Open a home and create it if necessary; None opens a space in memory. Texts are analysed in this process.

    A home that does not contain the store that is known on this machine is refused, unless the owner trusts
    it. Writes wait for others for at most `patience_ms`.
    """
    known: KnownHome | None = None
    if home is not None:
        _make_home(home)
        known = KnownHome(home)
        if not is_trusted:
            # Before its settings are read, and with them the addresses that texts are sent to.
            known.refuse_other(space_of(home))
    settings = read_settings(home) if home is not None else Settings()
    clock = clock or SystemClock()
    heads: HeadKeeper = NoHeads()
    if home is None or known is None:
        store: EngineStore = SqlStore(SqliteConnector(None))
    else:
        store = _open_store(home, settings, patience_ms)
        heads = HeadFiles(HeadFile(home / HEAD_FILE), known.file)
        if not is_trusted:
            _compare_known(store, heads, known)
    background = BackgroundThread()
    space_settings = _space_settings(settings)
    models = Models(settings.recall, store, background, clock, search=space_settings, home=home)
    gate = _LazyGateway(store, clock, heads, settings.project.base_iri, models)
    analysis = analysis or InProcess()
    engine = EngineParts(settings, store, clock, gate, models, analysis, home=home)
    instance = Instance(
        store=store,
        gateway=gate,
        clock=clock,
        heads=heads,
        settings=space_settings,
        home=home,
        keys=KeyFolder(None) if home is None else user_keys(),
        outside=outside_records(home),
        open_scratch=_open_scratch,
        open_file=_open_file,
        background=background,
        recall_log=RecallLog(store, background),
        tools=models.tools,
        has_reader=models.has_reader,
        keep_vectors=models.keep_vectors,
        keep_vectors_soon=models.keep_vectors_soon,
        rebuild_soon=models.rebuild_soon,
        engine=engine,
        analysis=analysis,
    )
    if home is not None and not store.read_only:
        _catch_up(instance, engine, compacts=settings.memory.compact_on_start)
    return instance


def _catch_up(instance: Instance, engine: EngineParts, *, compacts: bool) -> None:
    """Complete the erasure of a process that ended before it was done, and compact if the settings say so."""
    with instance.store.read() as reading:
        is_pending = bool(reading.index.state(PAGES_PENDING))
        notes = instance.outside.erasures(reading.ledger.space().id)
    if notes or is_pending:
        from heldtrue.ingest.acts.erase import erase_in_copy, finish_erasure

        # A home that was put back to an earlier state, or copied before an erasure.
        erase_in_copy(instance.store, notes, SYSTEM, instance.clock.now())
        finish_erasure(instance.store, instance.outside)
    if compacts:
        _compact(instance.store, engine)


def _compare_known(store: EngineStore, heads: HeadFiles, known: KnownHome) -> None:
    """Refuse another memory than the one that is known; remember one that is not known yet."""
    with store.read() as reading:
        space_id, head = reading.ledger.space().id, reading.ledger.head()
        if known.stored is not None:
            known.refuse_other(space_id)
            return
        try:
            heads.check(reading, head)
        except HomeChanged:
            return  # every write says so; what is left can be read
    if space_id:
        # Without a head in the home, nothing vouches for what was recorded so far.
        stored = [found.since for found in heads.stored() if isinstance(found, StoredHead)]
        known.bind(space_id, head, since=min(stored, default=head.seq))
    else:
        known.note()


def _compact(store: EngineStore, engine: EngineParts) -> None:
    """Compact on start, unless another writer is busy: opening a home must not wait for it."""
    with suppress(Busy):
        store.tidy()
        engine.compact()


class _LazyGateway:
    """The gateway, loaded by the first write: a process that only reads starts without the way in."""

    def __init__(
        self,
        store: EngineStore,
        clock: Clock,
        heads: HeadKeeper,
        base_iri: str,
        models: Models,
    ) -> None:
        self._parts = (store, clock, heads, base_iri)
        self._models = models

    @cached_property
    def _gateway(self) -> Gateway:
        from heldtrue.ingest.gateway import Gateway
        from heldtrue.ingest.stages.judging import TextJudge
        from heldtrue.ingest.stages.near import NearStatements
        from heldtrue.ingest.stages.rejected import RejectedStatements

        models = self._models
        near = NearStatements(models.reader, models.find_near)
        return Gateway(*self._parts, RejectedStatements(models.reader), near, TextJudge(models.reader))

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
        masking=settings.masking.policy,
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
            f"the home {home} is a file, not a folder", field="home", hint="choose another folder with --home FOLDER"
        ) from None
    except OSError as problem:
        raise StorageProblem(
            f"cannot create the home {home}: {problem.strerror}",
            field="home",
            hint="choose another folder with --home FOLDER",
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


def _open_store(home: Path, settings: Settings, patience_ms: int) -> EngineStore:
    url = settings.storage.url
    if url.startswith(("postgresql://", "postgres://")):
        from heldtrue.storage.postgres import open_connector

        return SqlStore(open_connector(url, settings.storage.space), patience_ms=patience_ms)
    path = home / url.removeprefix("sqlite:///")
    if not path.exists():
        _make_database(path)
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return SqlStore(SqliteConnector(path), patience_ms=patience_ms)
    store = SqlStore(SqliteConnector(path, read_only=True))
    try:
        with store.read():
            return store
    except StorageProblem:
        # There is a log, but not the file beside it that SQLite needs and cannot create here.
        from heldtrue.wiring.scratch_store import CopiedStore

        return CopiedStore(path)


def _make_database(path: Path) -> None:
    """Create the file of the database before SQLite does, so that nobody else can read it."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    except FileNotFoundError:
        raise StorageProblem(
            f"the folder {path.parent} in storage.url does not exist",
            field="storage.url",
            hint="create the folder, or change storage.url in heldtrue.toml",
        ) from None
    except OSError as problem:
        raise StorageProblem(
            f"cannot create the database {path}: {problem.strerror}",
            field="storage.url",
            hint="check the folder and its permissions, or change storage.url in heldtrue.toml",
        ) from None


def _open_scratch() -> EngineStore:
    from heldtrue.wiring.scratch_store import ScratchStore

    return ScratchStore()


def _open_file(path: Path) -> EngineStore:
    return SqlStore(SqliteConnector(path, read_only=True))
