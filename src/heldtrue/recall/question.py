"""First stage: what is asked, and what the question itself tells: words, names, times, tone."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import msgspec

from heldtrue.domain.limits import QUERY_TERMS_MAX
from heldtrue.domain.records import Conflict, Evidence, Link, Source
from heldtrue.language.dates import MONTH_NUMBERS
from heldtrue.language.features import ROLES, SPEAKER_SIGN, name_words, wants_time
from heldtrue.language.periods import Period, find_periods
from heldtrue.language.terms import STOP_STEMS, STOPWORDS, query_terms, split_words, words_of_terms
from heldtrue.ports import Collection, VersionFilter
from heldtrue.recall.profiles import Profile

_YEAR = re.compile(r"(?:19|20)\d\d")


class Question(msgspec.Struct, frozen=True, kw_only=True):
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


class Asked(msgspec.Struct, frozen=True):
    """A question taken apart."""

    terms: tuple[str, ...]
    """The words to look for, without those that turn out to name a speaker."""
    speakers: tuple[str, ...]
    """Marks under which a speaker of that name would be found."""
    mistypable: tuple[str, ...]
    """Words that may be names, in which a typing mistake is looked for if nobody has used them."""
    periods: tuple[Period, ...]
    wants_time: bool


def read_question(words: str, *, now: int) -> Asked:
    """Take a question apart, by rules alone."""
    names = dict.fromkeys(
        word for word in name_words(words) if len(word) > 1 and word not in STOPWORDS and word not in ROLES
    )
    periods = find_periods(words, now=now)
    terms = _without_times(words, periods)[:QUERY_TERMS_MAX]
    return Asked(
        terms=tuple(terms),
        mistypable=tuple(terms if len(terms) == 1 else _capitalised(words, terms)),
        speakers=tuple(SPEAKER_SIGN + word for word in list(names)[:QUERY_TERMS_MAX]),
        periods=tuple(periods),
        wants_time=wants_time(words),
    )


def _without_times(words: str, periods: Sequence[Period]) -> list[str]:
    """The terms of a question without the words of the times it names: those are held against times, not texts.

    Months and years stay, since a text that names them means the same; its "last week" is another one.
    """
    rest = words
    for period in periods:
        named = (word for word in split_words(period.words) if word.lower() in MONTH_NUMBERS or _YEAR.fullmatch(word))
        rest = rest.replace(period.words, f" {' '.join(named)} ", 1)
    terms = query_terms(rest) if rest.strip() else []
    return terms if any(term not in STOP_STEMS for term in terms) else query_terms(words)


def _capitalised(words: str, terms: Sequence[str]) -> list[str]:
    """The terms of words with a capital letter, the first word aside."""
    _, _, rest = words.partition(" ")
    return [term for term, word in words_of_terms(rest, terms) if word != word.lower()]
