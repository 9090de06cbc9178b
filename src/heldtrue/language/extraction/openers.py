"""What stands before a statement and is not part of it: fillers and greetings, and labels that say what follows."""

from __future__ import annotations

import re
from functools import cache

from heldtrue.language.guard import spend

_FILLER = r"""(?x)(?:
    (?:no|nope|nah|wrong|incorrect|not\squite)[,.:!]\s+ | (?:nope|nah)\s+(?=it|the|its|they|we|i\b)
  | (?:oh|ah|ok|okay|so|well|um|uh|hm|hmm|yeah|yes|yep|right|also|and|but|anyway|anyways|btw|fyi|psa|ps|p\.s\.
    |honestly
      |frankly|basically|look|listen|sure|alright|now|plus|then|incidentally|apparently|quick|again|sorry|thanks|cool
      |actually|just|to\sbe\shonest|tbh|in\sfact|as\sagreed|as\ssaid|as\smentioned|for\scontext|for\sreference
      |not\sany\s?more|not\sanymore|no\slonger
      |by\sthe\sway|just\sso\syou\sknow|just\sto\sbe\sclear|to\sbe\sclear|one\smore\sthing|another\sthing|you\sknow
      |for\swhat\sit's\sworth|fwiw|good\smorning|morning|hi|hey|hello|hallo|hola|bonjour|salut)\b
      (?:\s(?:all|there|everyone|everybody|team|folks|again))?(?:,|:|\s-|!|\.\.\.)?\s+
  | dear\s[^\s,]{1,30}(?:\s[^\s,]{1,30})?,\s+
  | (?:hi|hey|hello)\s[^\s,!]{1,30}[,!]\s+
)"""
_LABELS: tuple[tuple[str, str], ...] = (
    (
        "lesson",
        r"(?:(?:key |big |main )?(?:lessons?|takeaways?|learnings?)(?: (?:we )?learn(?:ed|t))?(?: [\w ]{1,30})?:"
        r"|til:|gotcha:|note to (?:my )?future self:)\s+",
    ),
    (
        "convention",
        r"(?:[\w-]{1,20} ){0,2}(?:rules?|conventions?|policy|guideline)(?: (?:here|for [\w ]{1,30}))?"
        r"(?::| is that:?| is to| is:| -)\s+",
    ),
    (
        "task",
        r"(?:to-?do|to do|fixme|action(?: items?| points?)?|tasks?|next steps?|follow-?up|open task)"
        r"(?:\s?\([^)\n]{1,40}\))?(?::| -)\s+|(?:please )?(?:don't|do not|dont) (?:let me )?forget(?: to| about|:)\s+"
        r"|(?:please )?remind (?:me|us) (?:to|that|about)\s+",
    ),
    (
        "decision",
        r"(?:(?:final |our |the )?decision(?: was| is| made)?(?::| -| to| that)|decided(?: in [\w ]{1,30})?:"
        r"|(?:(?:the )?(?:team|group|board|committee|family|we)(?: all| has| have)? )?(?:agreed|decided):"
        r"|resolved:)\s+",
    ),
    (
        "note",
        r"(?:(?:please )?(?:don't|do not|dont) forget that|(?:please |just |side |quick )?not(?:e|ing)"
        r"(?: to self| for later| well)?(?::| that| -)|nota bene:?|nb:?|for the record[:,]|important:"
        r"|(?:please )?(?:remember|keep in mind|bear in mind|be aware)(?: that|:)"
        r"|(?:just a )?reminder(?::| that)|worth (?:knowing|noting)(?::| that))\s+",
    ),
)
"""Labels that say in so many words what follows them."""
_TRAILER = r"""(?xi)(?:,?\s+(?:by\sthe\sway|btw|fyi|you\sknow|though|tbh|to\sbe\shonest|imo|please|pls|thanks
    |thank\syou|lol|haha
    |everybody\sdoes|just\sso\syou\sknow|i\sthink|i\sguess|for\swhat\sit's\sworth)|\s*[:;]-?[)(DP]|\s+xx?)\s*$"""
_OPENERS_STRIPPED = 6


@cache
def _rules() -> tuple[re.Pattern[str], tuple[tuple[str, re.Pattern[str]], ...], re.Pattern[str]]:
    labels = tuple((name, re.compile(pattern)) for name, pattern in _LABELS)
    return re.compile(_FILLER), labels, re.compile(_TRAILER)


def strip_openers(low: str) -> tuple[int, str]:
    """How many characters of a sentence (in small letters) come before its statement, and the label among them."""
    spend(len(low))
    filler, labels, _ = _rules()
    start, hint = 0, ""
    for _step in range(_OPENERS_STRIPPED):
        label = _find_label(low, start, labels) if not hint else None
        if label:
            hint, start = label
            continue
        found = filler.match(low, start)
        if found is None or found.end() >= len(low):
            break
        start = found.end()
    return start, hint


def _find_label(low: str, start: int, labels: tuple[tuple[str, re.Pattern[str]], ...]) -> tuple[str, int] | None:
    for name, rule in labels:
        found = rule.match(low, start)
        if found and found.end() < len(low):
            return name, found.end()
    return None


def find_trailer(low: str) -> int:
    """Where the empty words at the end of a clause begin, or its length."""
    trailer = _rules()[2]
    end = len(low)
    for _step in range(3):
        found = trailer.search(low, max(0, end - 40), end)
        if found is None:
            return end
        end = found.start()
    return end
