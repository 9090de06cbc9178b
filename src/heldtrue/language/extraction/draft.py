"""A finding on its way to a result, and how it becomes one."""

from __future__ import annotations

import re
from functools import cache

import msgspec

from heldtrue.domain.extracted import Extracted
from heldtrue.domain.limits import EXTRACTED_CHARS_MAX
from heldtrue.domain.memory import Kind, Strength
from heldtrue.language.extraction.clause_finding import ClauseFinding
from heldtrue.language.extraction.speaker_names import People
from heldtrue.language.extraction.topics import name_category, name_topic
from heldtrue.language.extraction.validity_times import read_valid_time
from heldtrue.language.extraction.wording import finish_sentence, reword
from heldtrue.language.guard import guarded
from heldtrue.language.tone import NEUTRAL, read_tone

_WHY = (
    r"(?:,\s+|\s)(?:because|since|as(?=\s(?:it|we|our|the|they|nobody|there|i)\b)|given that|due to|so "
    r"that|in order to)\s+(.{4,300})$"
)
_AGAINST = (
    r"\b(?:instead of|rather than|over(?= [A-Z])|and not|, not|against)\s+((?!the "
    r"whole)[\w./+-]+(?:\s(?!because|since|as\b|for\b|in\b|so\b|but\b|on\b)[\w./+-]+){0,3})"
)
_REJECTED = r"^(.{2,60}?)\s(?:was|were|is|are)\s(?:rejected|ruled out|dropped|discarded)\b"
_SAME_NAME = re.compile(r"^(\w+)'s name is \1\b|^(\w+) is \2\b")


class Scene(msgspec.Struct, frozen=True):
    """What is known around a text."""

    people: People
    project: str | None
    said_at: int | None
    is_document: bool = False
    weaker: bool = False
    """Whether an assistant speaks, whose words count for less."""
    keeps_first: frozenset[str] = frozenset()
    """Names that keep their small letters at the start of a sentence."""


class Draft(msgspec.Struct, frozen=True):
    """A statement, still in its own words."""

    finding: ClauseFinding
    text: str
    start: int
    end: int
    is_worded: bool = False
    """Whether it is in the third person already."""
    valid_from: int | None = None


@cache
def _rules() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    return re.compile(_WHY, re.DOTALL), re.compile(_AGAINST), re.compile(_REJECTED, re.IGNORECASE)


@guarded(lambda _draft, _scene: None)
def finish_draft(draft: Draft, scene: Scene) -> Extracted | None:
    """The result, or none where it cannot be said without the text around it."""
    worded = draft.text if draft.is_worded else reword(draft.text, scene.people)
    if worded is None or len(worded) > EXTRACTED_CHARS_MAX:
        return None
    if _SAME_NAME.match(worded):
        return None
    first = worded.lstrip().split(" ", 1)[0]
    text = finish_sentence(worded, keeps_first=first.rstrip(":'s") in scene.keeps_first or first in scene.keeps_first)
    kind = draft.finding.kind
    low = draft.text.lower()
    start, end = read_valid_time(low, draft.text, kind=kind, said_at=scene.said_at)
    rationale, alternatives = _read_reasons(text, draft.text) if kind is Kind.DECISION else (None, ())
    weaker = scene.weaker and draft.finding.strength is Strength.EXPLICIT
    return Extracted(
        text=text,
        kind=kind,
        strength=Strength.IMPLIED if weaker else draft.finding.strength,
        start=draft.start,
        end=draft.end,
        rationale=rationale,
        alternatives=alternatives,
        topic=name_topic(text.lower()),
        category=name_category(re.findall(r"[\w-]+", low), kind),
        valid_from=start if start is not None else draft.valid_from,
        valid_to=end,
        tone=NEUTRAL if scene.is_document else read_tone(draft.text),
        reason=draft.finding.reason,
    )


def _read_reasons(text: str, said: str) -> tuple[str | None, tuple[str, ...]]:
    """Why it was decided, and against what."""
    why, against, rejected = _rules()
    body = text.rstrip(".")
    found = why.search(body)
    rationale = found[1].strip() if found else None
    if found is None and ", " in body:
        tail = body.partition(", ")[2]
        if re.match(
            r"(?:the|it|they|our|that|this|we|[a-z]+ )\b.{0,60}\b(?:is|are|was|has|have|\w+s|too|n't|eat|need"
            r"|break|cost)\b",
            tail.lower(),
        ):
            rationale = tail
    alternatives = [one[1].strip() for one in against.finditer(body[: found.start()] if found else body)]
    alternatives += [one[1].strip() for one in [rejected.match(said)] if one]
    return rationale, tuple(dict.fromkeys(alternatives))
