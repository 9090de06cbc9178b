"""`python -m bench forgetting`: whether what a person rejected comes back as active in other words.

Every fact of `bench/held_out/pairs` is learned and forgotten by a person in a fresh space; then an agent says one
sentence. The sentences repeat the fact in frames, in longer texts, in other words, or say something near it that was
not rejected. Nothing here was trained or tuned on.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bench.held_out import put, read_frames, read_pairs
from bench.machine import describe_machine
from bench.pages import RESULTS, against_bar, machine_lines, table, write_page
from heldtrue import Memory
from heldtrue.domain.cause import PendingCause
from heldtrue.language.value_forms import bring_to_one_form, contains_words

SEED = 15
SAME_WORDS, REWORDED, PARAPHRASED = "same words in a frame or a longer text", "the same, reworded", "paraphrased"
SIBLINGS = "something near it"
BARS = {SAME_WORDS: 0.01, REWORDED: 0.08, PARAPHRASED: 0.10, SIBLINGS: 0.03}
"""The largest shares: of the first three that are active again, of the last that waits for no reason."""
OTHERS = ("contradiction", "denied", "left open", "another language", "near it in another language")


class Attack(NamedTuple):
    """A sentence that an agent says after a fact was rejected."""

    fact: str
    said: str
    sort: str
    repeats: bool
    """Whether it says what was rejected."""


class Result(NamedTuple):
    """What became of it."""

    attack: Attack
    is_active: bool
    is_recognised: bool
    """Whether it waits, or was refused, as something that was rejected."""


def attacks_on(fact: Any, frames: dict[str, list[str]], chance: random.Random) -> Iterator[Attack]:
    """The sentences about one fact."""
    english = [(relation, said) for language, relation, said in fact.others if language == "en"]
    says = [said for relation, said in english if relation == "says"]
    held = bring_to_one_form(fact.text)
    for relation, said in english:
        match relation:
            case "says":
                yield Attack(fact.text, said, PARAPHRASED, True)
            case "contains":
                is_same = contains_words(bring_to_one_form(said), held)
                yield Attack(fact.text, said, SAME_WORDS if is_same else REWORDED, True)
            case "contradicts":
                yield Attack(fact.text, said, "contradiction", False)
            case _:
                yield Attack(fact.text, said, SIBLINGS, False)
    for frame in chance.sample(frames["repeated"], 2):
        yield Attack(fact.text, put(frame, fact.text), SAME_WORDS, True)
    yield Attack(fact.text, put(chance.choice(frames["repeated"]), chance.choice(says)), REWORDED, True)
    yield Attack(fact.text, put(chance.choice(frames["denied"]), fact.text), "denied", False)
    yield Attack(fact.text, put(chance.choice(frames["open"]), fact.text), "left open", False)
    for language, relation, said in fact.others:
        if language != "en":
            repeats = relation in ("says", "contains")
            yield Attack(fact.text, said, "another language" if repeats else "near it in another language", repeats)


def try_attack(attack: Attack) -> Result:
    """Reject a fact as a person, and say a sentence as an agent."""
    with Memory.open(":memory:") as memory:
        memory.forget(memory.learn(attack.fact).memory.id, reason="it is wrong")
        answer = memory.as_agent("codex").learn(attack.said)
        is_active = answer.memory is not None and answer.memory.status == "active"
        is_recognised = answer.cause in (PendingCause.SAYS_REJECTED, "rejected_before")
        return Result(attack, is_active, is_recognised)


def run(share: float = 1.0) -> list[Result]:
    """Try the sentences about a share of the facts."""
    chance = random.Random(SEED)
    frames, facts = read_frames(), read_pairs()
    chosen = facts if share >= 1 else chance.sample(facts, max(1, round(len(facts) * share)))
    return [try_attack(attack) for fact in chosen for attack in attacks_on(fact, frames, chance)]


def overall_table(results: Sequence[Result]) -> str:
    rows = []
    for sort in (*BARS, *OTHERS):
        mine = [result for result in results if result.attack.sort == sort]
        if not mine:
            continue
        active, recognised = (sum(getattr(r, name) for r in mine) for name in ("is_active", "is_recognised"))
        counted = recognised if sort == SIBLINGS else active
        share = against_bar(counted / len(mine), BARS[sort], f"{counted / len(mine):.3f}") if sort in BARS else ""
        rows.append([sort, len(mine), active, recognised, share])
    return table(("what the agent says", "tries", "active", "recognised", "share against its bar"), rows)


def page(results: Sequence[Result], command: str) -> list[str]:
    facts = len({result.attack.fact for result in results})
    return [
        "# Whether a rejected claim comes back",
        f"`{command}`: {facts} facts by three hands, each learned and forgotten by a person in a fresh space, and "
        f"{len(results):,} sentences that an agent says afterwards. A sentence that repeats the fact must not become "
        "active; one that is only near it must not wait for having been rejected. The facts, sentences and frames "
        "were never trained or tuned on.",
        machine_lines(describe_machine()),
        overall_table(results),
    ]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench forgetting", description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="the share of the facts that are tried")
    parser.add_argument("--out", type=Path, default=None, help="where the page goes; left out, it is only printed")
    chosen = parser.parse_args(arguments)
    results = run(chosen.share)
    print(f"\n{overall_table(results)}\n")
    out = chosen.out or (RESULTS if chosen.share >= 1 else None)
    if out is not None:
        print(write_page(out, "forgetting", page(results, "make bench-forgetting"), {}))
    return 0
