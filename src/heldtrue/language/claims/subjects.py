"""What a clause speaks about, in canonical form: an actor, a thing, or an attribute of a thing."""

from __future__ import annotations

from collections.abc import Sequence

from heldtrue.language.claims.attributes import ATTRIBUTE_STEMS, NOUN_SPELLINGS
from heldtrue.language.claims.canonical import words_of
from heldtrue.language.claims.phrases import qualify, split_phrases
from heldtrue.language.grammar.lexicon import is_pronoun
from heldtrue.language.grammar.tokens import Token
from heldtrue.language.grammar.verbs import is_possessive

UNKNOWN_SUBJECTS = frozenset("it he she they this that these those there you one who his her its their your".split())
_UNKNOWN_OPENERS = UNKNOWN_SUBJECTS - {"this", "that"}
_COLLECTIVE = frozenset("we us team project repo repositori codebas compani our".split())
_INDEFINITE = frozenset("a an some any every each all many most few several no another both".split())


def _name_subject(tokens: Sequence[Token]) -> tuple[list[str], list[str], list[str]]:
    """Owner, own words and qualifiers: `the timeout of the API` and `API's timeout` are both (api, timeout)."""
    head, phrases = split_phrases(tokens)
    owner: list[str] = []
    for place, token in enumerate(head):
        low = token.low
        if low == "my" or ("'" in low and is_possessive(tokens, place)):
            owner = words_of(head[: place + 1]) if low != "my" else ["i"]
            head = head[place + 1 :]
            break
        if low == "of" and place:
            owner, head = words_of(head[place + 1 :]), head[:place]
            break
    words = words_of(head) or [token.low for token in head[:1] if is_pronoun(token.low)]
    qualifiers = []
    for preposition, phrase in phrases:
        if preposition in ("for", "of") and not owner:
            owner = words_of(phrase)
        elif preposition != "since":
            qualifiers.append(qualify(preposition, phrase))
    return owner, words, qualifiers


def name_actor(tokens: Sequence[Token]) -> str:
    """The subject of an action; a command and `we` speak of the same doers."""
    owner, words, qualifiers = _name_subject(tokens)
    subject = " ".join(owner + words + qualifiers)
    return "we" if not tokens or subject in _COLLECTIVE else subject.strip()


def name_thing(tokens: Sequence[Token]) -> str:
    """What is acted upon, with its owner."""
    owner, words, _ = _name_subject(tokens)
    return " ".join(owner + words)


def name_slot(tokens: Sequence[Token]) -> tuple[str, str, list[str]]:
    """Subject, attribute noun and qualifiers of what a copula or an assignment speaks about."""
    owner, words, qualifiers = _name_subject(tokens)
    flat = " ".join(words).split()
    if "default" in flat and len(owner) + len(flat) > 1:
        flat.remove("default")
        return " ".join(owner + flat), "default", qualifiers
    size = 2 if " ".join(flat[-2:]) in NOUN_SPELLINGS else 1
    if owner:
        head = " ".join(flat)
        return " ".join(owner), NOUN_SPELLINGS.get(head, head), qualifiers
    if len(flat) > size and (size == 2 or flat[-1] in ATTRIBUTE_STEMS):
        head = " ".join(flat[-size:])
        return " ".join(flat[:-size]), NOUN_SPELLINGS.get(head, head), qualifiers
    return " ".join(flat), "", qualifiers


def is_definite(tokens: Sequence[Token], subject: str) -> bool:
    """Whether the subject is one that the words name: not `a server`, not `they`."""
    if not tokens:
        return True
    return (
        tokens[0].low not in _INDEFINITE and subject not in UNKNOWN_SUBJECTS and tokens[0].low not in _UNKNOWN_OPENERS
    )
