"""Stage: each part of a document's score as a named number from 0 to 1, and their weighted sum."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from heldtrue.domain.posting import PLACES_MAX
from heldtrue.domain.rows import RankedHeader
from heldtrue.domain.scope import GLOBAL
from heldtrue.domain.times import DAY_US
from heldtrue.language.periods import Period
from heldtrue.ports import ReadTransaction
from heldtrue.recall.documents import Hits, RankedDocument, rank_documents, read_texts
from heldtrue.recall.index.best_scores import MemoryScores
from heldtrue.recall.index.words import WordHits
from heldtrue.recall.ports import RecallReadTransaction
from heldtrue.recall.score import add_part, add_up, recency_part
from heldtrue.recall.search import Search

if TYPE_CHECKING:
    from heldtrue.recall.nearness import Nearness

_COMPARED, _COMPARED_MEMORIES = 100, 25
"""Candidates that are compared token by token for ten results, where passages are among them and where not."""
_EARLY_DAYS, _LATE_DAYS = 7.0, 21.0
"""How fast a time that was asked for fades: fast before it, slowly after it, since things are told later."""
_OFTEN = 5
"""Recalls after which a memory counts as recalled half as often as can be."""
_EVIDENCE_CONFIDENCE = 0.5
"""Raw evidence has not been weighed by anyone."""


def weigh_documents(
    reading: RecallReadTransaction, search: Search, hits: Hits, documents: Sequence[RankedDocument]
) -> list[RankedDocument]:
    """Fill in the parts of all documents, add them up, and rank them."""
    fill_parts(documents, search, hits.words)
    _fill_proximity(documents, hits)
    nearness = _open_nearness(reading, search, hits)
    if nearness is not None:
        nearness.fill_meaning(documents)
    if search.question.tone != "neutral":
        _fill_tone(reading, search, documents)
    absent = absent_parts(search, hits)
    weights = search.profile.in_play(absent)
    # A document without a vector is not held to what only a vector could tell.
    bare = search.profile.in_play({*absent, "meaning", "likeness"})
    for document in documents:
        add_up(document, weights if "meaning" in document.parts else bare, search)
    ranked = rank_documents(documents)
    if nearness is None or "likeness" not in weights:
        return ranked
    # Comparing token by token takes longest, and only changes the order of those that are near the top already.
    compared = _COMPARED_MEMORIES if all(document.is_memory for document in documents) else _COMPARED
    best = ranked[: compared * max(1, search.limit // 10)]
    for document, likeness in nearness.compare_likeness(best):
        add_part(document, "likeness", likeness, search)
    return rank_documents(documents)


def _open_nearness(reading: RecallReadTransaction, search: Search, hits: Hits) -> Nearness | None:
    """What compares documents with the question by vectors; None where there are none."""
    if hits.vectors is None:
        return None
    from heldtrue.recall.nearness import Nearness

    return Nearness(reading, hits.vectors, search.unseen, hits.words.asking)


def fill_parts(documents: Sequence[RankedDocument], search: Search, words: WordHits) -> None:
    """Fill in the parts that the words of some documents and their own properties give."""
    scores = words.memories
    if isinstance(scores, MemoryScores):
        scores = scores.of([document.no for document in documents if document.is_memory])
    periods = search.question.periods
    for document in documents:
        header = document.header
        if header is None:
            parts = _passage_parts(document.no, words)
        else:
            parts = _memory_parts(header, scores.get(header.no, 0.0), search, words)
        parts["time"] = time_part(document, periods) if periods else 0.0
        parts["recency"] = recency_part(document, search)
        document.parts |= parts


def _memory_parts(header: RankedHeader, score: float, search: Search, words: WordHits) -> dict[str, float]:
    recalled = header.recalled or 0
    return {
        "text": score,
        "thread": score,
        # A memory has no speaker: whoever is named is found by its words.
        "speaker": 1.0 if words.named and score > 0 else 0.0,
        "when": 1.0 if header.no in words.dated[0] else 0.0,
        "topic": topic_part(header, search.topic) if search.topic else 0.0,
        "confidence": header.confidence,
        "priority": 0.5 + 0.5 * max(-1.0, min(1.0, header.priority)) if header.priority else 0.5,
        "verified": 1.0 if header.verified_by else 0.0,
        "domain": 1.0 if search.domain in (None, header.author) or not header.author.startswith("agent:") else 0.0,
        "scope": 0.5 if header.scope == GLOBAL else 1.0,
        "access": recalled / (recalled + _OFTEN),
    }


def _passage_parts(number: int, words: WordHits) -> dict[str, float]:
    return {
        "text": words.passages.get(number, 0.0),
        "thread": words.threads.get(number // PLACES_MAX, 0.0),
        "speaker": 1.0 if number in words.spoken else 0.0,
        "when": 1.0 if number in words.dated[1] else 0.0,
        "confidence": _EVIDENCE_CONFIDENCE,
        "priority": 0.5,
        "domain": 1.0,
        "scope": 0.5,
    }


def _fill_proximity(documents: Sequence[RankedDocument], hits: Hits) -> None:
    nearness = hits.links.nearness
    for document in documents if nearness else ():
        if document.header is not None:
            document.parts["proximity"] = nearness.get(document.header.memory_id, 0.0)


def _fill_tone(reading: ReadTransaction, search: Search, documents: Sequence[RankedDocument]) -> None:
    from heldtrue.language.tone import read_tone

    texts = read_texts(reading, documents, search.chosen.seq)
    for document in documents:
        text = texts.text_of(document) if texts.has(document) else ""
        document.parts["tone"] = 1.0 if read_tone(text) == search.question.tone else 0.0


def topic_part(header: RankedHeader, topic: str | None) -> float:
    """Whether it is about the topic that was asked for."""
    if not topic or not header.topic:
        return 0.0
    from heldtrue.language.normalise import fold_text  # its tables are only needed where a topic was asked for

    return 1.0 if fold_text(header.topic) == fold_text(topic) else 0.0


def time_part(document: RankedDocument, periods: Sequence[Period]) -> float:
    """How near it is to a time that was asked for: when it held, when it was said, or when it was recorded."""
    if not periods:
        return 0.0
    spans = [(document.happened_at, document.happened_at)]
    if document.header is not None:
        spans.append(_held(document.header))
    return max(_closeness(period, first, last) for period in periods for first, last in spans)


def _held(header: RankedHeader) -> tuple[int, int]:
    """From when to when a memory held; where that is open, up to when it was said."""
    said, first, last = header.observed_at, header.valid_from, header.valid_to
    if first is None:
        return (said, said) if last is None else (min(said, last), last)
    return first, max(said, first) if last is None else last


def _closeness(period: Period, first: int, last: int) -> float:
    """1 where a span of time meets what a period asks for, less the further it is away."""
    start = period.end if period.relation == "after" else period.start
    end = period.start if period.relation == "before" else period.end
    if period.relation != "before" and last < start:
        return math.exp(-(start - last) / DAY_US / _EARLY_DAYS)
    if period.relation != "after" and first >= end:
        return math.exp(-(first - end) / DAY_US / _LATE_DAYS)
    return 1.0


def absent_parts(search: Search, hits: Hits) -> set[str]:
    """The parts that this question gives nobody a chance to have: they do not count against anyone."""
    present = {
        "meaning": hits.vectors is not None,
        "likeness": hits.vectors is not None and hits.vectors.matcher is not None,
        "speaker": bool(hits.words.named),
        "time": bool(search.question.periods),
        "when": search.question.wants_time,
        "topic": search.topic is not None,
        "proximity": bool(hits.links.nearness),
        "tone": search.question.tone != "neutral",
        "domain": search.domain is not None,
    }
    return {part for part, is_there in present.items() if not is_there}
