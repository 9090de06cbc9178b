"""The live memories under some keys as one transaction sees them: asked of the store once, then followed.

A batch compares each of its memories with what is held and with those before it in the batch. To ask the store anew for
each would read the same rows again and again, while everyone else waits for the lock.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Sequence

from heldtrue.domain.limits import CANDIDATES_MAX
from heldtrue.domain.memory import MemoryVersion, Status
from heldtrue.ingest.match import Verdicts
from heldtrue.ports import Reading

_LIVE = (Status.ACTIVE, Status.INBOX)


_Standing = tuple[bool, str, int, MemoryVersion]
"""A version behind what it is sorted by: its number is its own, so nothing else of it is ever looked at."""


class Neighbourhood:
    """By key the first of the live memories that are indexed under it, in the order of their standing."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self.verdicts = Verdicts()
        """What has been found out about the texts of those who meet here."""
        self._under: dict[int, list[_Standing]] = {}
        self._cut: set[int] = set()
        """The keys under which there are more than are kept here."""
        self._keys: dict[int, list[int]] = {}
        """By the number of a version the keys under which it is kept."""

    def look_up(self, keys: Iterable[int]) -> None:
        """Ask for what is under some keys, all in one go."""
        missing = [key for key in dict.fromkeys(keys) if key not in self._under]
        if not missing:
            return
        found = self._reading.live_under_keys(missing, limit=CANDIDATES_MAX)
        for key in missing:
            held = self._under[key] = [_standing(version) for version in found.get(key, ())]
            if len(held) >= CANDIDATES_MAX:
                self._cut.add(key)
            for *_, version in held:
                self._keys.setdefault(version.no, []).append(key)

    def find(self, keys: Sequence[int]) -> list[MemoryVersion]:
        """The live memories under any of the keys: what a person stands behind first, then what is active, then the
        newest.
        """
        self.look_up(keys)
        under = [held for key in keys if (held := self._under[key])]
        if not under:
            return []
        if len(under) == 1:
            return [one[3] for one in under[0][:CANDIDATES_MAX]]
        found = {one[2]: one for held in under for one in held[:CANDIDATES_MAX]}
        return [one[3] for one in sorted(found.values())[:CANDIDATES_MAX]]

    def add(self, version: MemoryVersion, keys: Iterable[int]) -> None:
        """A version was written."""
        if version.status not in _LIVE:
            return
        standing, kept = _standing(version), self._keys.setdefault(version.no, [])
        for key in dict.fromkeys(keys):
            held = self._under.get(key)
            if held is None:
                continue  # nobody has asked for it yet: whoever does will find it in the store
            insort(held, standing)
            kept.append(key)
            if len(held) > 2 * CANDIDATES_MAX:  # as many again in reserve, for when some of them are closed
                self._keys[-held.pop()[2]].remove(key)
                self._cut.add(key)

    def drop(self, version: MemoryVersion) -> None:
        """A version was closed."""
        for key in self._keys.pop(version.no, ()):
            if key in self._cut and len(self._under[key]) <= CANDIDATES_MAX:
                # What comes next in its place is not known here.
                for *_, other in self._under.pop(key):
                    if other.no != version.no:
                        self._keys[other.no].remove(key)
                self._cut.discard(key)
            else:
                self._under[key] = [one for one in self._under[key] if one[2] != -version.no]


def _standing(version: MemoryVersion) -> _Standing:
    return version.verified_by is None, version.status, -version.no, version
