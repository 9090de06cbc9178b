"""Proving that history is whole: the ledger walked, every record checked against it."""
