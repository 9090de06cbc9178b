-- The statements that are PostgreSQL's own.

-- name: applied_migrations
SELECT name, checksum FROM migrations ORDER BY name;

-- name: has_migrations
SELECT count(*) FROM pg_catalog.pg_tables WHERE schemaname = current_schema() AND tablename = 'migrations';

-- name: create_migrations
CREATE TABLE migrations (name TEXT COLLATE "C" PRIMARY KEY, checksum TEXT COLLATE "C" NOT NULL);

-- name: record_migration
INSERT INTO migrations (name, checksum) VALUES (:name, :checksum);

-- name: head_at_time
SELECT seq, hash, recorded_at FROM ledger WHERE recorded_at <= :moment ORDER BY recorded_at DESC LIMIT 1;

-- name: memories_of_source
SELECT DISTINCT e.memory_id FROM evidence e WHERE e.source_id = :source_id ORDER BY e.memory_id;

-- name: numbers_by_keys
SELECT k.key, k.no FROM memory_keys k WHERE {within: k.key keys};

-- name: append_postings
INSERT INTO postings (shelf, term, block, data)
SELECT * FROM unnest(CAST(:shelf AS BIGINT[]), CAST(:term AS TEXT[]), CAST(:block AS BIGINT[]), CAST(:data AS BYTEA[]))
ON CONFLICT (shelf, term, block) DO UPDATE SET data = postings.data || excluded.data;

-- name: insert_keys
INSERT INTO memory_keys (key, no) SELECT * FROM unnest(CAST(:key AS BIGINT[]), CAST(:no AS BIGINT[]))
ON CONFLICT DO NOTHING;

-- name: insert_passage_keys
INSERT INTO passage_keys (key, no) SELECT * FROM unnest(CAST(:key AS BIGINT[]), CAST(:no AS BIGINT[]))
ON CONFLICT DO NOTHING;
