"""The reader: our own small model. It says what is worth keeping, what a text is as a whole, and what
one statement says of another.

Weights and tokenizer come from the package heldtrue-reader, which holds nothing else. They are one byte a weight and
are made ready when the first pair is compared; a process that judges nothing loads none of it.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heldtrue.domain.judged import StatementRelation, TextJudgement, UnitInContext, UnitJudgement
from heldtrue.domain.limits import COMPARED_PAIRS_MAX
from heldtrue.domain.memory import Kind
from heldtrue.model_ports import Embedder
from heldtrue.models.packing import mend_text
from heldtrue.models.parts import find_package, import_part, load_tokenizer
from heldtrue.models.reader_input import KINDS, SORTS, PairInput, Tokens, pair_tokens, unit_tokens
from heldtrue.models.reader_network import Network, load_network

if TYPE_CHECKING:
    from numpy import ndarray

    Array = ndarray[Any, Any]

_PACKAGE = "heldtrue_reader"
_EXTRA = "vectors"
_UNITS_AT_ONCE = 16
_NO_WORD = re.compile(r"[^\w-]+")


def open_reader(embedder: Embedder) -> Reader:
    """The reader, or a `ModelProblem` that says what to install. It reads no weights yet."""
    for part in ("numpy", "tokenizers"):
        import_part(part, extra=_EXTRA)
    return Reader(find_package(_PACKAGE, extra=_EXTRA), embedder)


class Reader:
    """Judges texts and compares statements. Threads may share it."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._folder = folder
        self._embedder = embedder
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, str], StatementRelation] = OrderedDict()
        self.passes = 0
        """How many pairs the network has read."""

    def embed(self, texts: Sequence[str]) -> Array:
        """Unit vectors by which near statements are found; what they say of each other is not in them."""
        import numpy

        rows = [numpy.frombuffer(found.vector, dtype=numpy.int8) for found in self._embedder.embed(texts)]
        vectors: Array = numpy.array(rows, dtype=numpy.float32).reshape(len(texts), -1)
        vectors /= numpy.maximum(numpy.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        return vectors

    def compare(self, pairs: Sequence[tuple[str, str]]) -> list[StatementRelation]:
        """What the first statement of each pair says of the second; the answers are kept for when they meet again."""
        with self._lock:
            found = {pair: self._known[pair] for pair in pairs if pair in self._known}
            missing = [pair for pair in dict.fromkeys(pairs) if pair not in found]
            found |= zip(missing, self._read_pairs(missing), strict=True)
            for pair in missing:
                self._known[pair] = found[pair]
            while len(self._known) > COMPARED_PAIRS_MAX:
                self._known.popitem(last=False)
        return [found[pair] for pair in pairs]

    def _read_pairs(self, pairs: Sequence[tuple[str, str]]) -> list[StatementRelation]:
        if not pairs:
            return []
        import numpy

        self.passes += len(pairs)
        tokens = [pair_tokens(self._tokenizer, PairInput(mend_text(said), mend_text(held))) for said, held in pairs]
        hidden = self._network.encode(tokens)
        given = numpy.array([_pair_features(row, own.first) for row, own in zip(hidden, tokens, strict=True)])
        shares = _shares(self._network.head("pair_head", given))
        return [
            StatementRelation(0.0 if self._names_another(*pair) else float(says), float(contradicts))
            for pair, (says, contradicts, _) in zip(pairs, shares, strict=True)
        ]

    def _names_another(self, said: str, held: str) -> bool:
        """Whether two statements differ only in a word that the vocabulary does not have: a name has no synonym."""
        ours, theirs = _NO_WORD.sub(" ", said).split(), _NO_WORD.sub(" ", held).split()
        if len(ours) != len(theirs):
            return False
        other = [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]]
        return len(other) == 1 and all(self._is_name(word) for word in other[0])

    def _is_name(self, word: str) -> bool:
        return len(self._tokenizer.encode(mend_text(word), add_special_tokens=False).ids) > 1

    def judge_units(self, units: Sequence[UnitInContext]) -> list[UnitJudgement]:
        """Whether units of texts are worth keeping, and as what."""
        import numpy

        shares = 1 / (1 + numpy.exp(-self._read_units(units)))
        return [UnitJudgement(float(row[len(KINDS)]), _by_kind(row)) for row in shares]

    def judge_texts(self, texts: Sequence[str]) -> list[TextJudgement]:
        """What each text is as a whole, and what kind of memory it would be, found in one pass."""
        import numpy

        mended = [mend_text(text) for text in texts]
        alone = [UnitInContext(text, 0, len(text), "statement", has_project=False, before="") for text in mended]
        read = self._read_units(alone)
        sorts, kinds = _shares(read[:, len(KINDS) + 1 :]), 1 / (1 + numpy.exp(-read))
        return [
            TextJudgement(dict(zip(SORTS, map(float, row), strict=True)), _by_kind(own))
            for row, own in zip(sorts, kinds, strict=True)
        ]

    def _read_units(self, units: Sequence[UnitInContext]) -> Array:
        import numpy

        answers = [numpy.zeros((0, len(KINDS) + 1 + len(SORTS)))]
        for at in range(0, len(units), _UNITS_AT_ONCE):
            tokens = [unit_tokens(self._tokenizer, unit) for unit in units[at : at + _UNITS_AT_ONCE]]
            with self._lock:
                self.passes += len(tokens)
                hidden = self._network.encode(tokens)
                given = numpy.array([_unit_features(row, own) for row, own in zip(hidden, tokens, strict=True)])
                answers.append(self._network.head("unit_head", given))
        joined: Array = numpy.concatenate(answers)
        return joined

    @cached_property
    def _tokenizer(self) -> Any:
        return load_tokenizer(self._folder / "tokenizer.json", extra=_EXTRA)

    @property
    def _network(self) -> Network:
        return load_network(self._folder)


def _by_kind(row: Array) -> dict[Kind, float]:
    return dict(zip(KINDS, map(float, row[: len(KINDS)]), strict=True))


def _shares(logits: Array) -> Array:
    import numpy

    shares: Array = numpy.exp(logits - logits.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return shares


def _unit_features(hidden: Array, tokens: Tokens) -> Array:
    import numpy

    unit, text = hidden[tokens.start : tokens.end].mean(axis=0), hidden[tokens.first :].mean(axis=0)
    features: Array = numpy.concatenate([unit, text, hidden[0]])
    return features


def _pair_features(hidden: Array, first: int) -> Array:
    import numpy

    said, held = hidden[:first].mean(axis=0), hidden[first:].mean(axis=0)
    features: Array = numpy.concatenate([hidden[0], said, held, numpy.abs(said - held)])
    return features
