"""How a clause is said by itself: an order as a wish, a reminder as a task, a passing word in full, or as it stands."""

from __future__ import annotations

import re

from heldtrue.domain.memory import Kind
from heldtrue.language.extraction.clause_finding import ClauseFinding
from heldtrue.language.extraction.clause_spans import ClauseSpan, lower_text
from heldtrue.language.extraction.cues import Cue, cue_pattern
from heldtrue.language.extraction.foreign_third_person import reword_foreign
from heldtrue.language.extraction.requests import is_order, strip_please, word_wish
from heldtrue.language.extraction.speaker_names import People
from heldtrue.language.extraction.wording import reword

_REMINDED = re.compile(r"\b(?:remind (?:me|us) to|(?:don't|do not|dont) (?:let me )?forget to)\s*$")
_TO_YOU = re.compile(r"\b(send|give|show|bring|get|tell|lend|write|forward|email|pay) you (?=the|a|an|my|our|some|\d)")


def phrase_clause(
    text: str, clause: ClauseSpan, finding: ClauseFinding, cue: Cue | None, people: People
) -> tuple[str | None, bool]:
    """The words of the statement, and whether they are in the third person already."""
    if cue and cue.language != "en":
        return reword_foreign(text, cue.language, people), True
    if cue and cue.template:
        found = cue_pattern(cue.pattern).search(clause.low)
        return (cue.template.format(text[found.start(1) : found.end(1)]), False) if found else (None, False)
    if finding.kind is Kind.PREFERENCE and finding.reason.startswith("asks"):
        return _phrase_wish(text, people), True
    if cue and cue.reason == "says what is not for them" and " me" not in clause.low:
        return _phrase_wish(text, people), True
    if finding.kind is Kind.TASK_HINT and finding.reason == "is labelled a task":
        return _phrase_task(text, clause, people)
    return _TO_YOU.sub(r"\1 ", text), False


def _phrase_wish(text: str, people: People) -> str | None:
    """`please always use long names` as `Ines asks always to use long names`, with what introduced it at the end."""
    if people.me is None:
        return None
    start = strip_please(lower_text(text))
    condition = re.search(r"when (?:you |i )?([^,]{2,60})(?=,)", text[:start], re.IGNORECASE)
    wish = word_wish(text[start:], people.me)
    if condition:
        wish += f" ({condition.group()})"
    wish = re.sub(r"\byour\b", "the", wish)
    told = reword(
        wish[len(people.me) :].replace(" you ", " the assistant "),
        People("them", people.us, people.us_plural, people.ours),
    )
    return people.me + told.replace("them's", "their") if told else wish


def _phrase_task(text: str, clause: ClauseSpan, people: People) -> tuple[str | None, bool]:
    if _REMINDED.search(clause.lead):
        return f"{people.me or 'The user'} wants to be reminded to {reword(text, people) or text}", True
    if is_order(clause.low):
        return f"To do: {text}", False
    return text, False
