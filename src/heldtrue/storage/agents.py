"""The rows of registered agents and of the messages between them."""

from __future__ import annotations

import msgspec

from heldtrue.domain.agent import AgentRow, HandedRow, pack_names, unpack_names
from heldtrue.domain.principal import PrincipalKind, Role
from heldtrue.storage.connector import Row
from heldtrue.storage.runner import Runner


class AgentPart:
    """Registered agents and their messages."""

    __slots__ = ("_sql",)

    def __init__(self, sql: Runner) -> None:
        self._sql = sql

    def named(self, name: str) -> AgentRow | None:
        row = self._sql.row("agent", name=name)
        return _read_agent(row) if row else None

    def by_token(self, token_digest: bytes) -> AgentRow | None:
        row = self._sql.row("agent_by_token", token_digest=token_digest)
        return _read_agent(row) if row else None

    def known(self) -> list[AgentRow]:
        return [_read_agent(row) for row in self._sql.rows("agents")]

    def keep(self, agent: AgentRow) -> None:
        values = msgspec.structs.asdict(agent)
        values |= {"kind": str(agent.kind.value), "role": str(agent.role.value)}
        values |= {name: pack_names(values[name]) for name in ("projects", "repos", "teams")}
        self._sql.run("keep_agent", **values)

    def handed_to(self, receiver: str, *, now: int, before: str, limit: int) -> list[HandedRow]:
        rows = self._sql.rows("handed_to", receiver=receiver, now=now, before=before, limit=limit)
        return [
            HandedRow(
                id=str(row[0]),
                sender=str(row[1]),
                receiver=str(row[2]),
                type=str(row[3]),
                action=str(row[4]),
                memories=unpack_names(str(row[5])),
                note=None if row[6] is None else str(row[6]),
                created_at=int(row[7]),
                expires_at=int(row[8]),
            )
            for row in rows
        ]

    def hand_over(self, handed: HandedRow) -> None:
        self._sql.run("insert_handed", **msgspec.structs.asdict(handed) | {"memories": pack_names(handed.memories)})

    def forget(self, principal: str) -> None:
        self._sql.run("forget_answers", principal=principal)
        self._sql.run("forget_handed", receiver=principal)

    def drop_handed(self, now: int) -> None:
        self._sql.run("drop_handed", now=now)


def _read_agent(row: Row) -> AgentRow:
    name, kind, role, projects, repos, teams, digest, writes, requests, created_at, changed_at = row
    return AgentRow(
        name=str(name),
        kind=PrincipalKind(kind),
        role=Role(role),
        projects=unpack_names(str(projects)),
        repos=unpack_names(str(repos)),
        teams=unpack_names(str(teams)),
        token_digest=None if digest is None else bytes(digest),
        writes_per_minute=writes,
        requests_per_second=requests,
        created_at=created_at,
        changed_at=changed_at,
    )
