"""Learns the weights by which extraction tells what is worth keeping: `python tools/train_extraction.py`.

Trained on the labelled sets that are named in TRAINED and on single sentences beside this file. With --leave-out, each
set is measured by weights that were learned without it, which is the figure to improve; the sentences were written
with the errors on the voices in sight. The sets aside and voices_d are never read here, and no sentence of a test is.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import numpy

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "src")]

from bench.extraction import LEFT_OUT, SORTS, LeftOut, run  # noqa: E402  (the benchmark is not installed)
from bench.extraction.labels import Labelled, read_set  # noqa: E402
from bench.extraction.scoring import Scored, add_up, contains_all  # noqa: E402
from heldtrue.language.extraction import learned  # noqa: E402
from heldtrue.language.extraction.blanking import blank_non_statements  # noqa: E402
from heldtrue.language.extraction.clause_selection import list_units, look_around  # noqa: E402
from heldtrue.language.extraction.clause_spans import split_clause_spans  # noqa: E402
from heldtrue.language.extraction.sentence_spans import Sentence, split_sentences  # noqa: E402
from heldtrue.language.extraction.speaker_names import name_authors, name_people  # noqa: E402
from heldtrue.language.extraction.traits import read_traits  # noqa: E402
from heldtrue.language.extraction.wording import reword  # noqa: E402

TRAINED = ("tuning", "second", "voices_a", "voices_b", "voices_c")
SENTENCES = HERE / "extraction_sentences.txt"
"""One a line; a line that begins with # names the kinds that are right for those below it, and where they stand."""
TRAITS_MAX = 9000
"""How many traits are kept: those that weigh most."""
RIDGE = 2.5
"""How much a large weight costs."""
ROUNDS = 150
SPOKEN = ("user", "assistant")

Example = tuple[set[str], frozenset[str]]
"""The traits of a clause, and the kinds that would be right for it."""


def read_examples(item: Labelled) -> Iterator[Example]:
    """What of an item could be kept, and as what that would be right."""
    if item.sort == "message" and item.role not in SPOKEN:
        return
    is_document = item.sort == "document"
    people = name_authors(item.project) if is_document else name_people(item.speaker, item.role, item.project)
    sentences = split_sentences(blank_non_statements(item.text, keeps_tables=is_document))
    for index, sentence in enumerate(sentences):
        around = look_around(
            sentences, index, role=item.role, is_document=is_document, has_project=item.project is not None
        )
        clauses = split_clause_spans(sentence)
        for unit in list_units(sentence, clauses):
            said = f"{item.speaker or ''}: {reword(unit.text, people) or unit.text}"
            yield read_traits(unit, around), frozenset(_right_kinds(item, sentence, said))


def _right_kinds(item: Labelled, sentence: Sentence, said: str) -> Iterator[str]:
    for fact in item.facts:
        start = item.text.find(fact.span)
        if start < sentence.end and sentence.start < start + len(fact.span) and contains_all(said, fact.must):
            yield from map(str, (fact.kind, *fact.also))


def read_sentences() -> Iterator[Example]:
    """The single sentences."""
    kinds: frozenset[str] = frozenset()
    place = ""
    for line in SENTENCES.read_text("utf-8").splitlines():
        if line.startswith("# "):
            *names, place = line[2:].split()
            kinds = frozenset(names) - {"none"}
        elif line:
            sentences = split_sentences(line)
            around = look_around(sentences, 0, is_document=place == "@doc", has_project=place == "@project")
            for unit in list_units(sentences[0], split_clause_spans(sentences[0]))[-1:]:
                yield read_traits(unit, around), kinds


class Table:
    """Traits of examples as a sparse matrix: all values in a row are alike."""

    def __init__(self, rows: Sequence[Sequence[int]], width: int) -> None:
        sizes = numpy.array([len(row) for row in rows])
        self.width = width
        self._columns = numpy.concatenate([numpy.array(row, numpy.int64) for row in rows])
        self._values = numpy.repeat(learned.SCALE / numpy.sqrt(sizes), sizes).astype(numpy.float32)[:, None]
        self._starts = numpy.concatenate([[0], numpy.cumsum(sizes)[:-1]])
        order = numpy.argsort(self._columns, kind="stable")
        self._rows_sorted = numpy.repeat(numpy.arange(len(rows)), sizes)[order]
        self._values_sorted = self._values[order]
        self._present, self._column_starts = numpy.unique(self._columns[order], return_index=True)

    def times(self, weights: numpy.ndarray) -> numpy.ndarray:
        return numpy.add.reduceat(weights[self._columns] * self._values, self._starts, axis=0)

    def turned_times(self, errors: numpy.ndarray) -> numpy.ndarray:
        out = numpy.zeros((self.width, errors.shape[1]), numpy.float32)
        out[self._present] = numpy.add.reduceat(
            errors[self._rows_sorted] * self._values_sorted, self._column_starts, axis=0
        )
        return out


def learn(table: Table, right: numpy.ndarray) -> numpy.ndarray:
    """Logistic regression, one for each kind, by accelerated gradient descent."""
    direction = numpy.random.default_rng(0).standard_normal((table.width, 1)).astype(numpy.float32)
    steepness = 1.0
    for _ in range(12):
        direction = table.turned_times(table.times(direction))
        steepness = float(numpy.linalg.norm(direction))
        direction /= steepness
    rate = 1 / (0.25 * steepness + RIDGE)
    weights = numpy.zeros((table.width, right.shape[1]), numpy.float32)
    ahead, momentum = weights, 1.0
    for _ in range(ROUNDS):
        error = 1 / (1 + numpy.exp(-table.times(ahead))) - right
        following = ahead - rate * (table.turned_times(error) + RIDGE * ahead)
        grown = (1 + (1 + 4 * momentum**2) ** 0.5) / 2
        ahead = following + (momentum - 1) / grown * (following - weights)
        weights, momentum = following, grown
    return weights


def train(examples: Sequence[Example]) -> bytes:
    """The packed weights of the traits that weigh most; those are learned once more by themselves."""
    seen = Counter(trait for traits, _ in examples for trait in traits)
    names = sorted(trait for trait, count in seen.items() if count > 1)
    weights = _learn_names(examples, names)
    weight = numpy.abs(weights).max(axis=1) * numpy.sqrt([seen[name] for name in names])
    names = sorted(names[index] for index in numpy.argsort(-weight, kind="stable")[:TRAITS_MAX])
    weights = _learn_names(examples, names)
    step = float(numpy.abs(weights).max()) / 127
    table = numpy.clip(numpy.rint(weights / step) + 128, 0, 255).astype(numpy.uint8)
    return learned.pack_weights({name: row.tobytes() for name, row in zip(names, table, strict=True)}, step)


def _learn_names(examples: Sequence[Example], names: Sequence[str]) -> numpy.ndarray:
    places = {name: index for index, name in enumerate(names)}
    rows = [sorted(places[trait] for trait in traits if trait in places) for traits, _ in examples]
    right = numpy.array([[kind in kinds for kind in map(str, learned.KINDS)] for _, kinds in examples], numpy.float32)
    return learn(Table(rows, len(names)), right)


def measure(name: str, packed: bytes) -> list[LeftOut]:
    """What extraction with these weights does on a set; the weights that are shipped stay as they are."""
    shipped = learned.WEIGHTS
    with TemporaryDirectory() as folder:
        learned.WEIGHTS = Path(folder, "weights.bin")
        learned.WEIGHTS.write_bytes(packed)
        learned.load_weights.cache_clear()
        try:
            done = run(name)
        finally:
            learned.WEIGHTS = shipped
            learned.load_weights.cache_clear()
    return [_count(f"{name}, {plural}", done.of_sort(sort)) for plural, sort in SORTS.items()]


def _count(name: str, scored: Sequence[Scored]) -> LeftOut:
    figures = add_up(scored)
    empty = [score for score in scored if not score.item.facts]
    kept = sum(bool(score.false) for score in empty)
    return LeftOut(
        name=name,
        labelled=figures.labelled,
        found=figures.found,
        right=figures.right,
        empty=len(empty),
        kept=kept,
    )


def main() -> None:
    """Write the weights, or measure each set without it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leave-out", action="store_true", help="measure each set by weights learned without it")
    leaves_out = parser.parse_args().leave_out
    examples = {name: [example for item in read_set(name) for example in read_examples(item)] for name in TRAINED}
    single = list(read_sentences())
    if not leaves_out:
        packed = train([*single, *(example for name in TRAINED for example in examples[name])])
        learned.WEIGHTS.write_bytes(packed)
        print(f"{len(packed)} bytes written to {learned.WEIGHTS}")
        return
    rows: list[LeftOut] = []
    for held in TRAINED:
        rows += measure(
            held, train([*single, *(example for name in TRAINED if name != held for example in examples[name])])
        )
        print(*rows[-2:], sep="\n", flush=True)
    LEFT_OUT.write_bytes(msgspec.json.format(msgspec.json.encode(rows)) + b"\n")
    print(f"written to {LEFT_OUT}; `make bench-extraction` puts it on the page")


if __name__ == "__main__":
    main()
