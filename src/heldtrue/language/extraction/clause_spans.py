"""A sentence as clauses that each say one thing, with offsets; a shared subject is carried along."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import msgspec

from heldtrue.language.extraction.openers import find_trailer, strip_openers
from heldtrue.language.extraction.sentence_spans import Sentence
from heldtrue.language.grammar.lexicon import ADVERBS, AUXILIARIES, DETERMINERS, NOUNISH, PREPOSITIONS, VERBS

_CUT = r",?\s+(?:and|und|but|so|yet|while|whereas|plus)\s+(?:also\s+|then\s+|so\s+)?|[,;]\s+|\s+[-–—]+\s+|:\s+"
_WORD = r"[\w'-]+"
_SPEAKERS = frozenset("i i'm i've i'll i'd im ive we we're we've we'll we'd".split())
_OTHERS = frozenset("he she they it it's there that's he's she's they're there's".split())
_ORDERS = frozenset("please pls don't dont never always no".split())
_OPENERS = _SPEAKERS | _OTHERS | _ORDERS
_NOUN_OPENERS = frozenset("my our the his her their every all each".split())
_SUBORDINATE = frozenset(
    "rather instead given despite if when whenever while after before because since although though as "
    "once unless until".split()
)
_REASONS = re.compile(
    r"\b(?:because|since (?!\d|(?:last|early|late|my|january|february|march|april|may|june|july|august"
    r"|september|october|november|december)\b|\w+ years)"
    r"|as (?=it|we|our|the|they|nobody|there|i\b)|so that|that|which|who|whether|(?:until|once|after) "
    r"(?=i\b|we\b|you\b|it\b|they\b|he\b|she\b)|if"
    r"|when|to get|how|why)\b"
)
_SETTING = re.compile(r"[a-z][\w /-]{1,30}(?:: | = )\S")
_GERMAN_SMALL = frozenset(
    "als in bei am im an mit für gerne gern kein keine keinen ein eine einen nur seit dort auch".split()
)
_FINITE = frozenset(AUXILIARIES) | frozenset(form for form, known in VERBS.items() if known[1] != "g")
_SHORT = ("'m", "'s", "'re", "'ve", "'ll", "'d")


class ClauseSpan(msgspec.Struct, frozen=True, gc=False):
    """One clause: its words, where they stand, and what led into it."""

    text: str
    """The words, with a carried subject in front where the sentence said it only once."""
    low: str
    """The same in small letters."""
    start: int
    end: int
    joint: str = ""
    """What joins it to the clause before: `,` `and` `but` `so` ..., empty for the first."""
    hint: str = ""
    """The kind that a label before it names: lesson, convention, task, decision, note."""
    bullet: str = ""
    lead: str = ""
    """What stood before it in the sentence, in small letters: the label and the fillers."""


@cache
def _rules() -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(_CUT), re.compile(_WORD)


def lower_text(text: str) -> str:
    """Small letters, one for one, so that offsets stay."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(one if len(one := char.lower()) == 1 else char for char in text)


def split_clause_spans(sentence: Sentence) -> list[ClauseSpan]:
    """The clauses of a sentence without openers and trailers; the label counts for the first, and for bare orders."""
    low = lower_text(sentence.text)
    start, hint = strip_openers(low)
    end = len(low)
    while end > start and low[end - 1] in ".!…;: ":
        end -= 1
    clauses: list[ClauseSpan] = []
    lead = low[:start]
    for left, right, joint, carried in _read_cuts(sentence.text, low, start, end):
        clause = _make_clause(sentence, low, left, right, joint, carried, (hint, lead))
        if clause:
            clauses.append(clause)
    return clauses


def _make_clause(
    sentence: Sentence, low: str, left: int, right: int, joint: str, carried: str, label: tuple[str, str]
) -> ClauseSpan | None:
    hint, lead = label
    if joint:
        skipped, own = strip_openers(low[left:right])
        left, hint, lead = left + skipped, own or (hint if joint == "," else ""), low[left : left + skipped]
    right = left + find_trailer(low[left:right])
    while right > left and low[right - 1] in " ,;:-–—":
        right -= 1
    if right <= left:
        return None
    text = sentence.text[left:right]
    words = f"{carried} {text}" if carried else text
    place = sentence.start
    return ClauseSpan(words, lower_text(words), place + left, place + right, joint, hint, sentence.bullet, lead)


def _read_cuts(text: str, low: str, start: int, end: int) -> Iterator[tuple[int, int, str, str]]:
    """Where each clause begins and ends, its joint, and the subject it must carry."""
    cut_rule, word_rule = _rules()
    joint = carried = ""
    skips_comma = low[start:end].split(" ", 1)[0] in _SUBORDINATE
    for cut in cut_rule.finditer(low, start, end):
        if cut.start() <= start:
            continue
        mark = cut.group().strip().strip(",").strip() or ","
        right = word_rule.findall(low, cut.end(), min(end, cut.end() + 90))
        if not right:
            continue
        if skips_comma:
            skips_comma = "," not in cut.group()
            continue
        left = low[start : cut.start()]
        subject = _find_carried(left, carried, right, mark)
        named = text[cut.end()].isupper()
        opens = subject or _opens_clause(right, mark, named=named) or _SETTING.match(low, cut.end(), end)
        if not opens or (mark == ":" and right[0] in _ORDERS):
            continue
        if _is_dependent(left, mark) or (mark not in (":", "und") and not _has_verb(left, word_rule)):
            continue
        yield start, cut.start(), joint, carried
        start, joint, carried = cut.end(), mark.split()[0], subject
    yield start, end, joint, carried


def _is_dependent(left: str, mark: str) -> bool:
    """Whether what is on the left ends in a subordinate clause, to which an `and` may belong."""
    return mark == "and" and _REASONS.search(left) is not None


def _has_verb(left: str, word_rule: re.Pattern[str]) -> bool:
    words = word_rule.findall(left)
    if words[:1] == ["no"] or _SETTING.match(left):
        return True
    pairs = zip(["", *words], words, strict=False)
    return any(
        (word in _FINITE and before not in DETERMINERS)
        or word in ("im", "ive")
        or ("'" in word and word.endswith(_SHORT))
        for before, word in pairs
    )


def _opens_clause(words: list[str], mark: str, *, named: bool) -> bool:
    """Whether a subject with its verb, or an order, stands here."""
    first = words[0]
    place = 0
    while place + 1 < len(words) and words[place] in ADVERBS and words[place] not in _ORDERS:
        place += 1
    first = words[place]
    following = words[place + 1] if place + 1 < len(words) else ""
    if first in ("never", "always"):
        return bool(following) and following not in PREPOSITIONS and following not in DETERMINERS
    if mark == "," and first in ("can't", "cant", "prefer", "hate", "love", "need", "gotta"):
        return bool(following)
    if first in _OPENERS:
        return bool(following) and not (first == "no" and mark == "and")
    if mark == "so" and VERBS.get(first, ("", ""))[1] == "b":
        return bool(following)
    if first in ("for", "in") and mark == "," and "ask" in words[:5]:
        return True
    if first in _NOUN_OPENERS:
        return _find_finite(words, place + 2, 6) > 0
    return _is_plain_subject(words[place:], mark, named=named)


def _is_plain_subject(words: list[str], mark: str, *, named: bool) -> bool:
    """A bare name or noun and its verb at once: `and Felix will write`, `, Anton orders it`."""
    if (
        len(words) < 3
        or words[0] == "not"
        or words[0] in PREPOSITIONS
        or words[0] in _FINITE
        or words[0] in DETERMINERS
    ):
        return False
    second = words[1]
    known = VERBS.get(second)
    if second in AUXILIARIES:
        return True
    return (
        known is not None
        and known[1] == "s"
        and (known[0] not in NOUNISH or words[2] in DETERMINERS or named or mark != ",")
    )


def _find_finite(words: list[str], start: int, room: int) -> int:
    for place in range(start, min(len(words), start + room)):
        word = words[place]
        if word in PREPOSITIONS and word != "of":
            room = 0 if room < 6 else room
            if place > start + 2 or place + 2 >= len(words):
                return 0
        known = VERBS.get(word)
        if word in AUXILIARIES or (known and known[1] in ("s", "d")):
            return place
    return 0


def _find_carried(left: str, carried: str, right: list[str], mark: str) -> str:
    """The `I` or `we` that a plain verb on the right shares: `I live in Porto and work as a nurse`."""
    if mark not in ("and", "und", "but", ",") or len(right) < 2 or (" to " in left[-40:] and mark == ","):
        return ""
    if mark == "und":
        goes_on = left.startswith("ich ") and len(right[0]) > 3 and right[0].endswith("e") and right[1] in _GERMAN_SMALL
        return "Ich" if goes_on else ""
    place = 1 if right[0] in ADVERBS else 0
    if place + 1 >= len(right):
        return ""
    known, following = VERBS.get(right[place]), right[place + 1]
    if known is None or known[1] == "g" or right[place] in AUXILIARIES:
        return ""
    clear = following in DETERMINERS or following in PREPOSITIONS or known[0] not in NOUNISH
    subject = carried or left.split(" ", 1)[0]
    if not clear or mark == "," or subject.lower() not in ("i", "we", "ich", "wir"):
        return ""
    first = [word for word in left.split()[1:4] if word in VERBS and word not in AUXILIARIES]
    same = bool(first) and VERBS[first[0]][1] == known[1]
    return subject.upper() if same and subject == "i" else subject if same else ""


_SPEAKERLESS = re.compile(
    r"^(?:applying for|studying|training (?:for|to)|learning (?!that)|living (?:in|with)|moving to)\b"
    r"|^(?:really |also |still |just |personally |always )?(?:prefer|hate|love|can't stand|cant stand|(?:don't"
    r"|dont) (?:like|eat"
    r"|drink|drive|smoke)|need|must|have to|gotta|got to|live (?:in|with|near)|work (?:at|for|as|in|from)"
    r"|moved to|grew up|allergic to"
    r"|used to|would rather|will (?:send|bring|call|do|write|finish|book|check)|been (?:an? |\w+ing ))\b"
)


def restore_speaker(clause: ClauseSpan) -> ClauseSpan:
    """`prefer tea`, `moved to Graz in May`: with the I that quick writers leave out."""
    if clause.joint not in ("", ",") or not _SPEAKERLESS.match(clause.low):
        return clause
    lead = (
        "I am "
        if clause.low.startswith(("allergic", "apply", "study", "train", "learn", "living", "moving"))
        else "I have "
        if clause.low.startswith("been")
        else "I "
    )
    text = lead + clause.text[0].lower() + clause.text[1:]
    return msgspec.structs.replace(clause, text=text, low=lower_text(text))
