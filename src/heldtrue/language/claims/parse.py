"""An English clause as subject, verb, mood, polarity and rest."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from heldtrue.language.grammar.lexicon import (
    ADVERBS,
    AUXILIARIES,
    DETERMINERS,
    NOUNISH,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    VERBS,
)
from heldtrue.language.grammar.tokens import Token
from heldtrue.language.grammar.verbs import find_verb, opens_imperative
from heldtrue.language.terms import stem_word

_VERB_ALIASES = {
    "reside": "live", "adopt": "use", "love": "like", "enjoy": "like", "adore": "like", "favour": "prefer",
    "employ": "use", "utilize": "use", "equal": "be", "relocate": "move", "migrate": "switch",
}  # fmt: skip
VERB_OPPOSITES = {
    "hate": "like",
    "dislike": "like",
    "forbid": "allow",
    "prohibit": "allow",
    "disable": "enable",
    "avoid": "use",
    "deny": "allow",
}
_EVENTS = frozenset("move switch decide choose rename change set deprecate release name call agree bear".split())
_NUMBERED = frozenset("version release phase step stage level model issue zone port".split())
_NEEDS = frozenset("need require contain include take cost".split())
_SAME_PARTICIPLE = frozenset("set put run read cut split shut".split())

# The subject of a fragment such as `Prefers dark mode`: somebody whom the words do not name.
_NOBODY = Token("", "quote", 0, 0)
# A claim without its place in the text: subject, attribute, value, positive, exclusive.
Draft = tuple[str, str, str, bool, bool]


class Parse(msgspec.Struct):
    """A clause on its way to claims."""

    subject: Sequence[Token]
    verb: str
    mood: str
    positive: bool
    rest: Sequence[Token]
    passive: bool = False
    qualifiers: tuple[str, ...] = ()


def parse_clause(tokens: Sequence[Token]) -> Parse | None:
    """The clause around its finite verb, or as a command; None where no verb can be made out."""
    verb = find_verb(tokens, 0, len(tokens))
    if verb > 0 and not (opens_imperative(tokens, 0, len(tokens)) and not _is_subject(tokens[:verb], tokens[verb])):
        return _parse_verb_group(tokens, tokens[:verb], verb)
    if verb == 0:
        head, _, tail = tokens[0].low.rpartition("'")
        pronoun = Token(head, tokens[0].kind, tokens[0].start, tokens[0].end)
        auxiliary = Token("'" + tail, "word", tokens[0].start, tokens[0].end)
        return _parse_verb_group([pronoun, auxiliary, *tokens[1:]], [pronoun], 1)
    if opens_imperative(tokens, 0, len(tokens)):
        return _parse_verb_group(tokens, (), 0)
    known = VERBS.get(tokens[0].low)
    if known and known[1] == "s" and len(tokens) > 1 and tokens[1].kind != "mark":
        return _parse_verb_group(tokens, (_NOBODY,), 0)
    if len(tokens) > 2 and tokens[1].kind == "word" and (tokens[0].kind == "name" or tokens[0].low in PRONOUNS):
        unknown = tokens[1].low
        if (
            unknown.endswith("s")
            and unknown.isascii()
            and not unknown.endswith(("ss", "us", "'s"))
            and unknown not in PREPOSITIONS
        ):
            return Parse(tokens[:1], stem_word(unknown), "now", True, tokens[2:])
    return _parse_unknown_verb(tokens)


def _parse_unknown_verb(tokens: Sequence[Token]) -> Parse | None:
    """`The hall seats 400`: between a noun and a number or an article, a word in -s is no plural noun but a verb."""
    if len(tokens) < 4 or tokens[0].low not in ("the", "our", "my", "this"):
        return None
    for place in range(2, min(len(tokens) - 1, 5)):
        low, following = tokens[place].low, tokens[place + 1]
        if tokens[place].kind != "word" or tokens[place - 1].kind == "value":
            return None
        if not low.endswith("s") or low.endswith(("ss", "us", "is")) or not low.isalpha():
            continue
        if following.kind == "value" or following.low in ("the", "a", "an", "no"):
            subject = [token for token in tokens[:place] if token.low not in ADVERBS]
            positive = all(token.low != "never" for token in tokens[:place])
            return Parse(subject, stem_word(low), "now", positive, tokens[place + 1 :])
    return None


def _is_subject(tokens: Sequence[Token], verb: Token) -> bool:
    """Whether these tokens are a subject and no command: `Type hints are ...`, not `Use the client that is ...`."""
    first = tokens[0].low
    if first in ADVERBS or first in AUXILIARIES:
        return False
    if first in PRONOUNS or first in DETERMINERS or first not in VERBS:
        return True
    if len(tokens) == 2 and first in _NUMBERED and tokens[1].kind == "value":
        return True
    if len(tokens) == 1:
        return (first != "use" and first in NOUNISH) or verb.low in AUXILIARIES
    if verb.low in _NEEDS and first in NOUNISH and len(tokens) == 2 and tokens[1].low.endswith("s"):
        return True  # `pull requests need ...`
    return verb.low in AUXILIARIES and not any(
        token.kind == "mark" or token.low in DETERMINERS or token.low in SUBORDINATORS or token.low in PRONOUNS
        for token in tokens
    )


def _parse_verb_group(tokens: Sequence[Token], subject: Sequence[Token], place: int) -> Parse:
    """Read auxiliaries, negation and main verb; what follows is the rest."""
    mood, positive, base = "now", True, ""
    be = False
    while subject and len(subject) > 1 and (subject[-1].low in ADVERBS or subject[-1].low in ("no", "longer", "not")):
        positive = positive and subject[-1].low not in ("never", "no", "not")
        subject = subject[:-1]
    while place < len(tokens):
        low = tokens[place].low
        auxiliary = AUXILIARIES.get(low) or (AUXILIARIES.get(low[low.rindex("'") :]) if "'" in low else None)
        if low == "no" and place + 1 < len(tokens) and tokens[place + 1].low == "longer":
            positive, place = False, place + 1
        elif low in ("not", "never", "no") and not (low == "no" and not be and base != "have"):
            positive = False
        elif auxiliary and not be:
            base = auxiliary[0]
            be = base == "be"
            mood = auxiliary[1] if mood == "now" and auxiliary[1] not in ("now", "must") else mood
            positive = positive and not auxiliary[2]
        elif low in ("been", "be") and base:
            base, be, mood = "be", True, "now" if mood == "past" else mood
        elif low not in ADVERBS and low not in ("please", "longer", "going"):
            break
        place += 1
    return _parse_main_verb(tokens, subject, place, base, mood, positive)


_GRANTS = {
    "allowed": "can", "permitted": "can", "entitled": "can", "forbidden": "forbid", "prohibited": "forbid",
    "required": "must", "obliged": "must", "supposed": "must",
}  # fmt: skip


def _read_grant(tokens: Sequence[Token], place: int, be: bool) -> tuple[str, str] | None:
    """The verb and the kind of `is allowed to smoke`, that is `may smoke`; `is required to` is `has to`."""
    if not be or place + 2 >= len(tokens) or tokens[place + 1].low != "to":
        return None
    kind, inner = _GRANTS.get(tokens[place].low), VERBS.get(tokens[place + 2].low)
    return (_VERB_ALIASES.get(inner[0], inner[0]), kind) if kind and inner and inner[1] == "b" else None


def _parse_main_verb(
    tokens: Sequence[Token], subject: Sequence[Token], place: int, base: str, mood: str, positive: bool
) -> Parse:
    word = tokens[place] if place < len(tokens) and tokens[place].kind in ("word", "name") else None
    be = base == "be"
    known = VERBS.get(word.low) if word else None
    if word and known is None and be and word.low.endswith("ed") and len(word.low) > 5:
        known = (word.low[:-2], "d")
    elif word and known is None and word.kind == "word" and base not in ("be", "have") and (base or not subject):
        known = (word.low, "b")  # after `should` or `never` stands a verb, known or not
    if known is None or (be and known[1] in ("b", "s") and known[0] not in _SAME_PARTICIPLE):
        return Parse(subject, base or "be", mood, positive, tokens[place:])
    verb, form = known
    if be and form == "b":
        form = "d"
    following = tokens[place + 1].low if place + 1 < len(tokens) else ""
    if verb == "take" and following == "place" and not be:
        place, verb, following = place + 1, "happen", tokens[place + 2].low if place + 2 < len(tokens) else ""
    chained = (
        following == "to"
        and verb in ("decide", "agree", "choose", "use", "need", "have", "plan", "want")
        and place + 2 < len(tokens)
    )
    granted = _read_grant(tokens, place, be)
    if granted is not None:
        if granted[1] == "must":
            return Parse(subject, "have", mood, positive, tokens[place + 1 :])
        mood = "can" if mood == "now" else mood
        return Parse(subject, granted[0], mood, positive != (granted[1] == "forbid"), tokens[place + 3 :])
    if (chained and (inner := VERBS.get(tokens[place + 2].low))) or (
        verb in ("avoid", "stop") and (inner := VERBS.get(following)) and inner[1] == "g"
    ):
        mood = "past" if verb == "use" else "will" if verb in ("plan", "want") else "now"
        place, verb, positive = place + (2 if chained else 1), inner[0], positive and verb not in ("avoid", "stop")
    elif form == "d" and not base and verb not in _EVENTS and subject:
        mood = "past"
    elif form == "d" and base == "have":
        mood = "now"
    if verb in VERB_OPPOSITES and not (be and form == "d"):
        verb, positive = VERB_OPPOSITES[verb], not positive
    passive = be and form == "d"
    return Parse(
        subject,
        _VERB_ALIASES.get(verb, verb),
        mood,
        positive,
        tokens[place + 1 :] if not passive else tokens[place:],
        passive,
    )
