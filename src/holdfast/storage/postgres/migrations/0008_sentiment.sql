-- In which tone a memory was said; empty for neutral.
ALTER TABLE memory_versions ADD COLUMN sentiment TEXT COLLATE "C";
