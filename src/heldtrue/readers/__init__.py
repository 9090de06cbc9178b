"""Readers: files that people have, as values. They know no store, and nothing they read is trusted."""
