"""The checks that every request passes, in this order: each header once, where it comes from, who sends it, how large
it is, how often.

They stand around the whole application, so no address has a way past them.
"""

from __future__ import annotations

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
from heldtrue.domain.limits import REQUEST_BYTES_MAX
from heldtrue.engine.ports import EngineStore
from heldtrue.surfaces.rest.problems import WrongHost, WrongMediaType
from heldtrue.surfaces.wire import too_large

LOOPBACK = frozenset(("localhost", "127.0.0.1", "[::1]"))
OPEN_PATHS = frozenset(("/healthz", "/readyz"))
"""What a supervisor asks, which tells nothing about anyone."""
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^:/\s]+)(?::(\d{1,5}))?")
_DIGITS_MAX = 18
_SHOWN_MAX = 80
_DECIDING = frozenset((b"host", b"origin", b"authorization", b"content-type", b"content-length", b"idempotency-key"))
_WITH_BODY = frozenset(("POST", "PUT", "PATCH"))
Headers = Mapping[str, str]


class Limits(msgspec.Struct, frozen=True):
    """How often one principal may come, where its record does not say."""

    requests_per_second: int
    writes_per_minute: int
    in_flight: int


def check_once(headers: Iterable[tuple[bytes, bytes]]) -> None:
    """Refuse a header that decides something and comes twice: whoever passes a request on may go by the other one."""
    deciding = [name for name, _ in headers if name in _DECIDING or name.startswith(b"heldtrue-")]
    if len(set(deciding)) != len(deciding):
        doubled = next(name for name in deciding if deciding.count(name) > 1)
        raise InvalidInput("a header came twice", field=doubled.decode("ascii"), hint="send it once")


def check_origin(headers: Headers, allowed_hosts: frozenset[str]) -> None:
    """Refuse a page that a browser was led to: it may name our address, but not our host or its own as ours."""
    match = _HOST.fullmatch(headers.get("host", ""))
    if match is None or match[1].lower() not in allowed_hosts:
        raise WrongHost(
            f"this server is not called {_begin(headers.get('host', ''))!r}",
            field="Host",
            hint="name the host in server.allowed_hosts of heldtrue.toml",
        )
    origin = headers.get("origin")
    if origin is not None and not _is_ours(origin, allowed_hosts):
        raise NotAllowed("a page from elsewhere may not ask", field="Origin", hint="leave the header out")
    if headers.get("sec-fetch-site", "").strip().lower() == "cross-site":
        raise NotAllowed("a page from elsewhere may not ask", field="Sec-Fetch-Site")


def _begin(text: str) -> str:
    """What someone sent, as far as an error repeats it."""
    return text if len(text) <= _SHOWN_MAX else f"{text[:_SHOWN_MAX]}…"


def _is_ours(origin: str, allowed_hosts: frozenset[str]) -> bool:
    try:
        parts = urlsplit(origin)
        host = (parts.hostname or "").lower()
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and (host in allowed_hosts or f"[{host}]" in allowed_hosts)


def check_length(headers: Headers) -> None:
    """Refuse a body that says it is too large, before any of it is read."""
    length = headers.get("content-length")
    if length is None:
        return
    if not (length.isascii() and length.isdigit() and len(length) <= _DIGITS_MAX):
        raise InvalidInput("the length of the body is no number", field="Content-Length")
    if int(length) > REQUEST_BYTES_MAX:
        raise too_large("body")


def check_media(method: str, headers: Headers) -> None:
    """Refuse a body that is not JSON, which a page of another site could send without asking."""
    if method not in _WITH_BODY:
        return
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        came = f"the body came as {_begin(kind)!r}" if kind else "the body came without saying what it is"
        raise WrongMediaType(came, field="Content-Type", hint="send it as application/json")


def read_token(headers: Headers) -> str:
    """The bearer token; it comes in its header and nowhere else."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise NoCredential("no token was sent", hint="send the header Authorization: Bearer TOKEN")
    return token.strip()


def identify(store: EngineStore, headers: Headers) -> AgentRow:
    """Whoever sends a request. Asked anew each time: a token that is taken away ends at once."""
    token = read_token(headers)
    with store.read() as reading:
        return find_by_token(reading, token)


class Counter:
    """Lets requests and writes of each principal through at their rates."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._rates = Rates()
        self._under_way: Counts[str] = Counts()

    @contextmanager
    def request(self, agent: AgentRow) -> Iterator[Callable[[], None]]:
        """Let a request through for as long as it takes; the owner of the home is never kept waiting.

        One that goes on without end, a stream, says so by calling what it is given, and no longer counts.
        """
        name = agent.principal.id
        if not agent.principal.is_person:
            rate = agent.requests_per_second or self._limits.requests_per_second
            self._rates.take(name, "requests", per_second=rate, burst=2 * rate)
            if self._under_way[name] >= self._limits.in_flight:
                raise TooOften(f"{name} has {self._limits.in_flight} requests under way", hint="wait for their answers")
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
        """Let one use of a capability through; those that write have a rate of their own."""
        if effect != Effect.READ and not agent.principal.is_person:
            rate = agent.writes_per_minute or self._limits.writes_per_minute
            self._rates.take(agent.principal.id, "writes", per_second=rate / 60, burst=rate, number=number)
