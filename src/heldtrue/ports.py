"""What the core needs from outside: a store, a clock, and models where there are any.

A transaction consists of parts. The parts that most packages use are here. The others stand beside the package that
needs them first: `sources`, `queue` and `agents` in ingest/ports.py, `vectors` in recall/ports.py, and `summaries` in
engine/ports.py, where a transaction has all of its parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec

from heldtrue.domain.extracted import Extracted, Material
from heldtrue.domain.ledger import Head, LedgerEntry, Record
from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.posting import Words
from heldtrue.domain.principal import EVERYTHING, Sight
from heldtrue.domain.records import Conflict, Evidence, Link, SavedView, Source, Space, Tombstone
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
    from numpy import ndarray

R_co = TypeVar("R_co", covariant=True)
W_co = TypeVar("W_co", covariant=True)


class Clock(Protocol):
    """Tells the time; nothing else does."""

    def now(self) -> int:
        """Microseconds since 1970, UTC."""


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
    def records_written(self, table: str, *, after: int, until: int) -> list[Any]: ...
    def records_closed(self, table: str, *, after: int, until: int) -> list[Any]: ...
    def records_outside(self, table: str, *, until: int) -> list[Any]:
        """Records that no ledger entry up to `until` accounts for."""

    def opened(self, table: str, key: Mapping[str, object]) -> Any | None:
        """The record of a table by its key."""

    def knows(self, table: str, name: str) -> bool:
        """Whether a principal, project, repo or team of that id has been recorded."""

    def tally(self, name: str, **values: object) -> int: ...
    def idempotent_answer(self, principal: str, key: str) -> tuple[bytes, str] | None: ...


class LedgerWriter(LedgerReader, Protocol):
    """Adds to the ledger and to the records."""

    def append(self, entry: LedgerEntry) -> None: ...
    def insert(self, record: Record) -> None: ...
    def close(self, record: Record) -> None:
        """Fill in the closing part of a record."""

    def keep_answer(
        self, principal: str, key: str, request_hash: bytes, answer: str, seq: int, recorded_at: int
    ) -> None: ...
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

    def texts(self, numbers: Iterable[int]) -> list[PassageText]: ...
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

    def hide(self, numbers: Iterable[int], hidden_seq: int | None) -> None:
        """Hide passages from an entry on, or show them again."""


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
    def write(self) -> AbstractContextManager[W_co]: ...
    def size_bytes(self) -> int: ...
    def check_structure(self) -> list[str]:
        """The damage that the database itself reports."""

    def tidy(self) -> None: ...
    @property
    def is_file(self) -> bool:
        """Whether the space can be copied as one database file."""

    def copy_to(self, path: str) -> None:
        """Make a consistent copy while others keep writing."""

    def close(self) -> None: ...


AnyStore = Store[ReadTransaction, WriteTransaction]


class HeadKeeper(Protocol):
    """Stores the head of the ledger outside the database, so that a truncated ledger is detected."""

    def last(self) -> tuple[str, Head] | None:
        """The space and the head that were stored last."""

    def publish(self, space_id: str, head: Head) -> None:
        """Store a durable head; an older head than the stored one is ignored."""

    def check(self, transaction: ReadTransaction) -> None:
        """Raise `Untrusted` if the ledger no longer contains the stored head."""

    def close(self) -> None: ...


class NoHeads:
    """Stores nothing: for a space in memory, or for a temporary copy."""

    def last(self) -> tuple[str, Head] | None:
        return None

    def publish(self, space_id: str, head: Head) -> None:
        return None

    def check(self, transaction: ReadTransaction) -> None:
        return None

    def close(self) -> None:
        return None


class Embedded(msgspec.Struct, frozen=True, gc=False):
    """A text as an embedder sees it."""

    vector: bytes
    """One signed byte a dimension: the unit vector, scaled so that its largest part is 127."""
    tokens: bytes = b""
    """From an embedder with a matcher: the text's tokens, in a form of its own."""


class Extractor(Protocol):
    """Extracts possible memories from a text. It may fail with `ModelProblem`."""

    @property
    def name(self) -> str: ...
    def extract(self, material: Material) -> list[Extracted]: ...


class TokenMatcher(Protocol):
    """Compares texts with a question token by token."""

    @property
    def around(self) -> Sequence[tuple[int, float]]:
        """Which neighbours of a passage count for it too, by their distance, and how much."""

    @property
    def answer(self) -> float:
        """How much more the one before counts if it is a question: then this is its answer."""

    def match(self, question: bytes, texts: Sequence[bytes]) -> ndarray[Any, Any]:
        """From the tokens of a question and of some texts: for each token of the question (a row) and each text (a
        column) how near the text comes to it.
        """

    def blend(self, question: bytes, near: Sequence[tuple[ndarray[Any, Any], ndarray[Any, Any]]]) -> ndarray[Any, Any]:
        """How well some documents cover the question, from 0 to 1: from what each has itself, which comes first, and
        what its neighbours have, with how much that counts for each.
        """


class Embedder(Protocol):
    """Turns texts into vectors. It may fail with `ModelProblem`; recall then works without vectors."""

    @property
    def name(self) -> str:
        """Model, version and dimension: vectors of another name are never compared with its own."""

    @property
    def dimension(self) -> int: ...
    @property
    def is_quick(self) -> bool:
        """Whether a text takes well under a millisecond, so that a recall may embed what is missing itself."""

    @property
    def unrelated(self) -> float:
        """The cosine of two unrelated texts; only a higher cosine counts as similarity."""

    @property
    def floor(self) -> float:
        """With these weights: the score below which even the best result is not good enough."""

    @property
    def reads_sentences(self) -> bool:
        """Whether it wants a question whole; one that only knows words does better without small words and names."""

    @property
    def weights(self) -> Mapping[str, float]:
        """What the default profile gives the parts `text`, `thread`, `meaning` and `likeness` with this model."""

    @property
    def matcher(self) -> TokenMatcher | None:
        """For an embedder whose texts can also be compared token by token."""

    def embed(self, texts: Sequence[str]) -> list[Embedded]: ...
    def embed_question(self, text: str) -> Embedded: ...


class Reranker(Protocol):
    """Reads question and text together."""

    @property
    def name(self) -> str: ...
    def rerank(self, question: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the question, in [0, 1]."""
