"""The values that recall carries: a question taken apart, and the search that is made of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from heldtrue.domain.records import Conflict, Evidence, Link, Source
from heldtrue.language.periods import Period
from heldtrue.ports import Collection, VersionFilter
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


class Search(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked, of what, as of when."""

    words: str
    chosen: VersionFilter
    collections: tuple[Collection, ...]
    """What is searched; sessions only where they were asked for."""
    profile: Profile
    beliefs_only: bool = False
    """Whether kinds or a certainty were asked for, which only memories have."""
    topic: str | None = None
    near: tuple[str, ...] = ()
    """Memories the question is asked from."""
    domain: str | None = None
    """Whose own knowledge counts most; what is of another domain counts a little less."""
    tone: str = "neutral"
    limit: int
    now: int
    decay: Mapping[str, float]
    """Rate of decay a day, by category; under the empty name that of all others."""
    floor: float
    """Where even the best result scores less, nothing is good enough to be shown."""
    weak_share: float = 0.35
    """What a result must score, as a share of the best, to be shown beside it."""
    per_source: int | None = None
    """How many results one source may give; none means as many as there are."""
    around: int = 0
    """How many neighbouring turns to show with a hit in a conversation."""
    has_links: bool = True
    has_conflicts: bool = True
    """Whether there is any link, and any conflict, in the space."""
    visible_conflicts: Callable[[Sequence[Conflict]], Sequence[Conflict]]
    """Leaves out the conflicts with a side that the caller may not see."""
    visible_evidence: Callable[[Sequence[tuple[Evidence, Source]]], Sequence[tuple[Evidence, Source]]]
    """Leaves out evidence that the caller may not see, or that says what was rejected."""
    visible_links: Callable[[Sequence[Link]], Sequence[Link]]
    """Likewise for links with such an end."""

    @property
    def evidence_wanted(self) -> bool:
        """Whether passages are searched; who asks for kinds or certainty of belief asks for memories."""
        return not self.beliefs_only and any(one != Collection.MEMORY for one in self.collections)
