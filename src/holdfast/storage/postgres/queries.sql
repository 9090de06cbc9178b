-- The statements that are PostgreSQL's own.

-- name: applied_migrations
SELECT name, checksum FROM migrations ORDER BY name;

-- name: has_migrations
SELECT count(*) FROM pg_catalog.pg_tables WHERE schemaname = current_schema() AND tablename = 'migrations';

-- name: create_migrations
CREATE TABLE migrations (name TEXT COLLATE "C" PRIMARY KEY, checksum TEXT COLLATE "C" NOT NULL);

-- name: record_migration
INSERT INTO migrations (name, checksum) VALUES (:name, :checksum);

-- name: numbers_by_keys
SELECT k.no FROM memory_keys k WHERE {within: k.key keys};

-- name: insert_text
WITH tokens AS (
    SELECT unnest(string_to_array(:title, ' ')) AS term, 2.0 AS weight
    UNION ALL SELECT unnest(string_to_array(:content, ' ')), 1.0
    UNION ALL SELECT unnest(string_to_array(:topic, ' ')), 1.5
),
words AS (
    SELECT term, sum(weight) AS weight, count(*) AS times FROM tokens GROUP BY term
),
last AS (SELECT versions, tokens FROM memory_text ORDER BY place DESC LIMIT 1)
INSERT INTO memory_text (no, length, versions, tokens, terms, weights)
SELECT :no, coalesce(sum(w.times), 0), coalesce((SELECT versions FROM last), 0) + 1,
    coalesce((SELECT tokens FROM last), 0) + coalesce(sum(w.times), 0),
    coalesce(array_agg(w.term), '{}'), coalesce(array_agg(w.weight), '{}')
FROM words w;

-- name: clear_text
DELETE FROM memory_text;

-- name: text_numbers
SELECT no FROM memory_text WHERE no > :after ORDER BY no LIMIT :limit;

-- name: match_text
-- The arithmetic of FTS5's bm25() step by step (k1 = 1.2, b = 0.75, a word in half of all versions or more weighs next to
-- nothing), in its order too: adding up in another order would tell equal versions apart by their last digit.
WITH asked AS (
    SELECT a.term, a.place FROM unnest(:match ::text[]) WITH ORDINALITY AS a (term, place)
),
hits AS MATERIALIZED (
    SELECT a.place, m.no, m.weights[array_position(m.terms, a.term)]::double precision AS frequency,
        m.length::double precision AS length
    FROM asked a JOIN memory_text m ON m.terms @> ARRAY[a.term]
),
rarity AS MATERIALIZED (
    SELECT f.place, ln((t.versions - f.found + 0.5) / (f.found + 0.5)) AS idf,
        t.tokens::double precision / t.versions::double precision AS usual_length
    FROM (SELECT place, count(*)::double precision AS found FROM hits GROUP BY place) f
    CROSS JOIN (SELECT versions, tokens FROM memory_text ORDER BY place DESC LIMIT 1) t
),
scored AS (
    SELECT h.no, sum(
        CASE WHEN r.idf > 0 THEN r.idf ELSE 1e-6 END * (
            (h.frequency * 2.2::double precision)
            / (h.frequency + 1.2::double precision * (0.25 + 0.75::double precision * h.length / r.usual_length))
        ) ORDER BY h.place
    ) AS score
    FROM hits h JOIN rarity r ON r.place = h.place JOIN memory_versions v ON v.no = h.no
    WHERE {filter} GROUP BY h.no ORDER BY score DESC, h.no DESC LIMIT :limit
)
SELECT {v: memory_versions}, s.score FROM scored s JOIN memory_versions v ON v.no = s.no
ORDER BY s.score DESC, v.no DESC;

-- name: term_counts
SELECT a.term, (SELECT count(*) FROM memory_text m WHERE m.terms @> ARRAY[a.term])
FROM unnest(:terms ::text[]) AS a (term);
