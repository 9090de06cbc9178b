"""What a sentence leans on: the topic or person that its it, he or that stands for, or the sentence before it."""

from __future__ import annotations

import re

import msgspec

from heldtrue.language.extraction.clause_spans import ClauseSpan, lower_text
from heldtrue.language.extraction.sentence_spans import Sentence
from heldtrue.language.extraction.speaker_names import (
    find_only_person,
    find_only_phrase,
    find_subject_phrase,
    name_subject,
    put_phrase,
)

_POINTS = re.compile(
    r"(?:it|its|it's|they|they're|them|their|he|she|he's|she's|that|that's|this|these|those|his|her|both|neither)\b"
)
_JOINED_CHARS = 300
_NAMED_WORDS = 6


class StandaloneText(msgspec.Struct, frozen=True):
    """Words that stand by themselves, and where they begin in the text."""

    text: str
    start: int


class Thread:
    """What the sentences of a text have been about so far."""

    def __init__(self, project: str | None, asked: str = "") -> None:
        self._project = project
        self._topic: str | None = find_only_phrase(asked) if asked else None
        self._person: str | None = None
        """The one other person that was named last."""
        self._before: Sentence | None = None

    def start_section(self) -> None:
        """A heading was read: what comes next is about something else."""
        self._topic = self._person = self._before = None

    def note_clause(self, clause: ClauseSpan) -> None:
        """Remember what a clause is about."""
        self._topic = find_subject_phrase(clause.low, clause.text, self._project) or self._topic
        self._person = find_only_person(clause.text, self._project) or self._person

    def note_sentence(self, sentence: Sentence) -> None:
        """Remember a sentence that was read, for the next one; `The flaky test?` names what that is about."""
        self._before = None if sentence.heading else sentence
        if sentence.text.endswith("?"):
            words = sentence.text.rstrip("? ").split()
            is_name = 1 < len(words) <= _NAMED_WORDS and words[0].lower() in ("the", "our", "my")
            self._topic = " ".join([words[0].lower(), *words[1:]]) if is_name else None

    def resolve(self, text: str, start: int, *, opens: bool) -> StandaloneText | None:
        """The text with what it leans on named, or joined with the sentence before; none where neither is known.

        Only words that open their sentence are joined with the sentence before it.
        """
        named = put_phrase(name_subject(text, self._topic, self._person), self._topic)
        if named is not None and not leans_back(named):
            return StandaloneText(named, start)
        before = self._before
        if not opens or before is None or before.text.endswith(("?", ":")) or len(before.text) > _JOINED_CHARS:
            return None
        if leans_back(before.text):
            return None
        return StandaloneText(f"{before.text.rstrip('.! ')}. {text}", before.start)


def leans_back(text: str) -> bool:
    """Whether a statement begins with it, they or that, so that it is about nothing that it names."""
    return _POINTS.match(lower_text(text)) is not None
