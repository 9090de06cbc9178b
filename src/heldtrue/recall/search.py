"""The value that the stages of recall carry: a search, and the question in it taken apart."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

import msgspec

from heldtrue.domain.principal import Principal
from heldtrue.domain.rows import Collection, Shelf, SpaceState, VersionFilter
from heldtrue.language.periods import Period
from heldtrue.recall.profiles import Profile


class ParsedQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question taken apart."""

    terms: tuple[str, ...] = ()
    """The words to look for, without those that turn out to name a speaker."""
    speakers: tuple[str, ...] = ()
    """Marks under which a speaker of that name would be found."""
    mistypable: tuple[str, ...] = ()
    """Words that may be names, in which a typing mistake is looked for if nobody has used them."""
    periods: tuple[Period, ...] = ()
    wants_time: bool = False
    """Whether it asks when something was."""
    tone: str = "neutral"


class Search(msgspec.Struct, frozen=True, kw_only=True):
    """One search: what is looked for, in which part of the space, by whom, and how results are weighed."""

    words: str
    question: ParsedQuestion = ParsedQuestion()

    principal: Principal
    """Who asks: nothing is read that they may not see."""
    chosen: VersionFilter
    collections: tuple[Collection, ...]
    """What is searched; sessions only where they were asked for."""
    state: SpaceState
    shelves: tuple[Shelf, ...] = ()
    """Where documents may be found that the caller may see."""
    unseen: AbstractSet[int] = frozenset()
    """Passages on these shelves that count nowhere, not for their neighbours either."""
    now: int
    """The moment it is asked from."""

    profile: Profile
    decay: Mapping[str, float]
    """Rate of decay a day, by category; under the empty name that of all others."""
    beliefs_only: bool = False
    """Whether kinds or a certainty were asked for, which only memories have."""
    topic: str | None = None
    near: tuple[str, ...] = ()
    """Memories the question is asked from."""
    domain: str | None = None
    """Whose own knowledge counts most; that of others counts a little less."""

    limit: int
    floor: float = 0.0
    """If even the best result scores less, nothing is good enough to be returned."""
    weak_share: float = 0.35
    """What a result must score, as a share of the best one's score, to be returned beside it."""
    per_source: int | None = None
    """How many results one source may give; None means as many as there are."""
    around: int = 0
    """How many neighbouring turns to return with a hit in a conversation."""

    words_profile: Profile
    """The profile where no vector helps: no embedder, or one that failed."""
    words_floor: float = 0.0
    """The floor that belongs to it."""

    def without_vectors(self) -> Search:
        """The same search by words alone, as if there were no embedder."""
        return msgspec.structs.replace(self, profile=self.words_profile, floor=self.words_floor)

    @property
    def wants_memories(self) -> bool:
        return Collection.MEMORY in self.collections

    @property
    def wants_evidence(self) -> bool:
        """Whether passages are searched; who asks for kinds or certainty of belief asks for memories."""
        return not self.beliefs_only and any(name != Collection.MEMORY for name in self.collections)

    @property
    def evidence_shelves(self) -> list[int]:
        return [shelf.no for shelf in self.shelves if shelf.collection != Collection.MEMORY]
