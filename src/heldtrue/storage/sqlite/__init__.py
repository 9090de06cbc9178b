"""SQLite: a space is a file."""
