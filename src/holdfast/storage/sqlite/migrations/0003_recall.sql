-- Where a piece of evidence stands in what it was part of: a turn in a conversation, a file in a folder.
ALTER TABLE sources ADD COLUMN title TEXT;
ALTER TABLE sources ADD COLUMN thread TEXT;
ALTER TABLE sources ADD COLUMN place INTEGER;
ALTER TABLE sources ADD COLUMN speaker TEXT;
ALTER TABLE sources ADD COLUMN visibility TEXT;
CREATE INDEX sources_by_thread ON sources (thread, place) WHERE thread IS NOT NULL;
-- What rests on a source, for the day it is taken out.
CREATE INDEX evidence_by_source ON evidence (source_id);

-- A source that nothing may be trusted of until it is let out again.
CREATE TABLE quarantines (
    id              TEXT PRIMARY KEY,
    seq             INTEGER NOT NULL,
    source_id       TEXT NOT NULL,
    author          TEXT NOT NULL,
    scope           TEXT NOT NULL,
    reason          TEXT NOT NULL,
    recorded_from   INTEGER NOT NULL,
    salt            BLOB,
    digest          BLOB NOT NULL,
    recorded_to     INTEGER,
    seq_to          INTEGER,
    closed_by       TEXT,
    close_reason    TEXT,
    closing_digest  BLOB
);
CREATE INDEX quarantines_by_seq ON quarantines (seq);
CREATE INDEX quarantines_by_seq_to ON quarantines (seq_to) WHERE seq_to IS NOT NULL;
CREATE UNIQUE INDEX quarantines_once ON quarantines (source_id) WHERE recorded_to IS NULL;

-- A question worth asking again, by name.
CREATE TABLE saved_views (
    id              TEXT PRIMARY KEY,
    seq             INTEGER NOT NULL,
    name            TEXT NOT NULL,
    arguments       TEXT NOT NULL,
    author          TEXT NOT NULL,
    scope           TEXT NOT NULL,
    recorded_from   INTEGER NOT NULL,
    salt            BLOB,
    digest          BLOB NOT NULL,
    recorded_to     INTEGER,
    seq_to          INTEGER,
    closed_by       TEXT,
    close_reason    TEXT,
    closing_digest  BLOB
);
CREATE INDEX saved_views_by_seq ON saved_views (seq);
CREATE INDEX saved_views_by_seq_to ON saved_views (seq_to) WHERE seq_to IS NOT NULL;
CREATE UNIQUE INDEX saved_views_once ON saved_views (author, name) WHERE recorded_to IS NULL;

CREATE TRIGGER quarantines_close_once BEFORE UPDATE ON quarantines
WHEN OLD.recorded_to IS NOT NULL OR NEW.recorded_to IS NULL OR NEW.id IS NOT OLD.id OR NEW.seq IS NOT OLD.seq OR
    NEW.source_id IS NOT OLD.source_id OR NEW.author IS NOT OLD.author OR NEW.scope IS NOT OLD.scope OR NEW.reason IS
    NOT OLD.reason OR NEW.recorded_from IS NOT OLD.recorded_from OR NEW.salt IS NOT OLD.salt OR NEW.digest IS NOT
    OLD.digest
BEGIN SELECT RAISE(ABORT, 'a row of quarantines can only be closed, once'); END;
CREATE TRIGGER quarantines_no_delete BEFORE DELETE ON quarantines
BEGIN SELECT RAISE(ABORT, 'quarantines is append-only'); END;
CREATE TRIGGER saved_views_close_once BEFORE UPDATE ON saved_views
WHEN OLD.recorded_to IS NOT NULL OR NEW.recorded_to IS NULL OR NEW.id IS NOT OLD.id OR NEW.seq IS NOT OLD.seq OR
    NEW.name IS NOT OLD.name OR NEW.arguments IS NOT OLD.arguments OR NEW.author IS NOT OLD.author OR NEW.scope IS NOT
    OLD.scope OR NEW.recorded_from IS NOT OLD.recorded_from OR NEW.salt IS NOT OLD.salt OR NEW.digest IS NOT OLD.digest
BEGIN SELECT RAISE(ABORT, 'a row of saved_views can only be closed, once'); END;
CREATE TRIGGER saved_views_no_delete BEFORE DELETE ON saved_views
BEGIN SELECT RAISE(ABORT, 'saved_views is append-only'); END;

-- From here on: derived rows, which can be dropped and rebuilt.

DROP TABLE memory_vocabulary;
DROP TABLE memory_text;

-- What is searched together: the memories, documents or conversations of one scope, and apart from them those that are
-- private to one author. A search reads the shelves its caller may see and no other, so nothing about another shelf can
-- show in a score. docs and tokens count what is in postings.
CREATE TABLE shelves (
    no          INTEGER PRIMARY KEY,
    collection  TEXT NOT NULL,
    scope       TEXT NOT NULL,
    private_to  TEXT NOT NULL,
    docs        INTEGER NOT NULL,
    tokens      INTEGER NOT NULL,
    UNIQUE (collection, scope, private_to)
);
-- Which shelf the words of a version are on, and how many distinct words that is.
CREATE TABLE memory_index (
    no     INTEGER PRIMARY KEY,
    shelf  INTEGER NOT NULL,
    terms  INTEGER NOT NULL
);
-- Conversations and documents; the number of a passage is the number of its thread times 2^20, plus its place.
CREATE TABLE threads (
    no      INTEGER PRIMARY KEY,
    shelf   INTEGER NOT NULL,
    name    TEXT NOT NULL,
    places  INTEGER NOT NULL,
    UNIQUE (shelf, name)
);
-- The pieces of evidence that can be found: a turn, or a part of a document.
CREATE TABLE passages (
    no           INTEGER PRIMARY KEY,
    shelf        INTEGER NOT NULL,
    source_id    TEXT NOT NULL,
    seq          INTEGER NOT NULL,
    span_start   INTEGER NOT NULL,
    span_end     INTEGER NOT NULL,
    speaker      TEXT,
    happened_at  INTEGER NOT NULL,
    terms        INTEGER NOT NULL,
    hidden_seq   INTEGER
);
CREATE INDEX passages_by_source ON passages (source_id);
CREATE INDEX passages_by_seq ON passages (seq);
CREATE INDEX passages_hidden ON passages (shelf) WHERE hidden_seq IS NOT NULL;
-- By which values, if they are rejected, a passage has to be hidden.
CREATE TABLE passage_keys (
    key  INTEGER NOT NULL,
    no   INTEGER NOT NULL,
    PRIMARY KEY (key, no)
) WITHOUT ROWID;
-- For each word on a shelf the documents that have it, eight bytes each (domain/posting.py), in blocks.
CREATE TABLE postings (
    shelf  INTEGER NOT NULL,
    term   TEXT NOT NULL,
    block  INTEGER NOT NULL,
    data   BLOB NOT NULL,
    PRIMARY KEY (shelf, term, block)
) WITHOUT ROWID;
-- The newest documents, whose words wait to be added to postings together.
CREATE TABLE unposted (
    place   INTEGER PRIMARY KEY,
    shelf   INTEGER NOT NULL,
    doc     INTEGER NOT NULL,
    length  INTEGER NOT NULL,
    asks    INTEGER NOT NULL,
    terms   TEXT NOT NULL
);
CREATE TABLE index_state (
    name   TEXT PRIMARY KEY,
    value  INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE models (
    no         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE,
    dimension  INTEGER NOT NULL
);
CREATE TABLE vectors (
    model   INTEGER NOT NULL,
    shelf   INTEGER NOT NULL,
    doc     INTEGER NOT NULL,
    piece   INTEGER NOT NULL,
    vector  BLOB NOT NULL,
    tokens  BLOB NOT NULL,
    PRIMARY KEY (model, shelf, doc, piece)
) WITHOUT ROWID;

-- What was asked, what came back and what became of it. A log, not a record: it is kept for a while.
CREATE TABLE recalls (
    id           TEXT PRIMARY KEY,
    recorded_at  INTEGER NOT NULL,
    principal    TEXT NOT NULL,
    channel      TEXT NOT NULL,
    verb         TEXT NOT NULL,
    question     TEXT NOT NULL,
    asked        TEXT NOT NULL,
    tier         TEXT NOT NULL,
    results      TEXT NOT NULL,
    cost         TEXT NOT NULL
);
CREATE INDEX recalls_by_time ON recalls (recorded_at);
-- How useful a memory has been. Priority moves with feedback alone, which is in the ledger.
CREATE TABLE memory_use (
    memory_id         TEXT PRIMARY KEY,
    recalled          INTEGER NOT NULL,
    injected          INTEGER NOT NULL,
    used              INTEGER NOT NULL,
    ignored           INTEGER NOT NULL,
    priority          REAL NOT NULL,
    last_recalled_at  INTEGER
) WITHOUT ROWID;
