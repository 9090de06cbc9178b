"""What the core needs from outside: a store and a clock. What it needs from models is in model_ports.py.

A transaction consists of parts. The parts that most packages use are here. The others stand beside the package that
needs them first: `sources`, `queue` and `agents` in ingest/ports.py, `vectors` in recall/ports.py, and `summaries` in
engine/ports.py, where a transaction has all of its parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from heldtrue.domain.carried import KeptAnswer
from heldtrue.domain.continuity import CheckedHeads, LedgerStep, OutsideHead
from heldtrue.domain.ledger import Head, LedgerEntry, Record
from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.posting import Words
from heldtrue.domain.principal import EVERYTHING, Sight
from heldtrue.domain.records import Conflict, Evidence, Link, SavedView, Source, Space, Tombstone, TombstonesMoved
from heldtrue.domain.rows import (
    NewPassage,
    Passage,
    PassageText,
    RankedHeader,
    RecallRow,
    Shelf,
    SpaceState,
    Unposted,
    Use,
    VersionFilter,
)

if TYPE_CHECKING:
    pass

R_co = TypeVar("R_co", covariant=True)
W_co = TypeVar("W_co", covariant=True)


class Clock(Protocol):
    """Tells the time; nothing else does."""

    def now(self) -> int:
        """Microseconds since 1970, UTC."""

    def refuse_jump(self, last_us: int) -> None:
        """Raise `ClockJumped` if the time cannot be right for a write after one at `last_us`."""


class Background(Protocol):
    """Runs work in the background."""

    @property
    def failures(self) -> Mapping[str, str]:
        """Each job whose last run failed, with its error."""

    def later(self, name: str, job: Callable[[], object], *, delay_s: float, optional: bool = False) -> None:
        """Run a job after a delay; a job that is already waiting under the same name is only moved forward.

        Jobs run one after another, so each should be short. An optional one is left out when the space is closed.
        """

    def drain(self, timeout_s: float) -> None:
        """Run the waiting jobs that are not optional in this thread; after the timeout no further job is started."""


# The parts of a transaction that several packages use


class LedgerReader(Protocol):
    """What was done, in order, and the records that it wrote and closed."""

    def space(self) -> Space:
        """The record of the space itself; `UNBORN` before its first write."""

    def head(self) -> Head: ...
    def head_at(self, moment: int) -> Head:
        """The last entry recorded by that moment."""

    def entry(self, seq: int) -> LedgerEntry | None: ...
    def entries(self, *, after: int, until: int, limit: int) -> list[LedgerEntry]: ...
    def refusals(self, *, actor: str | None, before: int | None, limit: int) -> list[LedgerEntry]:
        """The refused writes of an author, or of all, newest first; `before` is the sequence where the page before
        ended.
        """

    def refusals_about(self, memory_id: str, seq: int | None = None) -> list[LedgerEntry]:
        """The writes that were refused because this memory was rejected, oldest first."""

    def records_written(self, table: str, *, after: int, until: int) -> list[Any]: ...
    def records_closed(self, table: str, *, after: int, until: int) -> list[Any]: ...
    def records_outside(self, table: str, *, until: int) -> list[Any]:
        """Records that no ledger entry up to `until` accounts for."""

    def opened(self, table: str, key: Mapping[str, object]) -> Any | None:
        """The record of a table by its key."""

    def knows(self, table: str, name: str) -> bool:
        """Whether a principal, project, repo or team of that id has been recorded."""

    def tally(self, name: str, **values: object) -> int: ...
    def has_erased(self) -> bool:
        """Whether anything was ever erased in this space."""

    def erased_content(self, keys: Iterable[int]) -> set[int]:
        """Those of some keys of contents (`ErasedRecord.content_key`) that were erased."""

    def idempotent_answer(self, principal: str, key: str) -> tuple[bytes, str] | None: ...


class LedgerWriter(LedgerReader, Protocol):
    """Adds to the ledger and to the records."""

    def append(self, entry: LedgerEntry) -> None: ...
    def insert(self, record: Record) -> None: ...
    def close(self, record: Record) -> None:
        """Fill in the closing part of a record."""

    def erase(self, table: str, record: Any) -> None:
        """Replace the words of a record with what it has now, and destroy its salt."""

    def keep_answer(self, kept: KeptAnswer) -> None: ...
    def drop_old_answers(self, before: int) -> None: ...


class MemoryReader(Protocol):
    """Memories as they are now, and as they were."""

    def version(self, memory_id: str, seq: int | None = None) -> MemoryVersion | None:
        """A memory as of a sequence; without one, as it is now."""

    def versions(self, memory_id: str, seq: int | None = None) -> list[MemoryVersion]: ...
    def current_versions(self, memory_ids: Sequence[str]) -> list[MemoryVersion]: ...
    def versions_numbered(self, numbers: Iterable[int]) -> list[MemoryVersion]: ...
    def versions_page(self, *, after: int, limit: int) -> list[MemoryVersion]:
        """All versions in the order they were written."""

    def list_versions(self, chosen: VersionFilter, *, before: int | None, limit: int) -> list[MemoryVersion]:
        """Newest first; `before` is the ordinal where the page before ended."""

    def headers(self, numbers: Iterable[int], chosen: VersionFilter) -> list[RankedHeader]:
        """Those of some versions that a search may see."""

    def newest_headers(self, chosen: VersionFilter, *, limit: int) -> list[RankedHeader]:
        """What a search may see, newest first."""

    def live_by_keys(self, keys: Iterable[int], *, limit: int) -> list[MemoryVersion]:
        """The active and waiting memories that are indexed under any of the keys.

        Verified memories come first, then active ones, then the newest, so the limit never hides a verified one.
        """

    def live_under_keys(self, keys: Iterable[int], *, limit: int) -> dict[int, list[MemoryVersion]]:
        """By key the first of them, in the same order; a key with none is left out."""

    def numbers_sharing_keys(self) -> set[int]:
        """The ordinals of the active and waiting versions that are indexed under a key of another one too."""

    def counts(self, *, sight: Sight, now: int) -> list[tuple[Any, ...]]:
        """Of what is in sight: scope, kind, status, staleness, author, topic, number, and how many are stale."""


class MemoryWriter(MemoryReader, Protocol):
    """Numbers new versions; they are written by the ledger."""

    def next_version_no(self) -> int: ...


class RecordReader(Protocol):
    """The records that speak of memories: evidence, tombstones, links, conflicts, saved views."""

    def evidence_of(self, memory_ids: Sequence[str], seq: int | None = None) -> list[tuple[Evidence, Source]]: ...
    def has_evidence_by(self, memory_id: str, author: str) -> bool:
        """Whether an author has given evidence for a memory."""

    def tombstones_by_keys(self, keys: Iterable[int]) -> list[Tombstone]: ...
    def tombstones_of(self, memory_id: str, seq: int | None = None) -> list[Tombstone]: ...
    def tombstones_moved(self) -> TombstonesMoved: ...

    def tombstones_since(self, laid: int, lifted: int) -> list[Tombstone]:
        """The tombstones that were laid or lifted after some entries."""

    def rejections_page(
        self, *, by_agents: bool, lifted: bool, before: tuple[int | None, str], limit: int
    ) -> list[Tombstone]:
        """The tombstones over whole texts, newest first: of all or only of agents, with lifted ones or without;
        `before` is the sequence and id where the page before ended.
        """

    def links_of(self, refs: Sequence[str], seq: int | None = None) -> list[Link]: ...
    def links_ever_to(self, refs: Sequence[str], relationship: str) -> list[Link]:
        """The links of one kind to any of some memories, including removed ones."""

    def open_link(self, from_id: str, to_ref: str, relationship: str) -> Link | None: ...
    def conflict(self, conflict_id: str) -> Conflict | None: ...
    def conflicts_of(self, memory_ids: Sequence[str], seq: int | None = None) -> list[Conflict]: ...
    def conflicts_by_pairs(self, pair_keys: Iterable[int]) -> list[Conflict]:
        """The conflicts between any of some pairs of values, including resolved ones, newest first."""

    def conflicts_page(
        self, *, pending: bool, sight: Sight, after: tuple[int, str] = (0, ""), limit: int
    ) -> list[Conflict]:
        """Those with both sides in sight, in the order they were found; `after` is the sequence and id where the page
        before ended.
        """

    def is_doubted(self, memory_id: str, *, besides: str) -> bool:
        """Whether a memory is the weaker side of an open conflict other than the given one."""

    def saved_view(self, author: str, name: str) -> SavedView | None: ...
    def saved_views(self, author: str | None) -> list[SavedView]: ...
    def ids_ending(self, what: str, ending: str, *, limit: int, sight: Sight = EVERYTHING) -> list[tuple[str, str]]:
        """The ids that end with a text of at least four characters, each with words that tell what it is.

        `what` is one of memory, source, conflict, job and recall. Only of what is in sight: a conflict whose two sides
        are, and a job or a recall of the reader's own.
        """


class IndexReader(Protocol):
    """Which documents have a word, shelf by shelf."""

    def shelves(self, collections: Sequence[str], sight: Sight) -> list[Shelf]:
        """The shelves of some collections that may be seen."""

    def shelf_numbers(self, versions: Iterable[int]) -> dict[int, int]:
        """The shelf of each of some versions."""

    def postings(self, shelves: Sequence[int], terms: Sequence[str]) -> list[tuple[int, str, bytes]]:
        """Shelf, word and packed postings (domain/posting.py) of some words on some shelves."""

    def has_postings(self, shelves: Sequence[int]) -> bool:
        """Whether any word of the shelves is posted."""

    def terms_between(self, shelves: Sequence[int], first: str, last: str, *, limit: int) -> list[str]:
        """The posted words of some shelves from `first` on, before `last`."""

    def unposted(self, after: int) -> list[Unposted]:
        """The documents whose words wait to be posted, from a place on."""

    def space_state(self, model: str | None) -> SpaceState:
        """The state of the space, and how far an embedding model has indexed it."""

    def state(self, name: str) -> int:
        """A counter of the index: `folds` changes whenever waiting words were posted."""

    def indexed_numbers(self, *, after: int, limit: int) -> list[int]:
        """The ordinals of the versions whose words are indexed."""

    def is_indexed(self, no: int) -> bool:
        """Whether the words of a version are in the index."""

    def totals(self) -> list[tuple[int, str, int, int]]:
        """For each shelf its number, its scope, how many words should be posted and how many are."""


class IndexWriter(IndexReader, Protocol):
    """Makes memories findable."""

    def set_state(self, name: str, value: int) -> None: ...
    def add_version(self, version: MemoryVersion, keys: Iterable[int], words: Words) -> None:
        """Add the derived rows of a version: its words and its look-up keys."""

    def post_words(self) -> None:
        """Move the words that wait into the postings."""

    def clear(self) -> None:
        """Drop all derived rows but the log."""


class PassageReader(Protocol):
    """Evidence, piece by piece, in the order of its threads."""

    def numbered(self, numbers: Iterable[int], shelves: Sequence[int], chosen: VersionFilter) -> list[Passage]:
        """Those of some passages that are on some shelves and that a search may see."""

    def newest(self, shelves: Sequence[int], chosen: VersionFilter, *, limit: int) -> list[Passage]: ...
    def unseen(self, shelves: Sequence[int], seq: int | None) -> set[int]:
        """The passages of some shelves that were hidden, or not there yet, as of a sequence."""

    def texts(self, numbers: Iterable[int], seq: int | None = None) -> list[PassageText]:
        """The words of some passages, without the sentences that are hidden as of a sequence; without one, now."""

    def of_source(self, source_id: str) -> list[Passage]: ...
    def by_keys(self, keys: Iterable[int]) -> list[Passage]:
        """The passages that say any of the values with these keys."""

    def written(self, *, after: int, until: int) -> list[Passage]:
        """The passages that the entries after a sequence, up to another, have made."""

    def count_threads(self, shelves: Sequence[int]) -> int: ...


class PassageWriter(PassageReader, Protocol):
    """Makes evidence findable."""

    def add(self, source: Source, thread: str, passages: Sequence[NewPassage], *, collection: str) -> None:
        """Make passages of a source findable, after those its thread has already."""

    def hide(self, numbers: Iterable[int], hidden_seq: int | None, hidden_spans: str | None = None) -> None:
        """Hide passages or sentences of them from an entry on, or show them again."""


class LogReader(Protocol):
    """The recall log, and how memories were used."""

    def recall(self, recall_id: str) -> RecallRow | None: ...
    def recalls(
        self, *, principal: str | None, before: int, limit: int, without: Iterable[str] = ()
    ) -> list[RecallRow]:
        """The log, newest first, without some verbs."""

    def recalls_after(self, *, principal: str | None, after: int, limit: int) -> list[tuple[int, RecallRow]]:
        """The log from a place on, in the order in which it was written, with each one's place."""

    def last_place(self) -> int: ...
    def uses(self, memory_ids: Sequence[str]) -> list[Use]: ...


class LogWriter(LogReader, Protocol):
    """Logs what is asked and used."""

    def add(self, rows: Sequence[RecallRow]) -> None: ...
    def drop(self, before: int) -> int:
        """Delete the log up to a moment; return the number of rows."""

    def count_uses(
        self,
        memory_ids: Sequence[str],
        *,
        recalled: int = 0,
        injected: int = 0,
        used: int = 0,
        ignored: int = 0,
        priority: float = 0.0,
        at: int | None = None,
    ) -> None:
        """Add to how some memories have been used; priority stays between -1 and 1."""


class ReadTransaction(Protocol):
    """A consistent view of a space."""

    @property
    def ledger(self) -> LedgerReader: ...
    @property
    def memories(self) -> MemoryReader: ...
    @property
    def records(self) -> RecordReader: ...
    @property
    def index(self) -> IndexReader: ...
    @property
    def passages(self) -> PassageReader: ...
    @property
    def log(self) -> LogReader: ...
    @property
    def damaged(self) -> frozenset[str]: ...  # the tables of which derived rows were left out, because they cannot be


class WriteTransaction(ReadTransaction, Protocol):
    """The one write transaction of a space."""

    @property
    def ledger(self) -> LedgerWriter: ...
    @property
    def memories(self) -> MemoryWriter: ...
    @property
    def index(self) -> IndexWriter: ...
    @property
    def passages(self) -> PassageWriter: ...
    @property
    def log(self) -> LogWriter: ...


class Store(Protocol[R_co, W_co]):
    """A space, wherever it is kept, with the parts of a transaction that its user needs."""

    def read(self) -> AbstractContextManager[R_co]: ...
    def write(self, *, patience_ms: int | None = None) -> AbstractContextManager[W_co]:
        """Hold the write lock until commit; `Busy` if others keep it for longer than `patience_ms`."""

    def scrub(self) -> None:
        """Leave nothing of what was deleted or overwritten in the database files. `Busy` if others prevent it."""

    def check_place(self) -> None:
        """Raise `HomeChanged` if the database that is open is no longer the one at its path."""

    @property
    def read_only(self) -> bool:
        """Whether nothing can be written, because the file system is read-only."""

    def size_bytes(self) -> int: ...
    def check_structure(self) -> list[str]:
        """The damage that the database itself reports."""

    def check_schema(self) -> list[str]:
        """Tables, indexes and triggers that are missing or unexpected."""

    def tidy(self) -> None: ...
    @property
    def is_file(self) -> bool:
        """Whether the space can be copied as one database file."""

    def copy_to(self, path: str) -> None:
        """Make a consistent copy while others keep writing."""

    def close(self) -> None: ...


AnyStore = Store[ReadTransaction, WriteTransaction]


class HeadKeeper(Protocol):
    """Stores the head of the ledger outside the database, so that a ledger that lost entries is detected."""

    @property
    def problem(self) -> str | None:
        """Why the head could not be stored, if it could not."""

    def stored(self) -> Sequence[OutsideHead]:
        """The heads that were stored last."""

    def check(self, transaction: ReadTransaction, current: Head) -> CheckedHeads:
        """Raise `HomeChanged` if the ledger, which ends at `current`, does not contain a stored head."""

    def publish(self, step: LedgerStep, checked: CheckedHeads, is_ours: Callable[[Head], bool]) -> None:
        """Store the head of a committed write, given what was checked in its transaction.

        It never moves back. If another process has stored a head meanwhile, `is_ours` looks for it in the ledger.
        """

    def accept(self, space_id: str, head: Head) -> None:
        """Store a head that the owner accepts, whatever was stored before."""

    def close(self) -> None: ...


class NoHeads:
    """Stores nothing: for a space in memory, or for a temporary copy."""

    problem: str | None = None

    def stored(self) -> Sequence[OutsideHead]:
        return ()

    def check(self, transaction: ReadTransaction, current: Head) -> CheckedHeads:
        return ()

    def publish(self, step: LedgerStep, checked: CheckedHeads, is_ours: Callable[[Head], bool]) -> None:
        return None

    def accept(self, space_id: str, head: Head) -> None:
        return None

    def close(self) -> None:
        return None
