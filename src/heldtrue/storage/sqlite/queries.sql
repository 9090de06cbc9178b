-- The statements that are SQLite's own.

-- name: applied_migrations
SELECT name, checksum FROM migrations ORDER BY name;

-- name: has_migrations
SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'migrations';

-- name: create_migrations
CREATE TABLE migrations (name TEXT PRIMARY KEY, checksum TEXT NOT NULL);

-- name: record_migration
INSERT INTO migrations (name, checksum) VALUES (:name, :checksum);

-- name: head_at_time
-- From the last marked entry before the moment, 64 at most.
WITH mark AS (
    SELECT coalesce(
        (SELECT seq FROM ledger WHERE seq % 64 = 0 AND recorded_at <= :moment ORDER BY recorded_at DESC LIMIT 1), 0
    ) AS seq
)
SELECT l.seq, l.hash, l.recorded_at FROM mark CROSS JOIN ledger l
WHERE l.seq BETWEEN mark.seq AND mark.seq + 63 AND l.recorded_at <= :moment ORDER BY l.seq DESC LIMIT 1;

-- name: memories_of_source
-- Those that came at the moment of the source, and those of another moment.
SELECT e.memory_id FROM evidence e
WHERE e.memory_id BETWEEN substr(:source_id, 1, 18) AND substr(:source_id, 1, 18) || char(1114111)
    AND e.source_id = :source_id
UNION
SELECT e.memory_id FROM evidence e
WHERE e.source_id = :source_id AND substr(e.source_id, 1, 18) <> substr(e.memory_id, 1, 18)
ORDER BY 1;

-- name: numbers_by_keys
SELECT k.key, k.no FROM json_each(:keys) j CROSS JOIN memory_keys k ON k.key = j.value;

-- name: append_postings
-- Blocks are cut after some 640 bytes besides: a long row takes pages of its own and leaves them half empty.
INSERT INTO postings (shelf, term, block, data)
VALUES (:shelf, :term, 1024 * :block + (
    SELECT coalesce(sum(length(p.data)), 0) / 640 FROM postings p
    WHERE p.shelf = :shelf AND p.term = :term AND p.block >= 1024 * :block
), :data)
ON CONFLICT (shelf, term, block) DO UPDATE SET data = CAST(postings.data || excluded.data AS BLOB);

-- name: insert_keys
INSERT INTO memory_keys (key, no) VALUES (:key, :no) ON CONFLICT DO NOTHING;

-- name: insert_passage_keys
INSERT INTO passage_keys (key, no) VALUES (:key, :no) ON CONFLICT DO NOTHING;
