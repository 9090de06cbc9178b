-- The statements that both databases understand. {alias: table} stands for the columns of that table's record,
-- {within: column name} for "the column is one of the list parameter", {filter} for the conditions of a search.

-- name: space
SELECT {s: space} FROM space s;

-- name: head
SELECT seq, hash, recorded_at FROM ledger ORDER BY seq DESC LIMIT 1;

-- name: head_at_time
SELECT seq, hash, recorded_at FROM ledger WHERE recorded_at <= :moment ORDER BY recorded_at DESC LIMIT 1;

-- name: ledger_entry
SELECT {l: ledger} FROM ledger l WHERE l.seq = :seq;

-- name: ledger_range
SELECT {l: ledger} FROM ledger l WHERE l.seq > :after AND l.seq <= :until ORDER BY l.seq LIMIT :limit;

-- name: next_version_no
SELECT coalesce(max(no), 0) + 1 FROM memory_versions;

-- name: current_version
SELECT {v: memory_versions} FROM memory_versions v WHERE v.memory_id = :memory_id AND v.recorded_to IS NULL;

-- name: version_at
SELECT {v: memory_versions} FROM memory_versions v
WHERE v.memory_id = :memory_id AND v.seq <= :seq AND (v.seq_to IS NULL OR v.seq_to > :seq);

-- name: versions_of
SELECT {v: memory_versions} FROM memory_versions v
WHERE v.memory_id = :memory_id AND v.seq <= :seq ORDER BY v.version;

-- name: source
SELECT {s: sources} FROM sources s WHERE s.id = :id;

-- name: source_by_lookup
SELECT {s: sources} FROM sources s WHERE s.lookup_key = :lookup_key LIMIT 1;

-- name: open_link
SELECT {k: links} FROM links k
WHERE k.from_id = :from_id AND k.to_ref = :to_ref AND k.relationship = :relationship AND k.recorded_to IS NULL;

-- name: tombstones_of_memory
SELECT {t: tombstones} FROM tombstones t WHERE t.memory_id = :memory_id AND t.seq <= :seq ORDER BY t.seq, t.id;

-- name: conflict
SELECT {c: conflicts} FROM conflicts c WHERE c.id = :id;

-- name: conflicts_by_pair
SELECT {c: conflicts} FROM conflicts c WHERE c.pair_key = :pair_key ORDER BY c.seq DESC;

-- name: conflicts_page
SELECT {c: conflicts} FROM conflicts c
WHERE (:pending = 0 OR c.recorded_to IS NULL) AND (c.seq, c.id) > (:after, :after_id) ORDER BY c.seq, c.id LIMIT :limit;

-- name: principal
SELECT {p: principals} FROM principals p WHERE p.id = :id;

-- name: project
SELECT {p: projects} FROM projects p WHERE p.id = :id;

-- name: repo
SELECT {r: repos} FROM repos r WHERE r.id = :id;

-- name: team
SELECT {t: teams} FROM teams t WHERE t.id = :id;

-- name: close_memory_versions
UPDATE memory_versions SET recorded_to = :recorded_to, seq_to = :seq_to, closing_digest = :closing_digest
WHERE memory_id = :memory_id AND version = :version;

-- name: close_links
UPDATE links SET recorded_to = :recorded_to, seq_to = :seq_to, closed_by = :closed_by, close_reason = :close_reason,
    closing_digest = :closing_digest WHERE id = :id;

-- name: close_tombstones
UPDATE tombstones SET recorded_to = :recorded_to, seq_to = :seq_to, closed_by = :closed_by,
    close_reason = :close_reason, closing_digest = :closing_digest WHERE id = :id;

-- name: close_conflicts
UPDATE conflicts SET recorded_to = :recorded_to, seq_to = :seq_to, disposition = :disposition, closed_by = :closed_by,
    close_reason = :close_reason, merged_id = :merged_id, closing_digest = :closing_digest WHERE id = :id;

-- name: idempotent_answer
SELECT request_hash, answer FROM idempotency WHERE principal = :principal AND key = :key;

-- name: keep_idempotent_answer
INSERT INTO idempotency (principal, key, request_hash, answer, seq, recorded_at)
VALUES (:principal, :key, :request_hash, :answer, :seq, :recorded_at);

-- name: drop_old_answers
DELETE FROM idempotency WHERE recorded_at < :before;

-- name: count_by
SELECT scope, kind, status, staleness, author, coalesce(topic, ''), count(*),
    sum(CASE WHEN (staleness = 'weekly' AND observed_at <= :weekly) OR (staleness = 'daily' AND observed_at <= :daily)
        OR (staleness = 'hourly' AND observed_at <= :hourly) OR staleness = 'volatile' THEN 1 ELSE 0 END)
FROM memory_versions
WHERE recorded_to IS NULL AND (:reader = '' OR visibility <> 'private' OR author = :reader)
GROUP BY 1, 2, 3, 4, 5, 6;

-- name: count_open_tombstones
SELECT count(*) FROM tombstones WHERE recorded_to IS NULL;

-- name: count_sources
SELECT count(*) FROM sources;

-- name: drop_keys
DELETE FROM memory_keys;

-- name: versions_page
SELECT {v: memory_versions} FROM memory_versions v WHERE v.no > :after ORDER BY v.no LIMIT :limit;

-- name: tombstones_by_keys
SELECT {t: tombstones} FROM tombstones t
WHERE t.recorded_to IS NULL AND {within: t.lookup_key keys} ORDER BY t.seq, t.id;

-- name: conflicts_of_memories
SELECT {c: conflicts} FROM conflicts c
WHERE c.seq <= :seq AND ({within: c.old_id ids} OR {within: c.new_id ids}) ORDER BY c.seq, c.id;

-- name: links_of_memories
SELECT {k: links} FROM links k
WHERE k.seq <= :seq AND (k.seq_to IS NULL OR k.seq_to > :seq) AND ({within: k.from_id ids} OR {within: k.to_ref ids})
ORDER BY k.seq, k.id;

-- name: evidence_of_memories
SELECT {e: evidence}, {s: sources} FROM evidence e JOIN sources s ON s.id = e.source_id
WHERE {within: e.memory_id ids} AND e.seq <= :seq ORDER BY e.seq, e.source_id;

-- name: current_of_memories
SELECT {v: memory_versions} FROM memory_versions v WHERE {within: v.memory_id ids} AND v.recorded_to IS NULL ORDER BY v.no;

-- name: list_versions
SELECT {v: memory_versions} FROM memory_versions v WHERE {filter} AND v.no < :before ORDER BY v.no DESC LIMIT :limit;

-- name: insert_keys
INSERT INTO memory_keys (key, no) VALUES (:key, :no) ON CONFLICT DO NOTHING;

-- name: live_by_numbers
SELECT {v: memory_versions} FROM memory_versions v
WHERE {within: v.no numbers} AND v.recorded_to IS NULL AND v.status IN ('active', 'inbox')
ORDER BY CASE WHEN v.verified_by IS NULL THEN 1 ELSE 0 END, v.status, v.no DESC LIMIT :limit;
