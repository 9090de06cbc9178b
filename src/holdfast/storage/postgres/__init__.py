"""PostgreSQL: a space is a schema."""
