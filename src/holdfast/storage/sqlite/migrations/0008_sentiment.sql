-- In which tone a memory was said; empty for neutral.
ALTER TABLE memory_versions ADD COLUMN sentiment TEXT;
DROP TRIGGER memory_versions_close_once;
CREATE TRIGGER memory_versions_close_once BEFORE UPDATE ON memory_versions
WHEN OLD.recorded_to IS NOT NULL OR NEW.recorded_to IS NULL OR NEW.no IS NOT OLD.no OR NEW.memory_id IS NOT
    OLD.memory_id OR NEW.version IS NOT OLD.version OR NEW.seq IS NOT OLD.seq OR NEW.kind IS NOT OLD.kind OR
    NEW.title IS NOT OLD.title OR NEW.content IS NOT OLD.content OR NEW.summary IS NOT OLD.summary OR NEW.rationale
    IS NOT OLD.rationale OR NEW.scope IS NOT OLD.scope OR NEW.project_id IS NOT OLD.project_id OR NEW.repo_id IS NOT
    OLD.repo_id OR NEW.visibility IS NOT OLD.visibility OR NEW.status IS NOT OLD.status OR NEW.confidence IS NOT
    OLD.confidence OR NEW.strength IS NOT OLD.strength OR NEW.topic IS NOT OLD.topic OR NEW.category IS NOT
    OLD.category OR NEW.staleness IS NOT OLD.staleness OR NEW.author IS NOT OLD.author OR NEW.verified_by IS NOT
    OLD.verified_by OR NEW.valid_from IS NOT OLD.valid_from OR NEW.valid_to IS NOT OLD.valid_to OR NEW.observed_at
    IS NOT OLD.observed_at OR NEW.created_at IS NOT OLD.created_at OR NEW.recorded_from IS NOT OLD.recorded_from OR
    NEW.change IS NOT OLD.change OR NEW.changed_by IS NOT OLD.changed_by OR NEW.reason IS NOT OLD.reason OR NEW.salt
    IS NOT OLD.salt OR NEW.digest IS NOT OLD.digest OR NEW.sentiment IS NOT OLD.sentiment
BEGIN SELECT RAISE(ABORT, 'a row of memory_versions can only be closed, once'); END;
