"""Working rows that travel with a space: jobs, logs and kept answers. The ledger does not cover them.

Tokens are not among them: a token is for one home.
"""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from heldtrue.domain.job import Job, JobState, ScheduleRun, SummaryRow
from heldtrue.domain.rows import RecallRow, Use


class CarriedRecall(RecallRow, frozen=True, gc=False):
    """A recall with its place in the log."""

    place: int


class KeptAnswer(msgspec.Struct, frozen=True, gc=False):
    """The answer of a write, for a retry with the same idempotency key."""

    principal: str
    key: str
    request_hash: bytes
    answer: str
    seq: int
    recorded_at: int


ANSWER = "answer"
"""The part of an entry's detail that proves the answer stored for a retry."""
ANSWERS_FORGOTTEN = "answers_forgotten"
"""The part of an entry's detail that says that the answers stored for an agent were dropped."""
ANSWERS_AFTER = "answers_after"
"""The index state with the moment before which stored answers may be gone: they were dropped, or never came along."""


def digest_answer(space_key: bytes, kept: KeptAnswer) -> str:
    """What the ledger entry of a write says of its stored answer: enough to prove it, and nothing to read."""
    return hashlib.blake2b(msgspec.json.encode(kept), key=space_key, digest_size=32).hexdigest()


class CarriedTable(msgspec.Struct, frozen=True):
    """A table of working rows: what its rows are, and what tells one from another."""

    table: str
    type: Any
    key: tuple[str, ...]
    json: tuple[str, ...] = ()
    """The columns that contain JSON."""

    @property
    def lowest_key(self) -> tuple[str | int, ...]:
        """A key before every other."""
        return tuple(-_INTEGER_END if name.endswith("_at") else "" for name in self.key)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.type.__struct_fields__  # type: ignore[no-any-return]


_INTEGER_END = 2**63
"""The first whole number that no database column holds."""
CARRIED: tuple[CarriedTable, ...] = (
    CarriedTable("idempotency", KeptAnswer, ("principal", "key"), ("answer",)),
    CarriedTable("jobs", Job, ("id",), ("arguments", "outcome")),
    CarriedTable("memory_use", Use, ("memory_id",)),
    CarriedTable("recalls", CarriedRecall, ("id",), ("asked", "results", "cost")),
    CarriedTable("schedules", ScheduleRun, ("name",)),
    CarriedTable("summaries", SummaryRow, ("scope", "category", "made_at")),
)
CARRIED_NAMED: dict[str, CarriedTable] = {spec.table: spec for spec in CARRIED}


def read_carried(table: str, row: dict[str, Any]) -> Any:
    """A row of an export as a value, or `msgspec.ValidationError` that says what is wrong with it."""
    spec = CARRIED_NAMED.get(table)
    if spec is None:
        raise msgspec.ValidationError(f"{table!r} is not a table that an export can contain")
    if strange := row.keys() - set(spec.columns):
        raise msgspec.ValidationError(f"{table} has no column {min(strange)!r}")
    value = msgspec.convert(dict.fromkeys(spec.columns) | row, spec.type)
    for name in spec.columns:
        _check_value(name, getattr(value, name))
    for name in spec.json:
        try:
            msgspec.json.decode(getattr(value, name))
        except (msgspec.DecodeError, RecursionError) as problem:
            raise msgspec.ValidationError(f"{name} is not JSON: {problem}") from None
    if isinstance(value, Job):
        msgspec.convert(value.state, JobState)
    return value


def _check_value(name: str, value: object) -> None:
    """Refuse what a database cannot store."""
    if isinstance(value, str) and "\x00" in value:
        raise msgspec.ValidationError(f"{name} contains an invalid character")
    if isinstance(value, int) and not -_INTEGER_END <= value < _INTEGER_END:
        raise msgspec.ValidationError(f"{name} is out of range")
