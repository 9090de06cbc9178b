"""Identity, permissions and rate limits."""
