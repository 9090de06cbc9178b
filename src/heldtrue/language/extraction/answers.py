"""Short answers, which say something only with the turn before: a value put right, a task taken, a gap filled."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from heldtrue.domain.memory import Kind, Strength
from heldtrue.language.extraction.clause_finding import ClauseFinding
from heldtrue.language.extraction.wording import third_person

_SHORT_ANSWER_CHARS = 240
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_CLOCK = r"(?:half past|quarter (?:past|to))\s\w+|\d{1,2}:\d\d|\d{1,2}\s?(?:am|pm)"
_WORD_NUMBER = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_TAG = r",?\s+(?:right|yes|no|correct|isn't it|doesn't it|don't they|aren't they|isn't that right|ok|okay|or)\s*\?+\s*$"
_NO = (
    r"^(?:no|nope|nah|wrong|not quite|actually|sorry, no|it's|it is|they're|make that"
    r"|that's)\b[,.:!]?\s*(?:it's |it is |actually |only |now )*"
)
_TAKEN = (
    r"^(?:i'll|i will|i can|i'm going to|we'll) (?:do|take|handle|get to|look after|take care of) (?:it"
    r"|that one|this one|that|this|them)\b|^(?:i will|i can|me|i'll)(?=\s(?:by|on|before|until|tomorrow|next)\b|$)"
)
_WHO = (
    r"^(?:who(?:'s| is| will| can| could| should|'ll)\s(?:going to )?([a-z][^?]{3,120})\?"
    r"|(?:somebody|someone|one of us) (?:has to|needs to|must|should) ([a-z][^?.]{3,120})[.!]?$)"
)
_GAP = (
    r"^(?:which|what|where|when|how)\b[^?]{0,60}?\s(do|does)\s((?:the |our |my |your "
    r")?[\w-]+(?:\s[\w-]+)?)\s([a-z]+)(?:\s(from|in|on|at|to|with|for|by))?\s*\?"
)


@cache
def _rules() -> dict[str, re.Pattern[str]]:
    table = {"tag": _TAG, "no": _NO, "taken": _TAKEN, "who": _WHO, "gap": _GAP}
    return {name: re.compile(pattern, re.IGNORECASE) for name, pattern in table.items()}


def read_answer(text: str, asked: str, me: str | None) -> tuple[str, ClauseFinding] | None:
    """What an answer of few words states, said in full, or none where the turn before does not carry it."""
    if len(text) > _SHORT_ANSWER_CHARS or len(asked) > _SHORT_ANSWER_CHARS:
        return None
    for reading in _READINGS:
        if found := reading(text, asked.strip(), me):
            return found
    return None


def _read_task(text: str, asked: str, me: str | None) -> tuple[str, ClauseFinding] | None:
    taken, who = _rules()["taken"].match(text), _rules()["who"].match(asked)
    if not taken or not who or not me:
        return None
    when = text[taken.end() :].strip(" .!")
    finding = ClauseFinding(Kind.TASK_HINT, "takes on what was asked")
    return f"{me} will {(who[1] or who[2]).strip()} {when}".strip(), finding


def _read_value(text: str, asked: str, _me: str | None) -> tuple[str, ClauseFinding] | None:
    """`Control group is 24, yes?` and `No, 26`: the statement with the value put right."""
    tag = _rules()["tag"].search(asked)
    statement = asked[: tag.start()] if tag else asked.rstrip(".!")
    if "?" in statement or not re.search(
        r"\s(?:is|are|was|has|have|leaves?|starts?|ends?|costs?|takes?|runs?|listens?|opens?|closes?|\w+s)\s", statement
    ):
        return None
    start = _rules()["no"].match(text)
    answer = text[start.end() if start else 0 :]
    for shape in (_CLOCK, _DAY, r"\d[\d.,]*\d|\d", _WORD_NUMBER):
        given = re.match(
            rf"(?:on |at |in |port |room |number |version )*({shape})\b(?=(?: night| morning| evening"
            rf"| afternoon)?\s*(?:$|[,.!;]|not\b|instead))",
            answer,
            re.IGNORECASE,
        )
        if given is None or not (start or tag):
            continue
        kinds = (_CLOCK, _WORD_NUMBER) if shape in (_CLOCK, _WORD_NUMBER) else (shape,)
        said = [found for kind in kinds for found in re.finditer(rf"\b(?:{kind})\b", statement, re.IGNORECASE)]
        if len(said) == 1 and said[0].group().lower() != given[1].lower():
            put_right = statement[: said[0].start()] + given[1] + statement[said[0].end() :]
            return put_right, ClauseFinding(Kind.LESSON, "puts a value right")
    return None


def _read_gap(text: str, asked: str, _me: str | None) -> tuple[str, ClauseFinding] | None:
    """`Which branch do releases come from?` and `From the stable branch.`: the question as a statement."""
    gap = _rules()["gap"].match(asked)
    if gap is None or re.match(r"(?:i|we|you|it|no|yes|not|maybe|probably|the one)\b", text, re.IGNORECASE):
        return None
    answer = text.strip(" .!")
    if not 1 <= len(answer.split()) <= 7 or "," in answer or gap[2].lower() in ("you", "we", "i", "your"):
        return None
    verb = third_person(gap[3].lower()) if gap[1].lower() == "does" else gap[3]
    preposition = gap[4] or ""
    if preposition and not answer.lower().startswith(preposition):
        answer = f"{preposition} {answer}"
    return f"{gap[2]} {verb} {answer}", ClauseFinding(Kind.PROJECT, "answers what was asked", Strength.IMPLIED)


_READINGS: tuple[Callable[[str, str, str | None], tuple[str, ClauseFinding] | None], ...] = (
    _read_task,
    _read_value,
    _read_gap,
)
