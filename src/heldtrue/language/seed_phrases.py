"""Seed phrases of wallets: twelve to twenty-four short words, near the word that names them or by their mixture.

The list of words that wallets use is not needed. Prose cannot go on for twelve words of three to eight letters without
an article, a preposition or another word that no such list contains, and people's lists have words of one class.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from heldtrue.language.findings import Finding, compiled
from heldtrue.language.word_classes import is_menu, is_mixture

_NAME = (
    r"seed ?(?:phrase|words?)|recovery (?:phrase|words?|seed)|mnemonic(?: phrase| seed| words?"
    r"| code)?|backup (?:phrase|words?)|secret (?:recovery )?phrase"
    r"|wallet (?:seed|words?|phrase|backup)|(?:12|15|18|21|24|twelve|twenty-four"
    r"|25)[- ]words?(?: (?:seed|phrase|backup|list))?|bip-?39|wiederherstellungs(?:phrase"
    r"|w\u00f6rter|satz)"
    r"|phrase (?:de r[e\u00e9]cup[e\u00e9]ration|secr[e\u00e8]te|mn[e\u00e9]monique)"
    r"|frase (?:semilla|de recuperaci[o\u00f3]n|di recupero|seed|mnemonica|secreta)"
    r"|palabras semilla|seed|phrase|wallet|ledger|trezor|metamask|recovery|backup|bitcoin|btc|crypto|coldcard"
    r"|\u52a9\u8bb0\u8bcd|\u0441\u0438\u0434-?\u0444\u0440\u0430\u0437\w"
)
_HINTS = (
    *(
        "seed",
        "mnemonic",
        "recovery",
        "backup",
        "phrase",
        "wallet",
        "words",
        "bip",
        "wiederherstellungs",
        "frase",
        "semilla",
        "trezor",
        "ledger",
        "metamask",
        "bitcoin",
        "btc",
        "crypto",
        "coldcard",
    ),
    *("\u52a9\u8bb0\u8bcd", "\u0441\u0438\u0434"),
)
_WORD = r"[^\W\d_]{3,8}"
_BETWEEN = (
    r"(?:[ \t]{1,12}|[ \t]{0,3}[,;|/>\u2013\u2014\u2022\u00b7_-]{1,2}[ \t]{0,12}"
    r"|[ \t]{0,6}[,;|]?[ \t]{0,3}\r?\n[ \t]{0,8}){1,2}"
)
_MARK = (
    r"[\[(|*\u2022#-]{0,2}[ \t]{0,2}(?:(?:words?[ \t]?)?\d{1,2}(?:-\d{1,2})?(?!\d)[ \t]{0,3}[.):="
    r"|\]>-]{0,2}[ \t]{0,12})?[\"'`(\[*]{0,2}"
)
_QUOTE = r"[\"'`*\])]{0,2}"
_RUN = rf"(?<![^\W_]){_WORD}(?:{_QUOTE}{_BETWEEN}{_MARK}{_WORD}(?![^\W_])){{11,32}}+"
_WORDS_FOR_ACCESS = (
    r"(?i)(?<![a-z])pass ?phrase(?:[ \t]for[ \t][^\n:]{1,40})?[ \t]{0,2}(?:[:=]|is:?)[ \t]{1,3}[\"'`]?"
    r"(?P<run>[a-z]{3,10}(?:[ -][a-z]{3,10}){3,11})(?=[\"'`]?[ \t]*(?:$|[\n.,;]))"
)
_NAME_TO_PHRASE_CHARS = 80
_LIST_OF_WORDS = (
    r"\b(?:(?:words?|verbs?|adjectives?|nouns?|names?|terms?) (?:containing|that|with|ending|starting|beginning|for"
    r"|which"
    r"|meaning|of|like|list|to)|synonyms?|rhymes?|vocabulary|spelling|anagrams?|tags|keywords|topics|stop ?words"
    r"|vokabeln|begriffe|mots commen|sinonim\w*)\b"
)
"""What introduces words that people collected."""
_LENGTHS = (12, 15, 18, 21, 24)
_NO_SEED_WORDS = frozenset(
    (
        "the and for with from are was not have has had been which but were their its into than them our "
        "would could should must never your his her him she who how may might does did doing being these "
        "those over under upon per via using used because while until since though each both such only just "
        "very much many more most some other out off down here yes let lets it's isn isnt dont don can't "
        "cannot wasn we've i'm und der die das den dem mit von f\u00fcr auf ist nicht ein eine les des une "
        "dans pour sur pas est que los las por para con del una como uno"
    ).split()
)

_SELDOM_SEED_WORDS = frozenset(
    "because until since under upon over just very much must never only other off both more have can out such "
    "while".split()
)
"""Words of prose that wallets use as well: one in a phrase may be such a word."""
_NEVER_SEED_WORDS = _NO_SEED_WORDS - _SELDOM_SEED_WORDS
_SELDOM = 8
"""How many words a phrase has for each of them."""


def find_seed_phrases(low: str) -> Iterator[Finding]:
    """The phrases that stand near their name, and those that only a wallet can have made."""
    if _has_long_run(low):
        yield from _find_runs(low)
    for match in compiled(_WORDS_FOR_ACCESS).finditer(low) if "phrase" in low else ():
        if not _NO_SEED_WORDS.intersection(compiled("[ -]").split(match["run"])):
            yield Finding("password", match.start("run"), match.end("run"))


def _find_runs(low: str) -> Iterator[Finding]:
    has_name = any(map(low.__contains__, _HINTS))
    for match in compiled(_RUN).finditer(low):
        spans = [
            word.span()
            for word in compiled(_WORD).finditer(low, match.start(), match.end())
            if word[0] not in ("word", "words")
        ]
        for part in _split_runs(low, spans):
            yield from _judge_run(low, part, has_name=has_name)


def _split_runs(low: str, spans: list[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """The parts of a run that have enough words and none that no phrase has."""
    part: list[tuple[int, int]] = []
    for span in [*spans, (0, 0)]:
        if span[1] and low[slice(*span)] not in _NEVER_SEED_WORDS:
            part.append(span)
            continue
        if len(part) >= _LENGTHS[0]:
            yield part
        part = []


def _judge_run(low: str, spans: list[tuple[int, int]], *, has_name: bool) -> Iterator[Finding]:
    name = _find_name(low, spans[0][0], spans[-1][1]) if has_name else None
    if name is not None:  # it may be the first of the words
        spans = [span for span in spans if span[0] >= name.end() or span[1] <= name.start()]
    words = [low[slice(*span)] for span in spans]
    if _is_path_or_command(low, spans):
        return
    if sum(word in _SELDOM_SEED_WORDS for word in words) > len(words) // _SELDOM:
        return
    if name is not None and _is_phrase_of_name(words, is_whole=_ends_at(low, spans[-1][1])):
        yield Finding("seed-phrase", spans[0][0], spans[-1][1])
        return
    yield from _find_by_mixture(low, spans, words)


def _is_path_or_command(low: str, spans: list[tuple[int, int]]) -> bool:
    """Whether slashes, hyphens and underscores join the words in more than one way, as in the line of a shell."""
    gaps = (low[before[1] : after[0]] for before, after in pairwise(spans))
    return len({"".join(sign for sign in gap if sign in "/_-") for gap in gaps}) > 1


def _ends_at(low: str, end: int) -> bool:
    """Whether no further word follows on the line."""
    return compiled(r"[ \t]*[^\W\d_]").match(low, end) is None


def _is_phrase_of_name(words: list[str], *, is_whole: bool) -> bool:
    """Whether words near the name of a seed phrase are one."""
    if len(words) < _LENGTHS[0] or _is_list_of_things(words):
        return False
    return is_mixture(words) or (len(words) in _LENGTHS and is_whole and not is_menu(words))


def _find_by_mixture(low: str, spans: list[tuple[int, int]], words: list[str]) -> Iterator[Finding]:
    """A phrase without its name, on lines of its own."""
    lines = [0, *(n for n in range(1, len(spans)) if "\n" in low[spans[n - 1][1] : spans[n][0]]), len(spans)]
    for first, last in _line_ranges(lines):
        begins = first > 0 or compiled(_LIST_OF_WORDS).search(low, max(0, spans[0][0] - 80), spans[0][0]) is None
        part = words[first:last]
        if begins and not _is_list_of_things(part) and len(set(part)) >= len(part) - 2 and is_mixture(part):
            yield Finding("seed-phrase", spans[first][0], spans[last - 1][1])
            return


def _line_ranges(lines: list[int]) -> list[tuple[int, int]]:
    """Ranges of whole lines with as many words as a phrase has, the longest first; only a few lines may be left out."""
    firsts, lasts = lines[:4], lines[-4:]
    ranges = [(first, last) for first in firsts for last in lasts if last - first in _LENGTHS]
    return sorted(ranges, key=lambda ends: (ends[0] - ends[1], -ends[0]))


def _find_name(low: str, start: int, end: int) -> re.Match[str] | None:
    named = compiled(rf"(?<![^\W_])(?:{_NAME})(?![^\W_])")
    return named.search(low, max(0, start - _NAME_TO_PHRASE_CHARS), end)


def _has_long_run(low: str) -> bool:
    """Whether as many words as a phrase has follow each other without a word that no phrase has: a quick look."""
    run = 0
    for word in compiled(r"[^\W\d_]+").findall(low):
        run = run + 1 if 3 <= len(word) <= 8 and word not in _NEVER_SEED_WORDS else 0
        if run >= _LENGTHS[0]:
            return True
    return False


def _is_list_of_things(words: list[str]) -> bool:
    """Whether several words are plurals: wallets use nearly none."""
    return sum(word.endswith("s") and word[-2:-1] not in "siua" for word in words) >= 3
