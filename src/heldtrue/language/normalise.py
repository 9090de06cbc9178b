"""Text made plain: one form to store and show, and one form in which equal values are equal.

`clean_text` removes what a reader cannot see (and what an attacker hides there); `find_hidden` names it
for a flag; `fold_text` goes further and makes two spellings of one value the same string, also across
look-alike letters of other alphabets. Different values must stay different: digits are never confused
with letters, and accents, signs, units and decimal points are kept.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from heldtrue.domain.limits import MARKS_IN_A_ROW_MAX
from heldtrue.language.guard import spend
from heldtrue.language.lookalikes import CAPITALS_IN_LATIN_WORDS, build_digits, build_lookalikes

# Rules compile when first needed: plain ASCII text, the usual case, needs two of them.
_rule = cache(re.compile)

# --- what a reader cannot see -------------------------------------------------------------------------

_HIDDEN_KINDS: tuple[tuple[str, str], ...] = (
    ("control characters", "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"),
    ("lone surrogates", "\ud800-\udfff"),
    ("soft hyphen", "\u00ad"),
    ("grapheme joiner", "\u034f"),
    ("bidi control", "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"),
    ("zero-width", "\u200b\u2060\ufeff\u180e"),
    ("invisible operator", "\u2061-\u2065\u206a-\u206f\u17b4\u17b5"),
    ("blank filler", "\u115f\u1160\u3164\uffa0\u2800"),
    ("variation selectors", "\u180b-\u180d\u180f\ufe00-\ufe0d\U000e0100-\U000e01ef"),
    ("annotation characters", "\ufff0-\ufffb"),
    ("format controls", "\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a"),
    ("tag characters", "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"),
    (
        "noncharacters",
        "\ufdd0-\ufdef" + "".join(chr(p + 0xFFFE) + chr(p + 0xFFFF) for p in range(0, 0x110000, 0x10000)),
    ),
)
_HIDDEN = "|".join(f"(?P<k{place}>[{chars}]+)" for place, (_, chars) in enumerate(_HIDDEN_KINDS))
HIDDEN = "".join(chars for _, chars in _HIDDEN_KINDS)
"""The characters that a reader cannot see, as they stand in a set of a regular expression."""
_ANY_HIDDEN = f"[{HIDDEN}]+"
# the few of them that str.isprintable takes for visible
_PRINTABLE_HIDDEN = (
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U0001d159\U000e0100-\U000e01ef]"
)
_SURROGATE = "[\ud800-\udfff]"
# A terminal colour code goes as a whole: without its first character it would stay behind as "[31m".
_TERMINAL_CODE = "\x1b\\[[0-9;:?]*[ -/]*[@-~]"
_LINE_ENDS = "\r\n?|[\x0b\x0c\x85\u2028\u2029]"

# --- joiners: invisible, but part of Indic and Persian words and of emoji --------------------------------

_JOINERS = "[\u200c\u200d\ufe0e\ufe0f]+"
_SELECTORS = "\ufe0e\ufe0f"
_JOINED_SCRIPT = "[\u0620-\u065f\u066e-\u06d3\u06d5-\u077f\u08a0-\u0dff\u0f00-\u109f\u1780-\u17d3\u1820-\u18aa]"
_VIRAMA = frozenset("\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca")
_EMOJI = (
    "[\u00a9\u00ae\u2190-\u21ff\u2300-\u23ff\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\U0001f000-\U0001faff]"
)

# NFKC would turn 10\u00b2 into 102 and 1\u00bd into 11/2: another value. A sign keeps the parts apart.
_RAISED = "(?<=[0-9])(?=[\u00b2\u00b3\u00b9\u2070\u2074-\u207b])"
_LOWERED = "(?<=[0-9])(?=[\u2080-\u208b])"
_ENCLOSED_OR_FRACTION = "(?<=[0-9])(?=[\u00bc-\u00be\u2150-\u215f\u2189\u2460-\u249b\u24ea])"

_WIDE_GAP = re.compile("[ \t\u1680]+")
_LINE_TAIL = r"(?m)(?<![ \t])[ \t]+$"
_EMPTY_LINES = "\n{3,}"


_LONG_MARKS = rf"[^\w\s\x00-\x7f]{{{MARKS_IN_A_ROW_MAX + 1},}}"


def clean_text(text: str) -> str:
    """The same text in NFKC form with nothing invisible in it and with even white space."""
    if text.isprintable():
        if not text.isascii():
            if _rule(_PRINTABLE_HIDDEN).search(text):
                return _clean_hidden(text)
            text = _normalise(text)
        return text.strip(" ") if "  " not in text else _WIDE_GAP.sub(" ", text).strip(" ")
    return _clean_hidden(text)


def _clean_hidden(text: str) -> str:
    text = _drop_hidden(text)
    if not text.isascii():
        text = _normalise(text)
        if _rule(_JOINERS).search(text):
            text = _normalise(_rule(_JOINERS).sub(_keep_needed_joiner, text))
    return _even_space(text)


def find_hidden(text: str) -> tuple[str, ...]:
    """The kinds of invisible or control characters that clean_text drops from this text, each named once."""
    if text.isprintable() and (text.isascii() or _rule(_PRINTABLE_HIDDEN).search(text) is None):
        return ()
    groups = {match.lastgroup for match in _rule(_HIDDEN).finditer(text)}
    kinds = {kind for place, (kind, _) in enumerate(_HIDDEN_KINDS) if f"k{place}" in groups}
    for match in _rule(_JOINERS).finditer(text):
        kinds.update(_name_lost_joiners(match[0], _keep_needed_joiner(match)))
    return tuple(sorted(kinds))


def _name_lost_joiners(run: str, kept: str) -> tuple[str, ...]:
    if run == kept:
        return ()
    selectors = run.count("\ufe0e") + run.count("\ufe0f")
    kept_selectors = kept.count("\ufe0e") + kept.count("\ufe0f")
    lost_joiner = len(run) - selectors > len(kept) - kept_selectors
    return ("variation selectors",) * (selectors > kept_selectors) + ("zero-width",) * lost_joiner


def _drop_hidden(text: str) -> str:
    if "\x1b" in text:
        text = _rule(_TERMINAL_CODE).sub("", text)
    text = _rule(_LINE_ENDS).sub("\n", text)
    if _rule(_ANY_HIDDEN).search(text) is None:
        return text
    # a blank filler stands where a space would; a lone surrogate stands for a character that was lost
    text = _rule(_SURROGATE).sub("\ufffd", text.replace("\u2800", " "))
    return _rule(_ANY_HIDDEN).sub("", text)


def _normalise(text: str) -> str:
    text = _limit_marks(text)
    if unicodedata.is_normalized("NFKC", text):
        return text
    text = text.replace("\u00b4", "'")  # NFKC makes the acute accent, typed as an apostrophe, a space and a mark
    text = _rule(_RAISED).sub("^", text)
    text = _rule(_LOWERED).sub("_", text)
    text = _rule(_ENCLOSED_OR_FRACTION).sub(" ", text)
    return _limit_marks(unicodedata.normalize("NFKC", text))


def _limit_marks(text: str) -> str:
    if len(text) <= MARKS_IN_A_ROW_MAX:
        return text
    return _rule(_LONG_MARKS).sub(_cut_long_marks, text)


def _cut_long_marks(match: re.Match[str]) -> str:
    kept, marks = [], 0
    for char in match[0]:
        marks = marks + 1 if unicodedata.combining(char) else 0
        if marks <= MARKS_IN_A_ROW_MAX:
            kept.append(char)
    return "".join(kept)


def _keep_needed_joiner(match: re.Match[str]) -> str:
    text, run = match.string, match[0]
    before = text[match.start() - 1 : match.start()]
    after = text[match.end() : match.end() + 1]
    if _rule(_EMOJI).match(before):
        selector = run[0] if run[0] in _SELECTORS else ""
        joiner = "\u200d" if "\u200d" in run and _rule(_EMOJI).match(after) else ""
        return selector + joiner
    if _rule(_JOINED_SCRIPT).match(before) and (before in _VIRAMA or _rule(_JOINED_SCRIPT).match(after)):
        return next((char for char in run if char not in _SELECTORS), "")
    return ""


def _even_space(text: str) -> str:
    """One line has single spaces; several lines keep theirs, so that code and lists stay as they were laid out."""
    text = text.replace("\u1680", " ")
    if "\n" in text:
        text = _rule(_LINE_TAIL).sub("", text)
        text = text.strip("\n")
    if "\n" in text:
        return _rule(_EMPTY_LINES).sub("\n\n", text)
    return _WIDE_GAP.sub(" ", text).strip(" ")


# --- the folded form ----------------------------------------------------------------------------------

_APOSTROPHES = "'\u2018\u2019\u201a\u201b\u2032\u02bc\u02bb\u02b9\u05f3\u055a\ua78c"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u02d7\u06d4\u2043\u2e3a\u2e3b\u05be\u1806\u30a0"
_COLONS = "\u2236\u02d0\ua789\u05c3\u0589"
_SLASHES = "\u2044\u2215\u29f8"
_SEPARATORS = (
    "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2039\u203a\u2033\u2036\u05f4\u275d\u275e"  # quotes
    "\u3001\u3002\u300c\u300d\u300e\u300f\u3010\u3011\u300a\u300b\u3008\u3009\u3014\u3015\u30fb"  # Chinese, Japanese
    "\u00bf\u00a1\u060c\u061b\u061f\u0964\u0965\u1361\u1362\u1363\u1364\u055c\u055e\u2022\u2023\u25e6\u25cf\u25aa\u203d"
)


@cache
def _fold_table() -> dict[int, str]:
    table = build_lookalikes() | build_digits()
    signs = ((_APOSTROPHES, "'"), (_DASHES, "-"), (_COLONS, ":"), (_SLASHES, "/"), (_SEPARATORS, " "))
    for chars, sign in signs:
        table.update(dict.fromkeys(map(ord, chars), sign))
    table.update({0x66A: "%", 0x66B: ".", 0x66C: ",", 0x223C: "~", 0x301C: "~"})
    table.update(dict.fromkeys(map(ord, "\u200c\u200d\ufe0e\ufe0f"), ""))
    return table


_WORD = r"\w+"
_MIXED_CAPITAL = "[" + "".join(map(chr, CAPITALS_IN_LATIN_WORDS)) + "]"
_ASCII_LETTER = "[A-Za-z]"
_LATIN_MARKS = (
    "([a-z\u00aa-\u024f\u0250-\u02af\u1e00-\u1eff\u2c60-\u2c7f\ua720-\ua7ff\uab30-\uab6f])"
    "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+"
)
_ZALGO_MARKS = 3  # no living Latin orthography stacks more than two marks on a letter


def fold_text(text: str) -> str:
    """The form in which two spellings of one value are the same string."""
    spend(len(text))
    text = clean_text(text)
    folded = text.lower() if text.isascii() else fold_letters(text)
    words = [word if word.isalnum() else _fold_word(word) for word in folded.split()]
    return " ".join([word for word in words if word])


def fold_letters(text: str) -> str:
    """Cleaned text in small letters, those of other alphabets that look Latin made Latin; its signs stay."""
    if _rule(_MIXED_CAPITAL).search(text):
        text = _rule(_WORD).sub(_fold_mixed_capitals, text)
    text = unicodedata.normalize("NFKC", text.casefold())
    text = unicodedata.normalize("NFC", text.translate(_fold_table()))
    return _rule(_LATIN_MARKS).sub(_drop_stacked_marks, text)


def _fold_mixed_capitals(match: re.Match[str]) -> str:
    word = match[0]
    return word.translate(CAPITALS_IN_LATIN_WORDS) if _rule(_ASCII_LETTER).search(word) else word


def _drop_stacked_marks(match: re.Match[str]) -> str:
    parts = unicodedata.normalize("NFD", match[0])
    return parts[0] if len(parts) > _ZALGO_MARKS else match[1]


# Inside a word: an apostrophe joins, a bracket or quote parts, a comma parts unless it groups digits.
_JOINED_BY = str.maketrans("", "", "'`")
_PARTED_BY = re.compile(r"[\"()\[\]{};]+|(?<![0-9]),+|,+(?![0-9])|\.{3,}")
_MEANS_NOTHING_AT_END = ".,:!?-/@&*~|\\^"
_MEANS_NOTHING_AT_START = ",:?*&|^"


def _fold_word(word: str) -> str:
    """One word without the punctuation around it; signs that tell values apart (C++, -5, .env, a@b.c) stay."""
    if word[:-1].isalnum() and word[-1] in _MEANS_NOTHING_AT_END:
        return word[:-1]
    parted = _PARTED_BY.sub(" ", word.translate(_JOINED_BY))
    parts = [part.rstrip(_MEANS_NOTHING_AT_END).lstrip(_MEANS_NOTHING_AT_START) for part in parted.split(" ")]
    return " ".join([part for part in parts if part])
