"""Registered agents, their tokens and their messages, on every kind of store."""

from __future__ import annotations

import msgspec

from heldtrue.domain.agent import AgentRow, check_token, digest_token, pack_names
from heldtrue.domain.carried import KeptAnswer
from heldtrue.domain.ledger import closing_digest, seal
from heldtrue.domain.principal import PrincipalKind, Role
from heldtrue.domain.records import AgentRecord, Handed
from heldtrue.storage.store import SqlStore, Transaction

DIGEST = digest_token("ht_scout")
SCOUT = AgentRow(
    name="scout",
    kind=PrincipalKind.AGENT,
    role=Role.PROJECT,
    projects=("shop", "bücher"),
    repos=("shop-web",),
    teams=(),
    token_check=check_token(DIGEST),
    has_token=True,
    writes_per_minute=5,
    created_at=1,
    changed_at=2,
    seq=1,
)


def message(number: int, *, receiver: str = "agent:seo", expires_at: int = 100) -> Handed:
    return seal(
        Handed(
            id=f"{number:08x}-0000-7000-8000-000000000000",
            seq=1,
            sender="agent:scout",
            receiver=receiver,
            type="request",
            action="analyse",
            memories=pack_names(["a", "b"]),
            note=None,
            expires_at=expires_at,
            recorded_from=number,
        )
    )


def keep(writing: Transaction, agent: AgentRow, token_digest: bytes | None) -> AgentRecord:
    record = seal(agent.record(f"{agent.name} {agent.changed_at}", 1, agent.changed_at))
    writing.ledger.insert(record)
    writing.agents.keep_token(agent.name, token_digest)
    return record


def close(writing: Transaction, record: AgentRecord | Handed) -> None:
    closed = msgspec.structs.replace(record, recorded_to=3, seq_to=2, closed_by="person:owner", close_reason="changed")
    writing.ledger.close(msgspec.structs.replace(closed, closing_digest=closing_digest(closed)))


def test_an_agent_comes_back_as_it_was_recorded_and_is_found_by_its_token_alone(store: SqlStore) -> None:
    with store.write() as writing:
        record = keep(writing, SCOUT, DIGEST)
    with store.read() as reading:
        assert reading.agents.record("scout") == record
        assert reading.agents.named("scout") == SCOUT
        assert reading.agents.known() == [SCOUT]
        assert reading.agents.by_token(DIGEST) == SCOUT
        assert reading.agents.by_token(digest_token("ht_other")) is None
        assert reading.agents.named("nobody") is None
        assert reading.agents.tokens() == [("scout", DIGEST)]


def test_a_revoked_token_finds_nobody_and_two_agents_may_be_without_one(store: SqlStore) -> None:
    gone = msgspec.structs.replace(SCOUT, token_check=None, has_token=False, changed_at=3, revoked_at=3)
    other = msgspec.structs.replace(gone, name="other")
    with store.write() as writing:
        close(writing, keep(writing, SCOUT, DIGEST))
        keep(writing, gone, None)
        keep(writing, other, None)
    with store.read() as reading:
        assert reading.agents.named("scout") == gone
        assert reading.agents.known() == [other, gone]
        assert reading.agents.by_token(DIGEST) is None


def test_a_stored_token_that_the_record_does_not_name_lets_nobody_in(store: SqlStore) -> None:
    forged = digest_token("ht_forged")
    with store.write() as writing:
        keep(writing, SCOUT, DIGEST)
    with store.read() as reading:
        assert reading.agents.by_token(DIGEST) is not None
    with store.write() as writing:
        writing.agents.keep_token("scout", forged)
        writing.agents.keep_token("owner", digest_token("ht_owner"))
    with store.read() as reading:
        assert reading.agents.by_token(forged) is None
        assert reading.agents.by_token(digest_token("ht_owner")) is None
        assert reading.agents.named("scout") == msgspec.structs.replace(SCOUT, has_token=False)


def test_messages_come_newest_first_to_their_receiver_until_they_expire(store: SqlStore) -> None:
    mine = [message(number) for number in (1, 2, 3)]
    with store.write() as writing:
        for handed in (*mine, message(4, receiver="agent:other"), message(5, expires_at=50)):
            writing.ledger.insert(handed)
    with store.read() as reading:
        assert reading.agents.handed_to("agent:seo", now=50, before="~", limit=10) == mine[::-1]
        assert reading.agents.handed_to("agent:seo", now=50, before=mine[2].id, limit=1) == [mine[1]]
        assert len(reading.agents.handed_to("agent:seo", now=49, before="~", limit=10)) == 4
        assert len(reading.agents.messages_to("agent:seo")) == 4


def test_a_closed_message_reaches_nobody_and_another_receivers_stays(store: SqlStore) -> None:
    with store.write() as writing:
        for handed in (message(1), message(2, receiver="agent:other")):
            writing.ledger.insert(handed)
        close(writing, message(1))
        for principal in ("agent:seo", "agent:other"):
            writing.ledger.keep_answer(KeptAnswer(principal, "k", b"hash", "{}", 1, 1))
        writing.agents.forget_answers("agent:seo")
    with store.read() as reading:
        assert reading.agents.handed_to("agent:seo", now=0, before="~", limit=9) == []
        assert reading.ledger.idempotent_answer("agent:seo", "k") is None
        assert reading.agents.handed_to("agent:other", now=0, before="~", limit=9)
        assert reading.ledger.idempotent_answer("agent:other", "k") is not None
