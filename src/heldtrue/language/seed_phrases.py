"""Seed phrases of wallets: twelve to twenty-four short words, after the word that names them or alone on a line.

The list of words that wallets use is not needed. Prose cannot go on for twelve words of three to eight letters without
an article, a preposition or another word that no such list contains.
"""

from __future__ import annotations

from collections.abc import Iterator

from heldtrue.language.findings import Finding, compiled

_NAME = (
    r"seed ?(?:phrase|words?)|recovery (?:phrase|words?|seed)|mnemonic(?: phrase| seed| words?"
    r"| code)?|backup (?:phrase|words?)|secret (?:recovery )?phrase"
    r"|wallet (?:seed|words?|phrase|backup)|(?:12|15|18|21|24|twelve|twenty-four"
    r"|25)[- ]words?(?: (?:seed|phrase|backup|list))?|bip-?39|wiederherstellungs(?:phrase"
    r"|w\u00f6rter|satz)"
    r"|phrase (?:de r[e\u00e9]cup[e\u00e9]ration|secr[e\u00e8]te|mn[e\u00e9]monique)"
    r"|frase (?:semilla|de recuperaci[o\u00f3]n|di recupero|seed|mnemonica|secreta)"
    r"|palabras semilla|seed|phrase|wallet|ledger|trezor|metamask|recovery|backup"
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
    ),
    *("\u52a9\u8bb0\u8bcd", "\u0441\u0438\u0434"),
)
_WORD = r"[^\W\d_]{3,8}"
_BETWEEN = (
    r"[\"'`]?(?:[ \t]{1,4}|[ \t]{0,3},[ \t]{0,3}|[ \t]{0,3}[-/|\u2013>][ \t]{0,3}"
    r"|[ \t]{0,3},?\r?\n[ \t]{0,4})(?:[-*\u2022]?[ \t]{0,2}\(?\d{1,2}[.):=]?[ \t]{0,3})?[\"'`"
    r"|]{0,2}[ \t]?"
)
_RUN = (
    rf"(?<![^\W_])(?:\(?\d{{1,2}}[.):=]?[ \t]{{0,3}})?{_WORD}(?:{_BETWEEN}{_WORD}(?![^\W_])){{11,32}}+"
    r"(?![ \t]*[^\W\d_])"
)
_BARE_RUN = r"(?m)(?<![^\n\"'`])(?P<run>[a-z]{3,8}(?:[ ][a-z]{3,8}){11,23}+)(?=[ \t]*(?:$|[\"'`.]))"
_SHORTEST_RUN = r"[a-z]{3,8}(?: [a-z]{3,8}){11}"
_WORDS_FOR_ACCESS = (
    r"(?i)(?<![a-z])pass ?phrase(?:[ \t]for[ \t][^\n:]{1,40})?[ \t]{0,2}(?:[:=]|is:?)[ \t]{1,3}[\"'`]?"
    r"(?P<run>[a-z]{3,10}(?:[ -][a-z]{3,10}){3,11})(?=[\"'`]?[ \t]*(?:$|[\n.,;]))"
)
_NAME_TO_PHRASE_CHARS = 80
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


def find_seed_phrases(text: str, low: str) -> Iterator[Finding]:
    """The phrases that follow their name, and those that are all there is on a line."""
    if any(map(low.__contains__, _HINTS)) and _has_long_run(low):
        yield from _find_named_phrases(low)
    for match in compiled(_WORDS_FOR_ACCESS).finditer(low) if "phrase" in low else ():
        if not _NO_SEED_WORDS.intersection(compiled("[ -]").split(match["run"])):
            yield Finding("password", match.start("run"), match.end("run"))
    if compiled(_SHORTEST_RUN).search(text):
        for match in compiled(_BARE_RUN).finditer(text):
            words = match["run"].split(" ")
            if len(words) in _LENGTHS and len(set(words)) >= len(words) - 2 and not _NO_SEED_WORDS.intersection(words):
                yield Finding("seed-phrase", match.start("run"), match.end("run"))


def _find_named_phrases(low: str) -> Iterator[Finding]:
    for match in compiled(_RUN).finditer(low):
        words = compiled(_WORD).findall(match[0])
        first = next((n for n in range(len(words)) if not _NO_SEED_WORDS.intersection(words[n:])), len(words))
        if len(words) - first < _LENGTHS[0] or _is_list_of_things(words):
            continue
        start = match.start() + _offset_of(match[0], first)
        named = compiled(rf"(?<![^\W_])(?:{_NAME})(?![^\W_])")
        if name := named.search(low, max(0, start - _NAME_TO_PHRASE_CHARS), match.end()):
            yield Finding("seed-phrase", max(start, name.end()), match.end())


def _has_long_run(low: str) -> bool:
    """Whether as many words as a phrase has follow each other without a word that no phrase has: a quick look."""
    run = 0
    for word in compiled(r"[^\W\d_]+").findall(low):
        run = run + 1 if 3 <= len(word) <= 8 and word not in _NO_SEED_WORDS else 0
        if run >= _LENGTHS[0]:
            return True
    return False


def _is_list_of_things(words: list[str]) -> bool:
    """Whether several words are plurals: wallets use nearly none."""
    return sum(word.endswith("s") and word[-2:-1] not in "siua" for word in words) >= 3


def _offset_of(run: str, number: int) -> int:
    """Where the word with this number begins, or its own number before it."""
    for count, word in enumerate(compiled(_WORD).finditer(run)):
        if count == number:
            return word.start()
    return 0
