"""Orders: which of them are meant to last, and how a lasting one is said of the person who gives it."""

from __future__ import annotations

import re
from functools import cache

from holdfast.domain.memory import Kind
from holdfast.language.extraction.facts import Finding
from holdfast.language.grammar.lexicon import VERBS

_LASTING = (
    r"\b(?:always|never|every time|whenever|from now on|in future|in general|by default|generally|as a "
    r"rule|anymore|any more|ever|again|each time|each|every|all (?:my|our|of))\b"
)
_OUTPUT = (
    r"\b(?:answers?|repl(?:y|ies)|responses?|explanations?|summar(?:y|ies)|messages?|sentences?"
    r"|commands?|snippets?|charts?|plots?|emails?|mails?|plans?"
    r"|recipes?|suggestions?|reports?|examples?|lists?|tables?|bullet points?|emojis?|jargon"
    r"|abbreviations|comments?|docstrings?|headings?|footnotes?|options?|steps?|units?|code)\b"
)
_MANNER = (
    r"\b(?:short|brief|concise|simple|plain|formal|informal|polite|detailed|in (?:the )?[a-z]+ (?:tense"
    r"|case|style|form|format|order|voice)|(?:upper|lower|title) case|in (?:english|german|french"
    r"|spanish|metric|plain [\w]+)|metric|first|without|no|under|at most|step by step|to the point"
    r"|low-?carb|vegetarian|gentle|slow|easy|light)\b"
)
_ONE_OFF = (
    r"\b(?:this|that|these|those|it|here|now|today|tonight|line \d+|the (?:last|first|second|third"
    r"|next) |once|for a (?:minute|second|moment)|the (?:typo|logo|title|diff|file below))\b"
)
_EMPTY = frozenset(
    "worry fuss panic mention hesitate bother ask stop know forget laugh judge tell get mind care think be wait".split()
)
_OPENING = re.compile(
    r"^(?:please|pls|plz|kindly|so|just|and|then|also|when you [^,]{2,40},|when \w+ing [^,]{2,40},)\s+"
)
_ABOUT = re.compile(r"^[a-z][\w -]{1,30}: ")
_WHENEVER = re.compile(r"^(?:please )?when(?:ever)? (?:you|i|\w+ing)\b[^,]{2,60},")
_SINGLE = re.compile(
    r"\bthe (?:answer|reply|response|text|summary|email|mail|message|sentence|command|report|list|table"
    r"|code|paragraph|title)\b"
)
_BEFORE = re.compile(r"\bbefore (?:you|each|every|\w+ing)\b")
_TAUGHT = re.compile(r"\b(?:again|anymore|any more|next time|ever)\b")


@cache
def _rules() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    return re.compile(_LASTING), re.compile(_OUTPUT), re.compile(_MANNER), re.compile(_ONE_OFF)


def strip_please(low: str) -> int:
    """Where the order itself begins, after please and what introduces it."""
    found = _ABOUT.match(low)
    start = found.end() if found and is_order(low[found.end() :]) else 0
    for _step in range(4):
        found = _OPENING.match(low[start:])
        if found is None:
            break
        start += found.end()
    return start


def is_order(low: str) -> bool:
    """Whether a clause is an order: a plain verb, never, always, do not, no."""
    words = low.split()[:3]
    if len(words) < 2:
        return False
    first = words[0]
    if first in ("never", "always"):
        return VERBS.get(words[1], ("", ""))[1] == "b" or words[1] in ("be", "have", "do")
    if first in ("don't", "dont", "stop", "avoid"):
        return words[1] not in ("i", "we")
    if first == "do":
        return words[1] == "not"
    if first == "no":
        return words[1] not in (
            "one",
            "i",
            "we",
            "it",
            "that",
            "idea",
            "problem",
            "worries",
            "way",
            "need",
            "doubt",
            "wonder",
        )
    known = VERBS.get(first)
    return known is not None and known[1] == "b" and words[1] not in ("is", "are", "was", "has", "of", "and")


def read_order(low: str, *, joint: str, is_reply: bool, is_document: bool, hint: str = "") -> Finding | None:
    """What an order is worth: a rule, a lesson, or a wish about the answers; nothing where it is meant once."""
    start = strip_please(low)
    order = low[start:]
    if not is_order(order):
        return None
    lasting, output, manner, one_off = (rule.search(order) is not None for rule in _rules())
    words = order.split()
    first, verb = words[0], words[1]
    denied = first in ("don't", "dont", "do", "stop", "avoid", "never")
    if (one_off and not _ABOUT.match(low)) or (denied and verb.strip(",") in _EMPTY) or (denied and len(words) < 3):
        return None
    lasting = lasting or _WHENEVER.match(low) is not None
    if _SINGLE.search(order) and not lasting:
        return None
    polite = (start > 0 and not _ABOUT.match(low)) or joint == "so" or bool(re.search(r"\b(?:me|my|i)\b", low))
    about_answers = output and (manner or lasting or denied or first == "no")
    if is_document:
        return Finding(Kind.CONVENTION, "gives a rule") if lasting or denied or _BEFORE.search(order) else None
    if about_answers and (polite or first in ("no", "keep", "give", "use", "write", "don't", "dont") or lasting):
        return Finding(Kind.PREFERENCE, "asks how it should be done")
    if first in ("don't", "dont", "do", "stop"):
        taught = is_reply or _TAUGHT.search(order) is not None
        if polite and not taught:
            return Finding(Kind.PREFERENCE, "asks what not to do")
        return Finding(Kind.LESSON, "says what not to do") if taught or hint == "lesson" else None
    if first in ("never", "always", "avoid"):
        return Finding(
            Kind.PREFERENCE if polite else Kind.CONVENTION, "asks for it always" if polite else "gives a rule"
        )
    if lasting and first != "no":
        return Finding(
            Kind.PREFERENCE if polite else Kind.CONVENTION, "asks for it always" if polite else "gives a rule"
        )
    return Finding(Kind.PREFERENCE, "asks how it should be done") if manner and joint == "so" else None


def word_wish(order: str, name: str) -> str:
    """An order as what its giver wants: `keep answers short` becomes `Tom asks to keep answers short`."""
    words = order.split(" ", 1)
    first, rest = words[0].lower(), words[1] if len(words) > 1 else ""
    if first in ("don't", "dont"):
        return f"{name} asks not to {rest}"
    if first == "do" and rest.lower().startswith("not "):
        return f"{name} asks not to {rest[4:]}"
    if first == "never":
        return f"{name} asks never to {rest}"
    if first == "always":
        return f"{name} asks always to {rest}"
    if first in ("no", "nothing"):
        return f"{name} asks for {first} {rest}"
    if first == "stop":
        return f"{name} asks to stop {rest}"
    return f"{name} asks to {first} {rest}"
