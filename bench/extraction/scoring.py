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

    @property
    def found(self) -> tuple[Found, ...]:
        """Everything that counts as found."""
        return (*(find for _, find in self.right), *self.false)


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
        false=tuple(
            find
            for index, find in enumerate(found)
            if index not in fact_of and not (_is_optional(item, find) and not _facts_at(item, find))
        ),
    )


def overlaps(item: Labelled, span: str, find: Found) -> bool:
    """Whether a find was taken from where a span stands."""
    start = item.text.find(span)
    return find.start < start + len(span) and start < find.end


def _is_optional(item: Labelled, find: Found) -> bool:
    return any(overlaps(item, span, find) for span in item.optional)


def _facts_at(item: Labelled, find: Found) -> list[Fact]:
    return [fact for fact in item.facts if overlaps(item, fact.span, find)]


class Aspects(NamedTuple):
    """Three questions that the combined figure mixes, each as right and asked."""

    worth: Figures
    """Finds that overlap a labelled fact, and labelled facts that a find overlaps."""
    kind: tuple[int, int]
    """Of the finds that overlap a fact, those of an accepted kind."""
    wording: tuple[int, int]
    """Of the finds that overlap a fact, those that say all that one of these must say."""


def add_up_aspects(scored: Iterable[Scored]) -> Aspects:
    """Whether what was found is worth keeping, of the right kind, and rightly worded, each by itself."""
    labelled = found = worth = met = kind = wording = 0
    for score in scored:
        item = score.item
        labelled += len(item.facts)
        found += len(score.found)
        met += sum(any(overlaps(item, fact.span, find) for find in score.found) for fact in item.facts)
        for find in score.found:
            facts = _facts_at(item, find)
            worth += bool(facts)
            kind += any(find.kind in (fact.kind, *fact.also) for fact in facts)
            wording += any(contains_all(find.text, fact.must) for fact in facts)
    return Aspects(Figures(labelled, found, worth, met), (kind, worth), (wording, worth))


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
    kept = [bool(score.false) for score in scored if not score.item.facts and not score.item.optional]
    return sum(kept) / len(kept) if kept else None
