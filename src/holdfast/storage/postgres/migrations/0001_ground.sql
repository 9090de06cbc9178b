-- The same tables as in SQLite, in PostgreSQL's types. Texts compare and sort by their bytes (COLLATE "C"), as they do
-- there, whatever the language of the server. Texts that may be longer than a B-tree entry (2.7 kB) are looked up by hash.

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

CREATE TABLE sources (
    id            TEXT COLLATE "C" PRIMARY KEY,
    seq           BIGINT NOT NULL,
    kind          TEXT COLLATE "C" NOT NULL,
    content       TEXT COLLATE "C" NOT NULL,
    content_type  TEXT COLLATE "C" NOT NULL,
    reference     TEXT COLLATE "C",
    author        TEXT COLLATE "C" NOT NULL,
    scope         TEXT COLLATE "C" NOT NULL,
    occurred_at   BIGINT,
    recorded_at   BIGINT NOT NULL,
    lookup_key    BIGINT NOT NULL,
    salt          BYTEA,
    digest        BYTEA NOT NULL
);
CREATE INDEX sources_by_seq ON sources (seq);
CREATE INDEX sources_by_lookup ON sources (lookup_key);

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
    reason          TEXT COLLATE "C",
    salt            BYTEA,
    digest          BYTEA NOT NULL,
    recorded_to     BIGINT,
    seq_to          BIGINT,
    closing_digest  BYTEA
);
CREATE UNIQUE INDEX memory_versions_by_memory ON memory_versions (memory_id, version);
CREATE UNIQUE INDEX memory_versions_current ON memory_versions (memory_id) WHERE recorded_to IS NULL;
CREATE INDEX memory_versions_by_seq ON memory_versions (seq);
CREATE INDEX memory_versions_by_seq_to ON memory_versions (seq_to) WHERE seq_to IS NOT NULL;
CREATE INDEX memory_versions_by_scope ON memory_versions (scope, status, kind, recorded_from) WHERE recorded_to IS NULL;
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

-- Words of each version, already cut into terms (language/terms.py), so that both stores index the same words. A word
-- stands in `terms` once; its place in `weights` says how often it occurs: 2 for each time in the title, 1 in the content,
-- 1.5 in the topic. `versions` and `tokens` count this row and all before it: the last row, by `place`, knows what BM25
-- has to know of all rows together, which would take too long to count.
CREATE TABLE memory_text (
    no        BIGINT PRIMARY KEY,
    place     BIGINT GENERATED ALWAYS AS IDENTITY,
    length    INTEGER NOT NULL,
    versions  BIGINT NOT NULL,
    tokens    BIGINT NOT NULL,
    terms     TEXT[] COLLATE "C" NOT NULL,
    weights   REAL[] NOT NULL
);
CREATE UNIQUE INDEX memory_text_by_place ON memory_text (place);
-- Without its list of waiting entries, which makes single writes a little faster and every search after them slower.
CREATE INDEX memory_text_by_term ON memory_text USING gin (terms) WITH (fastupdate = off);
