"""Those who come by token and what they hand each other, on every kind of store."""

from __future__ import annotations

import msgspec

from heldtrue.domain.agent import AgentRow, HandedRow, digest_token
from heldtrue.domain.principal import PrincipalKind, Role
from heldtrue.storage.store import SqlStore

SCOUT = AgentRow(
    name="scout",
    kind=PrincipalKind.AGENT,
    role=Role.PROJECT,
    projects=("shop", "bücher"),
    repos=("shop-web",),
    teams=(),
    token_digest=digest_token("ht_scout"),
    writes_per_minute=5,
    created_at=1,
    changed_at=2,
)


def message(number: int, *, receiver: str = "agent:seo", expires_at: int = 100) -> HandedRow:
    return HandedRow(
        id=f"{number:08x}-0000-7000-8000-000000000000",
        sender="agent:scout",
        receiver=receiver,
        type="request",
        action="analyse",
        memories=("a", "b"),
        note=None,
        created_at=number,
        expires_at=expires_at,
    )


def test_an_agent_comes_back_as_it_was_kept_and_is_found_by_its_token_alone(store: SqlStore) -> None:
    with store.write() as writing:
        writing.agents.keep(SCOUT)
    with store.read() as reading:
        assert reading.agents.named("scout") == SCOUT
        assert reading.agents.known() == [SCOUT]
        assert reading.agents.by_token(digest_token("ht_scout")) == SCOUT
        assert reading.agents.by_token(digest_token("ht_other")) is None
        assert reading.agents.named("nobody") is None


def test_a_token_that_is_taken_away_finds_nobody_and_two_may_be_without_one(store: SqlStore) -> None:
    gone = msgspec.structs.replace(SCOUT, token_digest=None, changed_at=3)
    other = msgspec.structs.replace(gone, name="other")
    with store.write() as writing:
        writing.agents.keep(SCOUT)
        writing.agents.keep(gone)
        writing.agents.keep(other)
    with store.read() as reading:
        assert reading.agents.named("scout") == gone
        assert reading.agents.known() == [other, gone]
        assert reading.agents.by_token(digest_token("ht_scout")) is None


def test_messages_come_newest_first_to_their_receiver_until_they_expire(store: SqlStore) -> None:
    mine = [message(number) for number in (1, 2, 3)]
    with store.write() as writing:
        for one in (*mine, message(4, receiver="agent:other"), message(5, expires_at=50)):
            writing.agents.hand_over(one)
    with store.read() as reading:
        assert reading.agents.handed_to("agent:seo", now=50, before="~", limit=10) == mine[::-1]
        assert reading.agents.handed_to("agent:seo", now=50, before=mine[2].id, limit=1) == [mine[1]]
        assert len(reading.agents.handed_to("agent:seo", now=49, before="~", limit=10)) == 4
    with store.write() as writing:
        writing.agents.drop_handed(100)
    with store.read() as reading:
        assert reading.agents.handed_to("agent:seo", now=0, before="~", limit=10) == []


def test_nothing_of_a_principal_is_left_for_whoever_has_its_name_next(store: SqlStore) -> None:
    with store.write() as writing:
        writing.agents.hand_over(message(1))
        writing.agents.hand_over(message(2, receiver="agent:other"))
        for principal in ("agent:seo", "agent:other"):
            writing.ledger.keep_answer(principal, "k", b"hash", "{}", 1, 1)
        writing.agents.forget("agent:seo")
    with store.read() as reading:
        assert reading.agents.handed_to("agent:seo", now=0, before="~", limit=9) == []
        assert reading.ledger.idempotent_answer("agent:seo", "k") is None
        assert reading.agents.handed_to("agent:other", now=0, before="~", limit=9)  # another's stays
        assert reading.ledger.idempotent_answer("agent:other", "k") is not None
