-- What was said in a time that a question names.

CREATE INDEX passages_by_time ON passages (shelf, happened_at);
