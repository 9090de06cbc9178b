"""The reader as benchmarks use it: its answers are kept in a file, so that a change of thresholds costs nothing."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Sequence
from pathlib import Path

import msgspec

from heldtrue.domain.judged import UnitInContext, UnitJudgement
from heldtrue.models.parts import find_package
from heldtrue.models.reader import Reader, open_reader
from heldtrue.models.static import open_static


class KeptJudge:
    """Judges units, and keeps the answers in a file if one is named."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._reader: Reader = open_reader(open_static())
        weights = hashlib.sha256(
            (find_package("heldtrue_reader", extra="vectors") / "weights.npz").read_bytes()
        ).hexdigest()
        self._weights = weights
        kept = pickle.loads(path.read_bytes()) if path is not None and path.exists() else {}
        self._answers: dict[str, UnitJudgement] = kept.get(weights, {})
        self._is_changed = False

    def __call__(self, units: Sequence[UnitInContext]) -> list[UnitJudgement]:
        keys = [hashlib.sha256(msgspec.json.encode(unit)).hexdigest() for unit in units]
        missing = {key: unit for key, unit in zip(keys, units, strict=True) if key not in self._answers}
        if missing:
            self._answers.update(zip(missing, self._reader.judge_units(list(missing.values())), strict=True))
            self._is_changed = True
        return [self._answers[key] for key in keys]

    def save(self) -> None:
        """Write the answers to the file."""
        if self._path is not None and self._is_changed:
            self._path.write_bytes(pickle.dumps({self._weights: self._answers}))
