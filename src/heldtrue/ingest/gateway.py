"""The only way to write: a transaction, an identity, an idempotency key, an act, and the stored ledger head."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

import msgspec

from heldtrue.domain.cause import RefusalCause
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.errors import IdempotencyMismatch, InvalidInput, NotAllowed
from heldtrue.domain.limits import IDEMPOTENCY_KEY_CHARS_MAX
from heldtrue.domain.principal import Principal
from heldtrue.ingest.ports import IngestStore, IngestWriteTransaction
from heldtrue.ingest.stages.journal import EntryBuilder, WriteSession
from heldtrue.ports import Clock, HeadKeeper

Answer = TypeVar("Answer")
Plan = TypeVar("Plan")
_encode = msgspec.json.Encoder(order="sorted").encode


class WriteRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Who writes, through which channel, and the key that identifies a retry."""

    principal: Principal
    channel: str
    action: str
    idempotency_key: str | None = None
    body: bytes = b""
    """The request as sent, so that a key cannot be reused for something else."""
    on_replay: Callable[[], None] | None = None
    """Called if the request was done before, so its first answer is returned again."""


class PlannedAct(Generic[Plan, Answer]):
    """An act that reads existing memories before it takes the write lock, so that others need not wait."""

    def __init__(
        self, plan: Callable[[IngestStore, Principal], Plan], carry_out: Callable[[WriteSession, Plan], Answer]
    ) -> None:
        self._plan = plan
        self._carry_out = carry_out

    def prepare(self, store: IngestStore, actor: Principal) -> Callable[[WriteSession], Answer]:
        """Plan the act; return a function that carries it out."""
        plan = self._plan(store, actor)
        return lambda session: self._carry_out(session, plan)


class Gate(Protocol):
    """The only way to write, as callers see it."""

    def submit(
        self,
        request: WriteRequest,
        act: Callable[[WriteSession], Answer] | PlannedAct[Plan, Answer],
        answer_type: type[Answer],
    ) -> Answer: ...


class Gateway:
    """Every write to a space passes here, from every surface."""

    def __init__(self, store: IngestStore, clock: Clock, heads: HeadKeeper, base_iri: str) -> None:
        self._store = store
        self._clock = clock
        self._heads = heads
        self._base_iri = base_iri
        self._known: set[str] = set()
        self._checked = False

    def submit(
        self,
        request: WriteRequest,
        act: Callable[[WriteSession], Answer] | PlannedAct[Plan, Answer],
        answer_type: type[Answer],
    ) -> Answer:
        """Run an act in one transaction and return its answer; the same request again gets the same answer."""
        if isinstance(act, PlannedAct):
            act = act.prepare(self._store, request.principal)
        denied: NotAllowed | None = None
        with self._store.write() as transaction:
            self._check_head(transaction)
            if (earlier := _earlier_answer(transaction, request)) is not None:
                if request.on_replay is not None:
                    request.on_replay()
                return msgspec.json.decode(earlier, type=answer_type)
            session = WriteSession(
                transaction,
                actor=request.principal,
                channel=request.channel,
                now=self._clock.now(),
                known=self._known,
                base_iri=self._base_iri,
            )
            start = session.head.seq
            try:
                answer = act(session)
            except NotAllowed as problem:
                if session.head.seq != start:
                    raise
                denied = problem
                EntryBuilder(session, request.action).finish(
                    OutcomeKind.REFUSED,
                    target=None,
                    scope=None,
                    reason=problem.message,
                    cause=RefusalCause.NOT_ALLOWED,
                )
            else:
                _keep_answer(transaction, request, answer, session)
        self._known |= session.newly_known
        self._publish(session)
        if denied is not None:
            raise denied
        return answer

    def _publish(self, session: WriteSession) -> None:
        """Store the new head outside the database. The write is committed, so this must not raise."""
        if not session.head.seq:
            return  # nothing was ever written: there is no end to note, and the space has no name yet
        try:
            self._heads.publish(session.space.id, session.head)
        except OSError as problem:
            import logging

            logging.getLogger("heldtrue").warning("could not write the ledger head file: %s", problem)

    def _check_head(self, transaction: IngestWriteTransaction) -> None:
        """Refuse to write to a truncated ledger; checked once per process."""
        if not self._checked:
            self._heads.check(transaction)
            self._checked = True


def _request_hash(request: WriteRequest) -> bytes:
    return hashlib.sha256(request.action.encode() + b"\n" + request.body).digest()


def _earlier_answer(transaction: IngestWriteTransaction, request: WriteRequest) -> str | None:
    key = request.idempotency_key
    if key is None:
        return None
    if not key or len(key) > IDEMPOTENCY_KEY_CHARS_MAX:
        raise InvalidInput(
            f"an idempotency key must have 1 to {IDEMPOTENCY_KEY_CHARS_MAX} characters",
            field="idempotency_key",
            hint="use a UUID",
        )
    found = transaction.ledger.idempotent_answer(request.principal.id, key)
    if found is None:
        return None
    if found[0] != _request_hash(request):
        raise IdempotencyMismatch(field="idempotency_key", hint="use a new key for a new request")
    return found[1]


def _keep_answer(
    transaction: IngestWriteTransaction, request: WriteRequest, answer: object, session: WriteSession
) -> None:
    if request.idempotency_key is not None:
        transaction.ledger.keep_answer(
            request.principal.id,
            request.idempotency_key,
            _request_hash(request),
            _encode(answer).decode(),
            session.head.seq,
            max(session.now, session.head.recorded_at),
        )
