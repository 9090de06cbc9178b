"""`python -m bench extraction`: what is found in labelled messages and documents, and what should not be found.

The reader is trained on five of the sets, so their figures are those of texts already seen. All others are only
measured. `--thresholds` shows what other thresholds would give on the items that training leaves out.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from pathlib import Path
from statistics import median

import msgspec

from bench.extraction.judges import KeptJudge
from bench.extraction.labels import (
    HELD_OUT,
    TRAINED_SETS,
    Labelled,
    find_faults,
    line_of,
    read_development,
    read_set,
    read_unit_file,
)
from bench.extraction.scoring import (
    Figures,
    Found,
    Scored,
    add_up,
    add_up_aspects,
    add_up_by_kind,
    junk_rate,
    overlaps,
    score,
)
from bench.machine import describe_machine
from bench.pages import RESULTS, machine_lines, table, write_page
from heldtrue.domain.judged import JudgeUnits
from heldtrue.language.extraction import extract_document, extract_message
from heldtrue.language.extraction.choice import THRESHOLDS, try_thresholds

Extractor = Callable[[Labelled], Sequence[Found]]
MEASURED_SETS = ("aside", "voices_d")
HELD_OUT_SETS = ("voices", "genre", "snippets")
"""Files in bench/held_out/units; each is reported if it is there."""
SETS = (*TRAINED_SETS, *MEASURED_SETS, *HELD_OUT_SETS)
"""In the order in which they are reported: those that were trained on, and those that are only measured."""
KIND_HEADS = ("kind", "labelled", "found", "right", "precision, %", "recall, %")
SORTS = {"messages": "message", "documents": "document"}
TRIED = (0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)


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


def shipped(judge: JudgeUnits | None) -> Extractor:
    """Heldtrue's own extraction; without a judge, only what is marked."""

    def extract(item: Labelled) -> Sequence[Found]:
        if item.sort == "document":
            return extract_document(
                item.text,
                judge=judge,
                path=item.path,
                project=item.project,
                said_at=said_at(item),
            )
        return extract_message(
            item.text,
            judge=judge,
            speaker=item.speaker,
            role=item.role,
            project=item.project,
            said_at=said_at(item),
            before=[(turn.speaker, turn.text) for turn in item.before],
        )

    return extract


def run(name: str, items: Iterable[Labelled], extractor: Extractor) -> Run:
    """Extract from every item of a set."""
    return Run(name, [score(item, extractor(item)) for item in items])


def read_items(name: str) -> list[Labelled]:
    """The items of a set, wherever it is kept; none where it is not there yet."""
    if name not in HELD_OUT_SETS:
        return read_set(name)
    path = HELD_OUT / f"{name}.txt"
    return read_unit_file(path) if path.exists() else []


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
            if not scored:
                continue
            empty = sum(not each.item.facts and not each.item.optional for each in scored)
            rows.append([*_row(f"{measured.name}, {plural}", add_up(scored)), str(empty), percent(junk_rate(scored))])
    return table((*("set", *KIND_HEADS[1:]), "with nothing", "junk rate, %"), rows)


def aspect_table(runs: Sequence[Run]) -> str:
    """What is worth keeping, of which kind it is and how it is worded, each by itself."""
    rows = []
    for measured in runs:
        for plural, sort in SORTS.items():
            if scored := measured.of_sort(sort):
                rows.append([f"{measured.name}, {plural}", *_aspects(scored)])
    return table(("set", "worth keeping: precision, %", "recall, %", "kind, %", "wording, %"), rows)


def _aspects(scored: Sequence[Scored]) -> list[str]:
    aspects = add_up_aspects(scored)
    shares = [right / asked if asked else None for right, asked in (aspects.kind, aspects.wording)]
    return [percent(aspects.worth.precision), percent(aspects.worth.recall), *map(percent, shares)]


def threshold_table(judge: JudgeUnits) -> str:
    """What several thresholds give on the items that training leaves out."""
    items = read_development()
    rows = []
    for sort in SORTS.values():
        chosen = [item for item in items if item.sort == sort]
        for tried in (*TRIED, None):
            thresholds = THRESHOLDS
            if tried is not None:
                thresholds = msgspec.structs.replace(THRESHOLDS, sentence=tried, clause=tried, document=tried)
            with try_thresholds(thresholds):
                scored = run("development", chosen, shipped(judge)).scored
            name = f"{sort}, {'as set' if tried is None else tried}"
            rows.append([*_row(name, add_up(scored)), percent(junk_rate(scored)), *_aspects(scored)])
    heads = ("threshold", *KIND_HEADS[1:], "junk, %", "worth: precision, %", "recall, %", "kind, %", "wording, %")
    return table(heads, rows)


def detail_table(runs: Sequence[Run]) -> str:
    """How right the right finds are: strength, place, date, and how much longer they are than the labelled part."""
    rows = [[measured.name, *_details(measured)] for measured in runs]
    return table(("set", "strength, %", "overlaps its place, %", "line, %", "date, %", "length / span"), rows)


def _details(measured: Run) -> list[str]:
    pairs = [(scored.item, fact, find) for scored in measured.scored for fact, find in scored.right]
    strength = [str(find.strength) == fact.strength for _, fact, find in pairs]
    placed = [overlaps(item, fact.span, find) for item, fact, find in pairs]
    lines = [line_of(item.text, find.start) == fact.line for item, fact, find in pairs if fact.line is not None]
    dates = [_day(find.valid_from) == fact.valid_from for _, fact, find in pairs if fact.valid_from is not None]
    lengths = [len(find.text) / len(fact.span) for _, fact, find in pairs]
    return [*map(_share, (strength, placed, lines, dates)), f"{median(lengths):.2f}" if lengths else "-"]


def _share(held: Sequence[bool]) -> str:
    return percent(sum(held) / len(held) if held else None)


def _day(moment: int | None) -> str | None:
    return None if moment is None else datetime.fromtimestamp(moment / 1_000_000, UTC).date().isoformat()


def page(runs: Sequence[Run], command: str) -> list[str]:
    """The sections of extraction.md."""
    sections = [
        "# Extraction",
        f"`{command}`: memories from messages and from snippets of documents, as the reader judges them, without a "
        "language model. "
        "A find is right if it is of the labelled kind, or of one that is equally right, and says all that it must, "
        "with its subject resolved; each labelled fact is met once, and anything else that is found is false. Within a "
        "kind, precision goes by the kind that was found and recall by the kind that was labelled. The junk rate is "
        "the share of items with nothing worth keeping from which something was kept.",
        f"The reader is trained on {', '.join(TRAINED_SETS)}, all but the items by which thresholds are chosen, and on "
        "the texts in packages/heldtrue-reader/training: the figures of these sets are those of texts already seen. "
        "Nothing was trained or chosen on any other set: these are what to expect of new text.",
        machine_lines(describe_machine()),
        "## All together",
        overall_table(runs),
        "## Worth keeping, kind and wording",
        "The same by three questions. Worth keeping: finds that overlap a labelled span, and labelled spans that are "
        "overlapped by a find. Kind and wording: of the finds that overlap a labelled span, how many are of an "
        "accepted kind, and how many say all that one of these facts must say.",
        aspect_table(runs),
    ]
    for measured in runs:
        for plural, sort in SORTS.items():
            if scored := measured.of_sort(sort):
                sections += [f"## {measured.name}: {plural}", kind_table(scored)]
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


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench extraction", description=__doc__)
    parser.add_argument("sets", nargs="*", choices=[[], *SETS], help="which; left out, all")
    parser.add_argument("--show", action="store_true", help="list what was missed and what was found wrongly")
    parser.add_argument("--check", action="store_true", help="only look whether the labels are well-formed")
    parser.add_argument("--thresholds", action="store_true", help="try thresholds on the items left out of training")
    parser.add_argument("--marks", action="store_true", help="without the reader: only what texts mark")
    parser.add_argument("--judgements", type=Path, help="a file to keep what the reader said in, for the next run")
    parser.add_argument("--out", type=Path, help="where the page goes; left out, bench/results for all sets")
    chosen = parser.parse_args(arguments)
    names = [name for name in SETS if name in (chosen.sets or SETS)]
    faults = [
        f"{name}: {fault}" for name in names if name not in HELD_OUT_SETS for fault in find_faults(read_set(name))
    ]
    if faults or chosen.check:
        print("\n".join(faults) or "the labels are well-formed")
        return 1 if faults else 0
    judge = None if chosen.marks else KeptJudge(chosen.judgements)
    if chosen.thresholds and judge:
        print(threshold_table(judge))
        judge.save()
        return 0
    runs = [run(name, items, shipped(judge)) for name in names if (items := read_items(name))]
    if judge:
        judge.save()
    if chosen.show:
        for measured in runs:
            show(measured)
    print("\n" + overall_table(runs) + "\n\n" + aspect_table(runs) + "\n")
    for measured in runs:
        print(f"{measured.name}\n{kind_table(measured.scored)}\n")
    if chosen.out is not None or (not chosen.sets and judge):
        sections = page(runs, "make bench-extraction")
        print("written to", write_page(chosen.out or RESULTS, "extraction", sections, {}))
    return 0
