"""Weighing: each part of a result's score as a named number from 0 to 1, and their weighted sum."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from heldtrue.domain.posting import PLACES_MAX
from heldtrue.domain.scope import GLOBAL
from heldtrue.language.periods import Period
from heldtrue.ports import Lead
from heldtrue.recall.candidates import Candidate
from heldtrue.recall.index.best_scores import MemoryScores
from heldtrue.recall.index.words import WordHits
from heldtrue.recall.search import ParsedQuestion, Search

_DAY_US = 86_400_000_000
_EARLY_DAYS, _LATE_DAYS = 7.0, 21.0
"""How fast a time that was asked for fades: fast before it, slowly after it, since things are told later."""
_OFTEN = 5
"""Recalls after which a memory counts as recalled half as often as can be."""
_EVIDENCE_CONFIDENCE = 0.5
"""Raw evidence has not been weighed by anyone."""


def fill_parts(candidates: Iterable[Candidate], question: Search, asked: ParsedQuestion, words: WordHits) -> None:
    """The parts that the words of some documents and their own properties give."""
    candidates = list(candidates)
    scores = words.memories
    if isinstance(scores, MemoryScores):
        scores = scores.of([candidate.no for candidate in candidates if candidate.is_memory])
    for candidate in candidates:
        lead = candidate.lead
        if lead is None:
            parts = _passage_parts(candidate.no, words)
        else:
            parts = _memory_parts(lead, scores.get(lead.no, 0.0), question, words)
        parts["time"] = time_part(candidate, asked.periods) if asked.periods else 0.0
        parts["recency"] = recency_part(candidate, question)
        candidate.parts |= parts


def _memory_parts(lead: Lead, score: float, question: Search, words: WordHits) -> dict[str, float]:
    recalled = lead.recalled or 0
    return {
        "text": score,
        "thread": score,
        # A memory has no speaker: whoever is named is found by its words.
        "speaker": 1.0 if words.named and score > 0 else 0.0,
        "when": 1.0 if lead.no in words.dated[0] else 0.0,
        "topic": topic_part(lead, question.topic) if question.topic else 0.0,
        "confidence": lead.confidence,
        "priority": 0.5 + 0.5 * max(-1.0, min(1.0, lead.priority)) if lead.priority else 0.5,
        "verified": 1.0 if lead.verified_by else 0.0,
        "domain": 1.0 if question.domain in (None, lead.author) or not lead.author.startswith("agent:") else 0.0,
        "scope": 0.5 if lead.scope == GLOBAL else 1.0,
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


def topic_part(lead: Lead, topic: str | None) -> float:
    """Whether it is about the topic that was asked for."""
    if not topic or not lead.topic:
        return 0.0
    from heldtrue.language.normalise import fold_text  # its tables are only needed where a topic was asked for

    return 1.0 if fold_text(lead.topic) == fold_text(topic) else 0.0


def recency_part(candidate: Candidate, question: Search) -> float:
    """How fresh it is: exp(-rate x days), with the rate of its category."""
    category = candidate.lead.category if candidate.lead is not None else None
    days = max(0, question.now - candidate.happened_at) / _DAY_US
    return math.exp(-question.decay.get(category or "", question.decay[""]) * days)


def time_part(candidate: Candidate, periods: Sequence[Period]) -> float:
    """How near it is to a time that was asked for: when it held, when it was said, or when it was recorded."""
    if not periods:
        return 0.0
    spans = [(candidate.happened_at, candidate.happened_at)]
    if candidate.lead is not None:
        spans.append(_held(candidate.lead))
    return max(_nearness(period, first, last) for period in periods for first, last in spans)


def _held(lead: Lead) -> tuple[int, int]:
    """From when to when a memory held; where that is open, up to when it was said."""
    said, first, last = lead.observed_at, lead.valid_from, lead.valid_to
    if first is None:
        return (said, said) if last is None else (min(said, last), last)
    return first, max(said, first) if last is None else last


def _nearness(period: Period, first: int, last: int) -> float:
    """1 where a span of time meets what a period asks for, less the further it is away."""
    start = period.end if period.relation == "after" else period.start
    end = period.start if period.relation == "before" else period.end
    if period.relation != "before" and last < start:
        return math.exp(-(start - last) / _DAY_US / _EARLY_DAYS)
    if period.relation != "after" and first >= end:
        return math.exp(-(first - end) / _DAY_US / _LATE_DAYS)
    return 1.0


def absent_parts(
    question: Search, asked: ParsedQuestion, words: WordHits, *, vectors: bool, tokens: bool, links: bool
) -> set[str]:
    """The parts that this question gives nobody a chance to have: they do not count against anyone."""
    present = {
        "meaning": vectors,
        "likeness": tokens,
        "speaker": bool(words.named),
        "time": bool(asked.periods),
        "when": asked.wants_time,
        "topic": question.topic is not None,
        "proximity": links,
        "tone": question.tone != "neutral",
        "domain": question.domain is not None,
    }
    return {part for part, there in present.items() if not there}


def add_up(candidate: Candidate, weights: Mapping[str, float], question: Search) -> None:
    """The score: the weighted sum of the parts; a profile that decays shrinks it with age."""
    parts, candidate.weights = candidate.parts, weights
    score = 0.0
    for part, weight in weights.items():
        if part in parts:
            score += weight * parts[part]
    candidate.score = score * recency_part(candidate, question) if question.profile.decays else score


def add_part(candidate: Candidate, part: str, value: float, question: Search) -> None:
    """Put one part into a score that was added up without it, or with another value of it."""
    more = candidate.weights.get(part, 0.0) * (value - candidate.parts.get(part, 0.0))
    candidate.parts[part] = value
    candidate.score += more * recency_part(candidate, question) if question.profile.decays else more


def break_down(candidate: Candidate, question: Search) -> tuple[float, dict[str, float], dict[str, float]]:
    """The score, what each part contributed to it, and how large each part is.

    Together the contributions are the score.
    """
    shrink = recency_part(candidate, question) if question.profile.decays else 1.0
    value_of = candidate.parts.get
    parts = {part: value_of(part, 0.0) for part in candidate.weights}
    shares = {part: round(weight * parts[part] * shrink, 6) for part, weight in candidate.weights.items()}
    return round(sum(shares.values()), 6), shares, parts
