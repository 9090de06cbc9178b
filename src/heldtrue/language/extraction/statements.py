"""Writes what is kept of a sentence as statements: marks and choices into words that stand by themselves."""

from __future__ import annotations

from collections.abc import Iterator

from heldtrue.domain.memory import Kind
from heldtrue.language.extraction.blanking import is_mostly_quoted
from heldtrue.language.extraction.choice import Choice, choose, current_thresholds, is_doubted, is_question
from heldtrue.language.extraction.clause_spans import ClauseSpan, restore_speaker
from heldtrue.language.extraction.draft import Draft, Scene
from heldtrue.language.extraction.joining import Thread
from heldtrue.language.extraction.judgements import JudgedSentence
from heldtrue.language.extraction.marks import DONE_BOX, JUDGED, asks_to_keep, find_mark, tell_mark
from heldtrue.language.extraction.phrasing import phrase_statement, quote
from heldtrue.language.guard import spend


class StatementWriter:
    """Writes the statements of one text, sentence by sentence; later ones may lean on earlier ones."""

    def __init__(self, scene: Scene, asked: str = "") -> None:
        self._scene = scene
        self._asked = asked
        self._thread = Thread(scene.project, asked)
        self._is_first = True

    def start_section(self) -> None:
        """A heading was read."""
        self._thread.start_section()

    def write(self, judged: JudgedSentence, section: str = "") -> list[Draft]:
        """What is kept of a sentence that stands under a heading which names this section."""
        sentence = judged.sentence
        spend(len(sentence.text))
        drafts: list[Draft] = []
        if sentence.bullet != DONE_BOX and not is_mostly_quoted(sentence.text):
            noted = 0
            for choice, reason in self._choose(judged, section):
                for clause in judged.clauses[noted : choice.first]:
                    self._thread.note_clause(clause)
                noted = max(noted, choice.first)
                drafts += self._draft(judged, choice, reason)
        for clause in judged.clauses:
            self._thread.note_clause(clause)
        self._thread.note_sentence(sentence)
        self._is_first = False
        return drafts

    def _choose(self, judged: JudgedSentence, section: str) -> Iterator[tuple[Choice, str]]:
        """What the reader keeps, up to what the text itself marks, and that."""
        marked = _find_marked(judged, section)
        for choice in choose(judged, is_document=self._scene.is_document):
            if marked is None or choice.last < marked[0]:
                yield choice, JUDGED
        if marked is not None:
            first, mark = marked
            kind = judged.whole.kind if mark is Kind.NOTE and judged.whole else mark
            yield Choice(first, len(judged.clauses) - 1, kind, 1.0), tell_mark(mark)

    def _draft(self, judged: JudgedSentence, choice: Choice, reason: str) -> Iterator[Draft]:
        """The draft of a choice: in the third person if it can be said so, else as a quotation if it is sure."""
        first, last = judged.clauses[choice.first], judged.clauses[choice.last]
        said = _join_clauses(judged, first, last)
        opens = choice.first == 0
        standing = self._thread.resolve(said, first.start, opens=opens)
        worded = phrase_statement(standing.text, choice.kind, first.lead, self._scene.people) if standing else None
        if worded is not None and standing is not None:
            yield Draft(choice.kind, reason, worded, standing.start, last.end, said=standing.text)
        elif choice.score >= current_thresholds().quoted:
            words = judged.sentence.text[first.start - judged.sentence.start : last.end - judged.sentence.start]
            asked = self._asked if self._is_first and opens else ""
            quotation = quote(words, self._scene.people, asked=asked)
            yield Draft(choice.kind, reason, quotation, first.start, last.end, said=words, is_quoted=True)


def _join_clauses(judged: JudgedSentence, first: ClauseSpan, last: ClauseSpan) -> str:
    """The words from one clause to another, with the subject that the first leaves out."""
    start = judged.sentence.start
    return restore_speaker(first).text + judged.sentence.text[first.end - start : last.end - start]


def _find_marked(judged: JudgedSentence, section: str) -> tuple[int, Kind] | None:
    """From which clause on a sentence is marked, and as what.

    A reader that sees nothing in it is believed, unless the mark asks for it to be kept.
    """
    if is_question(judged.sentence.text):
        return None
    for number, clause in enumerate(judged.clauses):
        mark = find_mark(clause, section)
        if mark is not None and (asks_to_keep(clause) or not is_doubted(judged)):
            return number, mark
    return None
