"""Claims of a verb that acts: `S verb O`, `S verb prep V`, and the same in the passive."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from heldtrue.language.claims.attributes import ATTRIBUTE_STEMS, EXCLUSIVE, VERB_SPELLINGS, mood_prefix
from heldtrue.language.claims.canonical import IDLE_WORDS, canonical_word, join_words, phrase_of
from heldtrue.language.claims.copula import is_telling, read_copula, set_value, state_attribute
from heldtrue.language.claims.parse import Draft, Parse
from heldtrue.language.claims.phrases import Phrases, qualify, split_phrases
from heldtrue.language.claims.subjects import is_definite, name_actor, name_thing
from heldtrue.language.dates import MONTH_NUMBERS
from heldtrue.language.grammar.tokens import Token
from heldtrue.language.terms import stem_word

_PLACED = frozenset(
    """store keep save deploy host write run format build document track release publish lint test manage log
    put schedule""".split()
)
_SETTERS = frozenset("set change update increase raise reduce lower decrease bump extend".split())
# Verbs that only say that a thing has a property: blocking a port is more than having one.
_STATERS = frozenset("have use run listen serve bind expose operate".split())
# Where one lives, works or meets: only named places exclude each other.
_NAMED_PLACES = frozenset(
    "live in|work at|move to|studi at|studi in|happen in|happen at|hold in|hold at|come from|depart from".split("|")
)
_LOCATED = frozenset("located situated based".split())


def read_passive(parse: Parse, plain: bool) -> list[Draft]:
    """`X is used for Y`, `X is stored in Y`, `X is owned by Y`; a participle alone is an adjective."""
    participle, rest = parse.rest[0], parse.rest[1:]
    head, phrases = split_phrases(rest)
    if participle.low in _LOCATED and phrases:
        return read_copula(msgspec.structs.replace(parse, rest=rest, passive=False), plain)
    if parse.verb in ("call", "name") and head:
        return state_attribute(parse, "name", head, exclusive=True)
    if parse.verb in _SETTERS and phrases and phrases[-1][0] == "to":
        return set_value(parse, parse.subject, phrases[-1][1], plain)
    if not phrases:
        return read_copula(msgspec.structs.replace(parse, passive=False), plain)
    if phrases[0][0] == "by" and not head and not _is_time(phrases[0][1]):
        actor = msgspec.structs.replace(parse, subject=phrases[0][1], rest=parse.subject, passive=False)
        return read_active(actor, plain)
    if parse.verb in ("use", "prefer", "need") and not head:
        return read_active(
            msgspec.structs.replace(parse, subject=(), rest=[*parse.subject, *rest], passive=False), plain
        )
    return read_active(msgspec.structs.replace(parse, rest=rest, passive=False), plain)


def _is_time(phrase: Sequence[Token]) -> bool:
    """Whether `by` is followed by a date and not by a doer: `by 3 May`, `by Friday`, `by 17:00`."""
    low = phrase[0].low
    if phrase[0].kind == "value":
        dated = len(phrase) > 1 and phrase[1].low in MONTH_NUMBERS
        return dated or low.endswith(" clock") or (low[:4].isdigit() and len(low) >= 4 and low[4:5] in ("", "-"))
    return low in MONTH_NUMBERS or low in _TIMES


_TIMES = frozenset("monday tuesday wednesday thursday friday saturday sunday noon midnight tomorrow".split())


def read_active(parse: Parse, plain: bool) -> list[Draft]:
    """`S verb O`, `S verb prep V`, `S verb O prep Y`."""
    rest, positive = parse.rest, parse.positive
    if rest and rest[0].low == "no" and len(rest) > 1:
        rest, positive = rest[1:], not positive
    head, phrases = split_phrases(rest)
    subject = name_actor(parse.subject)
    if parse.verb == "own" and head:
        owned = name_thing(head)
        return [(owned, join_words(mood_prefix(parse.mood), "owner"), subject, positive, parse.mood == "now")]
    if parse.verb in _SETTERS and head and phrases and phrases[-1][0] == "to":
        return set_value(parse, head, phrases[-1][1], plain)
    if parse.verb == "belong":
        subject = name_thing(parse.subject)
    if parse.verb in _STATERS and (noun := _stated_noun(head, phrases)):
        return _stated_property(parse, subject, noun, head, phrases, positive)
    if parse.verb == "prefer" and head:
        return [_preference(parse, subject, head, phrases, positive)]
    if parse.verb == "switch" and phrases and phrases[-1][0] == "to":
        return [(subject, "use", phrase_of(phrases[-1][1]), positive, False)]
    if (
        head
        and phrases
        and parse.verb in _PLACED
        and subject == "we"
        and phrases[0][0] in ("in", "on", "to", "with", "at", "as")
    ):
        subject, head = name_thing(head), ()
    return [_action(parse, subject, head, phrases, positive, plain)]


def _action(
    parse: Parse,
    subject: str,
    head: Sequence[Token],
    phrases: Phrases,
    positive: bool,
    plain: bool,
) -> Draft:
    verb = stem_word(parse.verb)
    value_tokens = head
    if not head and phrases:
        (preposition, value_tokens), phrases = phrases[0], phrases[1:]
        if preposition == "without":
            preposition, positive = "with", not positive
        verb = VERB_SPELLINGS.get(f"{parse.verb} {preposition}", f"{verb} {preposition}")
    qualifiers = list(parse.qualifiers)
    for preposition, phrase in phrases:
        if preposition == "without":
            preposition, positive = "with", not positive
        if preposition != "since":
            qualifiers.append(qualify(preposition, phrase))
    attribute = join_words(mood_prefix(parse.mood), verb, *sorted(filter(None, qualifiers)))
    exclusive = (
        parse.mood in ("now", "do")
        and _holds_one_value(verb, qualifiers, value_tokens, plain)
        and is_definite(parse.subject, subject)
        and "sometimes" not in (token.low for token in value_tokens)
    )
    return subject, attribute, phrase_of(value_tokens) or verb, positive, exclusive


def _holds_one_value(verb: str, qualifiers: list[str], value: Sequence[Token], plain: bool) -> bool:
    """Whether the verb takes one object at a time: a home, an employer, a price, the tool used for a purpose."""
    if verb in EXCLUSIVE:
        return verb not in _NAMED_PLACES or is_telling(value, plain)
    if verb == "use":
        return any(qualifier.startswith("for ") for qualifier in qualifiers)
    return verb in ("cost", "take", "last", "expir") and any(token.kind == "value" for token in value)


def _stated_noun(head: Sequence[Token], phrases: Phrases) -> str:
    """The attribute noun before a number or identifier: `on port 8080`, `a timeout of 30 s`, `version 1.2.3`."""
    tokens = head or (phrases[0][1] if phrases else ())
    if len(tokens) < 2:
        return ""
    words = [token for token in tokens if token.low not in IDLE_WORDS and token.low != "of"]
    if len(words) == 2 and words[1].kind == "value" and (noun := canonical_word(words[0].low)) in ATTRIBUTE_STEMS:
        return noun
    return ""


def _stated_property(
    parse: Parse,
    subject: str,
    noun: str,
    head: Sequence[Token],
    phrases: Phrases,
    positive: bool,
) -> list[Draft]:
    tokens = head or phrases[0][1]
    others = phrases if head else phrases[1:]
    qualifiers = [qualify(place, phrase) for place, phrase in others if place != "since"]
    attribute = join_words(mood_prefix(parse.mood), noun, *sorted({*qualifiers, *parse.qualifiers}))
    exclusive = parse.mood in ("now", "do") and is_definite(parse.subject, subject)
    value = next(token.low for token in reversed(tokens) if token.kind == "value")
    return [(subject, attribute, value, positive, exclusive)]


def _preference(parse: Parse, subject: str, head: Sequence[Token], phrases: Phrases, positive: bool) -> Draft:
    """`prefers X over Y` speaks of the pair; `prefers dark mode` of the mode; `prefers X for Y` of Y."""
    value, topic = phrase_of(head), ""
    others = [qualify(place, phrase) for place, phrase in phrases if place not in ("over", "to")]
    rivals = [phrase_of(phrase) for place, phrase in phrases if place in ("over", "to")]
    if rivals:
        topic = " ".join(sorted([value, rivals[0]]))
    elif " " in value and not others and all(token.kind == "word" for token in head):
        value, _, topic = value.rpartition(" ")
    attribute = join_words(mood_prefix(parse.mood), "prefer", topic, *sorted({*others, *parse.qualifiers}))
    return subject, attribute, value, positive, parse.mood == "now" and is_definite(parse.subject, subject)
