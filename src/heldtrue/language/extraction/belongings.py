"""What somebody says of their own people, work, body and things: `my sister`, `my shifts`, `our dog`."""

from __future__ import annotations

import re

from heldtrue.domain.memory import Kind
from heldtrue.language.extraction.clause_finding import ClauseFinding
from heldtrue.language.extraction.first_person_words import KIN, LASTING_ING, SELF, STATES
from heldtrue.language.grammar.lexicon import ADVERBS, AUXILIARIES, PREPOSITIONS, VERBS

_FAVOURITE = re.compile(
    r"\bmy (?:\w+ )?(?:fav|fave|favs|favou?rites?|preferred|go-to|pet peeve|preference|guilty pleasure)\b"
    r"|\b(?:is|are|isn't|aren't|not) (?:really |just |so )?my (?:\w+ )?(?:thing|style|cup of tea|favou?rites?|go-to)\b"
)
_SUBJECT_WORDS = 7
_TIMED = frozenset(
    "begin begins start starts end ends run runs last lasts open opens close closes leave leaves".split()
)
_WANTS = frozenset("wants insists prefers likes expects demands".split())
_PASSING_THINGS = frozenset(
    """guess point question bad idea plan problem worry concern issue first only biggest main code build test query
    answer understanding impression feeling thought advice suggestion opinion take goodness god word dear darling love
    lord""".split()
)  # fmt: skip
_PASSING = frozenset("says thinks said told thought called texted rang asked wrote feels seems looks hurts".split())


def read_belonging(low: str, words: list[str], *, text: str, project: str | None) -> ClauseFinding | None:
    """What a clause says of what is theirs, or none where it passes."""
    if "my" not in words and "our" not in words:
        return None
    if _FAVOURITE.search(low):
        return ClauseFinding(Kind.PREFERENCE, "names a favourite")
    if words[0] not in ("my", "our", "both", "all"):
        return None
    verb = _find_verb(words)
    if verb < 0 or "you" in words[:verb]:
        return None
    named, rest = set(words[1:verb]), words[verb + 1 :]
    named |= {word.removesuffix("'s") for word in named}
    if words[verb] in _PASSING or not rest:
        return None
    is_kin = not KIN.isdisjoint(named)
    if project and words[0] == "our":
        return None
    if not is_kin and SELF.isdisjoint(named):
        tells = (
            rest[0] in ("a", "an", "the", "due")
            or (words[verb] in _TIMED and rest[0] in PREPOSITIONS)
            or any(word[:1].isdigit() for word in rest[:4])
        )
        tells = tells or any(word[0].isupper() for word in text.split()[verb + 1 : verb + 4])
        if not tells or not _PASSING_THINGS.isdisjoint(named) or words[0] != "my":
            return None
    if words[verb] in _WANTS and not is_kin:
        return ClauseFinding(Kind.PREFERENCE, "says what is wanted of them")
    if (
        words[verb] in ("is", "are")
        and rest[0] in ("in", "at", "on", "with")
        and not any(word[0].isupper() or word[:1].isdigit() for word in text.split()[verb + 2 :])
    ):
        return None
    return (
        ClauseFinding(Kind.PROFILE, "says how it is with theirs")
        if _lasts(words[verb], rest, low, is_kin=is_kin)
        else None
    )


def _find_verb(words: list[str]) -> int:
    for place in range(2, min(len(words), _SUBJECT_WORDS)):
        word = words[place]
        known = VERBS.get(word)
        if (
            word in AUXILIARIES
            or (known is not None and known[1] in ("s", "d"))
            or (known is not None and known[1] == "b" and words[place - 1].endswith("s") and word not in PREPOSITIONS)
        ):
            return place
        named = words[place - 1] in KIN or (
            words[place - 2] in KIN and words[place + 1 : place + 2] in (["the"], ["a"], ["my"])
        )
        if named and word.endswith("s") and not word.endswith(("'s", "ss")):
            return place
    return -1


def _lasts(verb: str, rest: list[str], low: str, *, is_kin: bool) -> bool:
    first = next((word for word in rest if word not in ADVERBS), "")
    if (first in STATES and not (first == "on" and len(rest) > 1)) or "%" in low:
        return False
    if verb in ("is", "are") and first.endswith("ing") and first not in ("nothing", "during"):
        return first in LASTING_ING or first in ("getting", "turning", "starting")
    known = VERBS.get(verb)
    if verb in ("will", "would", "could", "should", "did", "had", "might", "may", "can"):
        return False
    if verb in ("was", "were"):
        return first in ("a", "an", "born", "raised", "the", "diagnosed")
    if known is not None and known[1] == "d" and any(word.isdigit() and len(word) == 4 for word in rest):
        return True
    if known is not None and known[1] == "d":
        return is_kin and verb in (
            "moved",
            "retired",
            "died",
            "graduated",
            "married",
            "joined",
            "passed",
            "left",
            "works",
        )
    return True
