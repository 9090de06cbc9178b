"""Where a text mentions a subject, which has a name and may have aliases and identifiers.

A text and a name are compared as words in the folded form of `normalise`: case, width and look-alike letters do not
matter, accents do. Scripts without spaces are compared letter by letter. A mail address, a phone number, a card number
and a handle are compared in the canonical form of `identifiers`, so that `ann@example.com` is not found in
`joann@example.com`. All names are looked for in one pass over the text (Aho and Corasick's automaton, over words).

Nothing here is `guarded`: a text that was not read could only be reported wrongly, as one with or without a mention.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from heldtrue.domain.errors import InvalidInput
from heldtrue.domain.limits import NAME_CHARS_MAX, SUBJECT_NAMES_MAX
from heldtrue.language.guard import spend
from heldtrue.language.identifiers import find_identifiers
from heldtrue.language.normalise import HIDDEN, clean_text, fold_letters
from heldtrue.language.terms import UNSPACED, VOWEL_SIGNS

_BY_CANONICAL_FORM = frozenset({"mail", "phone", "card", "handle"})
_GAP = " "
"""The word that stands for any white space."""
_CACHED_CHARS = 64
"""Longer words than this are folded anew each time, so that odd texts do not fill the cache."""
_CLEANED_CHARS = 3
"""A character that stands for more than this is a phrase, and is in no identifier."""

# A number with a decimal point is one word: 1234 is not mentioned in 1234.50.
_ASCII_WORDS = re.compile(r"\s+|[^\W_]++(?:(?<=\d)\.(?=\d)[^\W_]++)*+|.")
_ASCII_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_JAMO = "\u1100-\u11ff"
_SOUND_MARKS = "\u3099\u309a"


@cache
def _wide_words() -> re.Pattern[str]:
    """Words of any script; katakana, which is used for names, is a word as long as it goes on."""
    inside = f"{VOWEL_SIGNS}{HIDDEN}{_SOUND_MARKS}\u200c\u200d\ufe0e\ufe0f"
    word = rf"(?:[^\W_{UNSPACED}{_KATAKANA}{_JAMO}]++|[{inside}]++)"
    return re.compile(
        rf"\s+"
        rf"|[\u1100-\u115f][\u1160-\u11a7]++[\u11a8-\u11ff]*+[{HIDDEN}]*+"  # one syllable, written as its parts
        rf"|[{_KATAKANA}][{_KATAKANA}{_SOUND_MARKS}{HIDDEN}]*+"
        rf"|[{UNSPACED}][{_SOUND_MARKS}{HIDDEN}]*+"
        rf"|[^\W_]{word}*+(?:(?<=\d)\.(?=\d){word}++)*+"
        r"|."
    )


class _FoldedWord(NamedTuple):
    """A word of a text in folded form, and where it stands."""

    folded: str
    start: int
    end: int


class _State:
    """A place in the automaton: the words read so far are the beginning of a name."""

    __slots__ = ("fallback", "following", "longest", "names")

    def __init__(self) -> None:
        self.following: dict[str, _State] = {}
        self.fallback: _State | None = None
        self.longest = 0
        """Words of the longest name that ends here."""
        self.names: frozenset[int] = frozenset()
        """Numbers of the names that end here."""


class Mentions:
    """The names, aliases and identifiers of one subject, ready to be looked for in many texts."""

    def __init__(self, names: Sequence[str], *, field: str = "name") -> None:
        given = {clean_text(name): name for name in names}
        self.names = tuple(given)
        self._check(field)
        self._root = _State()
        self._longest = 1
        self._telling: set[str] = set()
        self._canonical: dict[str, set[int]] = {}
        for number, name in enumerate(given):
            identifier = _as_identifier(name)
            if identifier:
                self._canonical.setdefault(identifier, set()).add(number)
            if identifier is None or identifier.isdigit():
                for form in (identifier,) if identifier else _spellings(name, given[name]):
                    self._add([word.folded for word in _read_words(form)], number)
        self._connect()

    def in_text(self, text: str) -> bool:
        """Whether the text mentions the subject."""
        return next(self._find(text), None) is not None

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Start and end of every mention, in order; mentions that touch the same words are one."""
        merged: list[tuple[int, int]] = []
        for start, end, _ in sorted(self._find(text), key=lambda mention: mention[:2]):
            if merged and start < merged[-1][1]:
                merged[-1] = merged[-1][0], max(end, merged[-1][1])
            else:
                merged.append((start, end))
        return merged

    def names_in(self, text: str) -> tuple[str, ...]:
        """The names by which the text mentions the subject, in the order in which they were given."""
        found: set[int] = set()
        for names in {names for _, _, names in self._find(text)}:
            found |= names
        return tuple(self.names[number] for number in sorted(found))

    def _check(self, field: str) -> None:
        if not self.names:
            raise InvalidInput("no name was given", field=field)
        if len(self.names) > SUBJECT_NAMES_MAX:
            raise InvalidInput(
                f"{len(self.names)} names were given, and at most {SUBJECT_NAMES_MAX} are allowed", field=field
            )
        for name in self.names:
            if len(name) > NAME_CHARS_MAX:
                raise InvalidInput(
                    f"a name has {len(name)} characters, and at most {NAME_CHARS_MAX} are allowed", field=field
                )
            if not any(char.isalnum() for char in name):
                raise InvalidInput(
                    "is not a name", given=name, field=field, hint="a name has at least one letter or digit"
                )

    def _add(self, words: Sequence[str], number: int) -> None:
        state = self._root
        for word in words:
            state = state.following.setdefault(word, _State())
        state.longest = len(words)
        state.names |= {number}
        self._longest = max(self._longest, len(words))
        self._telling.add(max(words, key=len))

    def _connect(self) -> None:
        """Give every state the state to go on from where its words do not go on."""
        waiting = deque(self._root.following.values())
        for state in waiting:
            state.fallback = self._root
        while waiting:
            state = waiting.popleft()
            for word, following in state.following.items():
                following.fallback = fallback = self._step(state.fallback, word)
                following.longest = following.longest or fallback.longest
                following.names |= fallback.names
                waiting.append(following)

    def _step(self, state: _State | None, word: str) -> _State:
        while state is not None:
            if following := state.following.get(word):
                return following
            state = state.fallback
        return self._root

    def _find(self, text: str) -> Iterator[tuple[int, int, frozenset[int]]]:
        """Every mention with the numbers of its names; of those that end at the same word, the longest."""
        spend(len(text))
        if self._canonical:
            yield from self._find_identifiers(text)
        if not self._telling or self._telling.isdisjoint(map(_fold_word, set(_words_of(text).findall(text)))):
            return
        state = self._root
        starts: deque[int] = deque(maxlen=self._longest)
        for word in _read_words(text):
            starts.append(word.start)
            state = self._step(state, word.folded)
            if state.longest:
                yield starts[-state.longest], word.end, state.names

    def _find_identifiers(self, text: str) -> Iterator[tuple[int, int, frozenset[int]]]:
        plain, offsets = _make_plain(text)
        for identifier in find_identifiers(plain):
            if numbers := self._canonical.get(identifier.canonical):
                yield offsets[identifier.start], offsets[identifier.end - 1] + 1, frozenset(numbers)


def _spellings(name: str, given: str) -> set[str]:
    """How a text may write a name: as it was given, cleaned, or with its words joined as in the name of a file."""
    joined = {sign.join(name.split()) for sign in "-_"} if " " in name else set()
    # A text that was cleaned has the cleaned name, and one that was stored as it came may have the other.
    return {name, given.strip(), *joined}


def _as_identifier(name: str) -> str | None:
    """The canonical form of a name that is as a whole an identifier with such a form."""
    for text in (name, f"tel {name}"):  # digits alone are a phone number only after a word that says so
        found = find_identifiers(text)
        if len(found) == 1 and found[0].text == name and found[0].kind in _BY_CANONICAL_FORM:
            return found[0].canonical
    return None


def _words_of(text: str) -> re.Pattern[str]:
    return _ASCII_WORDS if text.isascii() and not _ASCII_CONTROL.search(text) else _wide_words()


def _read_words(text: str) -> Iterator[_FoldedWord]:
    """The words and signs of a text in order, and one gap for any white space between them."""
    after_gap = False
    for match in _words_of(text).finditer(text):
        folded = _fold_word(match.group())
        if folded and not (after_gap and folded == _GAP):
            yield _FoldedWord(folded, match.start(), match.end())
            after_gap = folded == _GAP


def _fold_word(word: str) -> str:
    if word.isascii() and word.isalnum():
        return word.lower()
    return _fold(word) if len(word) <= _CACHED_CHARS else _fold.__wrapped__(word)


@lru_cache(maxsize=16384)
def _fold(word: str) -> str:
    """The folded word, a gap for white space, and nothing for what a reader cannot see."""
    if word.isspace():
        return _GAP
    cleaned = clean_text(word)
    return fold_letters(cleaned).strip() or cleaned


def _make_plain(text: str) -> tuple[str, Sequence[int]]:
    """The text in a form in which identifiers are found, and where each of its characters came from."""
    if text.isascii():
        return text, range(len(text))
    chars: list[str] = []
    offsets: list[int] = []
    for offset, char in enumerate(text):
        for plain in char if char.isascii() or char.isspace() else _clean_char(char):
            chars.append(plain)
            offsets.append(offset)
    return "".join(chars), offsets


@lru_cache(maxsize=16384)
def _clean_char(char: str) -> str:
    cleaned = clean_text(char)
    return cleaned if len(cleaned) <= _CLEANED_CHARS else char
