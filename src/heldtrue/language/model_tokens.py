"""How many tokens a language model reads in a text, told from its shape alone.

Models split a text at words, numbers, signs and spaces before they look anything up, and they agree on how; within a
piece they differ little. So the pieces are found, and each is priced by its length and its letters. The prices were
fitted to the counts of a current vocabulary (o200k) on prose, chats, code and data, and lean to the dear side: a prompt
a little shorter than allowed is fine, one that is longer is refused.
"""

from __future__ import annotations

import math
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import accumulate

_TOKEN = 100
"""Prices are whole hundredths of a token, so that sums are exact."""


def count_tokens(text: str) -> int:
    """About how many tokens the text is: hardly ever fewer than a model counts, for English seldom a quarter more."""
    pieces = _pieces().findall(text)
    return math.ceil(_price_all(pieces) / _TOKEN)


def cut_to_tokens(text: str, most: int) -> str:
    """The text, or as much of its start as is counted as no more than `most` tokens, ended by `…` where it was cut.

    It is cut after a sentence where one ends in the last part of what fits, else between words.
    """
    if most < 1:
        return ""
    head = text[: _CHARS_PER_TOKEN * (most + 1)]
    pieces = _pieces().findall(head)
    if _price_all(pieces) <= most * _TOKEN:
        if len(head) == len(text) or count_tokens(text) <= most:
            return text
        pieces = _pieces().findall(text)
    parts = list(_price_parts(pieces))
    sums, places = list(accumulate(price for _, price in parts)), list(accumulate(length for length, _ in parts))
    room = (most - 1) * _TOKEN  # one for the sign of the cut
    while (fitting := bisect_right(sums, room)) > 0:
        short = text[: _place_to_cut(text, places[fitting - 1])].rstrip() + "…"
        if count_tokens(short) <= most:
            return short
        room = min(room - _TOKEN, sums[fitting - 1] - 1)
    return "…"


def _price_parts(pieces: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Length and price of all that may stay or go: pieces, and of scripts without spaces every character."""
    foreign = _is_foreign(pieces)
    for piece in pieces:
        if len(piece) > 1 and piece[-1] > "\u024f":
            yield from ((1, _price_char(char)) for char in piece)
        else:
            yield len(piece), _price(piece) + (_surcharge(piece) if foreign else 0)


_CHARS_PER_TOKEN = 40
"""Longer tokens are rulers and blanks: a text has to be very odd for more characters to fit."""
_SENTENCE_END = r"[.!?…][\"')\]]*(?=\s)|[。！？]|\n"
_KEPT_AT_LEAST = 0.6
_WORD_CHARS = 60


def _place_to_cut(text: str, place: int) -> int:
    """The end of the last sentence that keeps most of what fits, or of the last word, or a place inside a long one."""
    least = int(place * _KEPT_AT_LEAST)
    ends = [match.end() for match in re.compile(_SENTENCE_END).finditer(text, least, min(len(text), place + 1))]
    ends = [end for end in ends if end <= place]
    if ends:
        return ends[-1]
    if place < len(text) and not text[place].isspace():
        blank = max(text.rfind(" ", place - _WORD_CHARS, place), text.rfind("\n", place - _WORD_CHARS, place))
        if blank > least:
            return blank
    while 0 < place < len(text) and _belongs_to_before(text[place]):
        place -= 1
    return place


def _belongs_to_before(char: str) -> bool:
    """Whether a character only shows together with the one before it: marks, joiners, tints of an emoji."""
    return unicodedata.combining(char) > 0 or char in "\u200d\ufe0e\ufe0f" or "\U0001f3fb" <= char <= "\U0001f3ff"


def _price_all(pieces: Sequence[str]) -> int:
    """What all pieces cost together; words of other languages than English are shorter tokens, and cost more."""
    price = sum(map(_price, pieces))
    return price + sum(map(_surcharge, pieces)) if _is_foreign(pieces) else price


@cache
def _pieces() -> re.Pattern[str]:
    """Words with what leads them, digits, signs, other scripts, white space; bounded, so that no piece is long."""
    latin = "a-z\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff"
    return re.compile(
        rf"[^\r\nA-Za-z0-9\x80-\U0010ffff]?(?:[A-Z]{{0,32}}[{latin}]{{1,32}}|[A-Z]{{1,32}})(?:'(?:s|t|re|ve|m|ll|d)(?![a-z]))?"
        r"|[0-9]{1,3}"
        r"| ?[!-/:-@\[-`{-~]{1,16}[\r\n/]{0,16}"
        r"| ?[^\x00-\x7f]{1,12}"
        r"|\s{0,64}[\r\n]{1,64}|\s{1,64}(?!\S)|\s{1,64}"
        r"|[\x00-\x1f\x7f]"
    )


# --- one piece ----------------------------------------------------------------------------------------

_SIGNS = " !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~\t"


@lru_cache(maxsize=65536)
def _price(piece: str) -> int:
    word = piece.lstrip(_SIGNS)
    if word and word[0].isalpha() and word[0] < "\u0250":
        return _price_word(piece[: len(piece) - len(word)], word)
    if not piece.isascii():
        return max(_TOKEN, sum(map(_price_char, piece.strip(" "))))
    return _TOKEN if word or not piece.strip() else _price_signs(piece.strip())


def _price_word(lead: str, word: str) -> int:
    """A word by its length: cheap after a space, dearer inside a longer name or after a sign, dearest in capitals."""
    size = len(word)
    if not word.isascii():
        accents = sum(char > "\x7f" for char in word)
        return 100 + 22 * max(0, size - 3) + 40 * accents
    capitals = sum(map(str.isupper, word))
    if capitals > 1:
        base, step, free = (104, 24, 2) if lead == " " else (104, 32, 2) if lead in ("", "_") else (180, 24, 2)
    elif capitals:
        base, step, free = (106, 14, 4) if lead == " " else (108, 16, 2) if lead in ("", "_") else (150, 14, 2)
    else:
        base, step, free = (104, 6, 4) if lead == " " else (108, 16, 4) if lead in ("", "_") else (116, 17, 2)
    price = base + step * max(0, size - free)
    return max(price, 60 * size) if size > 2 and _is_unspeakable(word) else price


_VOWELS = frozenset("aeiouyAEIOUY")


def _is_unspeakable(word: str) -> bool:
    """Whether letters follow each other as in no word: part of a hash, a key, or squeezed code."""
    return sum(char in _VOWELS for char in word) * 6 < len(word)


def _price_signs(signs: str) -> int:
    """Signs by how many and how unlike: a ruler is one token, line noise almost one a sign."""
    kinds = len(set(signs))
    if kinds == 1:
        return _TOKEN + 4 * (len(signs) // 16)
    if len(signs) < 4:
        return 110 + 15 * (len(signs) - 2) * (kinds - 1)
    return 190 + (75 if kinds > 4 else 45) * (len(signs) - 4) if kinds > 2 else 140 + 45 * (len(signs) - 4)


# Where each block of characters begins, and what one of its characters costs.
_BLOCKS = (
    (0x0000, 100), (0x0250, 190), (0x0370, 48), (0x0400, 40), (0x0530, 42), (0x0590, 52), (0x0600, 44), (0x0780, 150),
    (0x0900, 42), (0x0E00, 45), (0x0F00, 120), (0x1000, 64), (0x10A0, 48), (0x1100, 210), (0x1780, 68), (0x1800, 180),
    (0x2000, 100), (0x2070, 160), (0x2190, 130), (0x2200, 200), (0x2500, 70), (0x2580, 220), (0x2C00, 200),
    (0x3000, 100), (0x3040, 85), (0x3100, 200), (0x3400, 300), (0x4E00, 106), (0xA000, 250), (0xAC00, 95),
    (0xD7B0, 300), (0xFE00, 90), (0xFE10, 150), (0xFF00, 120), (0x10000, 320), (0x1F000, 235), (0x1FB00, 350),
)  # fmt: skip
_STARTS = tuple(start for start, _ in _BLOCKS)


def _price_char(char: str) -> int:
    return _BLOCKS[bisect_right(_STARTS, ord(char)) - 1][1]


# --- English, or not ----------------------------------------------------------------------------------

_ENGLISH = frozenset(
    f" {word}"
    for word in """the of to and in is it for on that with as are be this was you not or have from by at an we can if
    a i my your they what how""".split()
)
_WORDS_TO_JUDGE = 12
_ENGLISH_SHARE = 0.12


def _is_foreign(pieces: Sequence[str]) -> bool:
    """Whether the text is prose and hardly any of its words are those without which there is no English."""
    words = [piece for piece in pieces if piece[0] == " " and piece[1:].islower()]
    if len(words) < _WORDS_TO_JUDGE or len(words) * 4 < len(pieces):
        return False
    return sum(word in _ENGLISH for word in words) < _ENGLISH_SHARE * len(words)


@lru_cache(maxsize=65536)
def _surcharge(piece: str) -> int:
    word = piece.lstrip(_SIGNS)
    if not word.isalpha() or not word.isascii() or piece[0] != " ":
        return 0
    return 24 * max(0, len(word) - 4)
