"""Explains in a sentence why a result was chosen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.plural import count
from heldtrue.domain.rows import PassageText
from heldtrue.recall.answer import TrustTag


def explain_memory(
    memory: MemoryVersion, matched: Sequence[str], parts: Mapping[str, float], tags: Sequence[TrustTag], *, age: str
) -> str:
    """One or two plain sentences, the same for the same parts."""
    reasons = _say_parts(matched, parts)
    if parts.get("topic"):
        reasons.append(f"its topic is {memory.topic}")
    standing = f"stated by {memory.author} {age}" + (
        f", verified by {memory.verified_by}" if memory.verified_by else ""
    )
    text = f"Chosen because {_join(reasons)}; {standing} (confidence {memory.confidence:.2f})."
    return text + describe_trust((tag.tag, tag.detail) for tag in tags)


def describe_trust(tags: Iterable[tuple[str, str]]) -> str:
    """The warnings about a result, as the end of its explanation; empty if there are none."""
    named = "; ".join(f"{tag} ({detail})" for tag, detail in tags)
    return f" Warning: {named}." if named else ""


def explain_passage(passage: PassageText, matched: Sequence[str], parts: Mapping[str, float], *, age: str) -> str:
    """The same for a piece of evidence."""
    said = f"captured by {passage.author}" + (f" from {passage.reference}" if passage.reference else "")
    return f"Chosen because {_join(_say_parts(matched, parts))}; the source text is from {age}, {said}."


_SAYINGS = {
    "meaning": (0.3, "its meaning is similar"),
    "speaker": (0.5, "a person named in your question said it or is mentioned in it"),
    "time": (0.99, "it is from the time you asked about"),
    "when": (0.5, "it says when it happened"),
    "proximity": (0.01, "it is linked to the best match"),
    "reranker": (0.5, "the reranker rated it as a good answer"),
}
"""The text for a part of a score, and how large the part must be."""


def _say_parts(matched: Sequence[str], parts: Mapping[str, float]) -> list[str]:
    """What fits, in words, from the parts of a score."""
    reasons = [f"it matches {_name_words(matched)}"] if matched else []
    if not matched and parts.get("text"):
        reasons.append("the text around it matches")
    reasons += [saying for part, (least, saying) in _SAYINGS.items() if parts.get(part, 0.0) >= least]
    return reasons


def _join(reasons: Sequence[str]) -> str:
    if len(reasons) < 2:
        return reasons[0] if reasons else "it is the closest match"
    return ", ".join(reasons[:-1]) + " and " + reasons[-1]


def _name_words(words: Sequence[str]) -> str:
    shown = [f'"{word}"' for word in words[:5]]
    return ", ".join(shown) + (f" and {len(words) - 5} more" if len(words) > 5 else "")


def describe_age(moment: int, now: int) -> str:
    """How long ago, in the largest unit that fits."""
    seconds = max(0, now - moment) // 1_000_000
    for unit, size in (("year", 31_536_000), ("month", 2_592_000), ("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= size:
            return f"{count(seconds // size, unit)} ago"
    return "just now"
