"""Why a result was chosen, as a sentence made of its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from holdfast.domain.memory import MemoryVersion
from holdfast.recall.trust import TrustTag


def explain_result(
    memory: MemoryVersion, matched: Sequence[str], parts: Mapping[str, float], tags: Sequence[TrustTag], *, age: str
) -> str:
    """One or two plain sentences, the same for the same parts."""
    reasons = [f"it matches {_name_words(matched)}"] if matched else []
    if parts["topic"]:
        reasons.append(f"its topic is {memory.topic}")
    if parts["proximity"]:
        reasons.append("it is linked to what you asked from")
    standing = f"{memory.author} said so {age}" + (", a person stands behind it" if memory.verified_by else "")
    text = f"Chosen because {' and '.join(reasons)}; {standing} (confidence {memory.confidence:.2f})."
    if tags:
        text += " Mind: " + "; ".join(f"{tag.tag} ({tag.detail})" for tag in tags) + "."
    return text


def _name_words(words: Sequence[str]) -> str:
    shown = [f'"{word}"' for word in words[:5]]
    return ", ".join(shown) + (f" and {len(words) - 5} more" if len(words) > 5 else "")


def describe_age(moment: int, now: int) -> str:
    """How long ago, in the largest unit that fits."""
    seconds = max(0, now - moment) // 1_000_000
    for unit, size in (("year", 31_536_000), ("month", 2_592_000), ("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= size:
            count = seconds // size
            return f"{count} {unit}{'s' if count != 1 else ''} ago"
    return "just now"
