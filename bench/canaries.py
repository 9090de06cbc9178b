"""Whether anything of one tenant ever reaches another while both ask at once.

Two tenants of five agents each, with projects and teams of their own, share one server. What they say holds words that
nobody else knows. Fifty connections ask everything that can be asked, by capability, by natural address and by MCP,
with the same ids and keys on both sides; a word in an answer that its reader neither owns nor has just said itself is
a leak. `python -m bench canaries` makes 10,000 calls and writes canaries.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from time import monotonic, perf_counter, sleep
from typing import Any
from urllib.parse import quote, urlencode

import msgspec

from bench.machine import describe_machine
from bench.pages import RESULTS, against_bar, machine_lines, table, write_page
from heldtrue import Memory
from heldtrue.capabilities.verb_index import all_capabilities
from heldtrue.domain.action import Effect
from heldtrue.wiring.settings import SETTINGS_FILE
from tests.service.server import Server

CALLS, CLIENTS = 10_000, 50
TENANTS = ("amber", "cobalt")
AGENTS = 5
OWN, REFUSED, ANY = "own", "refused", "any"
"""What an answer must hold: a word of its reader; nothing, for it is another's; or whatever there is."""
_QUESTION = "what is the codename of the harbour?"
_FAR = 1_000_000
_SETTLED_SECONDS = 30.0
_SCORE_DRIFT = 1e-3
"""What a score may move by the time that passes between two questions."""
_SCORES_MIN, _ADDED = 5, 150
_SAID_TOO = "The timeout of the pier lamp is 12 seconds"
_CONTRARY = ("The timeout of the night crane is 40 seconds", "The timeout of the night crane is 55 seconds")
_REJECTED = "The berth of the night ferry is number 7"
_LETTERS = "bcdfghjklmnprstvwz"


def canary(*parts: str) -> str:
    """A word that is nobody else's, the same for the same parts."""
    digest = hashlib.sha256("/".join(parts).encode()).digest()
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in digest[:14])


@dataclass
class Member:
    """An agent of a tenant, with what it owns and what is there of it to be asked for."""

    name: str
    tenant: str
    token: str
    memories: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    recalls: list[str] = field(default_factory=list)
    jobs: list[str] = field(default_factory=list)

    @property
    def project(self) -> str:
        return f"p{canary(self.tenant, 'project')}"

    @property
    def team(self) -> str:
        return f"t{canary(self.tenant, 'team')}"

    def words(self) -> set[str]:
        """What only this agent says, and what all of its tenant say."""
        return {canary(self.name, kind) for kind in _PRIVATE} | {canary(self.tenant, kind) for kind in _COMMON}

    @property
    def ids(self) -> set[str]:
        return {*self.memories, *self.sources, *self.recalls, *self.jobs}


_PRIVATE = ("secret", "note", "asked", "thread", "wrong")
_COMMON = ("fact", "topic", "category", "source", "team-fact", "lesson", "profile", "text", "title", "handed", "number")


@dataclass(frozen=True)
class Ask:
    """One request and what its answer must hold."""

    name: str
    method: str
    path: str
    body: Any
    wanted: str = ANY
    headers: tuple[tuple[str, str], ...] = ()


@dataclass
class Seen:
    """What all clients together met."""

    calls: int = 0
    by_name: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    own: int = 0
    """Answers that had to hold a word of their reader, and did."""
    leaks: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, other: Seen) -> None:
        self.calls += other.calls
        self.by_name += other.by_name
        self.statuses += other.statuses
        self.own += other.own
        self.leaks += other.leaks
        self.faults += other.faults


# What there is of each tenant


def settle(server: Server) -> list[Member]:
    """Let both tenants in, and let everyone say what only they know."""
    members = []
    for tenant in TENANTS:
        for number in range(AGENTS):
            one = Member(f"{tenant}{number}", tenant, "")
            one.token = server.let_in(
                one.name,
                projects=[one.project],
                teams=[one.team],
                writes_per_minute=_FAR,
                requests_per_second=_FAR,
            )
            members.append(one)
    for member in members:
        with server.connect(member.token) as memory:
            _say_own(member, memory)
            if member.name.endswith("0"):
                _say_common(member, memory, server.owner())
    for number, member in enumerate(members):
        # To the next of the same tenant, so that everyone is handed something once.
        receiver = members[number - number % AGENTS + (number + 1) % AGENTS]
        with server.connect(member.token) as memory:
            memory.share(receiver.name, action="look", context=f"The keyword is {canary(member.tenant, 'handed')}")
    return members


def _say_own(member: Member, memory: Memory) -> None:
    learn, own = memory.learn, f"agent:{member.name}"
    member.memories.append(learn(f"The badge of my locker is {canary(member.name, 'secret')}", scope=own).memory.id)
    private = learn(f"The hint for my drawer is {canary(member.name, 'note')}", visibility="private")
    member.memories.append(private.memory.id)
    thread = canary(member.name, "thread")
    captured = memory.capture(f"We met at the {thread} pier.", thread=thread, visibility="private")
    member.sources += captured.sources
    member.jobs += [captured.job] if captured.job else []
    member.recalls.append(memory.recall(f"{_QUESTION} {canary(member.name, 'asked')}").recall_id)
    memory.save_view("daily", f"{_QUESTION} {canary(member.name, 'asked')}")
    # Said again after it was forgotten as wrong, so that each has a refusal to see.
    wrong = f"The colour of my locker is {canary(member.name, 'wrong')}"
    memory.forget(learn(wrong, scope=own).memory.id, reason="it is wrong")
    learn(wrong, scope=own)


def _say_common(member: Member, memory: Memory, owner: Memory) -> None:
    tenant = member.tenant
    fact = memory.learn(
        f"The codename of the harbour is {canary(tenant, 'fact')}",
        topic=canary(tenant, "topic"),
        category=canary(tenant, "category"),
        source=f"wiki/{canary(tenant, 'source')}.md",
        source_text=f"As {canary(tenant, 'text')} says, it has a codename.",
        title=f"Codename {canary(tenant, 'title')}",
    )
    held = memory.learn(f"Ines likes {canary(tenant, 'profile')} with tea", kind="profile")
    team = memory.learn(f"The team meets under {canary(tenant, 'team-fact')}", scope=f"team:{member.team}")
    lesson = memory.learn(f"Never moor the harbour ferry at {canary(tenant, 'lesson')}", kind="lesson")
    member.memories += [answer.memory.id for answer in (fact, held, team, lesson)]
    # Two values of one thing, so that a conflict is there to be seen by its own tenant alone.
    for value in (40, 55):
        memory.learn(f"The timeout of the {canary(tenant, 'number')} gateway is {value} seconds")
    memory.capture_session(
        [{"role": "user", "content": f"Moor at {canary(tenant, 'lesson')}"}], session=f"{member.name}/1"
    )
    owner.learn(f"The codename of the lighthouse is {canary(tenant, 'fact')}", scope=f"project:{member.project}")


# What is asked


def _reading_arguments(own: Member, other: Member) -> dict[str, list[tuple[dict[str, Any], str]]]:
    """For each reading capability: what it is asked, and what the answer must hold."""
    fact, theirs = own.memories[-1], other.memories
    asked = {"context": _QUESTION, "limit": 100}
    foreign = [f"project:{other.project}"]
    refs = [({"memory": fact}, OWN), *(({"memory": fact_id}, REFUSED) for fact_id in theirs[:3])]
    return {
        "agents": [({}, REFUSED)],
        "conflicts": [({"settled": True, "limit": 1000}, OWN)],
        "context_for": [
            ({"task": _QUESTION}, OWN),
            ({}, OWN),
            ({"project": other.project}, REFUSED),
            ({"agent": other.name}, REFUSED),
        ],
        "diff": [({"since": "#0"}, OWN), ({"since": "#0", "scopes": foreign}, REFUSED)],
        "events": [({"after": "0.0", "limit": 1000}, ANY)],
        "expand": [
            ({"ref": fact}, OWN),
            ({"ref": own.sources[0]}, OWN),
            ({"ref": other.sources[0]}, REFUSED),
            ({"ref": theirs[0]}, REFUSED),
        ],
        "explain": refs,
        "get": refs,
        "handed": [({}, OWN)],
        "history": refs,
        "inbox": [({"limit": 1000}, OWN)],
        "inject": [({"context": _QUESTION}, OWN), ({"context": _QUESTION, "scopes": foreign}, REFUSED)],
        "job": [({"job": own.jobs[0]}, ANY), ({"job": other.jobs[0]}, REFUSED)],
        "jobs": [({"limit": 1000}, ANY)],
        "list": [
            ({"limit": 1000}, OWN),
            ({"scopes": foreign}, REFUSED),
            ({"project": other.project}, ANY),
            ({"agent": f"agent:{other.name}", "limit": 1000}, ANY),
            ({"statuses": ["inbox", "active", "superseded", "rejected"], "limit": 1000}, OWN),
        ],
        "recall": [
            (asked, OWN),
            ({**asked, "within": ["memory", "items", "sessions", "sources"]}, OWN),
            ({**asked, "near": theirs[:2]}, REFUSED),
            ({**asked, "topic": "harbour", "elsewhere": True}, OWN),
            ({"context": "who owns the zeppelin depot of the north?", "elsewhere": True}, ANY),
            ({**asked, "scopes": foreign}, REFUSED),
            ({**asked, "scopes": [f"agent:{other.name}"]}, REFUSED),
        ],
        "about": [({"name": "harbour"}, REFUSED)],
        "recalls": [({"limit": 1000}, OWN)],
        "search": [({"query": "codename harbour", "limit": 100}, OWN), ({"query": "badge locker"}, OWN)],
        "refusals": [({"limit": 1000}, OWN), ({"by": f"agent:{other.name}", "limit": 1000}, ANY)],
        "rejections": [({"limit": 1000}, REFUSED)],
        "status": [({}, OWN)],
        "summaries": [({}, OWN), ({"scopes": foreign}, REFUSED)],
        "verify": [({}, REFUSED)],
        "view": [({"name": "daily"}, OWN), ({"name": "daily", "author": f"agent:{other.name}"}, REFUSED)],
        "views": [({}, OWN)],
        "why": [({"recall_id": own.recalls[0]}, OWN), ({"recall_id": other.recalls[0]}, REFUSED)],
    }


def readings(own: Member, other: Member) -> Iterator[Ask]:
    """Every reading capability by its own address; one that nobody has thought of here is an error."""
    known = _reading_arguments(own, other)
    for name, capability in sorted((capability.name, capability) for capability in all_capabilities().values()):
        if capability.effect is not Effect.READ:
            continue
        if capability.verb not in known:
            raise LookupError(f"say in bench/canaries.py what {name} is asked")
        for arguments, wanted in known[capability.verb]:
            yield Ask(name, "POST", f"/v1/{name}", arguments, wanted)


def natural(own: Member, other: Member) -> Iterator[Ask]:
    """The natural addresses that read."""
    fact, theirs = own.memories[-1], other.memories[-1]
    for tail in ("", "/history", "/explain"):
        yield Ask(f"GET memory{tail}", "GET", f"/v1/memories/{fact}{tail}", None, OWN)
        yield Ask(f"GET memory{tail}", "GET", f"/v1/memories/{theirs}{tail}", None, REFUSED)
    yield Ask("GET recall", "GET", f"/v1/recall?{urlencode({'context': _QUESTION})}", None, OWN)
    yield Ask("GET memories", "GET", "/v1/memories?limit=1000", None, OWN)
    yield Ask("GET memories", "GET", f"/v1/memories?scopes=project:{other.project}", None, REFUSED)
    yield Ask("GET knowledge", "GET", f"/v1/projects/{own.project}/knowledge", None, OWN)
    yield Ask("GET knowledge", "GET", f"/v1/projects/{other.project}/knowledge", None, REFUSED)
    for verb in ("inbox", "conflicts", "status"):
        yield Ask(f"GET {verb}", "GET", f"/v1/{verb}", None, OWN)
    yield Ask("surroundings", "POST", "/v1/memory.list", {}, REFUSED, (("Heldtrue-Project", other.project),))
    yield Ask("surroundings", "POST", "/v1/memory.list", {}, REFUSED, (("Heldtrue-Session", f"{other.name}/1"),))
    yield Ask("no such place", "GET", f"/v1/{quote(other.project)}", None, REFUSED)


def spoken(own: Member, other: Member) -> Iterator[Ask]:
    """The same by MCP; the number of the message is put in when it is sent, and is the same for everyone."""
    fact, theirs = own.memories[-1], other.memories[-1]
    tools: list[tuple[str, dict[str, Any], str]] = [
        ("memory_context", {"task": _QUESTION}, OWN),
        ("memory_recall", {"context": _QUESTION}, OWN),
        ("memory_recall", {"context": _QUESTION, "scopes": [f"project:{other.project}"]}, ANY),
        ("memory_explain", {"memory": fact}, OWN),
        ("memory_explain", {"memory": theirs}, ANY),
        ("memory_diff", {"since": "#0"}, OWN),
        ("memory_status", {}, OWN),
        ("memory_forget", {"memory": theirs, "reason": "it is not mine"}, ANY),
    ]
    for tool, arguments, wanted in tools:
        yield _message(f"tool {tool}", "tools/call", {"name": tool, "arguments": arguments}, wanted)
    for uri, wanted in (
        ("heldtrue://context", OWN),
        ("heldtrue://lessons", OWN),
        (f"heldtrue://memory/{fact}", OWN),
        (f"heldtrue://memory/{theirs}", ANY),
        (f"heldtrue://context?project={other.project}", ANY),
    ):
        yield _message("resource", "resources/read", {"uri": uri}, wanted)
    task = {"name": "start_task", "arguments": {"task": _QUESTION}}
    yield _message("prompt", "prompts/get", task, OWN)


def _message(name: str, method: str, params: dict[str, Any], wanted: str) -> Ask:
    return Ask(name, "POST", "/mcp", {"jsonrpc": "2.0", "id": 0, "method": method, "params": params}, wanted)


def writings(own: Member, other: Member, number: int) -> Iterator[Ask]:
    """Writes with the same key on both sides: whose they are comes from the token alone."""
    said = f"Berth {number} is reserved for {canary(own.tenant, 'fact')}"
    theirs = {"memory": other.memories[-1], "reason": "it is not mine"}
    asked: list[tuple[str, str, dict[str, Any], str]] = [
        ("learn", "/v1/memories", {"content": said}, OWN),
        # The same words on both sides: that the other has said them too must not show.
        ("same words", "/v1/memories", {"content": f"Berth {number} is closed on Sundays"}, ANY),
        ("capture", "/v1/sources", {"content": f"{said}."}, ANY),
        ("forget", "/v1/memory.forget", theirs, REFUSED),
        ("correct", "/v1/memory.correct", {**theirs, "content": "Mine now"}, REFUSED),
        ("link", "/v1/memory.link", {"memory": own.memories[0], "to": other.memories[0]}, REFUSED),
        ("share", "/v1/memory.share", {"to": own.name, "action": "look", "memories": [other.memories[0]]}, REFUSED),
        ("feedback", "/v1/memory.feedback", {"recall_id": other.recalls[0], "answer": "x"}, REFUSED),
    ]
    for name, path, body, wanted in asked:
        yield Ask(name, "POST", path, body, wanted, (("Idempotency-Key", f"{name} {number}"),))


# The clients


class Watch:
    """Knows whose every word is."""

    def __init__(self, members: Sequence[Member]) -> None:
        owned = {member.name: {*member.words(), member.project, member.team} for member in members}
        for member in members:
            # Names and ids are known to all of a tenant.
            for other in members:
                if other.tenant == member.tenant:
                    owned[member.name] |= other.ids | {other.name}
        self._owned = owned
        self._any = re.compile("|".join(sorted(map(re.escape, set().union(*owned.values())), key=len, reverse=True)))
        self.words = re.compile("|".join({word for member in members for word in member.words()}))

    def foreign(self, reader: Member, answer: str, request: str) -> set[str]:
        """What an answer holds that is neither the reader's nor what it has just said itself."""
        found = set(self._any.findall(answer.lower()))
        return {word for word in found - self._owned[reader.name] if word not in request.lower()}

    def is_own(self, reader: Member, answer: str) -> bool:
        return any(word in answer for word in reader.words())


class Client(threading.Thread):
    """One connection that asks as one agent."""

    def __init__(self, server: Server, own: Member, other: Member, watch: Watch, count: int, chance: random.Random):
        super().__init__(daemon=True)
        self._server, self._own, self._other, self._watch = server, own, other, watch
        self._count, self._chance = count, chance
        self.seen = Seen()

    def run(self) -> None:
        connection = HTTPConnection("127.0.0.1", self._server.port, timeout=120)
        fixed = [*readings(self._own, self._other), *natural(self._own, self._other), *spoken(self._own, self._other)]
        self._chance.shuffle(fixed)
        try:
            for number in range(self._count):
                if self._chance.random() < _WRITES:
                    asks = list(writings(self._own, self._other, self._chance.randrange(_KEYS)))
                    ask = self._chance.choice(asks)
                else:
                    ask = fixed[number % len(fixed)]
                self._ask(connection, ask, number)
        except Exception as problem:  # noqa: BLE001 - reported with what was met
            self.seen.faults.append(f"{type(problem).__name__}: {problem}")
        finally:
            connection.close()

    def _ask(self, connection: HTTPConnection, ask: Ask, number: int) -> None:
        body = {**ask.body, "id": number} if ask.path == "/mcp" else ask.body
        sent = json.dumps(body) if body is not None else ""
        headers = {
            "Authorization": f"Bearer {self._own.token}",
            "Content-Type": "application/json",
            **dict(ask.headers),
        }
        if ask.method == "GET" and (tag := _TAGS.get((self._other.tenant, ask.name))):
            headers["If-None-Match"] = tag
        connection.request(ask.method, ask.path, sent or None, headers)
        response = connection.getresponse()
        answer = f"{response.headers}\n{response.read().decode('utf-8', 'replace')}"
        if ask.wanted == OWN and (tag := response.headers.get("ETag")):
            _TAGS[self._own.tenant, ask.name] = tag
        self._judge(ask, response.status, answer, f"{ask.path} {sent} {headers}", number)

    def _judge(self, ask: Ask, status: int, answer: str, request: str, number: int) -> None:
        seen = self.seen
        seen.calls += 1
        seen.by_name[ask.name] += 1
        seen.statuses[status] += 1
        what = f"{ask.name} as {self._own.name} ({status})"
        if foreign := self._watch.foreign(self._own, answer, request):
            seen.leaks.append(f"{what}: {sorted(foreign)[:3]}")
        if ask.wanted == REFUSED and status not in _REFUSALS:
            seen.faults.append(f"{what}: not refused")
        if ask.wanted != REFUSED and not 200 <= status < 300:
            seen.faults.append(f"{what}: {answer[-300:]}")
        if ask.wanted == OWN:
            if self._watch.is_own(self._own, answer):
                seen.own += 1
            else:
                seen.faults.append(f"{what}: nothing of its own was found in {answer[-300:]}")
        if ask.path == "/mcp" and f'"id":{number},' not in answer and f'"id":{number}}}' not in answer:
            seen.faults.append(f"{what}: the answer is to another message")


class Follower(threading.Thread):
    """Follows the events as one agent for as long as the others ask."""

    def __init__(self, server: Server, own: Member) -> None:
        super().__init__(daemon=True)
        self._server, self.own = server, own
        self._over = threading.Event()
        self.told = ""

    def run(self) -> None:
        connection = HTTPConnection("127.0.0.1", self._server.port, timeout=_SETTLED_SECONDS)
        connection.request("GET", "/v1/events", headers={"Authorization": f"Bearer {self.own.token}"})
        response = connection.getresponse()
        while not self._over.is_set():
            self.told += response.readline().decode("utf-8", "replace")
        connection.close()

    def judge(self, watch: Watch) -> tuple[list[str], list[str]]:
        """Leaks and faults, once nobody asks any more."""
        self._over.set()
        self.join(_SETTLED_SECONDS)
        leaks = [f"in the events of {self.own.name}: {word}" for word in watch.foreign(self.own, self.told, "")]
        return leaks, [] if self.own.name in self.told else [f"no events for {self.own.name}"]


_WRITES, _KEYS = 0.15, 40
"""The share of calls that write, and how many keys they have among them."""
_REFUSALS = frozenset((400, 403, 404, 409))
_TAGS: dict[tuple[str, str], str] = {}
"""The last tag of each answer, so that the other side can send it."""


def ask_all(server: Server, members: Sequence[Member], calls: int, clients: int, seed: int) -> Seen:
    """Let all clients ask at once."""
    watch, made = Watch(members), []
    for number in range(clients):
        own = members[number % len(members)]
        others = [member for member in members if member.tenant != own.tenant and member.name.endswith("0")]
        chance = random.Random(seed + number)
        made.append(Client(server, own, chance.choice(others), watch, calls // clients, chance))
    followers = [Follower(server, member) for member in members if member.name.endswith("0")]
    started = perf_counter()
    for thread in [*followers, *made]:
        thread.start()
    whole = Seen()
    for client in made:
        client.join()
        whole.add(client.seen)
    whole.seconds = perf_counter() - started
    for follower in followers:
        leaks, faults = follower.judge(watch)
        whole.leaks += leaks
        whole.faults += faults
    return whole


# Scores and counts


def scores(memory: Memory) -> list[tuple[str, float]]:
    """What a tenant is given for some questions, with the scores."""
    questions = (_QUESTION, "where does the team meet?", "harbour ferry lesson", "which gateway timeout?")
    found = [memory.recall(question, limit=20).results for question in questions]
    return [(result.memory.id if result.memory else "", result.score) for results in found for result in results]


def counts(memory: Memory) -> dict[str, Any]:
    """Everything that status tells."""
    told: dict[str, Any] = msgspec.structs.asdict(memory.status())
    return told


def compare_alone_and_beside(server: Server, members: Sequence[Member]) -> list[str]:
    """How what one tenant is told changes when the other says much of the same: not at all."""
    one = next(member for member in members if member.tenant == TENANTS[0])
    other = next(member for member in members if member.tenant == TENANTS[1])
    with server.connect(one.token) as memory, server.connect(other.token) as beside:
        memory.learn(_SAID_TOO)
        memory.learn(_CONTRARY[0])
        memory.forget(memory.learn(_REJECTED).memory.id, reason="it never was")
        before, counted = _settled_scores(memory), counts(memory)
        word = canary(other.tenant, "fact")
        shape = f"The codename of harbour {{}} at {word} has the ferry timeout {{}}"
        beside.learn_many([{"content": shape.format(number, number)} for number in range(_ADDED)])
        found = _judge_writes(beside)
        after = _settled_scores(memory)
        if counts(memory) != counted:
            found.append(f"counts: {counted} became {counts(memory)}")
    if [ref for ref, _ in before] != [ref for ref, _ in after]:
        found.append("other results, or another order of them")
    found += [
        f"the score of {ref} went from {old} to {new}"
        for (ref, old), (_, new) in zip(before, after, strict=False)
        if abs(old - new) > _SCORE_DRIFT
    ]
    if len(before) < _SCORES_MIN:
        found.append(f"too little was found to compare: {len(before)} results")
    return found


def _judge_writes(beside: Memory) -> list[str]:
    """What another tenant holds or has rejected must not decide what becomes of a write."""
    outcomes = {
        "rejected by the other": beside.learn(_REJECTED).outcome,
        "said by the other too": beside.learn(_SAID_TOO).outcome,
        "denied by the other": beside.learn(_CONTRARY[1]).outcome,
    }
    return [f"what is {name} was {outcome}" for name, outcome in outcomes.items() if outcome != "created"]


def _settled_scores(memory: Memory) -> list[tuple[str, float]]:
    """The scores once what is embedded in the background no longer moves them."""
    until, last = monotonic() + _SETTLED_SECONDS, scores(memory)
    while monotonic() < until:
        sleep(1.0)
        now = scores(memory)
        if [(ref, round(score, 4)) for ref, score in now] == [(ref, round(score, 4)) for ref, score in last]:
            return now
        last = now
    return last


def run(folder: Path, calls: int, clients: int = CLIENTS, seed: int = 6) -> Seen:
    """A server of its own, both tenants, all calls, and the log afterwards."""
    _TAGS.clear()
    home = folder / "home"
    home.mkdir(parents=True)
    # As many at once as there are connections: what is asked here is who sees what, not how often.
    (home / SETTINGS_FILE).write_text(f"[server]\nin_flight = {clients}\n", "utf-8")
    server = Server(home).start()
    try:
        members = settle(server)
        differences = compare_alone_and_beside(server, members)
        seen = ask_all(server, members, calls, clients, seed)
        seen.leaks += differences
        kept = server.owner().get(members[0].memories[-1]).memory
        if kept.status != "active":
            seen.faults.append("a memory was taken away by another tenant")
    finally:
        server.stop()
    watch = Watch(members)
    seen.leaks += [f"in the log: {line[:200]}" for line in server.log if watch.words.search(line)]
    return seen


HEADS = ("calls", "connections", "kinds of call", "foreign words", "own words found", "faults", "5xx", "calls a second")


def row_of(seen: Seen, clients: int) -> list[str]:
    broken = sum(count for status, count in seen.statuses.items() if status >= 500)
    return [
        f"{seen.calls:,}",
        str(clients),
        str(len(seen.by_name)),
        against_bar(len(seen.leaks), 0, str(len(seen.leaks))),
        f"{seen.own:,}",
        against_bar(len(seen.faults), 0, str(len(seen.faults))),
        against_bar(broken, 0, str(broken)),
        f"{seen.calls / seen.seconds:,.0f}",
    ]


def page(seen: Seen, clients: int, command: str) -> list[str]:
    """The sections of canaries.md."""
    return [
        "# Two tenants on one server",
        f"`{command}`: two tenants of {AGENTS} agents each ask everything that can be asked at once, with the same "
        "JSON-RPC ids and idempotency keys, for their own things and for the other's. A *foreign word* is a word or an "
        "id of the other tenant, or of another agent alone, in a body, a header, an error or the log, that was not in "
        "the request itself; or a count or a score that moved when the other tenant wrote. *Own words found* are the "
        "answers that had to hold something of their reader, and did.",
        machine_lines(describe_machine()),
        table(HEADS, [row_of(seen, clients)]),
        table(("kind of call", "calls"), sorted(seen.by_name.items())),
    ]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench canaries", description=__doc__)
    parser.add_argument("--calls", type=int, default=CALLS)
    parser.add_argument("--out", type=Path, help="where the page goes; left out, bench/results for the usual number")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        seen = run(Path(folder), chosen.calls)
    print(table(HEADS, [row_of(seen, CLIENTS)]))
    print(
        "\n".join(
            line.partition("\n")[0][:200] for line in [*sorted(set(seen.leaks))[:20], *sorted(set(seen.faults))[:20]]
        )
    )
    where = chosen.out or (RESULTS if chosen.calls == CALLS else None)
    if where is not None:
        command = "python -m bench canaries" + (f" --calls {chosen.calls}" if chosen.calls != CALLS else "")
        print(f"written: {write_page(where, 'canaries', page(seen, CLIENTS, command), {})}")
    return int(bool(seen.leaks or seen.faults))
