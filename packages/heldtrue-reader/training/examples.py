"""Makes training examples of the labelled texts: pairs of statements, units in their context, and single statements.

`python examples.py OUT.npz` writes the tokens and answers that `train.py` reads, with a digest of all labels.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy
from frames import put, read_frames
from labels import ACTS, KINDS, Fact, Item, PairFact, read_pairs, read_statements, read_units
from tokenizers import Tokenizer

from heldtrue.domain.judged import UnitInContext
from heldtrue.language.extraction.clause_spans import split_clause_spans
from heldtrue.language.extraction.sentence_spans import split_sentences
from heldtrue.language.value_forms import bring_to_one_form
from heldtrue.models.reader_input import TOKENS_MAX, PairInput, Tokens, pair_tokens, unit_tokens

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SAYS, CONTRADICTS, NEITHER = 0, 1, 2
RELATIONS = {"says": SAYS, "contains": SAYS, "contradicts": CONTRADICTS, "sibling": NEITHER, "near_miss": NEITHER}
FRAMES = read_frames(HERE / "frames.txt")
FRAMED = (("repeated", 7, SAYS, "framed"), ("denied", 6, CONTRADICTS, "denied"), ("open", 6, NEITHER, "open"))
"""Frames, how many of them a fact is put into, and what that makes of it."""
EARLIER_SETS = ("tuning", "second", "voices_a", "voices_b", "voices_c")
DEV_SHARE = 0.08
PARTIAL = 0.3
"""How much a unit counts that holds a part of a fact only."""


@dataclass
class Pair:
    said: str
    held: str
    answer: int
    sort: str
    dev: bool


def pairs_of(fact: PairFact, others: list[PairFact], chance: random.Random, *, dev: bool) -> Iterator[Pair]:
    """Every sentence against its fact, in frames and turned round where that keeps the answer."""

    def pair(said: str, held: str, answer: int, sort: str) -> Pair:
        return Pair(said, held, answer, sort, dev)

    english = [(relation, said) for language, relation, said in fact.others if language == "en"]
    says = [said for relation, said in english if relation == "says"]
    wordings = [fact.text, *says]
    yield pair(fact.text, fact.text, SAYS, "same")
    for language, relation, said in fact.others:
        yield pair(said, fact.text, RELATIONS[relation], relation if language == "en" else f"foreign_{relation}")
    for relation, said in english:
        if relation == "says":
            yield pair(fact.text, said, SAYS, "turned")
        elif relation == "contains":
            yield pair(said, chance.choice(says), SAYS, "contains_reworded")
        else:
            yield pair(fact.text, said, RELATIONS[relation], f"turned_{relation}")
            yield pair(said, chance.choice(says), RELATIONS[relation], f"reworded_{relation}")
            yield pair(
                put(chance.choice(FRAMES["repeated"]), said), fact.text, RELATIONS[relation], f"framed_{relation}"
            )
    if len(says) > 1:
        first, second = chance.sample(says, 2)
        yield pair(first, second, SAYS, "says_says")
    for frames, count, answer, sort in FRAMED:
        for frame in chance.sample(FRAMES[frames], count):
            held = chance.choice(wordings) if answer == SAYS else fact.text
            yield pair(put(frame, chance.choice(wordings)), held, answer, sort)
    wrong = [said for relation, said in english if relation == "contradicts"]
    for other in chance.sample(others, min(3, len(others))):
        yield pair(other.text, fact.text, NEITHER, "other")
        together = [other.text, chance.choice(wordings)]
        yield pair(" ".join(chance.sample(together, 2)), fact.text, SAYS, "joined")
        if wrong:
            yield pair(f"{chance.choice(wrong)} {other.text}", fact.text, CONTRADICTS, "joined_contradicts")


def all_pairs(chance: random.Random) -> list[Pair]:
    """The pairs of all files; a share of the facts is kept for choosing thresholds."""
    pairs = []
    for path in sorted((HERE / "pairs").glob("*.txt")):
        facts = read_pairs(path.read_text("utf-8"))
        by_domain: dict[str, list[PairFact]] = {}
        for fact in facts:
            by_domain.setdefault(fact.domain, []).append(fact)
        for fact in facts:
            others = [other for other in by_domain[fact.domain] if other is not fact]
            pairs += pairs_of(fact, others, chance, dev=_is_dev(fact.text))
    return pairs


def _is_dev(text: str) -> bool:
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % 100 < DEV_SHARE * 100


def earlier_items() -> Iterator[Item]:
    """The labelled messages of the benchmarks that rules and weights were made on."""
    for name in EARLIER_SETS:
        for line in (ROOT / "bench/extraction" / f"{name}.jsonl").read_text("utf-8").splitlines():
            read = json.loads(line)
            header = {"role": read.get("role", "user"), "sort": read["sort"], "project": read.get("project") or ""}
            before = (read.get("before") or [{}])[-1].get("text", "")
            facts = [
                Fact((fact["kind"], *fact["also"]), fact["span"], tuple(fact["must"]))
                for fact in read["facts"]
                if fact["kind"] in KINDS
            ]
            yield Item(header, before, read["text"], facts)


@dataclass
class Unit:
    given: UnitInContext
    answer: list[float]
    """By kind, then whether it is worth keeping."""
    weight: float
    dev: bool


def units_of(text: str) -> list[tuple[int, int]]:
    """The start and end of every unit of a text, in order; a sentence comes before its clauses."""
    spans: dict[tuple[int, int], None] = {}
    for sentence in split_sentences(text):
        spans[sentence.start, sentence.end] = None
        clauses = split_clause_spans(sentence)
        if len(clauses) > 1:
            spans |= dict.fromkeys((clause.start, clause.end) for clause in clauses)
    return list(spans)


def units_of_item(item: Item) -> Iterator[Unit]:
    """Every unit of a message with what of its facts it holds."""
    dev = _is_dev(item.text)
    for start, end in units_of(item.text):
        given = UnitInContext(
            text=item.text,
            start=start,
            end=end,
            role="document" if item.header.get("sort") == "document" else item.header.get("role", "user"),
            has_project=bool(item.header.get("project")),
            before=item.before,
        )
        answer, weight = _answer_of(item, start, end)
        if answer is not None:
            yield Unit(given, answer, weight, dev)


def _answer_of(item: Item, start: int, end: int) -> tuple[list[float] | None, float]:
    kinds: set[str] = set()
    touched = False
    for fact in item.facts:
        at = item.text.find(fact.span)
        shared = min(end, at + len(fact.span)) - max(start, at)
        if shared <= 0:
            continue
        if not fact.kinds:
            return None, 0.0
        if shared >= 0.8 * len(fact.span):
            kinds |= {kind for kind in fact.kinds if kind in KINDS}
        touched = True
    answer = [float(kind in kinds) for kind in KINDS] + [float(bool(kinds))]
    return answer, 1.0 if kinds or not touched else PARTIAL


def main(out: str) -> None:
    """Write all examples as tokens."""
    chance = random.Random(20261118)
    tokenizer = Tokenizer.from_file(str(HERE.parent / "src/heldtrue_reader/tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    rows: list[Tokens] = []
    answers: list[list[float]] = []
    task, weights, dev, sorts = [], [], [], []

    def add(tokens: Tokens, number: int, answer: list[float], weight: float) -> None:
        rows.append(tokens)
        task.append(number)
        answers.append(answer + [0.0] * (17 - len(answer)))
        weights.append(weight)

    for pair in all_pairs(chance):
        add(
            pair_tokens(tokenizer, PairInput(bring_to_one_form(pair.said), bring_to_one_form(pair.held))),
            0,
            [float(pair.answer == n) for n in range(3)],
            1.0,
        )
        dev.append(pair.dev)
        sorts.append(pair.sort)
    items = [item for path in sorted((HERE / "units").glob("*.txt")) for item in read_units(path.read_text("utf-8"))]
    for item in [*items, *earlier_items()]:
        for unit in units_of_item(item):
            add(unit_tokens(tokenizer, unit.given), 1, unit.answer, unit.weight)
            dev.append(unit.dev)
            sorts.append("unit")
    for path in sorted((HERE / "statements").glob("*.txt")):
        for act, text in read_statements(path.read_text("utf-8")):
            given = UnitInContext(text=text, start=0, end=len(text), role="statement", has_project=False, before="")
            add(unit_tokens(tokenizer, given), 2, [float(act == name) for name in ACTS], 1.0)
            dev.append(_is_dev(text))
            sorts.append("statement")
    flat = numpy.array([token for row in rows for token in row.ids], dtype=numpy.uint16)
    numpy.savez_compressed(
        out,
        tokens=flat,
        lengths=numpy.array([len(row.ids) for row in rows], dtype=numpy.int32),
        spans=numpy.array([(row.first, row.start, row.end) for row in rows], dtype=numpy.int16),
        task=numpy.array(task, dtype=numpy.int8),
        answers=numpy.array(answers, dtype=numpy.float16),
        weights=numpy.array(weights, dtype=numpy.float16),
        dev=numpy.array(dev),
        sorts=numpy.array(sorts),
        digest=numpy.array(digest_labels()),
    )
    print(f"{len(rows)} examples; longest {max(len(row.ids) for row in rows)} of {TOKENS_MAX} tokens")
    for number, name in enumerate(("pairs", "units", "statements")):
        print(f"  {name}: {task.count(number)}")


def digest_labels() -> str:
    """A digest of everything that is trained on."""
    digest = hashlib.sha256()
    files = sorted(path for folder in ("pairs", "units", "statements") for path in (HERE / folder).glob("*.txt"))
    files += [HERE / "frames.txt", *(ROOT / "bench/extraction" / f"{name}.jsonl" for name in EARLIER_SETS)]
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()


if __name__ == "__main__":
    main(sys.argv[1])
