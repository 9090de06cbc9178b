-- What is known of a category in a scope, as text, with the versions before. Derived; the older ones are kept to look at.
CREATE TABLE summaries (
    scope        TEXT NOT NULL,
    category     TEXT NOT NULL,
    made_at      INTEGER NOT NULL,
    memories     INTEGER NOT NULL,
    text         TEXT NOT NULL,
    replaced_at  INTEGER,
    PRIMARY KEY (scope, category, made_at)
);
