"""Every limit of Heldtrue, in one place, with its unit and its reason."""

from __future__ import annotations

CONTENT_BYTES_MAX = 64 * 1024
"""One memory. Longer material is a document: capture it and let memories point at it."""
SOURCE_BYTES_MAX = 1024 * 1024
"""One piece of raw evidence handed in with a write."""
TITLE_CHARS_MAX = 200
NAME_CHARS_MAX = 200
"""Topics, categories, relationships, agent names, the id part of a scope."""
REASON_CHARS_MAX = 4_000
REFERENCE_CHARS_MAX = 2_000
"""Where evidence came from: a path with a line, a URL, a conversation."""
QUERY_CHARS_MAX = 2_000
QUERY_TERMS_MAX = 64
IDEMPOTENCY_KEY_CHARS_MAX = 200
IDEMPOTENCY_KEPT_HOURS = 48
"""How long a retried write still finds its first answer."""

RESULTS_DEFAULT = 10
RESULTS_MAX = 100
ANSWER_TOKENS_MAX = 25_000
"""Tokens of one answer: what the strictest of the common clients takes."""
INJECTED_MAX = 10
"""Memories put into one prompt: a model reads few well and many badly."""
INJECTED_UNDER_BUDGET_MAX = 5
BLOCK_TOKENS_DEFAULT = 4_000
"""Tokens of recalled text in one prompt, where nobody says."""
LIST_DEFAULT = 50
LIST_MAX = 1_000
CAPTURE_MESSAGES_MAX = 1_000
"""Turns in one `capture`."""
CAPTURE_BYTES_MAX = 2 * 1024 * 1024
"""All turns of one `capture` together: they are one entry of the ledger, and one line of an export."""
BATCH_MAX = 1_000
"""Memories in one `learn_many`: small enough to hold the write lock for well under a second."""
BATCH_CLAIMS_MAX = 10_000
"""Claims in one `learn_many`, roughly its sentences, for the same reason: each of them is indexed."""
BATCH_CHECKS_MAX = 300_000
"""Pairs of claims that one `learn_many` looks at to find contradictions: some three seconds of one processor."""
EXPLAIN_DEPTH_MAX = 10
CANDIDATES_MAX = 50
"""Memories compared with a new one; what a person stands behind comes first, then what is active."""
CLAIMS_KEYED_MAX = 64
"""Claims of one memory that are indexed for duplicates and conflicts."""
CONFLICTS_PER_WRITE_MAX = 3
"""Conflicts that one write opens; the write waits for a person either way."""

OBJECTS_BYTES_MAX = 64 * 1024 * 1024
"""A file of objects, or standard input, that a command reads as one request."""
IMPORT_LINE_BYTES_MAX = 16 * 1024 * 1024
"""A line of an export is an entry with its records; JSON may spell a byte of theirs with six."""
IMPORT_BATCH_ENTRIES = 200
"""Ledger entries replayed in one transaction, so that other writers are never kept waiting long."""
VERIFY_BATCH_ENTRIES = 2_000

BUSY_TIMEOUT_MS = 30_000
"""How long a writer waits for the others; 16 processes at 5 s lost one write in 1,600, at 30 s none."""
WAL_RESTART_BYTES = 32 * 1024 * 1024
WAL_SIZE_LIMIT_BYTES = 64 * 1024 * 1024
CLOCK_SKEW_US = 5_000_000
"""A clock further behind the last record than this is reported by `status`."""

SHARED_MEMORIES_MAX = 100
"""Memories in one message between agents."""
SHARED_SPAN_US_MAX = 30 * 24 * 3_600 * 1_000_000
"""The longest that a message between agents can be read, in microseconds."""
EVENTS_MAX = 1_000
"""Events in one answer."""
REQUEST_BYTES_MAX = 4 * 1024 * 1024
"""One request over the network: two megabytes of turns, and what JSON needs to spell them."""
HEAD_BYTES_MAX = 64 * 1024
"""The address and the headers of a request together."""
HEAD_SECONDS_MAX = 30.0
"""How long a client may take from connecting, or from the first letter of a request, to the end of its headers."""
BODY_SECONDS_MAX = 60.0
CONNECTIONS_MAX = 1_000
"""Connections that a server holds at once; below what a process may open by default, with room for files."""
JSON_DEPTH_MAX = 32
STREAMS_MAX = 8
"""Event streams that one principal may hold open."""
