-- The same tables as in SQLite, in PostgreSQL's types. Texts compare and sort by their bytes (COLLATE "C"), as they do
-- there, whatever the language of the server. Texts that may be longer than a B-tree entry (2.7 kB) are looked up by hash.

-- On a Citus cluster all tables of a schema are on one node, where triggers see all that they need. Elsewhere this
-- setting is unknown and means nothing.
SET LOCAL citus.enable_unsafe_triggers = on;

CREATE TABLE space (
    id          TEXT COLLATE "C" PRIMARY KEY,
    seq         BIGINT NOT NULL,
    base_iri    TEXT COLLATE "C" NOT NULL,
    key         BYTEA NOT NULL,
    created_at  BIGINT NOT NULL,
    salt        BYTEA,
    digest      BYTEA NOT NULL
);

CREATE TABLE ledger (
    seq           BIGINT PRIMARY KEY,
    recorded_at   BIGINT NOT NULL,
    actor         TEXT COLLATE "C" NOT NULL,
    channel       TEXT COLLATE "C" NOT NULL,
    action        TEXT COLLATE "C" NOT NULL,
    outcome       TEXT COLLATE "C" NOT NULL,
    target        TEXT COLLATE "C",
    scope         TEXT COLLATE "C",
    -- Why it was refused, is pending or was archived: a word of domain/cause.py.
    cause         TEXT COLLATE "C",
    reason        TEXT COLLATE "C",
    detail        TEXT COLLATE "C" NOT NULL,
    records       BIGINT NOT NULL,
    records_hash  BYTEA NOT NULL,
    prev_hash     BYTEA NOT NULL,
    hash          BYTEA NOT NULL,
    salt          BYTEA,
    digest        BYTEA NOT NULL
);
-- Recorded time never goes back: the gateway sets it, these refuse anything else.
CREATE UNIQUE INDEX ledger_by_time ON ledger (recorded_at);
CREATE UNIQUE INDEX ledger_by_previous ON ledger (prev_hash);
-- What was refused, to be listed, and by the rejected memory that it met.
CREATE INDEX ledger_refused ON ledger (seq) WHERE outcome = 'refused';
CREATE INDEX ledger_refused_about ON ledger (target) WHERE outcome = 'refused';

CREATE TABLE sources (
    id            TEXT COLLATE "C" PRIMARY KEY,
    seq           BIGINT NOT NULL,
    kind          TEXT COLLATE "C" NOT NULL,
    content       TEXT COLLATE "C" NOT NULL,
    content_type  TEXT COLLATE "C" NOT NULL,
    reference     TEXT COLLATE "C",
    title         TEXT COLLATE "C",
    -- Where it stands in what it was part of: a turn in a conversation, a file in a folder.
    thread        TEXT COLLATE "C",
    place         BIGINT,
    speaker       TEXT COLLATE "C",
    author        TEXT COLLATE "C" NOT NULL,
    scope         TEXT COLLATE "C" NOT NULL,
    visibility    TEXT COLLATE "C",
    occurred_at   BIGINT,
    recorded_at   BIGINT NOT NULL,
    lookup_key    BIGINT NOT NULL,
    salt          BYTEA,
    digest        BYTEA NOT NULL
);
CREATE INDEX sources_by_seq ON sources (seq);
CREATE INDEX sources_by_end ON sources (substr(id, 33));
CREATE INDEX sources_by_lookup ON sources (lookup_key);
CREATE INDEX sources_by_thread ON sources (thread, place) WHERE thread IS NOT NULL;

CREATE TABLE memory_versions (
    no              BIGINT PRIMARY KEY,
    memory_id       TEXT COLLATE "C" NOT NULL,
    version         BIGINT NOT NULL,
    seq             BIGINT NOT NULL,
    kind            TEXT COLLATE "C" NOT NULL,
    title           TEXT COLLATE "C",
    content         TEXT COLLATE "C" NOT NULL,
    summary         TEXT COLLATE "C",
    rationale       TEXT COLLATE "C",
    scope           TEXT COLLATE "C" NOT NULL,
    project_id      TEXT COLLATE "C",
    repo_id         TEXT COLLATE "C",
    visibility      TEXT COLLATE "C" NOT NULL,
    status          TEXT COLLATE "C" NOT NULL,
    confidence      DOUBLE PRECISION NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    strength        TEXT COLLATE "C" NOT NULL,
    -- In which tone it was said; empty for neutral.
    sentiment       TEXT COLLATE "C",
    topic           TEXT COLLATE "C",
    category        TEXT COLLATE "C",
    staleness       TEXT COLLATE "C" NOT NULL,
    author          TEXT COLLATE "C" NOT NULL,
    verified_by     TEXT COLLATE "C",
    valid_from      BIGINT,
    valid_to        BIGINT,
    observed_at     BIGINT NOT NULL,
    created_at      BIGINT NOT NULL,
    recorded_from   BIGINT NOT NULL,
    change          TEXT COLLATE "C" NOT NULL,
    changed_by      TEXT COLLATE "C" NOT NULL,
    -- Why it waits or is archived: a word of domain/cause.py.
    cause           TEXT COLLATE "C",
    reason          TEXT COLLATE "C",
    salt            BYTEA,
    digest          BYTEA NOT NULL,
    recorded_to     BIGINT,
    seq_to          BIGINT,
    closing_digest  BYTEA
);
CREATE UNIQUE INDEX memory_versions_by_memory ON memory_versions (memory_id, version);
CREATE UNIQUE INDEX memory_versions_current ON memory_versions (memory_id) WHERE recorded_to IS NULL;
CREATE INDEX memory_versions_by_end ON memory_versions (substr(memory_id, 33)) WHERE recorded_to IS NULL;
CREATE INDEX memory_versions_by_seq ON memory_versions (seq);
CREATE INDEX memory_versions_by_seq_to ON memory_versions (seq_to) WHERE seq_to IS NOT NULL;
CREATE INDEX memory_versions_by_scope ON memory_versions (scope, status, kind) WHERE recorded_to IS NULL;
CREATE INDEX memory_versions_by_project ON memory_versions (project_id) WHERE recorded_to IS NULL AND project_id IS NOT NULL;
CREATE INDEX memory_versions_by_repo ON memory_versions (repo_id) WHERE recorded_to IS NULL AND repo_id IS NOT NULL;

-- The current version of every memory. A view, so that there is one truth and nothing to keep in step.
CREATE VIEW memories AS SELECT * FROM memory_versions WHERE recorded_to IS NULL;

CREATE TABLE evidence (
    memory_id    TEXT COLLATE "C" NOT NULL,
    version      BIGINT NOT NULL,
    source_id    TEXT COLLATE "C" NOT NULL,
    seq          BIGINT NOT NULL,
    author       TEXT COLLATE "C" NOT NULL,
    file         TEXT COLLATE "C",
    line         BIGINT,
    span_start   BIGINT,
    span_end     BIGINT,
    recorded_at  BIGINT NOT NULL,
    salt         BYTEA,
    digest       BYTEA NOT NULL,
    PRIMARY KEY (memory_id, version, source_id)
);
CREATE INDEX evidence_by_seq ON evidence (seq);
-- What rests on a source, for the day it is taken out.
CREATE INDEX evidence_by_source ON evidence (source_id);

CREATE TABLE links (
    id              TEXT COLLATE "C" PRIMARY KEY,
    seq             BIGINT NOT NULL,
    from_id         TEXT COLLATE "C" NOT NULL,
    to_ref          TEXT COLLATE "C" NOT NULL,
    relationship    TEXT COLLATE "C" NOT NULL,
    author          TEXT COLLATE "C" NOT NULL,
    scope           TEXT COLLATE "C" NOT NULL,
    reason          TEXT COLLATE "C",
    recorded_from   BIGINT NOT NULL,
    salt            BYTEA,
    digest          BYTEA NOT NULL,
    recorded_to     BIGINT,
    seq_to          BIGINT,
    closed_by       TEXT COLLATE "C",
    close_reason    TEXT COLLATE "C",
    closing_digest  BYTEA
);
CREATE INDEX links_by_seq ON links (seq);
CREATE INDEX links_by_seq_to ON links (seq_to) WHERE seq_to IS NOT NULL;
CREATE INDEX links_by_from ON links (from_id);
CREATE INDEX links_by_to ON links USING hash (to_ref);
CREATE UNIQUE INDEX links_once ON links (from_id, hashtextextended(to_ref, 0), relationship) WHERE recorded_to IS NULL;

CREATE TABLE tombstones (
    id              TEXT COLLATE "C" PRIMARY KEY,
    seq             BIGINT NOT NULL,
    scope           TEXT COLLATE "C" NOT NULL,
    grain           TEXT COLLATE "C" NOT NULL,
    lookup_key      BIGINT NOT NULL,
    value           TEXT COLLATE "C" NOT NULL,
    memory_id       TEXT COLLATE "C" NOT NULL,
    author          TEXT COLLATE "C" NOT NULL,
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
CREATE INDEX tombstones_by_seq ON tombstones (seq);
CREATE INDEX tombstones_by_seq_to ON tombstones (seq_to) WHERE seq_to IS NOT NULL;
CREATE INDEX tombstones_by_lookup ON tombstones (lookup_key) WHERE recorded_to IS NULL;
CREATE INDEX tombstones_by_memory ON tombstones (memory_id);

CREATE TABLE conflicts (
    id              TEXT COLLATE "C" PRIMARY KEY,
    seq             BIGINT NOT NULL,
    kind            TEXT COLLATE "C" NOT NULL,
    scope           TEXT COLLATE "C" NOT NULL,
    old_id          TEXT COLLATE "C" NOT NULL,
    new_id          TEXT COLLATE "C" NOT NULL,
    finding         TEXT COLLATE "C" NOT NULL,
    weaker_id       TEXT COLLATE "C" NOT NULL,
    pair_key        BIGINT NOT NULL,
    recorded_from   BIGINT NOT NULL,
    salt            BYTEA,
    digest          BYTEA NOT NULL,
    recorded_to     BIGINT,
    seq_to          BIGINT,
    disposition     TEXT COLLATE "C",
    closed_by       TEXT COLLATE "C",
    close_reason    TEXT COLLATE "C",
    merged_id       TEXT COLLATE "C",
    closing_digest  BYTEA
);
CREATE INDEX conflicts_by_seq ON conflicts (seq);
CREATE INDEX conflicts_by_end ON conflicts (substr(id, 33));
CREATE INDEX conflicts_by_seq_to ON conflicts (seq_to) WHERE seq_to IS NOT NULL;
CREATE INDEX conflicts_by_old ON conflicts (old_id);
CREATE INDEX conflicts_by_new ON conflicts (new_id);
CREATE INDEX conflicts_by_pair ON conflicts (pair_key);

CREATE TABLE principals (
    id TEXT COLLATE "C" PRIMARY KEY, seq BIGINT NOT NULL, kind TEXT COLLATE "C" NOT NULL, name TEXT COLLATE "C" NOT NULL, recorded_at BIGINT NOT NULL,
    salt BYTEA, digest BYTEA NOT NULL
);
CREATE INDEX principals_by_seq ON principals (seq);
CREATE TABLE projects (
    id TEXT COLLATE "C" PRIMARY KEY, seq BIGINT NOT NULL, recorded_at BIGINT NOT NULL, salt BYTEA, digest BYTEA NOT NULL
);
CREATE INDEX projects_by_seq ON projects (seq);
CREATE TABLE repos (
    id TEXT COLLATE "C" PRIMARY KEY, seq BIGINT NOT NULL, project_id TEXT COLLATE "C", recorded_at BIGINT NOT NULL, salt BYTEA,
    digest BYTEA NOT NULL
);
CREATE INDEX repos_by_seq ON repos (seq);
CREATE TABLE teams (
    id TEXT COLLATE "C" PRIMARY KEY, seq BIGINT NOT NULL, recorded_at BIGINT NOT NULL, salt BYTEA, digest BYTEA NOT NULL
);
CREATE INDEX teams_by_seq ON teams (seq);

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

-- A source that left the working set: it is not found any more, and can be read by its id.
CREATE TABLE archived_sources (
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
CREATE INDEX archived_sources_by_seq ON archived_sources (seq);
CREATE INDEX archived_sources_by_seq_to ON archived_sources (seq_to) WHERE seq_to IS NOT NULL;
CREATE INDEX archived_sources_by_source ON archived_sources (source_id);
CREATE UNIQUE INDEX archived_sources_once ON archived_sources (source_id) WHERE recorded_to IS NULL;

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

-- What each agent may do, from one change to the next.
CREATE TABLE agents (
    id                   TEXT COLLATE "C" PRIMARY KEY,
    seq                  BIGINT NOT NULL,
    name                 TEXT COLLATE "C" NOT NULL,
    kind                 TEXT COLLATE "C" NOT NULL,
    role                 TEXT COLLATE "C" NOT NULL,
    projects             TEXT COLLATE "C" NOT NULL,
    repos                TEXT COLLATE "C" NOT NULL,
    teams                TEXT COLLATE "C" NOT NULL,
    writes_per_minute    BIGINT,
    requests_per_second  BIGINT,
    token_check          BYTEA,
    created_at           BIGINT NOT NULL,
    revoked_at           BIGINT,
    recorded_from        BIGINT NOT NULL,
    salt                 BYTEA,
    digest               BYTEA NOT NULL,
    recorded_to          BIGINT,
    seq_to               BIGINT,
    closed_by            TEXT COLLATE "C",
    close_reason         TEXT COLLATE "C",
    closing_digest       BYTEA
);
CREATE INDEX agents_by_seq ON agents (seq);
CREATE INDEX agents_by_seq_to ON agents (seq_to) WHERE seq_to IS NOT NULL;
CREATE UNIQUE INDEX agents_once ON agents (name) WHERE recorded_to IS NULL;

-- What agents share with each other. A message can be read until it expires.
CREATE TABLE handed (
    id                   TEXT COLLATE "C" PRIMARY KEY,
    seq                  BIGINT NOT NULL,
    sender               TEXT COLLATE "C" NOT NULL,
    receiver             TEXT COLLATE "C" NOT NULL,
    type                 TEXT COLLATE "C" NOT NULL,
    action               TEXT COLLATE "C" NOT NULL,
    memories             TEXT COLLATE "C" NOT NULL,
    note                 TEXT COLLATE "C",
    expires_at           BIGINT NOT NULL,
    recorded_from        BIGINT NOT NULL,
    salt                 BYTEA,
    digest               BYTEA NOT NULL,
    recorded_to          BIGINT,
    seq_to               BIGINT,
    closed_by            TEXT COLLATE "C",
    close_reason         TEXT COLLATE "C",
    closing_digest       BYTEA
);
CREATE INDEX handed_by_seq ON handed (seq);
CREATE INDEX handed_by_seq_to ON handed (seq_to) WHERE seq_to IS NOT NULL;
CREATE INDEX handed_receiver ON handed (receiver, expires_at) WHERE recorded_to IS NULL;

-- What was erased: the digest of each record that lost its words, and a keyed digest of what is left of it.
CREATE TABLE erased (
    id             TEXT COLLATE "C" PRIMARY KEY,
    seq            BIGINT NOT NULL,
    entity         TEXT COLLATE "C" NOT NULL,
    record_digest  BYTEA NOT NULL,
    rest_digest    BYTEA NOT NULL,
    content_key    BIGINT,
    recorded_at    BIGINT NOT NULL,
    salt           BYTEA,
    digest         BYTEA NOT NULL
);
CREATE INDEX erased_by_seq ON erased (seq);
CREATE INDEX erased_by_content ON erased (content_key) WHERE content_key IS NOT NULL;

-- History is append-only, and the database itself says so.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END
$$;

-- A row can only lose words, together with its salt. The arguments are the columns that hold words: each of them stays as
-- it is or is blanked.
CREATE FUNCTION erase_once() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    only_erases boolean :=
        NEW.salt IS NULL AND to_jsonb(OLD) - TG_ARGV - 'salt'::text = to_jsonb(NEW) - TG_ARGV - 'salt'::text;
    name text;
BEGIN
    FOREACH name IN ARRAY TG_ARGV LOOP
        only_erases := only_erases AND (
            to_jsonb(NEW) ->> name IS NOT DISTINCT FROM to_jsonb(OLD) ->> name
            OR coalesce(to_jsonb(NEW) ->> name, '') IN ('', '[erased]', '{}')
        );
    END LOOP;
    IF NOT only_erases THEN
        RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;

-- The arguments are the columns that closing fills in, and after a bar those that hold words; every other column stays as
-- it is. A row is closed once, or loses words together with its salt.
CREATE FUNCTION close_once() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    bar CONSTANT integer := array_position(TG_ARGV, '|');
    closing CONSTANT text[] := CASE WHEN bar IS NULL THEN TG_ARGV ELSE TG_ARGV[:bar - 1] END;
    words CONSTANT text[] := CASE WHEN bar IS NULL THEN '{}' ELSE TG_ARGV[bar + 1:] END;
    only_erases boolean := bar IS NOT NULL AND NEW.salt IS NULL
        AND to_jsonb(OLD) - words - 'salt'::text = to_jsonb(NEW) - words - 'salt'::text;
    name text;
BEGIN
    FOREACH name IN ARRAY words LOOP
        only_erases := only_erases AND (
            to_jsonb(NEW) ->> name IS NOT DISTINCT FROM to_jsonb(OLD) ->> name
            OR coalesce(to_jsonb(NEW) ->> name, '') IN ('', '[erased]', '{}')
        );
    END LOOP;
    IF only_erases THEN
        RETURN NEW;
    END IF;
    IF OLD.recorded_to IS NOT NULL OR NEW.recorded_to IS NULL OR to_jsonb(OLD) - closing <> to_jsonb(NEW) - closing THEN
        RAISE EXCEPTION 'a row of % can only be closed, once', TG_TABLE_NAME
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER memory_versions_close_once BEFORE UPDATE ON memory_versions FOR EACH ROW
EXECUTE FUNCTION close_once(
    'recorded_to', 'seq_to', 'closing_digest', '|',
    'title', 'content', 'summary', 'rationale', 'topic', 'category', 'reason'
);
CREATE TRIGGER links_close_once BEFORE UPDATE ON links FOR EACH ROW
EXECUTE FUNCTION close_once(
    'recorded_to', 'seq_to', 'closed_by', 'close_reason', 'closing_digest', '|',
    'to_ref', 'relationship', 'reason', 'close_reason'
);
CREATE TRIGGER tombstones_close_once BEFORE UPDATE ON tombstones FOR EACH ROW
EXECUTE FUNCTION close_once(
    'recorded_to', 'seq_to', 'closed_by', 'close_reason', 'closing_digest', '|',
    'value', 'reason', 'close_reason'
);
CREATE TRIGGER conflicts_close_once BEFORE UPDATE ON conflicts FOR EACH ROW
EXECUTE FUNCTION close_once(
    'recorded_to', 'seq_to', 'disposition', 'closed_by', 'close_reason', 'merged_id', 'closing_digest', '|',
    'finding', 'close_reason'
);

CREATE TRIGGER quarantines_close_once BEFORE UPDATE ON quarantines FOR EACH ROW
EXECUTE FUNCTION close_once(
    'recorded_to', 'seq_to', 'closed_by', 'close_reason', 'closing_digest', '|',
    'reason', 'close_reason'
);
CREATE TRIGGER archived_sources_close_once BEFORE UPDATE ON archived_sources FOR EACH ROW
EXECUTE FUNCTION close_once(
    'recorded_to', 'seq_to', 'closed_by', 'close_reason', 'closing_digest', '|',
    'reason', 'close_reason'
);
CREATE TRIGGER saved_views_close_once BEFORE UPDATE ON saved_views FOR EACH ROW
EXECUTE FUNCTION close_once(
    'recorded_to', 'seq_to', 'closed_by', 'close_reason', 'closing_digest', '|',
    'name', 'arguments', 'close_reason'
);
CREATE TRIGGER agents_close_once BEFORE UPDATE ON agents FOR EACH ROW
EXECUTE FUNCTION close_once('recorded_to', 'seq_to', 'closed_by', 'close_reason', 'closing_digest');
CREATE TRIGGER handed_close_once BEFORE UPDATE ON handed FOR EACH ROW
EXECUTE FUNCTION close_once(
    'recorded_to', 'seq_to', 'closed_by', 'close_reason', 'closing_digest', '|',
    'action', 'note', 'close_reason'
);

CREATE TRIGGER evidence_no_update BEFORE UPDATE ON evidence FOR EACH ROW
EXECUTE FUNCTION erase_once('file');
CREATE TRIGGER ledger_no_update BEFORE UPDATE ON ledger FOR EACH ROW
EXECUTE FUNCTION erase_once('reason', 'detail');
CREATE TRIGGER sources_no_update BEFORE UPDATE ON sources FOR EACH ROW
EXECUTE FUNCTION erase_once('content', 'reference', 'title', 'thread', 'speaker');

-- ALWAYS: also in a session that has switched ordinary triggers off (session_replication_role).
DO $$
DECLARE
    closable CONSTANT text[] := ARRAY[
        'memory_versions', 'links', 'tombstones', 'conflicts', 'quarantines', 'archived_sources', 'saved_views', 'agents',
        'handed'
    ];
    erasable CONSTANT text[] := ARRAY['ledger', 'sources', 'evidence'];
    fixed CONSTANT text[] := ARRAY['space', 'erased', 'principals', 'projects', 'repos', 'teams'];
    name text;
BEGIN
    FOREACH name IN ARRAY closable LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER %I', name, name || '_close_once');
    END LOOP;
    FOREACH name IN ARRAY fixed LOOP
        EXECUTE format(
            'CREATE TRIGGER %I BEFORE UPDATE ON %I FOR EACH ROW EXECUTE FUNCTION refuse_change()', name || '_no_update', name
        );
        EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER %I', name, name || '_no_update');
    END LOOP;
    FOREACH name IN ARRAY erasable LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER %I', name, name || '_no_update');
    END LOOP;
    FOREACH name IN ARRAY closable || erasable || fixed LOOP
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

-- From here on: derived rows, which can be dropped and rebuilt from those above.

CREATE TABLE memory_keys (
    key  BIGINT NOT NULL,
    no   BIGINT NOT NULL,
    PRIMARY KEY (key, no)
);

CREATE TABLE idempotency (
    principal     TEXT COLLATE "C" NOT NULL,
    key           TEXT COLLATE "C" NOT NULL,
    request_hash  BYTEA NOT NULL,
    answer        TEXT COLLATE "C" NOT NULL,
    seq           BIGINT NOT NULL,
    recorded_at   BIGINT NOT NULL,
    PRIMARY KEY (principal, key)
);
CREATE INDEX idempotency_by_time ON idempotency (recorded_at);

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
    hidden_seq   BIGINT,
    -- JSON: the sentences of it that are hidden, as start, end and the ledger entry since which (domain/hidden.py).
    hidden_spans TEXT COLLATE "C"
);
CREATE INDEX passages_by_source ON passages (source_id);
CREATE INDEX passages_by_seq ON passages (seq);
-- What was said in a time that a question names.
CREATE INDEX passages_by_time ON passages (shelf, happened_at);
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
    cost         TEXT COLLATE "C" NOT NULL,
    -- In which order they were logged, for those who follow.
    place        BIGINT NOT NULL
);
CREATE INDEX recalls_by_time ON recalls (recorded_at);
CREATE INDEX recalls_by_end ON recalls (substr(id, 33));
CREATE INDEX recalls_by_place ON recalls (place);
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

-- Work that is not done at once, from being asked for to its outcome. Working rows, kept for a while: what a job
-- changed is in the ledger.
CREATE TABLE jobs (
    id            TEXT COLLATE "C" PRIMARY KEY,
    name          TEXT COLLATE "C" NOT NULL,
    scope         TEXT COLLATE "C" NOT NULL,
    asked_by      TEXT COLLATE "C" NOT NULL,
    trigger    TEXT COLLATE "C" NOT NULL,
    arguments     TEXT COLLATE "C" NOT NULL,
    once          TEXT COLLATE "C",
    state         TEXT COLLATE "C" NOT NULL,
    due_at        BIGINT NOT NULL,
    tries         BIGINT NOT NULL,
    fence         BIGINT NOT NULL,
    worker        TEXT COLLATE "C",
    leased_until  BIGINT,
    done          BIGINT NOT NULL,
    total         BIGINT NOT NULL,
    error         TEXT COLLATE "C",
    outcome       TEXT COLLATE "C" NOT NULL,
    created_at    BIGINT NOT NULL,
    finished_at   BIGINT
);
CREATE INDEX jobs_by_end ON jobs (substr(id, 33));
CREATE INDEX jobs_open ON jobs (due_at) WHERE finished_at IS NULL;
CREATE INDEX jobs_finished ON jobs (finished_at) WHERE finished_at IS NOT NULL;
CREATE UNIQUE INDEX jobs_once ON jobs (once) WHERE once IS NOT NULL AND finished_at IS NULL;

-- When each regular job was last asked for.
CREATE TABLE schedules (
    name      TEXT COLLATE "C" PRIMARY KEY,
    slot      BIGINT NOT NULL,
    asked_at  BIGINT NOT NULL,
    job_id    TEXT COLLATE "C" NOT NULL
);

-- What is known of a category in a scope, as text, with the versions before. Derived; the older ones are kept to look at.
CREATE TABLE summaries (
    scope        TEXT COLLATE "C" NOT NULL,
    category     TEXT COLLATE "C" NOT NULL,
    made_at      BIGINT NOT NULL,
    memories     BIGINT NOT NULL,
    text         TEXT COLLATE "C" NOT NULL,
    replaced_at  BIGINT,
    PRIMARY KEY (scope, category, made_at)
);

-- The digest of each agent's token. A working table: what it must contain follows from agents.token_check, and no
-- export contains it.
CREATE TABLE tokens (
    agent         TEXT COLLATE "C" PRIMARY KEY,
    token_digest  BYTEA NOT NULL UNIQUE
);
