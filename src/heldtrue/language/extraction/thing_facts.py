"""What is said of a thing: what it is, has and does, where and when; nothing where that passes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from heldtrue.domain.memory import Kind
from heldtrue.language.extraction.clause_finding import ClauseFinding
from heldtrue.language.extraction.cues.cue import cue_pattern
from heldtrue.language.extraction.cues.tasks import WHEN
from heldtrue.language.extraction.fact_parts import has_anchor, names_person
from heldtrue.language.extraction.fact_words import (
    BROKEN,
    CHANGED,
    DAYS,
    FLEETING,
    HIDDEN,
    JUDGING,
    KEPT,
    NUMBERS,
    OFTEN,
    PLACE,
    SETTLED,
    SETTLED_PAST,
    SHALLOW,
    STATIVE,
    TIMED,
    UNABLE,
)
from heldtrue.language.grammar.lexicon import ADVERBS, AUXILIARIES, DETERMINERS, PREPOSITIONS, VERBS
from heldtrue.language.grammar.tokens import Token

_OWNED = re.compile(r"(?:owned|led|run|managed|maintained|chaired|organi[sz]ed|handled) by \w")
_ALWAYS = re.compile(r"\b(?:always|never|usually)\b")
_UNTIL = frozenset((*PLACE, "by", "to", "as", "within", "until", "only", "before", "after", "during"))
_SAME_FORM = frozenset("read cost set cut put".split())
_PARTICIPLES = frozenset("due closed open free shut set put cut read run split".split())


@cache
def _rules() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    return cue_pattern(OFTEN), cue_pattern(KEPT), cue_pattern(WHEN)


def _base(verb: str) -> str:
    known = VERBS.get(verb)
    return known[0] if known else AUXILIARIES.get(verb, ("", "", False))[0]


def _is_past(verb: str) -> bool:
    known = VERBS.get(verb)
    return (known is not None and known[1] == "d" and verb not in _SAME_FORM) or verb in ("was", "were", "had", "did")


def is_fleeting(tokens: Sequence[Token], *, is_document: bool) -> bool:
    """Whether the verb (first) says that it is only so for a while, or was."""
    verb = tokens[0].low
    rest = [token.low for token in tokens[1:]]
    if any(word in FLEETING for word in rest[:6]) or "last time" in " ".join(rest) or _is_passing(verb, rest):
        return True
    if _stands(verb, rest):
        return False
    if _is_past(verb):
        return not is_document or not any(word[:1].isdigit() or word in NUMBERS for word in rest)
    base = _base(verb)
    if base == "return":
        return not is_document
    if verb in ("doesn't", "don't") and len(rest) > 1:
        return rest[0] in BROKEN or _base(rest[0]) in SHALLOW - {"get", "like"}
    if base in ("will", "can") and any(word[:1].isdigit() or word in DAYS for word in rest):
        return False
    return base in ("will", "would", "can", "do") and not is_document


def _is_passing(verb: str, rest: list[str]) -> bool:
    """A feeling, a look, something going on."""
    if verb in ("is", "are", "am"):
        return bool(rest) and rest[0].endswith("ing") and rest[0] not in ("missing", "nothing", "during")
    base = _base(verb)
    passive = base == "get" and bool(rest) and VERBS.get(rest[0], ("", ""))[1] == "d"
    return base in SHALLOW and not passive and {"always", "never", "only"}.isdisjoint(rest[:3])


def _stands(verb: str, rest: list[str]) -> bool:
    """A change or a state that holds since: `moved to 3 May`, `disabled everywhere`, `was founded in 1921`."""
    if not rest:
        return False
    dated = any(word[:1].isdigit() for word in rest)
    if verb in CHANGED:
        return rest[0] == "to" or ("to" in rest and dated)
    if verb in SETTLED:
        return rest[0] in PREPOSITIONS or rest[0] in ("everywhere", "only")
    if verb in ("can't", "cannot"):
        return rest[0] in UNABLE
    return verb in ("was", "were") and rest[0] in SETTLED_PAST and dated


def read_thing(
    text: str, subject: Sequence[Token], verb: Token, rest: Sequence[Token], project: str | None
) -> ClauseFinding | None:
    """What a thing is, has, does or where it is."""
    plain = Kind.PROJECT if project else Kind.NOTE
    base, low = _base(verb.low), verb.low
    if low in CHANGED:
        return ClauseFinding(plain, "says what changed")
    if low in SETTLED or (low in ("was", "were") and rest[0].low in SETTLED_PAST):
        return ClauseFinding(plain, "says how it stands")
    if low == "don't" and len(rest) > 1 and subject[0].low not in ("the", "our") and subject[-1].low.endswith("s"):
        return ClauseFinding(Kind.CONVENTION, "says what such things never do")
    if low in ("can't", "cannot") and len(rest) > 1 and rest[0].low in UNABLE:
        return ClauseFinding(Kind.NOTE, "says what somebody cannot do")
    if not _tells_something(text, subject, base, rest, project):
        return None
    predicate = text[subject[-1].end :].lower()
    if _is_way(predicate, text[verb.end :].lower().strip(), base, low, subject):
        return ClauseFinding(Kind.CONVENTION, "says how or when it is always done")
    if _is_past(low):
        return ClauseFinding(Kind.CLAIM, "reports what was found")
    return _read_date(text, verb, rest, base, plain)


def _tells_something(
    text: str, subject: Sequence[Token], base: str, rest: Sequence[Token], project: str | None
) -> bool:
    if base == "be":
        return _holds_something(text, rest, long_subject=len(subject) > 2 or bool(project))
    if base == "have":
        placed = project is not None and len(rest) > 3 and any(token.low in PLACE for token in rest[2:])
        return placed or has_anchor(text, rest)
    if base in ("will", "can"):
        return has_anchor(text, rest)
    return _is_telling(text, subject, base, rest, project)


def _is_way(predicate: str, tail: str, base: str, verb: str, subject: Sequence[Token]) -> bool:
    often, kept, when = _rules()
    if tail.startswith("due") and base == "be":
        return when.search(tail) is None
    plural = verb in ("are", "have") or VERBS.get(verb, ("", ""))[1] == "b"
    if plural and base == "be" and kept.match(tail) and subject[0].low not in ("the", "our"):
        return True
    return (plural and base == "get") or (
        often.search(predicate) is not None and not tail.startswith(("closed", "open"))
    )


def _read_date(text: str, verb: Token, rest: Sequence[Token], base: str, plain: Kind) -> ClauseFinding | None:
    tail = text[verb.end :].lower().strip()
    dated = base in ("end", "expire", "start", "begin", "open", "close") or tail.startswith(
        ("due", "planned", "scheduled", "set for")
    )
    told = dated and (_rules()[2].search(tail) is not None or has_anchor(text, rest))
    if dated and not told and base not in ("open", "close", "start", "end"):
        return None
    if told or _OWNED.match(tail):
        return ClauseFinding(Kind.PROJECT, "says when it is due" if told else "says whose it is")
    return ClauseFinding(plain, "states how it is")


def _is_telling(text: str, subject: Sequence[Token], base: str, rest: Sequence[Token], project: str | None) -> bool:
    """Whether a plain present says how things always are: of a certain thing any verb does, of others some."""
    certain = subject[0].low in ("the", "our", "all", "every", "each", "both") and len(rest) > 1
    if base == "get" and rest and VERBS.get(rest[0].low, ("", ""))[1] == "d":
        return True
    bare = subject[0].low not in DETERMINERS and not project
    if bare and base not in TIMED and not any(token.low in DAYS for token in rest) and not names_person(text, subject):
        return False  # general knowledge: `water boils at 100 degrees`
    certain = certain or _ALWAYS.search(text.lower()) is not None
    certain = certain or (project is not None and names_person(text, subject) and len(rest) > 1)
    return base in STATIVE or certain or has_anchor(text, rest)


def _holds_something(text: str, rest: Sequence[Token], *, long_subject: bool) -> bool:
    """Whether what follows `is` tells more than a judgement: a place, a value, a name, who made it."""
    words = [token for token in rest if token.low not in ADVERBS]
    if not words:
        return False
    first = words[0].low
    if first in JUDGING and not any(token.low[:1].isdigit() for token in rest):
        return False
    if first in PLACE or first in HIDDEN:
        return _is_place(text, words, rest, long_subject=long_subject)
    if first in ("called", "named") and len(words) > 1:
        return True
    known = VERBS.get(first)
    passive = (known is not None and known[1] == "d") or first.endswith("ed") or first in _PARTICIPLES
    placed = len(words) > 3 and any(token.low in PLACE for token in words[1:4])
    if passive and (placed or (len(words) > 2 and words[1].low in _UNTIL)):
        return True
    return has_anchor(text, rest)


def _is_place(text: str, words: Sequence[Token], rest: Sequence[Token], *, long_subject: bool) -> bool:
    first = words[0].low
    last = words[-1]
    if first == "at" and (last.low in ("%", "percent") or len(words) < 3 or (len(words) < 4 and last.kind != "name")):
        return False  # at three, at 600 degrees: now
    if first in HIDDEN and len(words) > 2:
        return True
    if first in ("in", "on") and len(words) > 3 and words[1].low == "the" and words[3].kind == "word":
        return True
    return len(words) > 1 and (long_subject or has_anchor(text, rest))
