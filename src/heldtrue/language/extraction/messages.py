"""A message: its sentences in order, what each says that lasts, and what is taken back or only answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import msgspec

from heldtrue.domain.extracted import Extracted
from heldtrue.domain.memory import Kind
from heldtrue.language.extraction.answers import read_answer
from heldtrue.language.extraction.blanking import blank_non_statements
from heldtrue.language.extraction.clause_classifier import keeps_for_assistant, read_clause
from heldtrue.language.extraction.clause_finding import ClauseFinding
from heldtrue.language.extraction.clause_selection import (
    SentenceScores,
    judge_sentence,
    leans_back,
    look_around,
    word_by_itself,
)
from heldtrue.language.extraction.clause_spans import ClauseSpan, lower_text, restore_speaker, split_clause_spans
from heldtrue.language.extraction.cues import Cue
from heldtrue.language.extraction.draft import Draft, Scene, finish_draft
from heldtrue.language.extraction.filters import find_fault, is_hearsay, is_question, takes_back
from heldtrue.language.extraction.openers import strip_openers
from heldtrue.language.extraction.phrasing import phrase_clause
from heldtrue.language.extraction.requests import is_order, strip_please, word_wish
from heldtrue.language.extraction.sections import name_section
from heldtrue.language.extraction.sentence_spans import Sentence, split_sentences
from heldtrue.language.extraction.speaker_names import (
    find_only_person,
    find_only_phrase,
    find_subject_phrase,
    name_people,
    name_subject,
    put_phrase,
)
from heldtrue.language.extraction.traits import SentenceContext
from heldtrue.language.extraction.whole_sentences import read_whole
from heldtrue.language.extraction.wording import reword
from heldtrue.language.guard import guarded

_SILENT = frozenset(("tool", "system", "function", "developer"))
_CORRECTS = (
    r"^(?:no|nope|nah|wrong|incorrect|not quite|actually|correction|that's (?:wrong|not (?:right|true"
    r"|correct|what \w+ \w+)"
    r"|incorrect|outdated)|sorry, no|not any ?more)\b(?:[,.:;!]|$|\s(?=actually|it|the|we|i|that)|(?<=actually)\s)"
)
_NARRATES = (
    r"^(?:let me|let's|i'll|i will|i'm going to|i am going to|i'm|i am|now i|next i|here (?:is|are)"
    r"|running|reading|looking"
    r"|checking|i've|i have)\b"
)
_HOW_I_LIKE = (
    r"^(?:that's|this is|that is) (?:just |exactly )?(?:how|what|the way) i (?:like|learn|work|want"
    r"|prefer|think|need)\b"
)


@cache
def _rules() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    return re.compile(_CORRECTS), re.compile(_NARRATES), re.compile(_HOW_I_LIKE)


def extract_message(
    text: str,
    *,
    speaker: str | None,
    role: str = "user",
    project: str | None = None,
    said_at: int | None = None,
    before: Sequence[tuple[str | None, str]] = (),
) -> list[Extracted]:
    """What a message says that is worth remembering, each as one sentence that stands by itself."""
    if role in _SILENT:
        return []
    is_assistant = role == "assistant"
    people = name_people(speaker, role, project)
    scene = Scene(people, project, said_at, weaker=is_assistant, keeps_first=frozenset((project,) if project else ()))
    reader = _MessageReader(scene, before)
    sentences = split_sentences(blank_non_statements(text))
    for place, sentence in enumerate(sentences):
        reader.read(sentence, look_around(sentences, place, role=role, has_project=project is not None))
    return [done for draft in reader.drafts if (done := finish_draft(draft, scene))]


class _MessageReader:
    """Reads sentences one after another and remembers what the next may lean on."""

    def __init__(self, scene: Scene, before: Sequence[tuple[str | None, str]]) -> None:
        self.drafts: list[Draft] = []
        self._scene = scene
        self._asked = before[-1][1] if before else ""
        self._follows_assistant = bool(before) and (before[-1][0] or "").lower() == "assistant"
        self._last: list[Draft] = []
        """What the sentence before gave, which the next may take back."""
        self._sentence: Sentence | None = None
        self._topic: str | None = None
        self._person: str | None = None
        """The one other person that was named last."""
        self._section = ""
        self._corrects = False

    @guarded(lambda *_given: None)
    def read(self, sentence: Sentence, around: SentenceContext) -> None:
        """Take from a sentence what it says."""
        low = lower_text(sentence.text)
        previous, self._sentence = self._sentence, sentence
        if previous is None and self._asked and self._read_answer(sentence):
            return
        section = name_section(low)
        self._section = section if section or not sentence.bullet else self._section
        if section:
            return
        if sentence.bullet == "[x]":
            return
        if takes_back(low):
            self._take_back()
        elif previous and _rules()[2].match(low):
            self._take_wish(previous)
        elif is_question(low):
            self._last = []
            self._remember_question(sentence)
        else:
            self._read_statement(sentence, low, around)

    def _read_statement(self, sentence: Sentence, low: str, around: SentenceContext) -> None:
        corrects, narrates, _ = _rules()
        self._last = []
        if (find_fault(sentence.text, low) and not low.startswith("as a")) or (
            self._scene.weaker and narrates.match(low)
        ):
            self._read_clauses(sentence, around, rules=False)
            self._topic = None
            return
        puts_right = corrects.match(low) is not None
        self._read_clauses(sentence, around, corrects=puts_right or self._corrects)
        self._corrects = puts_right and not self._last

    def _take_back(self) -> None:
        for draft in self._last:
            self.drafts.remove(draft)
        self._last = []

    def _take_wish(self, sentence: Sentence) -> None:
        """`That's how I learn`: the order before it was no single one."""
        start = strip_please(lower_text(sentence.text))
        order = sentence.text[start:]
        if self._scene.people.me and not self._last and is_order(order.lower()):
            wish = reword(word_wish(order, self._scene.people.me), self._scene.people) or order
            finding = ClauseFinding(Kind.PREFERENCE, "says how they like it")
            self._add(Draft(finding, wish, sentence.start, sentence.end, is_worded=True))

    def _remember_question(self, sentence: Sentence) -> None:
        """`The flaky login test?` names what the next sentence is about."""
        words = sentence.text.rstrip("? ").split()
        named = 1 < len(words) <= 6 and words[0].lower() in ("the", "our", "my")
        self._topic = " ".join([words[0].lower(), *words[1:]]) if named else None

    def _read_answer(self, sentence: Sentence) -> bool:
        found = read_answer(sentence.text, self._asked, self._scene.people.me)
        worded = reword(found[0], self._scene.people) if found else None
        if found is None or worded is None:
            return False
        self._add(Draft(found[1], worded, sentence.start, sentence.end, is_worded=True))
        return True

    def _read_clauses(
        self, sentence: Sentence, around: SentenceContext, *, rules: bool = True, corrects: bool = False
    ) -> None:
        """Take each clause by the rule that fits and that the weights believe, else by the weights alone."""
        clauses = split_clause_spans(sentence)
        judged = judge_sentence(sentence, clauses, around)
        if rules and self._read_whole(sentence, judged):
            return
        if judged.is_whole and judged.whole:
            clauses, judged = [_join_clauses(sentence, clauses)], SentenceScores((judged.whole,))
            rules = rules and bool(clauses[0].hint)
        taken_until = -1
        for place, clause in enumerate(clauses):
            if place <= taken_until:
                continue
            rules = rules and not is_hearsay(clause.low)
            named = self._name_clause(clause)
            if named.text != clause.text:
                judged = judged.judge_again(place, named.text, around)
            clause = named
            read = self._read_by_rule(clause, place, judged, corrects) if rules else None
            if read:
                finding, cue = read
                if (cue and cue.takes_sentence) or finding.kind is Kind.DECISION:
                    taken_until = _last_joined(clauses, place)
                self._take(sentence, clause, finding, cue, clauses[max(place, taken_until)].end, corrects)
            elif found := judged.find(place, clause.low):
                self._take_learned(clause, found)
            self._topic = find_subject_phrase(clause.low, clause.text, self._scene.project) or self._topic
            self._person = find_only_person(clause.text, self._scene.project) or self._person

    def _name_clause(self, clause: ClauseSpan) -> ClauseSpan:
        """The clause with the I that was left out, and with it, he and she named where that is known."""
        if not self._scene.weaker:
            clause = restore_speaker(self._with_section(clause))
        named = name_subject(clause.text, self._topic, self._person)
        return clause if named == clause.text else msgspec.structs.replace(clause, text=named, low=lower_text(named))

    def _read_by_rule(
        self, clause: ClauseSpan, place: int, judged: SentenceScores, corrects: bool
    ) -> tuple[ClauseFinding, Cue | None] | None:
        is_reply = self._follows_assistant or (corrects and bool(self._asked))
        read = read_clause(clause, project=self._scene.project, is_reply=is_reply, is_document=False)
        if read is None:
            return None
        # What is labelled, or put right, is meant, and a short answer is to a question; the weights know only English.
        is_told = bool(clause.hint) or clause.bullet == "[ ]" or corrects or (judged.is_plain and bool(self._asked))
        is_told = is_told or (read[1] is not None and read[1].language != "en")
        return read if is_told or (judged.spares(place, read[0]) and not judged.overrules(place, read[0])) else None

    def _take_learned(self, clause: ClauseSpan, finding: ClauseFinding) -> None:
        people = self._scene.people
        if (self._scene.weaker and not keeps_for_assistant(finding)) or len(clause.low.split()) < 2:
            return
        resolved = put_phrase(clause.text, self._topic)
        if resolved is None and leans_back(clause.text):
            return
        worded, is_worded = phrase_clause(resolved or clause.text, clause, finding, None, people)
        if worded is not None and not is_worded:
            worded = word_by_itself(worded, finding.kind, people)
        if worded is not None:
            self._add(Draft(finding, worded, clause.start, clause.end, is_worded=True))

    def _read_whole(self, sentence: Sentence, judged: SentenceScores) -> bool:
        """Take the sentence as one where its clauses say it only together."""
        low = lower_text(sentence.text)
        start, hint = strip_openers(low)
        finding = read_whole(low[start:]) if not hint and not is_hearsay(low) else None
        if finding is None or (self._scene.weaker and not keeps_for_assistant(finding)):
            return False
        if not judged.spares(0, finding):
            return False
        said = sentence.text[start:].rstrip(".! ")
        text = put_phrase(said, self._topic, mends=finding.kind is Kind.PATTERN)
        if text is None:
            return False
        self._add(Draft(finding, text, sentence.start + start, sentence.end))
        return True

    def _with_section(self, clause: ClauseSpan) -> ClauseSpan:
        if not self._section or clause.hint or not clause.bullet:
            return clause
        return ClauseSpan(
            clause.text, clause.low, clause.start, clause.end, clause.joint, self._section, clause.bullet, clause.lead
        )

    def _take(
        self, sentence: Sentence, clause: ClauseSpan, finding: ClauseFinding, cue: Cue | None, end: int, corrects: bool
    ) -> None:
        if self._scene.weaker and not keeps_for_assistant(finding):
            return
        text = clause.text + sentence.text[clause.end - sentence.start : end - sentence.start]
        known = self._topic or (find_only_phrase(self._asked) if self._asked and not self.drafts else None)
        resolved = put_phrase(text, known, mends=finding.kind is Kind.PATTERN)
        if resolved is None:
            return
        if corrects and finding.kind in (Kind.PROJECT, Kind.NOTE, Kind.CLAIM, Kind.CONVENTION):
            finding = ClauseFinding(Kind.LESSON, "puts something right")
        worded, is_worded = phrase_clause(resolved, clause, finding, cue, self._scene.people)
        if worded is not None:
            self._add(Draft(finding, worded, clause.start, end, is_worded=is_worded))

    def _add(self, draft: Draft) -> None:
        before = self.drafts[-1] if self.drafts else None
        if before and _belong_together(before, draft):
            self.drafts.pop()
            self._last = [one for one in self._last if one is not before]
            joined = f"{before.text.rstrip('.')}: {draft.text}"
            draft = Draft(draft.finding, joined, before.start, draft.end, before.is_worded and draft.is_worded)
        self.drafts.append(draft)
        self._last.append(draft)


def _belong_together(before: Draft, draft: Draft) -> bool:
    """Whether two decisions in a row are one: against the one thing, and for the other."""
    both = before.finding.kind is Kind.DECISION and draft.finding.kind is Kind.DECISION
    return both and re.search(r"\bagainst\b|\bruled out\b|\brejected\b|\bnot to\b", before.text) is not None


def _join_clauses(sentence: Sentence, clauses: list[ClauseSpan]) -> ClauseSpan:
    """The sentence as one clause, without what stands before its first."""
    first, last = clauses[0], clauses[-1]
    text = sentence.text[first.start - sentence.start : last.end - sentence.start]
    return msgspec.structs.replace(first, text=text, low=lower_text(text), end=last.end)


def _last_joined(clauses: list[ClauseSpan], place: int) -> int:
    """The last clause that goes with a decision: what follows it after a comma, or as its reason."""
    while place + 1 < len(clauses) and clauses[place + 1].joint == ",":
        place += 1
    return place
