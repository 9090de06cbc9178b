"""A document: what of its sentences, lists and tables is kept; of source code only what is left to do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import PurePosixPath

import msgspec

from heldtrue.domain.extracted import Extracted
from heldtrue.domain.judged import JudgeUnits
from heldtrue.domain.limits import EXTRACTION_CHARS_MAX
from heldtrue.domain.memory import Kind
from heldtrue.language.dates import find_dates
from heldtrue.language.extraction.blanking import blank_non_statements
from heldtrue.language.extraction.choice import current_thresholds, is_doubted
from heldtrue.language.extraction.clause_spans import lower_text
from heldtrue.language.extraction.draft import Draft, Scene, finish_draft
from heldtrue.language.extraction.judgements import JudgedSentence, TextContext, judge_sentences
from heldtrue.language.extraction.marks import tell_mark
from heldtrue.language.extraction.sections import name_heading, name_section
from heldtrue.language.extraction.sentence_spans import Sentence, split_sentences
from heldtrue.language.extraction.speaker_names import name_authors
from heldtrue.language.extraction.statements import StatementWriter
from heldtrue.language.extraction.tables import TableRow, read_table_rows
from heldtrue.language.extraction.validity_times import read_iso_day
from heldtrue.language.guard import guarded

_CODE = frozenset(
    """py pyi ts tsx js jsx mjs go rs java kt c h cc cpp hpp cs rb php swift scala sh bash zsh sql lua r jl pl ex exs hs
    css scss vue svelte tf dart m mm clj erl""".split()
)  # fmt: skip
_DATA = frozenset(
    "csv tsv json jsonl yaml yml toml ini cfg conf log lock xml svg ipynb env properties parquet out".split()
)
_NO_STATEMENTS = frozenset("changelog changes history license licence copying authors".split())
_TODO = (
    r"(?:#|//|/\*|--|<!--|;|\*)\s{0,4}(?P<mark>(?:TODO|FIXME|XXX)\b)\s?(?:\((?P<owner>[^)\n]{1,40})\))?\s?:?\s{0,4}"
    r"(?P<task>[^\n]{4,240})"
)
_DEFINES = (
    r"^(?:\*\*|__|\"|“)([^*_\"”\n]{2,60})(?:\*\*|__|\"|”):?\s(?:\([^)]{1,40}\)\s)?(?:is|are|means?"
    r"|refers to|denotes|stands for|describes|[-–—:])\s"
)
_PLACEHOLDER = re.compile(r"\[[a-z _-]{2,30}\](?!\()|<[a-z _-]{2,30}>|\{\{|lorem ipsum", re.IGNORECASE)
_DATED = re.compile(r"^\W{0,4}(?:date|decided on|datum)\W{0,4}\s", re.IGNORECASE)
_HEADING_CHARS = 40


@cache
def _rules() -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(_TODO, re.MULTILINE), re.compile(_DEFINES, re.IGNORECASE)


def extract_document(
    text: str,
    *,
    judge: JudgeUnits | None,
    path: str | None = None,
    title: str | None = None,
    project: str | None = None,
    said_at: int | None = None,
) -> list[Extracted]:
    """What a document says that is worth remembering; of code only open tasks, of data nothing.

    Without a reader to judge, that is what the document marks in so many words.
    """
    name = PurePosixPath((path or title or "").replace("\\", "/").lower())
    ending = name.suffix.lstrip(".")
    if ending in _DATA or name.stem in _NO_STATEMENTS:
        return []
    text = text[:EXTRACTION_CHARS_MAX]
    scene = Scene(
        name_authors(project), project, said_at, is_document=True, keeps_first=frozenset((project,) if project else ())
    )
    if ending in _CODE:
        drafts = list(_find_open_tasks(text))
    else:
        drafts = _DocumentReader(scene).read(text, judge)
    return [done for draft in drafts if (done := finish_draft(draft, scene))]


def _find_open_tasks(text: str) -> Iterator[Draft]:
    """`TODO(Ravi): make the limit configurable` in the comments of a source file."""
    if "TODO" not in text and "FIXME" not in text and "XXX" not in text:
        return
    for found in _rules()[0].finditer(text):
        owner = (found["owner"] or "").strip()
        task = found["task"].split("*/")[0].split("-->")[0].rstrip()
        words = f"To do, {owner}: {task}" if owner else f"To do: {task}"
        end = found.start("task") + len(task)
        yield Draft(Kind.TASK_HINT, "is marked as to do", words, found.start("mark"), end)


class _DocumentReader:
    """Reads a document from top to bottom and remembers the section that it is in."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._writer = StatementWriter(scene)
        self._section = ""
        self._decided: int | None = None

    def read(self, text: str, judge: JudgeUnits | None) -> list[Draft]:
        cleaned = blank_non_statements(text, keeps_tables=True)
        rows = {row.start: row for row in read_table_rows(cleaned)}
        sentences = [
            sentence
            for sentence in split_sentences(cleaned)
            if sentence.start in rows or (sentence.text.count("|") < 2 and not _PLACEHOLDER.search(sentence.text))
        ]
        context = TextContext(text, "document", self._scene.project is not None)
        drafts: list[Draft] = []
        for judged in judge_sentences(sentences, context, judge):
            drafts += self._read_sentence(judged, rows.get(judged.sentence.start))
        return drafts

    @guarded(lambda *_given: [])
    def _read_sentence(self, judged: JudgedSentence, row: TableRow | None) -> Sequence[Draft]:
        sentence = judged.sentence
        low = lower_text(sentence.text)
        if row is not None:
            return self._read_row(judged, row)
        if sentence.heading:
            self._section = name_heading(low)
            self._writer.start_section()
            return ()
        section = name_section(low)
        if not section and not sentence.bullet and len(low) < _HEADING_CHARS:
            section = name_heading(low)
        if section:
            self._section = section
            return ()
        if _DATED.match(low):
            self._decided = _read_date(sentence.text)
            return ()
        if _rules()[1].match(sentence.text) and not is_doubted(judged):
            plain = sentence.text.replace("**", "").replace("__", "")
            return (Draft(Kind.ENTITY, "says what it means", plain, sentence.start, sentence.end),)
        return [self._finish(draft) for draft in self._writer.write(judged, self._marking_section(sentence))]

    def _marking_section(self, sentence: Sentence) -> str:
        """The section, where it says what this sentence is: each item of it, and prose under decisions and lessons."""
        return self._section if sentence.bullet or self._section in ("decision", "lesson") else ""

    def _read_row(self, judged: JudgedSentence, row: TableRow) -> Sequence[Draft]:
        """A row that the reader keeps, or without a reader one in a section that marks it."""
        if judged.whole is None:
            marks = {"decision": Kind.DECISION, "convention": Kind.CONVENTION, "lesson": Kind.LESSON}
            marks["task"] = Kind.TASK_HINT
            kind = marks.get(self._section)
            return (Draft(kind, tell_mark(kind), row.text, row.start, row.end),) if kind else ()
        if judged.whole.score < current_thresholds().document:
            return ()
        return (Draft(judged.whole.kind, "is a row of a table", row.text, row.start, row.end),)

    def _finish(self, draft: Draft) -> Draft:
        decided = self._decided if draft.kind is Kind.DECISION else None
        return msgspec.structs.replace(draft, text=draft.text.replace("**", ""), valid_from=decided)


def _read_date(text: str) -> int | None:
    dates = find_dates(text)
    return read_iso_day(dates[0].canonical) if dates else None
