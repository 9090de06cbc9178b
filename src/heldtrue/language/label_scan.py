"""From a word that names a number to that number: the few words and signs that people write between the two."""

from __future__ import annotations

import re

from heldtrue.language.findings import compiled

_STEP = re.compile(
    r"(?P<gap>[ \t\u00a0]+|\([^()\n]{1,40}\)(?=[ \t]{0,2}[:=])|[._\u2026\u00b7-]{3,80})"
    r"|(?P<line>[ \t]*\r?\n\s{0,40})|(?P<word>[^\W\d_]{1,40}(?:['\u2019-][^\W\d_]{1,40}){0,4}\.?)"
    r"|(?P<other>[\w$\u20ac\u00a3][\w.,:/@+-]{0,60})|(?P<sign>.)"
)
_MOST_STEPS = 40
_MOST_LINE_ENDS = 3
_BRIDGES = frozenset(
    "number numbers no no. nr nr. num num. nummer numéro numero número n nº id code card is was are the a my our your "
    "his her their its this that new old current now still be and ist lautet war est es era è era sind été ser "
    "set changed reset updated as following below here on file registered issued under with des der die das den le la "
    "il lo el un une valid full last digits value data details given mein meine dein unser mon ma notre mi tu il mio "
    "passport licence license account bank uk us usa s german french spanish italian british american using use "
    "reads equals it it's that's comes out c'est était to je jest to er är é номер это please sure yes ok okay here's "
    "identification ident identity reference ref would should will numbered von van front back numer číslo".split()
)
"""Words that may stand between a name and its number, whatever the name."""
_FOR = frozenset(
    "for of to from by on in at der des della dello dei van voor naar "
    "von für vom beim pour de du d' da del di para per bei zu zum zur от для".split()
)
"""Words after which the owner of the number is named."""
_OTHER_NUMBERS = frozenset(
    "error errors status line lines version page pages http port build fails failed count".split()
)
"""Words whose own number comes next."""
_MOST_OWNER_WORDS = 5
_SAID_BEFORE = (
    r"(?:[ \t]{0,2}\([ \t]?(?:[^\W\d_]{1,12}[ \t]){0,2}|[ \t](?:is|was|ist|est|es|\u00e8|as|="
    r"|are|for|f\u00fcr|pour|para|per)[ \t](?:[^\W\d_'\u2019]{1,20}(?:['\u2019]s?)?[ \t]){0,4})$"
)
_LONGEST_BRIDGE, _LONGEST_VALUE = 60, 40
_ENDING_SIGNS = "!;$\u20ac\u00a3"


def read_number(text: str, start: int, value: re.Pattern[str], *, words_max: int) -> re.Match[str] | None:
    """The value that the name before `start` names; None if something else comes first.

    Bridges and the owner of the number may stand between, and up to `words_max` other words. The end of a sentence ends
    the search; the end of a line does so unless the name stands at the end of its line.
    """
    way = _Way()
    place = start + (text[start : start + 1] == ".")  # the point of an abbreviation, such as "no."
    for _ in range(_MOST_STEPS):
        if not text[place - 1 : place].isalnum() and (found := value.match(text, place)):
            return found
        step = _STEP.match(text, place)
        if step is None or not way.go_on(step) or way.others > words_max:
            return None
        place = step.end()
    return None


def read_number_before(text: str, low: str, end: int, value: re.Pattern[str]) -> re.Match[str] | None:
    """The value that is said before its name: "X is my passport number", "X (SSN)"."""
    bridge = compiled(_SAID_BEFORE).search(low, max(0, end - _LONGEST_BRIDGE), end)
    if bridge is None:
        return None
    for start in range(max(0, bridge.start() - _LONGEST_VALUE), bridge.start()):
        begins = (text[start].isdigit() or text[start].isupper()) and not text[start - 1 : start].isalnum()
        if begins and (found := value.match(text, start)) and found.end() == bridge.start():
            return found
    return None


class _Way:
    """What was passed on the way from a name to its number."""

    def __init__(self) -> None:
        self.others = 0
        """Words and numbers that say nothing about the number."""
        self._owner_words = 0
        self._is_below = False

    def go_on(self, step: re.Match[str]) -> bool:
        """Take a step; False if it ends what is said about the name."""
        match step.lastgroup:
            case "word":
                self._pass_word(word := step[0].lower())
                return word not in _OTHER_NUMBERS
            case "other":
                self.others += 2
            case "line":
                crossed, self._is_below = self._is_below, True
                return not (crossed and self.others) and step[0].count("\n") <= _MOST_LINE_ENDS
            case "sign":
                following = step.string[step.end() : step.end() + 1]
                if step[0] == "?":  # a question may be answered on the next line
                    return following == "\n"
                return step[0] not in _ENDING_SIGNS and (step[0] != "." or bool(following.strip()))
        return True

    def _pass_word(self, word: str) -> None:
        if word in _FOR:
            self._owner_words = _MOST_OWNER_WORDS
            return
        self._owner_words -= 1
        if word not in _BRIDGES and self._owner_words < 0:
            self.others += 1


def has_digits(value: str, least: int) -> bool:
    return sum(map(str.isdigit, value)) >= least


def bare(value: str) -> str:
    """A number without what groups it."""
    return compiled(r"[^A-Za-z0-9]").sub("", value).upper()
