"""What part of life a statement belongs to, and the noun it is mainly about."""

from __future__ import annotations

import re
from functools import cache

from heldtrue.domain.memory import Kind

_CATEGORIES = {
    "health": """allergic allergy asthma diabetes diabetic migraine migraines doctor dentist medication tablets
    pills surgery knee
        pain injury sleep vegan vegetarian pregnant therapy hospital colour-blind color-blind blood diet intolerant
        headaches""",
    "finance":
        "budget salary mortgage rent invoice invoices tax taxes loan savings bank pension price insurance "
        "payment euros dollars",
    "travel":
        "flight flights train trains hotel passport visa trip holiday vacation airport seat luggage ferry "
        "travel itinerary aisle",
    "relationships": """wife husband partner son daughter kids children mother father brother sister friend
    girlfriend boyfriend
        parents twins family birthday married divorced neighbour neighbours cousin uncle aunt""",
    "home":
        "house flat apartment kitchen garden bins boiler heating floor plumber cat cats dog dogs washing "
        "cellar key roof furniture",
    "hobbies": """band guitar bass piano cello choir sing football tennis swim swimming running marathon climbing
    chess knitting
        painting photography cycling hiking gaming novel rehearsal amp gig""",
    "learning":
        "exam exams homework school university course degree study class subject vocab teacher essay "
        "lecture thesis chemistry",
    "work": """team project release deploy deployment code repo branch commit merge customer client meeting
    deadline contract office
        engineer manager company job server database api production staging review postdoc accountant colleague
        service test tests""",
}  # fmt: skip
_TOPIC = r"""(?x)\b(?:prefers?|likes?|loves?|hates?|enjoys?|dislikes?|stand|avoids?|uses?|chose|picked|(?:decided
    |settled|agreed)\s(?:to\suse|on|against)|going\swith
    |allergic\sto|speaks?|plays?|about)\s(?:the\s|an?\s|to\s\w+\s(?:the\s)?)?([a-z][\w-]{2,30}(?:\s(?!in\b|on\b
    |for\b|because|since|instead\b|over\b|and\b|to\b|than\b|with\b|at\b|from\b|as\b|not\b|is\b)[a-z][\w-]{2,20})?)"""
_SUBJECT = (
    r"^(?:the|our|all|every|each)\s((?:[\w-]+\s){0,2}?[\w-]+)\s(?:is|are|has|have|must|runs?|lives?"
    r"|goes|go|needs?|ends?|was|will|should|comes?)\b"
)


@cache
def _words() -> dict[str, str]:
    return {word: category for category, words in _CATEGORIES.items() for word in words.split()}


@cache
def _rules() -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(_TOPIC), re.compile(_SUBJECT)


def name_category(words: list[str], kind: Kind) -> str | None:
    """The part of life that the words name first; a liking without one is a preference."""
    table = _words()
    for word in words:
        category = table.get(word)
        if category:
            return category
    return "preferences" if kind is Kind.PREFERENCE else None


def name_topic(low: str) -> str | None:
    """The main noun, where the form of the sentence shows it."""
    topic, subject = _rules()
    found = topic.search(low) or subject.search(low)
    return found[1].strip() if found else None
