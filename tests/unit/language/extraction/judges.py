"""Stand-ins for the reader: functions that know what they keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from heldtrue.domain.judged import JudgeUnits, UnitInContext, UnitJudgement
from heldtrue.domain.memory import Kind
from heldtrue.models.reader_input import KINDS

SURE, UNSURE = 0.97, 0.02


def say(kind: Kind | None, sure: float = SURE) -> UnitJudgement:
    """A judgement: worth keeping as this kind, or not at all."""
    keep = UNSURE if kind is None else sure
    return UnitJudgement(keep, {known: sure if known is kind else UNSURE for known in KINDS})


def judge_by(table: Mapping[str, Kind], sure: float = SURE) -> JudgeUnits:
    """A judge that keeps the units with exactly these words, and may keep every sentence that holds one of them."""

    def judge(units: Sequence[UnitInContext]) -> list[UnitJudgement]:
        return [_judge(unit.text[unit.start : unit.end].rstrip(".!? "), table, sure) for unit in units]

    return judge


def _judge(said: str, table: Mapping[str, Kind], sure: float) -> UnitJudgement:
    if said in table:
        return say(table[said], sure)
    inside = next((kind for words, kind in table.items() if words in said), None)
    return say(inside, 0.3) if inside else say(None)


def keep_all(kind: Kind, sure: float = SURE) -> JudgeUnits:
    """A judge that keeps every unit."""
    return lambda units: [say(kind, sure) for _ in units]
