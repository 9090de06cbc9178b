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
COMPARED_PAIRS_MAX = 4_096
"""Answers of the reader that a process keeps, for when the same two statements meet again."""
JUDGED_CHARS_MAX = 2_000
"""Characters from the beginning of a text by which the reader judges what it is; it reads some 250 tokens."""
COMPARED_WORDS_MAX = 60
"""Words of a text that the reader compares as a whole. A longer text is compared sentence by sentence."""
MEMORIES_COMPARED_MAX = 2
"""Memories that the reader compares with a new one: the nearest."""
COMPARED_DAYS_MAX = 3
"""For so long after a memory was written, consolidation compares it with others by the reader."""
BATCH_COMPARED_MAX = 20
"""Memories of one `learn_many` that the reader compares with others as they are learned. Of a larger batch, none is:
maintenance compares them later."""
PIECES_COMPARED_MAX = 2
"""Sentences of a text that the reader compares with one rejected statement: the nearest, or the text as a whole."""
QUOTED_CHARS_MAX = 160
"""Characters of a rejected statement that a reason quotes."""
REJECTED_COMPARED_MAX = 10
"""Rejected statements that the reader compares with a new one: the nearest."""
CANDIDATES_MAX = 50
"""Memories compared with a new one: first those a person stands behind, then the active ones."""
CLAIMS_KEYED_MAX = 64
"""Claims of one memory that are indexed for duplicates and conflicts."""
CONFLICTS_PER_WRITE_MAX = 3
"""Conflicts that one write opens; the write waits for a person either way."""
REFUSED_CHARS_MAX = 500
"""How much of a refused text the ledger keeps: enough to recognise it, and no way to store a document."""
INGEST_BATCH_MAX = 100
"""Sources that an ingestion writes in one transaction, so that other writers wait only briefly."""
CLOCK_AHEAD_US = 60 * _MINUTE_US
"""How far in the future a write may say that it was recorded or heard: clocks differ."""

# Recall and answers

QUERY_CHARS_MAX = 2_000
"""One question; a longer text is material to capture."""
QUERY_TERMS_MAX = 64
"""Words of a question that are looked up: each one reads a part of the index."""
MOMENT_CHARS_MAX = 60
"""Characters of a moment such as `yesterday 14:00`; a longer text names more than a moment."""
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
QUOTED_VALUE_CHARS_MAX = 80
"""Characters of a bad value that an error message quotes."""
ERROR_MESSAGE_CHARS_MAX = 800
"""Characters of an error message, which may quote what was sent."""
AMBIGUOUS_IDS_SHOWN_MAX = 5
"""Ids that are shown when a short id fits several."""
RECALL_LOG_DELAY_SECONDS = 0.4
"""How long a line of the recall log may wait to be written together with others."""
RECALL_LOG_LOCK_MS = 250
"""How long the recall log waits for other writers: whoever only reads must not wait for a writer that is stuck."""
RECALL_LOG_RETRY_SECONDS = 5.0
"""How long the recall log waits after a failed write."""
RECALL_LOG_BATCH_MAX = 200
"""Lines of the recall log that one transaction writes."""
RECALL_LOG_WAITING_MAX = 10_000
"""Lines of the recall log that wait in memory while the database cannot be written."""
POSTINGS_CACHED_MAX = 4_000_000
"""Postings that a process keeps in memory: eight bytes each."""
DOCUMENT_NUMBERS_MAX = 100_000_000
"""The highest number of a record that has a place in the table of numbers, which is held in memory."""
RENDERED_LINE_CHARS_MAX = 120
"""Characters of a memory that is shown on one line."""
SUMMARY_TOKENS_MAX = 60
"""Tokens of a memory at the level `summary`."""
GIVEN_SUMMARY_TOKENS_MAX = 200
"""The same where the memory came with a summary of its own."""
RENDERED_NAME_CHARS_MAX = 80
"""Characters of a name in a rendered line."""
SUMMARIES_MAX = 3
"""Summaries of categories in one recall."""
EMBEDDED_IN_RECALL_MAX = 5_000
"""New records that a recall embeds itself; more are left to the background."""
VECTORS_FOLLOWED_MAX = 20_000
"""Changes up to which the vectors in memory are updated; after more they are read anew."""
VECTORS_BYTES_MAX = 1024 * _MIB
"""Vectors that a process keeps in memory; above that they are compared in the database."""
POSTINGS_READ_MAX = 20_000
"""Postings of memories that one word reads: what is that frequent tells little."""
PASSAGE_POSTINGS_READ_MAX = 100_000
"""The same for passages of documents and conversations."""
CALLERS_CACHED_MAX = 1_000
"""Callers whose view of the index is kept in memory."""
SUBJECT_NAMES_MAX = 50
"""Names, aliases and identifiers of one subject: every text of a space is searched for all of them at once."""
ERASURE_BATCH_ENTRIES = 2_000
"""Ledger entries whose records are searched at a time for what an erasure destroys."""
ERASURE_ROUNDS_MAX = 5
"""How often a search for copies of erased statements is repeated, since a copy may have copies of its own."""
ERASURE_PHRASE_WORDS_MIN = 3
"""Words that a statement must have to be searched for inside longer texts; a shorter one must be the whole text."""
ERASURE_PHRASE_CHARS_MIN = 12
"""Characters that are enough for that in a statement of two words."""
ERASURE_WORD_CHARS_MIN = 4
"""Characters of a plain word that may identify an erased text on its own; shorter ones are too common."""
ERASURE_COMMON_ENTRIES_MIN = 2
"""Other ledger entries that must use a word before it no longer identifies an erased text."""
ERASURE_ITEMS_SHOWN_MAX = 1_000
"""Memories and sources that a dry run of an erasure lists; all of them are counted."""
ERASURE_QUOTE_CHARS_MAX = 200
"""Characters of a text that a dry run of an erasure shows."""
ERASURE_COPIES_MAX = 1_000
"""Backups and exports of a store that are remembered, to be named after an erasure."""

# Import, export and verification

OBJECTS_BYTES_MAX = 64 * _MIB
"""A file of objects, or standard input, that a command reads as one request."""
IMPORT_LINE_BYTES_MAX = 16 * _MIB
"""A line of an export is an entry with its records; JSON may need six bytes to spell one of theirs."""
IMPORT_BATCH_ENTRIES = 200
"""Ledger entries replayed in one transaction, so that other writers are never kept waiting long."""
IMPORT_BATCH_BYTES = 8 * _MIB
"""Bytes of an export that are replayed in one transaction, so that large entries do not fill the memory."""
IMPORT_PROPOSED_ENTRIES = 50
"""Entries of an export that are taken through the gate in one transaction, so that other writers wait only briefly."""
REFUSALS_SHOWN_MAX = 20
"""Reasons of refusals that the answer of an import lists."""
KEY_FILE_BYTES_MAX = 4 * _KIB
"""A file with the key of a space."""
CARRIED_ROWS_MAX = 500
"""Working rows that an export holds in memory at once; a logged recall may have a hundred results."""
DERIVED_PAGE_ROWS = 5_000
"""Derived rows that a deep verification reads at a time: some megabytes of postings."""
EXPORT_BATCH_ENTRIES = 200
"""Ledger entries that an export holds in memory at once; an entry may contain two megabytes of captured text."""
EXPORT_SPOOL_BYTES = 8 * _MIB
"""Working rows of an export, or rows about a subject, that are held in memory before they go to a temporary file."""
SUBJECT_BATCH_ENTRIES = 40
"""Ledger entries whose memories and sources a search for a subject reads at once: each may have two megabytes."""
SUBJECT_BATCH_ROWS = 20
"""Memories with their evidence, or sources, that it reads at once when it lists them: each may have a megabyte."""
VERIFY_BATCH_ENTRIES = 2_000
"""Ledger entries that verification holds in memory at once."""
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
CLOCK_JUMP_US_MAX = 60 * _MINUTE_US
"""How far the clock may run ahead of the boot clock within a process: more is no correction but a jump."""
CLOCK_GAP_US_MAX = 400 * _DAY_US
"""The longest time since the last entry that a process takes for granted: a year of silence, and a month more."""
HEAD_LOCK_SECONDS_MAX = 0.25
"""How long a writer waits for another to finish with the file of the ledger head, which takes microseconds."""
KNOWN_HOMES_MAX = 1_000
"""Records of homes on this machine; beyond that, the oldest of those that are gone are forgotten."""
CONNECT_SECONDS_MAX = 10
"""How long a connection to PostgreSQL may take."""
WORD_CHARS_MAX = 200
"""Characters of an indexed word; a longer one is cut."""
WORDS_WAITING_MAX = 1_024
"""Words that wait in memory to be numbered together."""
WAL_RESTART_WAIT_MS = 250
"""How long a writer waits for readers to start the write-ahead log anew."""
FORK_WAIT_SECONDS = 2.0
"""How long a fork waits for transactions of other threads."""

# Jobs

JOB_LEASE_US = 60 * _SECOND_US
"""How long a worker may be silent before another takes its job over."""
JOB_TRIES_MAX = 5
"""Tries after which a job waits for someone to retry it."""
JOB_DEATHS_MAX = 3
"""Tries in a row without progress, the last of which ended its process, after which a job is set aside."""
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
ARCHIVE_STEP_SOURCES_MAX = 50
"""Sources that one transaction archives: about a millisecond each."""
EXTRACTION_STEP_SOURCES_MAX = 20
"""Sources whose statements one transaction writes: the reader takes a few tenths of a second for a message."""
EXTRACTION_STEP_MODEL_SOURCES_MAX = 1
"""The same with a language model, which takes seconds for each: what was paid for is kept before the next call."""
EXTRACTION_STEP_STATEMENTS_MAX = 60
"""Statements that one transaction of an extraction writes: one text may contain thousands."""
SUMMARY_LINES_MAX = 100
"""Memories in the summary of a category; the rest is counted."""
INSIGHT_QUOTE_CHARS_MAX = 400
"""Characters of a memory that an insight quotes."""
CLOSE_SECONDS_MAX = 10.0
"""How long closing a memory waits for what it still has to write."""
UNDO_BATCH_ENTRIES = 100
"""Ledger entries of a job that are undone in one transaction."""
BACKGROUND_LINGER_SECONDS = 10.0
"""How long a background worker waits for more work before it ends."""
EXIT_SECONDS_MAX = 5.0
"""How long a process that ends waits for its background work."""

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
FILE_BYTES_MAX = 8 * 1024 * _MIB
"""A file that is sent to the service: the backup of a space with about ten million memories."""
FILE_NAME_CHARS_MAX = 60
"""Characters of the name of a sent file; every file system takes them, whatever alphabet they are of."""
FILE_PIECE_BYTES = 1 * _MIB
"""How much of a file the service and its clients hold in memory."""
FILE_SECONDS_MAX = 3_600.0
"""How long a client waits until the service has read or written a file."""
HEAD_BYTES_MAX = 64 * _KIB
"""The address and the headers of a request together."""
HEAD_SECONDS_MAX = 10.0
"""How long a client may take from connecting, or from the first byte of a request, to the end of its headers."""
BODY_SECONDS_MAX = 60.0
"""How long a client may take to send the body of a request."""
CONNECTIONS_MAX = 1_000
"""Connections that a server holds at once: about what a process may open by default. Fewer if its files are few."""
CONNECTIONS_MIN = 16
"""Connections that it holds however few files it may open."""
UNKNOWN_CONNECTIONS_MAX = 128
"""Connections on which nobody has shown a token; the oldest idle one makes room for the next."""
FILES_FREE_MIN = 64
"""Files that connections leave free: the database and its log, settings, standard streams, child processes."""
THREAD_FILES_FREE_MIN = 4
"""Files that they leave free for each thread that answers requests: its database, the log and temporary files."""
FILES_MIN = 80
"""Files that a server must be allowed to open: those of its threads, and a few connections."""
REPEATED_LOG_SECONDS = 60.0
"""How often the log repeats the same fault, with how often it happened in between."""
JSON_DEPTH_MAX = 32
"""Levels of nesting in a request: no request of ours needs more, and deep nesting exhausts the stack."""
STREAMS_MAX = 8
"""Event streams that one principal may hold open."""
TOKEN_CHARS_MAX = 200
"""Characters of a token that are read before it is compared."""
RATE_BUCKETS_MAX = 10_000
"""Callers whose rates are kept in memory; the oldest go first."""
NUMBER_DIGITS_MAX = 18
"""Digits of a number in a request: more than any number of ours has, and Python converts longer ones slowly."""
STREAM_QUIET_SECONDS_MAX = 45.0
"""How long a client waits for any byte of an event stream: three of the server's comments."""
RECONNECT_SECONDS_MAX = 30.0
"""The longest pause before a client connects to an event stream again."""
STREAM_CONNECT_SECONDS_MAX = 10.0
"""How long connecting to an event stream may take."""
CLIENT_SECONDS_MAX = 60.0
"""How long a client waits for an answer of the service."""
REFUSAL_BYTES_MAX = 64 * _KIB
"""The body of a refusal that a client reads."""
SERVER_NOTE_BYTES_MAX = 4 * _KIB
"""The file in which a running server says where it listens."""
STOP_SECONDS_MAX = 2
"""How long a server that stops waits for requests under way."""
FINISH_SECONDS_MAX = 1.5
"""How long it then waits for their threads and for the job under way."""
END_SECONDS_MAX = 4.5
"""How long a server may take from the signal to its end, whatever is under way."""
BACKLOG_MAX = 256
"""Connections that wait to be accepted."""
STREAM_COMMENT_SECONDS = 15.0
"""How often a quiet event stream sends a comment, so that both ends know that it is alive."""

# Reading other products' files

LEFT_OUT_SHOWN_MAX = 100
"""Files, or parts of them, that a report names as not read; the rest is counted."""
ARCHIVE_SMALL_BYTES = 64 * _KIB
"""Size up to which the ratio of an archive's member is not checked: a short text of one character packs very well."""
TITLE_READ_CHARS_MAX = 16 * _KIB
"""Characters of a file that are read to find its title."""
LIST_LEVELS_MAX = 16
"""Levels of nested lists that keep their indentation."""
RECOGNISE_ROWS_MAX = 30
"""Rows of a file that are read to recognise its format."""
RECOGNISE_KEYS_MAX = 200
"""Keys of an object that are read to recognise its format."""
FOLDER_ENTRIES_MAX = 10_000
"""Files and folders in one folder or archive."""
READ_BYTES_MAX = 1024 * _MIB
"""Everything that one ingestion reads, unpacked."""
RENDERED_BYTES_MAX = 64 * _MIB
"""A file of which only the text is kept: a PDF or a saved page."""
PDF_PAGES_MAX = 2_000
"""Pages of one PDF."""
EXPORT_ELEMENT_BYTES_MAX = 64 * _MIB
"""One conversation of an export: it is held in memory, the export is not."""
CONVERSATION_BYTES_MAX = 64 * _MIB
"""The text of one conversation."""
READ_NESTING_MAX = 32
"""Levels of JSON, and of folders."""
NUMBER_CHARS_MAX = 300
"""Digits of one number in a file."""
FRONT_MATTER_BYTES_MAX = 16 * _KIB
"""The block of properties at the top of a Markdown file."""
FRONT_MATTER_TAGS_MAX = 64
"""Tags of one file that are kept."""
FRONT_MATTER_DETAILS_MAX = 32
"""Other properties of one file that are kept."""
ARCHIVE_RATIO_MAX = 100
"""Bytes unpacked for each packed byte; text packs to a tenth, a bomb to a thousandth."""
ARCHIVE_DIRECTORY_BYTES_MAX = 16 * _MIB
"""The list of members at the end of an archive, which is held in memory."""
READ_CHUNK_BYTES = 64 * _KIB
"""Bytes of a file, or of the answer of a model, that are read at once."""
RECOGNISE_BYTES = 256 * _KIB
"""Bytes of a file that are read to recognise its format."""
RECOGNISE_FILES_MAX = 50
"""Files of a folder that are read to recognise its format."""

# Models

EMBEDDING_BATCH_MAX = 64
"""Texts in one request to an embedding endpoint."""
EMBEDDING_QUESTION_SECONDS_MAX = 3.0
"""How long a recall waits for the vector of its question; without it the words decide."""
EMBEDDING_DOCUMENTS_SECONDS_MAX = 20.0
"""How long one request for the vectors of documents may take: a command that ends waits for it."""
MODEL_CONNECT_SECONDS_MAX = 2.0
"""How long connecting to an endpoint may take: one that is there accepts at once."""
MODEL_PROMPT_CHARS_MAX = 24_000
"""Characters of material in one request to a language model."""
MODEL_STATEMENTS_MAX = 20
"""Statements taken from one answer of a language model."""
MODEL_STATEMENT_CHARS_MAX = 500
"""Characters of one such statement."""
MODEL_QUOTE_CHARS_MAX = 2_000
"""Characters of the passage that a language model gives as evidence."""
MODEL_CONTEXT_CHARS_MAX = 1_000
"""Characters before a passage that a language model is shown with it."""
MODEL_PAUSE_SECONDS_MAX = 10.0
"""The longest pause before a retry that an endpoint can ask for."""
EMBEDDING_ANSWER_BYTES_MAX = 64 * _MIB
"""One answer of an embedding endpoint: a full batch of long vectors written as text."""
MODEL_REST_SECONDS = 60.0
"""How long an endpoint that failed is not asked again, by any process of the same home."""
OUTAGE_NOTE_BYTES_MAX = 1 * _KIB
"""The file in which a process notes that an endpoint failed."""
MODEL_ANSWER_BYTES_MAX = 4 * _MIB
"""One answer of a language model."""
MODEL_MEMORY_BYTES_MIN = 256 * _MIB
"""Address space that a process needs to load a local model: at 150 MiB, its libraries end the process."""
MODEL_HEADER_BYTES_MAX = 1_000_000
"""The header of a file of model weights, which names what is in it."""

# Command line and adapters

ADAPTER_TRIES_MAX = 20
"""Tries of a write by an adapter that finds the entry changed in between."""
LIST_SHOWN_MAX = 20
"""Lines of a list inside an answer; the rest is counted."""
NUMBERED_LINES_MAX = 999
"""Numbered lines of one listing."""
COMPLETED_IDS_MAX = 50
"""Ids that the shell offers at once."""
LISTING_AGE_SECONDS_MAX = 24 * 3600
"""How long the line numbers of a listing are accepted: a day."""
HOOK_CONTEXT_CHARS_MAX = 10_000
"""Characters of context that a hook returns, which is what the strictest client accepts."""
HOOK_INPUT_BYTES_MAX = 16 * _MIB
"""What a client may send to a hook."""
HOOK_LOCK_MS = 2_000
"""How long a hook waits for other writers: a session must not wait for a writer that is stuck."""
HOOK_TURNS_MAX = 100_000
"""Turns of a transcript that a hook reads."""
DIFF_LINE_CHARS_MAX = 1_000
"""Characters of a line that is shown as changed."""
INSTALL_FILE_BYTES_MAX = 32 * _MIB
"""A client's configuration file that `install` edits."""

# MCP

MCP_ANSWER_CHARS_MAX = ANSWER_TOKENS_MAX * 4
"""Characters of one answer to a tool call, at four to a token."""
MCP_COMPLETIONS_MAX = 100
"""Values in one completion, as the protocol has it."""
MCP_FORWARD_SECONDS_MAX = 300.0
"""How long a forwarded message may take."""
MCP_FORWARD_BYTES_MAX = 16 * _MIB
"""One answer to a forwarded message."""
MCP_MESSAGE_BYTES_MAX = 1 * _MIB
"""One message on standard input."""
MCP_WORKERS_MAX = 4
"""Tool calls that one connection has under way."""

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

ANALYSIS_INLINE_CHARS_MAX = 64 * _KIB
"""Characters of text in one request that the service analyses in its own process; longer texts go to a child."""
ANALYSIS_SECONDS_MAX = 40.0
"""How long a child may take for one request, or one source of a job, by the clock: less than a client waits."""
ANALYSIS_CHILDREN_MAX = 2
"""Child processes of a service that analyse texts at once, of about 60 MB each, and 250 MB with the reader."""
ANALYSIS_CHILD_IDLE_SECONDS = 30.0
"""How long a child without work is kept."""
ANALYSIS_WORK_PER_CHAR_MAX = 400
"""Characters that an analysis may read for each character of its text: ordinary prose takes about a tenth of it."""
ANALYSIS_WORK_MIN = 1_000_000
"""Characters that it may read for any text, however short."""
MARKS_IN_A_ROW_MAX = 30
"""Combining marks on one character: ordering them takes quadratic time, and Unicode's stream-safe form allows 30."""
OWN_SHAPE_CHARS_MIN = 4
"""The shortest text that a pattern for a kind of one's own may match: less is in every text."""
OWN_SHAPE_CHARS_MAX = 200
"""The longest text that such a pattern may match. It bounds what one character of a text costs."""
OWN_SHAPE_PATTERN_CHARS_MAX = 300
"""The length of such a pattern."""
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
EXTRACTION_SENTENCES_MAX = 5_000
"""Sentences of a text that the reader judges: as many as ordinary prose of the longest text has."""
EXTRACTION_SECONDS_PER_CHAR_MAX = 0.002
"""More time for a child that extracts, for each character of its text: the reader takes 40 ms for a clause, and longer
on a busy machine."""
SENTENCE_CHARS_MAX = 1_500
"""A sentence that is read for memories: longer than people write; what is longer is a paste."""
TABLE_ROWS_MAX = 60
"""Rows of one table that are read for memories."""
TABLE_CELL_CHARS_MAX = 120
"""Characters of a cell that is read for memories: a longer one is prose."""
RIVALS_SHOWN_MAX = 3
"""Contradicting memories that a rendered line names; the rest are counted."""
SUMMARY_READ_CHARS_MAX = 4_000
"""Characters of a memory that are split into sentences to find its summary, which is near its start."""
UNINDEXED_DOCUMENTS_MAX = 500
"""Memories, and passages, that a recall reads one by one when the word index is missing."""
EARLIER_MESSAGES_MAX = 5
"""Earlier messages that are read to complete a follow-up question: it refers to recent ones."""
SCOPE_MEMORIES_MAX = 2_000
"""The newest memories of a scope that are ranked when there is no question."""
EMBEDDING_STEP_ENTRIES = 200
"""Ledger entries whose records a fast model embeds in one transaction."""
EMBEDDING_SLOW_STEP_ENTRIES = 16
"""The same for a slow model, so that what is finished is stored soon."""
AMBIGUOUS_TEXT_CHARS_MAX = 60
"""Characters of the text that is shown beside each of those ids."""
EMBEDDING_DELAY_SECONDS = 0.2
"""How long the background waits after a write before it embeds, so that several writes are embedded together."""
RETENTION_DAYS_MAX = 36_500
"""A hundred years: a retention rule that keeps something longer keeps it for good, and needs no rule."""
SOURCE_HEAD_CHARS_MAX = 400
"""Characters of a source by which a report names it: enough for its first sentence."""
UNUSED_DAYS_MAX = 180
"""How long a memory may go unused before the monthly job archives it, whatever its category."""
INSIGHT_QUOTES_MAX = 3
"""Memories that an insight quotes."""
MODEL_RETRY_SECONDS = (0.5, 2.0)
"""How long to wait before each further try; their number is the number of further tries."""
MODEL_USAGE_TOKENS_MAX = 1_000_000_000
"""The most tokens that the usage of one answer can report; a larger count is a mistake of the server."""
WAL_CHECKPOINT_PAGES = 4_000
"""Pages in the log before a checkpoint, 16 MiB: a page that is written often is then copied once."""
BUSY_PAUSE_SECONDS = 0.005
"""The longest pause between two attempts to get the write lock."""
THREAD_REFERENCE_CHARS_MAX = 160
"""Characters of a long reference that are kept in the name of its thread; a digest stands for the rest."""
BUSY_RETRY_SECONDS = 1
"""When a client is told to try again after the database was busy."""
IDENTITY_THREADS_MAX = 2
"""Threads that check who calls. They are apart from those for requests, so that a full server still answers."""
EVENTS_POLL_SECONDS = 0.5
"""How often new events are looked for while a client follows."""
RECONNECT_SECONDS_DEFAULT = 2.0
"""The first pause before a client connects to an event stream again, unless the server says another."""
ENGINE_POLL_SECONDS = 1.0
"""How often a server looks for jobs that are due."""
PROBE_SECONDS_MAX = 0.5
"""How long a server that finds its port in use waits to learn whether it is another Heldtrue."""
PROGRESS_DELAY_SECONDS = 0.5
"""How long a command runs before it shows progress."""
PROGRESS_STEP_SECONDS = 0.2
"""How often the progress line is redrawn."""
COMPLETION_SECONDS_MAX = 2.0
"""How long shell completion waits for a service before it suggests nothing."""
HOOK_PROMPT_CHARS_MAX = 2_000
"""Characters of a prompt that are used to recall memories for it."""
HOOK_START_TOKENS_MAX = 2_000
"""Tokens of context that a session starts with."""
HOOK_PROMPT_TOKENS_MAX = 1_200
"""Tokens of context that are added to one prompt."""
ADAPTER_QUOTE_CHARS_MAX = 380
"""Characters between two backticks in a stored item; the gate reads up to 400 as one unit."""
MCP_LIST_CACHE_MS = 300_000
"""How long a client may cache a list, which changes only with the program."""
HEAD_READ_TRIES_MAX = 3
"""Times that a head file is read again if it changed meanwhile: a writer replaces it within a few milliseconds."""
HEAD_READ_PAUSE_SECONDS = 0.002
"""Pause between two of these reads."""
FAULTS_REMEMBERED_MAX = 1_000
"""Different faults whose last log line is remembered, so that a repeated one is logged once a minute."""
ANALYSIS_KILL_SECONDS = 30.0
"""How much longer than its own time limit a child process may take, its start included, before its parent kills it."""
ANALYSIS_TRACE_BYTES_MAX = 8_000
"""Bytes of a stack trace that are read from a child process: the innermost calls of any stack."""
ANALYSIS_TRACE_SECONDS_MAX = 2.0
"""How long a child process that stopped responding may take to report where it was."""
PATH_FILE_BYTES_MAX = 8_192
"""Bytes of a file that contains the path of a home or of a git folder: twice the longest path of Linux."""
