"""Whether the service stays up, polite and small under requests that nobody would send in good faith.

Odd JSON, sizes, headers, addresses and query strings; bodies that trickle, connections that are cut or half closed,
requests sent ahead, streams that are dropped, and hundreds of connections that say nothing. `python -m bench hostile`
sends 10,000 and writes hostile.md; other numbers only print, unless --out names a folder.
"""

from __future__ import annotations

import argparse
import errno
import json
import random
import re
import socket
import struct
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, perf_counter, sleep

import psutil

from bench.machine import describe_machine
from bench.pages import RESULTS, against_bar, machine_lines, table, write_page
from heldtrue.capabilities.verb_index import all_capabilities
from tests.service.server import Server

REQUESTS, THREADS, IDLE, SEED = 10_000, 16, 200, 18
GROWTH_MIB_MAX = 200
"""They are given names of files, and a hostile one is still a file of this machine: the contract asks them in a folder
of their own."""
_ANSWER_SECONDS, _TIMEOUT_SECONDS = 4.0, 20.0
"""How long an answer is waited for, where the request may be one that never ends, and where it does end."""
_SLOW_SECONDS = 1.0
_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3}) ")


@dataclass(frozen=True)
class Target:
    """Where requests go, and by which tokens."""

    port: int
    tokens: tuple[str, ...]
    memories: tuple[str, ...]


@dataclass
class Met:
    """What came back."""

    sent: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    seconds: float = 0.0
    resident_before: int = 0
    resident_most: int = 0
    resident_after: int = 0
    files_before: int = 0
    files_after: int = 0
    answers_after: bool = False

    def add(self, other: Met) -> None:
        self.sent += other.sent
        self.kinds += other.kinds
        self.statuses += other.statuses
        self.broken += other.broken

    @property
    def grown_mib(self) -> float:
        return (self.resident_most - self.resident_before) / 2**20


# What is sent

Sender = Callable[[Target, random.Random], bytes]
"""Makes the bytes of one request."""

_WORDS = (
    *('"', "'", "*", "^", "NEAR(a b)", 'a" OR "b', "AND", "NOT x", "col:x", "-", "{a b}", "a AND (b", "(", ")", "\\"),
    *("'; DROP TABLE memories; --", "1 OR 1=1", "x' UNION SELECT * FROM agents --", "$where", "%", "_", "[]", "${x}"),
    *("SELECT ?s WHERE { ?s ?p ?o }", "} LOAD <file:///etc/passwd>", "SERVICE <http://127.0.0.1/> {}", "(a+)+$"),
    *(
        "../../etc/passwd",
        "/dev/zero",
        "file:///etc/passwd",
        "\\\\host\\share",
        "CON",
        "a\x00b",
        "\x00",
        "\u202e",
        "\ufeff",
    ),
    *("\u200b" * 50, "e" + "\u0301" * 500, "\U0001f469\u200d\U0001f692" * 50, "\ud7ff", "\uffff", "ﷺ" * 300, "İ" * 100),
    *("", " ", "\t\r\n", "null", "true", "NaN", "-0", "9" * 400, "0x10", "1e999", "#0", "#-1", "#99999999999999999999"),
    *("9999-12-31T23:59:59Z", "0000-00-00", "-1 days ago", "1e9 years ago", "now now", "2026-02-30", "25:61", "P1Y"),
    *(
        "global",
        "project:*",
        "project:",
        "agent:owner",
        "session:../x",
        "team:%",
        "project:" + "x" * 5000,
        ":",
        "a:b:c",
    ),
)
_NUMBERS: tuple[str, ...] = (
    "0",
    "-1",
    "2147483648",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "1e999",
)
_NUMBERS += ("1e-999", "0.1", "1.0", "-0.0", "1" * 5000, "1E400", "NaN", "Infinity", "-Infinity", "01", "+1", "0x1")
_BROKEN = (
    *(
        b"",
        b"{",
        b"}",
        b"[",
        b'{"a":',
        b'{"a":1,}',
        b"{'a':1}",
        b'{"a":1}{"b":2}',
        b"null",
        b"[]",
        b'"x"',
        b"1",
        b"tru",
    ),
    *(
        b"\xef\xbb\xbf{}",
        b"\xff\xfe{\x00}\x00",
        b"\x00",
        b'{"context":"\xff\xfe"}',
        b'{"context":"\xed\xa0\x80"}',
        b"//",
    ),
    *(b'{"context":"\\ud800"}', b'{"context":"\\udc00\\ud800"}', b'{"context":"\\u0000"}', b'{"context":"\\x41"}'),
    *(
        b'{"\\ud800":1}',
        b'{"context":"a","context":"b"}',
        b'{"":""}',
        b'{"__proto__":{}}',
        b'{"context":' + b"[" * 5000,
    ),
    *(b"[" * 100_000, b'{"a":' * 50_000, b"[" * 40 + b"]" * 40, b'{"context":"x"}' + b" " * 100_000, b"\n" * 1000),
)


def _verb(chance: random.Random) -> str:
    return chance.choice(
        [capability.verb for capability in all_capabilities().values() if capability.declared.file is None]
    )


def _head(target: Target, chance: random.Random, method: str, path: str, *more: str) -> bytes:
    token = chance.choice(target.tokens)
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {token}", *more]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")


def _post(target: Target, chance: random.Random, path: str, body: bytes, *more: str) -> bytes:
    kind = "Content-Type: application/json"
    return _head(target, chance, "POST", path, kind, f"Content-Length: {len(body)}", "Connection: close", *more) + body


def broken_json(target: Target, chance: random.Random) -> bytes:
    path = chance.choice((f"/v1/memory.{_verb(chance)}", "/v1/memories", "/mcp", "/v1/sources"))
    return _post(target, chance, path, chance.choice(_BROKEN))


def _odd_value(chance: random.Random, depth: int = 0) -> str:
    """One value as JSON, perhaps with values inside."""
    kind = chance.randrange(8 if depth < 3 else 5)
    if kind < 3:
        return json.dumps(chance.choice(_WORDS), ensure_ascii=chance.random() < 0.5)
    if kind == 3:
        return chance.choice(_NUMBERS)
    if kind == 4:
        return chance.choice(("null", "true", "false", '""', "[]", "{}"))
    inner = [_odd_value(chance, depth + 1) for _ in range(chance.choice((1, 2, 5, 40)))]
    if kind < 7:
        return f"[{','.join(inner)}]"
    return "{" + ",".join(f"{json.dumps(chance.choice(_WORDS))}:{part}" for part in inner) + "}"


def odd_arguments(target: Target, chance: random.Random) -> bytes:
    """A capability with its own arguments, each of them odd."""
    verb = _verb(chance)
    names = [parameter.name for parameter in all_capabilities()[verb].parameters] or ["none"]
    given = {name: _odd_value(chance) for name in chance.sample(names, chance.randint(1, min(4, len(names))))}
    if "memory" in names and chance.random() < 0.5:
        given["memory"] = json.dumps(chance.choice(target.memories))
    body = "{" + ",".join(f"{json.dumps(name)}:{value}" for name, value in given.items()) + "}"
    return _post(target, chance, f"/v1/memory.{verb}", body.encode("utf-8", "surrogatepass"))


def odd_words(target: Target, chance: random.Random) -> bytes:
    """Questions full of what search engines and databases take for syntax."""
    words = " ".join(chance.choices(_WORDS, k=chance.randint(1, 4)))
    verb, name = chance.choice(
        (("recall", "context"), ("search", "query"), ("inject", "context"), ("learn", "content"))
    )
    if chance.random() < 0.3:
        words = "".join(
            chr(chance.choice((chance.randrange(32, 127), chance.randrange(0x100, 0xD7FF)))) for _ in range(60)
        )
    return _post(target, chance, f"/v1/memory.{verb}", json.dumps({name: words}).encode())


def large_body(target: Target, chance: random.Random) -> bytes:
    """Bodies at, around and far above what is allowed, of one text or of very many things."""
    body = chance.choice(
        (
            lambda: json.dumps({"content": "x" * chance.choice((65_536, 65_537, 1_000_000, 4_000_000, 5_000_000))}),
            lambda: json.dumps({"memories": [{"content": str(number)} for number in range(10_000)]}),
            lambda: json.dumps({"messages": [{"content": "y" * 5000}] * chance.choice((1001, 500))}),
            lambda: json.dumps({"context": "x " * 500_000}),
            lambda: json.dumps({f"k{number}": number for number in range(50_000)}),
            lambda: json.dumps({"context": "q", "scopes": ["project:x"] * 100_000}),
            lambda: json.dumps({"context": "q", "near": ["a"] * 50_000}),
            lambda: json.dumps({"context": "q", "weights": {f"w{number}": 1 for number in range(20_000)}}),
            lambda: "[" + "0," * 1_000_000 + "0]",
        )
    )()
    verb = chance.choice(("learn", "learn_many", "capture", "recall", "capture_session", "list", "inject"))
    return _post(target, chance, f"/v1/memory.{verb}", body.encode())


def odd_header(target: Target, chance: random.Random) -> bytes:
    size = chance.choice((10, 1_000, 20_000, 70_000, 300_000))
    many = [f"X-{number}: {number}" for number in range(chance.choice((50, 2_000, 20_000)))]
    more = chance.choice(
        (
            [f"X-Long: {'a' * size}"],
            many,
            [f"Idempotency-Key: {'k' * size}"],
            [f"Heldtrue-Project: {chance.choice(_WORDS)}".replace("\r", "").replace("\n", "").replace("\x00", "")],
            ["Heldtrue-Project: \xff\xe9\x80"],
            ["Host: evil.example"],
            [f"Authorization: Bearer {'z' * size}"],
            ["Authorization: Basic Og=="],
            ["Content-Length: 99999999999999999999"],
            ["Content-Length: -1"],
            ["Transfer-Encoding: chunked", "Content-Length: 5"],
            ["Transfer-Encoding: gzip"],
            ["Expect: 100-continue"],
            ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: x", "Sec-WebSocket-Version: 13"],
            ["Upgrade: h2c", "Connection: Upgrade, HTTP2-Settings", "HTTP2-Settings: AAMAAABk"],
            [f"If-None-Match: {', '.join(['x'] * size)}"],
            ["Accept: " + "a/b;q=0.1," * 500],
            ["Origin: null"],
            ["Origin: http://[::1"],
            ["Range: bytes=0-0,1-1"],
            ["X-\x00: y"],
            [": empty"],
            ["no colon at all"],
            [" folded: line"],
            [f"Last-Event-ID: {chance.choice(('-1', '9' * 30, '1.1.1', 'x', ''))}"],
        )
    )
    path = chance.choice(("/v1/status", "/v1/memories", "/v1/recall?context=x", "/healthz", "/mcp", "/nowhere"))
    method = chance.choice(("GET", "POST", "DELETE"))
    return _head(target, chance, method, path, "Content-Type: application/json", "Connection: close", *more)


def odd_path(target: Target, chance: random.Random) -> bytes:
    word = chance.choice(_WORDS)
    quoted = "".join(f"%{byte:02x}" for byte in word.encode("utf-8", "surrogatepass"))
    path = chance.choice(
        (
            f"/v1/memories/{quoted}",
            f"/v1/memories/{quoted}/history",
            f"/v1/projects/{quoted}/knowledge",
            f"/v1/memory.{quoted}",
            "/" + "a" * chance.choice((100, 60_000, 200_000)),
            "/v1/memories/" + "%2e%2e%2f" * 50,
            "/v1/../../etc/passwd",
            "//v1//status",
            "/v1/status/",
            "/%",
            "/%zz%1",
            "/%00",
            "/%ff%fe",
            "/%c0%af",
            "*",
            "",
            "http://evil.example/v1/status",
            "evil.example:443",
            "/v1/status#fragment",
            "/v1/status;x=y",
            "/\x7f",
            "/v1/memories/" + target.memories[0] + "/explain?depth=" + "9" * 30,
        )
    )
    return _head(target, chance, chance.choice(("GET", "DELETE", "OPTIONS", "TRACE")), path, "Connection: close")


def odd_query(target: Target, chance: random.Random) -> bytes:
    word = "".join(f"%{byte:02x}" for byte in chance.choice(_WORDS).encode("utf-8", "surrogatepass"))
    query = chance.choice(
        (
            f"context={word}",
            f"context=x&{word}={word}",
            "context=x&limit=" + chance.choice(_NUMBERS)[:300],
            "&" * 5_000,
            "a=" * 2_000,
            "context=" + "x" * 50_000,
            "&".join(f"scopes=project:p{number}" for number in range(2_000)),
            "&".join(f"k{number}={number}" for number in range(5_000)),
            "context=x&weights[recency]=1",
            'context=x&weights={"recency":1}',
            "%ff=%fe",
            f"context=x&as_of={word}",
            f"context=x&scopes={word}&kinds={word}&within={word}",
            "context=x&around=1&around=2",
            "context",
            "=",
        )
    )
    path = chance.choice(("/v1/recall", "/v1/memories", "/v1/inbox", "/v1/conflicts", "/v1/events", "/v1/status"))
    return _head(target, chance, "GET", f"{path}?{query}", "Connection: close")


def odd_line(target: Target, chance: random.Random) -> bytes:
    """What is hardly HTTP, or none."""
    head = _head(target, chance, "GET", "/v1/status", "Connection: close")
    return chance.choice(
        (
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03" + chance.randbytes(150),
            chance.randbytes(chance.choice((1, 100, 5_000))),
            b"GET /v1/status\r\n\r\n",
            head.replace(b"HTTP/1.1", b"HTTP/9.9"),
            head.replace(b"HTTP/1.1", b"HTTP/1.0"),
            head.replace(b"GET", b"get"),
            head.replace(b"GET", b"A" * 3_000),
            head.replace(b"GET", b"CONNECT"),
            head.replace(b"\r\n", b"\n"),
            b"\r\n" * 100 + head,
            b"\x00" + head,
            b"EHLO example.org\r\n",
            b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"A: b\r\n" * 5_000 + b"\r\n",
        )
    )


def odd_chunks(target: Target, chance: random.Random) -> bytes:
    head = _head(
        target,
        chance,
        "POST",
        "/v1/memory.recall",
        "Content-Type: application/json",
        "Transfer-Encoding: chunked",
        "Connection: close",
    )
    return head + chance.choice(
        (
            b"zz\r\n{}\r\n0\r\n\r\n",
            b"-1\r\n{}\r\n0\r\n\r\n",
            b"ffffffffffffffff\r\n{}",
            b"2;" + b"x" * 10_000 + b"\r\n{}\r\n0\r\n\r\n",
            b"1\r\n{\r\n" * 1 + b"1\r\n}\r\n0\r\n\r\n",
            b"".join(b"1\r\nx\r\n" for _ in range(20_000)) + b"0\r\n\r\n",
            b"10000\r\n" + b"y" * 65536 + b"\r\n",
            b"0\r\nX-Trailer: " + b"t" * 5_000 + b"\r\n\r\n",
        )
    )


def odd_message(target: Target, chance: random.Random) -> bytes:
    """MCP messages that are none, or ask for the impossible."""
    number = chance.choice(("1", '"x"', "null", "1.5", "9" * 40, "[]", "{}", "true"))
    method = json.dumps(
        chance.choice(("tools/call", "tools/list", "resources/read", "prompts/get", "initialize", "", "x" * 999))
    )
    params = chance.choice(
        (
            _odd_value(chance),
            f'{{"name":"memory_recall","arguments":{_odd_value(chance)}}}',
            '{"uri":"heldtrue://memory/%00"}',
        )
    )
    version = chance.choice(('"2.0"', '"1.0"', "2", "null"))
    body = f'{{"jsonrpc":{version},"id":{number},"method":{method},"params":{params}}}'
    more = chance.choice(((), ("MCP-Protocol-Version: 1999-01-01",), ("Mcp-Session-Id: x", "Mcp-Method: y")))
    return _post(target, chance, "/mcp", body.encode("utf-8", "surrogatepass"), *more)


SENDERS: tuple[Sender, ...] = (
    *(broken_json, odd_arguments, odd_words, large_body, odd_header, odd_path, odd_query, odd_line, odd_chunks),
    odd_message,
)
_WEIGHTS = (15, 25, 15, 2, 10, 10, 10, 5, 5, 8)


# How it is sent


def exchange(target: Target, data: bytes, chance: random.Random) -> tuple[str, bytes]:
    """Send some bytes in one of many bad manners; how, and what came back."""
    manner = chance.choices(("whole", "cut", "half closed", "dropped", "pieces"), (80, 5, 5, 5, 5))[0]
    with socket.create_connection(("127.0.0.1", target.port), timeout=_ANSWER_SECONDS) as connection:
        try:
            if manner == "cut":
                connection.sendall(data[: chance.randrange(1, len(data))])
                connection.shutdown(socket.SHUT_WR)
            elif manner == "pieces" and len(data) < 5_000:
                for start in range(0, len(data), 97):
                    connection.sendall(data[start : start + 97])
            else:
                connection.sendall(data)
            if manner == "half closed":
                connection.shutdown(socket.SHUT_WR)
            if manner == "dropped":
                # With no time to linger, closing it is a reset.
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return manner, b"dropped"
            return manner, connection.recv(65536) or b"closed"
        except TimeoutError:
            return manner, b"waiting"
        except OSError as problem:
            # The server may close a connection before everything is sent, or before our side is shut down.
            if problem.errno not in (errno.ECONNRESET, errno.EPIPE, errno.ENOTCONN):
                raise
            return manner, b"reset"


def send_ahead(target: Target, chance: random.Random) -> list[bytes]:
    """Many requests before the first answer; the answers must come in order, one for each."""
    count = chance.choice((2, 10, 50))
    data = b"".join(_head(target, chance, "GET", "/healthz") for _ in range(count - 1))
    data += _head(target, chance, "GET", "/healthz", "Connection: close")
    received = b""
    with socket.create_connection(("127.0.0.1", target.port), timeout=_TIMEOUT_SECONDS) as connection:
        connection.sendall(data)
        while part := connection.recv(65536):
            received += part
    return _STATUS.findall(received)


def trickle(target: Target, chance: random.Random) -> None:
    """A body, or a head, that comes a letter at a time and never ends."""
    whole = _post(target, chance, "/v1/memory.recall", b'{"context":"' + b"x" * 500 + b'"}')
    start = chance.choice((20, len(whole) - 400))
    with socket.create_connection(("127.0.0.1", target.port), timeout=_TIMEOUT_SECONDS) as connection:
        connection.sendall(whole[:start])
        until = monotonic() + _SLOW_SECONDS
        with suppress(ConnectionResetError, BrokenPipeError):
            while monotonic() < until:
                start += 1
                connection.sendall(whole[start : start + 1])
                sleep(0.1)


def drop_stream(target: Target, chance: random.Random) -> bytes:
    """Follow the events, and leave without a word."""
    with socket.create_connection(("127.0.0.1", target.port), timeout=_TIMEOUT_SECONDS) as connection:
        connection.sendall(_head(target, chance, chance.choice(("GET", "HEAD")), "/v1/events"))
        return connection.recv(65536)


class Attacker(threading.Thread):
    """Sends one request after another."""

    def __init__(self, target: Target, count: int, seed: int) -> None:
        super().__init__(daemon=True)
        self._target, self._count = target, count
        self._chance = random.Random(seed)
        self.met = Met()

    def run(self) -> None:
        for _ in range(self._count):
            kind = self._chance.random()
            if kind < 0.004:
                trickle(self._target, self._chance)
                self._note("trickle", b"left")
            elif kind < 0.02:
                self._note("stream dropped", drop_stream(self._target, self._chance))
            elif kind < 0.04:
                found = send_ahead(self._target, self._chance)
                self._note("sent ahead", b"HTTP/1.1 %s " % (b"200" if set(found) == {b"200"} else b"599"))
            else:
                sender = self._chance.choices(SENDERS, _WEIGHTS)[0]
                data = sender(self._target, self._chance)
                manner, answer = exchange(self._target, data, self._chance)
                self._note(sender.__name__.replace("_", " "), answer, f"{manner}: {data[:300]!r}")

    def _note(self, kind: str, answer: bytes, sent: str = "") -> None:
        met = self.met
        met.sent += 1
        met.kinds[kind] += 1
        status = _STATUS.match(answer)
        met.statuses[status[1].decode() if status else answer[:10].decode("ascii", "replace")] += 1
        if status and status[1] >= b"500":
            met.broken.append(f"{kind}: {answer[:200]!r} to {sent}")


def _resident(process: psutil.Process) -> int:
    return int(process.memory_info().rss)


def attack(server: Server, requests: int, idle: int, seed: int = SEED) -> Met:
    """Everything at once, with some connections that say nothing all the while."""
    target = _prepare(server)
    process = psutil.Process(server.process.pid)
    whole = Met(resident_before=_resident(process), files_before=process.num_fds())
    silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(idle)]
    attackers = [Attacker(target, requests // THREADS, seed + number) for number in range(THREADS)]
    started = perf_counter()
    for attacker in attackers:
        attacker.start()
    while any(attacker.is_alive() for attacker in attackers):
        whole.resident_most = max(whole.resident_most, _resident(process))
        sleep(0.05)
    whole.seconds = perf_counter() - started
    for attacker in attackers:
        whole.add(attacker.met)
    whole.answers_after = server.ask("POST", "/v1/memory.recall", {"context": "which buoy is red?"}).status == 200
    for connection in silent:
        connection.close()
    whole.resident_after = _resident(process)
    whole.files_after = _settled_files(process, whole.files_before)
    return whole


def _settled_files(process: psutil.Process, before: int) -> int:
    """How many files it has open once what was dropped has been noticed."""
    until = monotonic() + _TIMEOUT_SECONDS
    while process.num_fds() > before + _FILES_MORE and monotonic() < until:
        sleep(0.2)
    return int(process.num_fds())


_FILES_MORE = 16
"""Connections to the database of threads that have come into use meanwhile, a few files each."""


def _prepare(server: Server) -> Target:
    owner, far = server.owner(), 1_000_000
    agent = server.let_in("attacker", projects=["alpha"], writes_per_minute=far, requests_per_second=far)
    usual = server.let_in("hasty", projects=["alpha"])
    memories = tuple(owner.learn(f"Buoy {number} is painted {number}").memory.id for number in range(20))
    for _ in range(50):
        owner.recall("which buoy is red?")
    return Target(server.port, (server.token, server.token, agent, usual, "ht_" + "x" * 43), memories)


HEADS = (
    *("requests", "kinds", "5xx", "still waited for more", "resident before, MiB", "growth at most, MiB"),
    *("growth at the end, MiB", "open files before and after", "answers afterwards", "requests a second"),
)


def row_of(met: Met) -> list[str]:
    return [
        f"{met.sent:,}",
        str(len(met.kinds)),
        against_bar(len(met.broken), 0, str(len(met.broken))),
        str(met.statuses["waiting"]),
        f"{met.resident_before / 2**20:.0f}",
        against_bar(met.grown_mib, GROWTH_MIB_MAX, f"{met.grown_mib:.0f}"),
        f"{(met.resident_after - met.resident_before) / 2**20:.0f}",
        f"{met.files_before}, {met.files_after}",
        "yes" if met.answers_after else "**no**",
        f"{met.sent / met.seconds:,.0f}",
    ]


def page(met: Met, idle: int, command: str) -> list[str]:
    """The sections of hostile.md."""
    return [
        "# Requests in bad faith",
        f"`{command}`: {THREADS} threads send what nobody would in good faith, with the token of the owner, of two "
        f"agents and with one that is not known, while {idle} connections say nothing; a part of the requests is cut "
        "off, half closed, dropped or sent in pieces. *Still waited for more* are requests that had announced a body "
        "which never came, or a stream. Memory is that of the server, sampled all the while.",
        machine_lines(describe_machine()),
        table(HEADS, [row_of(met)]),
        table(("kind", "requests"), sorted(met.kinds.items())),
        table(("answer", "times"), sorted(met.statuses.items())),
    ]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench hostile", description=__doc__)
    parser.add_argument("--requests", type=int, default=REQUESTS)
    parser.add_argument("--out", type=Path, help="where the page goes; left out, bench/results for the usual number")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder) / "home").start()
        try:
            met = attack(server, chosen.requests, IDLE)
        finally:
            server.stop()
    print(table(HEADS, [row_of(met)]))
    print("\n".join([*met.broken[:20], *(line.strip() for line in server.log if '"level":"error"' in line)][:60]))
    if (where := chosen.out or (RESULTS if chosen.requests == REQUESTS else None)) is not None:
        command = "python -m bench hostile" + (f" --requests {chosen.requests}" if chosen.requests != REQUESTS else "")
        print(f"written: {write_page(where, 'hostile', page(met, IDLE, command), {})}")
    return int(bool(met.broken) or met.grown_mib > GROWTH_MIB_MAX or not met.answers_after)
