"""Readers turn files into values. They do not use a store, and nothing they read is trusted."""
