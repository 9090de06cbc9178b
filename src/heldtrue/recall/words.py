"""The lexical arm: how much of what a question asks for is said in a document, around it and in its thread.

All of it is read from postings (domain/posting.py): the text of a document is not needed to score it. Each score is a
share, from 0 to 1, of the most that the question's words could give, so it means the same in a store of three
memories and in one of a million. Words that nobody has used on the shelves count too: a question about something
else scores low.
"""

from __future__ import annotations

import heapq
import math
import threading
from bisect import bisect_left
from collections.abc import Container, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from importlib.util import find_spec
from itertools import chain

import msgspec

from heldtrue.domain.ledger import Head
from heldtrue.domain.posting import LENGTHS, PLACES_MAX, pack_posting
from heldtrue.domain.principal import Sight
from heldtrue.language.features import SAYS_WHEN, SPEAKER_SIGN, ends_asking, speaker_marks, text_marks
from heldtrue.language.terms import stem_word, weigh_terms
from heldtrue.ports import Collection, Glance, Reading, Shelf, Unposted
from heldtrue.recall.postings import Posted, PostingCache, ShelfScores
from heldtrue.recall.question import Asked

_SATURATION, _LENGTH_SHARE = 0.9, 0.4
"""BM25's constants for short texts: how soon a word repeated counts no more, and how much length is held against it."""
_BEFORE, _AFTER, _FAR, _ANSWER = 0.3, 0.2, 0.2, 0.4
"""What the words of a passage count for the one after it (more if they are a question: then that is its answer), for
the one before it, and for those two places away."""
_MANY_POSTINGS = 1_500
"""Postings of a question's words on a shelf from which on they are added up as arrays, and not all of them, where there
is numpy. The scores are the same, to the last bit."""
_POSTINGS_MAX = 20_000
"""Postings that one search adds up without it. Beyond it the commonest words only tell apart what rarer words have
found."""
_PASSAGE_POSTINGS_MAX = 100_000
"""The same for passages, where a word that is left out is lost."""
_MISTYPED_FROM, _MISTYPED_MAX, _VOCABULARY_MAX = 4, 3, 5_000
"""From how many letters on a word may be mistyped, how many words of a question may be, and among how many words that
were used and start with the same letter the right one is sought."""
_MANY = 100
"""Documents that a store counts as having at least: among three memories every word would look common."""
_ASKERS_MAX = 1_000
"""Callers whose shelves are kept in memory."""
_USUAL_LENGTH = 12.0
"""The length of an ordinary document, until the shelves have enough of their own."""


class MemoryScores:
    """The scores of memories where they are too many to have them all."""

    def __init__(self, few: Mapping[int, float], shelves: Sequence[ShelfScores]) -> None:
        self._few = few
        self._shelves = shelves

    def best(self, wanted: int) -> tuple[set[int], bool]:
        """The memories that score best, and whether there are no others; of equals the newest."""
        found, are_all = dict(self._few), True
        for shelf in self._shelves:
            least = heapq.nlargest(wanted, found.values())[-1] if len(found) >= wanted else 0.0
            docs, scores, is_whole = shelf.best(wanted, least)
            found.update(zip(docs.tolist(), scores.tolist(), strict=True))
            are_all = are_all and is_whole
        ranked = sorted(found, key=lambda doc: (-found[doc], -doc))
        return set(ranked[:wanted]), are_all and len(ranked) <= wanted

    def of(self, docs: Sequence[int]) -> dict[int, float]:
        """The scores of those of some memories that have any."""
        import numpy

        scores = {doc: self._few[doc] for doc in docs if doc in self._few}
        wanted = numpy.array(docs, dtype=numpy.int64)
        for shelf in self._shelves:
            found = zip(docs, shelf.of(wanted).tolist(), strict=True)
            scores.update((doc, score) for doc, score in found if score > 0)
        return scores


class PostedDocs(Container[int]):
    """The documents that have a word, where they are too many to list them; postings are in order."""

    def __init__(self, lists: Sequence[Sequence[int]]) -> None:
        self._lists = lists

    def __contains__(self, doc: object) -> bool:
        return isinstance(doc, int) and any(_find(postings, doc) is not None for postings in self._lists)


def _find(postings: Sequence[int], doc: int) -> int | None:
    """The posting of a document in a list that is in order."""
    place = bisect_left(postings, doc << 16)
    return postings[place] if place < len(postings) and postings[place] >> 16 == doc else None


class WordHits(msgspec.Struct):
    """What the words of a question found."""

    memories: dict[int, float] | MemoryScores
    passages: dict[int, float]
    """How much of the question is said in a passage or right around it."""
    threads: dict[int, float]
    """The same for a whole thread."""
    spoken: set[int]
    """The passages of the speakers that the question names."""
    named: frozenset[str]
    """The terms of the question that name a speaker."""
    dated: tuple[Container[int], Container[int]]
    """The memories and the passages that say when, where that was asked for."""
    asking: frozenset[int] = frozenset()
    """The passages that ask something, with one of the words."""
    documents: int = 0
    """How many documents the index has on these shelves."""
    missing: bool = False
    """Whether postings that should be there are not."""
    read_as: dict[str, tuple[str, set[tuple[bool, int]]]] = {}
    """Words of the question that nobody has used, the ones they were taken for, and what has those (memories True)."""


class WaitingWords:
    """The words of the newest documents, kept as postings in memory. One for a store, shared by its threads."""

    def __init__(self) -> None:
        self.posted = PostingCache()
        self._lock = threading.Lock()
        self._folds = -1
        self._place = 0
        self._shelves_state: tuple[Head, int, int, int] | None = None
        self._shelves: dict[tuple[tuple[str, ...], Sight], list[Shelf]] = {}
        self._lists: dict[str, list[tuple[int, int]]] = {}
        self._sizes: dict[int, tuple[int, int]] = {}

    def follow(
        self, reading: Reading, glance: Glance
    ) -> tuple[dict[str, list[tuple[int, int]]], dict[int, tuple[int, int]]]:
        """For each word its postings, each with its shelf; and for each shelf how many documents and words wait."""
        with self._lock:
            if glance.folds != self._folds:
                self._folds, self._place, self._lists, self._sizes = glance.folds, 0, {}, {}
            if glance.unposted > self._place:
                for row in reading.unposted(self._place):
                    self._add(row)
                    self._place = row.place
            return self._lists, self._sizes

    def shelves(
        self,
        reading: Reading,
        glance: Glance,
        collections: tuple[str, ...],
        sight: Sight,
    ) -> list[Shelf]:
        """The shelves that may be seen. They stay the same until something is written or posted."""
        state = (glance.head, glance.folds, glance.rebuilds, glance.last_shelf)
        with self._lock:
            if state != self._shelves_state or len(self._shelves) >= _ASKERS_MAX:
                # Whoever still reads an older view goes on with the shelves of that view.
                self._shelves_state, self._shelves = state, {}
            held = self._shelves
        asked = (collections, sight)
        if asked not in held:
            held[asked] = reading.shelves(collections, sight)
        return held[asked]

    def _add(self, row: Unposted) -> None:
        words = row.terms.split(" ") if row.terms else []
        for term, weight in zip(words[::2], words[1::2], strict=False):
            posting = pack_posting(row.doc, float(weight), row.length, asks=bool(row.asks))
            self._lists.setdefault(term, []).append((row.shelf, posting))
        docs, tokens = self._sizes.get(row.shelf, (0, 0))
        self._sizes[row.shelf] = (docs + 1, tokens + row.length)


class _Side(msgspec.Struct):
    """One of the two sorts of documents: memories, or passages of evidence."""

    lists: dict[str, list[Sequence[int]]]
    docs: int
    tokens: int
    shelves: dict[int, dict[str, Posted]] = {}
    """Those of the lists that are from the index, and not from what waits for it, by shelf."""

    def count(self, term: str) -> int:
        return sum(map(len, self.lists.get(term, ())))

    @property
    def usual_length(self) -> float:
        return self.tokens / self.docs if self.docs >= 8 and self.tokens else _USUAL_LENGTH


def rarity_of(found: int, total: int, *, least: int = _MANY) -> float:
    """What a term tells, from how many of all documents have it; never zero, so that a small store ranks well too."""
    return math.log(1 + (max(total, found, least) - found + 0.5) / (found + 0.5))


def find_words(
    reading: Reading,
    shelves: Sequence[Shelf],
    asked: Asked,
    waiting: WaitingWords,
    unseen: AbstractSet[int] = frozenset(),
    glance: Glance | None = None,
) -> WordHits:
    """Score every document on some shelves that has any of the question's words.

    What is said in `unseen` passages counts nowhere, not for what stands beside them either.
    """
    index = _Index(reading, glance or reading.glance(None), shelves, waiting, unseen)
    marks = (SAYS_WHEN,) if asked.wants_time else ()
    memory, evidence = _gather(index, (*asked.terms, *asked.speakers, *marks))
    read_as = _read_mistyped(index, asked, memory, evidence)
    threads = reading.count_threads([shelf.no for shelf in shelves]) if evidence.lists else 0
    hits = _score_all(memory, evidence, asked, threads)
    hits.documents = memory.docs + evidence.docs
    hits.missing = not (memory.shelves or evidence.shelves) and _lacks_postings(reading, shelves)
    hits.read_as = read_as
    return hits


def _score_all(memory: _Side, evidence: _Side, asked: Asked, threads: int) -> WordHits:
    spoken, named = _find_speakers(evidence, asked)
    terms = [term for term in asked.terms if term not in named] or list(asked.terms)
    return WordHits(
        memories=_score_memories(memory, asked.terms),
        passages=_score_passages(evidence, terms),
        threads=_score_threads(evidence, terms, threads),
        spoken=spoken,
        named=named,
        dated=(_dated(memory), _dated(evidence)),
        asking=_asking(evidence, terms),
    )


def read_words(memories: Mapping[int, str], passages: Iterable[tuple[int, str, str | None]], asked: Asked) -> WordHits:
    """The same from the texts themselves, for when there is no index; a passage comes with its speaker."""
    memory, evidence = _Side({}, 0, 0), _Side({}, 0, 0)
    for number, text in memories.items():
        _add_text(memory, number, text, ())
    threads = set()
    for number, text, speaker in passages:
        _add_text(evidence, number, text, speaker_marks(speaker))
        threads.add(number // PLACES_MAX)
    return _score_all(memory, evidence, asked, len(threads))


def _add_text(side: _Side, number: int, text: str, marks: Iterable[str]) -> None:
    terms, length = weigh_terms(((text, 1.0),))
    for term, weight in (terms | dict.fromkeys((*text_marks(text), *marks), 1.0)).items():
        lists = side.lists.setdefault(term, [[]])
        lists[0] = [*lists[0], pack_posting(number, weight, length, asks=ends_asking(text))]
    side.docs += 1
    side.tokens += length


class _Index(msgspec.Struct, frozen=True):
    """What a search looks words up in."""

    reading: Reading
    glance: Glance
    shelves: Sequence[Shelf]
    waiting: WaitingWords
    unseen: AbstractSet[int]


def _gather(index: _Index, terms: Sequence[str]) -> tuple[_Side, _Side]:
    """The postings of some words, of memories and of evidence."""
    numbers = {shelf.no: shelf.collection == Collection.MEMORY for shelf in index.shelves}
    lists, sizes = index.waiting.follow(index.reading, index.glance)
    sides = {True: _Side({}, 0, 0), False: _Side({}, 0, 0)}
    for shelf in index.shelves:
        docs, tokens = sizes.get(shelf.no, (0, 0))
        side = sides[numbers[shelf.no]]
        side.docs += shelf.docs + docs
        side.tokens += shelf.tokens + tokens
    for number, term, postings in index.waiting.posted.read(index.reading, index.glance, list(numbers), terms):
        side = sides[numbers[number]]
        side.lists.setdefault(term, []).append(postings)
        side.shelves.setdefault(number, {})[term] = postings
    if lists:
        _gather_waiting(lists, numbers, terms, sides)
    if index.unseen:
        _leave_out(sides[False], index.unseen)
    return sides[True], sides[False]


def _gather_waiting(
    lists: Mapping[str, Sequence[tuple[int, int]]],
    numbers: Mapping[int, bool],
    terms: Iterable[str],
    sides: Mapping[bool, _Side],
) -> None:
    for term in dict.fromkeys(terms):
        fresh: dict[bool, list[int]] = {True: [], False: []}
        for number, posting in lists.get(term, ()):
            if number in numbers:
                fresh[numbers[number]].append(posting)
        for is_memory, waiting_ones in fresh.items():
            if waiting_ones:
                sides[is_memory].lists.setdefault(term, []).append(waiting_ones)


def _leave_out(side: _Side, unseen: AbstractSet[int]) -> None:
    for term, lists in list(side.lists.items()):
        seen = [[posting for posting in postings if posting >> 16 not in unseen] for postings in lists]
        side.lists[term] = [postings for postings in seen if postings]
        if not side.lists[term]:
            del side.lists[term]


def _read_mistyped(index: _Index, asked: Asked, *sides: _Side) -> dict[str, tuple[str, set[tuple[bool, int]]]]:
    """Take a word that nobody has used for one that was used and differs by a typing mistake or two."""
    unknown = [term for term in asked.mistypable if not any(term in side.lists for side in sides)]
    unknown = [term for term in unknown if len(term) >= _MISTYPED_FROM and term.isalpha()][:_MISTYPED_MAX]
    if not unknown:
        return {}
    from heldtrue.language.names import near_names

    lists, _ = index.waiting.follow(index.reading, index.glance)
    numbers = [shelf.no for shelf in index.shelves]
    taken: dict[str, str] = {}
    for term in unknown:
        used = index.reading.terms_between(numbers, term[0], chr(ord(term[0]) + 1), limit=_VOCABULARY_MAX)
        fresh = (
            word
            for word, postings in list(lists.items())
            if word[0] == term[0] and any(no in numbers for no, _ in postings)
        )
        near = [word for word in near_names(term, {*used, *fresh}) if word.isalpha()]
        if near:
            taken[term] = near[0]
    if taken:
        found = _gather(index, list(taken.values()))
        for side, more in zip(sides, found, strict=True):
            side.lists |= {term: more.lists[word] for term, word in taken.items() if word in more.lists}
            for shelf, posted in more.shelves.items():
                own = side.shelves.setdefault(shelf, {})
                own |= {term: posted[word] for term, word in taken.items() if word in posted}
    return {
        term: (word, {(side is sides[0], doc) for side in sides for doc in _docs_of(side, term)})
        for term, word in taken.items()
    }


def _lacks_postings(reading: Reading, shelves: Sequence[Shelf]) -> bool:
    """Whether documents were posted on some shelves, but no posting is there."""
    posted = [shelf.no for shelf in shelves if shelf.docs]
    return bool(posted) and not reading.has_postings(posted)


def _within_budget(side: _Side, terms: Sequence[str], most: int = _POSTINGS_MAX) -> list[str]:
    """The words worth adding up, rarest first; at least one, then as many as the budget allows."""
    kept: list[str] = []
    spent = 0
    for term in sorted(terms, key=side.count):
        spent += side.count(term)
        if kept and spent > most:
            break
        kept.append(term)
    return kept


class _Saturated(dict[int, float]):
    """From the low bytes of a posting (how often, how long) to how much that is of the most it could be."""

    def __init__(self, usual_length: float) -> None:
        self._usual_length = usual_length

    def __missing__(self, low: int) -> float:
        share = saturate((low >> 8 & 127) / 2, LENGTHS[low & 255] / self._usual_length)
        self[low] = share
        return share


def saturate(times: float, length: float) -> float:
    """BM25's damping: from 0 for a word that is not there towards 1; `length` is in ordinary lengths."""
    return times / (times + _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * length))


def _worths(side: _Side, terms: Sequence[str]) -> dict[str, float]:
    """What each of some words is worth, the rarer the more, in all 1; those that are not there are left out then."""
    rarities = {term: rarity_of(side.count(term), side.docs) for term in terms}
    total = sum(rarities.values())
    return {term: rarity / total for term, rarity in rarities.items() if term in side.lists}


def _score_memories(side: _Side, terms: Sequence[str]) -> dict[int, float] | MemoryScores:
    """For each memory the share of the question's words, by their rarity, that it has."""
    worths = _worths(side, terms)
    large = {
        shelf: posted
        for shelf, posted in side.shelves.items()
        if sum(len(posted[term]) for term in worths if term in posted) >= _MANY_POSTINGS
    }
    if not large or not _has_numpy() or not all(one.is_sound for words in large.values() for one in words.values()):
        return _add_up(side.lists, side, worths)
    own = {id(posted) for words in large.values() for posted in words.values()}
    ordered = sorted(worths, key=side.count)
    rest = {term: [one for one in side.lists[term] if id(one) not in own] for term in ordered}
    usual = side.usual_length
    shelves = [
        ShelfScores([(worths[term], words[term]) for term in ordered if term in words], saturate, usual)
        for words in sorted(large.values(), key=lambda words: -sum(map(len, words.values())))
    ]
    return MemoryScores(_add_up(rest, side, worths), shelves)


@cache
def _has_numpy() -> bool:
    return find_spec("numpy") is not None


def _add_up(lists: Mapping[str, Sequence[Sequence[int]]], side: _Side, worths: Mapping[str, float]) -> dict[int, float]:
    """The scores of all that have any of some words, one by one."""
    shares = _Saturated(side.usual_length)
    scores: dict[int, float] = {}
    score_of = scores.get
    # What is added up as arrays is not counted here, and what is left beside it is little.
    within = _within_budget(side, list(worths)) if lists is side.lists else sorted(worths, key=side.count)
    for term in within:
        worth = worths[term]
        for posting in chain.from_iterable(lists[term]):
            doc = posting >> 16
            scores[doc] = score_of(doc, 0.0) + worth * shares[posting & 0x7FFF]
    for term, worth in worths.items():
        if term not in within:
            _add_common(lists[term], worth, shares, scores)
    return scores


def _add_common(
    lists: Iterable[Sequence[int]], worth: float, shares: Mapping[int, float], scores: dict[int, float]
) -> None:
    """Count a common word only where rarer ones have already found something; its postings are in order."""
    for postings in lists:
        for doc in scores:
            if (posting := _find(postings, doc)) is not None:
                scores[doc] += worth * shares[posting & 0x7FFF]


def _score_passages(side: _Side, terms: Sequence[str]) -> dict[int, float]:
    """For each passage the share of the question's words that it and what is said around it have."""
    worths = _worths(side, terms)
    scores: dict[int, float] = {}
    for term in _within_budget(side, list(worths), _PASSAGE_POSTINGS_MAX):
        worth = worths[term]
        near, lengths = _spread(side, term)
        for doc, times in near.items():
            scores[doc] = scores.get(doc, 0.0) + worth * saturate(times, lengths.get(doc, 1.0))
    return scores


_SELF_SHARE = 1 / (1 + _BEFORE + _AFTER + 2 * _FAR)
"""What a passage's own length is of that of itself and what is around it, each as much as it counts."""


def _spread(side: _Side, term: str) -> tuple[dict[int, float], dict[int, float]]:
    """How often a word counts for each passage that has it or stands near one, and how long those that have it are."""
    near: dict[int, float] = {}
    lengths: dict[int, float] = {}
    usual = side.usual_length
    for postings in side.lists[term]:
        for posting in postings:
            doc, times = posting >> 16, (posting >> 8 & 127) / 2
            lengths[doc] = 1 - _SELF_SHARE + _SELF_SHARE * LENGTHS[posting & 255] / usual
            near[doc] = near.get(doc, 0.0) + times
            place = doc % PLACES_MAX
            if place < PLACES_MAX - 1:
                near[doc + 1] = near.get(doc + 1, 0.0) + times * (_BEFORE + (_ANSWER if posting & 0x8000 else 0.0))
            if place < PLACES_MAX - 2:
                near[doc + 2] = near.get(doc + 2, 0.0) + times * _FAR
            if place > 0:
                near[doc - 1] = near.get(doc - 1, 0.0) + times * _AFTER
            if place > 1:
                near[doc - 2] = near.get(doc - 2, 0.0) + times * _FAR
    return near, lengths


def _score_threads(side: _Side, terms: Sequence[str], threads: int) -> dict[int, float]:
    """For each thread the share of the question's words, by their rarity among threads, that it has."""
    counted: dict[str, dict[int, float]] = {}
    for term in terms:
        whole: dict[int, float] = {}
        counted[term] = whole
        for postings in side.lists.get(term, ()):
            for posting in postings:
                thread = (posting >> 16) // PLACES_MAX
                whole[thread] = whole.get(thread, 0.0) + (posting >> 8 & 127) / 2
    rarities = {term: rarity_of(len(whole), threads, least=1) for term, whole in counted.items()}
    total = sum(rarities.values())
    scores: dict[int, float] = {}
    for term, whole in counted.items():
        for thread, times in whole.items():
            scores[thread] = scores.get(thread, 0.0) + rarities[term] / total * saturate(times, 1.0)
    return scores


def _asking(side: _Side, terms: Sequence[str]) -> frozenset[int]:
    return frozenset(
        posting >> 16
        for term in terms
        for postings in side.lists.get(term, ())
        for posting in postings
        if posting & 0x8000
    )


def _dated(side: _Side) -> Container[int]:
    if side.count(SAYS_WHEN) < _MANY_POSTINGS:
        return _docs_of(side, SAYS_WHEN)
    return PostedDocs(side.lists[SAYS_WHEN])


def _docs_of(side: _Side, term: str) -> set[int]:
    return {posting >> 16 for postings in side.lists.get(term, ()) for posting in postings}


def _find_speakers(side: _Side, asked: Asked) -> tuple[set[int], frozenset[str]]:
    """Who of those named in the question speaks somewhere, and where."""
    spoken: set[int] = set()
    named = set()
    for mark in asked.speakers:
        if docs := _docs_of(side, mark):
            named.add(stem_word(mark.removeprefix(SPEAKER_SIGN)))
            spoken |= docs
    return spoken, frozenset(named)
