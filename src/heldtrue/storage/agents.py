"""Registered agents, their tokens, and the messages between them."""

from __future__ import annotations

import msgspec

from heldtrue.domain.agent import AgentRow, read_agent
from heldtrue.domain.errors import StorageProblem
from heldtrue.domain.records import AgentRecord, Handed
from heldtrue.storage.connector import Row
from heldtrue.storage.runner import Runner

_WIDTH = len(AgentRecord.__struct_fields__)


class AgentPart:
    """Registered agents, their tokens and their messages. Agents and messages are written by the ledger."""

    __slots__ = ("_sql",)

    def __init__(self, sql: Runner) -> None:
        self._sql = sql

    def named(self, name: str) -> AgentRow | None:
        row = self._sql.row("agent", name=name)
        return _read(row) if row else None

    def by_token(self, token_digest: bytes) -> AgentRow | None:
        row = self._sql.row("agent_by_token", token_digest=token_digest)
        agent = _read(row) if row else None
        return agent if agent is not None and agent.has_token else None

    def known(self) -> list[AgentRow]:
        return [_read(row) for row in self._sql.rows("agents")]

    def record(self, name: str) -> AgentRecord | None:
        row = self._sql.row("agent", name=name)
        return AgentRecord(*row[:_WIDTH]) if row else None

    def tokens(self) -> list[tuple[str, bytes]]:
        return [(row[0], row[1]) for row in self._sql.rows("tokens")]

    def handed_to(self, receiver: str, *, now: int, before: str, limit: int) -> list[Handed]:
        rows = self._sql.rows("handed_to", receiver=receiver, now=now, before=before, limit=limit)
        return [Handed(*row) for row in rows]

    def messages_to(self, receiver: str) -> list[Handed]:
        return [Handed(*row) for row in self._sql.rows("messages_to", receiver=receiver)]

    def keep_token(self, name: str, token_digest: bytes | None) -> None:
        if token_digest is None:
            self._sql.run("drop_token", agent=name)
        else:
            self._sql.run("keep_token", agent=name, token_digest=token_digest)

    def forget_answers(self, principal: str) -> None:
        self._sql.run("forget_answers", principal=principal)


def _read(row: Row) -> AgentRow:
    record, digest = AgentRecord(*row[:_WIDTH]), row[_WIDTH]
    try:
        return read_agent(record, digest if isinstance(digest, bytes) else None)
    except (TypeError, ValueError, msgspec.MsgspecError):
        # Nobody is let in, or kept out, by a record that cannot be read.
        raise StorageProblem(
            f"the record of agent {record.name} is damaged", hint="run heldtrue verify, and restore a backup"
        ) from None
