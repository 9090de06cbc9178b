"""Whether the shipped weights are fitted to the questions they are measured on: tune on one half, try on the other.

The search knows nothing of the shipped weights: it starts from random ones. It works on the parts of the best 100
results that a recall shows; what it finds is then tried on the other half by real recalls with those weights.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from heldtrue.capabilities.recalling import RecallResult
from heldtrue.recall.profiles import Profile

if TYPE_CHECKING:
    from numpy import ndarray

    Array = ndarray[Any, Any]

Weights = dict[str, float]
TUNED = ("text", "thread", "meaning", "likeness", "speaker", "time", "when")
"""The parts that say how well something matches; the others say what it is worth, and no conversation tells that."""
SHOWN = 100
_DRAWS = 120
_STEPS = (0.0, 0.5, 0.7, 1.4, 2.0)
_ROUNDS = 2
_LEAST, _MOST = 0.1, 5.0


@dataclass(frozen=True)
class Shown:
    """The parts of what one question was shown, before they were weighed, and which of it is right."""

    absent: frozenset[str]
    parts: tuple[tuple[float, ...], ...]
    hits: tuple[bool, ...]
    gold: int


def unweigh(shipped: Profile, results: Sequence[RecallResult], hits: Sequence[bool], gold: int) -> Shown:
    """Take the weights out of what the results say their parts gave."""
    absent = frozenset(shipped.weights) - frozenset(results[0].breakdown if results else shipped.weights)
    weights = shipped.in_play(absent)
    parts = tuple(
        tuple(result.breakdown[part] / weights[part] if part in weights else 0.0 for part in shipped.weights)
        for result in results
    )
    return Shown(absent, parts, tuple(hits), gold)


class Trials:
    """Tries weights on some questions without asking them again."""

    def __init__(self, shown: Sequence[Shown], shipped: Profile) -> None:
        import numpy

        self._numpy = numpy
        self._shipped = shipped
        self._absent = [question.absent for question in shown]
        self._parts = numpy.zeros((len(shown), SHOWN, len(shipped.weights)), dtype=numpy.float32)
        self._hits = numpy.zeros((len(shown), SHOWN), dtype=bool)
        for row, question in enumerate(shown):
            if question.parts:
                self._parts[row, : len(question.parts)] = question.parts
                self._hits[row, : len(question.hits)] = question.hits
        self._gold = numpy.array([question.gold for question in shown])
        self._worths = 1 / numpy.log2(numpy.arange(2, 12))
        self._best = numpy.array([self._worths[: min(10, question.gold)].sum() for question in shown])

    def score(self, weights: Mapping[str, float]) -> float:
        """The mean of R@10 and NDCG@10 that these weights would give."""
        numpy = self._numpy
        scores = numpy.einsum("qrp,qp->qr", self._parts, self._in_play(weights))
        order = numpy.argsort(-scores, axis=1, kind="stable")[:, :10]
        hits = numpy.take_along_axis(self._hits, order, axis=1)
        recalls = hits.sum(axis=1) / self._gold
        gains = (hits * self._worths).sum(axis=1) / self._best
        return float((recalls + gains).mean() / 2)

    def _in_play(self, weights: Mapping[str, float]) -> Array:
        """For each question the weights of the parts that it can have at all."""
        profile = msgspec.structs.replace(self._shipped, weights={**self._shipped.weights, **weights})
        known = {absent: profile.in_play(absent) for absent in set(self._absent)}
        rows = {absent: [play.get(part, 0.0) for part in profile.weights] for absent, play in known.items()}
        chosen: Array = self._numpy.array([rows[absent] for absent in self._absent], dtype=self._numpy.float32)
        return chosen


def tune(shown: Sequence[Shown], shipped: Profile, *, seed: int) -> Weights:
    """The best weights for some questions: the best of many random ones, then each moved for as long as that helps."""
    trials, chance = Trials(shown, shipped), random.Random(seed)
    tuned = [part for part in TUNED if part in shipped.weights]
    draws = [{part: _LEAST * (_MOST / _LEAST) ** chance.random() for part in tuned} for _ in range(_DRAWS)]
    best = max(draws, key=trials.score)
    for _ in range(_ROUNDS):
        for part in tuned:
            moved = [best, *({**best, part: min(10.0, best[part] * step)} for step in _STEPS)]
            best = max(moved, key=trials.score)
    return {part: round(weight, 3) for part, weight in best.items()}
