"""A call: the caller, the surface, the project and the space."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec

from heldtrue.access.policy import is_allowed, require
from heldtrue.capabilities.file_access import ANY_PATH, FileAccess
from heldtrue.capabilities.references import complete_id
from heldtrue.domain.action import READ, ScopeResource
from heldtrue.domain.errors import HomeChanged, InvalidInput, NotFound
from heldtrue.domain.limits import CLOSE_SECONDS_MAX, NUMBER_DIGITS_MAX
from heldtrue.domain.masking import MaskingPolicy
from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.outside import ErasureNote, KnownCopy
from heldtrue.domain.principal import Principal, Sight
from heldtrue.domain.records import Source
from heldtrue.domain.rows import VersionFilter
from heldtrue.domain.scope import GLOBAL, parse_scope
from heldtrue.domain.space_key import SpaceKey
from heldtrue.domain.times import to_iso
from heldtrue.language.moments import parse_moment
from heldtrue.ports import Background, Clock, HeadKeeper, ReadTransaction
from heldtrue.recall.visibility import may_read

if TYPE_CHECKING:
    # The way in is loaded by the first write: a process that only reads starts without it.
    from heldtrue.domain.job import Job
    from heldtrue.engine.compact import ForeseenCompaction
    from heldtrue.engine.consolidate import Foreseen
    from heldtrue.engine.ports import EngineStore
    from heldtrue.ingest.gateway import Gate, PlannedAct
    from heldtrue.ingest.ports import TextAnalysis
    from heldtrue.ingest.stages.journal import WriteSession
    from heldtrue.recall.log_writer import RecallLog
    from heldtrue.recall.tools import RecallTools

Answer = TypeVar("Answer")
_HEAD_CHECKS = 3


def parse_number(digits: str, text: str, *, field: str, hint: str) -> int:
    """Parse an integer that a database can store; the error repeats the input."""
    if not (digits.isascii() and digits.isdigit() and len(digits) <= NUMBER_DIGITS_MAX):
        raise InvalidInput("is not a valid number", given=text, field=field, hint=hint)
    return int(digits)


def describe_validity(memory: MemoryVersion) -> str:
    """The period in which a memory is true, in words."""
    since = f"from {to_iso(memory.valid_from)}" if memory.valid_from is not None else "from the beginning"
    return since + (f" until {to_iso(memory.valid_to)}" if memory.valid_to is not None else "")


class CallSettings(Protocol):
    """The few settings that capabilities read."""

    @property
    def name(self) -> str: ...
    @property
    def default_scope(self) -> str: ...
    @property
    def default_visibility(self) -> str: ...
    @property
    def default_staleness(self) -> str: ...
    @property
    def max_facts(self) -> int: ...
    @property
    def recall_profile(self) -> str: ...
    @property
    def recall_floor(self) -> float | None: ...
    @property
    def decay(self) -> Mapping[str, float]: ...
    @property
    def log_days(self) -> int: ...
    @property
    def jobs_days(self) -> int: ...
    @property
    def extracts(self) -> bool: ...
    @property
    def masking(self) -> MaskingPolicy: ...
    def profile_weights(self, profile: str) -> Mapping[str, float]: ...
    def conflict_rule(self, scope: str) -> str: ...


class Engine(Protocol):
    """Runs the queued jobs in the caller's thread."""

    watch: Callable[[Job], None]
    """Called for every step of every job."""

    def ask_overdue(self) -> list[Job]:
        """Queue the scheduled jobs that are due."""

    def run_due(self, names: Sequence[str], report: Callable[[Job], None], go_on: Callable[[], bool]) -> list[Job]:
        """Run all due jobs, or those with these names, and return them when they have ended."""

    def foresee_compaction(self, scope: str, wanted: Mapping[str, Any]) -> Sequence[ForeseenCompaction]:
        """List what a compaction would change."""

    def foresee_consolidation(self, scope: str) -> Sequence[Foreseen]:
        """List what a consolidation would change."""


class SpaceKeys(Protocol):
    """The keys of this user's spaces, kept outside every home."""

    def find(self, space_id: str) -> SpaceKey | None: ...
    def find_or_make(self, space_id: str) -> SpaceKey | None:
        """The key of a space, created on first use. None if keys cannot be stored."""

    def keep(self, space_id: str, key: SpaceKey, *, replace: bool) -> SpaceKey:
        """Store a key and return the stored one. Without `replace`, an existing key stays and is returned."""


class OutsideRecords(Protocol):
    """What is remembered about this user's stores outside every home."""

    def erasures(self, space_id: str) -> list[ErasureNote]: ...
    def note_erasure(self, space_id: str, note: ErasureNote) -> None: ...
    def copies(self, space_id: str) -> list[KnownCopy]:
        """The backups and exports of a store that still exist."""

    def note_copy(self, space_id: str, copy: KnownCopy) -> None: ...


class Instance(msgspec.Struct, frozen=True):
    """An open space with its parts."""

    store: EngineStore
    gateway: Gate
    clock: Clock
    heads: HeadKeeper
    settings: CallSettings
    home: Path | None
    """The folder of the space. None for an in-memory store."""
    keys: SpaceKeys
    outside: OutsideRecords
    open_scratch: Callable[[], EngineStore]
    """Opens a temporary store, to verify an export before it is imported."""
    open_file: Callable[[Path], EngineStore]
    """Opens a space read-only, in a database file that nobody writes to."""
    background: Background
    recall_log: RecallLog
    tools: Callable[[], RecallTools]
    """The caches and models of recall, created on first use."""
    has_reader: Callable[[], bool]
    """Whether the reader is installed."""
    keep_vectors: Callable[[], int]
    """Embeds the documents that have no stored vector, and returns their number."""
    keep_vectors_soon: Callable[[], None]
    """Embeds them in the background."""
    rebuild_soon: Callable[[], None]
    """Rebuilds the derived rows in the background, at most once while the space is open."""
    engine: Engine
    """Runs the queued jobs."""
    analysis: TextAnalysis
    """Analyses long texts."""

    def refuse_changed(self) -> None:
        """Raise `HomeChanged` if the database was deleted, replaced or rolled back, so that every write would fail."""
        self.store.check_place()
        for attempts_left in reversed(range(_HEAD_CHECKS)):
            with self.store.read() as reading:
                try:
                    self.heads.check(reading, reading.ledger.head())
                    return
                except HomeChanged:
                    # A writer may have stored a later head than that of this view.
                    if not attempts_left:
                        raise

    def close(self) -> None:
        """Finish background work and close the files."""
        self.analysis.close()
        self.background.drain(CLOSE_SECONDS_MAX)
        self.store.close()
        self.heads.close()


class StateAt(msgspec.Struct, frozen=True):
    """The state of a space that a query reads."""

    seq: int | None
    """The last ledger entry of that state. None for the present state."""
    moment: int
    """The requested point in time. Ages are measured from it."""


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One use of a capability."""

    instance: Instance
    principal: Principal
    channel: str
    project: str | None = None
    repo: str | None = None
    session: str | None = None
    action: str = ""
    idempotency_key: str | None = None
    body: bytes = b""
    meter: Callable[[str, int], None] | None = None
    """Called with the effect and the number of items before each use; it can refuse a caller that exceeds its rate."""
    files: FileAccess = ANY_PATH
    """Which files the call may read and write."""
    on_replay: Callable[[], None] | None = None
    """Called if a write with the same key was already done, so that its first response is returned again."""

    @property
    def now(self) -> int:
        return self.instance.clock.now()

    def submit(
        self, act: Callable[[WriteSession], Answer] | PlannedAct[Any, Answer], answer_type: type[Answer]
    ) -> Answer:
        """Submit an act to the gateway, which runs it in one transaction."""
        from heldtrue.ingest.gateway import WriteRequest

        request = WriteRequest(
            principal=self.principal,
            channel=self.channel,
            action=self.action,
            idempotency_key=self.idempotency_key,
            body=msgspec.json.encode((self.project, self.repo, self.session)) + self.body,
            on_replay=self.on_replay,
        )
        return self.instance.gateway.submit(request, act, answer_type)

    def moment(self, text: str | None, field: str) -> int | None:
        return None if text is None else parse_moment(text, field=field, now=self.now)

    def state_at(self, reading: ReadTransaction, as_of: str | None, *, field: str = "as_of") -> StateAt:
        """Return the state at a time, or after an entry such as `#120`. None is the present state."""
        if as_of is None:
            return StateAt(None, self.now)
        if as_of.startswith("#"):
            seq = parse_number(
                as_of[1:], as_of, field=field, hint="specify a ledger entry as shown by `history`, for example #120"
            )
            if seq > (last := reading.ledger.head().seq):
                raise InvalidInput(f"{as_of} does not exist: the ledger ends at #{last}", field=field)
            entry = reading.ledger.entry(seq)
            return StateAt(seq, entry.recorded_at if entry is not None else self.now)
        now = self.now
        if as_of.strip().lower() == "now":
            # The present is all there is, also where the clock lags behind what was recorded.
            return StateAt(reading.ledger.head().seq, now)
        moment = parse_moment(as_of, field=field, now=now)
        return StateAt(reading.ledger.head_at(moment).seq, moment)

    # What this caller may see

    @property
    def default_scope(self) -> str:
        """The scope of a write that specifies none."""
        project = self.project or self.principal.own_project
        return f"project:{project}" if project else self.instance.settings.default_scope

    @property
    def reader(self) -> str | None:
        """Whose private memories are visible: an agent's own; None for a person, who sees all."""
        return None if self.principal.is_person else self.principal.id

    def visible_scopes(self, asked: Sequence[str] | None) -> tuple[str, ...] | None:
        """The scopes of a read: the requested ones if the caller may see them, otherwise the caller's own."""
        if asked:
            scopes = tuple(dict.fromkeys(parse_scope(scope, field="scopes") for scope in asked))
            for scope in scopes:
                require(self.principal, READ, ScopeResource(scope, "scopes"))
            return scopes
        if (reach := self.principal.reach) is not None and not (self.project or self.repo or self.session):
            return reach.scopes(self.principal.name)
        around = [GLOBAL]
        if self.project:
            around.append(f"project:{self.project}")
        if self.repo:
            around.append(f"repo:{self.repo}")
        if self.session:
            around.append(f"session:{self.session}")
        if self.principal.is_person:
            return tuple(around) if len(around) > 1 else None
        return (*around, f"agent:{self.principal.name}")

    def filter(self, scopes: Sequence[str] | None, **conditions: object) -> VersionFilter:
        """A search filter limited to what this caller may see."""
        sight = Sight(self.visible_scopes(scopes), reader=self.reader)
        return VersionFilter(sight=sight, **conditions)  # type: ignore[arg-type]

    @property
    def sight(self) -> Sight:
        """What this caller may see, as a limit for queries."""
        return self.principal.sight

    def may_read(self, row: MemoryVersion | Source) -> bool:
        return may_read(self.principal, row)

    def may_see(self, scope: str) -> bool:
        return is_allowed(self.principal, READ, ScopeResource(scope))

    def find(
        self, reading: ReadTransaction, ref: str, *, field: str = "memory", seq: int | None = None
    ) -> MemoryVersion:
        """Find a memory by id or IRI at a ledger entry. A memory that the caller may not see is treated as missing."""
        memory_id = self.memory_id(reading, ref)
        memory = reading.memories.version(memory_id, seq) if memory_id else None
        if memory is None or not self.may_read(memory):
            when = " at that time" if seq is not None else ""
            raise NotFound(
                f"no memory with id {ref}{when}",
                field=field,
                hint="find the id with `list`, or `recall`",
            )
        return memory

    def find_then(
        self, reading: ReadTransaction, ref: str, as_of: str | None, valid_at: str | None
    ) -> tuple[MemoryVersion, StateAt]:
        """Return a memory as of `as_of`, with the requested state. It must have been true at `valid_at`."""
        state = self.state_at(reading, as_of)
        memory = self.find(reading, ref, seq=state.seq)
        moment = self.moment(valid_at, "valid_at")
        if moment is not None and not memory.holds_at(moment):
            raise NotFound(
                f"this memory was not true at {valid_at}",
                field="valid_at",
                hint="the memory is valid " + describe_validity(memory),
            )
        return memory, state

    def memory_id(self, reading: ReadTransaction, ref: str) -> str | None:
        """The full id of a memory, from an id, the end of an id, or an IRI of this space."""
        text = ref.strip().removeprefix(reading.ledger.space().iri(""))
        return complete_id(reading, "memory", text, self.sight)

    def source_id(self, reading: ReadTransaction, ref: str, *, field: str = "source") -> str | None:
        """The full id of a source that this caller may see, from an id or the end of an id."""
        return complete_id(reading, "source", ref, self.sight, field=field)
