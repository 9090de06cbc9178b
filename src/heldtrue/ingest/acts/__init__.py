"""The write operations on memories and evidence; each writes one or more ledger entries."""
