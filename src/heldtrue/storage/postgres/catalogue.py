"""Questions to PostgreSQL's own catalogue about one schema."""

from __future__ import annotations

RELATIONS = """
SELECT CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view'
        WHEN 'S' THEN 'sequence' WHEN 'f' THEN 'foreign table' WHEN 'p' THEN 'partitioned table' ELSE 'type' END,
    c.relname::text, concat_ws(' ', c.relrowsecurity, c.relforcerowsecurity, c.relispartition),
    CASE WHEN c.relkind IN ('v', 'm') THEN pg_get_viewdef(c.oid) ELSE '-' END
FROM pg_class c WHERE c.relnamespace = to_regnamespace(%(schema)s) AND c.relkind NOT IN ('i', 'I', 't')
"""

COLUMNS = """
SELECT 'column', c.relname || '.' || a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull::text,
    coalesce(o.collname::text, '-'), coalesce(pg_get_expr(d.adbin, d.adrelid), '-'),
    concat_ws(' ', a.attgenerated, a.attidentity)
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_collation o ON o.oid = a.attcollation LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relnamespace = to_regnamespace(%(schema)s) AND c.relkind IN ('r', 'v', 'm', 'f', 'p')
"""

INDEXES = """
SELECT 'index', c.relname::text, pg_get_indexdef(c.oid)
FROM pg_class c WHERE c.relnamespace = to_regnamespace(%(schema)s) AND c.relkind IN ('i', 'I')
"""

CHECKS = """
SELECT 'constraint', r.relname || '.' || c.conname, pg_get_constraintdef(c.oid)
FROM pg_constraint c JOIN pg_class r ON r.oid = c.conrelid
WHERE c.connamespace = to_regnamespace(%(schema)s) AND c.contype <> 'n'
"""

TRIGGERS = """
SELECT 'trigger', t.tgname::text, t.tgenabled::text, pg_get_triggerdef(t.oid)
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
WHERE c.relnamespace = to_regnamespace(%(schema)s) AND NOT t.tgisinternal
"""

FUNCTIONS = """
SELECT 'function', p.proname::text, pg_get_function_identity_arguments(p.oid), l.lanname::text, p.prosrc,
    concat_ws(' ', p.prokind, p.prosecdef, p.provolatile, p.proconfig)
FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang WHERE p.pronamespace = to_regnamespace(%(schema)s)
"""

RULES = """
SELECT 'rule', c.relname || '.' || r.rulename, r.ev_enabled::text, pg_get_ruledef(r.oid)
FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
WHERE c.relnamespace = to_regnamespace(%(schema)s) AND r.rulename <> '_RETURN'
"""

POLICIES = """
SELECT 'policy', c.relname || '.' || p.polname, p.polcmd::text, coalesce(pg_get_expr(p.polqual, p.polrelid), '-'),
    coalesce(pg_get_expr(p.polwithcheck, p.polrelid), '-')
FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid WHERE c.relnamespace = to_regnamespace(%(schema)s)
"""

HEIRS = """
SELECT 'inheritance', h.inhrelid::regclass::text, 'of ' || c.relname
FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhparent WHERE c.relnamespace = to_regnamespace(%(schema)s)
"""
"""Tables anywhere whose rows would be read together with those of one of ours."""

DESCRIPTION = (RELATIONS, COLUMNS, INDEXES, CHECKS, TRIGGERS, FUNCTIONS, RULES, POLICIES, HEIRS)

TEMPORARY_SCHEMA = "SELECT nspname::text FROM pg_namespace WHERE oid = pg_my_temp_schema()"

DAMAGE = """
SELECT 'index ' || c.relname || ' is not valid' FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
WHERE c.relnamespace = to_regnamespace(%(schema)s) AND NOT (i.indisvalid AND i.indisready)
"""
"""What can be checked cheaply: whether indexes are in force."""

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

OWN_TRANSACTION = "SELECT pg_current_xact_id()::xid::text"
OLDER_VIEWS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
    "AND greatest(age(backend_xmin), age(backend_xid)) > age('{newest}'::xid)"
)
"""How many other connections still read a state from before a transaction."""
