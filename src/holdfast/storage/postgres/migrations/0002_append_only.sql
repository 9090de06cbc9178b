-- History is append-only, and the database itself says so.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END
$$;

-- The arguments are the columns that closing fills in; every other column stays as it is.
CREATE FUNCTION close_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.recorded_to IS NOT NULL OR NEW.recorded_to IS NULL OR to_jsonb(OLD) - TG_ARGV <> to_jsonb(NEW) - TG_ARGV THEN
        RAISE EXCEPTION 'a row of % can only be closed, once', TG_TABLE_NAME
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER memory_versions_close_once BEFORE UPDATE ON memory_versions FOR EACH ROW
EXECUTE FUNCTION close_once('recorded_to', 'seq_to', 'closing_digest');
CREATE TRIGGER links_close_once BEFORE UPDATE ON links FOR EACH ROW
EXECUTE FUNCTION close_once('recorded_to', 'seq_to', 'closed_by', 'close_reason', 'closing_digest');
CREATE TRIGGER tombstones_close_once BEFORE UPDATE ON tombstones FOR EACH ROW
EXECUTE FUNCTION close_once('recorded_to', 'seq_to', 'closed_by', 'close_reason', 'closing_digest');
CREATE TRIGGER conflicts_close_once BEFORE UPDATE ON conflicts FOR EACH ROW
EXECUTE FUNCTION close_once(
    'recorded_to', 'seq_to', 'disposition', 'closed_by', 'close_reason', 'merged_id', 'closing_digest'
);

-- ALWAYS: also in a session that has switched ordinary triggers off (session_replication_role).
DO $$
DECLARE
    closable CONSTANT text[] := ARRAY['memory_versions', 'links', 'tombstones', 'conflicts'];
    fixed CONSTANT text[] := ARRAY['space', 'ledger', 'sources', 'evidence', 'principals', 'projects', 'repos', 'teams'];
    name text;
BEGIN
    FOREACH name IN ARRAY closable LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER %I', name, name || '_close_once');
    END LOOP;
    FOREACH name IN ARRAY fixed LOOP
        EXECUTE format(
            'CREATE TRIGGER %I BEFORE UPDATE ON %I FOR EACH ROW EXECUTE FUNCTION refuse_change()', name || '_no_update', name
        );
        EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER %I', name, name || '_no_update');
    END LOOP;
    FOREACH name IN ARRAY closable || fixed LOOP
        EXECUTE format(
            'CREATE TRIGGER %I BEFORE DELETE ON %I FOR EACH ROW EXECUTE FUNCTION refuse_change()', name || '_no_delete', name
        );
        EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER %I', name, name || '_no_delete');
        EXECUTE format(
            'CREATE TRIGGER %I BEFORE TRUNCATE ON %I EXECUTE FUNCTION refuse_change()', name || '_no_truncate', name
        );
        EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER %I', name, name || '_no_truncate');
    END LOOP;
END
$$;
