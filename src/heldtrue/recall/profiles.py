"""Profiles: named ways of weighing a result. Each part of a score is a number from 0 to 1 with one of these names."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec

from heldtrue.domain.errors import InvalidInput

PART_MEANINGS = {
    "text": "how many of the question's words it or the text around it contains",
    "thread": "how many of the question's words the whole conversation or document contains",
    "meaning": "how similar its vector is to the question's",
    "likeness": "how similar its words are to the question's, word by word",
    "speaker": "whether a person named in the question said it or is named in it",
    "time": "whether it is from the time the question asks about",
    "when": "whether it says when something happened, if the question asks for a time",
    "topic": "whether it has the requested topic",
    "proximity": "whether it is linked to the best match or to the memories given in `near`",
    "recency": "how recent it is, by the decay rate of its category",
    "confidence": "how well it is supported",
    "priority": "how useful it was, according to feedback",
    "verified": "whether a person has verified it",
    "tone": "whether its tone matches the question",
    "domain": "for an agent: whether the agent itself or a person wrote it",
    "scope": "how close its scope is to the caller's",
    "access": "how often it was recalled",
    "reranker": "how well it answers the question, according to the reranker",
}
"""Every part of a score, and what it says."""
PARTS = tuple(PART_MEANINGS)
WORDS_ALONE = {"meaning": ("text", "thread"), "likeness": ("text", "thread")}
"""Where the weight of a part goes that cannot be had: without an embedder, to what the words say, as they stand."""


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """One way of weighing: the weights of the parts, and whether age shrinks the whole score."""

    name: str
    weights: Mapping[str, float]
    decays: bool = False
    """Multiply the score by exp(-rate x days), as the seed of `dual` has it."""

    def needs(self, *parts: str) -> bool:
        return any(self.weights.get(part, 0.0) > 0 for part in parts)

    def in_play(self, absent: Collection[str]) -> dict[str, float]:
        """The weights as shares of 1, those of absent parts given to the parts that stand in for them, or to all."""
        weights = {part: weight for part, weight in self.weights.items() if weight > 0 and part not in absent}
        for part in absent:
            heirs = [heir for heir in WORDS_ALONE.get(part, ()) if heir in weights]
            total = sum(self.weights[heir] for heir in heirs)
            for heir in heirs:
                weights[heir] += self.weights.get(part, 0.0) * self.weights[heir] / total
        total = sum(weights.values()) or 1.0
        return {part: weight / total for part, weight in weights.items()}


DEFAULT = "default"
PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile(
            name=DEFAULT,
            weights={
                "text": 4.0,
                "thread": 2.0,
                "speaker": 1.0,
                "time": 1.5,
                "when": 0.5,
                "topic": 0.5,
                "proximity": 0.5,
                "recency": 0.1,
                "confidence": 0.15,
                "priority": 0.15,
                "verified": 0.05,
                "tone": 0.1,
                "domain": 0.1,
            },
        ),
        Profile(
            name="brain",
            weights={"text": 0.6, "topic": 0.1, "recency": 0.1, "confidence": 0.15, "proximity": 0.05},
        ),
        Profile(
            name="hybrid",
            weights={"text": 0.35, "meaning": 0.35, "scope": 0.1, "recency": 0.1, "confidence": 0.1},
        ),
        Profile(name="dual", weights={"meaning": 0.5, "proximity": 0.5}, decays=True),
        Profile(name="rank", weights={"confidence": 0.4, "recency": 0.3, "access": 0.3}),
    )
}


def check_weights(weights: Mapping[str, float] | None) -> Mapping[str, float]:
    """Weights of a query, or an error that says what is wrong with them."""
    for part, weight in (weights or {}).items():
        if part not in PARTS:
            raise InvalidInput(
                f"{part!r} is not a part of the score", field="weights", hint=f"use one of {', '.join(PARTS)}"
            )
        if not 0 <= weight <= 10:
            raise InvalidInput(
                f"the weight of {part}, {weight}, is out of range", field="weights", hint="use a number from 0 to 10"
            )
    return weights or {}


def choose_profile(name: str, model: Mapping[str, float], *overrides: Mapping[str, float]) -> Profile:
    """A profile; in our own the words share their weight with what an embedding model has to say.

    Overrides replace single weights, the last one counts.
    """
    weights = {**PROFILES[name].weights, **(model if name == DEFAULT else {})}
    for override in overrides:
        weights |= override
    return msgspec.structs.replace(PROFILES[name], weights=weights)
