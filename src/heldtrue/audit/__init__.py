"""Verification of the ledger: every entry and record is checked."""
