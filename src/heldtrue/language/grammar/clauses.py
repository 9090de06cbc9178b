"""Single clauses of compound sentences, each as a sentence that stands alone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import msgspec

from heldtrue.language.dates import find_dates
from heldtrue.language.grammar.lexicon import (
    ADVERBS,
    AUXILIARIES,
    CONNECTORS,
    DETERMINERS,
    NOUNISH,
    PLURAL_SUBJECTS,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    VERBS,
)
from heldtrue.language.grammar.sentences import CLOSING_ABBREVIATIONS, read_sentences
from heldtrue.language.grammar.tokens import Token, read_tokens
from heldtrue.language.grammar.verbs import find_verb, is_finite_verb, is_possessive, opens_imperative
from heldtrue.language.identifiers import find_identifiers
from heldtrue.language.quantities import find_quantities

_REPORTING = frozenset(
    """say think believe know hope mean ask tell want ensure note remember guess suspect claim assume make
    decide agree see""".split()
)
_CUTS = CONNECTORS | {",", ";"}
_BREAKS = _CUTS | SUBORDINATORS
_SUBJECT_OPENERS = DETERMINERS | PRONOUNS
_PHRASE_ENDS = SUBORDINATORS | CONNECTORS | {"not", "or"}


class Clause(msgspec.Struct, frozen=True, gc=False):
    """One clause: where it stands, the sentence it makes, and its tokens, those of a carried subject first."""

    start: int
    end: int
    sentence: str
    tokens: list[Token]


def split_clauses(text: str) -> tuple[tuple[int, int, str], ...]:
    """Every clause as (start, end, sentence): the sentence carries the shared subject where the clause omits it."""
    identifiers, dates = find_identifiers(text), find_dates(text)
    tokens = read_tokens(text, identifiers, find_quantities(text, identifiers=identifiers, dates=dates), dates)
    return tuple((clause.start, clause.end, clause.sentence) for clause in read_clauses(text, tokens))


def read_clauses(text: str, tokens: list[Token]) -> list[Clause]:
    """The clauses of a text that has been read into tokens."""
    clauses: list[Clause] = []
    for start, end in read_sentences(text, tokens):
        while start < end and tokens[start].kind == "mark" and tokens[start].low not in "$#(/¿¡":
            start += 1
        if start < end:
            clauses.extend(_split_sentence(text, tokens, start, end))
    return clauses or ([_make_clause(text, tokens, [])] if tokens else [])


def _split_sentence(text: str, tokens: list[Token], start: int, end: int) -> Iterator[Clause]:
    """Cut where both sides are whole clauses; when unsure, do not cut."""
    carried: list[Token] = []
    breaks = [place for place in range(start, end) if tokens[place].low in _BREAKS]
    verb = find_verb(tokens, start, end) if breaks else -1
    subordinate = False
    for place in breaks:
        if place < start:
            continue  # it belongs to the cut before
        low = tokens[place].low
        if low in SUBORDINATORS and tokens[place].kind != "value" and not (low == "that" and place == start):
            subordinate = True
        elif low in _CUTS:
            cut = _find_cut(tokens, carried, start, place, end, verb, subordinate)
            if cut is not None:
                right, carry = cut
                yield _make_clause(text, tokens[start:place], carried)
                carried, start = carry, right
                verb = -1 if carry else find_verb(tokens, start, end)
    yield _make_clause(text, tokens[start:end], carried)


def _make_clause(text: str, tokens: list[Token], carried: list[Token]) -> Clause:
    last = len(tokens)
    while last > 1 and tokens[last - 1].kind == "mark" and tokens[last - 1].low in ",;:-–—":
        last -= 1
    tokens = tokens[:last]
    start, end = tokens[0].start, tokens[-1].end
    if end < len(text) and tokens[-1].low in CLOSING_ABBREVIATIONS and text[end] == ".":
        end += 1
    sentence = text[start:end]
    if carried:
        return Clause(start, end, f"{_join_tokens(text, carried)} {sentence}".replace(" ,", ","), carried + tokens)
    return Clause(start, end, sentence, tokens)


def _join_tokens(text: str, tokens: list[Token]) -> str:
    """Tokens as they are written: a space where there is one in the text, or where something between was left out."""
    pieces = [text[tokens[0].start : tokens[0].end]]
    for before, token in pairwise(tokens):
        pieces.append(("" if before.end == token.start else " ") + text[token.start : token.end])
    return "".join(pieces)


# --- where to cut -------------------------------------------------------------------------------------


def _find_cut(
    tokens: list[Token], carried: list[Token], start: int, place: int, end: int, verb: int, subordinate: bool
) -> tuple[int, list[Token]] | None:
    """Where the clause after the connector starts and the tokens it must carry, or None where it is no clause."""
    right = place + 1
    comma = tokens[place].low in (",", ";")
    if comma and right < end and tokens[right].low in CONNECTORS:
        right += 1
    connector = tokens[right - 1].low
    if right >= end or place == start or (connector in ("while", "whereas") and tokens[right].low.endswith("ing")):
        return None
    if _is_assignment_list(tokens, start, place, right, end) and connector != "and":
        return right, []
    if carried:
        return _find_carried_cut(tokens, carried, right, end, comma)
    if verb == -1 or verb >= place:
        return _find_imperative_cut(tokens, start, place, right, end)
    if subordinate and (not comma or tokens[start].low in SUBORDINATORS or connector == ","):
        return None
    if place - verb > 1 and _has_own_subject(tokens, right, end, needs_head=connector == ","):
        reports = VERBS.get(tokens[verb].low, ("", ""))[0] in _REPORTING
        return None if reports and connector == "and" and not comma else (right, [])
    if subordinate or connector == "while":
        return None
    carry = _shared_subject(tokens, start, verb, right, end)
    return (right, carry) if carry else None


def _is_assignment_list(tokens: list[Token], start: int, place: int, right: int, end: int) -> bool:
    """Whether both sides are settings: `timeout = 30s, retries = 5`."""
    for sign in ("=", ":"):
        if any(token.low == sign for token in tokens[start + 1 : min(place, start + 6)]):
            return any(token.low == sign for token in tokens[right + 1 : min(end, right + 5)])
    return False


def _skip_adverbs(tokens: list[Token], place: int, end: int) -> int:
    while place < end and tokens[place].low in ADVERBS:
        place += 1
    return place


def _has_own_subject(tokens: list[Token], right: int, end: int, *, needs_head: bool) -> bool:
    """Whether a noun phrase and its finite verb stand here, and something is said with it."""
    right = _skip_adverbs(tokens, right, end)
    if right < end and tokens[right].low in AUXILIARIES:
        return False
    if needs_head and right < end and not (tokens[right].kind == "name" or tokens[right].low in _SUBJECT_OPENERS):
        return False
    for place in range(right, min(end, right + 7)):
        token = tokens[place]
        if place > right and is_finite_verb(tokens, place, right, end):
            return place + 1 < end and _agrees(tokens, right, place)
        if token.kind == "word" and token.low.endswith(("'s", "'re", "'m")) and not is_possessive(tokens, place):
            return token.low[:-2].rstrip("'") in PRONOUNS
        if token.kind == "mark" or (token.low in PREPOSITIONS and token.low != "of") or token.low in _PHRASE_ENDS:
            return False
    return False


def _agrees(tokens: list[Token], start: int, verb: int) -> bool:
    """Not `... and the worker are slow`: there the phrase is only the second half of a plural subject."""
    head = tokens[_before_adverbs(tokens, start, verb) - 1].low
    if tokens[verb].low not in ("are", "were", "have", "do", "don't", "aren't", "haven't", "weren't"):
        return True
    return head.endswith("s") or head in PLURAL_SUBJECTS


def _before_adverbs(tokens: list[Token], start: int, end: int) -> int:
    while end - 1 > start and tokens[end - 1].low in ADVERBS:
        end -= 1
    return end


# --- subjects that clauses share ----------------------------------------------------------------------


def _shared_subject(tokens: list[Token], start: int, verb: int, right: int, end: int) -> list[Token]:
    """The subject (and auxiliary) that the verb on the right shares with the clause on the left, or nothing."""
    place = _skip_adverbs(tokens, right, end)
    if place + 1 >= end or tokens[place].kind != "word":
        return []
    subject = tokens[start : _before_adverbs(tokens, start, verb)]
    left, word = tokens[verb].low, tokens[place].low
    auxiliary, known = AUXILIARIES.get(left), VERBS.get(word)
    if word in AUXILIARIES:
        return subject if AUXILIARIES[word][0] != "be" or tokens[place + 1].low != "and" else []
    if known is None:
        return []
    if known[1] == "s":
        third = VERBS.get(left, ("", ""))[1] in ("s", "d") or auxiliary is not None
        return subject if third and not _may_be_plural_noun(tokens, right, place) else []
    if known[1] == "d":
        if auxiliary and auxiliary[0] == "be" and not auxiliary[2] and tokens[place + 1].low in PREPOSITIONS:
            return [*subject, tokens[verb]]
        return subject if VERBS.get(left, ("", ""))[1] == "d" else []
    return _shared_base_verb(tokens, subject, verb, place)


def _shared_base_verb(tokens: list[Token], subject: list[Token], verb: int, place: int) -> list[Token]:
    """A plain verb continues a modal (`should use A and listen on B`) or a plural subject (`we use A and run B`)."""
    left, known = tokens[verb].low, VERBS[tokens[place].low]
    auxiliary = AUXILIARIES.get(left)
    following = tokens[place + 1]
    clear = known[0] not in NOUNISH or following.low in DETERMINERS or following.kind in ("name", "value")
    if known[1] != "b" or not clear:
        return []
    if (
        auxiliary
        and auxiliary[0] in ("will", "must", "can", "would")
        and not auxiliary[2]
        and tokens[verb + 1].low != "not"
    ):
        return [*subject, tokens[verb]]
    return subject if VERBS.get(left, ("", ""))[1] == "b" else []


def _may_be_plural_noun(tokens: list[Token], right: int, place: int) -> bool:
    """`runs lints and checks`: beside a plural noun, a word that is noun and verb is taken for a noun."""
    if VERBS[tokens[place].low][0] not in NOUNISH or right < 2:
        return False
    before = tokens[right - 2]
    return (
        before.kind == "word"
        and before.low.endswith("s")
        and VERBS[tokens[place].low][0] not in ("work", "use", "need")
    )


def _find_carried_cut(
    tokens: list[Token], carried: list[Token], right: int, end: int, comma: bool
) -> tuple[int, list[Token]] | None:
    """The next clause of a chain that already shares its subject: `lives in A, works at B, and likes C`."""
    if _has_own_subject(tokens, right, end, needs_head=comma):
        return right, []
    place = _skip_adverbs(tokens, right, end)
    word = tokens[place].low if place + 1 < end and tokens[place].kind == "word" else ""
    if word in AUXILIARIES or (VERBS.get(word, ("", ""))[1] == "s" and not _may_be_plural_noun(tokens, right, place)):
        return right, [token for token in carried if token.low not in AUXILIARIES]
    return None


def _find_imperative_cut(
    tokens: list[Token], start: int, place: int, right: int, end: int
) -> tuple[int, list[Token]] | None:
    """`Use tabs and never push to main`: two commands, or a command and a clause of its own."""
    if not opens_imperative(tokens, start, place) or place - start < 2 or right + 1 >= end:
        return None
    first, word = tokens[start].low, tokens[right].low
    if word in ("never", "always", "don't", "avoid") or (word == "do" and tokens[right + 1].low == "not"):
        return right, []
    if _has_own_subject(tokens, right, end, needs_head=True):
        return (right, []) if tokens[right - 1].low in (";", "but", "while") or tokens[place].low == "," else None
    known = VERBS.get(word)
    if known is None or known[1] != "b" or first in ("never", "don't", "do"):
        return None
    following = tokens[right + 1]
    clear = following.low in DETERMINERS or following.kind in ("name", "value", "quote") or known[0] not in NOUNISH
    return (right, []) if clear and following.kind != "mark" else None
