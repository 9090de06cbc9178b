-- Who may come by token. A working table: that a token was given or taken is in the ledger, the token is nowhere.
CREATE TABLE agents (
    name                 TEXT COLLATE "C" PRIMARY KEY,
    kind                 TEXT COLLATE "C" NOT NULL,
    role                 TEXT COLLATE "C" NOT NULL,
    projects             TEXT COLLATE "C" NOT NULL,
    repos                TEXT COLLATE "C" NOT NULL,
    teams                TEXT COLLATE "C" NOT NULL,
    token_digest         BYTEA,
    writes_per_minute    BIGINT,
    requests_per_second  BIGINT,
    created_at           BIGINT NOT NULL,
    changed_at           BIGINT NOT NULL
);
CREATE UNIQUE INDEX agents_token ON agents (token_digest) WHERE token_digest IS NOT NULL;

-- What agents hand each other, until it expires.
CREATE TABLE handed (
    id          TEXT COLLATE "C" PRIMARY KEY,
    sender      TEXT COLLATE "C" NOT NULL,
    receiver    TEXT COLLATE "C" NOT NULL,
    type        TEXT COLLATE "C" NOT NULL,
    action      TEXT COLLATE "C" NOT NULL,
    memories    TEXT COLLATE "C" NOT NULL,
    note        TEXT COLLATE "C",
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL
);
CREATE INDEX handed_receiver ON handed (receiver, expires_at);

-- In which order recalls were logged, for those who follow; one from before this is told to nobody.
ALTER TABLE recalls ADD COLUMN place BIGINT NOT NULL DEFAULT 0;
CREATE INDEX recalls_by_place ON recalls (place);
