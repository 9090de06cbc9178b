"""The only way to write: a transaction, an identity, an idempotency key, an act, and the stored ledger head."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

import msgspec

from heldtrue.domain.carried import ANSWER, KeptAnswer, digest_answer
from heldtrue.domain.cause import RefusalCause
from heldtrue.domain.continuity import CheckedHeads, LedgerStep, has_head, lost_head
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.errors import IdempotencyMismatch, InvalidInput, NotAllowed
from heldtrue.domain.ledger import Head
from heldtrue.domain.limits import IDEMPOTENCY_KEY_CHARS_MAX
from heldtrue.domain.principal import Principal
from heldtrue.ingest.ports import IngestStore, IngestWriteTransaction
from heldtrue.ingest.stages.journal import EntryBuilder, WriteSession
from heldtrue.ingest.stages.judging import TextJudge
from heldtrue.ingest.stages.near import NearStatements
from heldtrue.ingest.stages.rejected import RejectedStatements
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


class Planning(msgspec.Struct, frozen=True):
    """What an act is planned with, before the write lock is taken."""

    store: IngestStore
    actor: Principal
    rejected: RejectedStatements
    near: NearStatements
    judge: TextJudge


class PlannedAct(Generic[Plan, Answer]):
    """An act that reads existing memories before it takes the write lock, so that others need not wait."""

    def __init__(self, plan: Callable[[Planning], Plan], carry_out: Callable[[WriteSession, Plan], Answer]) -> None:
        self._plan = plan
        self._carry_out = carry_out

    def prepare(self, planning: Planning) -> Callable[[WriteSession], Answer]:
        """Plan the act; return a function that carries it out."""
        plan = self._plan(planning)
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

    def __init__(
        self,
        store: IngestStore,
        clock: Clock,
        heads: HeadKeeper,
        base_iri: str,
        rejected: RejectedStatements,
        near: NearStatements,
        judge: TextJudge,
    ) -> None:
        self._rejected = rejected
        self._near = near
        self._judge = judge
        self._store = store
        self._clock = clock
        self._heads = heads
        self._base_iri = base_iri
        self._known: set[str] = set()
        self._seen: Head | None = None
        """The last head that this process has seen in the ledger."""

    def submit(
        self,
        request: WriteRequest,
        act: Callable[[WriteSession], Answer] | PlannedAct[Plan, Answer],
        answer_type: type[Answer],
    ) -> Answer:
        """Run an act in one transaction and return its answer; the same request again gets the same answer."""
        if isinstance(act, PlannedAct):
            act = act.prepare(Planning(self._store, request.principal, self._rejected, self._near, self._judge))
        denied: NotAllowed | None = None
        with self._store.write() as transaction:
            session = WriteSession(
                transaction,
                actor=request.principal,
                channel=request.channel,
                now=self._clock.now(),
                known=self._known,
                base_iri=self._base_iri,
                rejected=self._rejected,
            )
            before = session.head
            checked = self._check(transaction, before)
            if (earlier := _earlier_answer(transaction, request)) is not None:
                if request.on_replay is not None:
                    request.on_replay()
                # The process that wrote it may have ended before it stored the head.
                self._heads.publish(LedgerStep(session.space.id, before, before), checked, self._has_head)
                return msgspec.json.decode(earlier, type=answer_type)
            try:
                answer = act(session)
            except NotAllowed as problem:
                if session.head.seq != before.seq:
                    raise
                denied = problem
                EntryBuilder(session, request.action).finish(
                    OutcomeKind.REFUSED,
                    target=None,
                    scope=None,
                    reason=problem.message,
                    cause=RefusalCause.NOT_ALLOWED,
                )
                session.chain_last()
            else:
                _keep_answer(transaction, request, answer, session, changed=session.head.seq != before.seq)
        self._known |= session.newly_known
        self._seen = session.head
        if session.head.seq > before.seq:
            self._heads.publish(LedgerStep(session.space.id, before, session.head), checked, self._has_head)
        if denied is not None:
            raise denied
        return answer

    def _check(self, transaction: IngestWriteTransaction, current: Head) -> CheckedHeads:
        """Refuse to write to a ledger that has lost entries, and at a time that cannot be right."""
        if self._seen is not None and not has_head(current, self._seen, transaction.ledger.entry):
            raise lost_head(self._seen, current)
        checked = self._heads.check(transaction, current)
        self._clock.refuse_jump(current.recorded_at if current.seq else self._clock.now())
        return checked

    def _has_head(self, known: Head) -> bool:
        with self._store.read() as reading:
            return has_head(reading.ledger.head(), known, reading.ledger.entry)


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
    transaction: IngestWriteTransaction, request: WriteRequest, answer: object, session: WriteSession, *, changed: bool
) -> None:
    """Store the answer for a retry. The last entry of the write proves it; a write without one gets an entry for it."""
    if request.idempotency_key is None:
        session.chain_last()
        return
    if not changed:
        EntryBuilder(session, request.action).finish(
            OutcomeKind.UNCHANGED, target=None, scope=None, reason="the write changed nothing"
        )
    kept = KeptAnswer(
        principal=request.principal.id,
        key=request.idempotency_key,
        request_hash=_request_hash(request),
        answer=_encode(answer).decode(),
        seq=session.head.seq,
        recorded_at=max(session.now, session.head.recorded_at),
    )
    session.chain_last(**{ANSWER: digest_answer(session.space.key, kept)})
    transaction.ledger.keep_answer(kept)
