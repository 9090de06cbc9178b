-- Where a piece of evidence stands in what it was part of: a turn in a conversation, a file in a folder.
ALTER TABLE sources ADD COLUMN title TEXT COLLATE "C";
ALTER TABLE sources ADD COLUMN thread TEXT COLLATE "C";
ALTER TABLE sources ADD COLUMN place BIGINT;
ALTER TABLE sources ADD COLUMN speaker TEXT COLLATE "C";
ALTER TABLE sources ADD COLUMN visibility TEXT COLLATE "C";
CREATE INDEX sources_by_thread ON sources (thread, place) WHERE thread IS NOT NULL;
-- What rests on a source, for the day it is taken out.
CREATE INDEX evidence_by_source ON evidence (source_id);

-- A source that nothing may be trusted of until it is let out again.
CREATE TABLE quarantines (
    id              TEXT COLLATE "C" PRIMARY KEY,
    seq             BIGINT NOT NULL,
    source_id       TEXT COLLATE "C" NOT NULL,
    author          TEXT COLLATE "C" NOT NULL,
    scope           TEXT COLLATE "C" NOT NULL,
    reason          TEXT COLLATE "C" NOT NULL,
    recorded_from   BIGINT NOT NULL,
    salt            BYTEA,
    digest          BYTEA NOT NULL,
    recorded_to     BIGINT,
    seq_to          BIGINT,
    closed_by       TEXT COLLATE "C",
    close_reason    TEXT COLLATE "C",
    closing_digest  BYTEA
);
CREATE INDEX quarantines_by_seq ON quarantines (seq);
CREATE INDEX quarantines_by_seq_to ON quarantines (seq_to) WHERE seq_to IS NOT NULL;
CREATE UNIQUE INDEX quarantines_once ON quarantines (source_id) WHERE recorded_to IS NULL;

-- A question worth asking again, by name.
CREATE TABLE saved_views (
    id              TEXT COLLATE "C" PRIMARY KEY,
    seq             BIGINT NOT NULL,
    name            TEXT COLLATE "C" NOT NULL,
    arguments       TEXT COLLATE "C" NOT NULL,
    author          TEXT COLLATE "C" NOT NULL,
    scope           TEXT COLLATE "C" NOT NULL,
    recorded_from   BIGINT NOT NULL,
    salt            BYTEA,
    digest          BYTEA NOT NULL,
    recorded_to     BIGINT,
    seq_to          BIGINT,
    closed_by       TEXT COLLATE "C",
    close_reason    TEXT COLLATE "C",
    closing_digest  BYTEA
);
CREATE INDEX saved_views_by_seq ON saved_views (seq);
CREATE INDEX saved_views_by_seq_to ON saved_views (seq_to) WHERE seq_to IS NOT NULL;
CREATE UNIQUE INDEX saved_views_once ON saved_views (author, name) WHERE recorded_to IS NULL;


CREATE TRIGGER quarantines_close_once BEFORE UPDATE ON quarantines FOR EACH ROW
EXECUTE FUNCTION close_once('recorded_to', 'seq_to', 'closed_by', 'close_reason', 'closing_digest');
CREATE TRIGGER saved_views_close_once BEFORE UPDATE ON saved_views FOR EACH ROW
EXECUTE FUNCTION close_once('recorded_to', 'seq_to', 'closed_by', 'close_reason', 'closing_digest');
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['quarantines', 'saved_views'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER %I', name, name || '_close_once');
        EXECUTE format(
            'CREATE TRIGGER %I BEFORE DELETE ON %I FOR EACH ROW EXECUTE FUNCTION refuse_change()', name || '_no_delete', name
        );
        EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER %I', name, name || '_no_delete');
        EXECUTE format(
            'CREATE TRIGGER %I BEFORE TRUNCATE ON %I EXECUTE FUNCTION refuse_change()', name || '_no_truncate', name
        );
        EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER %I', name, name || '_no_truncate');
    END LOOP;
END
$$;

-- From here on: derived rows, which can be dropped and rebuilt.

DROP TABLE memory_text;

-- What is searched together: the memories, documents or conversations of one scope, and apart from them those that are
-- private to one author. A search reads the shelves its caller may see and no other, so nothing about another shelf can
-- show in a score. docs and tokens count what is in postings.
CREATE TABLE shelves (
    no          BIGINT PRIMARY KEY,
    collection  TEXT COLLATE "C" NOT NULL,
    scope       TEXT COLLATE "C" NOT NULL,
    private_to  TEXT COLLATE "C" NOT NULL,
    docs        BIGINT NOT NULL,
    tokens      BIGINT NOT NULL,
    UNIQUE (collection, scope, private_to)
);
-- Which shelf the words of a version are on, and how many distinct words that is.
CREATE TABLE memory_index (
    no     BIGINT PRIMARY KEY,
    shelf  BIGINT NOT NULL,
    terms  BIGINT NOT NULL
);
-- Conversations and documents; the number of a passage is the number of its thread times 2^20, plus its place.
CREATE TABLE threads (
    no      BIGINT PRIMARY KEY,
    shelf   BIGINT NOT NULL,
    name    TEXT COLLATE "C" NOT NULL,
    places  BIGINT NOT NULL,
    UNIQUE (shelf, name)
);
-- The pieces of evidence that can be found: a turn, or a part of a document.
CREATE TABLE passages (
    no           BIGINT PRIMARY KEY,
    shelf        BIGINT NOT NULL,
    source_id    TEXT COLLATE "C" NOT NULL,
    seq          BIGINT NOT NULL,
    span_start   BIGINT NOT NULL,
    span_end     BIGINT NOT NULL,
    speaker      TEXT COLLATE "C",
    happened_at  BIGINT NOT NULL,
    terms        BIGINT NOT NULL,
    hidden_seq   BIGINT
);
CREATE INDEX passages_by_source ON passages (source_id);
CREATE INDEX passages_by_seq ON passages (seq);
CREATE INDEX passages_hidden ON passages (shelf) WHERE hidden_seq IS NOT NULL;
-- By which values, if they are rejected, a passage has to be hidden.
CREATE TABLE passage_keys (
    key  BIGINT NOT NULL,
    no   BIGINT NOT NULL,
    PRIMARY KEY (key, no)
);
-- For each word on a shelf the documents that have it, eight bytes each (domain/posting.py), in blocks.
CREATE TABLE postings (
    shelf  BIGINT NOT NULL,
    term   TEXT COLLATE "C" NOT NULL,
    block  BIGINT NOT NULL,
    data   BYTEA NOT NULL,
    PRIMARY KEY (shelf, term, block)
);
-- The newest documents, whose words wait to be added to postings together.
CREATE TABLE unposted (
    place   BIGINT PRIMARY KEY,
    shelf   BIGINT NOT NULL,
    doc     BIGINT NOT NULL,
    length  BIGINT NOT NULL,
    asks    BIGINT NOT NULL,
    terms   TEXT COLLATE "C" NOT NULL
);
CREATE TABLE index_state (
    name   TEXT COLLATE "C" PRIMARY KEY,
    value  BIGINT NOT NULL
);

CREATE TABLE models (
    no         BIGINT PRIMARY KEY,
    name       TEXT COLLATE "C" NOT NULL UNIQUE,
    dimension  BIGINT NOT NULL
);
CREATE TABLE vectors (
    model   BIGINT NOT NULL,
    shelf   BIGINT NOT NULL,
    doc     BIGINT NOT NULL,
    piece   BIGINT NOT NULL,
    vector  BYTEA NOT NULL,
    tokens  BYTEA NOT NULL,
    PRIMARY KEY (model, shelf, doc, piece)
);

-- What was asked, what came back and what became of it. A log, not a record: it is kept for a while.
CREATE TABLE recalls (
    id           TEXT COLLATE "C" PRIMARY KEY,
    recorded_at  BIGINT NOT NULL,
    principal    TEXT COLLATE "C" NOT NULL,
    channel      TEXT COLLATE "C" NOT NULL,
    verb         TEXT COLLATE "C" NOT NULL,
    question     TEXT COLLATE "C" NOT NULL,
    asked        TEXT COLLATE "C" NOT NULL,
    tier         TEXT COLLATE "C" NOT NULL,
    results      TEXT COLLATE "C" NOT NULL,
    cost         TEXT COLLATE "C" NOT NULL
);
CREATE INDEX recalls_by_time ON recalls (recorded_at);
-- How useful a memory has been. Priority moves with feedback alone, which is in the ledger.
CREATE TABLE memory_use (
    memory_id         TEXT COLLATE "C" PRIMARY KEY,
    recalled          BIGINT NOT NULL,
    injected          BIGINT NOT NULL,
    used              BIGINT NOT NULL,
    ignored           BIGINT NOT NULL,
    priority          DOUBLE PRECISION NOT NULL,
    last_recalled_at  BIGINT
);
