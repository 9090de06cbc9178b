"""Contradictions among statements that nobody trained or tuned on, and false ones among lines of talk.

Each fact of `bench/held_out/pairs` is learned by one agent in a fresh space, then a sentence about it by another. Lines
of talk are learned one after another in one space.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bench.held_out import read_pairs
from bench.pages import table
from heldtrue import Memory
from heldtrue.capabilities.writing import WriteAnswer
from heldtrue.domain.cause import PendingCause

WAIT_BARS, FLAG_BARS = (0.95, 0.50), (0.80, 0.80)
"""Precision and recall of what makes a write wait, and of what waits or is flagged."""
TALK_BAR = 0.01


class Tried(NamedTuple):
    """A sentence about a fact, and what became of it."""

    relation: str
    waits: bool
    is_flagged: bool


def try_pairs(share: float = 1.0) -> list[Tried]:
    """Learn every fact, and every English sentence about it."""
    facts = read_pairs()
    return [
        _try(fact.text, relation, said)
        for fact in facts[: max(1, round(len(facts) * share))]
        for language, relation, said in fact.others
        if language == "en"
    ]


def _try(held: str, relation: str, said: str) -> Tried:
    with Memory.open(":memory:") as memory:
        memory.as_agent("first").learn(held)
        return _read(relation, memory.as_agent("second").learn(said))


def _read(relation: str, answer: WriteAnswer) -> Tried:
    waits = answer.cause == PendingCause.CONTRADICTION or answer.outcome == "superseded"
    return Tried(relation, waits, waits or bool(answer.conflicts))


def precision_and_recall(tried: Sequence[Tried], *, flagged: bool) -> tuple[float, float]:
    found = [each for each in tried if (each.is_flagged if flagged else each.waits)]
    right = sum(each.relation == "contradicts" for each in found)
    wanted = sum(each.relation == "contradicts" for each in tried)
    return right / len(found) if found else 1.0, right / wanted if wanted else 1.0


def learn_talk(path: Path, lines: int) -> tuple[int, int, int]:
    """How many lines of talk were learned, how many waited as contradictions, and how many were flagged or waited."""
    said = [
        turn["text"]
        for conversation in json.loads(path.read_text("utf-8"))
        for name, session in conversation["conversation"].items()
        if name.startswith("session_") and isinstance(session, list)
        for turn in session
    ][:lines]
    with Memory.open(":memory:") as memory:
        agent = memory.as_agent("listener")
        tried = [_read("talk", agent.learn(text)) for text in said]
    return len(tried), sum(each.waits for each in tried), sum(each.is_flagged for each in tried)


def pairs_table(tried: Sequence[Tried]) -> str:
    rows = []
    for name, flagged, bars in (("waits", False, WAIT_BARS), ("waits or is flagged", True, FLAG_BARS)):
        shares = precision_and_recall(tried, flagged=flagged)
        cells = [
            f"{share:.3f} ({'reaches' if share >= bar else '**below**'} {bar:g})"
            for share, bar in zip(shares, bars, strict=True)
        ]
        rows.append([name, *cells])
    return table(("what a contradiction does", "precision", "recall"), rows)


def relation_table(tried: Sequence[Tried]) -> str:
    rows = []
    for relation in ("contradicts", "says", "contains", "sibling", "near_miss"):
        mine = [each for each in tried if each.relation == relation]
        rows.append([relation, len(mine), sum(each.waits for each in mine), sum(each.is_flagged for each in mine)])
    return table(("the sentence", "tries", "waits as a contradiction", "waits or is flagged"), rows)
