"""A finding on its way to a result, and how it becomes one."""

from __future__ import annotations

import re
from functools import cache

import msgspec

from heldtrue.domain.extracted import Extracted
from heldtrue.domain.limits import EXTRACTED_CHARS_MAX
from heldtrue.domain.memory import Kind, Strength
from heldtrue.language.extraction.relative_dates import date_quotation, write_dates
from heldtrue.language.extraction.speaker_names import People
from heldtrue.language.extraction.topics import name_category, name_topic
from heldtrue.language.extraction.validity_times import read_valid_time
from heldtrue.language.extraction.wording import finish_sentence
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
    """A statement that is about to be kept."""

    kind: Kind
    reason: str
    """Why it is kept, in words."""
    text: str
    """The statement, in words that stand by themselves."""
    start: int
    end: int
    said: str = ""
    """The words that it was made from; left out, the same."""
    is_quoted: bool = False
    """Whether the text quotes what was said."""
    valid_from: int | None = None


@cache
def _rules() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    return re.compile(_WHY, re.DOTALL), re.compile(_AGAINST), re.compile(_REJECTED, re.IGNORECASE)


@guarded(lambda _draft, _scene: None)
def finish_draft(draft: Draft, scene: Scene) -> Extracted | None:
    """The result, or none where it is too long for one statement or says nothing."""
    if len(draft.text) > EXTRACTED_CHARS_MAX or _SAME_NAME.match(draft.text):
        return None
    said, kind = draft.said or draft.text, draft.kind
    first = draft.text.lstrip().split(" ", 1)[0]
    keeps_first = first.rstrip(":'s") in scene.keeps_first or first in scene.keeps_first
    dated = (date_quotation if draft.is_quoted else write_dates)(draft.text, scene.said_at)
    text = finish_sentence(dated, keeps_first=keeps_first)
    start, end = read_valid_time(said.lower(), said, kind=kind, said_at=scene.said_at)
    rationale, alternatives = _read_reasons(text, said) if kind is Kind.DECISION else (None, ())
    return Extracted(
        text=text,
        kind=kind,
        strength=Strength.IMPLIED if scene.weaker else Strength.EXPLICIT,
        start=draft.start,
        end=draft.end,
        rationale=rationale,
        alternatives=alternatives,
        topic=name_topic(text.lower()),
        category=name_category(re.findall(r"[\w-]+", said.lower()), kind),
        valid_from=start if start is not None else draft.valid_from,
        valid_to=end,
        tone=NEUTRAL if scene.is_document else read_tone(said),
        reason=draft.reason,
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
    alternatives = [other[1].strip() for other in against.finditer(body[: found.start()] if found else body)]
    if dropped := rejected.match(said):
        alternatives.append(dropped[1].strip())
    return rationale, tuple(dict.fromkeys(alternatives))
