-- Who may come by token. A working table: that a token was given or taken is in the ledger, the token is nowhere.
CREATE TABLE agents (
    name                 TEXT PRIMARY KEY,
    kind                 TEXT NOT NULL,
    role                 TEXT NOT NULL,
    projects             TEXT NOT NULL,
    repos                TEXT NOT NULL,
    teams                TEXT NOT NULL,
    token_digest         BLOB,
    writes_per_minute    INTEGER,
    requests_per_second  INTEGER,
    created_at           INTEGER NOT NULL,
    changed_at           INTEGER NOT NULL
);
CREATE UNIQUE INDEX agents_token ON agents (token_digest) WHERE token_digest IS NOT NULL;

-- What agents hand each other, until it expires.
CREATE TABLE handed (
    id          TEXT PRIMARY KEY,
    sender      TEXT NOT NULL,
    receiver    TEXT NOT NULL,
    type        TEXT NOT NULL,
    action      TEXT NOT NULL,
    memories    TEXT NOT NULL,
    note        TEXT,
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL
);
CREATE INDEX handed_receiver ON handed (receiver, expires_at);

-- In which order recalls were logged, for those who follow; one from before this is told to nobody.
ALTER TABLE recalls ADD COLUMN place INTEGER NOT NULL DEFAULT 0;
CREATE INDEX recalls_by_place ON recalls (place);
