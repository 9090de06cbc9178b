"""Questions to PostgreSQL's own catalogue about one schema."""

from __future__ import annotations

COLUMNS = """
SELECT c.relkind::text, c.relname::text, a.attname::text, format_type(a.atttypid, a.atttypmod), a.attnotnull::text,
    coalesce(o.collname::text, '-'), coalesce(pg_get_expr(d.adbin, d.adrelid), '-')
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_collation o ON o.oid = a.attcollation LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relnamespace = to_regnamespace(%(schema)s) AND c.relkind IN ('r', 'v')
"""

INDEXES = """
SELECT 'index', c.relname::text, pg_get_indexdef(c.oid)
FROM pg_class c WHERE c.relnamespace = to_regnamespace(%(schema)s) AND c.relkind = 'i'
"""

CHECKS = """
SELECT 'constraint', c.conrelid::regclass::text, c.conname::text, pg_get_constraintdef(c.oid)
FROM pg_constraint c WHERE c.connamespace = to_regnamespace(%(schema)s) AND c.contype <> 'n'
"""

TRIGGERS = """
SELECT 'trigger', t.tgenabled::text, pg_get_triggerdef(t.oid)
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
WHERE c.relnamespace = to_regnamespace(%(schema)s) AND NOT t.tgisinternal
"""

FUNCTIONS = """
SELECT 'function', p.proname::text, p.prosrc FROM pg_proc p WHERE p.pronamespace = to_regnamespace(%(schema)s)
"""

VIEWS = """
SELECT 'view', c.relname::text, pg_get_viewdef(c.oid)
FROM pg_class c WHERE c.relnamespace = to_regnamespace(%(schema)s) AND c.relkind = 'v'
"""

DESCRIPTION = (COLUMNS, INDEXES, CHECKS, TRIGGERS, FUNCTIONS, VIEWS)

DAMAGE = """
SELECT 'index ' || c.relname || ' is not valid' FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
WHERE c.relnamespace = to_regnamespace(%(schema)s) AND NOT (i.indisvalid AND i.indisready)
UNION ALL
SELECT 'trigger ' || t.tgname || ' is switched off' FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
WHERE c.relnamespace = to_regnamespace(%(schema)s) AND NOT t.tgisinternal AND t.tgenabled <> 'A'
"""
"""What can be checked cheaply: whether indexes and triggers are in force."""

SIZE = """
SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint
FROM pg_class WHERE relnamespace = to_regnamespace(%(schema)s) AND relkind = 'r'
"""

DISTRIBUTED_SIZE = """
SELECT coalesce(sum(citus_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
WHERE c.relnamespace = to_regnamespace(%(schema)s) AND c.oid IN (SELECT logicalrelid FROM pg_dist_partition)
"""
"""On a Citus cluster: what the tables take on the node that holds them, which SIZE does not see."""

TABLES = """
SELECT relname::text FROM pg_class WHERE relnamespace = to_regnamespace(%(schema)s) AND relkind = 'r' ORDER BY 1
"""

HAS_SCHEMA = "SELECT to_regnamespace(%(schema)s) IS NOT NULL"

DURABILITY = """
SELECT current_setting('synchronous_commit'), current_setting('fsync'), current_setting('server_encoding')
"""

HAS_CITUS = "SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')"

NODES = """
SELECT n.nodename || ':' || n.nodeport, string_to_array(r.result, ' ')
FROM run_command_on_all_nodes($$
    SELECT concat_ws(
        ' ', current_setting('synchronous_commit'), current_setting('fsync'), current_setting('server_encoding')
    )
$$) r JOIN pg_dist_node n USING (nodeid) WHERE r.success
"""
"""The same of each node of a Citus cluster that answers."""
