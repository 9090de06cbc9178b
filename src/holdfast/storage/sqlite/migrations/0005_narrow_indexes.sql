-- Indexes hold less: what another index, a trigger or the ids themselves tell is left out.

-- Searches list by scope, status and kind; nothing asks this index for a time.
DROP INDEX memory_versions_by_scope;
CREATE INDEX memory_versions_by_scope ON memory_versions (scope, status, kind) WHERE recorded_to IS NULL;

-- Only the newest version of a memory can be current, and memory_versions_by_memory finds it.
DROP INDEX memory_versions_current;
CREATE TRIGGER memory_versions_one_current BEFORE INSERT ON memory_versions
WHEN (
    SELECT recorded_to IS NULL OR version >= NEW.version FROM memory_versions WHERE memory_id = NEW.memory_id
    ORDER BY version DESC LIMIT 1
)
BEGIN SELECT RAISE(ABORT, 'memory_versions is append-only: a version follows those before, which are closed'); END;

-- An id begins with its moment, in 18 characters (domain/ids.py): a source that came at the moment of its memory is
-- found by that, in the order of memories.
DROP INDEX evidence_by_source;
CREATE INDEX evidence_by_source ON evidence (source_id) WHERE substr(source_id, 1, 18) <> substr(memory_id, 1, 18);

-- Recorded time rises with every entry, so one in 64 is enough to find a moment by.
DROP INDEX ledger_by_time;
CREATE UNIQUE INDEX ledger_by_time ON ledger (recorded_at) WHERE seq % 64 = 0;
CREATE TRIGGER ledger_time_rises BEFORE INSERT ON ledger
WHEN NEW.recorded_at <= (SELECT recorded_at FROM ledger ORDER BY seq DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'ledger is append-only: recorded time never goes back'); END;
