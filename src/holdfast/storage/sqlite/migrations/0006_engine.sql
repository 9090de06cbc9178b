-- Work that is not done at once, from being asked for to its outcome. Working rows, kept for a while: what a job
-- changed is in the ledger.
CREATE TABLE jobs (
    id            TEXT PRIMARY KEY,
    name          TEXT NOT NULL,
    scope         TEXT NOT NULL,
    asked_by      TEXT NOT NULL,
    brought_by    TEXT NOT NULL,
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
