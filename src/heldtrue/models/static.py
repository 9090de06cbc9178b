"""The default embedder: a table of token vectors that the package wordllama carries, read without importing it.

There is no network to run, so a text costs some tens of microseconds; in return a word means the same in every
sentence. How the rows are combined was chosen by measurement on conversations: see `WordTable.pool`.
"""

from __future__ import annotations

import struct
import unicodedata
import zlib
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from heldtrue.distribution import suggest_install
from heldtrue.domain.errors import ModelProblem
from heldtrue.domain.limits import MODEL_HEADER_BYTES_MAX
from heldtrue.model_ports import Embedded
from heldtrue.models.packing import pack_rows
from heldtrue.models.parts import find_file, find_package, import_part, load_tokenizer

if TYPE_CHECKING:
    from numpy import ndarray

    Array = ndarray[Any, Any]

TOKENS_KEPT = 512
"""The maximum number of tokens returned for a text; its vector is made from all of them."""
_PACKAGE = "wordllama"
_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_EXTRA = "vectors"
_SAMPLE_STEP = 32
"""The mean of the table is estimated from every 32nd row, which avoids reading the whole file."""
_RECIPE = 1
"""The version of how a text becomes a vector. It is part of the model name: change it with the method."""
_WORDS_FROM = 259
"""The first row of a text token: three special tokens and the 256 bytes come before it."""
_SPACE = 29_871
"""The row of a space that no word follows."""
_ROWS_OF_16_BITS = 65_536
"""Tokens are stored as 16-bit numbers."""


def open_static() -> StaticEmbedder:
    """The embedder, or a `ModelProblem` that says what to install."""
    for part in ("numpy", "tokenizers"):
        import_part(part, extra=_EXTRA)
    folder = find_package(_PACKAGE, extra=_EXTRA)
    table = WordTable(find_file(folder, _WEIGHTS, extra=_EXTRA))
    return StaticEmbedder(table, find_file(folder, _TOKENIZER, extra=_EXTRA))


class StaticEmbedder:
    """Embeds by looking tokens up in a table. Opening it reads neither the table nor the tokenizer."""

    is_quick = True
    unrelated = 0.0
    reads_sentences = False
    floor = 0.25
    weights: Mapping[str, float] = {"text": 2.0, "thread": 1.0, "meaning": 3.0, "likeness": 1.0}

    def __init__(self, table: WordTable, tokenizer: Path) -> None:
        self.table = table
        self._tokenizer_file = tokenizer

    @cached_property
    def name(self) -> str:
        """Says what is in the table, not which version of the package it came in: most carry the same one."""
        return f"{_PACKAGE}-{self.table.checksum:08x}/{self.dimension}"

    @property
    def dimension(self) -> int:
        return self.table.dimension

    @property
    def matcher(self) -> WordTable:
        return self.table

    def embed(self, texts: Sequence[str]) -> list[Embedded]:
        return [self.embed_question(text) for text in texts]

    def embed_question(self, text: str) -> Embedded:
        """A question is embedded like any text; without words it has a zero vector."""
        # One at a time: a batch would start threads inside the library, which do not survive a fork.
        read: list[int] = self._tokenizer.encode(space_words(text), add_special_tokens=False).ids
        # A script that the table does not know falls apart into single bytes, which mean nothing.
        ids = [token for token in read if token >= _WORDS_FROM and token != _SPACE]
        given = ids[:TOKENS_KEPT]
        return Embedded(pack_rows(self.table.pool(ids)), struct.pack(f"<{len(given)}H", *given))

    @cached_property
    def _tokenizer(self) -> Any:
        return load_tokenizer(self._tokenizer_file, extra=_EXTRA)


class WordTable:
    """The vectors of a vocabulary, mapped from their file: processes share what they read of it.

    All rows lean the same way, which makes any two texts look alike; so the middle of the table is taken off each.
    """

    def __init__(self, path: Path) -> None:
        self._raw = map_table(path)

    @property
    def dimension(self) -> int:
        return int(self._raw.shape[1])

    @property
    def checksum(self) -> int:
        """A digest that identifies this table and how it is used."""
        return zlib.crc32(self._raw[::_SAMPLE_STEP].tobytes(), _RECIPE)

    around = ((-1, 0.3), (1, 0.2), (-2, 0.2), (2, 0.2))
    answer = 0.4

    def match(self, question: bytes, texts: Sequence[bytes]) -> Array:
        """For each token of the question the square of the best cosine in each text."""
        import numpy

        asked = _tokens_asked(question)
        flat = numpy.frombuffer(b"".join(texts), dtype="<u2")
        every, places = self._distinct(flat)
        near = numpy.maximum(_products(self.rows(every), self.rows(asked)), 0.0) ** 2
        starts = [0, *accumulate(len(text) // 2 for text in texts[:-1])]
        best: Array = numpy.maximum.reduceat(near[places], starts, axis=0).T
        return best

    def blend(self, question: bytes, near: Sequence[tuple[Array, Array]]) -> Array:
        """The share of the question's tokens that is there: what a text lacks, its neighbour may say."""
        import numpy

        untold = numpy.ones_like(near[0][0])
        for best, weights in near:
            untold *= 1 - weights * best
        shares: Array = numpy.einsum("i,ij->j", _rarities(_tokens_asked(question)), 1 - untold)
        return shares

    def _distinct(self, tokens: Array) -> tuple[Array, Array]:
        """The distinct ones of some tokens, and where among those each of them is."""
        import numpy

        is_there = numpy.zeros(len(self._raw), dtype=bool)
        is_there[tokens] = True
        distinct = numpy.flatnonzero(is_there)
        return distinct, numpy.searchsorted(distinct, tokens)

    def rows(self, ids: Array) -> Array:
        """Unit rows of 32-bit floats, as they stand in the table."""
        import numpy

        unit, is_known = self._unit_rows
        missing = ids[~is_known[ids]]
        if len(missing):
            rows = self._raw[missing].astype(numpy.float32)
            unit[missing] = rows / numpy.maximum(numpy.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
            is_known[missing] = True
        wanted: Array = unit[ids]
        return wanted

    @cached_property
    def _unit_rows(self) -> tuple[Array, Array]:
        """Room for every unit row, and which of them are there: most of it is never touched, and takes no memory."""
        import numpy

        return numpy.zeros(self._raw.shape, dtype=numpy.float32), numpy.zeros(len(self._raw), dtype=bool)

    def pool(self, ids: Sequence[int]) -> Array:
        """One vector for a text, of no particular length.

        A token counts once however often it is said, since what is repeated most is names and small words. Rows of
        rare tokens are the longest; the root of that length keeps one rare word from being all that a text is about.
        """
        import numpy

        rows, lengths = self._measure(numpy.array(sorted(set(ids)), dtype=numpy.intp))
        pooled: Array = (rows / numpy.sqrt(lengths)).sum(axis=0)
        return pooled

    def _measure(self, ids: Array) -> tuple[Array, Array]:
        """The given rows relative to the mean of the table, and their lengths."""
        import numpy

        rows = self._raw[ids].astype(numpy.float32) - self._middle
        lengths = numpy.sqrt(numpy.einsum("ij,ij->i", rows, rows))[:, None]
        return rows, numpy.maximum(lengths, 1e-9)

    @cached_property
    def _middle(self) -> Array:
        import numpy

        middle: Array = self._raw[::_SAMPLE_STEP].astype(numpy.float32).mean(axis=0)
        return middle


class _Entry(msgspec.Struct):
    """What the header of a safetensors file says of a table; the offsets count from the end of the header."""

    dtype: str
    shape: tuple[int, int]
    data_offsets: tuple[int, int]


def map_table(path: Path) -> Array:
    """The one table of 16-bit floats in a safetensors file, as an array that lives in the file."""
    import numpy

    try:
        start, shape = _find_table(path)
        return numpy.memmap(path, dtype="<f2", mode="r", offset=start, shape=shape).view(numpy.ndarray)
    except (OSError, ValueError, struct.error) as problem:
        raise ModelProblem(f"The vector table {path.name} cannot be read.", hint=suggest_install(_EXTRA)) from problem


def _find_table(path: Path) -> tuple[int, tuple[int, int]]:
    """Where in the file the table starts, and its shape."""
    with path.open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        if length > MODEL_HEADER_BYTES_MAX:
            raise ValueError("the header is too long for a vector table")
        header = msgspec.json.decode(file.read(length), type=dict[str, msgspec.Raw])
    (entry,) = (entry for name, entry in header.items() if name != "__metadata__")
    table = msgspec.json.decode(entry, type=_Entry)
    if table.dtype != "F16" or not 0 < table.shape[0] <= _ROWS_OF_16_BITS:
        raise ValueError("the table has an unsupported type or size")
    return 8 + length + table.data_offsets[0], table.shape


def space_words(text: str) -> str:
    """A text as its words with single spaces between them.

    The table has another row for a word that follows a bracket, a quote or a new line than for one after a space.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return " ".join(text.translate(_SPACING).split())


class _Spacing(dict[int, int]):
    """Which characters become spaces; each is looked up when it first turns up."""

    def __missing__(self, code: int) -> int:
        character = chr(code)
        kind = unicodedata.category(character)
        # Half a surrogate pair (Cs) is no character at all, and the tokenizer refuses it.
        apart = kind[0] == "P" or kind in ("Cc", "Cs") or character in "`=<>|~^"
        self[code] = ord(" ") if apart and character not in "#%" else code
        return self[code]


_SPACING = _Spacing()


_QUIET = 200_000
"""Multiplications up to which the library behind `@` works in this thread alone, and wakes none that spin."""


def _products(left: Array, right: Array) -> Array:
    """The products of all rows of one table with all rows of another."""
    import numpy

    turned = numpy.ascontiguousarray(right.T)
    step = max(1, _QUIET // max(1, right.size))
    joined: Array = numpy.concatenate([left[start : start + step] @ turned for start in range(0, len(left), step)])
    return joined


@lru_cache(maxsize=16)
def _tokens_asked(question: bytes) -> Array:
    import numpy

    # numpy.unique would load numpy.ma, which takes a tenth as long as a whole first answer.
    tokens = numpy.frombuffer(question, dtype="<u2")
    return numpy.array(sorted(set(tokens.tolist())), dtype=tokens.dtype)


def _rarities(tokens: Array) -> Array:
    """The rarity of each token, 1 in total: the vocabulary lists the most common tokens first."""
    import numpy

    rarity = numpy.log(2 + numpy.maximum(tokens.astype(numpy.float32) - _WORDS_FROM, 0))
    shares: Array = rarity / rarity.sum()
    return shares
