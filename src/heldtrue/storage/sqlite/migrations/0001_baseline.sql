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
    -- Why it was refused, is pending or was archived: a word of domain/cause.py.
    cause         TEXT,
    reason        TEXT,
    detail        TEXT NOT NULL,
    records       INTEGER NOT NULL,
    records_hash  BLOB NOT NULL,
    prev_hash     BLOB NOT NULL,
    hash          BLOB NOT NULL,
    salt          BLOB,
    digest        BLOB NOT NULL
);
-- Recorded time rises with every entry, so one in 64 is enough to find a moment by.
CREATE UNIQUE INDEX ledger_by_time ON ledger (recorded_at) WHERE seq % 64 = 0;
-- What was refused, to be listed, and by the rejected memory that it met.
CREATE INDEX ledger_refused ON ledger (seq) WHERE outcome = 'refused';
CREATE INDEX ledger_refused_about ON ledger (target) WHERE outcome = 'refused';

CREATE TABLE sources (
    id            TEXT PRIMARY KEY,
    seq           INTEGER NOT NULL,
    kind          TEXT NOT NULL,
    content       TEXT NOT NULL,
    content_type  TEXT NOT NULL,
    reference     TEXT,
    title         TEXT,
    -- Where it stands in what it was part of: a turn in a conversation, a file in a folder.
    thread        TEXT,
    place         INTEGER,
    speaker       TEXT,
    author        TEXT NOT NULL,
    scope         TEXT NOT NULL,
    visibility    TEXT,
    occurred_at   INTEGER,
    recorded_at   INTEGER NOT NULL,
    lookup_key    INTEGER NOT NULL,
    salt          BLOB,
    digest        BLOB NOT NULL
);
CREATE INDEX sources_by_seq ON sources (seq);
CREATE INDEX sources_by_end ON sources (substr(id, 33));
CREATE INDEX sources_by_lookup ON sources (lookup_key);
CREATE INDEX sources_by_thread ON sources (thread, place) WHERE thread IS NOT NULL;

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
    -- In which tone it was said; empty for neutral.
    sentiment       TEXT,
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
    -- Why it waits or is archived: a word of domain/cause.py.
    cause           TEXT,
    reason          TEXT,
    salt            BLOB,
    digest          BLOB NOT NULL,
    recorded_to     INTEGER,
    seq_to          INTEGER,
    closing_digest  BLOB
);
CREATE UNIQUE INDEX memory_versions_by_memory ON memory_versions (memory_id, version);
CREATE INDEX memory_versions_by_end ON memory_versions (substr(memory_id, 33)) WHERE recorded_to IS NULL;
CREATE INDEX memory_versions_by_seq ON memory_versions (seq);
CREATE INDEX memory_versions_by_seq_to ON memory_versions (seq_to) WHERE seq_to IS NOT NULL;
CREATE INDEX memory_versions_by_scope ON memory_versions (scope, status, kind) WHERE recorded_to IS NULL;
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
-- What rests on a source, for the day it is taken out. An id begins with its moment, in 18 characters (domain/ids.py): a
-- source that came at the moment of its memory is found by that, in the order of memories.
CREATE INDEX evidence_by_source ON evidence (source_id) WHERE substr(source_id, 1, 18) <> substr(memory_id, 1, 18);

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
CREATE INDEX conflicts_by_end ON conflicts (substr(id, 33));
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

-- A source that left the working set: it is not found any more, and can be read by its id.
CREATE TABLE archived_sources (
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
CREATE INDEX archived_sources_by_seq ON archived_sources (seq);
CREATE INDEX archived_sources_by_seq_to ON archived_sources (seq_to) WHERE seq_to IS NOT NULL;
CREATE INDEX archived_sources_by_source ON archived_sources (source_id);
CREATE UNIQUE INDEX archived_sources_once ON archived_sources (source_id) WHERE recorded_to IS NULL;

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

-- What each agent may do, from one change to the next.
CREATE TABLE agents (
    id                   TEXT PRIMARY KEY,
    seq                  INTEGER NOT NULL,
    name                 TEXT NOT NULL,
    kind                 TEXT NOT NULL,
    role                 TEXT NOT NULL,
    projects             TEXT NOT NULL,
    repos                TEXT NOT NULL,
    teams                TEXT NOT NULL,
    writes_per_minute    INTEGER,
    requests_per_second  INTEGER,
    token_check          BLOB,
    created_at           INTEGER NOT NULL,
    revoked_at           INTEGER,
    recorded_from        INTEGER NOT NULL,
    salt                 BLOB,
    digest               BLOB NOT NULL,
    recorded_to          INTEGER,
    seq_to               INTEGER,
    closed_by            TEXT,
    close_reason         TEXT,
    closing_digest       BLOB
);
CREATE INDEX agents_by_seq ON agents (seq);
CREATE INDEX agents_by_seq_to ON agents (seq_to) WHERE seq_to IS NOT NULL;
CREATE UNIQUE INDEX agents_once ON agents (name) WHERE recorded_to IS NULL;

-- What agents share with each other. A message can be read until it expires.
CREATE TABLE handed (
    id                   TEXT PRIMARY KEY,
    seq                  INTEGER NOT NULL,
    sender               TEXT NOT NULL,
    receiver             TEXT NOT NULL,
    type                 TEXT NOT NULL,
    action               TEXT NOT NULL,
    memories             TEXT NOT NULL,
    note                 TEXT,
    expires_at           INTEGER NOT NULL,
    recorded_from        INTEGER NOT NULL,
    salt                 BLOB,
    digest               BLOB NOT NULL,
    recorded_to          INTEGER,
    seq_to               INTEGER,
    closed_by            TEXT,
    close_reason         TEXT,
    closing_digest       BLOB
);
CREATE INDEX handed_by_seq ON handed (seq);
CREATE INDEX handed_by_seq_to ON handed (seq_to) WHERE seq_to IS NOT NULL;
CREATE INDEX handed_receiver ON handed (receiver, expires_at) WHERE recorded_to IS NULL;

-- What was erased: the digest of each record that lost its words, and a keyed digest of what is left of it.
CREATE TABLE erased (
    id             TEXT PRIMARY KEY,
    seq            INTEGER NOT NULL,
    entity         TEXT NOT NULL,
    record_digest  BLOB NOT NULL,
    rest_digest    BLOB NOT NULL,
    content_key    INTEGER,
    recorded_at    INTEGER NOT NULL,
    salt           BLOB,
    digest         BLOB NOT NULL
);
CREATE INDEX erased_by_seq ON erased (seq);
CREATE INDEX erased_by_content ON erased (content_key) WHERE content_key IS NOT NULL;

-- History is append-only, and the database itself says so. A row can only lose words, together with its salt.
CREATE TRIGGER ledger_no_update BEFORE UPDATE ON ledger
WHEN NOT (
    NEW.salt IS NULL AND NEW.seq IS OLD.seq AND NEW.recorded_at IS OLD.recorded_at AND NEW.actor IS OLD.actor AND
    NEW.channel IS OLD.channel AND NEW.action IS OLD.action AND NEW.outcome IS OLD.outcome AND
    NEW.target IS OLD.target AND NEW.scope IS OLD.scope AND NEW.cause IS OLD.cause AND
    NEW.records IS OLD.records AND NEW.records_hash IS OLD.records_hash AND NEW.prev_hash IS OLD.prev_hash AND
    NEW.hash IS OLD.hash AND NEW.digest IS OLD.digest AND (NEW.reason IS OLD.reason OR NEW.reason IS NULL) AND
    (NEW.detail IS OLD.detail OR NEW.detail IS '{}')
)
BEGIN SELECT RAISE(ABORT, 'ledger is append-only'); END;
CREATE TRIGGER ledger_no_delete BEFORE DELETE ON ledger
BEGIN SELECT RAISE(ABORT, 'ledger is append-only'); END;
CREATE TRIGGER sources_no_update BEFORE UPDATE ON sources
WHEN NOT (
    NEW.salt IS NULL AND NEW.id IS OLD.id AND NEW.seq IS OLD.seq AND NEW.kind IS OLD.kind AND
    NEW.content_type IS OLD.content_type AND NEW.place IS OLD.place AND NEW.author IS OLD.author AND
    NEW.scope IS OLD.scope AND NEW.visibility IS OLD.visibility AND NEW.occurred_at IS OLD.occurred_at AND
    NEW.recorded_at IS OLD.recorded_at AND NEW.lookup_key IS OLD.lookup_key AND NEW.digest IS OLD.digest AND
    (NEW.content IS OLD.content OR NEW.content IS '') AND
    (NEW.reference IS OLD.reference OR NEW.reference IS NULL) AND (NEW.title IS OLD.title OR NEW.title IS NULL) AND
    (NEW.thread IS OLD.thread OR NEW.thread IS NULL) AND (NEW.speaker IS OLD.speaker OR NEW.speaker IS '[erased]')
)
BEGIN SELECT RAISE(ABORT, 'sources is append-only'); END;
CREATE TRIGGER sources_no_delete BEFORE DELETE ON sources
BEGIN SELECT RAISE(ABORT, 'sources is append-only'); END;
CREATE TRIGGER evidence_no_update BEFORE UPDATE ON evidence
WHEN NOT (
    NEW.salt IS NULL AND NEW.memory_id IS OLD.memory_id AND NEW.version IS OLD.version AND
    NEW.source_id IS OLD.source_id AND NEW.seq IS OLD.seq AND NEW.author IS OLD.author AND NEW.line IS OLD.line AND
    NEW.span_start IS OLD.span_start AND NEW.span_end IS OLD.span_end AND NEW.recorded_at IS OLD.recorded_at AND
    NEW.digest IS OLD.digest AND (NEW.file IS OLD.file OR NEW.file IS NULL)
)
BEGIN SELECT RAISE(ABORT, 'evidence is append-only'); END;
CREATE TRIGGER evidence_no_delete BEFORE DELETE ON evidence
BEGIN SELECT RAISE(ABORT, 'evidence is append-only'); END;
CREATE TRIGGER principals_no_update BEFORE UPDATE ON principals
BEGIN SELECT RAISE(ABORT, 'principals is append-only'); END;
CREATE TRIGGER principals_no_delete BEFORE DELETE ON principals
BEGIN SELECT RAISE(ABORT, 'principals is append-only'); END;
CREATE TRIGGER projects_no_update BEFORE UPDATE ON projects
BEGIN SELECT RAISE(ABORT, 'projects is append-only'); END;
CREATE TRIGGER projects_no_delete BEFORE DELETE ON projects
BEGIN SELECT RAISE(ABORT, 'projects is append-only'); END;
CREATE TRIGGER repos_no_update BEFORE UPDATE ON repos
BEGIN SELECT RAISE(ABORT, 'repos is append-only'); END;
CREATE TRIGGER repos_no_delete BEFORE DELETE ON repos
BEGIN SELECT RAISE(ABORT, 'repos is append-only'); END;
CREATE TRIGGER teams_no_update BEFORE UPDATE ON teams
BEGIN SELECT RAISE(ABORT, 'teams is append-only'); END;
CREATE TRIGGER teams_no_delete BEFORE DELETE ON teams
BEGIN SELECT RAISE(ABORT, 'teams is append-only'); END;
CREATE TRIGGER erased_no_update BEFORE UPDATE ON erased
BEGIN SELECT RAISE(ABORT, 'erased is append-only'); END;
CREATE TRIGGER erased_no_delete BEFORE DELETE ON erased
BEGIN SELECT RAISE(ABORT, 'erased is append-only'); END;
CREATE TRIGGER space_no_update BEFORE UPDATE ON space
BEGIN SELECT RAISE(ABORT, 'space is append-only'); END;
CREATE TRIGGER space_no_delete BEFORE DELETE ON space
BEGIN SELECT RAISE(ABORT, 'space is append-only'); END;

CREATE TRIGGER memory_versions_close_once BEFORE UPDATE ON memory_versions
WHEN (OLD.recorded_to IS NOT NULL OR NEW.recorded_to IS NULL OR NEW.no IS NOT OLD.no OR NEW.memory_id IS NOT
    OLD.memory_id OR NEW.version IS NOT OLD.version OR NEW.seq IS NOT OLD.seq OR NEW.kind IS NOT OLD.kind OR
    NEW.title IS NOT OLD.title OR NEW.content IS NOT OLD.content OR NEW.summary IS NOT OLD.summary OR NEW.rationale
    IS NOT OLD.rationale OR NEW.scope IS NOT OLD.scope OR NEW.project_id IS NOT OLD.project_id OR NEW.repo_id IS NOT
    OLD.repo_id OR NEW.visibility IS NOT OLD.visibility OR NEW.status IS NOT OLD.status OR NEW.confidence IS NOT
    OLD.confidence OR NEW.strength IS NOT OLD.strength OR NEW.topic IS NOT OLD.topic OR NEW.category IS NOT
    OLD.category OR NEW.staleness IS NOT OLD.staleness OR NEW.author IS NOT OLD.author OR NEW.verified_by IS NOT
    OLD.verified_by OR NEW.valid_from IS NOT OLD.valid_from OR NEW.valid_to IS NOT OLD.valid_to OR NEW.observed_at
    IS NOT OLD.observed_at OR NEW.created_at IS NOT OLD.created_at OR NEW.recorded_from IS NOT OLD.recorded_from OR
    NEW.change IS NOT OLD.change OR NEW.changed_by IS NOT OLD.changed_by OR NEW.reason IS NOT OLD.reason OR NEW.salt
    IS NOT OLD.salt OR NEW.digest IS NOT OLD.digest OR NEW.sentiment IS NOT OLD.sentiment OR NEW.cause IS NOT OLD.cause) AND NOT (
    NEW.salt IS NULL AND NEW.no IS OLD.no AND NEW.memory_id IS OLD.memory_id AND NEW.version IS OLD.version AND
    NEW.seq IS OLD.seq AND NEW.kind IS OLD.kind AND NEW.scope IS OLD.scope AND NEW.project_id IS OLD.project_id AND
    NEW.repo_id IS OLD.repo_id AND NEW.visibility IS OLD.visibility AND NEW.status IS OLD.status AND
    NEW.confidence IS OLD.confidence AND NEW.strength IS OLD.strength AND NEW.sentiment IS OLD.sentiment AND
    NEW.staleness IS OLD.staleness AND NEW.author IS OLD.author AND NEW.verified_by IS OLD.verified_by AND
    NEW.valid_from IS OLD.valid_from AND NEW.valid_to IS OLD.valid_to AND NEW.observed_at IS OLD.observed_at AND
    NEW.created_at IS OLD.created_at AND NEW.recorded_from IS OLD.recorded_from AND NEW.change IS OLD.change AND
    NEW.changed_by IS OLD.changed_by AND NEW.cause IS OLD.cause AND NEW.digest IS OLD.digest AND
    NEW.recorded_to IS OLD.recorded_to AND NEW.seq_to IS OLD.seq_to AND NEW.closing_digest IS OLD.closing_digest AND
    (NEW.title IS OLD.title OR NEW.title IS NULL) AND (NEW.content IS OLD.content OR NEW.content IS '[erased]') AND
    (NEW.summary IS OLD.summary OR NEW.summary IS NULL) AND
    (NEW.rationale IS OLD.rationale OR NEW.rationale IS NULL) AND (NEW.topic IS OLD.topic OR NEW.topic IS NULL) AND
    (NEW.category IS OLD.category OR NEW.category IS NULL) AND (NEW.reason IS OLD.reason OR NEW.reason IS NULL)
)
BEGIN SELECT RAISE(ABORT, 'a row of memory_versions can only be closed, once'); END;
CREATE TRIGGER memory_versions_no_delete BEFORE DELETE ON memory_versions
BEGIN SELECT RAISE(ABORT, 'memory_versions is append-only'); END;

CREATE TRIGGER links_close_once BEFORE UPDATE ON links
WHEN (OLD.recorded_to IS NOT NULL OR NEW.recorded_to IS NULL OR NEW.id IS NOT OLD.id OR NEW.seq IS NOT OLD.seq OR
    NEW.from_id IS NOT OLD.from_id OR NEW.to_ref IS NOT OLD.to_ref OR NEW.relationship IS NOT OLD.relationship OR
    NEW.author IS NOT OLD.author OR NEW.scope IS NOT OLD.scope OR NEW.reason IS NOT OLD.reason OR NEW.recorded_from
    IS NOT OLD.recorded_from OR NEW.salt IS NOT OLD.salt OR NEW.digest IS NOT OLD.digest) AND NOT (
    NEW.salt IS NULL AND NEW.id IS OLD.id AND NEW.seq IS OLD.seq AND NEW.from_id IS OLD.from_id AND
    NEW.author IS OLD.author AND NEW.scope IS OLD.scope AND NEW.recorded_from IS OLD.recorded_from AND
    NEW.digest IS OLD.digest AND NEW.recorded_to IS OLD.recorded_to AND NEW.seq_to IS OLD.seq_to AND
    NEW.closed_by IS OLD.closed_by AND NEW.closing_digest IS OLD.closing_digest AND
    (NEW.to_ref IS OLD.to_ref OR NEW.to_ref IS '[erased]') AND
    (NEW.relationship IS OLD.relationship OR NEW.relationship IS '[erased]') AND
    (NEW.reason IS OLD.reason OR NEW.reason IS NULL) AND
    (NEW.close_reason IS OLD.close_reason OR NEW.close_reason IS NULL)
)
BEGIN SELECT RAISE(ABORT, 'a row of links can only be closed, once'); END;
CREATE TRIGGER links_no_delete BEFORE DELETE ON links
BEGIN SELECT RAISE(ABORT, 'links is append-only'); END;

CREATE TRIGGER tombstones_close_once BEFORE UPDATE ON tombstones
WHEN (OLD.recorded_to IS NOT NULL OR NEW.recorded_to IS NULL OR NEW.id IS NOT OLD.id OR NEW.seq IS NOT OLD.seq OR
    NEW.scope IS NOT OLD.scope OR NEW.grain IS NOT OLD.grain OR NEW.lookup_key IS NOT OLD.lookup_key OR NEW.value IS
    NOT OLD.value OR NEW.memory_id IS NOT OLD.memory_id OR NEW.author IS NOT OLD.author OR NEW.reason IS NOT
    OLD.reason OR NEW.recorded_from IS NOT OLD.recorded_from OR NEW.salt IS NOT OLD.salt OR NEW.digest IS NOT
    OLD.digest) AND NOT (
    NEW.salt IS NULL AND NEW.id IS OLD.id AND NEW.seq IS OLD.seq AND NEW.scope IS OLD.scope AND
    NEW.grain IS OLD.grain AND NEW.lookup_key IS OLD.lookup_key AND NEW.memory_id IS OLD.memory_id AND
    NEW.author IS OLD.author AND NEW.recorded_from IS OLD.recorded_from AND NEW.digest IS OLD.digest AND
    NEW.recorded_to IS OLD.recorded_to AND NEW.seq_to IS OLD.seq_to AND NEW.closed_by IS OLD.closed_by AND
    NEW.closing_digest IS OLD.closing_digest AND (NEW.value IS OLD.value OR NEW.value IS '[erased]') AND
    (NEW.reason IS OLD.reason OR NEW.reason IS '[erased]') AND
    (NEW.close_reason IS OLD.close_reason OR NEW.close_reason IS NULL)
)
BEGIN SELECT RAISE(ABORT, 'a row of tombstones can only be closed, once'); END;
CREATE TRIGGER tombstones_no_delete BEFORE DELETE ON tombstones
BEGIN SELECT RAISE(ABORT, 'tombstones is append-only'); END;

CREATE TRIGGER conflicts_close_once BEFORE UPDATE ON conflicts
WHEN (OLD.recorded_to IS NOT NULL OR NEW.recorded_to IS NULL OR NEW.id IS NOT OLD.id OR NEW.seq IS NOT OLD.seq OR
    NEW.kind IS NOT OLD.kind OR NEW.scope IS NOT OLD.scope OR NEW.old_id IS NOT OLD.old_id OR NEW.new_id IS NOT
    OLD.new_id OR NEW.finding IS NOT OLD.finding OR NEW.weaker_id IS NOT OLD.weaker_id OR NEW.pair_key IS NOT
    OLD.pair_key OR NEW.recorded_from IS NOT OLD.recorded_from OR NEW.salt IS NOT OLD.salt OR NEW.digest IS NOT
    OLD.digest) AND NOT (
    NEW.salt IS NULL AND NEW.id IS OLD.id AND NEW.seq IS OLD.seq AND NEW.kind IS OLD.kind AND
    NEW.scope IS OLD.scope AND NEW.old_id IS OLD.old_id AND NEW.new_id IS OLD.new_id AND
    NEW.weaker_id IS OLD.weaker_id AND NEW.pair_key IS OLD.pair_key AND NEW.recorded_from IS OLD.recorded_from AND
    NEW.digest IS OLD.digest AND NEW.recorded_to IS OLD.recorded_to AND NEW.seq_to IS OLD.seq_to AND
    NEW.disposition IS OLD.disposition AND NEW.closed_by IS OLD.closed_by AND NEW.merged_id IS OLD.merged_id AND
    NEW.closing_digest IS OLD.closing_digest AND (NEW.finding IS OLD.finding OR NEW.finding IS '[erased]') AND
    (NEW.close_reason IS OLD.close_reason OR NEW.close_reason IS NULL)
)
BEGIN SELECT RAISE(ABORT, 'a row of conflicts can only be closed, once'); END;
CREATE TRIGGER conflicts_no_delete BEFORE DELETE ON conflicts
BEGIN SELECT RAISE(ABORT, 'conflicts is append-only'); END;

-- Two entries never follow the same one. The last entry is the only one a new entry could fork from.
CREATE TRIGGER ledger_no_fork BEFORE INSERT ON ledger
WHEN NEW.prev_hash = (SELECT prev_hash FROM ledger ORDER BY seq DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'ledger is append-only: two entries cannot follow the same one'); END;

CREATE TRIGGER ledger_time_rises BEFORE INSERT ON ledger
WHEN NEW.recorded_at <= (SELECT recorded_at FROM ledger ORDER BY seq DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'ledger is append-only: recorded time never goes back'); END;

-- Only the newest version of a memory can be current, and memory_versions_by_memory finds it.
CREATE TRIGGER memory_versions_one_current BEFORE INSERT ON memory_versions
WHEN (
    SELECT recorded_to IS NULL OR version >= NEW.version FROM memory_versions WHERE memory_id = NEW.memory_id
    ORDER BY version DESC LIMIT 1
)
BEGIN SELECT RAISE(ABORT, 'memory_versions is append-only: a version follows those before, which are closed'); END;

CREATE TRIGGER quarantines_close_once BEFORE UPDATE ON quarantines
WHEN (OLD.recorded_to IS NOT NULL OR NEW.recorded_to IS NULL OR NEW.id IS NOT OLD.id OR NEW.seq IS NOT OLD.seq OR
    NEW.source_id IS NOT OLD.source_id OR NEW.author IS NOT OLD.author OR NEW.scope IS NOT OLD.scope OR NEW.reason IS
    NOT OLD.reason OR NEW.recorded_from IS NOT OLD.recorded_from OR NEW.salt IS NOT OLD.salt OR NEW.digest IS NOT
    OLD.digest) AND NOT (
    NEW.salt IS NULL AND NEW.id IS OLD.id AND NEW.seq IS OLD.seq AND NEW.source_id IS OLD.source_id AND
    NEW.author IS OLD.author AND NEW.scope IS OLD.scope AND NEW.recorded_from IS OLD.recorded_from AND
    NEW.digest IS OLD.digest AND NEW.recorded_to IS OLD.recorded_to AND NEW.seq_to IS OLD.seq_to AND
    NEW.closed_by IS OLD.closed_by AND NEW.closing_digest IS OLD.closing_digest AND
    (NEW.reason IS OLD.reason OR NEW.reason IS '[erased]') AND
    (NEW.close_reason IS OLD.close_reason OR NEW.close_reason IS NULL)
)
BEGIN SELECT RAISE(ABORT, 'a row of quarantines can only be closed, once'); END;
CREATE TRIGGER quarantines_no_delete BEFORE DELETE ON quarantines
BEGIN SELECT RAISE(ABORT, 'quarantines is append-only'); END;
CREATE TRIGGER archived_sources_close_once BEFORE UPDATE ON archived_sources
WHEN (OLD.recorded_to IS NOT NULL OR NEW.recorded_to IS NULL OR NEW.id IS NOT OLD.id OR NEW.seq IS NOT OLD.seq OR
    NEW.source_id IS NOT OLD.source_id OR NEW.author IS NOT OLD.author OR NEW.scope IS NOT OLD.scope OR NEW.reason IS
    NOT OLD.reason OR NEW.recorded_from IS NOT OLD.recorded_from OR NEW.salt IS NOT OLD.salt OR NEW.digest IS NOT
    OLD.digest) AND NOT (
    NEW.salt IS NULL AND NEW.id IS OLD.id AND NEW.seq IS OLD.seq AND NEW.source_id IS OLD.source_id AND
    NEW.author IS OLD.author AND NEW.scope IS OLD.scope AND NEW.recorded_from IS OLD.recorded_from AND
    NEW.digest IS OLD.digest AND NEW.recorded_to IS OLD.recorded_to AND NEW.seq_to IS OLD.seq_to AND
    NEW.closed_by IS OLD.closed_by AND NEW.closing_digest IS OLD.closing_digest AND
    (NEW.reason IS OLD.reason OR NEW.reason IS '[erased]') AND
    (NEW.close_reason IS OLD.close_reason OR NEW.close_reason IS NULL)
)
BEGIN SELECT RAISE(ABORT, 'a row of archived_sources can only be closed, once'); END;
CREATE TRIGGER archived_sources_no_delete BEFORE DELETE ON archived_sources
BEGIN SELECT RAISE(ABORT, 'archived_sources is append-only'); END;
CREATE TRIGGER saved_views_close_once BEFORE UPDATE ON saved_views
WHEN (OLD.recorded_to IS NOT NULL OR NEW.recorded_to IS NULL OR NEW.id IS NOT OLD.id OR NEW.seq IS NOT OLD.seq OR
    NEW.name IS NOT OLD.name OR NEW.arguments IS NOT OLD.arguments OR NEW.author IS NOT OLD.author OR NEW.scope IS NOT
    OLD.scope OR NEW.recorded_from IS NOT OLD.recorded_from OR NEW.salt IS NOT OLD.salt OR NEW.digest IS NOT OLD.digest) AND NOT (
    NEW.salt IS NULL AND NEW.id IS OLD.id AND NEW.seq IS OLD.seq AND NEW.author IS OLD.author AND
    NEW.scope IS OLD.scope AND NEW.recorded_from IS OLD.recorded_from AND NEW.digest IS OLD.digest AND
    NEW.recorded_to IS OLD.recorded_to AND NEW.seq_to IS OLD.seq_to AND NEW.closed_by IS OLD.closed_by AND
    NEW.closing_digest IS OLD.closing_digest AND (NEW.name IS OLD.name OR NEW.name IS '[erased]') AND
    (NEW.arguments IS OLD.arguments OR NEW.arguments IS '{}') AND
    (NEW.close_reason IS OLD.close_reason OR NEW.close_reason IS NULL)
)
BEGIN SELECT RAISE(ABORT, 'a row of saved_views can only be closed, once'); END;
CREATE TRIGGER saved_views_no_delete BEFORE DELETE ON saved_views
BEGIN SELECT RAISE(ABORT, 'saved_views is append-only'); END;
CREATE TRIGGER agents_close_once BEFORE UPDATE ON agents
WHEN OLD.recorded_to IS NOT NULL OR NEW.recorded_to IS NULL OR NEW.id IS NOT OLD.id OR NEW.seq IS NOT OLD.seq OR
    NEW.name IS NOT OLD.name OR NEW.kind IS NOT OLD.kind OR NEW.role IS NOT OLD.role OR NEW.projects IS NOT
    OLD.projects OR NEW.repos IS NOT OLD.repos OR NEW.teams IS NOT OLD.teams OR NEW.writes_per_minute IS NOT
    OLD.writes_per_minute OR NEW.requests_per_second IS NOT OLD.requests_per_second OR NEW.token_check IS NOT
    OLD.token_check OR NEW.created_at IS NOT OLD.created_at OR NEW.revoked_at IS NOT OLD.revoked_at OR
    NEW.recorded_from IS NOT OLD.recorded_from OR NEW.salt IS NOT OLD.salt OR NEW.digest IS NOT OLD.digest
BEGIN SELECT RAISE(ABORT, 'a row of agents can only be closed, once'); END;
CREATE TRIGGER agents_no_delete BEFORE DELETE ON agents
BEGIN SELECT RAISE(ABORT, 'agents is append-only'); END;
CREATE TRIGGER handed_close_once BEFORE UPDATE ON handed
WHEN (OLD.recorded_to IS NOT NULL OR NEW.recorded_to IS NULL OR NEW.id IS NOT OLD.id OR NEW.seq IS NOT OLD.seq OR
    NEW.sender IS NOT OLD.sender OR NEW.receiver IS NOT OLD.receiver OR NEW.type IS NOT OLD.type OR NEW.action IS NOT
    OLD.action OR NEW.memories IS NOT OLD.memories OR NEW.note IS NOT OLD.note OR NEW.expires_at IS NOT OLD.expires_at
    OR NEW.recorded_from IS NOT OLD.recorded_from OR NEW.salt IS NOT OLD.salt OR NEW.digest IS NOT OLD.digest) AND NOT (
    NEW.salt IS NULL AND NEW.id IS OLD.id AND NEW.seq IS OLD.seq AND NEW.sender IS OLD.sender AND
    NEW.receiver IS OLD.receiver AND NEW.type IS OLD.type AND NEW.memories IS OLD.memories AND
    NEW.expires_at IS OLD.expires_at AND NEW.recorded_from IS OLD.recorded_from AND NEW.digest IS OLD.digest AND
    NEW.recorded_to IS OLD.recorded_to AND NEW.seq_to IS OLD.seq_to AND NEW.closed_by IS OLD.closed_by AND
    NEW.closing_digest IS OLD.closing_digest AND (NEW.action IS OLD.action OR NEW.action IS '[erased]') AND
    (NEW.note IS OLD.note OR NEW.note IS NULL) AND
    (NEW.close_reason IS OLD.close_reason OR NEW.close_reason IS NULL)
)
BEGIN SELECT RAISE(ABORT, 'a row of handed can only be closed, once'); END;
CREATE TRIGGER handed_no_delete BEFORE DELETE ON handed
BEGIN SELECT RAISE(ABORT, 'handed is append-only'); END;

-- INSERT OR REPLACE deletes the row that stands in its way, and in a program that has not set recursive_triggers no
-- trigger on DELETE hears of it. So a key that is taken is refused before anything is written.
CREATE TRIGGER space_no_replace BEFORE INSERT ON space
WHEN EXISTS (SELECT 1 FROM space WHERE id = NEW.id)
    OR EXISTS (SELECT 1 FROM space WHERE rowid = NEW.rowid)
BEGIN SELECT RAISE(ABORT, 'space is append-only: this key is taken'); END;
CREATE TRIGGER ledger_no_replace BEFORE INSERT ON ledger
WHEN EXISTS (SELECT 1 FROM ledger WHERE seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'ledger is append-only: this key is taken'); END;
CREATE TRIGGER sources_no_replace BEFORE INSERT ON sources
WHEN EXISTS (SELECT 1 FROM sources WHERE id = NEW.id)
    OR EXISTS (SELECT 1 FROM sources WHERE rowid = NEW.rowid)
BEGIN SELECT RAISE(ABORT, 'sources is append-only: this key is taken'); END;
CREATE TRIGGER erased_no_replace BEFORE INSERT ON erased
WHEN EXISTS (SELECT 1 FROM erased WHERE id = NEW.id)
    OR EXISTS (SELECT 1 FROM erased WHERE rowid = NEW.rowid)
BEGIN SELECT RAISE(ABORT, 'erased is append-only: this key is taken'); END;
CREATE TRIGGER evidence_no_replace BEFORE INSERT ON evidence
WHEN EXISTS (SELECT 1 FROM evidence WHERE memory_id = NEW.memory_id AND version = NEW.version AND source_id = NEW.source_id)
    OR EXISTS (SELECT 1 FROM evidence WHERE rowid = NEW.rowid)
BEGIN SELECT RAISE(ABORT, 'evidence is append-only: this key is taken'); END;
CREATE TRIGGER principals_no_replace BEFORE INSERT ON principals
WHEN EXISTS (SELECT 1 FROM principals WHERE id = NEW.id)
    OR EXISTS (SELECT 1 FROM principals WHERE rowid = NEW.rowid)
BEGIN SELECT RAISE(ABORT, 'principals is append-only: this key is taken'); END;
CREATE TRIGGER projects_no_replace BEFORE INSERT ON projects
WHEN EXISTS (SELECT 1 FROM projects WHERE id = NEW.id)
    OR EXISTS (SELECT 1 FROM projects WHERE rowid = NEW.rowid)
BEGIN SELECT RAISE(ABORT, 'projects is append-only: this key is taken'); END;
CREATE TRIGGER repos_no_replace BEFORE INSERT ON repos
WHEN EXISTS (SELECT 1 FROM repos WHERE id = NEW.id)
    OR EXISTS (SELECT 1 FROM repos WHERE rowid = NEW.rowid)
BEGIN SELECT RAISE(ABORT, 'repos is append-only: this key is taken'); END;
CREATE TRIGGER teams_no_replace BEFORE INSERT ON teams
WHEN EXISTS (SELECT 1 FROM teams WHERE id = NEW.id)
    OR EXISTS (SELECT 1 FROM teams WHERE rowid = NEW.rowid)
BEGIN SELECT RAISE(ABORT, 'teams is append-only: this key is taken'); END;
CREATE TRIGGER memory_versions_no_replace BEFORE INSERT ON memory_versions
WHEN EXISTS (SELECT 1 FROM memory_versions WHERE no = NEW.no)
BEGIN SELECT RAISE(ABORT, 'memory_versions is append-only: this key is taken'); END;
CREATE TRIGGER links_no_replace BEFORE INSERT ON links
WHEN EXISTS (SELECT 1 FROM links WHERE id = NEW.id)
    OR EXISTS (SELECT 1 FROM links WHERE rowid = NEW.rowid)
    OR (NEW.recorded_to IS NULL AND EXISTS (SELECT 1 FROM links WHERE from_id = NEW.from_id AND to_ref = NEW.to_ref AND relationship = NEW.relationship AND recorded_to IS NULL))
BEGIN SELECT RAISE(ABORT, 'links is append-only: this key is taken'); END;
CREATE TRIGGER tombstones_no_replace BEFORE INSERT ON tombstones
WHEN EXISTS (SELECT 1 FROM tombstones WHERE id = NEW.id)
    OR EXISTS (SELECT 1 FROM tombstones WHERE rowid = NEW.rowid)
BEGIN SELECT RAISE(ABORT, 'tombstones is append-only: this key is taken'); END;
CREATE TRIGGER conflicts_no_replace BEFORE INSERT ON conflicts
WHEN EXISTS (SELECT 1 FROM conflicts WHERE id = NEW.id)
    OR EXISTS (SELECT 1 FROM conflicts WHERE rowid = NEW.rowid)
BEGIN SELECT RAISE(ABORT, 'conflicts is append-only: this key is taken'); END;
CREATE TRIGGER quarantines_no_replace BEFORE INSERT ON quarantines
WHEN EXISTS (SELECT 1 FROM quarantines WHERE id = NEW.id)
    OR EXISTS (SELECT 1 FROM quarantines WHERE rowid = NEW.rowid)
    OR (NEW.recorded_to IS NULL AND EXISTS (SELECT 1 FROM quarantines WHERE source_id = NEW.source_id AND recorded_to IS NULL))
BEGIN SELECT RAISE(ABORT, 'quarantines is append-only: this key is taken'); END;
CREATE TRIGGER archived_sources_no_replace BEFORE INSERT ON archived_sources
WHEN EXISTS (SELECT 1 FROM archived_sources WHERE id = NEW.id)
    OR EXISTS (SELECT 1 FROM archived_sources WHERE rowid = NEW.rowid)
    OR (NEW.recorded_to IS NULL AND EXISTS (SELECT 1 FROM archived_sources WHERE source_id = NEW.source_id AND recorded_to IS NULL))
BEGIN SELECT RAISE(ABORT, 'archived_sources is append-only: this key is taken'); END;
CREATE TRIGGER saved_views_no_replace BEFORE INSERT ON saved_views
WHEN EXISTS (SELECT 1 FROM saved_views WHERE id = NEW.id)
    OR EXISTS (SELECT 1 FROM saved_views WHERE rowid = NEW.rowid)
    OR (NEW.recorded_to IS NULL AND EXISTS (SELECT 1 FROM saved_views WHERE author = NEW.author AND name = NEW.name AND recorded_to IS NULL))
BEGIN SELECT RAISE(ABORT, 'saved_views is append-only: this key is taken'); END;
CREATE TRIGGER agents_no_replace BEFORE INSERT ON agents
WHEN EXISTS (SELECT 1 FROM agents WHERE id = NEW.id)
    OR EXISTS (SELECT 1 FROM agents WHERE rowid = NEW.rowid)
    OR (NEW.recorded_to IS NULL AND EXISTS (SELECT 1 FROM agents WHERE name = NEW.name AND recorded_to IS NULL))
BEGIN SELECT RAISE(ABORT, 'agents is append-only: this key is taken'); END;
CREATE TRIGGER handed_no_replace BEFORE INSERT ON handed
WHEN EXISTS (SELECT 1 FROM handed WHERE id = NEW.id)
    OR EXISTS (SELECT 1 FROM handed WHERE rowid = NEW.rowid)
BEGIN SELECT RAISE(ABORT, 'handed is append-only: this key is taken'); END;

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
    hidden_seq   INTEGER,
    -- JSON: the sentences of it that are hidden, as start, end and the ledger entry since which (domain/hidden.py).
    hidden_spans TEXT
);
CREATE INDEX passages_by_source ON passages (source_id);
CREATE INDEX passages_by_seq ON passages (seq);
-- What was said in a time that a question names.
CREATE INDEX passages_by_time ON passages (shelf, happened_at);
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
    cost         TEXT NOT NULL,
    -- In which order they were logged, for those who follow.
    place        INTEGER NOT NULL
);
CREATE INDEX recalls_by_time ON recalls (recorded_at);
CREATE INDEX recalls_by_end ON recalls (substr(id, 33));
CREATE INDEX recalls_by_place ON recalls (place);
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

-- Work that is not done at once, from being asked for to its outcome. Working rows, kept for a while: what a job
-- changed is in the ledger.
CREATE TABLE jobs (
    id            TEXT PRIMARY KEY,
    name          TEXT NOT NULL,
    scope         TEXT NOT NULL,
    asked_by      TEXT NOT NULL,
    trigger    TEXT NOT NULL,
    arguments     TEXT NOT NULL,
    once          TEXT,
    state         TEXT NOT NULL,
    due_at        INTEGER NOT NULL,
    tries         INTEGER NOT NULL,
    fence         INTEGER NOT NULL,
    worker        TEXT,
    leased_until  INTEGER,
    done          INTEGER NOT NULL,
    total         INTEGER NOT NULL,
    error         TEXT,
    outcome       TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    finished_at   INTEGER
);
CREATE INDEX jobs_by_end ON jobs (substr(id, 33));
CREATE INDEX jobs_open ON jobs (due_at) WHERE finished_at IS NULL;
CREATE INDEX jobs_finished ON jobs (finished_at) WHERE finished_at IS NOT NULL;
CREATE UNIQUE INDEX jobs_once ON jobs (once) WHERE once IS NOT NULL AND finished_at IS NULL;

-- When each regular job was last asked for.
CREATE TABLE schedules (
    name      TEXT PRIMARY KEY,
    slot      INTEGER NOT NULL,
    asked_at  INTEGER NOT NULL,
    job_id    TEXT NOT NULL
);

-- What is known of a category in a scope, as text, with the versions before. Derived; the older ones are kept to look at.
CREATE TABLE summaries (
    scope        TEXT NOT NULL,
    category     TEXT NOT NULL,
    made_at      INTEGER NOT NULL,
    memories     INTEGER NOT NULL,
    text         TEXT NOT NULL,
    replaced_at  INTEGER,
    PRIMARY KEY (scope, category, made_at)
);

-- The digest of each agent's token. A working table: what it must contain follows from agents.token_check, and no
-- export contains it.
CREATE TABLE tokens (
    agent         TEXT PRIMARY KEY,
    token_digest  BLOB NOT NULL UNIQUE
) WITHOUT ROWID;
