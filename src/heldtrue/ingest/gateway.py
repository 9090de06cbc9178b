"""The one way to write: a transaction, an identity, an idempotency key, an act, and the head kept outside."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TypeVar

import msgspec

from heldtrue.domain.errors import IdempotencyMismatch, InvalidInput, NotAllowed
from heldtrue.domain.limits import IDEMPOTENCY_KEY_CHARS_MAX
from heldtrue.domain.principal import Principal
from heldtrue.ingest.journal import Journal, Pen
from heldtrue.ports import Clock, HeadKeeper, Store, Writing

Answer = TypeVar("Answer")
_encode = msgspec.json.Encoder(order="sorted").encode


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """Who writes, through what, and which request it is if it comes again."""

    principal: Principal
    channel: str
    action: str
    idempotency_key: str | None = None
    body: bytes = b""
    """The request as sent, so that a key cannot be reused for something else."""
    on_replay: Callable[[], None] | None = None
    """Told where it was done before, so that its first answer is given again."""


class Gateway:
    """Every write to a space passes here, whichever surface it came through."""

    def __init__(self, store: Store, clock: Clock, heads: HeadKeeper, base_iri: str) -> None:
        self._store = store
        self._clock = clock
        self._heads = heads
        self._base_iri = base_iri
        self._known: set[str] = set()
        self._checked = False

    def submit(self, request: Request, act: Callable[[Pen], Answer], answer_type: type[Answer]) -> Answer:
        """Do an act in one transaction and give its answer; the same request again gets the same answer."""
        denied: NotAllowed | None = None
        with self._store.write() as transaction:
            self._check_head(transaction)
            if (earlier := _earlier_answer(transaction, request)) is not None:
                if request.on_replay is not None:
                    request.on_replay()
                return msgspec.json.decode(earlier, type=answer_type)
            pen = Pen(
                transaction,
                actor=request.principal,
                channel=request.channel,
                now=self._clock.now(),
                known=self._known,
                base_iri=self._base_iri,
            )
            start = pen.head.seq
            try:
                answer = act(pen)
            except NotAllowed as problem:
                if pen.head.seq != start:
                    raise
                denied = problem
                Journal(pen, request.action).finish("refused", target=None, scope=None, reason=problem.message)
            else:
                _keep_answer(transaction, request, answer, pen)
        self._known |= pen.newly_known
        self._publish(pen)
        if denied is not None:
            raise denied
        return answer

    def _publish(self, pen: Pen) -> None:
        """Note the new head outside. The write is done by now: failing here must not make it look undone."""
        if not pen.head.seq:
            return  # nothing was ever written: there is no end to note, and the space has no name yet
        try:
            self._heads.publish(pen.space.id, pen.head)
        except OSError as problem:
            import logging

            logging.getLogger("heldtrue").warning("the head of the ledger could not be noted: %s", problem)

    def _check_head(self, transaction: Writing) -> None:
        """Once per process: do not build on a history that has lost its end."""
        if not self._checked:
            self._heads.check(transaction)
            self._checked = True


def _request_hash(request: Request) -> bytes:
    return hashlib.sha256(request.action.encode() + b"\n" + request.body).digest()


def _earlier_answer(transaction: Writing, request: Request) -> str | None:
    key = request.idempotency_key
    if key is None:
        return None
    if not key or len(key) > IDEMPOTENCY_KEY_CHARS_MAX:
        raise InvalidInput(
            f"an idempotency key has 1 to {IDEMPOTENCY_KEY_CHARS_MAX} characters",
            field="idempotency_key",
            hint="use a UUID",
        )
    found = transaction.idempotent_answer(request.principal.id, key)
    if found is None:
        return None
    if found[0] != _request_hash(request):
        raise IdempotencyMismatch(field="idempotency_key", hint="use a new key for a new request")
    return found[1]


def _keep_answer(transaction: Writing, request: Request, answer: object, pen: Pen) -> None:
    if request.idempotency_key is not None:
        transaction.keep_answer(
            request.principal.id,
            request.idempotency_key,
            _request_hash(request),
            _encode(answer).decode(),
            pen.head.seq,
            max(pen.now, pen.head.recorded_at),
        )
