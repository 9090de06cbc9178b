"""The checks of every request, in this order: duplicate headers, origin, authentication, size, rate.

They wrap the whole application, so that no route bypasses them.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter as Counts
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import urlsplit

import msgspec

from heldtrue.access.identity import NoCredential, find_by_token
from heldtrue.access.rates import Rates, TooOften
from heldtrue.domain.action import Effect
from heldtrue.domain.agent import AgentRow
from heldtrue.domain.errors import InvalidInput, NotAllowed
from heldtrue.domain.limits import NUMBER_DIGITS_MAX, QUOTED_VALUE_CHARS_MAX
from heldtrue.engine.ports import EngineStore
from heldtrue.surfaces.rest.problems import WrongHost, WrongMediaType
from heldtrue.surfaces.wire import too_large

LOOPBACK = frozenset(("localhost", "127.0.0.1", "[::1]"))
OPEN_PATHS = frozenset(("/healthz", "/readyz"))
"""Health checks; they reveal nothing and need no token."""
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^:/\s]+)(?::(\d{1,5}))?")
_DECIDING = frozenset((b"host", b"origin", b"authorization", b"content-type", b"content-length", b"idempotency-key"))
_WITH_BODY = frozenset(("POST", "PUT", "PATCH"))
Headers = Mapping[str, str]


class Limits(msgspec.Struct, frozen=True):
    """The default rate limits of a principal."""

    requests_per_second: int
    writes_per_minute: int
    in_flight: int


def check_once(headers: Iterable[tuple[bytes, bytes]]) -> None:
    """Refuse duplicates of security-relevant headers: a proxy might use the other value."""
    deciding = [name for name, _ in headers if name in _DECIDING or name.startswith(b"heldtrue-")]
    if len(set(deciding)) != len(deciding):
        doubled = next(name for name in deciding if deciding.count(name) > 1)
        raise InvalidInput("a header was sent twice", field=doubled.decode("ascii"), hint="send the header once")


def check_origin(headers: Headers, allowed_hosts: frozenset[str], *, target: bytes | None = None) -> None:
    """Refuse requests from web pages of other sites, by the Host and Origin headers, and by the host in the target."""
    _check_host(headers.get("host", ""), allowed_hosts)
    if target is not None:
        _check_host(_authority_of(target), allowed_hosts)
    origin = headers.get("origin")
    if origin is not None and not _is_ours(origin, allowed_hosts):
        raise NotAllowed("cross-site requests are not allowed", field="Origin", hint="omit the header")
    if headers.get("sec-fetch-site", "").strip().lower() == "cross-site":
        raise NotAllowed("cross-site requests are not allowed", field="Sec-Fetch-Site")


def _check_host(host: str, allowed_hosts: frozenset[str]) -> None:
    match = _HOST.fullmatch(host)
    if match is None or match[1].lower() not in allowed_hosts:
        raise WrongHost(
            f"unknown host {_begin(host)!r}",
            field="Host",
            hint="add the host to server.allowed_hosts in heldtrue.toml",
        )


def _authority_of(target: bytes) -> str:
    """The host, and the port if there is one, in a request target that is a whole URL; empty if there is none."""
    try:
        parts = urlsplit(target.decode("latin-1"))
    except ValueError:
        return ""
    return parts.netloc if parts.scheme.lower() in ("http", "https") else ""


def _begin(text: str) -> str:
    """The beginning of a header value, for an error message."""
    return text if len(text) <= QUOTED_VALUE_CHARS_MAX else f"{text[:QUOTED_VALUE_CHARS_MAX]}…"


def _is_ours(origin: str, allowed_hosts: frozenset[str]) -> bool:
    try:
        parts = urlsplit(origin)
        host = (parts.hostname or "").lower()
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and (host in allowed_hosts or f"[{host}]" in allowed_hosts)


def check_length(headers: Headers, bytes_max: int) -> None:
    """Refuse a body whose declared length is too large, before reading it."""
    length = headers.get("content-length")
    if length is None:
        return
    if not (length.isascii() and length.isdigit() and len(length) <= NUMBER_DIGITS_MAX):
        raise InvalidInput("Content-Length is not a number", field="Content-Length")
    if int(length) > bytes_max:
        raise too_large("body", bytes_max)


def check_media(method: str, headers: Headers, wanted: str = "application/json") -> None:
    """Refuse a body of another media type, since a page of another site could send it without a preflight."""
    if method not in _WITH_BODY:
        return
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != wanted:
        came = f"the body has the content type {_begin(kind)!r}" if kind else "the body has no content type"
        raise WrongMediaType(came, field="Content-Type", hint=f"send the body as {wanted}")


def read_token(headers: Headers) -> str:
    """The bearer token; it is only accepted in its header."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise NoCredential("the token is missing", hint="send the header Authorization: Bearer TOKEN")
    return token.strip()


def digest_credential(headers: Headers) -> bytes:
    """A digest of whatever a request shows as its credential."""
    return hashlib.sha256(headers.get("authorization", "").encode("utf-8", "replace")).digest()


def identify(store: EngineStore, headers: Headers) -> AgentRow:
    """The principal of a request. Read every time, so that a revoked token stops working at once."""
    token = read_token(headers)
    with store.read() as reading:
        return find_by_token(reading, token)


class Counter:
    """Limits the rates of requests and writes of each principal."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._rates = Rates()
        self._under_way: Counts[str] = Counts()

    @contextmanager
    def request(self, agent: AgentRow) -> Iterator[Callable[[], None]]:
        """Admit a request while it runs; the owner of the home has no limit.

        A stream calls the function that it is given, and then no longer counts as a request in progress.
        """
        name = agent.principal.id
        if not agent.principal.is_person:
            rate = agent.requests_per_second or self._limits.requests_per_second
            self._rates.take(name, "requests", per_second=rate, burst=2 * rate)
            if self._under_way[name] >= self._limits.in_flight:
                raise TooOften(
                    f"{name} has {self._limits.in_flight} requests in progress", hint="wait until they are done"
                )
        # Only the event loop comes here, so counting needs no lock.
        self._under_way[name] += 1
        left = False

        def leave() -> None:
            nonlocal left
            if not left:
                left = True
                self._under_way[name] -= 1
                if not self._under_way[name]:
                    del self._under_way[name]

        try:
            yield leave
        finally:
            leave()

    def count(self, agent: AgentRow, effect: str, number: int) -> None:
        """Admit one use of a capability; writes have a separate rate."""
        if effect != Effect.READ and not agent.principal.is_person:
            rate = agent.writes_per_minute or self._limits.writes_per_minute
            self._rates.take(agent.principal.id, "writes", per_second=rate / 60, burst=rate, number=number)
