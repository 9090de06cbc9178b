"""Sentences that say one thing across their clauses: trouble and what ended it, one thing and not another."""

from __future__ import annotations

import re
from functools import cache

from heldtrue.domain.memory import Kind
from heldtrue.language.extraction.clause_finding import ClauseFinding

_FORMS: tuple[tuple[Kind, str, str], ...] = (
    (
        Kind.PATTERN,
        "says what was done and that it is well since",
        r"\b(?:so|then|until|before|after|once) (?:i|we) [a-z]{2,14} .{3,90}[, -] ?(?:and |but )?(?:now"
        r"|since then|ever since)"
        r",? (?:it|they|everything|the \w+|all|we|i|she|he|nobody|no)\b"
        r"|^(?:i|we) [a-z]{2,14}(?:ed|t|d|k|w|n|g|p|e) .{3,90}(?:, | and )(?:now|since then"
        r"|ever since)[ ,]+(?:it|they|the \w+"
        r"|everything)(?:'s| is| are| has| have|'ve)? .{3,}",
    ),
    (
        Kind.LESSON,
        "says what it was, and what not",
        r"^(?!i\b|we\b|you\b|it\b|that\b|this\b)[^,]{4,70} (?:wasn't|weren't|isn't|aren't|was not|were not"
        r"|is not|are not)"
        r" [^,]{3,60}(?:, | - |; )(?:but |actually )?(?:it's|it was|it is|they're|they were|they are"
        r"|that was)? ?\w[^,]{4,}"
        r"|^(?:i|we) (?:always |had )?(?:thought|assumed|believed|figured) .{4,80}(?:, | - | but )(?:but "
        r"|actually |it turns out"
        r" |turns out |in fact |really )+.{4,}|^not (?:the |an? )?[\w' -]{2,30}(?:,| but) (?:but )?(?:the "
        r"|an? )?\w[\w' -]+ \w+",
    ),
    (
        Kind.DECISION,
        "says that it is agreed",
        r"^(?!i\b).{4,80}, (?:we|the team|everyone) (?:all |have |has )?(?:agreed|decided)(?: on (?:it|that))?$",
    ),
    (
        Kind.CONVENTION,
        "says that it is the rule",
        r".{8,},? (?:that's|that is|is) (?:my|our|the) (?:house |golden |one |only |first )?(?:rule|policy|way|law)$"
        r"|^(?:whoever|the last one|the first one|anyone who|anybody who|everyone who) .{3,50} \w+s? \w.{3,}",
    ),
)


@cache
def _rules() -> tuple[tuple[Kind, str, re.Pattern[str]], ...]:
    return tuple((kind, reason, re.compile(pattern)) for kind, reason, pattern in _FORMS)


def read_whole(low: str) -> ClauseFinding | None:
    """What a whole sentence (in small letters, without its openers) says, where its clauses say it only together."""
    if len(low) > 240:
        return None
    text = low.rstrip(".! ")
    return next(
        (ClauseFinding(kind, reason) for kind, reason, rule in _rules() if rule.match(text) or _inner(rule, text)), None
    )


def _inner(rule: re.Pattern[str], text: str) -> bool:
    return rule.pattern.startswith(r"\b") and rule.search(text) is not None
