"""Every limit of Heldtrue, in one place, with its unit and its reason.

A limit protects the system, or is one that a user, a client or a text can run into: a size, a count, a time, a budget.
Its name ends in `_MAX` or `_MIN`, or in its unit. A number that tunes an algorithm (a weight, a threshold, how many
words a name may have) stands beside that algorithm and has another kind of name. What a user may choose is a setting
(`wiring/settings.py`); its bounds are here.
"""

from __future__ import annotations

_KIB = 1024
_MIB = 1024 * _KIB
_SECOND_US = 1_000_000
_MINUTE_US = 60 * _SECOND_US
_DAY_US = 24 * 60 * _MINUTE_US

# Memories and their evidence

CONTENT_BYTES_MAX = 64 * _KIB
"""The text of one memory. Longer material is a document: capture it and let memories point at it."""
SOURCE_BYTES_MAX = 1 * _MIB
"""One piece of raw evidence that comes with a write."""
TITLE_CHARS_MAX = 200
"""A title is read in one line."""
NAME_CHARS_MAX = 200
"""Topics, categories, relationships, agent names, the id part of a scope."""
REASON_CHARS_MAX = 4_000
"""Why something was written, changed or decided: an explanation, not a document."""
REFERENCE_CHARS_MAX = 2_000
"""Where evidence came from: a path with a line, a URL, a conversation."""

# Writing

IDEMPOTENCY_KEY_CHARS_MAX = 200
"""Room for any client's own id."""
IDEMPOTENCY_KEPT_HOURS = 48
"""How long a retried write still finds its first answer."""
CAPTURE_MESSAGES_MAX = 1_000
"""Turns in one `capture`."""
CAPTURE_BYTES_MAX = 2 * _MIB
"""All turns of one `capture` together: they are one entry of the ledger, and one line of an export."""
BATCH_MAX = 1_000
"""Memories in one `learn_many`: small enough to hold the write lock for well under a second."""
BATCH_CLAIMS_MAX = 10_000
"""Claims in one `learn_many`, roughly its sentences, for the same reason: each of them is indexed."""
BATCH_CHECKS_MAX = 300_000
"""Pairs of claims that one `learn_many` compares to find contradictions: about three seconds of one processor."""
CANDIDATES_MAX = 50
"""Memories compared with a new one: first those a person stands behind, then the active ones."""
CLAIMS_KEYED_MAX = 64
"""Claims of one memory that are indexed for duplicates and conflicts."""
CONFLICTS_PER_WRITE_MAX = 3
"""Conflicts that one write opens; the write waits for a person either way."""

# Recall and answers

QUERY_CHARS_MAX = 2_000
"""One question; a longer text is material to capture."""
QUERY_TERMS_MAX = 64
"""Words of a question that are looked up: each one reads a part of the index."""
RESULTS_DEFAULT = 10
"""Results of a recall that does not say how many."""
RESULTS_MAX = 100
"""Results of one recall."""
ANSWER_TOKENS_MAX = 25_000
"""Tokens of one answer: what the strictest of the common clients accepts."""
INJECTED_MAX = 10
"""Memories put into one prompt: a model reads few well and many badly."""
INJECTED_UNDER_BUDGET_MAX = 5
"""The same for an agent that is short of tokens."""
BLOCK_TOKENS_DEFAULT = 4_000
"""Tokens of recalled text in a prompt that does not say how many."""
LIST_DEFAULT = 50
"""Lines of a listing that does not say how many."""
LIST_MAX = 1_000
"""Lines of one listing."""
EXPLAIN_DEPTH_MAX = 10
"""Steps that `explain` follows back to what a memory replaced or came from."""

# Import, export and verification

OBJECTS_BYTES_MAX = 64 * _MIB
"""A file of objects, or standard input, that a command reads as one request."""
IMPORT_LINE_BYTES_MAX = 16 * _MIB
"""A line of an export is an entry with its records; JSON may need six bytes to spell one of theirs."""
IMPORT_BATCH_ENTRIES = 200
"""Ledger entries replayed in one transaction, so that other writers are never kept waiting long."""
VERIFY_BATCH_ENTRIES = 2_000
"""Ledger entries that verification and export hold in memory at once."""
VERIFY_PROBLEMS_MAX = 1_000
"""Problems that one verification reports: a broken ledger has one for each entry."""
REINDEX_BATCH_ENTRIES = 200
"""Ledger entries that a rebuild of the index reads in one transaction, so that other writers wait only briefly."""
REINDEX_BATCH_RECORDS_MAX = 500
"""Records that it indexes in one transaction, unless one entry has more."""

# Storage

BUSY_TIMEOUT_MS = 30_000
"""How long a writer waits for the others; 16 processes at 5 s lost one write in 1,600, at 30 s none."""
WAL_RESTART_BYTES = 32 * _MIB
"""Size of SQLite's write-ahead log at which it is started anew, since a long log slows every reader."""
WAL_SIZE_LIMIT_BYTES = 64 * _MIB
"""Size to which SQLite cuts its write-ahead log after a large write."""
CLOCK_SKEW_US = 5 * _SECOND_US
"""A clock further behind the last record than this is reported by `status`."""

# Jobs

JOB_LEASE_US = 60 * _SECOND_US
"""How long a worker may be silent before another takes its job over."""
JOB_TRIES_MAX = 5
"""Tries after which a job waits for someone to retry it."""
JOB_FIRST_PAUSE_US = 10 * _SECOND_US
"""How long a job waits after its first failure; each further failure doubles it."""
JOB_LONGEST_PAUSE_US = 60 * _MINUTE_US
"""The longest that a failed job waits for its next try."""
JOB_RENEWALS_MAX = 180
"""Renewals of a lease without a step (an hour): a job that hangs does not keep its worker forever."""
JOB_ERROR_CHARS_MAX = 2_000
"""Characters of an error that are kept with the job that failed."""
JOB_PAGE_MAX = 1_000
"""Memories that a job reads in one transaction."""
SWEEP_BATCH_MAX = 200
"""Memories that a sweep plans at once: what it plans may change before it is done."""
EXTRACTION_STEP_SOURCES_MAX = 20
"""Sources whose statements one transaction writes: a few milliseconds each."""
EXTRACTION_STEP_MODEL_SOURCES_MAX = 1
"""The same with a language model, which takes seconds for each: what was paid for is kept before the next call."""
EXTRACTION_STEP_STATEMENTS_MAX = 60
"""Statements that one transaction of an extraction writes: one text may contain thousands."""
SUMMARY_LINES_MAX = 100
"""Memories in the summary of a category; the rest is counted."""
INSIGHT_QUOTE_CHARS_MAX = 400
"""Characters of a memory that an insight quotes."""

# Sharing and events

SHARED_MEMORIES_MAX = 100
"""Memories in one message between agents."""
SHARED_SPAN_US_MAX = 30 * _DAY_US
"""The longest that a message between agents can be read, in microseconds."""
EVENTS_MAX = 1_000
"""Events in one answer."""

# The service

REQUEST_BYTES_MAX = 4 * _MIB
"""One request over the network: two megabytes of turns, and what JSON needs to spell them."""
HEAD_BYTES_MAX = 64 * _KIB
"""The address and the headers of a request together."""
HEAD_SECONDS_MAX = 30.0
"""How long a client may take from connecting, or from the first byte of a request, to the end of its headers."""
BODY_SECONDS_MAX = 60.0
"""How long a client may take to send the body of a request."""
CONNECTIONS_MAX = 1_000
"""Connections that a server holds at once; below what a process may open by default, with room for files."""
JSON_DEPTH_MAX = 32
"""Levels of nesting in a request: no request of ours needs more, and deep nesting exhausts the stack."""
STREAMS_MAX = 8
"""Event streams that one principal may hold open."""

# Bounds of settings

PORT_MAX = 65_535
"""The highest port there is."""
SERVER_THREADS_MAX = 256
"""Requests that a server works on at once: each one may hold a connection to the database."""
RECALL_WEIGHT_MAX = 10
"""The weight of one part of a recall profile; the others could not count beside more."""
MODEL_TIMEOUT_SECONDS_MAX = 600
"""How long a language model may take to answer: longer than that it is not going to."""
MODEL_ANSWER_TOKENS_MIN = 100
"""The shortest answer of a language model that can hold a memory."""
MODEL_ANSWER_TOKENS_MAX = 100_000
"""The longest answer of a language model, which is paid for."""

# Reading one text: what bounds the work that a hostile or odd text can cause

MARKS_IN_A_ROW_MAX = 30
"""Combining marks on one character: ordering them takes quadratic time, and Unicode's stream-safe form allows 30."""
SECRET_CHARS_MAX = 512
"""Characters of one value that are read to tell whether it is a secret."""
CLAUSE_TOKENS_MAX = 200
"""Tokens of a clause that are searched for its verb."""
CONTRARY_PAIRS_MAX = 64
"""Contradicting pairs of claims, and claims of one slot, that are looked for in two texts: more is a document."""
CLAIM_CHECKS_MAX = 2_048
"""Pairs of claims of two texts that are compared, for the same reason."""
QUOTED_CLAIM_CHARS_MAX = 80
"""Characters of a claim that a message quotes, so that it is read in one line."""
HEADING_CHARS_MAX = 100
"""Characters of a heading that are kept as the title of what stands under it."""
HEADING_READ_CHARS_MAX = 4_000
"""Characters of a heading that are read to find those."""
HEADING_BLANKS_MAX = 200
"""Blank characters before a heading that are skipped to find it."""
PERIOD_DEPTH_MAX = 3
"""Times that one time may be told from: `the day before the Friday before 20 May` has two."""
EARLIER_MESSAGE_CHARS_MAX = 4_000
"""Characters of an earlier message that are read to understand a follow-up question."""
TONE_CHARS_MAX = 20_000
"""Characters of a text that are read for its tone."""
USAGE_SENTENCES_MAX = 200
"""Sentences of a memory that are looked for in an answer: no answer uses more of it."""
USAGE_STRETCHES_MAX = 40
"""Places of an answer where one sentence of a memory is looked for."""
EXTRACTION_CHARS_MAX = 400_000
"""Characters of a message or document that are read for memories."""
EXTRACTED_CHARS_MAX = 600
"""An extracted memory: what is longer is not one statement."""
SENTENCE_CHARS_MAX = 1_500
"""A sentence that is read for memories: longer than people write; what is longer is a paste."""
TABLE_ROWS_MAX = 60
"""Rows of one table that are read for memories."""
TABLE_CELL_CHARS_MAX = 120
"""A cell of such a row: a longer one is not the value of a property."""
