"""The reader's network: a BERT encoder with two heads, in plain numpy, or by onnxruntime where that is installed.

Both read the same weights, one byte a weight. numpy takes them as numbers of four bytes, which is exact; onnxruntime
rounds the states between the layers to a byte too, which is three times as fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from heldtrue.distribution import suggest_reader
from heldtrue.domain.errors import ModelProblem
from heldtrue.models.parts import import_onnxruntime
from heldtrue.models.reader_input import Tokens

if TYPE_CHECKING:
    from numpy import ndarray

    Array = ndarray[Any, Any]

_LAYERS, _WIDTH, _HEADS = 12, 384, 12
_MATRICES = ("seen", "joined", "inner", "outer")


class Encoder(Protocol):
    """Reads tokens in context."""

    def run(self, inputs: Sequence[Tokens]) -> list[Array]:
        """The last hidden states of each input."""


class Network:
    """The encoder and its heads."""

    def __init__(self, encoder: Encoder, arrays: dict[str, Array]) -> None:
        self.encode = encoder.run
        self._arrays = arrays

    def head(self, name: str, features: Array) -> Array:
        """The answers of a head."""
        inner = _gelu(self._linear(f"{name}.1", features))
        return self._linear(f"{name}.4", inner)

    def _linear(self, name: str, features: Array) -> Array:
        arrays = self._arrays
        answers: Array = features @ _unpack(arrays, name) + arrays[f"{name}.bias"]
        return answers


@cache
def load_network(folder: Path) -> Network:
    """The network of a folder, once for all stores that a process has open."""
    import numpy

    try:
        with numpy.load(folder / "weights.npz") as stored:
            if find_spec("onnxruntime"):
                heads = {name: stored[name] for name in stored.files if "head" in name}
                return Network(_OnnxEncoder(folder / "graph.onnx"), heads)
            arrays = {name: stored[name] for name in stored.files}
            return Network(_NumpyEncoder(arrays), arrays)
    except (OSError, ValueError, KeyError) as problem:
        raise ModelProblem(f"The weights in {folder.name} cannot be read.", hint=suggest_reader()) from problem


class _OnnxEncoder:
    """By onnxruntime, one input at a time: the range of the numbers in a batch would change the answers."""

    def __init__(self, graph: Path) -> None:
        onnxruntime = import_onnxruntime(extra="quality")
        options = onnxruntime.SessionOptions()
        # More threads spin while they wait; with one, no pool is made and the session lives on in a forked process.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
        except Exception as problem:  # the library raises nothing narrower
            raise ModelProblem(f"onnxruntime cannot read {graph.name}.", hint=suggest_reader()) from problem

    def run(self, inputs: Sequence[Tokens]) -> list[Array]:
        return [self._run_single(given) for given in inputs]

    def _run_single(self, given: Tokens) -> Array:
        import numpy

        ids = numpy.array([given.ids])
        places = numpy.arange(len(given.ids))[None]
        feed = {"ids": ids, "places": places, "parts": (places >= given.first).astype(numpy.int64)}
        hidden: Array = self._session.run(None, feed)[0][0]
        return hidden


class _NumpyEncoder:
    """In numpy. Inputs of any length go through together: only attention looks at one at a time."""

    def __init__(self, arrays: dict[str, Array]) -> None:
        self._arrays = arrays
        self._words, self._word_scales = arrays["words.weight"], arrays["words.scale"]
        self._places = arrays["places.weight"] * arrays["places.scale"]
        names = [f"layers.{number}.{name}" for number in range(_LAYERS) for name in _MATRICES]
        self._matrices = {name: _unpack(arrays, name) for name in names}

    def run(self, inputs: Sequence[Tokens]) -> list[Array]:
        import numpy

        ids = numpy.concatenate([numpy.array(given.ids) for given in inputs])
        lengths = [len(given.ids) for given in inputs]
        places = numpy.concatenate([numpy.arange(length) for length in lengths])
        parts = numpy.concatenate([(numpy.arange(len(given.ids)) >= given.first).astype(int) for given in inputs])
        words = self._words[ids].astype(numpy.float32) * self._word_scales[ids]
        states = self._norm("norm", words + self._places[places] + self._arrays["parts.weight"][parts])
        ends = numpy.cumsum(lengths)[:-1]
        for number in range(_LAYERS):
            states = self._layer(f"layers.{number}.", states, ends)
        return numpy.split(states, ends)

    def _layer(self, prefix: str, states: Array, ends: Array) -> Array:
        import numpy

        every = self._linear(f"{prefix}seen", states)
        seen = numpy.concatenate([_attend(rows) for rows in numpy.split(every, ends)])
        states = self._norm(f"{prefix}norm_1", states + self._linear(f"{prefix}joined", seen))
        inner = _gelu(self._linear(f"{prefix}inner", states))
        return self._norm(f"{prefix}norm_2", states + self._linear(f"{prefix}outer", inner))

    def _linear(self, name: str, states: Array) -> Array:
        answers: Array = states @ self._matrices[name] + self._arrays[f"{name}.bias"]
        return answers

    def _norm(self, name: str, states: Array) -> Array:
        import numpy

        centred = states - states.mean(axis=-1, keepdims=True)
        spread = numpy.sqrt(numpy.einsum("ij,ij->i", centred, centred)[:, None] / states.shape[-1] + 1e-12)
        scaled: Array = centred / spread * self._arrays[f"{name}.weight"] + self._arrays[f"{name}.bias"]
        return scaled


def _unpack(arrays: dict[str, Array], name: str) -> Array:
    import numpy

    unpacked: Array = arrays[f"{name}.weight"].astype(numpy.float32) * arrays[f"{name}.scale"]
    return unpacked


def _attend(rows: Array) -> Array:
    """Attention among the tokens of one input, from queries, keys and values side by side."""
    import numpy

    length = len(rows)
    query, key, value = rows.reshape(length, 3, _HEADS, _WIDTH // _HEADS).transpose(1, 2, 0, 3)
    weights = query @ key.transpose(0, 2, 1) * (_WIDTH // _HEADS) ** -0.5
    weights = numpy.exp(weights - weights.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    attended: Array = (weights @ value).transpose(1, 0, 2).reshape(length, _WIDTH)
    return attended


def _gelu(values: Array) -> Array:
    import numpy

    curved: Array = 0.5 * values * (1 + numpy.tanh(0.7978845608 * values * (1 + 0.044715 * values * values)))
    return curved
