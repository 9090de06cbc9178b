"""What may be done to memories and evidence: each act writes one entry of the ledger, or several."""
