"""How the attributes of claims are spelled, and which of them hold one value at a time."""

from __future__ import annotations

from heldtrue.language.claims.canonical import canonical_word

_ATTRIBUTE_NOUNS = frozenset(
    """email mail phone number address name timeout limit port version owner deadline birthday color colour language
    location role title age salary size cost price budget host url path status database editor branch region license
    key id username password timezone currency capital manager lead maintainer author framework format theme height
    weight interval threshold capacity ttl quota delay duration encoding locale shell hostname domain endpoint model
    type mode level count retries replicas provider registry repository nickname hometown employer""".split()
)
ATTRIBUTE_STEMS = frozenset(canonical_word(noun) for noun in _ATTRIBUTE_NOUNS)
SINGLE_STEMS = ATTRIBUTE_STEMS | {"due", "default", "born on"}
NOUN_SPELLINGS = {
    "phone number": "phone", "email address": "email", "port number": "port", "due date": "due",
    "version number": "version", "price": "cost", "deadlin": "due", "birthday": "born on",
}  # fmt: skip
VERB_SPELLINGS = {
    "work for": "work at", "work with": "work with", "deploy on": "deploy to", "deploy in": "deploy to",
    "host in": "host on", "host at": "host on", "host with": "host on", "default to": "default", "live at": "live in",
    "belong to": "owner", "store on": "store in", "keep in": "store in", "save in": "store in", "bear in": "born in",
}  # fmt: skip
EXCLUSIVE = frozenset(
    """live in|work at|default|report to|name|owner|port|due|store in|deploy to|host on|write in|move to|born on|born in
    |run at|start at|expire on|expire at|listen on|locate in|use as|track in|insur with|bank with|heat with|heat by
    |fuel with|fuel by|power from|power with|cut from|marri to|assign to|point to|name after|leas from|rent from
    |studi at|studi in|depart from|happen in|happen at|hold in|hold at|come from""".replace("\n    ", "").split("|")
)


def mood_prefix(mood: str) -> str:
    """What a mood adds in front of an attribute: nothing to what holds now."""
    return "" if mood in ("now", "do") else mood
