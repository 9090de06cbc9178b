"""A document: what its sections, lists, tables and sentences say; of source code only what is left to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import PurePosixPath

import msgspec

from heldtrue.domain.extracted import Extracted
from heldtrue.domain.limits import EXTRACTION_CHARS_MAX
from heldtrue.domain.memory import Kind
from heldtrue.language.dates import find_dates
from heldtrue.language.extraction.blanking import blank_non_statements
from heldtrue.language.extraction.clause_classifier import read_clause
from heldtrue.language.extraction.clause_finding import ClauseFinding
from heldtrue.language.extraction.clause_selection import SentenceScores, judge_sentence, look_around
from heldtrue.language.extraction.clause_spans import ClauseSpan, lower_text, split_clause_spans
from heldtrue.language.extraction.draft import Draft, Scene, finish_draft
from heldtrue.language.extraction.filters import find_fault, is_hearsay, is_question
from heldtrue.language.extraction.sections import name_heading, name_section
from heldtrue.language.extraction.sentence_spans import Sentence, split_sentences
from heldtrue.language.extraction.speaker_names import find_subject_phrase, name_authors, name_subject, points_back
from heldtrue.language.extraction.tables import read_table_rows
from heldtrue.language.extraction.traits import SentenceContext
from heldtrue.language.extraction.validity_times import read_iso_day
from heldtrue.language.grammar.lexicon import AUXILIARIES, VERBS
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


@cache
def _rules() -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(_TODO, re.MULTILINE), re.compile(_DEFINES, re.IGNORECASE)


def extract_document(
    text: str,
    *,
    path: str | None = None,
    title: str | None = None,
    project: str | None = None,
    said_at: int | None = None,
) -> list[Extracted]:
    """What a document says that is worth remembering; of code only open tasks, of data nothing."""
    name = PurePosixPath((path or title or "").replace("\\", "/").lower())
    ending = name.suffix.lstrip(".")
    if ending in _DATA or name.stem in _NO_STATEMENTS:
        return []
    scene = Scene(
        name_authors(project), project, said_at, is_document=True, keeps_first=frozenset((project,) if project else ())
    )
    drafts = (
        list(_find_open_tasks(text[:EXTRACTION_CHARS_MAX])) if ending in _CODE else _DocumentReader(scene).read(text)
    )
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
        yield Draft(
            ClauseFinding(Kind.TASK_HINT, "is marked as to do"), words, found.start("mark"), end, is_worded=True
        )


class _DocumentReader:
    """Reads a document from top to bottom and remembers the section and what was spoken of last."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._section = ""
        self._decided: int | None = None
        self._topic: str | None = None

    def read(self, text: str) -> list[Draft]:
        cleaned = blank_non_statements(text, keeps_tables=True)
        drafts = [
            Draft(ClauseFinding(self._plain_kind(), "is a row of a table"), words, start, end, is_worded=True)
            for words, start, end in read_table_rows(cleaned)
        ]
        sentences = split_sentences(cleaned)
        has_project = self._scene.project is not None
        for place, sentence in enumerate(sentences):
            if sentence.text.count("|") < 2:
                around = look_around(sentences, place, is_document=True, has_project=has_project)
                drafts.extend(self._read_guarded(sentence, around))
        return sorted(drafts, key=lambda draft: (draft.start, draft.end))

    def _plain_kind(self) -> Kind:
        return Kind.PROJECT if self._scene.project else Kind.NOTE

    @guarded(lambda *_given: [])
    def _read_guarded(self, sentence: Sentence, around: SentenceContext) -> list[Draft]:
        return list(self._read_sentence(sentence, around))

    def _read_sentence(self, sentence: Sentence, around: SentenceContext) -> Iterator[Draft]:
        low = lower_text(sentence.text)
        if sentence.heading:
            self._section, self._topic = name_heading(low), None
            return
        section = name_section(low) or (name_heading(low) if not sentence.bullet and len(low) < 40 else "")
        if section or _DATED.match(low):
            self._section = section or self._section
            self._decided = self._read_date(sentence.text) if not section else self._decided
            return
        if is_question(low) or _PLACEHOLDER.search(low) or sentence.bullet == "[x]":
            return
        if _rules()[1].match(sentence.text):
            plain = sentence.text.replace("**", "").replace("__", "")
            yield Draft(ClauseFinding(Kind.ENTITY, "says what it means"), plain, sentence.start, sentence.end)
            return
        rules = not find_fault(sentence.text, low) and not is_hearsay(low)
        yield from self._read_clauses(sentence, around, rules=rules)

    def _read_date(self, text: str) -> int | None:
        dates = find_dates(text)
        return read_iso_day(dates[0].canonical) if dates else None

    def _read_clauses(self, sentence: Sentence, around: SentenceContext, *, rules: bool) -> Iterator[Draft]:
        clauses = split_clause_spans(sentence)
        judged = judge_sentence(sentence, clauses, around)
        if judged.is_whole and judged.whole:
            low = lower_text(sentence.text)
            clauses = [
                ClauseSpan(sentence.text.rstrip(". "), low, sentence.start, sentence.end, bullet=sentence.bullet)
            ]
            judged = SentenceScores((judged.whole,))
        taken_until = -1
        for place, clause in enumerate(clauses):
            if place <= taken_until:
                continue
            named = name_subject(clause.text, self._topic, None)
            if named != clause.text:
                clause = msgspec.structs.replace(clause, text=named, low=lower_text(named))
            found = self._find(clause, place, judged, rules=rules)
            topic = find_subject_phrase(clause.low, clause.text, self._scene.project)
            if found:
                end = clause.end
                if found.kind is Kind.DECISION:
                    taken_until = len(clauses) - 1
                    end = clauses[-1].end
                draft = self._make_draft(sentence, clause, found, end)
                if draft:
                    yield draft
            self._topic = topic or self._topic

    def _find(self, clause: ClauseSpan, place: int, judged: SentenceScores, *, rules: bool) -> ClauseFinding | None:
        """What a rule takes a clause for where the weights believe it, else what they take it for."""
        found = self._find_by_rule(clause) if rules else None
        is_told = bool(clause.hint or self._section) or clause.bullet == "[ ]"
        if found and (is_told or (judged.spares(place, found) and not judged.overrules(place, found))):
            return found
        return judged.find(place, clause.low)

    def _find_by_rule(self, clause: ClauseSpan) -> ClauseFinding | None:
        if clause.bullet == "[ ]":
            return ClauseFinding(Kind.TASK_HINT, "is an open box")
        listed = bool(clause.bullet) and self._section in ("convention", "task") and clause.low.count(" ") > 1
        if self._section and not clause.hint and not clause.joint and (listed or _has_verb(clause.low)):
            hinted = ClauseSpan(
                clause.text, clause.low, clause.start, clause.end, clause.joint, self._section, clause.bullet
            )
            if self._section in ("decision", "lesson") or clause.bullet:
                clause = hinted
        read = read_clause(clause, project=self._scene.project, is_reply=False, is_document=True)
        return read[0] if read else None

    def _make_draft(self, sentence: Sentence, clause: ClauseSpan, finding: ClauseFinding, end: int) -> Draft | None:
        text = clause.text + sentence.text[clause.end - sentence.start : end - sentence.start]
        span = points_back(text)
        if span is not None:
            word = text[span[0] : span[1]].lower()
            if self._topic is None or word not in ("it", "they", "them"):
                return None
            named = self._topic if span[0] == 0 else self._topic[0].lower() + self._topic[1:]
            text = text[: span[0]] + named + text[span[1] :]
        if clause.bullet == "[ ]" or (
            finding.kind is Kind.TASK_HINT and finding.reason == "is labelled a task" and _is_bare_order(text)
        ):
            text = f"To do: {text}"
        decided = self._decided if finding.kind is Kind.DECISION else None
        return Draft(finding, text.replace("**", ""), clause.start, end, valid_from=decided)


def _has_verb(low: str) -> bool:
    return any(word in AUXILIARIES or word in VERBS for word in low.split())


def _is_bare_order(text: str) -> bool:
    first = text.split(" ", 1)[0].lower()
    return VERBS.get(first, ("", ""))[1] == "b"
