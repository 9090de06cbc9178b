-- What is known of a category in a scope, as text, with the versions before. Derived; the older ones are kept to look at.
CREATE TABLE summaries (
    scope        TEXT COLLATE "C" NOT NULL,
    category     TEXT COLLATE "C" NOT NULL,
    made_at      BIGINT NOT NULL,
    memories     BIGINT NOT NULL,
    text         TEXT COLLATE "C" NOT NULL,
    replaced_at  BIGINT,
    PRIMARY KEY (scope, category, made_at)
);
