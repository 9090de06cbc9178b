"""LoCoMo: ten long conversations between two people, and questions whose evidence is known turn by turn."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

from heldtrue import ManualClock, Memory

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
"""The fifth asks for what was never said, and so has no evidence."""
_TURN_ID = re.compile(r"D\d+:\d+")
_ASKED_AFTER = timedelta(days=2)


@dataclass(frozen=True)
class Turn:
    speaker: str
    text: str
    session: int
    at: datetime

    @property
    def said(self) -> str:
        """As one text, which tells who said it."""
        return f"{self.speaker}: {self.text}"


@dataclass(frozen=True)
class Asked:
    """A question, and the places of the turns that answer it."""

    words: str
    category: int
    gold: frozenset[int]


@dataclass(frozen=True)
class Conversation:
    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Asked, ...]

    @property
    def clock(self) -> ManualClock:
        """Stands two days after the last session: that is when the questions are asked."""
        return ManualClock(max(turn.at for turn in self.turns) + _ASKED_AFTER)

    def capture(self, memory: Memory) -> dict[str, int]:
        """Hand it in, each session as a thread; the place of the turn that each source is."""
        places: dict[str, int] = {}
        for session, group in groupby(enumerate(self.turns), key=lambda pair: pair[1].session):
            turns = list(group)
            messages = [
                {"role": "user", "name": turn.speaker, "content": turn.text, "at": turn.at.isoformat()}
                for _, turn in turns
            ]
            answer = memory.capture(messages=messages, thread=f"session {session}")
            places |= {source: index for source, (index, _) in zip(answer.sources, turns, strict=True)}
        return places

    def around(self, index: int) -> str:
        """A turn together with the one before and the one after it in its session, as said by its speaker."""
        session = self.turns[index].session
        near = [turn.text for turn in self.turns[max(0, index - 1) : index + 2] if turn.session == session]
        return f"{self.turns[index].speaker}: {' '.join(near)}"


def read_conversations(path: Path) -> list[Conversation]:
    """The conversations of a LoCoMo file, with the questions that have evidence in them."""
    return [_read_one(given) for given in json.loads(path.read_text("utf-8"))]


def _read_one(given: dict[str, Any]) -> Conversation:
    turns = list(_read_turns(given["conversation"]))
    places = {name: index for index, (name, _) in enumerate(turns)}
    return Conversation(
        name=given["sample_id"],
        turns=tuple(turn for _, turn in turns),
        questions=tuple(_read_questions(given["qa"], places)),
    )


def _read_turns(talk: dict[str, Any]) -> Iterator[tuple[str, Turn]]:
    sessions = sorted(int(key.removeprefix("session_")) for key in talk if re.fullmatch(r"session_\d+", key))
    for session in sessions:
        at = datetime.strptime(talk[f"session_{session}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for turn in talk[f"session_{session}"]:
            caption = turn.get("blip_caption")
            text = f"{turn['text']} [shared: {caption}]" if caption else turn["text"]
            yield turn["dia_id"], Turn(turn["speaker"], text, session, at)


def _read_questions(asked: list[dict[str, Any]], places: dict[str, int]) -> Iterator[Asked]:
    for question in asked:
        names = _TURN_ID.findall(" ".join(question["evidence"]))
        gold = frozenset(places[name] for name in names if name in places)
        if gold and question["category"] in CATEGORIES:
            yield Asked(question["question"], question["category"], gold)
