"""Made by tools/stubs.py from the registry; edit the capabilities instead."""

import os
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from heldtrue.audit.verify import Report
from heldtrue.capabilities.agents import AgentAnswer, AgentsAnswer
from heldtrue.capabilities.call import Call, Instance
from heldtrue.capabilities.capturing import CaptureAnswer, QuarantineAnswer
from heldtrue.capabilities.expanding import ExpandAnswer
from heldtrue.capabilities.explaining import Explanation
from heldtrue.capabilities.feedback import FeedbackAnswer
from heldtrue.capabilities.following import Event, EventsAnswer
from heldtrue.capabilities.ingesting import IngestAnswer
from heldtrue.capabilities.injecting import ContextBundle, InjectAnswer
from heldtrue.capabilities.jobs import JobAnswer, JobsAnswer, JobView, WorkAnswer
from heldtrue.capabilities.linking import LinkAnswer
from heldtrue.capabilities.maintenance import CompactAnswer, ConsolidateAnswer, SummariesAnswer, UndoAnswer
from heldtrue.capabilities.reading import DiffAnswer, GetAnswer, HistoryAnswer, ListAnswer
from heldtrue.capabilities.recall_log import RecallsAnswer, WhyAnswer
from heldtrue.capabilities.recalling import RecallAnswer
from heldtrue.capabilities.registry import Capability
from heldtrue.capabilities.reviewing import ConflictsAnswer, InboxAnswer, ReviewAnswer
from heldtrue.capabilities.saved_views import SavedAnswer, ViewsAnswer
from heldtrue.capabilities.sharing import HandedAnswer, ShareAnswer
from heldtrue.capabilities.transfer import BackupAnswer, ExportAnswer, ImportAnswer, RestoreBackupAnswer
from heldtrue.capabilities.upkeep import ReindexAnswer, StatusAnswer, UpkeepAnswer
from heldtrue.capabilities.writing import BatchAnswer, WriteAnswer
from heldtrue.ports import Clock
from heldtrue.surfaces.following import Following

DispositionName = Literal[
    "keep_old",
    "keep_new",
    "keep_both",
    "remove_both",
    "merge",
]
EventNameName = Literal[
    "memory:read",
    "memory:write",
    "memory:flush",
    "memory:compact",
    "memory:search",
]
JobStateName = Literal[
    "waiting",
    "running",
    "done",
    "failed",
    "cancelled",
    "suspended",
]
KindName = Literal[
    "profile",
    "preference",
    "decision",
    "convention",
    "pattern",
    "project",
    "artifact",
    "episode",
    "task_hint",
    "lesson",
    "insight",
    "entity",
    "claim",
    "note",
]
RetractionCauseName = Literal[
    "replaced",
    "deleted",
]
RoleName = Literal[
    "admin",
    "project",
    "skill",
]
SourceKindName = Literal[
    "manual",
    "conversation",
    "run",
    "document",
    "import",
]
StalenessName = Literal[
    "stable",
    "weekly",
    "daily",
    "hourly",
    "volatile",
]
StatusName = Literal[
    "inbox",
    "active",
    "superseded",
    "contradicted",
    "rejected",
    "retracted",
    "archived",
]
StrengthName = Literal[
    "explicit",
    "implied",
    "inferred",
]
VisibilityName = Literal[
    "private",
    "local",
    "shared",
]

IN_MEMORY: str

def method_name(capability: Capability) -> str: ...
def add_methods() -> None: ...

class Memory:
    """A space, opened for one caller."""

    def __init__(self, call: Call) -> None: ...
    @classmethod
    def open(
        cls,
        home: str | os.PathLike[str] | None = ...,
        *,
        agent: str | None = ...,
        project: str | None = ...,
        repo: str | None = ...,
        session: str | None = ...,
        clock: Clock | None = ...,
    ) -> Memory: ...
    @classmethod
    def over(
        cls, instance: Instance, *, agent: str | None = ..., channel: str = ..., **surroundings: str | None
    ) -> Memory: ...
    @classmethod
    def connect(
        cls,
        url: str | None = ...,
        token: str | None = ...,
        *,
        project: str | None = ...,
        repo: str | None = ...,
        session: str | None = ...,
    ) -> Memory:
        """A space on a server, with the same methods; who acts is whoever the token was given to."""

    def as_agent(self, name: str) -> Memory: ...
    @property
    def home(self) -> Path | None: ...
    def invoke(self, name: str, /, **arguments: Any) -> Any: ...
    def follow(self, *, after: str | None = ..., names: Sequence[EventNameName] | None = ...) -> Following[Event]:
        """What happens, event by event, as it happens: after the event of that id, or from now on.

        On a server, a connection that breaks is taken up where it was. It ends when it is closed, with the memory at
        the latest.
        """
    def close(self) -> None: ...
    def __enter__(self) -> Memory: ...
    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    def capture(
        self,
        content: str | None = ...,
        *,
        messages: Sequence[dict[str, Any]] | None = ...,
        thread: str | None = ...,
        title: str | None = ...,
        source: str | os.PathLike[str] | None = ...,
        scope: str | None = ...,
        kind: SourceKindName | None = ...,
        speaker: str | None = ...,
        occurred_at: str | None = ...,
        visibility: VisibilityName | None = ...,
        extract: bool | None = ...,
        idempotency_key: str | None = ...,
    ) -> CaptureAnswer:
        """Store a text or a conversation word for word as evidence that recall can search.

        `work` later extracts memories from it and puts them into the inbox. Capturing the same text again changes
        nothing; a longer version of a conversation adds its new messages. Secrets are masked before anything is stored.
        Passages that state a rejected value are stored but not shown.
        """
    def capture_session(
        self,
        messages: Sequence[dict[str, Any]],
        *,
        session: str | None = ...,
        source: str | os.PathLike[str] | None = ...,
        scope: str | None = ...,
        idempotency_key: str | None = ...,
    ) -> CaptureAnswer:
        """Capture the transcript of an agent's session when it ends; memories are extracted from it later."""
    def capture_conversation(
        self,
        content: str | None = ...,
        *,
        messages: Sequence[dict[str, Any]] | None = ...,
        capture_mode: Literal["transcript", "notes", "summary"] = ...,
        thread: str | None = ...,
        source: str | os.PathLike[str] | None = ...,
        scope: str | None = ...,
        occurred_at: str | None = ...,
        idempotency_key: str | None = ...,
    ) -> CaptureAnswer:
        """Capture a conversation between people: its messages, notes or a summary."""
    def quarantine(
        self,
        source: str | os.PathLike[str],
        *,
        reason: str,
        release: bool = ...,
        idempotency_key: str | None = ...,
    ) -> QuarantineAnswer:
        """Hide an untrusted source; memories that have no other source move to the inbox (people only).

        `release` makes its passages searchable again, except those that state a rejected value, and reactivates the
        memories that waited only for it. Nothing is erased.
        """
    def link(
        self,
        memory: str,
        to: str,
        relationship: str = ...,
        *,
        reason: str | None = ...,
        idempotency_key: str | None = ...,
    ) -> LinkAnswer:
        """Link a memory to another memory or to any IRI, with a typed relationship."""
    def unlink(
        self,
        memory: str,
        to: str,
        relationship: str = ...,
        *,
        reason: str,
        idempotency_key: str | None = ...,
    ) -> LinkAnswer:
        """Remove a link; the history keeps it."""
    def learn(
        self,
        content: str,
        *,
        confidence: float | None = ...,
        topic: str | None = ...,
        source: str | os.PathLike[str] | None = ...,
        scope: str | None = ...,
        staleness: StalenessName | None = ...,
        kind: KindName = ...,
        title: str | None = ...,
        summary: str | None = ...,
        rationale: str | None = ...,
        category: str | None = ...,
        strength: StrengthName = ...,
        visibility: VisibilityName | None = ...,
        source_text: str | None = ...,
        source_kind: SourceKindName = ...,
        valid_from: str | date | None = ...,
        valid_to: str | date | None = ...,
        observed_at: str | date | None = ...,
        on_conflict: Literal["wait", "refuse", "coexist"] | None = ...,
        idempotency_key: str | None = ...,
    ) -> WriteAnswer:
        """Store a fact, preference, decision or rule with its source, after checking it against existing memories.

        The answer gives the outcome and the reason: created; refreshed or corroborated (it already existed); superseded
        (it replaces an older fact); pending (it waits in the inbox for a person to decide); or refused (it was rejected
        before). Secrets are masked before anything is stored.
        """
    def upsert_profile_fact(
        self,
        content: str,
        *,
        source: str | os.PathLike[str] | None = ...,
        scope: str | None = ...,
        category: str | None = ...,
        idempotency_key: str | None = ...,
    ) -> WriteAnswer:
        """Set a fact about a person, replacing the previous one.

        A fact from a person takes effect at once and replaces what it contradicts. A fact from an agent waits in the
        inbox.
        """
    def learn_many(
        self,
        memories: Sequence[dict[str, Any]],
        *,
        idempotency_key: str | None = ...,
    ) -> BatchAnswer:
        """Store up to 1,000 memories in one transaction: all or none."""
    def correct(
        self,
        memory: str,
        content: str,
        *,
        reason: str,
        confidence: float | None = ...,
        source: str | os.PathLike[str] | None = ...,
        rationale: str | None = ...,
        cause: RetractionCauseName | None = ...,
        idempotency_key: str | None = ...,
    ) -> WriteAnswer:
        """Replace a memory that is wrong; the old one stays in the history with the reason and the time.

        If the memory stated several things and the correction is about one of them, the others are kept as separate
        memories. The old value stays rejected in its scope.
        """
    def forget(
        self,
        memory: str,
        *,
        reason: str,
        cause: RetractionCauseName | None = ...,
        idempotency_key: str | None = ...,
    ) -> WriteAnswer:
        """Retract a memory: it is no longer recalled, its value stays rejected, and its history is kept.

        This does not erase the text: it stays in the history for audit.
        """
    def explain(
        self,
        memory: str,
        *,
        depth: int = ...,
        as_of: str | date | None = ...,
        valid_at: str | date | None = ...,
    ) -> Explanation:
        """Explain why a memory is active, or why it no longer is, with its full provenance."""
    def get(
        self,
        memory: str,
        *,
        as_of: str | date | None = ...,
        valid_at: str | date | None = ...,
    ) -> GetAnswer:
        """Show one memory with its evidence, links and conflicts; with `as_of`, as it was at that time."""
    def list(
        self,
        *,
        scopes: Sequence[str] | None = ...,
        statuses: Sequence[StatusName] | None = ...,
        kinds: Sequence[KindName] | None = ...,
        topic: str | None = ...,
        project: str | None = ...,
        repo: str | None = ...,
        agent: str | None = ...,
        limit: int = ...,
        cursor: str | None = ...,
        as_of: str | date | None = ...,
        valid_at: str | date | None = ...,
    ) -> ListAnswer:
        """List memories by their properties, newest first, in pages."""
    def history(
        self,
        memory: str,
        *,
        as_of: str | date | None = ...,
    ) -> HistoryAnswer:
        """Show every version of a memory and who changed it, when and why."""
    def diff(
        self,
        since: str | date,
        *,
        until: str | date | None = ...,
        topic: str | None = ...,
        include_corrections: bool = ...,
        scopes: Sequence[str] | None = ...,
        valid_at: str | date | None = ...,
        limit: int = ...,
    ) -> DiffAnswer:
        """List what was added, corrected, retracted and linked since a time, in order.

        One call reads at most `limit` ledger entries. `until` in the answer is the last one read; start the next page
        there.
        """
    def recall(
        self,
        context: str,
        *,
        scopes: Sequence[str] | None = ...,
        kinds: Sequence[KindName] | None = ...,
        min_confidence: float = ...,
        max_age: str | timedelta | None = ...,
        limit: int = ...,
        topic: str | None = ...,
        within: Sequence[Literal["memory", "items", "sessions", "sources"]] | None = ...,
        near: Sequence[str] | None = ...,
        profile: Literal["default", "brain", "hybrid", "dual", "rank"] | None = ...,
        weights: Mapping[str, float] | None = ...,
        messages: Sequence[str] | None = ...,
        around: int = ...,
        per_source: int = ...,
        elsewhere: bool = ...,
        max_tokens: int | None = ...,
        as_of: str | date | None = ...,
        valid_at: str | date | None = ...,
    ) -> RecallAnswer:
        """Search memory for a question: results best first, each with its score, evidence and explanation.

        Only active memories are returned, never pending, rejected, retracted or replaced ones, and only captured
        evidence that does not state a rejected value. With `as_of`, the answer shows the state at that time and what
        changed since. If there is no good match, the answer is empty.
        """
    def search(
        self,
        query: str,
        *,
        scopes: Sequence[str] | None = ...,
        kinds: Sequence[KindName] | None = ...,
        min_confidence: float = ...,
        max_age: str | timedelta | None = ...,
        limit: int = ...,
    ) -> RecallAnswer:
        """Search memories by words and filters; like recall, but without captured evidence."""
    def expand(
        self,
        ref: str,
        *,
        detail: Literal["L0", "L1", "L2"] = ...,
        around: int = ...,
        passage: int | None = ...,
    ) -> ExpandAnswer:
        """Show one memory with its evidence, or one source with the passages around it, in the detail you choose."""
    def inject(
        self,
        context: str,
        *,
        scopes: Sequence[str] | None = ...,
        kinds: Sequence[KindName] | None = ...,
        messages: Sequence[str] | None = ...,
        chat: Sequence[dict[str, Any]] | None = ...,
        limit: int = ...,
        max_tokens: int | None = ...,
        under_budget: bool = ...,
        tier: Literal["auto", "summaries", "items"] = ...,
        detail: Literal["L0", "L1", "L2"] = ...,
        topic: str | None = ...,
        within: Sequence[Literal["memory", "items", "sessions", "sources"]] | None = ...,
        as_of: str | date | None = ...,
    ) -> InjectAnswer:
        """Recall memories for a message, as a block of text to put before it in the prompt.

        The block is fenced as data, so that no entry can pass for an instruction or for the end of the block. Each
        entry has its id, kind, category, confidence, age and trust. Entries that rarely change come first, which keeps
        a model's prompt cache valid. The block is logged, so that `feedback` can report which entries were used.
        """
    def context_for(
        self,
        *,
        task: str | None = ...,
        project: str | None = ...,
        repo: str | None = ...,
        agent: str | None = ...,
        limit: int = ...,
        max_tokens: int | None = ...,
        detail: Literal["L0", "L1", "L2"] = ...,
    ) -> ContextBundle:
        """Return the context for a task: profile, decisions, conventions, lessons and relevant facts, with sources.

        It searches the global scope, the project, the repository, the session, teams and the agent's own scope, as far
        as the agent may see them. Half of the entries are general knowledge, ranked by confidence, freshness and use;
        half are relevant to the task. If one half has too few entries, the other gets the rest. Without a task, the
        best-ranked other memories fill the second half.
        """
    def feedback(
        self,
        recall_id: str,
        *,
        answer: str | None = ...,
        used: Sequence[str] | None = ...,
        ignored: Sequence[str] | None = ...,
        undo: bool = ...,
        idempotency_key: str | None = ...,
    ) -> FeedbackAnswer:
        """Report which results of a recall were used: they rank higher next time, ignored ones slightly lower.

        Only the ranking priority changes, never confidence or status, and only for memories the caller may write; for
        others the use is only recorded. A second feedback on the same recall replaces the first; `undo` removes it.
        With `answer`, every result is compared with the answer's text, except the ids given as used or ignored. Without
        it, only those ids change.
        """
    def why(
        self,
        recall_id: str,
    ) -> WhyAnswer:
        """Explain the results of a recall: the question, the score of each result, the cost and the feedback."""
    def recalls(
        self,
        *,
        limit: int = ...,
        cursor: str | None = ...,
    ) -> RecallsAnswer:
        """List the logged recalls, newest first: an agent sees its own, a person all."""
    def save_view(
        self,
        name: str,
        question: str,
        *,
        arguments: Mapping[str, Any] | None = ...,
        idempotency_key: str | None = ...,
    ) -> SavedAnswer:
        """Save a question with its filters under a name; saving the same name again replaces it."""
    def views(
        self,
    ) -> ViewsAnswer:
        """List saved questions: an agent sees its own, a person all."""
    def view(
        self,
        name: str,
        *,
        author: str | None = ...,
    ) -> RecallAnswer:
        """Run a saved question. The results are limited to what the caller may see, whoever saved it."""
    def drop_view(
        self,
        name: str,
        *,
        author: str | None = ...,
        idempotency_key: str | None = ...,
    ) -> SavedAnswer:
        """Delete a saved question; the history keeps it."""
    def ingest(
        self,
        path: str | os.PathLike[str],
        *,
        source_format: str | None = ...,
        scope: str | None = ...,
        visibility: VisibilityName | None = ...,
        extract: bool | None = ...,
    ) -> IngestAnswer:
        """Import files, folders, exports and transcripts as evidence, and memories of other products into the inbox.

        Formats: documents (notes, code, JSON, HTML, PDF), chatgpt, claude-export, claude-code, codex, server-memory,
        mem0, basic-memory, obsidian, agents-files. A second import takes only what is new or changed. Skipped items are
        listed with the reason.
        """
    def work(
        self,
        *,
        names: Sequence[str] | None = ...,
    ) -> WorkAnswer:
        """Run the waiting jobs: extraction from captured text, and scheduled jobs. Workers can run in parallel."""
    def jobs(
        self,
        *,
        names: Sequence[str] | None = ...,
        states: Sequence[JobStateName] | None = ...,
        limit: int = ...,
        cursor: str | None = ...,
    ) -> JobsAnswer:
        """List waiting, running, failed and finished jobs, newest first. An agent sees its own."""
    def job(
        self,
        job: str,
    ) -> JobAnswer:
        """Show one job; for an extraction also every candidate with its scores and its outcome."""
    def rescue(
        self,
        job: str,
        candidate: int,
        *,
        idempotency_key: str | None = ...,
    ) -> WriteAnswer:
        """Learn an extraction candidate that was refused, on a person's authority (people only)."""
    def retry(
        self,
        job: str,
        *,
        idempotency_key: str | None = ...,
    ) -> JobView:
        """Retry a failed, waiting or cancelled job now, resuming where it stopped.

        A job is suspended when the agent that requested it loses its token. Only a person can retry it then; its
        results still count as that agent's.
        """
    def cancel(
        self,
        job: str,
        *,
        idempotency_key: str | None = ...,
    ) -> JobView:
        """Cancel a waiting or running job. The changes it already made stay; `undo` can revert them."""
    def consolidate(
        self,
        *,
        scope: str | None = ...,
        dry_run: bool = ...,
    ) -> ConsolidateAnswer:
        """Merge duplicates and promote inbox items that satisfy the promotion rules.

        The history keeps everything, and `undo` reverts it.
        """
    def compact(
        self,
        *,
        min_confidence: float = ...,
        max_staleness: StalenessName = ...,
        scope: str | None = ...,
        dry_run: bool = ...,
    ) -> CompactAnswer:
        """Archive doubtful, outdated and long-forgotten memories, and merge duplicates.

        The history keeps everything, and `undo` reverts it.
        """
    def summaries(
        self,
        category: str | None = ...,
        *,
        scopes: Sequence[str] | None = ...,
        earlier: int = ...,
    ) -> SummariesAnswer:
        """Summarise the active memories of each category and scope, as Markdown."""
    def undo(
        self,
        job: str | None = ...,
        *,
        entry: str | None = ...,
        reason: str,
        idempotency_key: str | None = ...,
    ) -> UndoAnswer:
        """Undo the changes of a maintenance job, or one entry of it. The history keeps both."""
    def inbox(
        self,
        *,
        kinds: Sequence[KindName] | None = ...,
        scopes: Sequence[str] | None = ...,
        limit: int = ...,
        cursor: str | None = ...,
    ) -> InboxAnswer:
        """List the memories that wait for review, newest first, each with the reason and its evidence."""
    def approve(
        self,
        memory: str,
        *,
        reason: str = ...,
        rationale: str | None = ...,
        content: str | None = ...,
        idempotency_key: str | None = ...,
    ) -> WriteAnswer:
        """Approve an inbox item, or vouch for an agent's memory (people only)."""
    def review(
        self,
        decision: Literal["approve", "reject"],
        *,
        reason: str,
        kinds: Sequence[KindName] | None = ...,
        scopes: Sequence[str] | None = ...,
        topic: str | None = ...,
        author: str | None = ...,
        min_confidence: float = ...,
        limit: int = ...,
        dry_run: bool = ...,
        idempotency_key: str | None = ...,
    ) -> ReviewAnswer:
        """Approve or reject all inbox items that match (people only)."""
    def reject(
        self,
        memory: str,
        *,
        reason: str,
        idempotency_key: str | None = ...,
    ) -> WriteAnswer:
        """Reject an inbox item; the same claim is refused from then on (people only)."""
    def restore(
        self,
        memory: str,
        *,
        reason: str = ...,
        idempotency_key: str | None = ...,
    ) -> WriteAnswer:
        """Restore a memory that was forgotten, rejected or replaced (people only).

        This also lifts the rejection of its value. Both are recorded in the history.
        """
    def merge(
        self,
        memory: str,
        other: str,
        *,
        reason: str = ...,
        idempotency_key: str | None = ...,
    ) -> WriteAnswer:
        """Merge two memories that say the same: the first stays, with the evidence of both (people only)."""
    def conflicts(
        self,
        *,
        settled: bool = ...,
        limit: int = ...,
        cursor: str | None = ...,
    ) -> ConflictsAnswer:
        """List conflicts: memories that contradict each other, both sides and the difference."""
    def resolve(
        self,
        conflict: str,
        disposition: DispositionName,
        *,
        reason: str,
        text: str | None = ...,
        idempotency_key: str | None = ...,
    ) -> WriteAnswer:
        """Resolve a conflict (people only). The same conflict is not raised again."""
    def agents(
        self,
    ) -> AgentsAnswer:
        """List agents, their roles and permissions, and whether each has a token."""
    def add_agent(
        self,
        name: str,
        *,
        role: RoleName = ...,
        projects: Sequence[str] | None = ...,
        repos: Sequence[str] | None = ...,
        teams: Sequence[str] | None = ...,
        writes_per_minute: int | None = ...,
        requests_per_second: int | None = ...,
    ) -> AgentAnswer:
        """Add an agent with a role and projects. Its token is shown only once."""
    def rotate_agent(
        self,
        name: str,
    ) -> AgentAnswer:
        """Replace an agent's token; the old one stops working at once. Use `owner` for your own."""
    def revoke_agent(
        self,
        name: str,
    ) -> AgentAnswer:
        """Revoke an agent's token. Its memories stay; its unfinished jobs are suspended."""
    def share(
        self,
        to: str,
        *,
        action: str,
        memories: Sequence[str] | None = ...,
        context: str | None = ...,
        message_type: Literal["request", "response", "event"] = ...,
        expires: str = ...,
        idempotency_key: str | None = ...,
    ) -> ShareAnswer:
        """Share memories you may read, and context in your own words, with another agent for a task.

        The message can be read until it expires. Memories that are rejected or replaced meanwhile are no longer shown.
        """
    def handed(
        self,
        *,
        limit: int = ...,
        cursor: str | None = ...,
    ) -> HandedAnswer:
        """List what other agents shared with you, newest first, until it expires."""
    def events(
        self,
        *,
        after: str | None = ...,
        names: Sequence[EventNameName] | None = ...,
        limit: int = ...,
    ) -> EventsAnswer:
        """List events after a position: writes, searches, reads, flushes and compactions that the caller may see.

        Writes come from the ledger, searches and reads from the log of recalls, which is written within a second. An
        agent sees only its own searches and reads. A read is the use of one item by its id, or of a block for a prompt.
        """
    def status(
        self,
    ) -> StatusAnswer:
        """Show the size of the memory, the inbox, stale memories, authors and warnings."""
    def verify(
        self,
        *,
        head: str | None = ...,
    ) -> Report:
        """Verify the whole ledger and report every edited, deleted, inserted, reordered or truncated entry."""
    def maintain(
        self,
    ) -> UpkeepAnswer:
        """Maintain the database in short steps, while others use it. No memory changes."""
    def reindex(
        self,
    ) -> ReindexAnswer:
        """Rebuild the word index, the lookup keys and the vectors from the records."""
    def export(
        self,
        path: str,
        *,
        as_of: str | date | None = ...,
        overwrite: bool = ...,
    ) -> ExportAnswer:
        """Export the whole space to a JSON Lines file: every id, time, link, status and ledger entry, in order."""
    def import_(
        self,
        path: str | os.PathLike[str],
    ) -> ImportAnswer:
        """Import an export, or a JSON Lines file with one memory per line (the arguments of learn).

        An export is replayed exactly, with its history, into an empty space, and every line is verified against the
        hash chain. A space that is an earlier state of the export gets the missing entries. In any other space, each
        memory is checked like a new one, and values that were rejected in either space stay rejected.
        """
    def backup(
        self,
        path: str,
        *,
        overwrite: bool = ...,
    ) -> BackupAnswer:
        """Write a consistent, verified copy while others keep reading and writing.

        With SQLite the copy is a database file, with PostgreSQL an export. `restore_backup` restores both into both.
        """
    def restore_backup(
        self,
        path: str | os.PathLike[str],
    ) -> RestoreBackupAnswer:
        """Restore a whole space from a backup or an export into an empty home.

        The history is verified before anything is written. A home that has a history is never overwritten.
        """
