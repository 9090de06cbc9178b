"""How a statement is said by itself: in the third person, an order as a wish, a reminder as a task, or quoted."""

from __future__ import annotations

import re

from heldtrue.domain.memory import Kind
from heldtrue.language.extraction.clause_spans import lower_text
from heldtrue.language.extraction.requests import is_order, strip_please, word_wish
from heldtrue.language.extraction.speaker_names import People
from heldtrue.language.extraction.wording import reword
from heldtrue.language.names import find_names

_REMINDED = re.compile(r"\b(?:remind (?:me|us) to|(?:don't|do not|dont) (?:let me )?forget to)\s*$")
_TO_YOU = re.compile(r"\b(send|give|show|bring|get|tell|lend|write|forward|email|pay) you (?=the|a|an|my|our|some|\d)")
_PERSONAL = frozenset((Kind.PROFILE, Kind.PREFERENCE, Kind.TASK_HINT, Kind.DECISION))
_ENGLISH = frozenset("the a an i i'm my we our you it is are to of and for in on with at not but".split())
_FOREIGN = frozenset(
    """ich wir und der das ist nicht ein eine mit für auf von mein meine haben je nous le la les et est une dans mon ma
    pour yo el los las y es una con mi para en que""".split()
)
_ASKED_CHARS = 200


def phrase_statement(text: str, kind: Kind, lead: str, people: People) -> str | None:
    """The statement in the third person, or none where nobody is known who says it or it is not English.

    `lead` is what stood before it in its sentence, in small letters.
    """
    if _is_foreign(text):
        return None
    low = lower_text(text)
    if kind is Kind.PREFERENCE and is_order(low[strip_please(low) :]):
        return _phrase_wish(text, people)
    if kind is Kind.TASK_HINT and (task := _phrase_task(text, low, lead, people)):
        return task
    worded = reword(_TO_YOU.sub(r"\1 ", text), people)
    if worded is None or kind not in _PERSONAL or _names_somebody(worded, people):
        return worded
    return f"{people.me}: {worded}" if people.me else worded


def _phrase_task(text: str, low: str, lead: str, people: People) -> str | None:
    """A reminder or an order as a task, or none where it is neither."""
    if _REMINDED.search(lead):
        return f"{people.me or 'The user'} wants to be reminded to {reword(text, people) or text}"
    if not is_order(low):
        return None
    owner = f" ({people.me})" if people.me else ""
    return f"To do{owner}: {reword(text, people) or text}"


def _names_somebody(text: str, people: People) -> bool:
    """Whether a statement says whom it is about: the speaker, the group, or somebody by name."""
    known = [name.lower() for name in (people.me, people.us, people.ours) if name]
    return any(name in text.lower() for name in known) or bool(find_names(text))


def quote(text: str, people: People, *, asked: str = "") -> str:
    """The words as they were said, by whom, and in answer to what."""
    said = f'{people.me} said: "{text}"' if people.me else f'The document says: "{text}"'
    question = asked.strip()
    if not question.endswith("?") or len(question) > _ASKED_CHARS:
        return said
    return f'Asked "{question}", {said}'


def _is_foreign(text: str) -> bool:
    words = set(text.lower().split())
    return len(words & _FOREIGN) > len(words & _ENGLISH)


def _phrase_wish(text: str, people: People) -> str | None:
    """`please always use long names` as `Ines asks always to use long names`, with what introduced it at the end."""
    if people.me is None:
        return text
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
