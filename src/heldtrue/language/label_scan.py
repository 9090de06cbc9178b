"""From a word that names a number to that number: the few words and signs that people write between the two."""

from __future__ import annotations

import re

from heldtrue.language.findings import compiled

_STEP = re.compile(
    r"(?P<gap>[ \t\u00a0]+)|(?P<line>[ \t]*\r?\n\s{0,40})|(?P<word>[^\W\d_]{1,40}(?:['\u2019-][^\W\d_]{1,40}){0,4}\.?)"
    r"|(?P<other>[\w$\u20ac\u00a3][\w.,:/@+-]{0,60})|(?P<sign>.)"
)
_STEPS_MAX = 40
_BRIDGES = frozenset(
    "number numbers no no. nr nr. num num. nummer numéro numero número n nº id code card is was are the a my our your "
    "his her their its this that new old current now still be and ist lautet war est es era è era sind été ser für: to "
    "set changed reset updated as following below here on file registered issued under with des der die das den le la "
    "il lo el un une valid full last digits value data details given mein meine dein unser mon ma notre mi tu il mio "
    "de passport licence license account bank uk us usa german french spanish italian british american using use "
    "reads equals it it's comes out номер это".split()
)
"""Words that may stand between a name and its number, whatever the name."""
_FOR = frozenset("for of from by on in at von für vom beim pour du d' da del di para per bei zu zum zur от для".split())
"""Words after which the owner of the number is named."""
_OWNER_WORDS_MAX = 5


def read_number(text: str, start: int, value: re.Pattern[str], *, words_max: int) -> re.Match[str] | None:
    """The value that the name before `start` names; None if something else comes first.

    Bridges and the owner of the number may stand between, and up to `words_max` other words. The end of a sentence ends
    the search; the end of a line does so unless the name stands at the end of its line.
    """
    others, owners, crossed = 0, 0, False
    place = start + (text[start : start + 1] == ".")  # the point of an abbreviation, such as "no."
    for _ in range(_STEPS_MAX):
        before = text[place - 1 : place]
        if not before.isalnum() and (found := value.match(text, place)):
            return found
        step = _STEP.match(text, place)
        if step is None:
            return None
        place = step.end()
        if step["word"]:
            word = step["word"].lower()
            owners = _OWNER_WORDS_MAX if word in _FOR else owners - 1
            if word not in _BRIDGES and word not in _FOR and owners < 0:
                others += 1
        elif step["line"]:
            if (crossed and others) or step["line"].count("\n") > 3:
                return None
            crossed = True
        elif step["other"]:
            others += 2
        elif _ends(step["sign"] or "", text, place):
            return None
        if others > words_max:
            return None
    return None


def _ends(sign: str, text: str, place: int) -> bool:
    """Whether a sign ends what is said about the name."""
    following = text[place : place + 1]
    if sign in "!?;" or sign in "$\u20ac\u00a3":
        return bool(sign)
    return sign == "." and (not following or following.isspace())


def has_digits(value: str, least: int) -> bool:
    return sum(map(str.isdigit, value)) >= least


def bare(value: str) -> str:
    """A number without what groups it."""
    return compiled(r"[^A-Za-z0-9]").sub("", value).upper()
