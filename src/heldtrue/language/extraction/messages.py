"""A message: its sentences in order, what of each is kept, and how it is said by itself."""

from __future__ import annotations

from collections.abc import Sequence

from heldtrue.domain.extracted import Extracted
from heldtrue.domain.judged import JudgeUnits
from heldtrue.domain.limits import EXTRACTION_CHARS_MAX
from heldtrue.language.extraction.blanking import blank_non_statements
from heldtrue.language.extraction.clause_spans import lower_text
from heldtrue.language.extraction.draft import Draft, Scene, finish_draft
from heldtrue.language.extraction.judgements import JudgedSentence, TextContext, judge_sentences
from heldtrue.language.extraction.sections import name_section
from heldtrue.language.extraction.sentence_spans import split_sentences
from heldtrue.language.extraction.speaker_names import name_people
from heldtrue.language.extraction.statements import StatementWriter
from heldtrue.language.guard import guarded

_SILENT = frozenset(("tool", "system", "function", "developer"))


def extract_message(
    text: str,
    *,
    judge: JudgeUnits | None,
    speaker: str | None,
    role: str = "user",
    project: str | None = None,
    said_at: int | None = None,
    before: Sequence[tuple[str | None, str]] = (),
) -> list[Extracted]:
    """What a message says that is worth remembering, each as a statement that stands by itself.

    Without a reader to judge, that is what the message marks in so many words.
    """
    if role in _SILENT:
        return []
    people = name_people(speaker, role, project)
    weaker = role == "assistant"
    scene = Scene(people, project, said_at, weaker=weaker, keeps_first=frozenset((project,) if project else ()))
    asked = before[-1][1] if before else ""
    sentences = split_sentences(blank_non_statements(text))
    # Without the turn before: the reader has seen too few, and doubts the plainest statement that follows another.
    context = TextContext(text[:EXTRACTION_CHARS_MAX], role, project is not None)
    writer = StatementWriter(scene, asked)
    section = ""
    drafts: list[Draft] = []
    for judged in judge_sentences(sentences, context, judge):
        named = name_section(lower_text(judged.sentence.text))
        section = named if named or not judged.sentence.bullet else section
        if not named:
            drafts += _write(writer, judged, section if judged.sentence.bullet else "")
    return [done for draft in drafts if (done := finish_draft(draft, scene))]


@guarded(lambda *_given: [])
def _write(writer: StatementWriter, judged: JudgedSentence, section: str) -> list[Draft]:
    return writer.write(judged, section)
