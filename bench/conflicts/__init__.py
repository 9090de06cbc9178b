"""`python -m bench conflicts`: whether the second of two statements is seen to contradict the first.

Each pair is learned in a space of its own, once by two agents and once by one. Conflicts are replacements, negations,
other numbers and other dates; paraphrases, things that can both hold, other subjects and other times are none. The
pairs of `bench/held_out`, which nobody tuned on, are reported apart.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import msgspec

from bench.conflicts.held_out import TALK_BAR, learn_talk, pairs_table, relation_table, try_pairs
from bench.machine import describe_machine
from bench.pages import RESULTS, against_bar, machine_lines, table, write_page
from heldtrue import Memory
from heldtrue.capabilities.writing import WriteAnswer

PAIRS = Path(__file__).parent / "pairs.jsonl"
TALK_LINES = 5_000
AUTHORS = {"two agents": ("a", "b"), "one agent": ("a", "a")}
CONFLICTS = frozenset({"replacement", "negation", "number", "date"})
OTHERS = frozenset({"paraphrase", "both_true", "other_subject", "other_time"})
PRECISION_BAR, RECALL_BAR = 0.95, 0.70
"""The least that both should be."""


class Pair(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two statements, and whether they contradict each other."""

    id: str
    kind: str
    old: str
    new: str
    conflict: bool


class Judged(NamedTuple):
    """A pair, and what became of its statements."""

    pair: Pair
    first: WriteAnswer
    answer: WriteAnswer

    @property
    def found(self) -> bool:
        """Whether it was taken to contradict or to end the first."""
        return bool(self.answer.conflicts) or self.answer.outcome == "superseded"

    @property
    def is_right(self) -> bool:
        return self.found == self.pair.conflict


@dataclass(frozen=True)
class Figures:
    """Pairs counted by what they are and by what was found."""

    pairs: int
    conflicts: int
    found: int
    right: int
    """Conflicts that were found."""

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.conflicts if self.conflicts else 1.0


def read_pairs() -> list[Pair]:
    return [msgspec.json.decode(line, type=Pair) for line in PAIRS.read_text("utf-8").splitlines()]


def find_faults(pairs: Sequence[Pair]) -> list[str]:
    """What is wrong with the pairs; nothing where their labels are well-formed."""
    faults = [f"{pair.id}: {pair.kind} is no kind" for pair in pairs if pair.kind not in CONFLICTS | OTHERS]
    faults += [
        f"{pair.id}: {pair.kind} and its label differ" for pair in pairs if pair.conflict != (pair.kind in CONFLICTS)
    ]
    names = [pair.id for pair in pairs] + [f"{pair.old} / {pair.new}" for pair in pairs]
    faults += [f"{name}: is there twice" for name in sorted(set(names)) if names.count(name) > 1]
    return faults


def judge(pair: Pair, authors: tuple[str, str]) -> Judged:
    """Learn both statements of a pair in a fresh space."""
    with Memory.open(":memory:") as memory:
        first, second = authors
        return Judged(pair, memory.as_agent(first).learn(pair.old), memory.as_agent(second).learn(pair.new))


def add_up(judged: Sequence[Judged]) -> Figures:
    return Figures(
        pairs=len(judged),
        conflicts=sum(judgement.pair.conflict for judgement in judged),
        found=sum(judgement.found for judgement in judged),
        right=sum(judgement.found and judgement.pair.conflict for judgement in judged),
    )


# The page


def at_least(value: float, least: float) -> str:
    """A share with the bar it must reach, and whether it does."""
    return f"{value:.3f} ({'reaches' if value >= least else '**below**'} {least:g})"


def overall_table(judged: dict[str, list[Judged]]) -> str:
    rows = []
    for name, every in judged.items():
        figures = add_up(every)
        counts = [figures.pairs, figures.conflicts, figures.found, figures.right]
        shares = [at_least(figures.precision, PRECISION_BAR), at_least(figures.recall, RECALL_BAR)]
        rows.append([name, *counts, *shares])
    return table(("learned by", "pairs", "conflicts", "found", "of them right", "precision", "recall"), rows)


def kind_table(judged: dict[str, list[Judged]]) -> str:
    """The share of each kind that was judged right: for conflicts their recall, for the others what was let be."""
    rows = []
    for kind in sorted(
        {(not judgement.pair.conflict, judgement.pair.kind) for every in judged.values() for judgement in every}
    ):
        chosen = [[judgement for judgement in every if judgement.pair.kind == kind[1]] for every in judged.values()]
        rights = [sum(judgement.is_right for judgement in every) for every in chosen]
        shares = [f"{right / len(every):.3f} ({right})" for right, every in zip(rights, chosen, strict=True)]
        rows.append([kind[1], "no" if kind[0] else "yes", len(chosen[0]), *shares])
    return table(("kind", "conflict", "pairs", *(f"right, {name}" for name in judged)), rows)


def outcome_table(judged: dict[str, list[Judged]]) -> str:
    """What the second statements came to."""
    names = sorted({judgement.answer.outcome for every in judged.values() for judgement in every})
    rows = [
        [f"{name}, {'conflicts' if conflict else 'no conflicts'}"]
        + [
            sum(judgement.answer.outcome == outcome for judgement in every if judgement.pair.conflict == conflict)
            for outcome in names
        ]
        for name, every in judged.items()
        for conflict in (True, False)
    ]
    return table(("learned by, pairs", *names), rows)


def page(judged: dict[str, list[Judged]], command: str) -> list[str]:
    """The sections of conflicts.md."""
    return [
        "# Conflicts at the gate",
        f"`{command}`: pairs of statements, each pair learned in a fresh space, the first and then the second. A "
        "conflict counts as found if the second is answered with conflicts or supersedes the first. The pairs were "
        "written before the rules of today, which were then worked on with the missed ones in view: on sentences of "
        "others expect less. No language model takes part.",
        machine_lines(describe_machine()),
        "## All pairs",
        overall_table(judged),
        "## By kind",
        "The share of pairs that were judged right: of conflicts those that were found, of the others those that were "
        "let be; in brackets how many.",
        kind_table(judged),
        "## What the second statement came to",
        f"In {_unkept(judged)} of the runs the first statement was not kept to begin with.",
        outcome_table(judged),
    ]


def _unkept(judged: dict[str, list[Judged]]) -> int:
    return sum(judgement.first.outcome != "created" for every in judged.values() for judgement in every)


def show(name: str, judged: Sequence[Judged]) -> None:
    """List the pairs that were judged wrongly."""
    print(f"\nwrong, learned by {name}")
    for judgement in judged:
        if not judgement.is_right:
            pair, what = judgement.pair, "missed" if judgement.pair.conflict else "false "
            print(f"  {what} {pair.id} {pair.kind}: {pair.old} / {pair.new} -> {judgement.answer.outcome}")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench conflicts", description=__doc__)
    parser.add_argument("--show", action="store_true", help="list the pairs that were judged wrongly")
    parser.add_argument("--share", type=float, default=1.0, help="the share of the held-out facts that are tried")
    parser.add_argument("--talk", type=Path, help="a file of conversations in LoCoMo's form, learned line by line")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where the page goes")
    chosen = parser.parse_args(arguments)
    pairs = read_pairs()
    if faults := find_faults(pairs):
        print("\n".join(faults))
        return 1
    judged = {name: [judge(pair, authors) for pair in pairs] for name, authors in AUTHORS.items()}
    if chosen.show:
        for name, every in judged.items():
            show(name, every)
    print(f"\n{overall_table(judged)}\n\n{kind_table(judged)}\n")
    apart = held_out_sections(chosen.share, chosen.talk)
    print("\n\n".join(apart))
    if chosen.share >= 1:
        sections = [*page(judged, "make bench-conflicts"), *apart]
        print("written to", write_page(chosen.out, "conflicts", sections, {}))
    return 0


def held_out_sections(share: float, talk: Path | None) -> list[str]:
    """What became of pairs that nobody tuned on, and of lines of talk."""
    tried = try_pairs(share)
    sections = [
        "## Pairs that nobody tuned on",
        f"{len(tried):,} sentences about facts by three hands, each learned by one agent after the fact was learned by "
        "another.",
        pairs_table(tried),
        relation_table(tried),
    ]
    if talk is not None:
        lines, waiting, flagged = learn_talk(talk, TALK_LINES)
        sections += [
            "## Lines of talk",
            f"Of {lines:,} lines of conversations, learned one after another, {waiting} waited as contradictions "
            f"({against_bar(waiting / lines, TALK_BAR, f'{waiting / lines:.2%}')}), and {flagged} waited or were "
            "flagged.",
        ]
    return sections
