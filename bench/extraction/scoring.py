"""What was found against what was labelled: which finds are right, and the figures that follow.

A find is right if it is of the labelled kind, or of one that is equally right, and its text contains all that it must.
Each labelled fact is met by one find at most and each find meets one fact; whatever else was found is false.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from bench.extraction.labels import Fact, Labelled


class Found(Protocol):
    """What an extractor answers with, as far as it is measured."""

    @property
    def text(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def strength(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def valid_from(self) -> int | None: ...


@dataclass(frozen=True)
class Scored:
    """An item with what was found in it, told apart."""

    item: Labelled
    right: tuple[tuple[Fact, Found], ...]
    missed: tuple[Fact, ...]
    false: tuple[Found, ...]


class Figures(NamedTuple):
    """How many were labelled, found and right, and the shares that follow."""

    labelled: int
    found: int
    right: int
    met: int
    """Labelled facts that were met: the same as right overall, another count within a kind."""

    @property
    def precision(self) -> float | None:
        return self.right / self.found if self.found else None

    @property
    def recall(self) -> float | None:
        return self.met / self.labelled if self.labelled else None


@dataclass
class _Matching:
    """Facts and finds paired so that as many as possible have a partner."""

    choices: Sequence[Sequence[int]]
    """For each fact, the finds that say it."""
    fact_of: dict[int, int] = field(default_factory=dict)

    def pair_all(self) -> dict[int, int]:
        for fact in range(len(self.choices)):
            self._place(fact, set())
        return self.fact_of

    def _place(self, fact: int, tried: set[int]) -> bool:
        for find in self.choices[fact]:
            if find in tried:
                continue
            tried.add(find)
            if find not in self.fact_of or self._place(self.fact_of[find], tried):
                self.fact_of[find] = fact
                return True
        return False


def says(found: Found, fact: Fact) -> bool:
    """Whether a find is the labelled fact."""
    return found.kind in (fact.kind, *fact.also) and contains_all(found.text, fact.must)


def contains_all(text: str, must: Iterable[str]) -> bool:
    """Whether a text contains every string, or one of each that names several."""
    folded = text.casefold()
    return all(any(choice.strip().casefold() in folded for choice in words.split("|")) for words in must)


def score(item: Labelled, found: Sequence[Found]) -> Scored:
    """Tell the finds of an item apart, to the advantage of the extractor where there is a choice."""
    choices = [[index for index, find in enumerate(found) if says(find, fact)] for fact in item.facts]
    fact_of = _Matching(choices).pair_all()
    met = set(fact_of.values())
    return Scored(
        item=item,
        right=tuple((item.facts[fact], found[find]) for find, fact in sorted(fact_of.items())),
        missed=tuple(fact for index, fact in enumerate(item.facts) if index not in met),
        false=tuple(find for index, find in enumerate(found) if index not in fact_of),
    )


def add_up(scored: Iterable[Scored]) -> Figures:
    """The figures over all kinds."""
    labelled = found = right = 0
    for score in scored:
        labelled += len(score.item.facts)
        found += len(score.right) + len(score.false)
        right += len(score.right)
    return Figures(labelled, found, right, right)


def add_up_by_kind(scored: Sequence[Scored]) -> dict[str, Figures]:
    """The figures of each kind: precision by the kind that was found, recall by the kind that was labelled."""
    counts: dict[str, list[int]] = {}

    def count(kind: str, *places: int) -> None:
        row = counts.setdefault(str(kind), [0, 0, 0, 0])
        for index in places:
            row[index] += 1

    for score in scored:
        for fact, find in score.right:
            count(fact.kind, 0, 3)
            count(find.kind, 1, 2)
        for fact in score.missed:
            count(fact.kind, 0)
        for find in score.false:
            count(find.kind, 1)
    return {kind: Figures(*counts[kind]) for kind in sorted(counts)}


def junk_rate(scored: Iterable[Scored]) -> float | None:
    """The share of items with nothing worth keeping from which something was kept."""
    kept = [bool(score.false) for score in scored if not score.item.facts]
    return sum(kept) / len(kept) if kept else None
