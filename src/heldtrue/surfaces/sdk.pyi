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

    _call: Call
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
        """Keep a text or a conversation as evidence: word for word, findable by recall, and claimed by nobody.

        What it says is looked through later, by `work`, and waits in the inbox then. Sent again, it changes nothing; a
        conversation that has grown adds its new turns. Secrets are masked before anything is stored, and what says
        something rejected is kept but not shown.
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
        """Hand in the transcript of an agent's session when it ends; what it says is looked through later."""
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
        """Hand in a conversation between people that was meant to be kept: its turns, notes or a summary."""
    def quarantine(
        self,
        source: str | os.PathLike[str],
        *,
        reason: str,
        release: bool = ...,
        idempotency_key: str | None = ...,
    ) -> QuarantineAnswer:
        """Take a source out: it is no longer found, and what rests on it alone waits in the inbox; only a person can.

        Released, its passages are found again, unless they say what was rejected, and what only waited for it counts
        again. Nothing is erased by this.
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
        """Join a memory to another memory or to any IRI, by a typed relationship."""
    def unlink(
        self,
        memory: str,
        to: str,
        relationship: str = ...,
        *,
        reason: str,
        idempotency_key: str | None = ...,
    ) -> LinkAnswer:
        """Take a link back; that it was there stays in the history."""
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
        """Store a fact, preference, decision or rule, with its source, after checking it against what is held.

        The answer says what became of it and why: created; refreshed or corroborated where it was held already;
        superseded where it ends an older fact; held in the inbox where a person must decide; refused where it was
        rejected before. Secrets are masked before anything is stored.
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
        """Say something about a person, in place of what was said before.

        Said by a person it counts at once and replaces what it contradicts; said by an agent it waits for a person.
        """
    def learn_many(
        self,
        memories: Sequence[dict[str, Any]],
        *,
        idempotency_key: str | None = ...,
    ) -> BatchAnswer:
        """Store up to 1,000 memories in one durable step: all of them are kept, or none."""
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
        """Replace a memory by what is right; the old one, the reason and the time stay readable.

        Where the memory said several things and the correction speaks of one of them, the others stay standing as
        memories of their own. The old value stays rejected in its scope.
        """
    def forget(
        self,
        memory: str,
        *,
        reason: str,
        cause: RetractionCauseName | None = ...,
        idempotency_key: str | None = ...,
    ) -> WriteAnswer:
        """Retract a memory: it is never recalled again and what it said stays rejected, but its history stays readable.

        This is not erasure: the words remain in the history for audit.
        """
    def explain(
        self,
        memory: str,
        *,
        depth: int = ...,
        as_of: str | date | None = ...,
        valid_at: str | date | None = ...,
    ) -> Explanation:
        """Why a memory is believed, or why it no longer is: its whole provenance."""
    def get(
        self,
        memory: str,
        *,
        as_of: str | date | None = ...,
        valid_at: str | date | None = ...,
    ) -> GetAnswer:
        """One memory with its evidence, links and conflicts; with `as_of`, as it was believed then."""
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
        """Memories by their properties, newest first, page by page."""
    def history(
        self,
        memory: str,
        *,
        as_of: str | date | None = ...,
    ) -> HistoryAnswer:
        """Every version of a memory and every act upon it: what was believed, when, by whom, and why it changed."""
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
        """What was added, corrected, retracted and linked since a moment, in the order it happened.

        At most `limit` ledger entries are looked at; `until` in the answer says how far that reached, and the next page
        starts there.
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
        """Find what matters for a question, best first, each with its score in parts, its evidence and its reason.

        Only active memories are recalled: nothing that waits, was rejected, retracted or replaced; and captured
        evidence that says nothing which was rejected. Ask `as_of` a moment to get what was believed then, and what has
        become of it since. Where nothing good is found, nothing is returned.
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
        """Look memories up by words and filters; like recall, without evidence beneath them."""
    def expand(
        self,
        ref: str,
        *,
        detail: Literal["L0", "L1", "L2"] = ...,
        around: int = ...,
        passage: int | None = ...,
    ) -> ExpandAnswer:
        """One memory with its evidence, or one source with what was said around it, in as much detail as you want."""
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
        """Recall what matters for a message, as a block of text to put right before it.

        The block is data: it is fenced so that nothing in it can pass for an instruction or for the end of the block,
        and each entry has its id, kind, category, confidence, age and trust. What seldom changes comes first, so that a
        model's prompt cache survives. What was put in is logged, so that `feedback` can tell what helped.
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
        """What to know before a task: profile, decisions, conventions, lessons, and what fits, each with its sources.

        Only the global scope, the project, the repository, the session, teams and the agent's own scope are looked at,
        and only as far as the agent may see them. Half of the places are for what always counts, ranked by confidence,
        freshness and use, and half for what fits the task; what one side leaves free, the other takes. Without a task,
        the best of all else takes what is left free.
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
        """Say what of a recall an answer used: that is found sooner next time, and what was ignored a little later.

        Only retrieval priority moves, never confidence or status; and only that of memories which the caller may write:
        of others it is noted what was used. A second feedback of the same recall replaces the
        first; `undo` takes it back. With `answer`, everything that was given is judged by its words, and ids that are
        named decide for themselves; without it, only what is named moves.
        """
    def why(
        self,
        recall_id: str,
    ) -> WhyAnswer:
        """Why a recall gave what it gave: the question, each result with its score in parts, the cost, and its use."""
    def recalls(
        self,
        *,
        limit: int = ...,
        cursor: str | None = ...,
    ) -> RecallsAnswer:
        """The log of recalls, newest first: an agent's own, and for a person everyone's."""
    def save_view(
        self,
        name: str,
        question: str,
        *,
        arguments: Mapping[str, Any] | None = ...,
        idempotency_key: str | None = ...,
    ) -> SavedAnswer:
        """Keep a question with its filters under a name, to be asked again; saved anew, it replaces the one before."""
    def views(
        self,
    ) -> ViewsAnswer:
        """The questions kept under a name: an agent's own, and for a person everyone's."""
    def view(
        self,
        name: str,
        *,
        author: str | None = ...,
    ) -> RecallAnswer:
        """Ask a question that was kept under a name. It sees what the caller may see, whoever saved it."""
    def drop_view(
        self,
        name: str,
        *,
        author: str | None = ...,
        idempotency_key: str | None = ...,
    ) -> SavedAnswer:
        """Take a saved question out of use; the history keeps it."""
    def ingest(
        self,
        path: str | os.PathLike[str],
        *,
        source_format: str | None = ...,
        scope: str | None = ...,
        visibility: VisibilityName | None = ...,
        extract: bool | None = ...,
    ) -> IngestAnswer:
        """Take in files, folders, exports and transcripts as evidence, and other products' memories as proposals.

        Formats: documents (notes, code, JSON, HTML, PDF), chatgpt, claude-export, claude-code, codex, server-memory,
        mem0, basic-memory, obsidian, agents-files. Handed in again, only what is new or changed is taken; what is left
        out is listed with its reason.
        """
    def work(
        self,
        *,
        names: Sequence[str] | None = ...,
    ) -> WorkAnswer:
        """Do the work that waits: read what was captured, and what is due regularly. Several may do it side by side."""
    def jobs(
        self,
        *,
        names: Sequence[str] | None = ...,
        states: Sequence[JobStateName] | None = ...,
        limit: int = ...,
        cursor: str | None = ...,
    ) -> JobsAnswer:
        """List the work that waits, runs, failed or is done, newest first. An agent sees what it asked for itself."""
    def job(
        self,
        job: str,
    ) -> JobAnswer:
        """Show one job; of an extraction also every candidate, its scores at the gate and what became of it."""
    def rescue(
        self,
        job: str,
        candidate: int,
        *,
        idempotency_key: str | None = ...,
    ) -> WriteAnswer:
        """Learn a candidate that the gate refused, as a person's own word; only a person can."""
    def retry(
        self,
        job: str,
        *,
        idempotency_key: str | None = ...,
    ) -> JobView:
        """Let a job that failed, waits or was cancelled be tried again at once, from where it had come to.

        Only a person lets one be done that is held, because whoever asked for it lost its token. What comes of it still
        counts as said by that agent.
        """
    def cancel(
        self,
        job: str,
        *,
        idempotency_key: str | None = ...,
    ) -> JobView:
        """End a job that waits or runs; what it has done so far stays done, and can be undone like any other change."""
    def consolidate(
        self,
        *,
        scope: str | None = ...,
        dry_run: bool = ...,
    ) -> ConsolidateAnswer:
        """Make one memory of those that say the same, and let what is confirmed by the rules of promotion count.

        Nothing leaves history, and `undo` takes it back.
        """
    def compact(
        self,
        *,
        min_confidence: float = ...,
        max_staleness: StalenessName = ...,
        scope: str | None = ...,
        dry_run: bool = ...,
    ) -> CompactAnswer:
        """Tidy the working set: archive what is doubtful, out of date or long forgotten, and merge what is said twice.

        Nothing leaves history, and `undo` takes it back.
        """
    def summaries(
        self,
        category: str | None = ...,
        *,
        scopes: Sequence[str] | None = ...,
        earlier: int = ...,
    ) -> SummariesAnswer:
        """One summary for each category and scope, made from what counts now, as Markdown."""
    def undo(
        self,
        job: str | None = ...,
        *,
        entry: str | None = ...,
        reason: str,
        idempotency_key: str | None = ...,
    ) -> UndoAnswer:
        """Take back what maintenance changed: a whole job, or one entry of it. History keeps both."""
    def inbox(
        self,
        *,
        kinds: Sequence[KindName] | None = ...,
        scopes: Sequence[str] | None = ...,
        limit: int = ...,
        cursor: str | None = ...,
    ) -> InboxAnswer:
        """What waits for a person's say, newest first, each with the reason and its evidence."""
    def approve(
        self,
        memory: str,
        *,
        reason: str = ...,
        rationale: str | None = ...,
        content: str | None = ...,
        idempotency_key: str | None = ...,
    ) -> WriteAnswer:
        """Let a waiting memory count, or stand behind one that an agent learned; only a person can."""
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
        """Approve or reject everything in the inbox that fits, in one act; only a person can."""
    def reject(
        self,
        memory: str,
        *,
        reason: str = ...,
        idempotency_key: str | None = ...,
    ) -> WriteAnswer:
        """Turn a waiting memory down for good: the same value does not come back by itself; only a person can."""
    def restore(
        self,
        memory: str,
        *,
        reason: str = ...,
        idempotency_key: str | None = ...,
    ) -> WriteAnswer:
        """Bring back a memory that was forgotten, rejected or replaced; only a person can.

        The values that were rejected with it are lifted, on the record.
        """
    def merge(
        self,
        memory: str,
        other: str,
        *,
        reason: str = ...,
        idempotency_key: str | None = ...,
    ) -> WriteAnswer:
        """Make one memory of two that say the same: the first stays, with the evidence of both; only a person can."""
    def conflicts(
        self,
        *,
        settled: bool = ...,
        limit: int = ...,
        cursor: str | None = ...,
    ) -> ConflictsAnswer:
        """Memories that contradict each other, with both sides and what disagrees."""
    def resolve(
        self,
        conflict: str,
        disposition: DispositionName,
        *,
        reason: str = ...,
        text: str | None = ...,
        idempotency_key: str | None = ...,
    ) -> WriteAnswer:
        """Settle a conflict as a person says; it is remembered, so that the same conflict does not come back."""
    def agents(
        self,
    ) -> AgentsAnswer:
        """Who may come by token, and what each may reach."""
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
        """Let an agent in: it gets a token, which is shown once, and reaches what its role and projects allow."""
    def rotate_agent(
        self,
        name: str,
    ) -> AgentAnswer:
        """Give an agent a new token in the place of its old one, which ends at once; `owner` is you yourself."""
    def revoke_agent(
        self,
        name: str,
    ) -> AgentAnswer:
        """Take an agent's token away; what it has written stays, and what it asked for and is not done yet is held."""
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
        """Hand another agent what a task needs: memories that you may read yourself, and words of your own.

        It can be read until it expires. A memory that is rejected or replaced meanwhile is no longer shown.
        """
    def handed(
        self,
        *,
        limit: int = ...,
        cursor: str | None = ...,
    ) -> HandedAnswer:
        """What other agents have handed to you for a task, newest first, until it expires."""
    def events(
        self,
        *,
        after: str | None = ...,
        names: Sequence[EventNameName] | None = ...,
        limit: int = ...,
    ) -> EventsAnswer:
        """What was written, searched, read, flushed and compacted since a place, as far as the caller may see it.

        Writes are taken from the ledger, searches and reads from the log of recalls, which is written within a second;
        an agent sees its own of these. A read is one of something by its id, or of what goes into a prompt.
        """
    def status(
        self,
    ) -> StatusAnswer:
        """How large the memory is, what waits, what is stale, who wrote it, and what to watch."""
    def verify(
        self,
        *,
        head: str | None = ...,
    ) -> Report:
        """Walk the whole history and report every edit, deletion, insertion, reordering and cut."""
    def maintain(
        self,
    ) -> UpkeepAnswer:
        """Do the upkeep of the database, in short steps beside other work; no memory changes."""
    def reindex(
        self,
    ) -> ReindexAnswer:
        """Make the word index, the look-up keys and the vectors anew from the records."""
    def export(
        self,
        path: str | os.PathLike[str],
        *,
        as_of: str | date | None = ...,
        overwrite: bool = ...,
    ) -> ExportAnswer:
        """Write the whole space to a file of JSON Lines: every id, time, link, status and ledger entry, in order."""
    def import_(
        self,
        path: str | os.PathLike[str],
    ) -> ImportAnswer:
        """Read an export, or a file with one memory per line as JSON with the arguments of learn.

        Into an empty space an export is replayed word for word, with its history, and every line is checked against
        its hash chain; into a space that the export goes on from, the rest is. Into any other space each memory is
        proposed at the gate like any other, and what was rejected in either stays rejected.
        """
    def backup(
        self,
        path: str | os.PathLike[str],
        *,
        overwrite: bool = ...,
    ) -> BackupAnswer:
        """Write a consistent, verified copy while others go on reading and writing.

        SQLite gives a database file, PostgreSQL an export; `restore_backup` takes either, into either.
        """
    def restore_backup(
        self,
        path: str | os.PathLike[str],
    ) -> RestoreBackupAnswer:
        """Bring a whole space back from a backup or an export, into an empty home.

        The history is verified before anything is written, and a home that has a history is never overwritten.
        """
