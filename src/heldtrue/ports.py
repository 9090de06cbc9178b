"""What the core needs from outside: a store, a clock, and models where there are any."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from heldtrue.domain.agent import AgentRow, HandedRow
from heldtrue.domain.extracted import Extracted, Material
from heldtrue.domain.job import Job, ScheduleRun, SummaryRow
from heldtrue.domain.ledger import Head, LedgerEntry, Record
from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.posting import Words
from heldtrue.domain.principal import EVERYTHING, Sight
from heldtrue.domain.records import (
    Conflict,
    Evidence,
    Link,
    Quarantine,
    SavedView,
    Source,
    Space,
    Tombstone,
)

if TYPE_CHECKING:
    from numpy import ndarray


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


class VersionFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which versions a search may see. It is part of the index query itself, never a later filter."""

    scopes: tuple[str, ...] | None = None
    """None means every scope; an empty tuple means none."""
    private_to: str | None = None
    """Whose private memories may be read; None means everyone's (a person, the owner)."""
    statuses: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    topic: str | None = None
    project_id: str | None = None
    repo_id: str | None = None
    author: str | None = None
    min_confidence: float | None = None
    observed_after: int | None = None
    observed_before: int | None = None
    seq: int | None = None
    """As of this ledger sequence; None means now."""
    valid_at: int | None = None
    """Only memories that were valid at that moment."""
    not_ended_by: int | None = None
    """Omit memories that were no longer valid at that moment."""


class Collection(StrEnum):
    """What is searched together."""

    MEMORY = "memory"
    SOURCES = "sources"
    SESSIONS = "sessions"


class Shelf(msgspec.Struct, frozen=True, gc=False):
    """The documents of one collection in one scope, those that are private to an author apart."""

    no: int
    collection: str
    scope: str
    private_to: str
    """The one author who may see it; empty for everyone who may see the scope."""
    docs: int
    """How many documents are in its postings."""
    tokens: int


class Glance(msgspec.Struct, frozen=True, gc=False):
    """The state of a space: caches stay valid as long as these values are the same."""

    head: Head
    folds: int
    """Changes whenever waiting words were posted."""
    rebuilds: int
    """Changes whenever the index was rebuilt."""
    unposted: int
    """The place of the last document whose words wait to be posted; 0 for none."""
    last_shelf: int
    is_posted: bool
    """Whether there is any posting."""
    has_links: bool
    has_conflicts: bool
    model: tuple[int, int] | None
    """The number and the dimension of an embedding model that has vectors here."""
    embedded: int
    """The ledger sequence up to which all documents have a vector of that model."""


class Unposted(msgspec.Struct, frozen=True, gc=False):
    """A new document whose words are not in the postings yet."""

    place: int
    shelf: int
    doc: int
    length: int
    asks: int
    """1 for a question: the next passage is its answer."""
    terms: str
    """Each word followed by how much it counts, all separated by spaces."""


class Lead(msgspec.Struct, frozen=True, gc=False):
    """What a search needs to score a memory, without its text."""

    no: int
    memory_id: str
    kind: str
    scope: str
    topic: str | None
    category: str | None
    confidence: float
    author: str
    verified_by: str | None
    valid_from: int | None
    valid_to: int | None
    observed_at: int
    recorded_from: int
    priority: float | None
    """Retrieval priority by feedback; none where there was no feedback."""
    recalled: int | None


class Passage(msgspec.Struct, frozen=True, gc=False):
    """A findable piece of evidence: a turn, or a part of a document."""

    no: int
    shelf: int
    source_id: str
    seq: int
    span_start: int
    span_end: int
    speaker: str | None
    happened_at: int
    terms: int
    hidden_seq: int | None
    """The ledger entry since which it is hidden because its statement was rejected; 0 means at every moment."""


class PassageText(msgspec.Struct, frozen=True, gc=False):
    """A passage with its words and where they are from."""

    no: int
    text: str
    source_id: str
    kind: str
    reference: str | None
    title: str | None
    thread: str | None
    place: int | None
    speaker: str | None
    author: str
    scope: str
    occurred_at: int | None
    recorded_at: int


class VectorRow(msgspec.Struct, frozen=True, gc=False):
    """One embedded piece of a document."""

    doc: int
    piece: int
    vector: bytes
    tokens: bytes


class RecallRow(msgspec.Struct, frozen=True, gc=False):
    """One recall as it is logged."""

    id: str
    recorded_at: int
    principal: str
    channel: str
    verb: str
    question: str
    asked: str
    """JSON: the arguments."""
    tier: str
    results: str
    """JSON: the results, with scores and parts."""
    cost: str
    """JSON: milliseconds, candidates, tokens."""


class Use(msgspec.Struct, frozen=True, gc=False):
    """How a memory has been used."""

    memory_id: str
    recalled: int
    injected: int
    used: int
    ignored: int
    priority: float
    last_recalled_at: int | None


class Reading(Protocol):
    """A consistent view of a space."""

    def space(self) -> Space:
        """The record of the space itself; `UNBORN` before its first write."""

    def head(self) -> Head: ...
    def head_at(self, moment: int) -> Head:
        """The last entry recorded by that moment."""

    def version(self, memory_id: str, seq: int | None = None) -> MemoryVersion | None:
        """A memory as of a sequence; without one, as it is now."""

    def versions(self, memory_id: str, seq: int | None = None) -> list[MemoryVersion]: ...
    def current_versions(self, memory_ids: Sequence[str]) -> list[MemoryVersion]: ...
    def list_versions(self, chosen: VersionFilter, *, before: int | None, limit: int) -> list[MemoryVersion]:
        """Newest first; `before` is the ordinal where the page before ended."""

    def shelves(self, collections: Sequence[str], scopes: Sequence[str] | None, private_to: str | None) -> list[Shelf]:
        """The shelves of some collections that may be seen; scopes and private_to as in `VersionFilter`."""

    def postings(self, shelves: Sequence[int], terms: Sequence[str]) -> list[tuple[int, str, bytes]]:
        """Shelf, word and packed postings (domain/posting.py) of some words on some shelves."""

    def has_postings(self, shelves: Sequence[int]) -> bool:
        """Whether any word of the shelves is posted."""

    def terms_between(self, shelves: Sequence[int], first: str, last: str, *, limit: int) -> list[str]:
        """The posted words of some shelves from `first` on, before `last`."""

    def unposted(self, after: int) -> list[Unposted]:
        """The documents whose words wait to be posted, from a place on."""

    def glance(self, model: str | None) -> Glance:
        """The state of the space, and how far an embedding model has indexed it."""

    def index_state(self, name: str) -> int:
        """A counter of the index: `folds` changes whenever waiting words were posted."""

    def leads(self, numbers: Iterable[int], chosen: VersionFilter) -> list[Lead]:
        """Those of some versions that a search may see."""

    def newest_leads(self, chosen: VersionFilter, *, limit: int) -> list[Lead]:
        """What a search may see, newest first."""

    def versions_numbered(self, numbers: Iterable[int]) -> list[MemoryVersion]: ...
    def passages(self, numbers: Iterable[int], shelves: Sequence[int], chosen: VersionFilter) -> list[Passage]:
        """Those of some passages that are on some shelves and that a search may see."""

    def unseen_passages(self, shelves: Sequence[int], seq: int | None) -> set[int]:
        """The passages of some shelves that were hidden, or not there yet, as of a sequence."""

    def newest_passages(self, shelves: Sequence[int], chosen: VersionFilter, *, limit: int) -> list[Passage]: ...
    def passage_texts(self, numbers: Iterable[int]) -> list[PassageText]: ...
    def passages_of(self, source_id: str) -> list[Passage]: ...
    def passages_by_keys(self, keys: Iterable[int]) -> list[Passage]:
        """The passages that say any of the values with these keys."""

    def count_threads(self, shelves: Sequence[int]) -> int: ...
    def thread_length(self, thread: str, scope: str, private_to: str = "") -> int:
        """How many sources a thread has in a scope; those private to an author are a thread of their own."""

    def thread_turns(self, thread: str, scope: str, private_to: str = "", *, limit: int) -> list[Source]:
        """The first sources of a thread that somebody said, in order."""

    def turns_before(self, thread: str, scope: str, private_to: str, place: int, *, limit: int) -> list[Source]:
        """The last sources of a thread that somebody said before a place, in order."""

    def documents_after(
        self, thread: str, reference: str, author: str, scope: str, private_to: str, place: int
    ) -> list[Source]:
        """The later texts of a document with the same reference, oldest first."""

    def documents_before(
        self, thread: str, reference: str, author: str, scope: str, private_to: str, place: int
    ) -> list[Source]:
        """The earlier texts of a document with the same reference, oldest first."""

    def open_quarantine(self, source_id: str) -> Quarantine | None: ...
    def quarantined(self, source_ids: Iterable[str]) -> set[str]:
        """Those of some sources that are in quarantine."""

    def memories_of_source(self, source_id: str) -> list[str]:
        """The memories that rest on a source."""

    def model(self, name: str) -> tuple[int, int] | None:
        """The number and the dimension of an embedding model that has vectors here."""

    def vectors(self, model: int, shelf: int, *, with_tokens: bool) -> list[VectorRow]:
        """The vectors of a shelf, by document; tokens are left empty where they are not asked for."""

    def vectors_numbered(self, model: int, shelf: int, docs: Sequence[int]) -> list[VectorRow]:
        """The vectors of some documents of a shelf."""

    def documents_written(self, *, after: int, until: int) -> list[tuple[int, int]]:
        """The shelf and the number of each document that the entries after a sequence, up to another, have written."""

    def vector_tokens(self, model: int, shelf: int, docs: Sequence[int]) -> dict[int, bytes]:
        """The tokens of the first pieces of some documents."""

    def has_vectors(self, model: int) -> bool: ...
    def passages_page(self, *, after: int, limit: int) -> list[Passage]: ...
    def passages_written(self, *, after: int, until: int) -> list[Passage]:
        """The passages that the entries after a sequence, up to another, have made."""

    def count_documents(self, *, after: int) -> int:
        """How many versions and passages were written after a sequence."""

    def shelf_numbers(self, versions: Iterable[int]) -> dict[int, int]:
        """The shelf of each of some versions."""

    def recall_row(self, recall_id: str) -> RecallRow | None: ...
    def recall_rows(
        self, *, principal: str | None, before: int, limit: int, without: Iterable[str] = ()
    ) -> list[RecallRow]:
        """The log, newest first, without some verbs."""

    def recalls_after(self, *, principal: str | None, after: int, limit: int) -> list[tuple[int, RecallRow]]:
        """The log from a place on, in the order in which it was written, with each one's place."""

    def last_recall_place(self) -> int: ...

    def uses(self, memory_ids: Sequence[str]) -> list[Use]: ...
    def saved_view(self, author: str, name: str) -> SavedView | None: ...
    def saved_views(self, author: str | None) -> list[SavedView]: ...
    def index_totals(self) -> list[tuple[int, str, int, int]]:
        """For each shelf its number, its scope, how many words should be posted and how many are."""

    def live_by_keys(self, keys: Iterable[int], *, limit: int) -> list[MemoryVersion]:
        """The active and waiting memories that are indexed under any of the keys.

        Verified memories come first, then active ones, then the newest, so the limit never hides a verified one.
        """

    def live_under_keys(self, keys: Iterable[int], *, limit: int) -> dict[int, list[MemoryVersion]]:
        """By key the first of them, in the same order; a key with none is left out."""

    def numbers_sharing_keys(self) -> set[int]:
        """The ordinals of the active and waiting versions that are indexed under a key of another one too."""

    def has_evidence_by(self, memory_id: str, author: str) -> bool:
        """Whether an author has given evidence for a memory."""

    def tombstones_by_keys(self, keys: Iterable[int]) -> list[Tombstone]: ...
    def tombstones_of(self, memory_id: str, seq: int | None = None) -> list[Tombstone]: ...
    def evidence_of(self, memory_ids: Sequence[str], seq: int | None = None) -> list[tuple[Evidence, Source]]: ...
    def source(self, source_id: str) -> Source | None: ...
    def documents_between(self, after: str, last: str, *, author: str, scope: str) -> list[tuple[str, str, str]]:
        """Id, thread and reference of an author's documents in a scope whose threads are named between two texts."""

    def source_by_lookup(self, lookup_key: int) -> Source | None: ...
    def links_of(self, refs: Sequence[str], seq: int | None = None) -> list[Link]: ...
    def ids_ending(self, what: str, ending: str, *, limit: int, sight: Sight = EVERYTHING) -> list[tuple[str, str]]:
        """The ids that end with a text of at least four characters, each with words that tell what it is.

        `what` is one of memory, source, conflict, job and recall. Only of what is in sight: a conflict whose two sides
        are, and a job or a recall of the reader's own.
        """

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

    def opened(self, table: str, key: Mapping[str, object]) -> Any | None:
        """The record of a table by its key."""

    def is_doubted(self, memory_id: str, *, besides: str) -> bool:
        """Whether a memory is the weaker side of an open conflict other than the given one."""

    def knows(self, table: str, name: str) -> bool:
        """Whether a principal, project, repo or team of that id has been recorded."""

    def ledger_entry(self, seq: int) -> LedgerEntry | None: ...
    def ledger_range(self, *, after: int, until: int, limit: int) -> list[LedgerEntry]: ...
    def records_written(self, table: str, *, after: int, until: int) -> list[Any]: ...
    def records_closed(self, table: str, *, after: int, until: int) -> list[Any]: ...
    def records_outside(self, table: str, *, until: int) -> list[Any]:
        """Records that no ledger entry up to `until` accounts for."""

    def versions_page(self, *, after: int, limit: int) -> list[MemoryVersion]:
        """All versions in the order they were written."""

    def indexed_numbers(self, *, after: int, limit: int) -> list[int]:
        """The ordinals of the versions whose words are indexed."""

    def idempotent_answer(self, principal: str, key: str) -> tuple[bytes, str] | None: ...
    def counts(self, *, reader: str | None, now: int) -> list[tuple[Any, ...]]:
        """Scope, kind, status, staleness, author, topic, number, and how many of them are stale.

        A reader's counts leave out what is private to others.
        """

    def tally(self, name: str, **values: object) -> int: ...
    def job(self, job_id: str) -> Job | None: ...
    def jobs(
        self, *, names: Sequence[str], states: Sequence[str], asked_by: str | None, before: str, limit: int
    ) -> list[Job]:
        """The newest jobs before an id; empty names or states mean all."""

    def due_job(self, now: int, names: Sequence[str]) -> Job | None:
        """The job that has been due longest, of some names or of any."""

    def open_job(self, once: str) -> Job | None:
        """The job with a mark that is not finished yet."""

    def count_jobs(self) -> list[tuple[str, str, int]]:
        """Name, state, and how many there are."""

    def schedule_run(self, name: str) -> ScheduleRun | None:
        """When a scheduled job was last queued."""

    def summaries_of(self, scope: str, category: str, *, limit: int) -> list[SummaryRow]:
        """The summaries of a category in a scope, newest first."""

    def current_summaries(self) -> list[SummaryRow]: ...
    def agent(self, name: str) -> AgentRow | None:
        """The record of an agent; None for an agent that is not registered."""

    def agent_by_token(self, token_digest: bytes) -> AgentRow | None: ...
    def agents(self) -> list[AgentRow]: ...
    def handed_to(self, receiver: str, *, now: int, before: str, limit: int) -> list[HandedRow]:
        """The newest messages to an agent before an id that have not expired."""


class Piece(msgspec.Struct, frozen=True, gc=False):
    """A span of a source that is to be findable, with what is to be indexed of it."""

    start: int
    end: int
    words: str
    """Surrounding text that is indexed with it, such as its heading."""
    keys: tuple[int, ...] = ()
    """The keys of the rejected values that hide it."""
    hidden_seq: int | None = None
    counted: Words | None = None
    """All of its words, where they are counted already."""


class Writing(Reading, Protocol):
    """The one write transaction of a space."""

    def next_version_no(self) -> int: ...
    def insert(self, record: Record) -> None: ...
    def close(self, record: Record) -> None:
        """Fill in the closing part of a record."""

    def is_indexed(self, no: int) -> bool:
        """Whether the words of a version are in the index."""

    def append(self, entry: LedgerEntry) -> None: ...
    def index_version(self, version: MemoryVersion, keys: Iterable[int], words: Words | None = None) -> None:
        """Add the derived rows of a version: its words, where they are not counted yet, and its look-up keys."""

    def keep_answer(
        self, principal: str, key: str, request_hash: bytes, answer: str, seq: int, recorded_at: int
    ) -> None: ...
    def index_passages(self, source: Source, thread: str, pieces: Sequence[Piece], *, collection: str) -> None:
        """Make the pieces of a source findable, after those its thread has already."""

    def hide_passages(self, numbers: Iterable[int], hidden_seq: int | None) -> None:
        """Hide passages from an entry on, or show them again."""

    def post_words(self) -> None:
        """Move the words that wait into the postings."""

    def clear_index(self) -> None:
        """Drop all derived rows but the log."""

    def register_model(self, name: str, dimension: int) -> int:
        """The number of an embedding model, given on first use."""

    def add_vectors(self, model: int, rows: Sequence[tuple[int, VectorRow]]) -> None:
        """Keep vectors, each with its shelf; one that is there already is replaced."""

    def drop_vectors(self, *, keep: int | None) -> None:
        """Drop the vectors of all models but one."""

    def set_index_state(self, name: str, value: int) -> None: ...
    def log_recalls(self, rows: Sequence[RecallRow]) -> None: ...
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

    def drop_recalls(self, before: int) -> int:
        """Delete the log up to a moment; return the number of rows."""

    def drop_old_answers(self, before: int) -> None: ...
    def add_job(self, job: Job) -> None: ...
    def keep_job(self, job: Job) -> None:
        """Store the progress of a job."""

    def suspend_jobs(self, asked_by: str, *, now: int, error: str) -> int:
        """Suspend all open jobs of a requester; return how many."""

    def drop_jobs(self, before: int) -> int:
        """Delete the jobs that ended before a moment, except failed and suspended ones; return how many."""

    def keep_schedule_run(self, run: ScheduleRun) -> None: ...
    def keep_summary(self, summary: SummaryRow) -> None:
        """Store a new summary; the previous one is kept."""

    def end_summary(self, scope: str, category: str, moment: int) -> None:
        """End a summary whose category has no memories left."""

    def keep_agent(self, agent: AgentRow) -> None: ...
    def forget_principal(self, principal: str) -> None:
        """Delete the answers stored for a principal's retries, and the messages to it."""

    def hand_over(self, handed: HandedRow) -> None: ...
    def drop_handed(self, now: int) -> None:
        """Delete expired messages."""


class Store(Protocol):
    """A space, wherever it is kept."""

    def read(self) -> AbstractContextManager[Reading]: ...
    def write(self) -> AbstractContextManager[Writing]: ...
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


class HeadKeeper(Protocol):
    """Stores the head of the ledger outside the database, so that a truncated ledger is detected."""

    def last(self) -> tuple[str, Head] | None:
        """The space and the head that were stored last."""

    def publish(self, space_id: str, head: Head) -> None:
        """Store a durable head; an older head than the stored one is ignored."""

    def check(self, transaction: Reading) -> None:
        """Raise `Untrusted` if the ledger no longer contains the stored head."""

    def close(self) -> None: ...


class NoHeads:
    """Stores nothing: for a space in memory, or for a temporary copy."""

    def last(self) -> tuple[str, Head] | None:
        return None

    def publish(self, space_id: str, head: Head) -> None:
        return None

    def check(self, transaction: Reading) -> None:
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
