"""Orders: which of them are meant to last, and how a lasting one is said of the person who gives it."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

import msgspec

from heldtrue.domain.memory import Kind
from heldtrue.language.extraction.clause_finding import ClauseFinding
from heldtrue.language.grammar.lexicon import (
    ADVERBS,
    AUXILIARIES,
    DETERMINERS,
    NOUNISH,
    PREPOSITIONS,
    PRONOUNS,
    VERBS,
)

_LASTING = (
    r"\b(?:always|never|every time|whenever|from now on|in future|in general|by default|generally|as a "
    r"rule|anymore|any more|ever|each time|each|every|all (?:my|our|of))\b"
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
    r"^\w+ (?:\w+ )?it\b|\b(?:this|that|these|those|here|now|today|tonight|line \d+|the (?:last|first|second|third"
    r"|next) |once|for a (?:minute|second|moment)|the (?:typo|logo|title|diff|file below))\b"
)
_EMPTY = frozenset(
    "worry fuss panic mention hesitate bother ask stop know forget laugh judge tell get mind care think be wait".split()
)
_NO_VERB = ADVERBS | PREPOSITIONS | DETERMINERS | PRONOUNS | frozenset("been had seen gone done better mind".split())
_NO_WHAT = frozenset(
    """one i we it that idea problem worries way need doubt wonder news luck clue rush hurry response answer reply sign
    joke offence pressure matter thanks more-or-less longer big sweat biggie point reason chance time""".split()
)  # fmt: skip
_FORBIDS = re.compile(
    r"^no (?:more )?[\w' -]{3,50}?\b(?:without|before|after|during|unless|until|past|over|under|above|more than|at the"
    r"|on(?! hold| time| its| the way)|in(?! sight| stock| here))\b \w|^no more [\w' -]{3,40} (?:for|in|on|at|to)\b"
)
_FROM = re.compile(
    r"^(?:from|starting|as of|effective|until|after|before|during|in|at|on|inside)\b[^,]{2,30},? "
    r"(?=no |never |always |don't )"
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
_CONTRAST = re.compile(r"\b(?:rather than|instead of)\b|, not \w+")
_WAYS = frozenset("use prefer follow keep name write put store format place wrap label tag sort".split())
_IN_GENERAL = re.compile(
    r"\b(?:for|in|on|with|under|next to) (?:all |our |any |every )?(?!the\b|this\b|that\b|my\b)[\w -]{2,40}s$|`"
)
_DUE = re.compile(
    r"^(?!see\b|talk\b|meet\b|have\b|enjoy\b|let\b|catch\b).*\b(?:by|before|until|no later than"
    r"|on) (?:the )?(?:end of|\w+day\b|tomorrow|noon|\d{1,2}\b|(?:jan|febr)uary|march|april|may|june"
    r"|july|august|(?:sept|nov|dec)ember|october|easter|christmas)|\b(?:\w+day|tomorrow) (?:at the )?latest\b"
)
_NOT_NOW = re.compile(
    r"\b(?:yet|me|it|them|him|her|you|your|for now|too (?:much|long|hard)|the (?:light|door|title|tv|cat|dog))\b"
)
_ASKED = PRONOUNS | DETERMINERS | frozenset("what how whether if why where which when sure".split())
_OWN = re.compile(r"\b(?:me|my|i)\b")
_BEFORE = re.compile(r"\bbefore (?:you|each|every|\w+ing)\b")
_REMEDY = re.compile(
    r"^(?:if|when|whenever|(?:in order )?to|in case of|for) (?!you (?:write|show|give|answer|send|explain|make|generate"
    r"|draft|want|can|have time|get)|i\b|my\b|be\b|me\b|now\b|example\b)[^,]{4,80},\s(?:then |first |just "
    r"|always |simply )*"
)
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
    words = low.split(None, 8)[:8]
    if len(words) < 2:
        return False
    first, second = words[0], words[1].strip(",.")
    if first in ("never", "always"):
        verb = VERBS.get(second)
        unknown = verb is None and second not in _NO_VERB and not second.endswith(("ly", "ed", "ing", "s"))
        return (verb is not None and verb[1] == "b") or second in ("be", "have", "do") or unknown
    if first in ("don't", "dont", "stop", "avoid"):
        return second not in ("i", "we")
    if first == "do":
        return second in ("not", "never") or VERBS.get(second, ("", ""))[1] == "b"
    if first == "no":
        return second not in _NO_WHAT
    known = VERBS.get(first)
    if known is None or known[1] != "b" or second in AUXILIARIES or second in ("of", "and"):
        return False
    if (verb := VERBS.get(second)) and verb[1] == "s" and verb[0] not in NOUNISH:
        return False
    if first in NOUNISH:
        return not _has_own_verb(words)
    return not any(word in AUXILIARIES for word in words[2:4]) or not _ASKED.isdisjoint(words[1:4])


def _has_own_verb(words: list[str]) -> bool:
    """Whether a later word is a finite verb, so that the first is its subject: `test server has`."""
    for before, word in pairwise(words[1:-1]):
        known = VERBS.get(word)
        finite = word in AUXILIARIES or (known is not None and (known[1] == "s" or before.endswith("s")))
        if before in PRONOUNS or before in DETERMINERS or before in ("what", "how", "which", "and", "to", "all"):
            if finite:
                return False
        elif finite:
            return True
    return False


class _Order(msgspec.Struct, frozen=True):
    """An order and what tells whether it is meant to last."""

    text: str
    first: str
    size: int
    lasting: bool
    output: bool
    manner: bool
    denied: bool
    polite: bool


def read_order(low: str, *, joint: str, is_reply: bool, is_document: bool, hint: str = "") -> ClauseFinding | None:
    """What an order is worth: a rule, a lesson, or a wish about the answers; nothing where it is meant once."""
    start = strip_please(low)
    when = _FROM.match(low[start:])
    text = low[start + (when.end() if when else 0) :]
    if not is_order(text):
        return None
    if _FORBIDS.match(text) and not _rules()[1].search(text):
        own = start > 0 or _OWN.search(low) is not None
        return (
            ClauseFinding(Kind.PREFERENCE, "asks for none") if own else ClauseFinding(Kind.CONVENTION, "gives a rule")
        )
    order = _weigh_order(low, text, polite=(start > 0 and not _ABOUT.match(low)) or joint == "so")
    if order is None:
        return None
    if is_document:
        return ClauseFinding(Kind.CONVENTION, "gives a rule") if _is_rule(order) else None
    if order.output and (order.manner or order.lasting or order.denied or order.first == "no"):
        told = order.polite or order.lasting or order.first in ("no", "keep", "give", "use", "write", "don't", "dont")
        if told:
            return ClauseFinding(Kind.PREFERENCE, "asks how it should be done")
    if order.denied and order.first not in ("never", "avoid"):
        return _read_ban(order, taught=is_reply or hint == "lesson" or _TAUGHT.search(text) is not None)
    return _read_wish(order, joint)


def _weigh_order(low: str, text: str, *, polite: bool) -> _Order | None:
    """The order with its marks, or none where it is about one thing at hand."""
    lasting, output, manner, one_off = (rule.search(text) is not None for rule in _rules())
    words = text.split()
    first, verb = words[0], words[1].strip(",")
    denied = first in ("don't", "dont", "stop", "avoid", "never") or words[:2] == ["do", "not"]
    lasting = lasting or _WHENEVER.match(low) is not None
    empty = denied and (verb in _EMPTY or len(words) < 3)
    if (one_off and not _ABOUT.match(low)) or empty or (_SINGLE.search(text) and not lasting):
        return None
    polite = polite or _OWN.search(low) is not None
    return _Order(text, first, len(words), lasting, output, manner, denied, polite)


def _is_rule(order: _Order) -> bool:
    general = order.first in _WAYS and _IN_GENERAL.search(order.text) is not None
    marked = _BEFORE.search(order.text) is not None or _CONTRAST.search(order.text) is not None
    return order.lasting or order.denied or marked or general


def _read_ban(order: _Order, *, taught: bool) -> ClauseFinding | None:
    if order.polite and not taught:
        return ClauseFinding(Kind.PREFERENCE, "asks what not to do")
    if taught:
        return ClauseFinding(Kind.LESSON, "says what not to do")
    lasts = order.size > 3 and not _NOT_NOW.search(order.text)
    return ClauseFinding(Kind.CONVENTION, "says what not to do") if lasts else None


def _read_wish(order: _Order, joint: str) -> ClauseFinding | None:
    """What is asked for in general; with please it is a wish, without it a rule."""
    if not order.polite and _DUE.search(order.text) and order.first not in ("never", "always", "avoid"):
        return ClauseFinding(Kind.TASK_HINT, "is labelled a task")
    contrast = not order.denied and _CONTRAST.search(order.text) is not None
    general = order.first in _WAYS and order.first != "write" and _IN_GENERAL.search(order.text) is not None
    always = order.first in ("never", "always", "avoid") or (order.lasting and order.first != "no")
    if contrast or general or always:
        return ClauseFinding(Kind.PREFERENCE if order.polite else Kind.CONVENTION, "asks for it always")
    if not order.polite and _BEFORE.search(order.text):
        return ClauseFinding(Kind.CONVENTION, "gives a rule")
    return ClauseFinding(Kind.PREFERENCE, "asks how it should be done") if order.manner and joint == "so" else None


def read_remedy(low: str, *, is_document: bool) -> ClauseFinding | None:
    """`If the page hangs, clear the cache`, `to silence it, press reset`: what to do when, or for what."""
    found = _REMEDY.match(low)
    if found is None:
        return None
    if is_document and low.startswith("if ") and re.match(r"(?:the|there|it|this|its) ", low[found.end() :]):
        return ClauseFinding(Kind.PATTERN, "says what it means when")
    order = low[found.end() :]
    return ClauseFinding(Kind.PATTERN, "says what to do when") if is_order(order[strip_please(order) :]) else None


def word_wish(order: str, name: str) -> str:
    """An order as what its giver wants: `keep answers short` becomes `Tom asks to keep answers short`."""
    words = order.split(" ", 1)
    first, rest = words[0].lower(), words[1] if len(words) > 1 else ""
    if first in ("don't", "dont"):
        return f"{name} asks not to {rest}"
    if first == "do" and rest.lower().startswith("not "):
        return f"{name} asks not to {rest[4:]}"
    if first == "do":
        return f"{name} asks to {rest}"
    if first == "never":
        return f"{name} asks never to {rest}"
    if first == "always":
        return f"{name} asks always to {rest}"
    if first in ("no", "nothing"):
        return f"{name} asks for {first} {rest}"
    if first == "stop":
        return f"{name} asks to stop {rest}"
    return f"{name} asks to {first} {rest}"
