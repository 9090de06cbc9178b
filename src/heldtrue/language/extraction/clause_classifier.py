"""What a clause is taken for: the order in which orders, cues and plain statements are tried."""

from __future__ import annotations

import re
from functools import cache

from heldtrue.domain.memory import Kind, Strength
from heldtrue.language.extraction.belongings import read_belonging
from heldtrue.language.extraction.clause_finding import ClauseFinding
from heldtrue.language.extraction.clause_spans import ClauseSpan
from heldtrue.language.extraction.cues import Cue, match_cues
from heldtrue.language.extraction.facts import read_fact
from heldtrue.language.extraction.filters import is_condition, is_momentary
from heldtrue.language.extraction.first_person import read_own
from heldtrue.language.extraction.requests import is_order, read_order, read_remedy, strip_please
from heldtrue.language.guard import spend

_HINTED = {
    "lesson": (Kind.LESSON, "is labelled a lesson"),
    "convention": (Kind.CONVENTION, "is labelled a rule"),
    "task": (Kind.TASK_HINT, "is labelled a task"),
    "decision": (Kind.DECISION, "is labelled a decision"),
    "note": (Kind.NOTE, "is labelled a note"),
}
_EMPTY_LESSON = re.compile(r"^(?:i was|it was|i am|i'm|he|she|they|that|nothing)\b")
_WORDS = re.compile(r"[\w'-]+")
_KEY_VALUE = (
    r"^([a-z][\w /-]{1,40}?)\s?(?:\s=\s(?=[a-z][^();]{2,120}$)"
    r"|[:=]\s(?!$)(?=[^:]*(?:[\d./_-]|\b(?:one|two|three|four|five|six|ten|half)\b)))"
    r"([\w./:@-]{2,60}(?:,? [\w./:@-]{1,30}){0,11})$"
)
_MEANS = re.compile(r"^[A-Z][A-Z0-9]{1,7}(?:: | = | - | stands for )[a-z]\S* \S")
_TELLING = frozenset(
    """is are has have runs run lives live uses use goes go comes come needs need owns own was were will must on in at
    moved costs ends expires starts opens closes""".split()
)  # fmt: skip
_ASSISTANT_KINDS = frozenset((Kind.DECISION, Kind.PATTERN, Kind.LESSON))
_POINTS_ONLY = re.compile(
    r"\b(?:like|love|hate|enjoy|prefer|adore|find|use|using|with|chose|picked|decided on|going "
    r"with)\s(?:that|this|these|those)(?:\s(?:idea|one|version|approach|suggestion|part|bit|option))?\b"
)


@cache
def _key_value() -> re.Pattern[str]:
    return re.compile(_KEY_VALUE)


def words_of(low: str) -> list[str]:
    """The words of a clause in small letters."""
    return _WORDS.findall(low)


def read_clause(
    clause: ClauseSpan, *, project: str | None, is_reply: bool, is_document: bool
) -> tuple[ClauseFinding, Cue | None] | None:
    """What one clause of a person or a document says that lasts, and the cue that told it."""
    low = clause.low
    spend(len(low))
    words = words_of(low)
    if len(words) < 2 or len(words) > 80:
        return None
    if not is_document and not clause.hint and is_momentary(low):
        return None
    if clause.bullet == "[ ]":
        return ClauseFinding(Kind.TASK_HINT, "is labelled a task"), None
    found: tuple[ClauseFinding, Cue | None] | None = _read_cues(low, words) or _read_speaker(clause, words, project)
    if clause.hint and clause.hint != "note":
        kind, reason = _HINTED[clause.hint]
        if clause.hint == "lesson" and _EMPTY_LESSON.match(low):
            return None
        return ClauseFinding(kind, reason), found[1] if found else None
    if found and found[0].kind is Kind.PATTERN and is_order(low):
        found = None  # `stop if it hurts`
    if found and found[0].kind in (Kind.TASK_HINT, Kind.PATTERN, Kind.DECISION):
        return found
    if ruled := _read_setting(clause, project=project, is_document=is_document):
        return ruled, None
    if is_condition(low):
        return None
    if order := _read_order(clause, is_reply=is_reply, is_document=is_document):
        return order, None
    if found or is_order(low[strip_please(low) :]):
        return found
    return _read_plain(clause, words, project=project, is_document=is_document)


def _read_setting(clause: ClauseSpan, *, project: str | None, is_document: bool) -> ClauseFinding | None:
    """A name with its value, or what to do when."""
    pair = _key_value().match(clause.low) if project else None
    if pair and pair[1] not in ("date", "status", "note", "fix", "feat"):
        return ClauseFinding(Kind.PROJECT, "gives a setting")
    return read_remedy(clause.low, is_document=is_document)


def _read_speaker(clause: ClauseSpan, words: list[str], project: str | None) -> tuple[ClauseFinding, None] | None:
    low, text = clause.low, clause.text
    found = read_own(low, words, text=text, project=project) or read_belonging(low, words, text=text, project=project)
    return (found, None) if found and not _POINTS_ONLY.search(low) else None


def _read_order(clause: ClauseSpan, *, is_reply: bool, is_document: bool) -> ClauseFinding | None:
    return read_order(clause.low, joint=clause.joint, is_reply=is_reply, is_document=is_document, hint=clause.hint)


def _read_cues(low: str, words: list[str]) -> tuple[ClauseFinding, Cue] | None:
    for cue in match_cues(low, words):
        if _POINTS_ONLY.search(low):
            return None
        return ClauseFinding(cue.kind, cue.reason, cue.strength), cue
    return None


def _read_plain(
    clause: ClauseSpan, words: list[str], *, project: str | None, is_document: bool
) -> tuple[ClauseFinding, None] | None:
    """A plain statement or a setting; what is labelled a note needs less."""
    if is_document and _MEANS.match(clause.text):
        return ClauseFinding(Kind.ENTITY, "says what it stands for"), None
    fact = read_fact(clause.text, project=project, is_document=is_document)
    if fact:
        if ", not " in clause.low and fact.kind is Kind.NOTE:
            return ClauseFinding(Kind.LESSON, "says what it is, and not"), None
        return fact, None
    if clause.hint == "note" and len(words) > 3 and not _TELLING.isdisjoint(words):
        return ClauseFinding(Kind.PROJECT if project else Kind.NOTE, _HINTED["note"][1]), None
    return None


def keeps_for_assistant(finding: ClauseFinding) -> bool:
    """Whether an assistant's statement counts: only decisions, results and procedures."""
    return finding.kind in _ASSISTANT_KINDS


def weaken(finding: ClauseFinding) -> ClauseFinding:
    """The same, as said between the lines."""
    return ClauseFinding(finding.kind, finding.reason, Strength.IMPLIED)
