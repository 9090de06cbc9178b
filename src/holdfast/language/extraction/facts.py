"""Plain statements about things and third persons: a subject, a verb that lasts, and something to hold on to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import msgspec

from holdfast.domain.memory import Kind, Strength
from holdfast.language.extraction.cues.cue import cue_pattern
from holdfast.language.extraction.cues.tasks import WHEN
from holdfast.language.extraction.fact_words import (
    ASSIGNED,
    DAYS,
    FLEETING,
    KEPT,
    META,
    NO_SUBJECT,
    NUMBERS,
    OFTEN,
    PLACE,
    ROLE,
    SHALLOW,
    STATIVE,
    SUBJECT_TOKENS_MAX,
    TITLES,
)
from holdfast.language.grammar.lexicon import ADVERBS, AUXILIARIES, DETERMINERS, PREPOSITIONS, VERBS
from holdfast.language.grammar.tokens import Token, read_tokens
from holdfast.language.grammar.verbs import find_verb
from holdfast.language.names import find_names


class Finding(msgspec.Struct, frozen=True, gc=False):
    """What a clause was taken for, and why."""

    kind: Kind
    reason: str
    strength: Strength = Strength.EXPLICIT


@cache
def _rules() -> dict[str, re.Pattern[str]]:
    table = {"role": ROLE, "assigned": ASSIGNED, "often": OFTEN, "kept": KEPT, "when": WHEN}
    return {name: cue_pattern(pattern) for name, pattern in table.items()}


def read_fact(text: str, *, project: str | None, is_document: bool = False) -> Finding | None:
    """What a clause states of a thing or a third person, if that lasts and names something."""
    tokens = _skip_adverbial(read_tokens(text, (), (), ()))
    verb = _find_verb(tokens)
    if verb < 1 or verb > SUBJECT_TOKENS_MAX or verb + 1 >= len(tokens):
        return None
    subject, rest = tokens[:verb], tokens[verb + 1 :]
    if subject[0].low == "there":
        return _read_there(tokens[verb:], project) if is_document else None
    if not _is_subject(subject):
        return None
    tail = text[tokens[verb].start :].lower()
    is_project = bool(project) and subject[0].low == (project or "").lower()
    if not is_project and _name_person(text, subject):
        found = _read_person(tail, tokens[verb].low, project)
        if found and (not is_document or found.kind is not Kind.PROFILE or tokens[verb].low != "is"):
            return found
        if found:
            return Finding(Kind.ENTITY, "says what it is")
        if tokens[verb].low == "is" and rest[0].low in PLACE and not _has_anchor(text, rest):
            return None  # where somebody is just now
    if _is_fleeting(tokens[verb:], is_document):
        return None
    if is_project and tokens[verb].low == "is" and rest[0].low in ("a", "an", "the"):
        return Finding(Kind.PROJECT, "says what the project is")
    return _read_thing(text, subject, tokens[verb], rest, project)


def _skip_adverbial(tokens: list[Token]) -> list[Token]:
    """Without a time or place in front: `since 1 February the nightly job runs`."""
    if not tokens or tokens[0].low not in (
        "since",
        "from",
        "as",
        "on",
        "in",
        "at",
        "until",
        "every",
        "after",
        "for",
        "during",
    ):
        return tokens
    for place in range(2, min(6, len(tokens) - 2)):
        if tokens[place].low in ("the", "our") and tokens[place - 1].low not in PREPOSITIONS:
            return tokens[place:]
        if tokens[place].low == "," and tokens[place + 1].low not in PREPOSITIONS:
            return tokens[place + 1 :]
    return tokens


def _find_verb(tokens: Sequence[Token]) -> int:
    """The finite verb; after a bare name also one that no list knows."""
    verb = find_verb(tokens, 0, len(tokens))
    if verb >= 1 or len(tokens) < 3 or tokens[0].kind == "mark":
        return verb
    second = tokens[1].low
    is_verb = second.isalpha() and second.endswith("s") and not second.endswith("ss")
    follows = tokens[2].low in PREPOSITIONS or tokens[2].low in DETERMINERS
    return 1 if is_verb and follows and tokens[0].low not in DETERMINERS else -1


def _read_there(tokens: Sequence[Token], project: str | None) -> Finding | None:
    """`There are four spaces behind the shop`: how many, and where."""
    words = [token.low for token in tokens]
    if words[0] not in ("is", "are") or len(words) < 5 or not (words[1] in NUMBERS or words[1].isdigit()):
        return None
    if PLACE.isdisjoint(words[3:]):
        return None
    return Finding(Kind.PROJECT if project else Kind.NOTE, "says what there is")


def _is_subject(subject: Sequence[Token]) -> bool:
    first, head = subject[0].low, subject[-1].low
    if first in NO_SUBJECT or any(token.low in ("that", "who", "which", "i", "you", "my") for token in subject):
        return False
    return not (head in META and len(subject) <= 2 and first in ("the", "your", head.rstrip("s"))) and head != "figure"


def _name_person(text: str, subject: Sequence[Token]) -> bool:
    """Whether the subject is one bare name, as people have."""
    if (
        (len(subject) > 2 and subject[0].low not in TITLES)
        or len(subject) > 4
        or subject[0].kind != "name"
        or not text[subject[0].start].isupper()
    ):
        return False
    if subject[0].low in TITLES:
        return True
    names = find_names(text)
    return bool(names) and names[0].text.startswith(text[subject[0].start : subject[0].end])


def _read_person(tail: str, verb: str, project: str | None) -> Finding | None:
    """What a named person is, does or took on."""
    rules = _rules()
    if rules["assigned"].match(tail) and not rules["often"].search(tail):
        return Finding(Kind.TASK_HINT, "says who does what")
    if re.match(r"(?:has|knows|keeps) (?:the|our|all)\b", tail):
        return Finding(Kind.PROJECT if project else Kind.PROFILE, "says what somebody has or knows")
    if re.match(r"is \w+ing\b", tail):
        dated = rules["when"].search(tail) is not None
        return Finding(Kind.TASK_HINT, "says who does what when") if dated else None
    after = tail.partition(" ")[2]
    if verb in ("is", "are") and rules["role"].match(after):
        on_call = after.startswith(("on call", "in charge", "responsible", "the new"))
        return Finding(Kind.PROJECT if on_call and project else Kind.PROFILE, "says who somebody is")
    if verb in (
        "turns",
        "lives",
        "works",
        "speaks",
        "plays",
        "studies",
        "teaches",
        "moved",
        "joined",
        "retires",
        "hates",
        "loves",
        "prefers",
        "likes",
    ):
        if verb == "moved" and rules["when"].search(after):
            return Finding(Kind.PROJECT, "says to when it moved")
        like = verb in ("hates", "loves", "prefers", "likes")
        return Finding(Kind.PREFERENCE if like else Kind.PROFILE, "says something of somebody")
    return None


def _is_fleeting(tokens: Sequence[Token], is_document: bool) -> bool:
    """Whether the verb says that it is only so for a while, or was."""
    verb = tokens[0].low
    rest = [token.low for token in tokens[1:]]
    if any(word in FLEETING for word in rest[:6]):
        return True
    known = VERBS.get(verb)
    base = known[0] if known else AUXILIARIES.get(verb, ("", "", False))[0]
    if base in SHALLOW or (
        verb in ("is", "are", "am")
        and rest
        and rest[0].endswith("ing")
        and rest[0] not in ("missing", "nothing", "during")
    ):
        return True
    if known and known[0] in ("move", "switch", "migrate", "relocate", "rename") and rest[:1] == ["to"]:
        return False
    past = (known is not None and known[1] == "d" and verb not in ("read", "cost", "set", "cut", "put")) or verb in (
        "was",
        "were",
        "had",
        "did",
    )
    if past:
        return not is_document or not any(token.low[:1].isdigit() for token in tokens)
    return base in ("will", "would", "can", "do") and not is_document


def _read_thing(
    text: str, subject: Sequence[Token], verb: Token, rest: Sequence[Token], project: str | None
) -> Finding | None:
    """What a thing is, has, does or where it is."""
    rules = _rules()
    tail = text[verb.end :].lower().strip()
    known = VERBS.get(verb.low)
    base = known[0] if known else AUXILIARIES.get(verb.low, ("", "", False))[0]
    plural = verb.low in ("are", "have") or (known is not None and known[1] == "b")
    if verb.low in ("moved", "switched", "migrated", "relocated", "renamed"):
        return Finding(Kind.PROJECT if project else Kind.NOTE, "says what changed")
    if base == "be" and not _holds_something(text, rest, long_subject=len(subject) > 2 or bool(project)):
        return None
    if base not in ("be", "have") and base not in STATIVE and not _has_anchor(text, rest):
        return None
    if base == "have" and not _has_anchor(text, rest):
        return None
    if base == "be" and plural and rules["kept"].match(tail) and subject[0].low not in ("the", "our"):
        return Finding(Kind.CONVENTION, "says how it is kept")
    if rules["often"].search(tail) and not tail.startswith(("closed", "open")):
        return Finding(Kind.CONVENTION, "says when or how it is always done")
    if (known is not None and known[1] == "d" and verb.low not in ("moved", "switched", "migrated")) or verb.low in (
        "was",
        "were",
        "had",
    ):
        return Finding(Kind.CLAIM, "reports what was found")
    dated = base in ("end", "expire", "start", "begin", "open", "close") or tail.startswith(
        ("due", "planned", "scheduled", "set for")
    )
    if dated and not rules["when"].search(tail) and not _has_anchor(text, rest):
        return None
    if dated:
        return Finding(Kind.PROJECT, "says when it is due")
    owned = re.match(r"(?:owned|led|run|managed|maintained|chaired|organi[sz]ed|handled) by \w", tail)
    return Finding(Kind.PROJECT if project or owned else Kind.NOTE, "states how it is")


def _holds_something(text: str, rest: Sequence[Token], *, long_subject: bool) -> bool:
    """Whether what follows `is` tells more than a judgement: a place, a value, a name, who made it."""
    words = [token for token in rest if token.low not in ADVERBS]
    if not words:
        return False
    first = words[0].low
    if first in PLACE and len(words) > 1 and (long_subject or _has_anchor(text, rest)):
        return not (first == "at" and words[-1].low == "%")
    if first in ("stuck", "late", "broken", "done", "ready"):
        return False
    if first in ("called", "named") and len(words) > 1:
        return True
    known = VERBS.get(first)
    passive = (
        (known is not None and known[1] == "d") or first.endswith("ed") or first in ("due", "closed", "open", "free")
    )
    if passive and len(words) > 2 and words[1].low in (*PLACE, "by", "to", "as", "within", "until", "only"):
        return True
    return _has_anchor(text, rest)


def _has_anchor(text: str, rest: Sequence[Token]) -> bool:
    """A number, an identifier, code, a name or a day: something that can be looked up again."""
    for token in rest:
        if token.kind in ("value", "quote") or token.low[0].isdigit() or token.low in NUMBERS:
            return True
        if token.kind == "name" and token.low not in ("i", "i'm", "ok"):
            return True
        if any(sign in token.low[1:-1] for sign in "/_.") or token.low in DAYS:
            return True
    return "`" in text
