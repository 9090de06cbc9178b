"""The live memories under some keys as one transaction sees them: asked of the store once, then followed.

A batch compares each of its memories with what is held and with those before it in the batch. To ask the store anew for
each would read the same rows again and again, while everyone else waits for the lock.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Sequence

from heldtrue.domain.limits import CANDIDATES_MAX
from heldtrue.domain.memory import MemoryVersion
from heldtrue.ingest.stages.match import Verdicts
from heldtrue.ports import ReadTransaction

_Ranked = tuple[bool, str, int, MemoryVersion]
"""A version behind what it is sorted by: its number is unique, so the version itself is never compared."""


class LiveNeighbours:
    """By key the first of the live memories that are indexed under it, best verified first."""

    def __init__(self, reading: ReadTransaction) -> None:
        self._reading = reading
        self.verdicts = Verdicts()
        """How the texts compare that met here so far."""
        self._under: dict[int, list[_Ranked]] = {}
        self._cut: set[int] = set()
        """The keys under which there are more than are kept here."""
        self._keys: dict[int, list[int]] = {}
        """By the number of a version the keys under which it is kept."""

    def look_up(self, keys: Iterable[int]) -> None:
        """Ask for what is under some keys, all in one go."""
        missing = [key for key in dict.fromkeys(keys) if key not in self._under]
        if not missing:
            return
        found = self._reading.memories.live_under_keys(missing, limit=CANDIDATES_MAX)
        for key in missing:
            held = self._under[key] = [_rank(version) for version in found.get(key, ())]
            if len(held) >= CANDIDATES_MAX:
                self._cut.add(key)
            for *_, version in held:
                self._keys.setdefault(version.no, []).append(key)

    def find(self, keys: Sequence[int]) -> list[MemoryVersion]:
        """The live memories under any of the keys: what a person has verified first, then what is active, then the
        newest.
        """
        self.look_up(keys)
        under = [held for key in keys if (held := self._under[key])]
        if not under:
            return []
        if len(under) == 1:
            return [ranked[3] for ranked in under[0][:CANDIDATES_MAX]]
        found = {ranked[2]: ranked for held in under for ranked in held[:CANDIDATES_MAX]}
        return [ranked[3] for ranked in sorted(found.values())[:CANDIDATES_MAX]]

    def add(self, version: MemoryVersion, keys: Iterable[int]) -> None:
        """A version was written."""
        if not version.is_live:
            return
        ranked, kept = _rank(version), self._keys.setdefault(version.no, [])
        for key in dict.fromkeys(keys):
            held = self._under.get(key)
            if held is None:
                continue  # nobody has asked for it yet: whoever does will find it in the store
            insort(held, ranked)
            kept.append(key)
            if len(held) > 2 * CANDIDATES_MAX:  # as many again in reserve, for when some of them are closed
                self._keys[-held.pop()[2]].remove(key)
                self._cut.add(key)

    def drop(self, version: MemoryVersion) -> None:
        """A version was closed."""
        for key in self._keys.pop(version.no, ()):
            if key in self._cut and len(self._under[key]) <= CANDIDATES_MAX:
                # Which version would follow it is not known here.
                for *_, other in self._under.pop(key):
                    if other.no != version.no:
                        self._keys[other.no].remove(key)
                self._cut.discard(key)
            else:
                self._under[key] = [ranked for ranked in self._under[key] if ranked[2] != -version.no]


def _rank(version: MemoryVersion) -> _Ranked:
    return version.verified_by is None, version.status, -version.no, version
