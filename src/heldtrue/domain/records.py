"""The other rows of a space: evidence and its sources, links, tombstones, conflicts, and the names that scopes use.

Every record carries the ledger sequence that wrote it (`seq`) and a keyed digest of itself (`salt`, `digest`); one
that can be closed also carries the sequence that closed it (`seq_to`) and a digest of the closing. Nothing else ever
changes.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import msgspec

from heldtrue.domain.privacy import Privacy


class SourceKind(StrEnum):
    MANUAL = "manual"
    CONVERSATION = "conversation"
    RUN = "run"
    DOCUMENT = "document"
    IMPORT = "import"


class ConflictKind(StrEnum):
    """How two memories conflict, or what an agent requested for one memory."""

    CONTRADICTION = "contradiction"
    POSSIBLE = "possible"
    """The reader takes them for contrary. Neither side waits or loses confidence for it."""
    UPDATE = "update"
    DUPLICATE = "duplicate"
    RETRACTION = "retraction"
    """An agent asks to forget a memory that others have stated or verified. Both sides are that memory."""


class Disposition(StrEnum):
    """How a conflict was resolved."""

    KEEP_OLD = "keep_old"
    KEEP_NEW = "keep_new"
    KEEP_BOTH = "keep_both"
    REMOVE_BOTH = "remove_both"
    MERGE = "merge"


class Source(msgspec.Struct, frozen=True, gc=False):
    """Raw evidence, as it was captured."""

    id: str
    seq: int
    kind: str
    content: str
    content_type: str
    reference: str | None
    """Where it came from: file and line, URL, conversation, run."""
    author: str
    scope: str
    occurred_at: int | None
    recorded_at: int
    lookup_key: int
    """Keyed hash of author, scope, reference and content: the same evidence again is the same source."""
    title: str | None = None
    thread: str | None = None
    """The conversation or document it is part of; what has one can be found by recall."""
    place: int | None = None
    """Its place among the others of its thread, from 0."""
    speaker: str | None = None
    """Who said it, if not the author who captured it."""
    visibility: str | None = None
    """`private` where only its author may see it."""
    salt: bytes | None = None
    digest: bytes | None = None

    @property
    def privacy(self) -> Privacy:
        return Privacy.of(self.visibility, self.author)


class Evidence(msgspec.Struct, frozen=True, gc=False):
    """Ties one version of a memory to one source."""

    memory_id: str
    version: int
    source_id: str
    seq: int
    author: str
    file: str | None
    line: int | None
    span_start: int | None
    span_end: int | None
    recorded_at: int
    salt: bytes | None = None
    digest: bytes | None = None


RELATIONSHIPS = frozenset(
    {
        *("causes", "requires", "contradicts", "supports", "supersedes", "applies_to", "derived_from", "related_to"),
        "overrides",
    }
)
"""The relationships that have a meaning of their own. A link may also have a word of its author's."""


class Link(msgspec.Struct, frozen=True, gc=False):
    """A typed relation from a memory to another memory or to any IRI."""

    id: str
    seq: int
    from_id: str
    to_ref: str
    """The id of a memory, or an IRI."""
    relationship: str
    author: str
    scope: str
    reason: str | None
    recorded_from: int
    salt: bytes | None = None
    digest: bytes | None = None
    recorded_to: int | None = None
    seq_to: int | None = None
    closed_by: str | None = None
    close_reason: str | None = None
    closing_digest: bytes | None = None


class Tombstone(msgspec.Struct, frozen=True, gc=False):
    """A value that was rejected in a scope and stays rejected until a person lifts it."""

    id: str
    seq: int
    scope: str
    grain: str
    """`text` (the whole wording) or `claim` (one thing it says)."""
    lookup_key: int
    value: str
    """The folded value, for display and for exact comparison."""
    memory_id: str
    author: str
    reason: str
    recorded_from: int
    salt: bytes | None = None
    digest: bytes | None = None
    recorded_to: int | None = None
    seq_to: int | None = None
    closed_by: str | None = None
    close_reason: str | None = None
    closing_digest: bytes | None = None


class TombstonesMoved(NamedTuple):
    """The last entries that laid a tombstone, lifted one and erased anything; 0 where there is none."""

    laid: int = 0
    lifted: int = 0
    erased: int = 0


class Conflict(msgspec.Struct, frozen=True, gc=False):
    """Two contradicting memories, and how the conflict was resolved."""

    id: str
    seq: int
    kind: str
    scope: str
    old_id: str
    new_id: str
    finding: str
    """What contradicts, as text."""
    weaker_id: str
    pair_key: int
    """Keyed hash of the two values, so that a resolved conflict is not raised again."""
    recorded_from: int
    salt: bytes | None = None
    digest: bytes | None = None
    recorded_to: int | None = None
    seq_to: int | None = None
    disposition: str | None = None
    closed_by: str | None = None
    close_reason: str | None = None
    merged_id: str | None = None
    closing_digest: bytes | None = None


class Quarantine(msgspec.Struct, frozen=True, gc=False):
    """A source that recall ignores until its quarantine ends."""

    id: str
    seq: int
    source_id: str
    author: str
    scope: str
    reason: str
    recorded_from: int
    salt: bytes | None = None
    digest: bytes | None = None
    recorded_to: int | None = None
    seq_to: int | None = None
    closed_by: str | None = None
    close_reason: str | None = None
    closing_digest: bytes | None = None


class ArchivedSource(msgspec.Struct, frozen=True, gc=False):
    """A source that left the working set: recall does not find it, and whoever knows its id can read it."""

    id: str
    seq: int
    source_id: str
    author: str
    scope: str
    reason: str
    recorded_from: int
    salt: bytes | None = None
    digest: bytes | None = None
    recorded_to: int | None = None
    seq_to: int | None = None
    closed_by: str | None = None
    close_reason: str | None = None
    closing_digest: bytes | None = None


class SavedView(msgspec.Struct, frozen=True, gc=False):
    """A question with its filters, kept under a name."""

    id: str
    seq: int
    name: str
    arguments: str
    """JSON: the arguments of `recall`."""
    author: str
    scope: str
    recorded_from: int
    salt: bytes | None = None
    digest: bytes | None = None
    recorded_to: int | None = None
    seq_to: int | None = None
    closed_by: str | None = None
    close_reason: str | None = None
    closing_digest: bytes | None = None


class AgentRecord(msgspec.Struct, frozen=True, gc=False):
    """What a registered agent may do, from one change to the next."""

    id: str
    seq: int
    name: str
    kind: str
    role: str
    projects: str
    """JSON: the names of its projects; likewise its repos and teams."""
    repos: str
    teams: str
    writes_per_minute: int | None
    requests_per_second: int | None
    token_check: bytes | None
    """The hash of the stored digest of its token. The digest itself is in `tokens`, which no export contains."""
    created_at: int
    revoked_at: int | None
    recorded_from: int
    salt: bytes | None = None
    digest: bytes | None = None
    recorded_to: int | None = None
    seq_to: int | None = None
    closed_by: str | None = None
    close_reason: str | None = None
    closing_digest: bytes | None = None


class Handed(msgspec.Struct, frozen=True, gc=False):
    """A message from one agent to another, with the memories it shares."""

    id: str
    seq: int
    sender: str
    receiver: str
    type: str
    action: str
    memories: str
    """JSON: the ids of the memories."""
    note: str | None
    expires_at: int
    recorded_from: int
    salt: bytes | None = None
    digest: bytes | None = None
    recorded_to: int | None = None
    seq_to: int | None = None
    closed_by: str | None = None
    close_reason: str | None = None
    closing_digest: bytes | None = None


class ErasedRecord(msgspec.Struct, frozen=True, gc=False):
    """Proof that the words of one record were erased on purpose: without it, `verify` reports their loss."""

    id: str
    seq: int
    entity: str
    """The table of the record."""
    record_digest: bytes
    """The digest of the record, which the ledger still covers."""
    rest_digest: bytes
    """A keyed digest of what was left of it (`domain.erasure.digest_rest`)."""
    content_key: int | None
    """For a source: a keyed hash of its content, by which the same content is recognised and not stored again."""
    recorded_at: int
    salt: bytes | None = None
    digest: bytes | None = None


class PrincipalRecord(msgspec.Struct, frozen=True, gc=False):
    """A principal that has acted in this space."""

    id: str
    seq: int
    kind: str
    name: str
    recorded_at: int
    salt: bytes | None = None
    digest: bytes | None = None


class Project(msgspec.Struct, frozen=True, gc=False):
    id: str
    seq: int
    recorded_at: int
    salt: bytes | None = None
    digest: bytes | None = None


class Repo(msgspec.Struct, frozen=True, gc=False):
    id: str
    seq: int
    project_id: str | None
    recorded_at: int
    salt: bytes | None = None
    digest: bytes | None = None


class Team(msgspec.Struct, frozen=True, gc=False):
    id: str
    seq: int
    recorded_at: int
    salt: bytes | None = None
    digest: bytes | None = None


class Space(msgspec.Struct, frozen=True, gc=False):
    """One isolated memory store; its record is the first that its ledger covers."""

    id: str
    seq: int
    base_iri: str
    key: bytes
    """Keys the look-up hashes of this space, so that they cannot be guessed from outside it."""
    created_at: int
    salt: bytes | None = None
    digest: bytes | None = None

    def iri(self, memory_id: str) -> str:
        return f"{self.base_iri}memory/{memory_id}"


UNBORN = Space(id="", seq=0, base_iri="urn:heldtrue:", key=b"", created_at=0)
"""A space before its first write."""
