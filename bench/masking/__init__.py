"""How much of the secrets and personal data in texts is masked at the gate, and how many clean texts are changed.

A file has one JSON object a line: {"kind": "iban", "text": "...", "secrets": ["what must not be stored"]}, or
{"kind": "clean", "text": "..."}. Each text is learned and captured in a real home. A seeded text is missed if any of
its secrets is in any row of the database afterwards; a clean text is changed if what is stored differs from it.
`own.jsonl` was written by the author of the rules, so its figures say what the rules were made for, no more.
`aside.jsonl`, where it exists, was written by somebody who had not seen the rules: its figures count.
`python -m bench masking` reads both; `python -m bench masking FILE` reads another file.
"""

from __future__ import annotations

import argparse
import json
import re
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from heldtrue import HeldtrueError, Memory
from heldtrue.language.normalise import clean_text

OWN = Path(__file__).parent / "own.jsonl"
ASIDE = Path(__file__).parent / "aside.jsonl"
CLEAN = "clean"
MASKED_AT_LEAST, CHANGED_AT_MOST = 0.97, 0.005


@dataclass(frozen=True)
class Sample:
    """A text, and what of it must not be stored."""

    kind: str
    text: str
    secrets: tuple[str, ...] = ()


@dataclass
class Masked:
    """What became of the samples."""

    seeded: dict[str, int] = field(default_factory=dict)
    missed: list[Sample] = field(default_factory=list)
    clean: int = 0
    changed: list[tuple[str, str]] = field(default_factory=list)
    """Clean texts, and what was stored of them."""

    @property
    def masked_share(self) -> float:
        seeded = sum(self.seeded.values())
        return 1 - len(self.missed) / seeded if seeded else 1.0

    @property
    def changed_share(self) -> float:
        return len(self.changed) / self.clean if self.clean else 0.0

    @property
    def is_good(self) -> bool:
        return self.masked_share >= MASKED_AT_LEAST and self.changed_share <= CHANGED_AT_MOST


def read_samples(path: Path) -> list[Sample]:
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    return [Sample(row["kind"], row["text"], tuple(row.get("secrets", ()))) for row in rows]


def try_samples(samples: Iterable[Sample], folder: Path) -> Masked:
    """Send each sample through the gate: every seeded one in a home of its own, the clean ones together in one."""
    met = Masked()
    clean = []
    for number, sample in enumerate(samples):
        if sample.kind == CLEAN:
            clean.append(sample)
            continue
        met.seeded[sample.kind] = met.seeded.get(sample.kind, 0) + 1
        home = folder / f"seeded-{number}"
        _send(home, [sample.text])
        stored = list(_stored_texts(home))
        if any(_is_in(secret, stored) for secret in sample.secrets):
            met.missed.append(sample)
    met.clean = len(clean)
    for sample, kept in zip(clean, _send(folder / "clean", [sample.text for sample in clean]), strict=True):
        if kept != clean_text(sample.text):
            met.changed.append((sample.text, kept))
    return met


def _send(home: Path, texts: Sequence[str]) -> list[str]:
    """Learn and capture texts, and return what each was stored as."""
    kept = []
    with Memory.open(home) as memory:
        for number, text in enumerate(texts):
            captured = memory.capture(text, thread=f"text-{number}", extract=True)
            try:
                learned = memory.learn(text)
                content = learned.memory.content if learned.memory is not None else clean_text(text)
            except HeldtrueError as problem:  # a text that cannot be a memory, such as one that is too long
                content = clean_text(text) if problem.code == "too_large" else f"refused: {problem.message}"
            masked = [note for note in captured.notes if "was masked" in note]
            kept.append(masked[0] if masked and content == clean_text(text) else content)
        if len(texts) == 1:
            memory.work()
            memory.recall(texts[0][:400])
    return kept


def _stored_texts(home: Path) -> Iterator[str]:
    """Every text in every row of every table."""
    with closing(sqlite3.connect(f"file:{home / 'heldtrue.db'}?mode=ro", uri=True)) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            for row in database.execute(f'SELECT * FROM "{table}"'):
                yield from (value for value in row if isinstance(value, str))


def _is_in(secret: str, stored: Sequence[str]) -> bool:
    """Whether a secret stands in a stored text; a short number inside an id or a time is not the secret."""
    alone = re.compile(rf"(?<![\w-]){re.escape(secret)}(?![\w-])") if len(secret) < 8 else None
    spelled = json.dumps(secret)[1:-1]
    return any(alone.search(text) if alone else secret in text or spelled in text for text in stored)


def show(name: str, met: Masked, *, with_texts: bool) -> None:
    seeded = sum(met.seeded.values())
    print(f"{name}: {seeded - len(met.missed)} of {seeded} masked ({met.masked_share:.1%}), "
          f"{len(met.changed)} of {met.clean} clean texts changed ({met.changed_share:.2%})")  # fmt: skip
    for kind, count in sorted(met.seeded.items()):
        missed = [sample for sample in met.missed if sample.kind == kind]
        print(f"  {kind:<28} {count - len(missed):>4} of {count}")
        if with_texts:
            for sample in missed:
                print(f"      missed: {sample.text!r}")
    if with_texts:
        for text, kept in met.changed:
            print(f"  changed: {text!r}\n       to: {kept!r}")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench masking", description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, help="a file of samples; default: own.jsonl and aside.jsonl")
    parser.add_argument("--show", action="store_true", help="also print what was missed or changed")
    wanted = parser.parse_args(arguments)
    files = [wanted.file] if wanted.file else [path for path in (OWN, ASIDE) if path.exists()]
    is_good = True
    for path in files:
        with tempfile.TemporaryDirectory() as folder:
            met = try_samples(read_samples(path), Path(folder))
        show(path.name, met, with_texts=wanted.show)
        is_good = is_good and met.is_good
    return 0 if is_good else 1
