"""What one act may look at and change together, beyond what others need too: sources, jobs and agents.

An act may ask for a job, or change who comes by token, in the transaction in which it is recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from heldtrue.domain.agent import AgentRow
from heldtrue.domain.job import Job, ScheduleRun
from heldtrue.domain.outside import ErasureNote
from heldtrue.domain.privacy import Privacy
from heldtrue.domain.records import AgentRecord, Handed, Quarantine, Source
from heldtrue.domain.rows import SourceHead
from heldtrue.ports import ReadTransaction, Store, WriteTransaction

Given = TypeVar("Given")
Answer = TypeVar("Answer")


class TextAnalysis(Protocol):
    """Where texts are taken apart. The work must be a function of a module, so that another process can do it."""

    def run(self, work: Callable[[Given], Answer], given: Given, *, chars: int) -> Answer:
        """Do the work here, or elsewhere if it is about so many characters that others would have to wait."""

    def run_apart(self, work: Callable[[Given], Answer], given: Given, *, seconds_more: float = 0.0) -> Answer:
        """Do the work elsewhere, if there is another place; it may take this much longer than a request may."""

    def close(self) -> None:
        """End what is open."""


class SourceReader(Protocol):
    """Raw evidence, as it was handed in. Sources are written by the ledger."""

    def get(self, source_id: str) -> Source | None: ...
    def by_lookup(self, lookup_key: int) -> Source | None: ...
    def memories_of(self, source_id: str) -> list[str]:
        """The memories that rest on a source."""

    def thread_length(self, thread: str, scope: str, privacy: Privacy) -> int:
        """How many sources a thread has in a scope; those private to an author are a thread of their own."""

    def thread_turns(self, thread: str, scope: str, privacy: Privacy, *, limit: int) -> list[Source]:
        """The first sources of a thread that somebody said, in order."""

    def turns_before(self, source: Source, *, limit: int) -> list[Source]:
        """The last sources of the same thread that somebody said before a source, in order."""

    def documents_after(self, source: Source) -> list[Source]:
        """The later texts of the same document by the same author, oldest first; none of what is no document."""

    def documents_before(self, source: Source) -> list[Source]:
        """The earlier texts of the same document by the same author, oldest first; none of what is no document."""

    def documents_between(self, after: str, last: str, *, author: str, scope: str) -> list[tuple[str, str, str]]:
        """Id, thread and reference of an author's documents in a scope whose threads are named between two texts."""

    def archivable(
        self, scope: str, *, latest: int, after: str, limit: int, archived_too: bool = False
    ) -> list[SourceHead]:
        """The sources after an id that recall can find, were stored up to a moment, and were never archived, unless
        those are wanted too; of one scope, or of all if it is empty.
        """

    def was_archived(self, source_id: str) -> bool:
        """Whether a source is archived, or was once and was brought back."""

    def open_quarantine(self, source_id: str) -> Quarantine | None: ...
    def quarantined(self, source_ids: Iterable[str]) -> set[str]:
        """Those of some sources that are in quarantine."""


class QueueReader(Protocol):
    """Waiting, running and finished jobs."""

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


class QueueWriter(QueueReader, Protocol):
    """Adds jobs and writes down how far they have come."""

    def add(self, job: Job) -> None: ...
    def keep(self, job: Job) -> None:
        """Store the progress of a job."""

    def suspend(self, asked_by: str, *, now: int, error: str) -> int:
        """Suspend the open jobs that somebody asked for; how many that was."""

    def drop(self, before: int) -> int:
        """Forget the jobs that ended before a moment, neither failed nor suspended; how many that was."""

    def keep_schedule_run(self, run: ScheduleRun) -> None: ...


class AgentReader(Protocol):
    """Registered agents and their messages."""

    def named(self, name: str) -> AgentRow | None:
        """The record of an agent; None for an agent that is not registered."""

    def by_token(self, token_digest: bytes) -> AgentRow | None: ...
    def known(self) -> list[AgentRow]: ...
    def record(self, name: str) -> AgentRecord | None:
        """The ledger's record of an agent."""

    def tokens(self) -> list[tuple[str, bytes]]:
        """The name of each agent that has a token here, with the digest of the token."""

    def handed_to(self, receiver: str, *, now: int, before: str, limit: int) -> list[Handed]:
        """The newest messages to an agent before an id that have not expired."""

    def messages_to(self, receiver: str) -> list[Handed]:
        """All messages to an agent, also those that have expired."""


class AgentWriter(AgentReader, Protocol):
    """Keeps the tokens of agents. Agents and messages are written by the ledger."""

    def keep_token(self, name: str, token_digest: bytes | None) -> None:
        """Replace the token of an agent; without one, drop it."""

    def forget_answers(self, principal: str) -> None:
        """Delete the answers stored for a principal's retries."""


class WorkingReader(Protocol):
    """Working rows that travel with a space, to be searched."""

    def rows_of(self, table: str) -> Iterator[Any]:
        """Every row of one table."""


class ErasureNotes(Protocol):
    """Where erasures are remembered outside the home."""

    def erasures(self, space_id: str) -> list[ErasureNote]: ...
    def note_erasure(self, space_id: str, note: ErasureNote) -> None: ...


class CarriedWriter(Protocol):
    """Working rows that travel with a space."""

    def rows_of(self, table: str) -> Iterator[Any]:
        """Every row of one table."""

    def drop(self, table: str, rows: Sequence[Any]) -> None:
        """Delete rows."""

    def put(self, rows: Sequence[tuple[str, Any]]) -> None:
        """Write rows, each with the name of its table; one with the same key is replaced."""


class IngestReadTransaction(ReadTransaction, Protocol):
    """What an act looks at."""

    @property
    def sources(self) -> SourceReader: ...
    @property
    def queue(self) -> QueueReader: ...
    @property
    def agents(self) -> AgentReader: ...
    @property
    def carried(self) -> WorkingReader: ...


class IngestWriteTransaction(IngestReadTransaction, WriteTransaction, Protocol):
    """What an act writes with."""

    @property
    def queue(self) -> QueueWriter: ...
    @property
    def agents(self) -> AgentWriter: ...
    @property
    def carried(self) -> CarriedWriter: ...


IngestStore = Store[IngestReadTransaction, IngestWriteTransaction]
