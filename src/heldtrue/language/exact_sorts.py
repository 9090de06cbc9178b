"""Texts that are not statements by their form alone: only signs, a bare greeting, pasted dialogue, logs or code.

What depends on the meaning of words is left to the reader.
"""

from __future__ import annotations

import re
from collections import Counter

from heldtrue.domain.judged import TextSort
from heldtrue.language.extraction.blanking import is_machine_output
from heldtrue.language.guard import guarded, spend

_SMALL_TALK = frozenset("hi hello hey bye thanks thx ok okay yes no".split())
"""Words that state nothing where a text has no other."""
_ROLES = frozenset("user assistant human ai system tool".split())
"""Who speaks in the recorded dialogue of an assistant."""
_WORD = re.compile(r"\w+")
_TURN = re.compile(r"\s*(?:[\[(]?\d[\d:./ -]{2,24}[\])]?\s*)?<?([^\W\d_][\w.'-]{0,29}(?: [\w.'-]{1,29}){0,2})[:>]\s+\S")
_LEAST_TURNS = 4
"""How many turns a dialogue has whose speakers have other names."""


@guarded(lambda _text: None)
def sort_exactly(text: str) -> TextSort | None:
    """`CHATTER` or `TRANSCRIPT` for a text that is that by its form; None for any other."""
    spend(len(text))
    words = _WORD.findall(text.lower())
    if not any(char.isalnum() for char in text) or _SMALL_TALK.issuperset(words):
        return TextSort.CHATTER
    if "\n" in text and (_is_dialogue(text) or is_machine_output(text)):
        return TextSort.TRANSCRIPT
    return None


def _is_dialogue(text: str) -> bool:
    """Whether most lines are turns, by two roles of an assistant's dialogue or by few speakers who take turns."""
    lines = [line for line in text.split("\n") if line.strip()]
    speakers = Counter(match[1].lower() for line in lines if (match := _TURN.match(line[:200])))
    turns = speakers.total()
    if turns * 2 < len(lines):
        return False
    return len(_ROLES.intersection(speakers)) > 1 or (turns >= _LEAST_TURNS and 2 <= len(speakers) <= turns / 2)
