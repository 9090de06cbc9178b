"""What a text names: people, projects, products, files and code, each as written and in the form that is compared.

There is no list of names to look up. A capital tells, except where a sentence begins: there the word must be none of
the ordinary ones and something must be said of it, as of nobody but a person or a thing with a name. Scripts without
capitals name what they put in quotation marks. A question in small letters names what the store knows.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from functools import cache, lru_cache

import msgspec

from heldtrue.language.dates import MONTH_NUMBERS
from heldtrue.language.grammar.lexicon import (
    ADVERBS,
    AUXILIARIES,
    CONNECTORS,
    DETERMINERS,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    VERBS,
)
from heldtrue.language.identifiers import find_identifiers
from heldtrue.language.normalise import fold_text
from heldtrue.language.terms import STOPWORDS

_KNOWN_NAME_WORDS = 4
"""The longest known name, in words, that is looked for in small letters."""
_QUOTED_NAME_WORDS = 5


class Name(msgspec.Struct, frozen=True, gc=False):
    """One name: as the text shows it, and the form in which equal names are equal."""

    text: str
    key: str


def find_names(text: str, *, known: Collection[str] = ()) -> list[Name]:
    """The names in a text, each once, in order; with the keys of known names also those written in small letters."""
    spans = _find_marked(text)
    words = _read_words(text, spans)
    spans += _find_capitalised(text, words)
    if known:
        spans += _find_known(words, known)
    found: dict[str, Name] = {}
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        shown = _without_possessive(" ".join(text[start:end].split()))
        if (key := name_key(shown)) and key not in found:
            found[key] = Name(shown, key)
    return list(found.values())


@lru_cache(maxsize=8192)
def name_key(name: str) -> str:
    """The form in which two spellings of a name are the same: folded, without `'s`, quotes or the sign of a handle."""
    return fold_text(_without_possessive(name).lstrip("@").removesuffix("()")).strip("\"'`")


def _without_possessive(name: str) -> str:
    if name[-2:] in ("'s", "’s"):
        return name[:-2]
    return name[:-1] if name[-1:] in ("'", "’") and name[-2:-1] == "s" else name


# --- names that signs tell: quotes, handles, files, code ----------------------------------------------

_Place = tuple[int, int]
_QUOTED = (
    r"`([^`\n]{1,80})`|\"([^\"\n]{1,80})\"|“([^”\n]{1,80})”|«([^»\n]{1,80})»|「([^」\n]{1,80})」|『([^』\n]{1,80})』"
    r"|《([^》\n]{1,80})》|(?<!\w)'([^\W\d_][^'\n]{0,60})'(?!\w)|‘([^’\n]{1,60})’(?!\w)"
)
_QUOTE_SIGNS = frozenset("`\"“«「『《'‘")
_rule = cache(re.compile)


def _find_marked(text: str) -> list[_Place]:
    """Handles, files, and what stands in quotation marks or backticks."""
    spans = [(name.start, name.end) for name in find_identifiers(text) if name.kind in ("handle", "path")]
    if not _QUOTE_SIGNS.isdisjoint(text):
        spans += [match.span(match.lastindex or 0) for match in _rule(_QUOTED).finditer(text) if _is_title(match)]
    return spans


def _is_title(match: re.Match[str]) -> bool:
    """Whether what stands in quotes is a name and no quotation: few words, no sentence, not only ordinary ones."""
    inside = match[match.lastindex or 0]
    if match[0][0] == "`":
        return len(inside.split()) == 1 and any(char.isalnum() for char in inside)
    words = inside.split()
    if not words or len(words) > _QUOTED_NAME_WORDS or inside[-1] in ".!?,;。！？" or not inside.strip():
        return False
    if match[0][0] == "'" and not inside[0].isupper():
        return False
    return any(word[0].isalnum() and word.lower() not in _ordinary() for word in words)


# --- words --------------------------------------------------------------------------------------------


class _Word(msgspec.Struct, frozen=True, gc=False):
    text: str
    low: str
    """Small letters, without a possessive ending."""
    start: int
    end: int
    shape: str
    """`low`, `cap` (Ada), `caps` (NASA) or `code` (GitHub, max_facts, S3)."""
    opens: int
    """2 where a sentence begins, 1 after a colon, a bracket or a quotation mark, 0 elsewhere."""
    joined: bool
    """Whether one space or a hyphen is all that parts it from the word before."""
    after_comma: bool

    @property
    def owns(self) -> bool:
        return self.text[-2:] in ("'s", "’s")


_WORD = re.compile(r"\w+(?:['’.\-&]\w+)*(?:\+\+|#(?!\w))?(?:\(\))?")
_GAP_ENDS = re.compile(r"[.!?…。！？]\S*\s|\n\s*\n|\n\s*(?:[-*•#>]|\d+[.)])")
_LINE_LEAD = re.compile(r"[\s\-*•#>]*(?:\d+[.)]\s*)?")
_ABBREVIATED = frozenset("dr mr mrs ms prof st jr sr vs e.g i.e etc no".split())


def _read_words(text: str, taken: Sequence[_Place]) -> list[_Word]:
    """The words outside the taken places, with what stands before each."""
    words: list[_Word] = []
    ordered = sorted(taken)
    place, position, before = 0, 0, ""
    for match in _WORD.finditer(text):
        start, end = match.span()
        while place < len(ordered) and ordered[place][1] <= start:
            place += 1
        gap = text[position:start]
        inside = place < len(ordered) and ordered[place][0] < end
        if not inside:
            word = match.group()
            opens = _opening(gap, before) if words or position else 2 * bool(_LINE_LEAD.fullmatch(gap))
            joined = bool(words) and gap in (" ", "-", " & ") and position == words[-1].end
            low = _without_possessive(word).lower().replace("’", "'")
            words.append(_Word(word, low, start, end, _shape_of(word), opens, joined, gap[:1] == ","))
        position, before = end, match.group()
    return words


def _opening(gap: str, before: str) -> int:
    stripped = gap.strip()
    if not stripped and "\n\n" not in gap:
        return 0
    if _GAP_ENDS.search(gap) or "\n\n" in gap:
        ended = not (stripped == "." and (before.lower() in _ABBREVIATED or len(before) == 1))
        return 2 if ended else 0
    return 1 if stripped[-1:] in ":(\"“«'‘[" else 0


@lru_cache(maxsize=16384)
def _shape_of(word: str) -> str:
    plain = _without_possessive(word)
    letters = plain.replace("-", "").replace("'", "").replace("’", "").replace(".", "").replace("&", "")
    if "_" in plain.strip("_") or plain.endswith(("()", "++", "#")) or (plain[0] == "_" and len(letters) > 2):
        return "code" if any(char.isalpha() for char in plain) else "low"
    if plain == plain.lower():
        return "low"
    if letters.isalpha() and letters.isupper():
        return "caps" if len(letters) > 1 else "low"
    parts = re.split(r"['’.\-&]", plain)
    if plain[0].isdigit() and len(plain) < 4:
        return "low"  # 5K, 3D
    inner = any(part[1:] != part[1:].lower() for part in parts if not part.isupper())
    if inner or (any(char.isdigit() for char in plain) and any(char.isupper() for char in plain)):
        return "code"
    if plain[0].isupper() and "." in plain and all(len(part) > 1 for part in parts):
        return "code"  # Node.js
    return "cap" if plain[0].isupper() else "low"


# --- ordinary words -----------------------------------------------------------------------------------

_ORDINARY = """
hello hi hey dear yes no yeah yep nope ok okay thanks thank please sorry sure well wow oh ah hmm great good nice cool
awesome amazing perfect congrats welcome bye maybe perhaps however therefore thus hence meanwhile otherwise besides
instead also still yet again even rather quite very too much many most more less least few several some any none all
both each every either neither other another such same new old big small long short high low first second third next
last final previous current recent early late full empty open closed free busy easy hard simple important
everything everyone everybody nothing nobody something somebody someone anything anyone people person folks guys users
user team teams today yesterday tomorrow tonight now later soon ago once twice always never often sometimes usually
one two three four five six seven eight nine ten hundred thousand million dozen half
note notes todo fixme warning error errors caution tip hint example examples summary question answer reason update
fixed bug bugs issue issues feature features task tasks step steps item items option options default defaults
data code file files folder test tests docs documentation config configuration settings setting server client service
services database app application software hardware system systems network memory storage access security performance
traffic logging logs output input version release build builds deploy deployment deployments production staging money
water coffee tea music food time work life love health school home news weather sleep rain snow sun moon
speaking based given according regarding considering assuming including despite due thanks owing concerning per
recently unfortunately fortunately luckily hopefully additionally overall furthermore moreover similarly likewise
actually basically generally honestly frankly especially particularly specifically namely exactly roughly about
remember remind recall imagine guess say said says let lets dont don't didn't can't won't i'm i've i'd i'll it's that's
what's who's where's how's here's there's let's we're we've we'll you're they're he's she's isn't aren't wasn't
currently eventually finally suddenly anyway sincerely cheers regards mr mrs ms dr prof sir madam mom dad mum
what which who whom whose when where why how wait stop look listen see check
favorite favourite happy sad glad proud excited curious
plus aw aww awww ooh oof ouch whoa woah wow woo woohoo yay yup yea yum ugh phew nah haha ha hm mm mmm gotcha btw
anytime anyways together right lots man tough mine nature feb apr jul july aug sep sept oct nov dec tue wed thu fri
"""
_ORDINARY_ENDS = (
    "ly", "ing", "tion", "tions", "sion", "sions", "ment", "ments", "ness", "ity", "able", "ible", "ful", "less", "ous",
)  # fmt: skip
_NAMES_WITH_SUCH_ENDS = frozenset(
    """emily lily molly kelly sally billy polly holly dolly shelly beverly kimberly italy willy wally trinity felicity
    beijing boeing sterling irving bing ping clement constance""".split()
)
_FIRST_NAMES = frozenset(
    """mark grant will bill may drew chase pat sue rob frank grace hope joy faith dawn rose jack ray rich art gene miles
    guy dean carol amber olive ruby iris summer april june august jan penny robin dale cliff wade lance victor earl duke
    ernest clay""".split()
)
"""Given names that are words too: before another capital they are names, also where a sentence begins."""
_GENERIC_CAPS = frozenset(
    """api apis url urls uri http https json xml html css sql cli gui ui ux id ids ok okay todo fixme fyi asap pr prs ci
    cd ai llm llms faq pdf cpu gpu ram ssd csv yaml toml utc gmt am pm tcp udp ip dns tls ssl ssh ftp orm sdk ide os vm
    vms qa hr it tv ceo cto cfo vp phd usa uk us eu usd eur gb mb kb tb ms db io ascii utf crud rest mvp poc eta wip tbd
    imo imho lol omg btw aka diy""".split()
)
_TIMES_AND_PEOPLE = frozenset("may april june august jan mar sun sat mon".split())
_SHORT_FORMS = ("'ve", "'ll", "'re", "'d", "'m", "n't")
_TIME_CUES = frozenset("in last next this since until till by during early late mid before after of through".split())
_LINKS = frozenset("of de van von der den la le du da di del al bin ibn and".split())
_WEEKDAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())


@cache
def _ordinary() -> frozenset[str]:
    """Words that name nothing, though they may carry a capital."""
    grammar = STOPWORDS | PREPOSITIONS | DETERMINERS | PRONOUNS | SUBORDINATORS | ADVERBS | CONNECTORS
    return frozenset(_ORDINARY.split()).union(grammar, AUXILIARIES, VERBS)


@cache
def _never_names() -> frozenset[str]:
    """What has a capital by custom, or to be loud, and still is no name, wherever it stands."""
    months = frozenset(month for month in MONTH_NUMBERS if len(month) > 4) - {"april", "august"}
    grammar = STOPWORDS | PREPOSITIONS | DETERMINERS | PRONOUNS | SUBORDINATORS | ADVERBS | CONNECTORS | {"i"}
    small = {word for word in _ORDINARY.split() if "'" in word} | set(
        "ok okay mr mrs ms dr prof feb apr jul july aug sep sept oct nov dec tue wed thu fri".split()
    )
    return months.union(_WEEKDAYS, grammar, AUXILIARIES, small) - {"will", "may"}


def _is_ordinary(low: str) -> bool:
    if low in _ordinary() or low in _never_names() or low.endswith(_SHORT_FORMS):
        return True
    return low.endswith(_ORDINARY_ENDS) and low not in _NAMES_WITH_SUCH_ENDS


# --- capitals -----------------------------------------------------------------------------------------


def _find_capitalised(text: str, words: Sequence[_Word]) -> Iterator[_Place]:
    """Runs of capitalised words and code names; in headings and shouting, which are all capitals, only the latter."""
    loud = _is_loud(text)
    titled = _titled_places(words) | _heading_places(text, words)
    place = 0
    while place < len(words):
        word = words[place]
        if word.shape == "low" or (loud and word.shape != "code"):
            place += 1
            continue
        end = _end_of_run(words, place)
        first = _first_of_run(words, place, end)
        if first in titled and words[first].shape != "code":
            end = place + 1  # a code name may stand further on
        elif first < end and _is_name(words, first, end):
            yield words[first].start, words[end - 1].end
        place = end


def _is_loud(text: str) -> bool:
    upper = sum(map(str.isupper, text[:2000]))
    return upper > 8 and upper > 0.6 * sum(map(str.isalpha, text[:2000]))


def _titled_places(words: Sequence[_Word]) -> frozenset[int]:
    """The places of words in sentences where the small words have capitals too: `How To Deploy The Gateway`."""
    titled: set[int] = set()
    start = 0
    for place in range(1, len(words) + 1):
        if place < len(words) and words[place].opens != 2:
            continue
        inner = words[start + 1 : place]
        small = sum(word.shape == "cap" and word.low in STOPWORDS for word in inner)
        capital = sum(word.shape != "low" for word in inner)
        if small and capital >= 3 and capital > 0.7 * len(inner):
            titled.update(range(start, place))
        start = place
    return frozenset(titled)


def _heading_places(text: str, words: Sequence[_Word]) -> frozenset[int]:
    """The places of words in Markdown headings, which are written like names: `## Install Guide`."""
    if "#" not in text:
        return frozenset()
    starts = [word.start for word in words]
    lines = [match.span() for match in _rule(_HEADING).finditer(text)]
    return frozenset(
        place for one in lines for place in range(bisect_left(starts, one[0]), bisect_left(starts, one[1]))
    )


_HEADING = r"(?m)^[ \t]*#{1,6}[ \t].*$"


def _end_of_run(words: Sequence[_Word], place: int) -> int:
    """The place after the last word of the name that starts here."""
    end = place + 1
    if words[place].shape == "code" and words[place].text[:1].islower() and "_" in words[place].text:
        return end
    while end < len(words) and end - place < 7 and not words[end - 1].owns:
        word = words[end]
        if not word.joined or word.opens:
            break
        if word.shape != "low" and word.low not in _never_names():
            end += 1
        elif word.low in _LINKS and _links(words, end):
            end += 2 + (words[end + 1].shape == "low")
        else:
            break
    return end


def _links(words: Sequence[_Word], place: int) -> bool:
    """Whether a small word stands inside a name: `Bank of England`, `Lord of the Rings`, `Ludwig van Beethoven`."""
    following = words[place + 1 : place + 3]
    if not following or not following[0].joined or words[place].low == "and":
        return False
    if following[0].low == "the" and len(following) > 1:
        return following[1].joined and following[1].shape == "cap"
    return following[0].shape == "cap" and following[0].low not in _never_names()


def _first_of_run(words: Sequence[_Word], place: int, end: int) -> int:
    """The place of the first word that belongs to the name: not the `Ask` of `Ask Bob`, nor `The` of `The Gateway`."""
    while place < end:
        word = words[place]
        strips = word.low in _never_names() or (word.opens and _is_ordinary(word.low))
        if word.shape == "code" or not strips or _is_first_name(words, place, end):
            break
        place += 1
    return place


def _is_first_name(words: Sequence[_Word], place: int, end: int) -> bool:
    """`Mark Smith joined` names Mark, `Mark Smith as absent` and `Will Ada come?` do not."""
    if words[place].low not in _FIRST_NAMES or place + 1 == end:
        return False
    return words[place].opens == 0 or words[end - 1].owns or _has_verb(words, end)


def _has_verb(words: Sequence[_Word], place: int) -> bool:
    """Whether a word stands here that says something of what is named before it."""
    low = words[place].low if place < len(words) and words[place].opens != 2 else ""
    if low in AUXILIARIES or low in ("also", "still", "never", "always", "just", "really"):
        return True
    return VERBS.get(low, ("", ""))[1] in ("s", "d")


def _is_name(words: Sequence[_Word], first: int, end: int) -> bool:
    word = words[first]
    if word.shape == "code":
        return True
    if end - first > 1:
        return not all(one.low in _GENERIC_CAPS for one in words[first:end])
    if word.shape == "caps":
        return word.low not in _GENERIC_CAPS and not _is_ordinary(word.low)
    if len(word.low) < 2 or (word.low in _TIMES_AND_PEOPLE and _is_time(words, first)):
        return False
    if word.opens == 0:
        return True
    return not _is_ordinary(word.low) and (word.opens == 1 or _is_spoken_of(words, first))


def _is_time(words: Sequence[_Word], place: int) -> bool:
    """Whether the words beside May, April, June or August make it the month."""
    before = words[place - 1].low if place else ""
    after = words[place + 1].low if place + 1 < len(words) else ""
    return before in _TIME_CUES or before[:1].isdigit() or after[:1].isdigit()


def _is_spoken_of(words: Sequence[_Word], place: int) -> bool:
    """Whether the lone word that opens a sentence has a verb, owns something, or is all that is said."""
    word = words[place]
    if word.owns:
        return True
    if place + 1 == len(words) or words[place + 1].opens == 2:
        return place == 0 or words[place - 1].opens == 2
    following = words[place + 1]
    if following.low in ("and", "or") and place + 2 < len(words):
        return words[place + 2].shape != "low"
    if word.low.endswith("s") and following.low in ("are", "were", "have", "do", "aren't", "don't"):
        return False
    return following.after_comma or _has_verb(words, place + 1)


# --- names that the store knows -----------------------------------------------------------------------


def _find_known(words: Sequence[_Word], known: Collection[str]) -> Iterator[_Place]:
    """Known names in any case, the longest first; an ordinary word is only one where it has a capital."""
    keys = known if isinstance(known, (set, frozenset, dict)) else frozenset(known)
    place = 0
    while place < len(words):
        for count in range(min(_KNOWN_NAME_WORDS, len(words) - place), 0, -1):
            some = words[place : place + count]
            if count > 1 and not all(word.joined for word in some[1:]):
                continue
            if _known_key(some) in keys and _may_be_meant(some):
                yield some[0].start, some[-1].end
                place += count - 1
                break
        place += 1


def _known_key(words: Sequence[_Word]) -> str:
    low = " ".join(word.low for word in words)
    return low if low.isascii() and low.replace(" ", "").isalnum() else name_key(" ".join(word.text for word in words))


def _may_be_meant(words: Sequence[_Word]) -> bool:
    if len(words) > 1:
        return any(word.low not in _never_names() for word in words)
    word = words[0]
    if word.shape != "low" and word.opens == 0:
        return True
    return word.low not in STOPWORDS and word.low not in AUXILIARIES and word.low not in PREPOSITIONS


# --- names with typing mistakes -----------------------------------------------------------------------

_ONE_MISTAKE_FROM = 4
_TWO_MISTAKES_FROM = 8


def near_names(word: str, known: Collection[str]) -> list[str]:
    """The known names within one typing mistake (four to seven letters) or two (from eight on), nearest first.

    A mistake is a letter too many, too few, wrong, or swapped with the next. Of two mistakes not both may change the
    first and the last letter. A word that is known is near to itself.
    """
    key = name_key(word)
    most = 0 if len(key) < _ONE_MISTAKE_FROM else 1 if len(key) < _TWO_MISTAKES_FROM else 2
    if not most:
        return [key] if key in known else []
    first, last, least, longest = key[0], key[-1], len(key) - most, len(key) + most
    letters = frozenset(key)
    alike = [
        name
        for name in known
        if least <= len(name) <= longest
        and (name[0] == first or name[-1] == last)
        and len(letters.difference(name)) <= most
        and len(letters.symmetric_difference(name)) <= 2 * most
    ]
    near = [(distance, name) for name in alike if (distance := _count_mistakes(key, name, most)) <= most]
    return [name for _, name in sorted(near)]


def _count_mistakes(one: str, other: str, most: int) -> int:
    """The mistakes that turn one word into the other, exact up to `most`; above that any larger number."""
    if one == other:
        return 0
    start, stop = 0, min(len(one), len(other))
    while start < stop and one[start] == other[start]:
        start += 1
    end = 0
    while end < stop - start and one[-1 - end] == other[-1 - end]:
        end += 1
    left, right = one[start : len(one) - end], other[start : len(other) - end]
    if most == 1 and max(len(left), len(right)) > 2:
        return 2  # one mistake leaves no more than two swapped letters between equal ends
    return _measure_distance(left, right, most)


def _measure_distance(left: str, right: str, most: int) -> int:
    """Damerau and Levenshtein's distance, swaps of neighbours counting once; given up where it exceeds `most`.

    Only a band is filled in: a cell further from the diagonal than `most` costs more than that many mistakes.
    """
    width, far = len(right), most + 1
    older: list[int] = []
    before = [min(column, far) for column in range(width + 1)]
    for place, char in enumerate(left, 1):
        row = [far] * (width + 1)
        row[0] = min(place, far)
        for column in range(max(1, place - most), min(width, place + most) + 1):
            other = right[column - 1]
            cost = before[column - 1] + (char != other)
            cost = min(cost, before[column] + 1, row[column - 1] + 1)
            if place > 1 and column > 1 and char == right[column - 2] and left[place - 2] == other:
                cost = min(cost, older[column - 2] + 1)
            row[column] = cost
        if min(row) > most:
            return far
        older, before = before, row
    return before[width]
