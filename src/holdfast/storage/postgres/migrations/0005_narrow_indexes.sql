-- Searches list by scope, status and kind; nothing asks this index for a time.

DROP INDEX memory_versions_by_scope;
CREATE INDEX memory_versions_by_scope ON memory_versions (scope, status, kind) WHERE recorded_to IS NULL;
