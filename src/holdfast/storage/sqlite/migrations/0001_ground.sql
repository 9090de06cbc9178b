CREATE TABLE space (
    id          TEXT PRIMARY KEY,
    seq         INTEGER NOT NULL,
    base_iri    TEXT NOT NULL,
    key         BLOB NOT NULL,
    created_at  INTEGER NOT NULL,
    salt        BLOB,
    digest      BLOB NOT NULL
);

CREATE TABLE ledger (
    seq           INTEGER PRIMARY KEY,
    recorded_at   INTEGER NOT NULL,
    actor         TEXT NOT NULL,
    channel       TEXT NOT NULL,
    action        TEXT NOT NULL,
    outcome       TEXT NOT NULL,
    target        TEXT,
    scope         TEXT,
    reason        TEXT,
    detail        TEXT NOT NULL,
    records       INTEGER NOT NULL,
    records_hash  BLOB NOT NULL,
    prev_hash     BLOB NOT NULL,
    hash          BLOB NOT NULL,
    salt          BLOB,
    digest        BLOB NOT NULL
);
-- Recorded time never goes back: the gateway sets it, this refuses a moment used before.
CREATE UNIQUE INDEX ledger_by_time ON ledger (recorded_at);

CREATE TABLE sources (
    id            TEXT PRIMARY KEY,
    seq           INTEGER NOT NULL,
    kind          TEXT NOT NULL,
    content       TEXT NOT NULL,
    content_type  TEXT NOT NULL,
    reference     TEXT,
    author        TEXT NOT NULL,
    scope         TEXT NOT NULL,
    occurred_at   INTEGER,
    recorded_at   INTEGER NOT NULL,
    lookup_key    INTEGER NOT NULL,
    salt          BLOB,
    digest        BLOB NOT NULL
);
CREATE INDEX sources_by_seq ON sources (seq);
CREATE INDEX sources_by_lookup ON sources (lookup_key);

CREATE TABLE memory_versions (
    no              INTEGER PRIMARY KEY,
    memory_id       TEXT NOT NULL,
    version         INTEGER NOT NULL,
    seq             INTEGER NOT NULL,
    kind            TEXT NOT NULL,
    title           TEXT,
    content         TEXT NOT NULL,
    summary         TEXT,
    rationale       TEXT,
    scope           TEXT NOT NULL,
    project_id      TEXT,
    repo_id         TEXT,
    visibility      TEXT NOT NULL,
    status          TEXT NOT NULL,
    confidence      REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    strength        TEXT NOT NULL,
    topic           TEXT,
    category        TEXT,
    staleness       TEXT NOT NULL,
    author          TEXT NOT NULL,
    verified_by     TEXT,
    valid_from      INTEGER,
    valid_to        INTEGER,
    observed_at     INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    recorded_from   INTEGER NOT NULL,
    change          TEXT NOT NULL,
    changed_by      TEXT NOT NULL,
    reason          TEXT,
    salt            BLOB,
    digest          BLOB NOT NULL,
    recorded_to     INTEGER,
    seq_to          INTEGER,
    closing_digest  BLOB
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
    memory_id    TEXT NOT NULL,
    version      INTEGER NOT NULL,
    source_id    TEXT NOT NULL,
    seq          INTEGER NOT NULL,
    author       TEXT NOT NULL,
    file         TEXT,
    line         INTEGER,
    span_start   INTEGER,
    span_end     INTEGER,
    recorded_at  INTEGER NOT NULL,
    salt         BLOB,
    digest       BLOB NOT NULL,
    PRIMARY KEY (memory_id, version, source_id)
);
CREATE INDEX evidence_by_seq ON evidence (seq);

CREATE TABLE links (
    id              TEXT PRIMARY KEY,
    seq             INTEGER NOT NULL,
    from_id         TEXT NOT NULL,
    to_ref          TEXT NOT NULL,
    relationship    TEXT NOT NULL,
    author          TEXT NOT NULL,
    scope           TEXT NOT NULL,
    reason          TEXT,
    recorded_from   INTEGER NOT NULL,
    salt            BLOB,
    digest          BLOB NOT NULL,
    recorded_to     INTEGER,
    seq_to          INTEGER,
    closed_by       TEXT,
    close_reason    TEXT,
    closing_digest  BLOB
);
CREATE INDEX links_by_seq ON links (seq);
CREATE INDEX links_by_seq_to ON links (seq_to) WHERE seq_to IS NOT NULL;
CREATE INDEX links_by_from ON links (from_id);
CREATE INDEX links_by_to ON links (to_ref);
CREATE UNIQUE INDEX links_once ON links (from_id, to_ref, relationship) WHERE recorded_to IS NULL;

CREATE TABLE tombstones (
    id              TEXT PRIMARY KEY,
    seq             INTEGER NOT NULL,
    scope           TEXT NOT NULL,
    grain           TEXT NOT NULL,
    lookup_key      INTEGER NOT NULL,
    value           TEXT NOT NULL,
    memory_id       TEXT NOT NULL,
    author          TEXT NOT NULL,
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
CREATE INDEX tombstones_by_seq ON tombstones (seq);
CREATE INDEX tombstones_by_seq_to ON tombstones (seq_to) WHERE seq_to IS NOT NULL;
CREATE INDEX tombstones_by_lookup ON tombstones (lookup_key) WHERE recorded_to IS NULL;
CREATE INDEX tombstones_by_memory ON tombstones (memory_id);

CREATE TABLE conflicts (
    id              TEXT PRIMARY KEY,
    seq             INTEGER NOT NULL,
    kind            TEXT NOT NULL,
    scope           TEXT NOT NULL,
    old_id          TEXT NOT NULL,
    new_id          TEXT NOT NULL,
    finding         TEXT NOT NULL,
    weaker_id       TEXT NOT NULL,
    pair_key        INTEGER NOT NULL,
    recorded_from   INTEGER NOT NULL,
    salt            BLOB,
    digest          BLOB NOT NULL,
    recorded_to     INTEGER,
    seq_to          INTEGER,
    disposition     TEXT,
    closed_by       TEXT,
    close_reason    TEXT,
    merged_id       TEXT,
    closing_digest  BLOB
);
CREATE INDEX conflicts_by_seq ON conflicts (seq);
CREATE INDEX conflicts_by_seq_to ON conflicts (seq_to) WHERE seq_to IS NOT NULL;
CREATE INDEX conflicts_by_old ON conflicts (old_id);
CREATE INDEX conflicts_by_new ON conflicts (new_id);
CREATE INDEX conflicts_by_pair ON conflicts (pair_key);

CREATE TABLE principals (
    id TEXT PRIMARY KEY, seq INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, recorded_at INTEGER NOT NULL,
    salt BLOB, digest BLOB NOT NULL
);
CREATE INDEX principals_by_seq ON principals (seq);
CREATE TABLE projects (
    id TEXT PRIMARY KEY, seq INTEGER NOT NULL, recorded_at INTEGER NOT NULL, salt BLOB, digest BLOB NOT NULL
);
CREATE INDEX projects_by_seq ON projects (seq);
CREATE TABLE repos (
    id TEXT PRIMARY KEY, seq INTEGER NOT NULL, project_id TEXT, recorded_at INTEGER NOT NULL, salt BLOB,
    digest BLOB NOT NULL
);
CREATE INDEX repos_by_seq ON repos (seq);
CREATE TABLE teams (
    id TEXT PRIMARY KEY, seq INTEGER NOT NULL, recorded_at INTEGER NOT NULL, salt BLOB, digest BLOB NOT NULL
);
CREATE INDEX teams_by_seq ON teams (seq);

-- From here on: derived rows, which can be dropped and rebuilt from those above.

CREATE TABLE memory_keys (
    key  INTEGER NOT NULL,
    no   INTEGER NOT NULL,
    PRIMARY KEY (key, no)
) WITHOUT ROWID;

CREATE TABLE idempotency (
    principal     TEXT NOT NULL,
    key           TEXT NOT NULL,
    request_hash  BLOB NOT NULL,
    answer        TEXT NOT NULL,
    seq           INTEGER NOT NULL,
    recorded_at   INTEGER NOT NULL,
    PRIMARY KEY (principal, key)
) WITHOUT ROWID;
CREATE INDEX idempotency_by_time ON idempotency (recorded_at);

-- Words of each version, already cut into terms (language/terms.py), so that both stores index the same words.
CREATE VIRTUAL TABLE memory_text USING fts5 (
    title, content, topic, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc S* P*'",
    detail=full
);
-- How many versions have each term.
CREATE VIRTUAL TABLE memory_vocabulary USING fts5vocab (memory_text, row);
