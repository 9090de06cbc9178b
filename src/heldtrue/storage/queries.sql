-- The statements that both databases understand. {alias: table} stands for the columns of that table's record,
-- {within: column name} for "the column is one of the list parameter", {filter} for the conditions of a search,
-- {owner: alias} for whose alone a row is, empty if it is shared, and {sight: alias}, {scope: alias}, {private: alias},
-- {private: alias.column} and {reader: alias.column} for what the caller may see (storage/filters.py).

-- name: space
SELECT {s: space} FROM space s;

-- name: head
SELECT seq, hash, recorded_at FROM ledger ORDER BY seq DESC LIMIT 1;

-- name: ledger_entry
SELECT {l: ledger} FROM ledger l WHERE l.seq = :seq;

-- name: ledger_range
SELECT {l: ledger} FROM ledger l WHERE l.seq > :after AND l.seq <= :until ORDER BY l.seq LIMIT :limit;

-- name: refusals
SELECT {l: ledger} FROM ledger l
WHERE l.outcome = 'refused' AND l.seq < :before AND (:everyone = 1 OR l.actor = :actor) ORDER BY l.seq DESC LIMIT :limit;

-- name: refusals_about
SELECT {l: ledger} FROM ledger l WHERE l.outcome = 'refused' AND l.target = :target AND l.seq <= :seq ORDER BY l.seq;

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

-- name: memory_ids_ending
-- By the last four characters, which an index holds; then by as many as were given.
SELECT v.memory_id, substr(v.content, 1, 200) FROM memory_versions v
WHERE substr(v.memory_id, 33) = :last AND v.memory_id LIKE :pattern AND v.recorded_to IS NULL AND {sight: v}
ORDER BY v.memory_id LIMIT :limit;

-- name: source_ids_ending
-- One that came with a memory does not say itself whether that is private: only its author finds it by its end. It is
-- told by where it is from: some of its words may be hidden.
SELECT s.id, coalesce(s.reference, s.thread, s.kind) FROM sources s
WHERE substr(s.id, 33) = :last AND s.id LIKE :pattern AND {sight: s}
    AND (s.thread IS NOT NULL OR {reader: s.author}) ORDER BY s.id LIMIT :limit;

-- name: conflict_ids_ending
-- A side is looked up for each conflict: written as a condition, it may become a join that reads every memory.
SELECT c.id, c.finding FROM conflicts c WHERE substr(c.id, 33) = :last AND c.id LIKE :pattern
    AND (SELECT 1 FROM memory_versions o WHERE o.memory_id = c.old_id AND o.recorded_to IS NULL AND {sight: o}) = 1
    AND (SELECT 1 FROM memory_versions n WHERE n.memory_id = c.new_id AND n.recorded_to IS NULL AND {sight: n}) = 1
ORDER BY c.id LIMIT :limit;

-- name: job_ids_ending
SELECT j.id, j.name FROM jobs j WHERE substr(j.id, 33) = :last AND j.id LIKE :pattern
    AND (j.scope = '' OR {scope: j}) AND {reader: j.asked_by} ORDER BY j.id LIMIT :limit;

-- name: recall_ids_ending
SELECT r.id, substr(r.question, 1, 200) FROM recalls r
WHERE substr(r.id, 33) = :last AND r.id LIKE :pattern AND {reader: r.principal} ORDER BY r.id LIMIT :limit;

-- name: source
SELECT {s: sources} FROM sources s WHERE s.id = :id;

-- name: documents_between
SELECT s.id, s.thread, s.reference FROM sources s
WHERE s.thread > :after AND s.thread < :last AND s.kind = 'document' AND s.author = :author AND s.scope = :scope
    AND s.reference IS NOT NULL ORDER BY s.thread, s.place;

-- name: source_by_lookup
SELECT {s: sources} FROM sources s WHERE s.lookup_key = :lookup_key LIMIT 1;

-- name: open_link
SELECT {k: links} FROM links k
WHERE k.from_id = :from_id AND k.to_ref = :to_ref AND k.relationship = :relationship AND k.recorded_to IS NULL;

-- name: tombstones_of_memory
SELECT {t: tombstones} FROM tombstones t WHERE t.memory_id = :memory_id AND t.seq <= :seq ORDER BY t.seq, t.id;

-- name: rejections_page
-- A statement is rejected as a whole and claim by claim; the whole stands for all of them.
SELECT {t: tombstones} FROM tombstones t
WHERE t.grain = 'text' AND (t.seq, t.id) < (:before, :before_id) AND (:lifted = 1 OR t.recorded_to IS NULL)
    AND (:by_agents = 0 OR substr(t.author, 1, 7) <> 'person:')
ORDER BY t.seq DESC, t.id DESC LIMIT :limit;

-- name: tombstones_moved
SELECT coalesce((SELECT max(seq) FROM tombstones), 0), coalesce((SELECT max(seq_to) FROM tombstones), 0),
    coalesce((SELECT max(seq) FROM erased), 0);

-- name: tombstones_since
SELECT {t: tombstones} FROM tombstones t WHERE t.seq > :laid OR t.seq_to > :lifted ORDER BY t.seq, t.id;

-- name: conflict
SELECT {c: conflicts} FROM conflicts c WHERE c.id = :id;

-- name: conflicts_by_pairs
SELECT {c: conflicts} FROM conflicts c WHERE {within: c.pair_key pair_keys} ORDER BY c.seq DESC, c.id DESC;

-- name: conflicts_page
SELECT {c: conflicts} FROM conflicts c
WHERE (:pending = 0 OR c.recorded_to IS NULL) AND (c.seq, c.id) > (:after, :after_id)
    AND (SELECT 1 FROM memory_versions o WHERE o.memory_id = c.old_id AND o.recorded_to IS NULL AND {sight: o}) = 1
    AND (SELECT 1 FROM memory_versions n WHERE n.memory_id = c.new_id AND n.recorded_to IS NULL AND {sight: n}) = 1
ORDER BY c.seq, c.id LIMIT :limit;

-- name: erased_content
SELECT DISTINCT e.content_key FROM erased e WHERE {within: e.content_key keys};

-- name: has_erased
SELECT 1 FROM erased LIMIT 1;

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
SELECT v.scope, v.kind, v.status, v.staleness, v.author, coalesce(v.topic, ''), count(*),
    sum(CASE WHEN (v.staleness = 'weekly' AND v.observed_at <= :weekly)
        OR (v.staleness = 'daily' AND v.observed_at <= :daily)
        OR (v.staleness = 'hourly' AND v.observed_at <= :hourly) OR v.staleness = 'volatile' THEN 1 ELSE 0 END)
FROM memory_versions v WHERE v.recorded_to IS NULL AND {sight: v}
GROUP BY 1, 2, 3, 4, 5, 6;

-- name: count_rejections
SELECT count(*) FROM tombstones WHERE recorded_to IS NULL AND grain = 'text';

-- name: count_rejected_by_agents
SELECT count(*) FROM tombstones WHERE recorded_to IS NULL AND grain = 'text' AND substr(author, 1, 7) <> 'person:';

-- name: count_sources
SELECT count(*) FROM sources;

-- name: count_unfindable_sources
SELECT count(*) FROM sources s WHERE s.thread IS NOT NULL AND s.content <> '' AND NOT EXISTS (SELECT 1 FROM passages p WHERE p.source_id = s.id);

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

-- name: is_doubted
SELECT 1 FROM conflicts c
WHERE (c.old_id = :memory_id OR c.new_id = :memory_id) AND c.weaker_id = :memory_id AND c.recorded_to IS NULL
    AND c.kind <> 'retraction' AND c.id <> :besides LIMIT 1;

-- name: links_of_memories
SELECT {k: links} FROM links k
WHERE k.seq <= :seq AND (k.seq_to IS NULL OR k.seq_to > :seq) AND ({within: k.from_id ids} OR {within: k.to_ref ids})
ORDER BY k.seq, k.id;

-- name: links_ever_to
SELECT {k: links} FROM links k WHERE {within: k.to_ref ids} AND k.relationship = :relationship ORDER BY k.seq, k.id;

-- name: evidence_of_memories
SELECT {e: evidence}, {s: sources} FROM evidence e JOIN sources s ON s.id = e.source_id
WHERE {within: e.memory_id ids} AND e.seq <= :seq ORDER BY e.seq, e.source_id;

-- name: evidence_by
SELECT 1 FROM evidence e WHERE e.memory_id = :memory_id AND e.author = :author LIMIT 1;

-- name: current_of_memories
SELECT {v: memory_versions} FROM memory_versions v WHERE {within: v.memory_id ids} AND v.recorded_to IS NULL ORDER BY v.no;

-- name: list_versions
SELECT {v: memory_versions} FROM memory_versions v WHERE {filter} AND v.no < :before ORDER BY v.no DESC LIMIT :limit;

-- name: numbers_sharing_keys
-- By groups, not by a join: a key that thousands share would make millions of pairs.
WITH live AS (
    SELECT k.key, k.no FROM memory_keys k JOIN memory_versions v ON v.no = k.no
    WHERE v.recorded_to IS NULL AND v.status IN ('active', 'inbox')
)
SELECT DISTINCT no FROM live WHERE key IN (SELECT key FROM live GROUP BY key HAVING count(*) > 1);

-- name: live_by_numbers
SELECT {v: memory_versions} FROM memory_versions v
WHERE {within: v.no numbers} AND v.recorded_to IS NULL AND v.status IN ('active', 'inbox')
ORDER BY CASE WHEN v.verified_by IS NULL THEN 1 ELSE 0 END, v.status, v.no DESC LIMIT :limit;

-- name: first_by_keys
SELECT n.key, n.no FROM (
    SELECT k.key, k.no, row_number() OVER (
        PARTITION BY k.key ORDER BY CASE WHEN v.verified_by IS NULL THEN 1 ELSE 0 END, v.status, v.no DESC
    ) AS place
    FROM memory_keys k JOIN memory_versions v ON v.no = k.no
    WHERE {within: k.key keys} AND v.recorded_to IS NULL AND v.status IN ('active', 'inbox')
) AS n WHERE n.place <= :limit;

-- name: shelves_of
SELECT s.no, s.collection, s.scope, s.private_to, s.docs, s.tokens FROM shelves s
WHERE {within: s.collection collections} AND {scope: s} AND {private: s.private_to} ORDER BY s.no;

-- name: shelf_named
SELECT no FROM shelves WHERE collection = :collection AND scope = :scope AND private_to = :private_to;

-- name: insert_shelf
-- A number that anything still bears is not given again: what is on a lost shelf must not turn up on another.
INSERT INTO shelves (no, collection, scope, private_to, docs, tokens)
SELECT coalesce(max(every.no), 0) + 1, :collection, :scope, :private_to, 0, 0 FROM (
    SELECT max(no) AS no FROM shelves
    UNION ALL SELECT max(shelf) FROM passages
    UNION ALL SELECT max(shelf) FROM postings
    UNION ALL SELECT max(shelf) FROM unposted
    UNION ALL SELECT (SELECT max(v.shelf) FROM vectors v WHERE v.model = m.no) FROM models m
) AS every;

-- name: grow_shelf
UPDATE shelves SET docs = docs + :docs, tokens = tokens + :tokens WHERE no = :no;

-- name: shelf_sizes
SELECT no, docs FROM shelves WHERE {within: no shelves};

-- name: postings_of
SELECT p.shelf, p.term, p.data FROM postings p WHERE {within: p.shelf shelves} AND {within: p.term terms}
ORDER BY p.shelf, p.term, p.block;

-- name: any_posting
SELECT 1 FROM postings p WHERE {within: p.shelf shelves} LIMIT 1;

-- name: terms_between
SELECT DISTINCT p.term FROM postings p WHERE {within: p.shelf shelves} AND p.term >= :first AND p.term < :last
ORDER BY p.term LIMIT :limit;

-- name: unposted_after
SELECT place, shelf, doc, length, asks, terms FROM unposted WHERE place > :after ORDER BY place;

-- name: count_unposted
SELECT count(*) FROM unposted;

-- name: insert_unposted
INSERT INTO unposted (place, shelf, doc, length, asks, terms)
SELECT coalesce(max(place), 0) + 1, :shelf, :doc, :length, :asks, :terms FROM unposted;

-- name: drop_unposted
DELETE FROM unposted;

-- name: index_state
SELECT value FROM index_state WHERE name = :name;

-- name: space_state
SELECT l.seq, l.hash, l.recorded_at, coalesce((SELECT value FROM index_state WHERE name = 'folds'), 0),
    coalesce((SELECT value FROM index_state WHERE name = 'rebuilds'), 0),
    coalesce((SELECT max(place) FROM unposted), 0), coalesce((SELECT max(no) FROM shelves), 0),
    EXISTS (SELECT 1 FROM postings), EXISTS (SELECT 1 FROM links), EXISTS (SELECT 1 FROM conflicts),
    (SELECT no FROM models WHERE name = :model),
    (SELECT dimension FROM models WHERE name = :model),
    CASE WHEN EXISTS (SELECT 1 FROM vectors WHERE model = (SELECT no FROM models WHERE name = :model))
        THEN (SELECT value FROM index_state WHERE name = 'embedded:' || (SELECT no FROM models WHERE name = :model)) END
FROM (SELECT max(seq) AS seq FROM ledger) AS last LEFT JOIN ledger l ON l.seq = last.seq;

-- name: set_index_state
INSERT INTO index_state (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: insert_memory_index
INSERT INTO memory_index (no, shelf, terms) VALUES (:no, :shelf, :terms);

-- name: indexed_numbers
SELECT m.no FROM memory_index m JOIN shelves s ON s.no = m.shelf WHERE m.no > :after ORDER BY m.no LIMIT :limit;

-- name: shelves_of_versions
SELECT no, shelf FROM memory_index WHERE {within: no numbers};

-- name: headers
SELECT v.no, v.memory_id, v.kind, v.scope, v.topic, v.category, v.confidence, v.author, v.verified_by, v.valid_from,
    v.valid_to, v.observed_at, v.recorded_from, u.priority, u.recalled
FROM memory_versions v LEFT JOIN memory_use u ON u.memory_id = v.memory_id
WHERE {within: v.no numbers} AND {filter} ORDER BY v.no;

-- name: newest_headers
SELECT v.no, v.memory_id, v.kind, v.scope, v.topic, v.category, v.confidence, v.author, v.verified_by, v.valid_from,
    v.valid_to, v.observed_at, v.recorded_from, u.priority, u.recalled
FROM memory_versions v LEFT JOIN memory_use u ON u.memory_id = v.memory_id
WHERE {filter} ORDER BY v.no DESC LIMIT :limit;

-- name: versions_numbered
SELECT {v: memory_versions} FROM memory_versions v WHERE {within: v.no numbers} ORDER BY v.no;

-- name: thread_named
SELECT no, places FROM threads WHERE shelf = :shelf AND name = :name;

-- name: insert_thread
INSERT INTO threads (no, shelf, name, places) SELECT coalesce(max(no), 0) + 1, :shelf, :name, 0 FROM threads;

-- name: take_places
UPDATE threads SET places = places + :wanted WHERE shelf = :shelf AND name = :name AND places + :wanted <= :most
RETURNING no, places;

-- name: insert_passage
INSERT INTO passages (no, shelf, source_id, seq, span_start, span_end, speaker, happened_at, terms, hidden_seq,
    hidden_spans)
VALUES (:no, :shelf, :source_id, :seq, :span_start, :span_end, :speaker, :happened_at, :terms, :hidden_seq,
    :hidden_spans);

-- name: passages_numbered
SELECT p.no, p.shelf, p.source_id, p.seq, p.span_start, p.span_end, p.speaker, p.happened_at, p.terms, p.hidden_seq,
    p.hidden_spans
FROM passages p WHERE {within: p.no numbers} AND {within: p.shelf shelves} AND p.seq <= :seq AND (p.hidden_seq IS NULL OR p.hidden_seq > :seq)
    AND NOT EXISTS (SELECT 1 FROM archived_sources a WHERE a.source_id = p.source_id AND a.seq <= :seq AND (a.seq_to IS NULL OR a.seq_to > :seq))
    AND p.happened_at >= :earliest AND p.happened_at <= :latest ORDER BY p.no;

-- name: newest_passages
SELECT p.no, p.shelf, p.source_id, p.seq, p.span_start, p.span_end, p.speaker, p.happened_at, p.terms, p.hidden_seq,
    p.hidden_spans
FROM passages p WHERE {within: p.shelf shelves} AND p.seq <= :seq AND (p.hidden_seq IS NULL OR p.hidden_seq > :seq)
    AND NOT EXISTS (SELECT 1 FROM archived_sources a WHERE a.source_id = p.source_id AND a.seq <= :seq AND (a.seq_to IS NULL OR a.seq_to > :seq))
    AND p.happened_at >= :earliest AND p.happened_at <= :latest ORDER BY p.no DESC LIMIT :limit;

-- name: passages_of_source
SELECT p.no, p.shelf, p.source_id, p.seq, p.span_start, p.span_end, p.speaker, p.happened_at, p.terms, p.hidden_seq,
    p.hidden_spans
FROM passages p WHERE p.source_id = :source_id ORDER BY p.no;

-- name: passages_by_keys
SELECT p.no, p.shelf, p.source_id, p.seq, p.span_start, p.span_end, p.speaker, p.happened_at, p.terms, p.hidden_seq,
    p.hidden_spans
FROM passages p WHERE p.no IN (SELECT k.no FROM passage_keys k WHERE {within: k.key keys}) ORDER BY p.no;

-- name: passage_texts
SELECT p.no, substr(s.content, CAST(p.span_start + 1 AS INTEGER), CAST(p.span_end - p.span_start AS INTEGER)), s.id,
    s.kind, s.reference, s.title, s.thread, s.place, p.speaker, s.author, s.scope, s.occurred_at, s.recorded_at,
    p.span_start, p.hidden_spans
FROM passages p JOIN sources s ON s.id = p.source_id WHERE {within: p.no numbers} ORDER BY p.no;

-- name: hide_passages
UPDATE passages SET hidden_seq = :hidden_seq, hidden_spans = :hidden_spans WHERE {within: no numbers};

-- name: thread_length
SELECT coalesce(max(s.place), -1) + 1 FROM sources s WHERE s.thread = :thread AND s.scope = :scope
    AND {owner: s} = :owner;

-- name: thread_turns
SELECT {s: sources} FROM sources s WHERE s.thread = :thread AND s.scope = :scope AND s.speaker IS NOT NULL
    AND {owner: s} = :owner
ORDER BY s.place, s.seq LIMIT :limit;

-- name: turns_before
SELECT {s: sources} FROM sources s WHERE s.thread = :thread AND s.scope = :scope AND s.speaker IS NOT NULL
    AND s.place < :place AND {owner: s} = :owner
ORDER BY s.place DESC, s.seq DESC LIMIT :limit;

-- name: documents_after
SELECT {s: sources} FROM sources s WHERE s.thread = :thread AND s.scope = :scope AND s.kind = 'document'
    AND s.reference = :reference AND s.author = :author AND s.place > :place
    AND {owner: s} = :owner
ORDER BY s.place, s.seq;

-- name: documents_before
SELECT {s: sources} FROM sources s WHERE s.thread = :thread AND s.scope = :scope AND s.kind = 'document'
    AND s.reference = :reference AND s.author = :author AND s.place < :place AND {owner: s} = :owner
ORDER BY s.place, s.seq;

-- name: open_quarantine
SELECT {q: quarantines} FROM quarantines q WHERE q.source_id = :source_id AND q.recorded_to IS NULL;

-- name: quarantined
SELECT q.source_id FROM quarantines q WHERE {within: q.source_id ids} AND q.recorded_to IS NULL;

-- name: archivable_sources
SELECT s.id, s.kind, s.scope, s.recorded_at, substr(s.content, 1, CAST(:chars AS INTEGER)) FROM sources s
WHERE s.id > :after AND s.recorded_at <= :latest AND s.thread IS NOT NULL AND s.content <> ''
    AND (:everywhere = 1 OR s.scope = :scope)
    AND (:archived_too = 1 OR NOT EXISTS (SELECT 1 FROM archived_sources a WHERE a.source_id = s.id))
ORDER BY s.id LIMIT :limit;

-- name: archivings_of_source
SELECT count(*) FROM archived_sources a WHERE a.source_id = :source_id;

-- name: model_named
SELECT no, dimension FROM models WHERE name = :name;

-- name: insert_model
INSERT INTO models (no, name, dimension) SELECT coalesce(max(no), 0) + 1, :name, :dimension FROM models;

-- name: vectors_of
SELECT doc, piece, vector, tokens FROM vectors WHERE model = :model AND shelf = :shelf ORDER BY doc, piece;

-- name: bare_vectors_of
SELECT doc, piece, vector FROM vectors WHERE model = :model AND shelf = :shelf ORDER BY doc, piece;

-- name: vectors_numbered
SELECT doc, piece, vector, tokens FROM vectors WHERE model = :model AND shelf = :shelf AND {within: doc docs}
ORDER BY doc, piece;

-- name: documents_written
SELECT m.shelf, m.no FROM memory_versions v JOIN memory_index m ON m.no = v.no
WHERE v.seq > :after AND v.seq <= :until
UNION ALL SELECT p.shelf, p.no FROM passages p WHERE p.seq > :after AND p.seq <= :until;

-- name: vector_tokens
SELECT doc, tokens FROM vectors WHERE model = :model AND shelf = :shelf AND {within: doc docs} AND piece = 0;

-- name: any_vector
SELECT 1 FROM vectors WHERE model = :model LIMIT 1;

-- name: insert_vector
INSERT INTO vectors (model, shelf, doc, piece, vector, tokens) VALUES (:model, :shelf, :doc, :piece, :vector, :tokens)
ON CONFLICT (model, shelf, doc, piece) DO UPDATE SET vector = excluded.vector, tokens = excluded.tokens;

-- name: drop_vectors
DELETE FROM vectors WHERE model <> :keep;

-- name: clear_memory_index
DELETE FROM memory_index;

-- name: clear_postings
DELETE FROM postings;

-- name: clear_passages
DELETE FROM passages;

-- name: clear_passage_keys
DELETE FROM passage_keys;

-- name: clear_threads
DELETE FROM threads;

-- name: clear_shelves
DELETE FROM shelves;

-- name: clear_models
DELETE FROM models;

-- name: index_totals
SELECT s.no, s.scope, (SELECT coalesce(sum(m.terms), 0) FROM memory_index m WHERE m.shelf = s.no)
    + (SELECT coalesce(sum(p.terms), 0) FROM passages p WHERE p.shelf = s.no),
    (SELECT coalesce(sum(length(o.data)), 0) FROM postings o WHERE o.shelf = s.no) / 8
FROM shelves s ORDER BY s.no;

-- name: insert_recall
INSERT INTO recalls (id, recorded_at, principal, channel, verb, question, asked, tier, results, cost, place)
VALUES (:id, :recorded_at, :principal, :channel, :verb, :question, :asked, :tier, :results, :cost, :place)
ON CONFLICT (id) DO NOTHING;

-- name: recall_row
SELECT id, recorded_at, principal, channel, verb, question, asked, tier, results, cost FROM recalls WHERE id = :id;

-- name: recall_rows
SELECT id, recorded_at, principal, channel, verb, question, asked, tier, results, cost FROM recalls
WHERE recorded_at < :before AND (:everyone = 1 OR principal = :principal)
    AND NOT {within: verb without} ORDER BY recorded_at DESC, id DESC LIMIT :limit;

-- name: recalls_after
SELECT place, id, recorded_at, principal, channel, verb, question, asked, tier, results, cost FROM recalls
WHERE place > :after AND (:everyone = 1 OR principal = :principal) ORDER BY place LIMIT :limit;

-- name: drop_recalls
DELETE FROM recalls WHERE recorded_at < :before;

-- name: count_recalls_before
SELECT count(*) FROM recalls WHERE recorded_at < :before;

-- name: uses
SELECT memory_id, recalled, injected, used, ignored, priority, last_recalled_at FROM memory_use
WHERE {within: memory_id ids} ORDER BY memory_id;

-- name: count_use
INSERT INTO memory_use (memory_id, recalled, injected, used, ignored, priority, last_recalled_at)
VALUES (:memory_id, :recalled, :injected, :used, :ignored, :priority, :at)
ON CONFLICT (memory_id) DO UPDATE SET recalled = memory_use.recalled + excluded.recalled,
    injected = memory_use.injected + excluded.injected, used = memory_use.used + excluded.used,
    ignored = memory_use.ignored + excluded.ignored, priority = CASE
        WHEN memory_use.priority + excluded.priority > 1 THEN 1
        WHEN memory_use.priority + excluded.priority < -1 THEN -1
        ELSE memory_use.priority + excluded.priority END,
    last_recalled_at = coalesce(excluded.last_recalled_at, memory_use.last_recalled_at);

-- name: saved_view
SELECT {w: saved_views} FROM saved_views w WHERE w.author = :author AND w.name = :name AND w.recorded_to IS NULL;

-- name: saved_views_of
SELECT {w: saved_views} FROM saved_views w WHERE w.recorded_to IS NULL AND (:everyone = 1 OR w.author = :author)
ORDER BY w.name, w.id;

-- name: close_quarantines
UPDATE quarantines SET recorded_to = :recorded_to, seq_to = :seq_to, closed_by = :closed_by,
    close_reason = :close_reason, closing_digest = :closing_digest WHERE id = :id;

-- name: close_archived_sources
UPDATE archived_sources SET recorded_to = :recorded_to, seq_to = :seq_to, closed_by = :closed_by,
    close_reason = :close_reason, closing_digest = :closing_digest WHERE id = :id;

-- name: close_saved_views
UPDATE saved_views SET recorded_to = :recorded_to, seq_to = :seq_to, closed_by = :closed_by,
    close_reason = :close_reason, closing_digest = :closing_digest WHERE id = :id;

-- name: passages_written
SELECT p.no, p.shelf, p.source_id, p.seq, p.span_start, p.span_end, p.speaker, p.happened_at, p.terms, p.hidden_seq,
    p.hidden_spans
FROM passages p WHERE p.seq > :after AND p.seq <= :until ORDER BY p.seq, p.no;

-- name: count_documents
SELECT (SELECT count(*) FROM memory_versions WHERE seq > :after) + (SELECT count(*) FROM passages WHERE seq > :after);

-- name: forget_embedded
DELETE FROM index_state WHERE name LIKE 'embedded:%';

-- name: count_threads
SELECT count(*) FROM threads t WHERE {within: t.shelf shelves};

-- name: unseen_passages
SELECT p.no FROM passages p WHERE {within: p.shelf shelves} AND p.hidden_seq IS NOT NULL AND p.hidden_seq <= :seq
UNION
SELECT p.no FROM archived_sources a JOIN passages p ON p.source_id = a.source_id
WHERE {within: p.shelf shelves} AND a.seq <= :seq AND (a.seq_to IS NULL OR a.seq_to > :seq);

-- name: later_passages
SELECT p.no FROM passages p WHERE {within: p.shelf shelves} AND p.seq > :seq;

-- name: job
SELECT j.id, j.name, j.scope, j.asked_by, j.trigger, j.arguments, j.once, j.state, j.due_at, j.tries, j.fence,
    j.worker, j.leased_until, j.done, j.total, j.error, j.outcome, j.created_at, j.finished_at FROM jobs j WHERE j.id = :id;

-- name: jobs_listed
SELECT j.id, j.name, j.scope, j.asked_by, j.trigger, j.arguments, j.once, j.state, j.due_at, j.tries, j.fence,
    j.worker, j.leased_until, j.done, j.total, j.error, j.outcome, j.created_at, j.finished_at FROM jobs j
WHERE (:any_name = 1 OR {within: j.name names}) AND (:any_state = 1 OR {within: j.state states})
    AND (:anyone = 1 OR j.asked_by = :asked_by) AND j.id < :before ORDER BY j.id DESC LIMIT :limit;

-- name: due_job
SELECT j.id, j.name, j.scope, j.asked_by, j.trigger, j.arguments, j.once, j.state, j.due_at, j.tries, j.fence,
    j.worker, j.leased_until, j.done, j.total, j.error, j.outcome, j.created_at, j.finished_at FROM jobs j
WHERE j.finished_at IS NULL AND (:any_name = 1 OR {within: j.name names})
    AND ((j.state = 'waiting' AND j.due_at <= :now) OR (j.state = 'running' AND j.leased_until <= :now))
ORDER BY j.due_at, j.id LIMIT 1;

-- name: open_job
SELECT j.id, j.name, j.scope, j.asked_by, j.trigger, j.arguments, j.once, j.state, j.due_at, j.tries, j.fence,
    j.worker, j.leased_until, j.done, j.total, j.error, j.outcome, j.created_at, j.finished_at FROM jobs j WHERE j.once = :once AND j.finished_at IS NULL;

-- name: count_jobs
SELECT name, state, count(*) FROM jobs GROUP BY name, state ORDER BY name, state;

-- name: insert_job
INSERT INTO jobs (id, name, scope, asked_by, trigger, arguments, once, state, due_at, tries, fence, worker,
    leased_until, done, total, error, outcome, created_at, finished_at)
VALUES (:id, :name, :scope, :asked_by, :trigger, :arguments, :once, :state, :due_at, :tries, :fence, :worker,
    :leased_until, :done, :total, :error, :outcome, :created_at, :finished_at);

-- name: update_job
UPDATE jobs SET state = :state, due_at = :due_at, tries = :tries, fence = :fence, worker = :worker, leased_until =
    :leased_until, done = :done, total = :total, error = :error, outcome = :outcome, finished_at = :finished_at
WHERE id = :id;

-- name: suspend_jobs
UPDATE jobs SET state = 'suspended', worker = NULL, leased_until = NULL, error = :error, finished_at = :now
WHERE asked_by = :asked_by AND (finished_at IS NULL OR state = 'failed') RETURNING id;

-- name: count_old_jobs
SELECT count(*) FROM jobs WHERE finished_at < :before AND state NOT IN ('failed', 'suspended');

-- name: drop_old_jobs
DELETE FROM jobs WHERE finished_at < :before AND state NOT IN ('failed', 'suspended');

-- name: count_learned_since
SELECT count(*) FROM memories WHERE created_at >= :since;

-- name: summaries_of
SELECT scope, category, made_at, memories, text, replaced_at FROM summaries
WHERE scope = :scope AND category = :category ORDER BY made_at DESC LIMIT :limit;

-- name: current_summaries
SELECT scope, category, made_at, memories, text, replaced_at FROM summaries WHERE replaced_at IS NULL
ORDER BY scope, category;

-- name: replace_summary
UPDATE summaries SET replaced_at = :replaced_at WHERE scope = :scope AND category = :category AND replaced_at IS NULL;

-- name: insert_summary
INSERT INTO summaries (scope, category, made_at, memories, text, replaced_at)
VALUES (:scope, :category, :made_at, :memories, :text, NULL);

-- name: schedule_run
SELECT name, slot, asked_at, job_id FROM schedules WHERE name = :name;

-- name: keep_schedule_run
INSERT INTO schedules (name, slot, asked_at, job_id) VALUES (:name, :slot, :asked_at, :job_id)
ON CONFLICT (name) DO UPDATE SET slot = excluded.slot, asked_at = excluded.asked_at, job_id = excluded.job_id;

-- name: agent
SELECT {a: agents}, t.token_digest FROM agents a LEFT JOIN tokens t ON t.agent = a.name
WHERE a.name = :name AND a.recorded_to IS NULL;

-- name: agent_by_token
SELECT {a: agents}, t.token_digest FROM tokens t JOIN agents a ON a.name = t.agent
WHERE t.token_digest = :token_digest AND a.recorded_to IS NULL;

-- name: agents
SELECT {a: agents}, t.token_digest FROM agents a LEFT JOIN tokens t ON t.agent = a.name
WHERE a.recorded_to IS NULL ORDER BY a.name;

-- name: tokens
SELECT agent, token_digest FROM tokens ORDER BY agent;

-- name: keep_token
INSERT INTO tokens (agent, token_digest) VALUES (:agent, :token_digest)
ON CONFLICT (agent) DO UPDATE SET token_digest = excluded.token_digest;

-- name: drop_token
DELETE FROM tokens WHERE agent = :agent;

-- name: close_agents
UPDATE agents SET recorded_to = :recorded_to, seq_to = :seq_to, closed_by = :closed_by, close_reason = :close_reason,
    closing_digest = :closing_digest WHERE id = :id;

-- name: close_handed
UPDATE handed SET recorded_to = :recorded_to, seq_to = :seq_to, closed_by = :closed_by, close_reason = :close_reason,
    closing_digest = :closing_digest WHERE id = :id;

-- name: messages_to
SELECT {h: handed} FROM handed h WHERE h.receiver = :receiver AND h.recorded_to IS NULL ORDER BY h.id;

-- name: handed_to
SELECT {h: handed} FROM handed h
WHERE h.receiver = :receiver AND h.expires_at > :now AND h.recorded_to IS NULL AND h.id < :before
ORDER BY h.id DESC LIMIT :limit;

-- name: forget_answers
DELETE FROM idempotency WHERE principal = :principal;
