"""`python -m bench extraction`: what rules find in labelled messages and documents, and what they should not find.

Rules were written against the tuning and the second set, and weights learned from these and from three voices; the
set aside and the fourth voice are only measured, and a difference to the others is a fit to those.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from importlib import import_module
from pathlib import Path
from statistics import median

import msgspec

from bench.extraction.labels import Labelled, find_faults, line_of, read_set
from bench.extraction.scoring import Figures, Found, Scored, add_up, add_up_by_kind, junk_rate, score
from bench.machine import describe_machine
from bench.pages import RESULTS, machine_lines, table, write_page

Extractor = Callable[[Labelled], Sequence[Found]]
EXTRACTION = "heldtrue.language.extraction"
SETS = ("tuning", "second", "voices_a", "voices_b", "voices_c", "aside", "voices_d")
"""In the order in which they are reported: those that were learned from, and the two that are only measured."""
KIND_HEADS = ("kind", "labelled", "found", "right", "precision, %", "recall, %")
SORTS = {"messages": "message", "documents": "document"}


LEFT_OUT = Path(__file__).with_name("left_out.json")
"""What `python tools/train_extraction.py --leave-out` found."""


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """A set as weights did on it that were learned without it."""

    name: str
    labelled: int
    found: int
    right: int
    empty: int
    """Items with nothing worth keeping."""
    kept: int
    """Those of them from which something was kept."""


@dataclass(frozen=True)
class Run:
    """A set as an extractor did on it."""

    name: str
    scored: list[Scored]

    def of_sort(self, sort: str) -> list[Scored]:
        return [score for score in self.scored if score.item.sort == sort]


def said_at(item: Labelled) -> int:
    """Noon of its day, in microseconds."""
    return _microseconds(datetime.combine(datetime.fromisoformat(item.at), time(12), UTC))


def _microseconds(moment: datetime) -> int:
    return round(moment.timestamp()) * 1_000_000


def shipped(item: Labelled) -> Sequence[Found]:
    """What Heldtrue's own rules find."""
    rules = import_module(EXTRACTION)
    found: Sequence[Found]
    if item.sort == "document":
        found = rules.extract_document(item.text, path=item.path, project=item.project, said_at=said_at(item))
    else:
        found = rules.extract_message(
            item.text,
            speaker=item.speaker,
            role=item.role,
            project=item.project,
            said_at=said_at(item),
            before=[(turn.speaker, turn.text) for turn in item.before],
        )
    return found


def run(name: str, extractor: Extractor = shipped) -> Run:
    """Extract from every item of a set."""
    return Run(name, [score(item, extractor(item)) for item in read_set(name)])


# The page


def percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


def _row(name: str, figures: Figures) -> list[str]:
    labelled, found, right, _ = (str(count) for count in figures)
    return [name, labelled, found, right, percent(figures.precision), percent(figures.recall)]


def kind_table(scored: Sequence[Scored]) -> str:
    """Precision and recall by kind and of all together."""
    rows = [_row(kind, figures) for kind, figures in add_up_by_kind(scored).items()]
    return table(KIND_HEADS, [*rows, _row("**all**", add_up(scored))])


def overall_table(runs: Sequence[Run]) -> str:
    """One row for the messages and one for the documents of each set."""
    rows = []
    for measured in runs:
        for plural, sort in SORTS.items():
            scored = measured.of_sort(sort)
            empty = sum(not each.item.facts for each in scored)
            rows.append([*_row(f"{measured.name}, {plural}", add_up(scored)), str(empty), percent(junk_rate(scored))])
    return table((*("set", *KIND_HEADS[1:]), "with nothing", "junk rate, %"), rows)


def left_out_table() -> str:
    """One row for the messages and one for the documents of each set that was left out in turn."""
    rows = []
    for left_out in msgspec.json.decode(LEFT_OUT.read_bytes(), type=list[LeftOut]):
        junk = percent(left_out.kept / left_out.empty if left_out.empty else None)
        rows.append(
            [
                *_row(left_out.name, Figures(left_out.labelled, left_out.found, left_out.right, left_out.right)),
                str(left_out.empty),
                junk,
            ]
        )
    return table((*("set", *KIND_HEADS[1:]), "with nothing", "junk rate, %"), rows)


def detail_table(runs: Sequence[Run]) -> str:
    """How right the right finds are: strength, place, date, and how much longer they are than the labelled part."""
    rows = [[measured.name, *_details(measured)] for measured in runs]
    return table(("set", "strength, %", "overlaps its place, %", "line, %", "date, %", "length / span"), rows)


def _details(measured: Run) -> list[str]:
    pairs = [(scored.item, fact, find) for scored in measured.scored for fact, find in scored.right]
    strength = [str(find.strength) == fact.strength for _, fact, find in pairs]
    overlaps = [_overlaps(item, fact.span, find) for item, fact, find in pairs]
    lines = [line_of(item.text, find.start) == fact.line for item, fact, find in pairs if fact.line is not None]
    dates = [_day(find.valid_from) == fact.valid_from for _, fact, find in pairs if fact.valid_from is not None]
    lengths = [len(find.text) / len(fact.span) for _, fact, find in pairs]
    return [*map(_share, (strength, overlaps, lines, dates)), f"{median(lengths):.2f}" if lengths else "-"]


def _share(held: Sequence[bool]) -> str:
    return percent(sum(held) / len(held) if held else None)


def _overlaps(item: Labelled, span: str, find: Found) -> bool:
    start = item.text.find(span)
    return find.start < start + len(span) and start < find.end


def _day(moment: int | None) -> str | None:
    return None if moment is None else datetime.fromtimestamp(moment / 1_000_000, UTC).date().isoformat()


def page(runs: Sequence[Run], command: str) -> list[str]:
    """The sections of extraction.md."""
    sections = [
        "# Extraction by rules",
        f"`{command}`: memories from messages and from snippets of documents, by rules and learned weights, without a "
        "language model. "
        "A find is right if it is of the labelled kind, or of one that is equally right, and says all that it must, "
        "with its subject resolved; each labelled fact is met once, and anything else that is found is false. Within a "
        "kind, precision goes by the kind that was found and recall by the kind that was labelled. The junk rate is "
        "the share of items with nothing worth keeping from which something was kept.",
        "What each set was used for. Tuning: rules were written against it, and weights learned from it; its labels "
        "are by another hand. Second: written by the author of the rules, in batches that were each measured before a "
        "rule was changed for them; rules were tuned on it and weights learned from it. The voices a, b and c: each by "
        "another hand that did not know the rules; weights were learned from them, and thresholds and the list of weak "
        "rules chosen on them, so that their figures under *All together* are those of texts already seen. Weights "
        "were also learned from the single sentences in tools/extraction_sentences.txt, which were written with the "
        "errors on those voices in sight. Aside: nothing was learned from it "
        "or chosen on it. voices_d: nothing was learned from it and none of its texts was read, but a first total on "
        "it, with a junk rate of 5.4%, was the reason to raise two thresholds, to values that were then chosen on the "
        "other voices. Aside and voices_d are what to expect of new text.",
        machine_lines(describe_machine()),
        "## All together",
        overall_table(runs),
        "## Each set left out",
        "The same with weights that were learned without the set, by `python tools/train_extraction.py --leave-out`. "
        "On the voices that is close to new text, and still kind: thresholds, weak rules and single sentences were "
        "chosen with these voices in sight. On tuning and second it is not, since the rules were tuned on both.",
        left_out_table(),
    ]
    for measured in runs:
        for plural, sort in SORTS.items():
            sections += [f"## {measured.name}: {plural}", kind_table(measured.of_sort(sort))]
    return [
        *sections,
        "## How right the right finds are",
        "Of those that are right: the same strength as labelled, a place that overlaps the labelled part, for a "
        "document the same line, and where the label has a date since which it holds, that date. Length / span is the "
        "median of how long the found text is against the labelled part: repeating the whole message shows here.",
        detail_table(runs),
    ]


def show(measured: Run) -> None:
    """List what was missed and what was found and should not have been."""
    for scored in measured.scored:
        if not scored.missed and not scored.false:
            continue
        print(f"\n{scored.item.id} ({scored.item.speaker or scored.item.path}): {scored.item.text!r}")
        for fact in scored.missed:
            kinds = ", ".join(map(str, (fact.kind, *fact.also)))
            print(f"  missed  {kinds}: {fact.span!r}, must say {list(fact.must)}")
        for find in scored.false:
            print(f"  false   {find.kind}: {find.text!r}")


def main(arguments: Sequence[str], extractor: Extractor = shipped) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench extraction", description=__doc__)
    parser.add_argument("sets", nargs="*", choices=[[], *SETS], help="which; left out, all")
    parser.add_argument("--show", action="store_true", help="list what was missed and what was found wrongly")
    parser.add_argument("--check", action="store_true", help="only look whether the labels are well-formed")
    parser.add_argument("--out", type=Path, help="where the page goes; left out, bench/results for all sets")
    chosen = parser.parse_args(arguments)
    names = [name for name in SETS if name in (chosen.sets or SETS)]
    faults = [f"{name}: {fault}" for name in names for fault in find_faults(read_set(name))]
    if faults or chosen.check:
        print("\n".join(faults) or "the labels are well-formed")
        return 1 if faults else 0
    try:
        runs = [run(name, extractor) for name in names]
    except ModuleNotFoundError as problem:
        if problem.name != EXTRACTION:
            raise
        print(f"there are no rules to measure yet: {EXTRACTION} is missing")
        return 1
    if chosen.show:
        for measured in runs:
            show(measured)
    sections = page(runs, "make bench-extraction")
    print("\n" + overall_table(runs) + "\n")
    for measured in runs:
        print(f"{measured.name}\n{kind_table(measured.scored)}\n")
    if chosen.out is not None or len(runs) == len(SETS):
        print("written to", write_page(chosen.out or RESULTS, "extraction", sections, {}))
    return 0
