"""What one statement is to another: equal, near, contrary or unrelated."""

from __future__ import annotations

from functools import cache, lru_cache

import msgspec

from heldtrue.domain.claim import Claim, Statement
from heldtrue.domain.limits import QUOTED_CLAIM_CHARS_MAX
from heldtrue.language.claims.attributes import ATTRIBUTE_STEMS
from heldtrue.language.claims.canonical import ALIASES
from heldtrue.language.claims.foreign_clauses import NEGATORS
from heldtrue.language.contradiction import Outline, find_contrary, outline_claims
from heldtrue.language.distinguishing_marks import Marks, read_marks, same_marks
from heldtrue.language.grammar.lexicon import NOUNISH, VERBS
from heldtrue.language.guard import guarded
from heldtrue.language.normalise import fold_text
from heldtrue.language.quantities import is_unit
from heldtrue.language.senses import LIGHT
from heldtrue.language.terms import STOPWORDS, stem_word

SAME_LIKENESS = 0.85
"""The likeness that statements have at least where they say the same, however they are worded."""


class Comparison(msgspec.Struct, frozen=True, gc=False):
    """The relation of a new statement to an old one, with the reason in words."""

    relation: str
    """One of `equal`, `near`, `contrary`, `unrelated`."""
    similarity: float
    """Likeness of content words, 0 to 1."""
    reason: str
    pairs: tuple[tuple[int, int], ...] = ()
    """Indexes (new, old) of the claims that are equal or contrary."""
    checks: int = 0
    """Pairs of claims that were looked at to tell, which is most of what a comparison costs."""


@guarded(lambda *_given: Comparison("unrelated", 0.0, "they could not be compared"))
def compare_statements(
    new: Statement, old: Statement, ours: Outline | None = None, theirs: Outline | None = None
) -> Comparison:
    """Say what a new statement is to an old one; a different value is never a duplicate.

    Their claims may have been outlined before.
    """
    similarity = _likeness(new.terms, old.terms)
    if new.text == old.text or (similarity == 1.0 and _same_wording(new, old)):
        pairs = tuple((place, place) for place in range(min(len(new.claims), len(old.claims))))
        return Comparison("equal", 1.0, "both have the same wording", pairs)
    are_short = len(new.claims) == 1 == len(old.claims)
    ours = ours or outline_claims(new.claims, keyed=not are_short)
    theirs = theirs or outline_claims(old.claims, keyed=not are_short)
    contrary, checks = find_contrary(ours, theirs)
    if contrary:
        first = contrary[0]
        why = _say_why(new.claims[first[0]], old.claims[first[1]])
        return Comparison("contrary", similarity, why, tuple(contrary), checks)
    if similarity == 0.0 and new.terms:
        return Comparison("unrelated", 0.0, "they share no word", checks=checks)
    pairs = _equal_pairs(ours, theirs)
    alike = max(similarity, SAME_LIKENESS)
    if len(pairs) == len(new.claims) == len(old.claims) and pairs and _same_claims(new, old):
        return Comparison("equal", alike, "both make the same claims", pairs, checks)
    if similarity >= NEAR_LIKENESS and _same_sequence(new, old):
        return Comparison("near", alike, "both say the same in other words", pairs, checks)
    return Comparison("unrelated", similarity, _UNLIKE, checks=checks)


_UNLIKE = "they do not speak of the same thing in the same way"


class Gist(msgspec.Struct, frozen=True, gc=False):
    """As much of a statement as tells it from nearly every other that does not say the same."""

    outline: Outline
    sequence: tuple[str, ...]


@guarded(lambda statement: Gist(outline_claims(()), (statement.text,)))
def read_gist(statement: Statement) -> Gist:
    return Gist(outline_claims(statement.claims), read_marks(statement.text).sequence)


def may_say_same(new: Gist, old: Gist) -> bool:
    """A quick no to whether statements are equal or near, for whoever does not ask whether they are contrary."""
    return new.sequence == old.sequence or not new.outline.said.isdisjoint(old.outline.said)


NEAR_LIKENESS = 0.5
"""Likeness below which more than light words must differ: a quick no."""


def _likeness(new: frozenset[str], old: frozenset[str]) -> float:
    """Shared content words as a part of all (Dice)."""
    total = len(new) + len(old)
    return 2 * len(new & old) / total if total else 0.0


# --- equal and near -----------------------------------------------------------------------------------


_fold = lru_cache(maxsize=4096)(fold_text)


def _same_wording(new: Statement, old: Statement) -> bool:
    """Whether only capitals, spaces and punctuation differ, and those nowhere where they matter."""
    return _same_sequence(new, old) and _fold(new.text) == _fold(old.text)


def _same_sequence(new: Statement, old: Statement) -> bool:
    """Whether the same words, names, numbers and symbols follow each other; only light words may come and go."""
    return (
        read_marks(new.text).sequence == read_marks(old.text).sequence
        and same_marks(new.text, old.text)
        and _facts(new) == _facts(old)
    )


def _same_claims(new: Statement, old: Statement) -> bool:
    """Whether statements whose claims are equal also agree in all that claims leave out."""
    if _facts(new, ordered=False) != _facts(old, ordered=False) or not same_marks(new.text, old.text):
        return False
    ours, theirs = read_marks(new.text), read_marks(old.text)
    if _needs_order(new, ours) or _needs_order(old, theirs):
        return ours.sequence == theirs.sequence
    return _differ_in_neutral_words(ours, theirs) and _same_forms(ours, theirs, new.claims)


def _needs_order(statement: Statement, marks: Marks) -> bool:
    """Whether the claims of a statement do not hold all of it, so that its words must also stand in the same order."""
    return (
        statement.has_rationale
        or marks.has_aside
        or bool(marks.symbols)
        or not _CLAIMED_SENSES.issuperset(marks.senses)
        or not _UNPLACED_DENIALS.isdisjoint(marks.words)
        or len(marks.words & _COLLECTIVE) > 1
        or any(not claim.attribute for claim in statement.claims)
    )


_CLAIMED_SENSES = frozenset({"not", "past", "perfect", "default"})
"""The meaning words that claims hold where they belong: every other one might move to another place."""
_UNPLACED_DENIALS = (NEGATORS | {"without"}) - {"not", "never", "no"}
_COLLECTIVE = frozenset("we us our team project repo repository codebase company".split())
"""Doers whom claims take for one."""


def _facts(statement: Statement, *, ordered: bool = True) -> list[str]:
    """Canonical identifiers, quantities and dates."""
    facts = [name.canonical for name in statement.identifiers]
    facts += [f"{amount.number} {amount.unit}" for amount in statement.quantities]
    facts += [date.canonical for date in statement.dates]
    return facts if ordered else sorted(set(facts))


def _equal_pairs(new: Outline, old: Outline) -> tuple[tuple[int, int], ...]:
    if new.said.isdisjoint(old.said):
        return ()
    places = {name: place for place, name in enumerate(old.names)}
    return tuple((place, places[name]) for place, name in enumerate(new.names) if name in places)


def _differ_in_neutral_words(ours: Marks, theirs: Marks) -> bool:
    """Whether each word that only one of them has is one that a claim may spell in another way."""
    here, there = ours.words - theirs.words, theirs.words - ours.words
    if here & _PREPOSITIONS and there & _PREPOSITIONS and (here | there) & _PREPOSITIONS not in _SAME_PREPOSITIONS:
        return False
    neutral = _neutral_stems()
    return all(
        word in neutral or word in STOPWORDS or is_unit(word) for word in set(map(_base, here)) ^ set(map(_base, there))
    )


def _base(word: str) -> str:
    known = VERBS.get(word)
    return word if word in STOPWORDS or is_unit(word) else stem_word(known[0] if known else word)


@cache
def _neutral_stems() -> frozenset[str]:
    """Verbs that claims take for others, nouns of attributes, other spellings and parts of dates."""
    names = {part for pair in ALIASES.items() for word in pair for part in word.replace("-", " ").split()}
    words = (*names, *LIGHT, *_NEUTRAL_VERBS, *_DATE_WORDS, *_OTHER_NEUTRAL)
    return ATTRIBUTE_STEMS | {stem_word(word) for word in words}


_PREPOSITIONS = frozenset("in on at to by with of for as via per like".split())
_SAME_PREPOSITIONS = frozenset(
    frozenset(pair.split("/")) for pair in "for/at to/on to/in of/for on/by on/for by/of".split()
)
"""What claims take for one: works for and at, deployed to and on, owned by and the owner of, due on and by."""
_NEUTRAL_VERBS = tuple(
    """have use run listen serve bind set locate base situate own belong live reside like love enjoy adore hate dislike
    prefer favour adopt employ utilize call name avoid allow forbid prohibit enable disable deny""".split()
)
_DATE_WORDS = tuple(
    """january february march april june july august september october november december jan feb mar apr jun jul aug sep
    sept oct nov dec am pm""".split()
)
_OTHER_NEUTRAL = tuple("deadline due birthday born never always note team project".split())


def _same_forms(ours: Marks, theirs: Marks, claims: tuple[Claim, ...]) -> bool:
    """No noun in another number: `the server` is not `the servers`. Verbs may change their form."""
    stems: dict[str, str] = {stem_word(word): word for word in theirs.words - ours.words}
    for word in ours.words - theirs.words:
        stem = stem_word(word)
        if stem in stems and not _is_verb_of(word, stem, claims):
            return False
    return True


def _is_verb_of(word: str, stem: str, claims: tuple[Claim, ...]) -> bool:
    known = VERBS.get(word)
    if known is None:
        return False
    return known[0] not in NOUNISH or any(stem in claim.attribute.split() for claim in claims)


# --- reasons ------------------------------------------------------------------------------------------


def _say_why(new: Claim, old: Claim) -> str:
    """Both claims in the writers' own words."""
    return f"{_quote(new.text)} against {_quote(old.text)}"


def _quote(text: str) -> str:
    flat = " ".join(text.split())
    return f'"{flat}"' if len(flat) <= QUOTED_CLAIM_CHARS_MAX else f'"{flat[: QUOTED_CLAIM_CHARS_MAX - 1].rstrip()}…"'
