"""Text to index terms: the same words for a stored memory and for a question about it.

Letters and digits make words; a word is stemmed (English Snowball, which leaves other languages'
words alone or trims them harmlessly, the same way on both sides). Chinese, Japanese, Korean and
Thai, which are written without spaces, become overlapping pairs of characters. Code names such as
`max_facts` or `HttpServer2` are kept whole and also as their parts, so that either finds them.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain

import Stemmer

_WORD_SHAPE = r"{0}+(?:['’]{0}+)?(?:[.\-/@:+#]+{0}+)*[+#]*"
_WORD = re.compile(_WORD_SHAPE.format(r"\w"))
_PART = re.compile(r"[^\W_]+")
VOWEL_SIGNS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0711\u0730-\u074a"
    "\u0900-\u0963\u0966-\u0dff\u0e31-\u0e4e\u0eb1-\u0ece\u0f18-\u0fbc\u102b-\u103e\u1056-\u109d\u17b4-\u17d3"
    "\u1885-\u18a9\u1a17-\u1aff\u1b00-\u1c37\ua802-\uaaef\uabe3-\uabed"
)
"""Vowel signs and other marks that belong to a word, though to a regular expression they are no letters."""
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_JOINTS = frozenset("_.-/@:+#")
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
"""Letters of scripts that put no spaces between words."""

STOPWORDS = frozenset(
    """a about after all also am an and any are as at be been before being both but by can could did do does
    doing done for from had has have having he her here hers him his how i if in into is it its itself just
    me more most my myself no nor not of off on once only or other our ours out over own s same she should so
    some such t than that the their theirs them then there these they this those through to too under until
    up very was we were what when where which while who whom why will with would you your yours""".split()
)

_local = threading.local()


@cache
def _wide() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Words and their parts in scripts that write some sounds as marks; made when the first such text comes."""
    letter = rf"[\w{VOWEL_SIGNS}]"
    return re.compile(_WORD_SHAPE.format(letter)), re.compile(rf"(?:[^\W_]|[{VOWEL_SIGNS}])+")


def split_words(text: str) -> list[str]:
    """The words of a text as they stand in it, names with their dots and dashes whole."""
    if text.isascii():
        return _WORD.findall(text)
    return _wide()[0].findall(unicodedata.normalize("NFKC", text))


def _find_parts(word: str) -> list[str]:
    return _PART.findall(word) if word.isascii() else _wide()[1].findall(word)


@cache
def _unspaced() -> re.Pattern[str]:
    """Made when the first word comes that may need it: so wide a set of letters takes 2 ms to compile."""
    return re.compile(f"[{UNSPACED}]+")


def _has_unspaced(word: str) -> bool:
    return not word.isascii() and _unspaced().search(word) is not None


def _stemmer() -> Stemmer.Stemmer:
    stemmer: Stemmer.Stemmer | None = getattr(_local, "stemmer", None)
    if stemmer is None:
        stemmer = _local.stemmer = Stemmer.Stemmer("english", 0)
    return stemmer


@lru_cache(maxsize=32768)
def stem_word(word: str) -> str:
    """The stem of one lower-case word."""
    stem: str = _stemmer().stemWord(word)
    return stem


@lru_cache(maxsize=32768)
def _terms_of_word(word: str) -> tuple[str, ...]:
    if word.isascii() and word.isalnum() and (word.islower() or word.isupper() or word.isdigit()):
        return (stem_word(word.casefold()),)
    parts = _find_parts(word)
    mixed = [part for part in parts if part.isascii() and not (part.islower() or part.isupper() or part.isdigit())]
    camel = [piece for part in mixed for piece in _CAMEL.findall(part)]
    terms: list[str] = []
    # A name such as c++ is more than its letter; an apostrophe joins nothing that would be looked up whole.
    if (word[-1] in "+#" or (len(parts) > 1 and not _JOINTS.isdisjoint(word))) and not _has_unspaced(word):
        terms.append(word.casefold())
    for part in parts:
        terms.extend(_terms_of_part(part))
    if len(camel) > len(parts):
        terms.extend(stem_word(piece.casefold()) for piece in camel)
    return tuple(terms)


def _terms_of_part(part: str) -> Iterator[str]:
    """A run of letters and digits: plain runs are stemmed, unspaced scripts become pairs."""
    if part.isascii():
        yield stem_word(part.casefold())
        return
    position = 0
    for run in _unspaced().finditer(part):
        if run.start() > position:
            yield stem_word(part[position : run.start()].casefold())
        text = run.group()
        if len(text) == 1:
            yield text
        for index in range(len(text) - 1):
            yield text[index : index + 2]
        position = run.end()
    if position < len(part):
        yield stem_word(part[position:].casefold())


def index_terms(text: str) -> list[str]:
    """Every term of a text, in order, repeated as often as it occurs."""
    terms: list[str] = []
    for word in split_words(text):
        terms.extend(_terms_of_word(word))
    return terms


def distinct_terms(text: str) -> frozenset[str]:
    """The terms that a text has, however often."""
    return frozenset(chain.from_iterable(map(_terms_of_word, split_words(text))))


def weigh_terms(fields: Iterable[tuple[str | None, float]]) -> tuple[dict[str, float], int]:
    """How much each word of some fields counts, and how many words there are; a field has a text and a weight."""
    counted: dict[str, float] = {}
    length = 0
    for text, weight in fields:
        terms = index_terms(text) if text else ()
        length += len(terms)
        for term in terms:
            counted[term] = counted.get(term, 0.0) + weight
    return counted, length


def query_terms(text: str) -> list[str]:
    """The distinct terms worth looking up, in order of first appearance; all of them where all are stop words."""
    distinct = list(dict.fromkeys(index_terms(text)))
    telling = [term for term in distinct if term not in STOP_STEMS]
    return telling or distinct


def words_of_terms(text: str, terms: Sequence[str]) -> list[tuple[str, str]]:
    """Each of the terms with the word of the text it came from, so that people are shown words and not stems."""
    wanted = set(terms)
    found: list[tuple[str, str]] = []
    for word in split_words(text):
        own = _terms_of_word(word)
        # A part of a name that matches is not the name: it is shown as the part.
        found += [(term, word if len(own) == 1 or term == word.casefold() else term) for term in own if term in wanted]
    return found


STOP_STEMS = frozenset(Stemmer.Stemmer("english", 0).stemWords(sorted(STOPWORDS))) | STOPWORDS
