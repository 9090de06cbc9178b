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

-- name: insert_text
INSERT INTO memory_text (rowid, title, content, topic) VALUES (:no, :title, :content, :topic);

-- name: clear_text
DELETE FROM memory_text;

-- name: text_numbers
SELECT rowid FROM memory_text WHERE rowid > :after ORDER BY rowid LIMIT :limit;

-- name: match_text
SELECT {v: memory_versions}, -bm25(memory_text, 2.0, 1.0, 1.5)
FROM memory_text JOIN memory_versions v ON v.no = memory_text.rowid
WHERE memory_text MATCH :match AND {filter}
ORDER BY bm25(memory_text, 2.0, 1.0, 1.5), v.no DESC LIMIT :limit;

-- name: term_counts
SELECT term, doc FROM memory_vocabulary WHERE {within: term terms};
