"""The way out: from a question to a few memories, each with its reason."""
