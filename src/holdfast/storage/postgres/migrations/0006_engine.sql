-- Work that is not done at once, from being asked for to its outcome. Working rows, kept for a while: what a job
-- changed is in the ledger.
CREATE TABLE jobs (
    id            TEXT COLLATE "C" PRIMARY KEY,
    name          TEXT COLLATE "C" NOT NULL,
    scope         TEXT COLLATE "C" NOT NULL,
    asked_by      TEXT COLLATE "C" NOT NULL,
    brought_by    TEXT COLLATE "C" NOT NULL,
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
