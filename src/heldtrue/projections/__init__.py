"""Projections of the ledger, which can be rebuilt from it at any time."""
