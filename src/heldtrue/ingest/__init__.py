"""Writing: every write passes through the gateway here.

`gateway`   runs an act in one transaction, with one identity and one idempotency key, and returns its answer
`gate`      the order of the checks for every candidate, and the lanes that differ in them
`outcome`   the result of an act

`stages/`, in the order in which a proposed memory passes them:

    intake → candidate          normalises, limits, redacts and parses the text, without a store
    keys, passages              its lookup keys, and the searchable passages of its evidence
    tombstones → evidence       whether it was rejected before, or its source is in quarantine
    match, neighbours           compares it with the active and pending memories of its scope
    decide                      the rules: the decision and its reason
    versions → journal          its first version, and the ledger entry for all changes
    evidence, conflicts         its source, and what it contradicts

`acts/`, the write operations: learn, batch (many at once, planned before the lock is taken), correct, retract, links,
review, capture, quarantine, extracted_lane, import_memories, replay, maintenance, feedback, saved_views, reindex.
"""
