-- History is append-only, and the database itself says so.
CREATE TRIGGER ledger_no_update BEFORE UPDATE ON ledger
BEGIN SELECT RAISE(ABORT, 'ledger is append-only'); END;
CREATE TRIGGER ledger_no_delete BEFORE DELETE ON ledger
BEGIN SELECT RAISE(ABORT, 'ledger is append-only'); END;
CREATE TRIGGER sources_no_update BEFORE UPDATE ON sources
BEGIN SELECT RAISE(ABORT, 'sources is append-only'); END;
CREATE TRIGGER sources_no_delete BEFORE DELETE ON sources
BEGIN SELECT RAISE(ABORT, 'sources is append-only'); END;
CREATE TRIGGER evidence_no_update BEFORE UPDATE ON evidence
BEGIN SELECT RAISE(ABORT, 'evidence is append-only'); END;
CREATE TRIGGER evidence_no_delete BEFORE DELETE ON evidence
BEGIN SELECT RAISE(ABORT, 'evidence is append-only'); END;
CREATE TRIGGER principals_no_update BEFORE UPDATE ON principals
BEGIN SELECT RAISE(ABORT, 'principals is append-only'); END;
CREATE TRIGGER principals_no_delete BEFORE DELETE ON principals
BEGIN SELECT RAISE(ABORT, 'principals is append-only'); END;
CREATE TRIGGER projects_no_update BEFORE UPDATE ON projects
BEGIN SELECT RAISE(ABORT, 'projects is append-only'); END;
CREATE TRIGGER projects_no_delete BEFORE DELETE ON projects
BEGIN SELECT RAISE(ABORT, 'projects is append-only'); END;
CREATE TRIGGER repos_no_update BEFORE UPDATE ON repos
BEGIN SELECT RAISE(ABORT, 'repos is append-only'); END;
CREATE TRIGGER repos_no_delete BEFORE DELETE ON repos
BEGIN SELECT RAISE(ABORT, 'repos is append-only'); END;
CREATE TRIGGER teams_no_update BEFORE UPDATE ON teams
BEGIN SELECT RAISE(ABORT, 'teams is append-only'); END;
CREATE TRIGGER teams_no_delete BEFORE DELETE ON teams
BEGIN SELECT RAISE(ABORT, 'teams is append-only'); END;
CREATE TRIGGER space_no_update BEFORE UPDATE ON space
BEGIN SELECT RAISE(ABORT, 'space is append-only'); END;
CREATE TRIGGER space_no_delete BEFORE DELETE ON space
BEGIN SELECT RAISE(ABORT, 'space is append-only'); END;

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
    IS NOT OLD.salt OR NEW.digest IS NOT OLD.digest
BEGIN SELECT RAISE(ABORT, 'a row of memory_versions can only be closed, once'); END;
CREATE TRIGGER memory_versions_no_delete BEFORE DELETE ON memory_versions
BEGIN SELECT RAISE(ABORT, 'memory_versions is append-only'); END;

CREATE TRIGGER links_close_once BEFORE UPDATE ON links
WHEN OLD.recorded_to IS NOT NULL OR NEW.recorded_to IS NULL OR NEW.id IS NOT OLD.id OR NEW.seq IS NOT OLD.seq OR
    NEW.from_id IS NOT OLD.from_id OR NEW.to_ref IS NOT OLD.to_ref OR NEW.relationship IS NOT OLD.relationship OR
    NEW.author IS NOT OLD.author OR NEW.scope IS NOT OLD.scope OR NEW.reason IS NOT OLD.reason OR NEW.recorded_from
    IS NOT OLD.recorded_from OR NEW.salt IS NOT OLD.salt OR NEW.digest IS NOT OLD.digest
BEGIN SELECT RAISE(ABORT, 'a row of links can only be closed, once'); END;
CREATE TRIGGER links_no_delete BEFORE DELETE ON links
BEGIN SELECT RAISE(ABORT, 'links is append-only'); END;

CREATE TRIGGER tombstones_close_once BEFORE UPDATE ON tombstones
WHEN OLD.recorded_to IS NOT NULL OR NEW.recorded_to IS NULL OR NEW.id IS NOT OLD.id OR NEW.seq IS NOT OLD.seq OR
    NEW.scope IS NOT OLD.scope OR NEW.grain IS NOT OLD.grain OR NEW.lookup_key IS NOT OLD.lookup_key OR NEW.value IS
    NOT OLD.value OR NEW.memory_id IS NOT OLD.memory_id OR NEW.author IS NOT OLD.author OR NEW.reason IS NOT
    OLD.reason OR NEW.recorded_from IS NOT OLD.recorded_from OR NEW.salt IS NOT OLD.salt OR NEW.digest IS NOT
    OLD.digest
BEGIN SELECT RAISE(ABORT, 'a row of tombstones can only be closed, once'); END;
CREATE TRIGGER tombstones_no_delete BEFORE DELETE ON tombstones
BEGIN SELECT RAISE(ABORT, 'tombstones is append-only'); END;

CREATE TRIGGER conflicts_close_once BEFORE UPDATE ON conflicts
WHEN OLD.recorded_to IS NOT NULL OR NEW.recorded_to IS NULL OR NEW.id IS NOT OLD.id OR NEW.seq IS NOT OLD.seq OR
    NEW.kind IS NOT OLD.kind OR NEW.scope IS NOT OLD.scope OR NEW.old_id IS NOT OLD.old_id OR NEW.new_id IS NOT
    OLD.new_id OR NEW.finding IS NOT OLD.finding OR NEW.weaker_id IS NOT OLD.weaker_id OR NEW.pair_key IS NOT
    OLD.pair_key OR NEW.recorded_from IS NOT OLD.recorded_from OR NEW.salt IS NOT OLD.salt OR NEW.digest IS NOT
    OLD.digest
BEGIN SELECT RAISE(ABORT, 'a row of conflicts can only be closed, once'); END;
CREATE TRIGGER conflicts_no_delete BEFORE DELETE ON conflicts
BEGIN SELECT RAISE(ABORT, 'conflicts is append-only'); END;

-- Two entries never follow the same one. The last entry is the only one a new entry could fork from.
CREATE TRIGGER ledger_no_fork BEFORE INSERT ON ledger
WHEN NEW.prev_hash = (SELECT prev_hash FROM ledger ORDER BY seq DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'ledger is append-only: two entries cannot follow the same one'); END;
