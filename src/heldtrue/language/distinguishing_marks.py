"""What may not differ between two wordings of one fact: code names, symbols, numbers as written, meaning words.

Stemming and folding make wordings alike that a reader would call alike; they also make `get_user` and `get_users`,
`>=` and `<=`, `use` and `used` alike, which are different facts. Marks are what is compared as it stands.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import msgspec

from heldtrue.language.grammar.lexicon import AUXILIARIES, PREPOSITIONS
from heldtrue.language.identifiers import canonical_url
from heldtrue.language.normalise import clean_text, fold_letters, fold_text
from heldtrue.language.quantities import is_unit
from heldtrue.language.senses import LIGHT, SENSES, UNIVERSAL, read_senses
from heldtrue.language.terms import stem_word


class Marks(msgspec.Struct, frozen=True, gc=False):
    """The marks of one text."""

    names: tuple[str, ...]
    """Code names as written, sorted: what has a sign, a digit or a capital inside, a leading dash, or backticks."""
    folded_names: tuple[str, ...]
    """Those of them that are code names in any case and without backticks; folded."""
    cased_names: frozenset[str]
    """The others, folded: only a capital or backticks tell them from words."""
    symbols: tuple[str, ...]
    """Runs of signs that are no ordinary punctuation, in order."""
    senses: tuple[str, ...]
    """Meaning words and tenses, sorted."""
    words: frozenset[str]
    """Every word in lower case, without the possessive ending."""
    sequence: tuple[str, ...]
    """Everything in order without articles, light adverbs and ordinary punctuation."""
    has_aside: bool
    """Whether a part of it stands in brackets or in a clause of its own that no claim holds."""


# --- what is public -----------------------------------------------------------------------------------


def same_marks(one: str, other: str, *, exact_case: bool = True) -> bool:
    """Whether two texts have the same code names, symbols, numbers as written and meaning words."""
    if one == other:
        return True
    ours, theirs = (read_marks(one), read_marks(other)) if exact_case else (_read_folded(one), _read_folded(other))
    return ours.symbols == theirs.symbols and ours.senses == theirs.senses and _same_names(ours, theirs, exact_case)


def same_names(one: str, other: str, *, exact_case: bool = True) -> bool:
    """Whether two texts have the same code names and numbers as written, whatever else they say."""
    if one == other:
        return True
    if exact_case:
        return read_marks(one).names == read_marks(other).names
    return _same_names(_read_folded(one), _read_folded(other), exact_case)


def names_another(rejected: str, said: str) -> bool:
    """Whether a text speaks of other code names than a rejected one: it has some, but not all of those.

    Adding a name, or leaving all of them out, does not make it another text.
    """
    ours, theirs = set(_read_folded(rejected).folded_names), set(_read_folded(said).folded_names)
    return bool(ours and theirs and not ours <= theirs)


def _same_names(ours: Marks, theirs: Marks, exact_case: bool) -> bool:
    if exact_case:
        return ours.names == theirs.names
    if ours.folded_names != theirs.folded_names:
        return False
    cased = ours.cased_names | theirs.cased_names
    if not cased:
        return True
    # `FOOBAR` is `fooBar` in other case; `foobars` is another name, though its stem is the same.
    stems = {stem_word(name) for name in cased}
    return {word for word in ours.words if stem_word(word) in stems} == {
        word for word in theirs.words if stem_word(word) in stems
    }


def _read_folded(text: str) -> Marks:
    return read_marks(text if text.isascii() else fold_letters(clean_text(text)))


# --- pieces between spaces ----------------------------------------------------------------------------

_QUOTED_CODE = re.compile(r"`([^`\n]{1,400})`")
_WIDE_SIGNS = str.maketrans(
    {**dict.fromkeys("。｡、「」『』【】《》〈〉・।॥", " . "), "’": "'", "‘": "'", "？": "? ", "؟": "? ", "，": ", "}
)
_DASH_BETWEEN_WORDS = re.compile(r"(?<=[^\W\d])[\u2013\u2014]+(?=[^\W\d])")
_BULLET = re.compile(r"^\s*[*+\-•·]\s+(?=[^\W\d_`\"'])", re.MULTILINE)
_LEAD = "\"'“”‘«»„‹›¿¡([{"
_TAIL = ".,;:!?…\"'“”’«»‹›)]}"
_QUOTES_AND_ENDS = "\"'“”‘’«»„‹›¿¡,;:!?…"
_IGNORED = frozenset("-–—―•·…=%€$£¥°\"'“”‘’«»()[]{}.,;:!?`") | {"...", "***", "---", "—-"}
_NUMBER = re.compile(r"[+\-−]?[$€£¥₹]?\d[\d.,:/_\-’]*[%°€$£¥]?")
_WRITTEN_NUMBER = re.compile(r"0\d+|\d+\.\d*0")
"""A leading zero belongs to a code, a trailing one to a version: `01234`, `3.10`."""
_AMOUNT = re.compile(r"[+\-−]?\d[\d.,]*([^\W\d_]+(?:/[^\W\d_]+)?|°[CF])")
_ORDINAL_OR_CLOCK = frozenset("st nd rd th am pm k K M".split())
_VERSION = re.compile(r"[vV](\d+(?:\.\d+)+)")
_SHORT_FORMS = {
    "cannot": ("can", "not"), "can't": ("can", "not"), "won't": ("will", "not"), "shan't": ("will", "not"),
    "dont": ("do", "not"), "doesnt": ("does", "not"), "isnt": ("is", "not"), "let's": ("let", "us"),
    "cant": ("can", "not"), "wont": ("will", "not"), "didnt": ("did", "not"), "e-mail": ("email",), "a.m": ("am",),
    "p.m": ("pm",),
}  # fmt: skip
_ENDINGS = {"'re": "are", "'m": "am", "'ve": "have", "'ll": "will", "'d": "would"}
_IS_SHORT = frozenset("it he she that there here what who where this everything".split())

_ACRONYMS = frozenset({"US", "IT", "WHO"})
"""In capitals these are names; small they are words of grammar."""

_Piece = tuple[str, tuple[str, ...], str]
"""Kind (`word`, `cased`, `code`, `symbol`, `fact`, `letter` or nothing), its words, and the mark it ends with."""


@lru_cache(maxsize=16384)
def _read_piece(piece: str) -> _Piece:
    if piece.isalpha():
        return _read_letters(piece, "")
    if not any(char.isalnum() for char in piece):
        return _read_signs(piece)
    core = piece.lstrip(_LEAD).rstrip(_TAIL)
    if "(" in core or "[" in core or "{" in core:
        core = piece.strip(_QUOTES_AND_ENDS).rstrip(".")  # a bracket that opens inside needs its other half
    tail = piece[piece.rfind(core) + len(core) :]
    end = "?" if "?" in tail else "." if any(char in tail for char in ".!;") else "," if "," in tail else ""
    if core.isalpha() or core.lower() in _SHORT_FORMS:
        return _read_letters(core, end)
    if core[0] != "-" and all(_is_letters(part) for part in re.split("['-]", core.removesuffix("'"))):
        return _read_letters(core, end)
    return _read_code(core, end)


def _is_letters(part: str) -> bool:
    """Letters alone, with the vowel signs that some scripts write as marks."""
    return part.isalpha() or (
        not part.isascii() and all(char.isalpha() or unicodedata.category(char)[0] == "M" for char in part)
    )


def _read_letters(word: str, end: str) -> _Piece:
    if len(word) == 1 and word.isupper() and word.isascii() and word != "I":
        return "letter", (word,), end
    if word == "May":
        return "fact", (word,), end  # the month; the verb is written small
    if word in _ACRONYMS:
        return "cased", (word,), end
    low = word.lower()
    stripped = low.removesuffix("'s")
    cased = any(part[1:] != part[1:].lower() and not part.isupper() for part in re.split("['-]", word[: len(stripped)]))
    if cased:
        return "cased", (word[: len(stripped)],), end
    return "word", _expand(low), end


def _expand(low: str) -> tuple[str, ...]:
    if "'" not in low and low not in _SHORT_FORMS:
        return (low,)
    if low in _SHORT_FORMS:
        return _SHORT_FORMS[low]
    if low.endswith("n't"):
        return low[:-3], "not"
    head, _, ending = low.rpartition("'")
    if ending == "s" and head in _IS_SHORT:
        return head, "is"
    if (word := _ENDINGS.get("'" + ending)) and head:
        return head, word
    return (low,)


def _read_signs(piece: str) -> _Piece:
    if piece in _IGNORED or set(piece) <= {"!", "?"}:
        return "", (), "?" if "?" in piece else "." if piece in ".;!" else "," if piece == "," else ""
    core = piece.strip("\"'“”‘’«»,;")
    return ("symbol", (core,), "") if core and core not in _IGNORED else ("", (), "")


def _read_code(core: str, end: str) -> _Piece:
    if _NUMBER.fullmatch(core):
        return "code" if _WRITTEN_NUMBER.fullmatch(core) else "fact", (core,), end
    amount = _AMOUNT.fullmatch(core)
    if is_unit(core) or (amount and (amount[1] in _ORDINAL_OR_CLOCK or is_unit(amount[1]))):
        return "fact", (core,), end
    if version := _VERSION.fullmatch(core):
        return "fact", (version[1],), end
    if "://" in core:
        return "fact", (canonical_url(core) or core,), end
    if "@" in core[1:] and "." in core:
        return "fact", (core.casefold(),), end
    return "code", (core,), end


# --- the marks of a text ------------------------------------------------------------------------------

_NO_PIECE: _Piece = ("", (), "")
_AFTER_NO_ARTICLE = frozenset(AUXILIARIES) | PREPOSITIONS | {"and", "or"}
"""Before these words, as before a pause, `a` is a name: `plan a is`, `from a to b`."""
_ASIDES = frozenset("although though which who whose whom since because so as".split())


@lru_cache(maxsize=4096)
def read_marks(text: str) -> Marks:
    """The marks of a text, remembered: the same texts are compared again and again."""
    quoted: list[str] = []
    if "`" in text:
        quoted = [" ".join(found.split()) for found in _QUOTED_CODE.findall(text)]
        text = _QUOTED_CODE.sub(r" \1 ", text)
    if not text.isascii():
        text = _DASH_BETWEEN_WORDS.sub(" ", text.translate(_WIDE_SIGNS))
    if "\n" in text or text[:2] in ("* ", "- ", "+ "):
        text = _BULLET.sub("", text)
    return _sort_pieces(text, [_read_piece(piece) for piece in text.split()], quoted)


def _sort_pieces(text: str, pieces: list[_Piece], quoted: list[str]) -> Marks:
    names, cased, symbols, words, flow = list(quoted), set[str](), list[str](), list[str](), list[tuple[str, str]]()
    opens = True
    for place, (kind, parts, end) in enumerate(pieces):
        if kind == "letter" or parts == ("a",):
            article = parts[0] == "a" or (opens and parts[0] == "A")
            following = pieces[place + 1] if place + 1 < len(pieces) and not end else _NO_PIECE
            article = article and bool(following[1]) and following[1][0] not in _AFTER_NO_ARTICLE
            kind, parts = ("word", ("a",)) if article and following[0] != "symbol" else ("cased", parts)
        if kind == "symbol":
            symbols += parts
        elif kind in ("code", "cased"):
            names += parts
            if kind == "cased":
                cased.update(part.casefold() for part in parts)
        if kind in ("word", "cased"):
            words.extend([part.lower() for part in parts])
        flow += [(kind, part) for part in parts]
        if end:
            flow.append(("end", end))
        opens = end in (".", "?")
    for code in quoted:
        cased.update(part.casefold() for part in code.split() if part.isalpha())
    senses = read_senses(words)
    senses += ["?" for kind, part in flow if kind == "end" and part == "?"]
    folded = sorted(fold_text(part) for kind, parts, _ in pieces if kind == "code" for part in parts)
    return Marks(
        tuple(sorted(names)),
        tuple(folded),
        frozenset(cased),
        tuple(symbols),
        tuple(sorted(senses)),
        frozenset([word.removesuffix("'s") for word in words]),
        _read_sequence(flow, "not" in senses),
        "(" in text or not _ASIDES.isdisjoint(words),
    )


def _read_sequence(flow: list[tuple[str, str]], denies: bool) -> tuple[str, ...]:
    """Words, names, numbers and symbols in order; where something is denied, the pauses and `all` count too."""
    sequence: list[str] = []
    for place, (kind, part) in enumerate(flow):
        if kind == "word":
            if part in LIGHT or part == "a" or (part in UNIVERSAL and not denies):
                continue
            if part == "just" and not sequence:
                continue
            if part in ("do", "does") and flow[place + 1 : place + 2] == [("word", "not")]:
                continue
            sequence.append("not" if SENSES.get(part) == "not" and part in ("never", "not") else part)
        elif kind != "end" or part == "?" or (place + 1 < len(flow) and (part == "." or denies)):
            sequence.append(part)
    return tuple(sequence)
