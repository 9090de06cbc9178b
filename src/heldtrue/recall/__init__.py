"""Recall: from a question to a few memories, each with an explanation."""
