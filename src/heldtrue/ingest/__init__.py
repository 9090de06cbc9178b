"""The way in: everything that is ever written passes through the gateway here.

`gateway`   one transaction, one identity, one idempotency key; an act is handed in and its answer comes out
`gate`      the order of the checks for every candidate, and the lanes in which they differ
`outcome`   what an act came to

`stages/`, in the order in which a proposed memory meets them:

    intake → candidate          plain words, measured, rid of secrets, taken apart; no store is looked at
    keys, passages              what it is looked up by, and the findable passages of its evidence
    tombstones → evidence       was it rejected before, is its source in quarantine
    match, neighbours           what is it to the live memories of its scope
    decide                      the rules: what becomes of it, and why
    versions → journal          its first version, and the ledger entry that everything is written with
    evidence, conflicts         its source, and what it contradicts

`acts/`, what may be done: learn, batch (many at once, planned before the lock is taken), correct, retract, links,
review, capture, quarantine, extracted_lane, import_memories, replay, maintenance, feedback, saved_views, reindex.
"""
