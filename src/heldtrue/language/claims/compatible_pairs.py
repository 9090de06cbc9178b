"""Words that let two statements both hold: one more of the kind (`also`), doubt (`might`) or another time (`once`)."""

from __future__ import annotations

import re

from heldtrue.domain.claim import Claim

_ADDED = re.compile(
    r"\b(?:also|as well|in addition|additionally|besides|another|furthermore|sometimes|occasionally|or)\b"
    r"|\btoo(?=\W*\Z|,)|, too\b"
)
_MAYBE = re.compile(r"\b(?:might|maybe|perhaps|possibly)\b")
_OTHER_TIME = re.compile(
    r"\b(?:at first|initially|originally|formerly|previously|back then|at (?:the|that) time|in those days|in the past"
    r"|used to|once(?! (?:a|an|per|every|the|you|it|we|they)\b)|temporarily|for the time being|until recently"
    r"|as (?:a|an) (?:child|kid|student|teenager|boy|girl|intern)|in (?:his|her|their|my) (?:youth|childhood)"
    r"|(?:last|this|next|every other) (?:year|month|week|quarter|season|spring|summer|autumn|winter|time|night)"
    r"|(?:years?|months?|weeks?|days?) ago|yesterday|tomorrow|tonight|earlier|later|so far|not yet|yet|soon)\b"
)


def are_compatible(new: Claim, old: Claim) -> bool:
    """Whether one adds to what else may hold (`too`), is unsure (`might`), or speaks of another time (`at first`)."""
    ours, theirs = new.text.lower(), old.text.lower()
    if new.positive and old.positive and (_ADDED.search(ours) or _ADDED.search(theirs)):
        return True
    if _MAYBE.search(ours) or _MAYBE.search(theirs):
        return True
    return set(_OTHER_TIME.findall(ours)) != set(_OTHER_TIME.findall(theirs))
