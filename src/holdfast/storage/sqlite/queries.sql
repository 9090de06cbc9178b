-- The statements that are SQLite's own.

-- name: applied_migrations
SELECT name, checksum FROM migrations ORDER BY name;

-- name: has_migrations
SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'migrations';

-- name: create_migrations
CREATE TABLE migrations (name TEXT PRIMARY KEY, checksum TEXT NOT NULL);

-- name: record_migration
INSERT INTO migrations (name, checksum) VALUES (:name, :checksum);

-- name: numbers_by_keys
SELECT k.no FROM json_each(:keys) j CROSS JOIN memory_keys k ON k.key = j.value;

-- name: append_postings
INSERT INTO postings (shelf, term, block, data) VALUES (:shelf, :term, :block, :data)
ON CONFLICT (shelf, term, block) DO UPDATE SET data = CAST(postings.data || excluded.data AS BLOB);

-- name: insert_keys
INSERT INTO memory_keys (key, no) VALUES (:key, :no) ON CONFLICT DO NOTHING;

-- name: insert_passage_keys
INSERT INTO passage_keys (key, no) VALUES (:key, :no) ON CONFLICT DO NOTHING;
