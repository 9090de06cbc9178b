"""Where each verb is declared, so that a command loads the module it needs and not all of them.

This is only a short cut: a verb that is missing here, or has moved, is found by loading everything.
"""

from __future__ import annotations

from importlib import import_module

from heldtrue.capabilities.registry import CAPABILITIES, Capability

HOMES = {
    "agents": ("add_agent", "agents", "revoke_agent", "rotate_agent"),
    "capturing": ("capture", "capture_conversation", "capture_session", "quarantine"),
    "expanding": ("expand",),
    "explaining": ("explain",),
    "following": ("events",),
    "ingesting": ("ingest",),
    "injecting": ("context_for", "inject"),
    "reading": ("diff", "get", "history", "list"),
    "recalling": ("recall", "search"),
    "reviewing": ("approve", "conflicts", "inbox", "merge", "reject", "resolve", "review"),
    "sharing": ("handed", "share"),
    "transfer": ("backup", "export", "import", "restore"),
    "upkeep": ("maintain", "reindex", "status", "verify"),
    "using": ("drop_view", "feedback", "recalls", "save_view", "view", "views", "why"),
    "working": ("cancel", "compact", "consolidate", "job", "jobs", "rescue", "retry", "summaries", "undo", "work"),
    "writing": ("correct", "forget", "learn", "learn_many", "link", "unlink", "upsert_profile_fact"),
}


def find_capability(verb: str) -> Capability | None:
    """The capability of a verb, with no more loaded than it takes; none if there is no such verb."""
    home = next((module for module, verbs in HOMES.items() if verb in verbs), "all")
    for module in (None, home, "all"):
        if module is not None:
            import_module(f"heldtrue.capabilities.{module}")
        if (found := _declared(verb)) is not None:
            return found
    return None


def _declared(verb: str) -> Capability | None:
    return next((one for one in CAPABILITIES.values() if one.verb == verb), None)


def all_capabilities() -> dict[str, Capability]:
    """Every capability, by its verb."""
    import_module("heldtrue.capabilities.all")
    return {one.verb: one for one in CAPABILITIES.values()}
