"""Whether the service keeps what its description promises, asked by schemathesis with all of its checks.

It reads the OpenAPI document of a running server and makes up requests that fit it and ones that do not: once with the
token of the owner, once with that of an agent of one project. `python -m bench contract` makes more than 10,000 and
writes contract.md; other numbers only print, unless --out names a folder.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from bench.contract_hooks import VARIABLE
from bench.machine import describe_machine
from bench.pages import RESULTS, against_bar, machine_lines, table, write_page
from tests.service.server import Server

EXAMPLES, SEED = 10, 20_261_116
CALLS_WANTED = 10_000
AGENT, PROJECT, TEAM = "tester", "alpha", "red"
PHASES = ("coverage", "fuzzing", "stateful")
EXCLUDED = {"/v1/events": "a stream of events has no end; tests/service/test_rest.py follows one"}
_TOKEN = "HELDTRUE_CONTRACT_TOKEN"
_COUNTED = re.compile(r'heldtrue_requests_total\{.*status="(\d+)"\} ([\d.e+]+)')
_CONFIG = f"""
hooks = "bench.contract_hooks"
request-timeout = 60
[auth.openapi.token]
bearer = "${{{_TOKEN}}}"
[checks.positive_data_acceptance]
# A schema cannot say that a text must be a moment or a scope (400), that something of that name must be there (404),
# in a state that allows it (409), and the caller's to use (403), or that many short texts are too long together (413).
expected-statuses = ["2xx", 304, 400, 403, 404, 409, 413]
[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 409, 413, 415, 422, 428]
[phases.coverage]
unexpected-methods = ["GET", "PUT", "POST", "DELETE", "OPTIONS", "PATCH", "TRACE"]
"""
_SAID = (
    "The deploy of the harbour service runs on Mondays",
    "The harbour service keeps its timeout at 30 seconds",
    "Ines prefers Postgres over Redis for the harbour service",
    "Always restart the harbour gateway before changing its port",
)


@dataclass(frozen=True)
class Plan:
    """How much is asked, and from which seed."""

    examples: int
    seed: int
    phases: tuple[str, ...] = PHASES
    only: str = ""
    """A regular expression of the addresses that are asked; left empty, all."""


@dataclass(frozen=True)
class Ran:
    """What one identity's run came to, counted by the server itself."""

    who: str
    statuses: Counter[int]
    failures: list[str]
    accepted: float
    """The share of requests fit for the schema that were answered as such."""
    seconds: float
    output: str

    @property
    def calls(self) -> int:
        return self.statuses.total()


def prepare(server: Server, folder: Path) -> str:
    """Something of everything to ask about, told to the hooks; the token of the agent."""
    owner = server.owner()
    far = 1_000_000
    token = server.let_in(
        AGENT,
        projects=[PROJECT],
        repos=[PROJECT],
        teams=[TEAM],
        writes_per_minute=far,
        requests_per_second=far,
    )
    agent = server.connect(token)
    memories = [owner.learn(text, scope=f"project:{PROJECT}", topic="harbour").memory.id for text in _SAID]
    memories += [agent.learn(f"Buoy {number} is painted {colour}").memory.id for number, colour in enumerate(_COLOURS)]
    owner.learn("The harbour service keeps its timeout at 45 seconds", scope=f"project:{PROJECT}")
    sources = [agent.capture("I always take the night train to Vienna.", thread="trains").sources[0]]
    agent.link(memories[0], memories[1])
    owner.save_view("harbour", "what of the harbour?")
    recalls = [agent.recall("what of the harbour?").recall_id, owner.recall("which buoy is red?").recall_id]
    agent.share(AGENT, action="look", context="at the harbour")
    conflicts = [item.conflict.id for item in owner.conflicts().items] or ["none"]
    owner.work()
    jobs = [item.id for item in owner.jobs().items] or ["none"]
    files = folder / "files"
    files.mkdir()
    (files / "0.md").write_text("# Harbour\n\nThe pier is 40 metres long.\n", "utf-8")
    owner.export(str(files / "1.jsonl"))
    moments = ("now", "1 day ago", "2026-05-17", "2020-01-01T00:00:00Z")
    words: dict[str, Sequence[Any]] = {
        **dict.fromkeys(("memory", "id", "to", "ref", "near", "memories", "used", "ignored", "target"), memories),
        **dict.fromkeys(("valid_at", "valid_from", "occurred_at", "at"), moments),
        **dict.fromkeys(("as_of", "since", "until"), ("#1", "#9", *moments)),
        **dict.fromkeys(("context", "query", "question", "task"), ("which buoy is red?", "harbour timeout", "pier")),
        **dict.fromkeys(("scope", "scopes"), (f"project:{PROJECT}", "global", f"team:{TEAM}", f"agent:{AGENT}")),
        **dict.fromkeys(("agent", "author"), (f"agent:{AGENT}",)),
        **dict.fromkeys(("cursor", "idempotency_key", "valid_to", "observed_at", "head"), (None,)),
        **dict.fromkeys(("project", "repo"), (PROJECT,)),
        "content": ("The pier is 40 metres long", "I like the red buoy best", "The harbour master is Goran"),
        "names": ("extract", "embed"),
        "session": (f"{AGENT}/1",),
        "source": ("wiki/harbour.md:3", "https://example.org/harbour"),
        "max_age": ("7d", "36h"),
        "expires": ("1 hour", "2 days"),
        "after": ("1.0", "3.1"),
        "job": jobs,
        "entry": ("#3", "#7"),
        "conflict": conflicts,
        "recall_id": recalls,
        "topic": ("harbour",),
    }
    agents: dict[str, Sequence[Any]] = {"name": ("somebody", "helper")}
    words_of: dict[str, dict[str, Sequence[Any]]] = {
        "share": {"to": (AGENT,)},
        "quarantine": {"source": sources},
        "view": {"name": ("harbour",)},
        "knowledge": {"id": (PROJECT,), "project": (None,), "repo": (None,)},
        "expand": {"ref": memories + sources},
        **dict.fromkeys(("add_agent", "revoke_agent", "rotate_agent"), agents),
    }
    known = {
        "words": words,
        "words_of": words_of,
        "folder": str(files),
        "read": ["0.md", "1.jsonl", "missing"],
        "written": ["2", "3"],
        "own": ["owner", AGENT],
    }
    (folder / "known.json").write_text(json.dumps(known), "utf-8")
    (folder / "schemathesis.toml").write_text(_CONFIG, "utf-8")
    (folder / "openapi.json").write_bytes(server.ask("GET", "/openapi.json").body)
    return token


_COLOURS = "red green white black yellow".split()


def count_requests(server: Server) -> Counter[int]:
    """What the server has answered so far, by status."""
    found: Counter[int] = Counter()
    for line in server.ask("GET", "/metrics").body.decode().splitlines():
        if match := _COUNTED.match(line):
            found[int(match[1])] += int(float(match[2]))
    return found


def run_as(server: Server, who: str, token: str, plan: Plan, folder: Path) -> Ran:
    """Let schemathesis ask as one identity."""
    report = folder / f"{who}.json"
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(folder / "schemathesis.toml"), "run"]
    command += [str(folder / "openapi.json"), "--url", server.url, "--checks", "all", "--no-color"]
    command += ["--phases", ",".join(plan.phases), "--max-examples", str(plan.examples), "--seed", str(plan.seed)]
    command += ["--suppress-health-check", "all", "--generation-database", "none", "--continue-on-failure"]
    command += ["--report-json-path", str(report), "--warnings", "off"]
    for path in EXCLUDED:
        command += ["--exclude-path", path]
    if plan.only:
        command += ["--include-path-regex", plan.only]
    known = {VARIABLE: str(folder / "known.json"), _TOKEN: token, "PYTHONPATH": str(Path(__file__).parents[1])}
    before, started = count_requests(server), perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | known, cwd=folder, check=False)
    seconds = perf_counter() - started
    told = json.loads(report.read_text("utf-8")) if report.is_file() else {}
    failures = [f"{failure['title']}: {failure['operations']}" for failure in told.get("failures", [])]
    failures += [str(error) for error in told.get("errors", [])]
    if not told.get("complete"):
        failures.append(f"the run ended early: {done.stderr[-2_000:]}")
    return Ran(who, count_requests(server) - before, failures, _share_accepted(told), seconds, done.stdout)


def _share_accepted(told: dict[str, Any]) -> float:
    """How many of the requests that fit the schema got what they asked for."""
    rates = [rate for rates_of_kind in told.get("valid_rates", {}).values() for rate in rates_of_kind.values()]
    whole = sum(sum(rate.values()) for rate in rates)
    return sum(rate["accepted"] for rate in rates) / whole if whole else 0.0


def run(server: Server, plan: Plan, folder: Path) -> list[Ran]:
    """The whole run, as both identities."""
    folder.mkdir(parents=True, exist_ok=True)
    agent = prepare(server, folder)
    return [run_as(server, who, token, plan, folder) for who, token in (("owner", server.token), ("agent", agent))]


HEADS = ("identity", "calls", "failures", "2xx", "4xx", "5xx", "fit and accepted, %", "seconds")


def row_of(ran: Ran) -> list[str]:
    by_class = Counter({status // 100: 0 for status in (200, 400, 500)})
    for status, count in ran.statuses.items():
        by_class[status // 100] += count
    return [
        ran.who,
        f"{ran.calls:,}",
        against_bar(len(ran.failures), 0, str(len(ran.failures))),
        *(f"{by_class[kind]:,}" for kind in (2, 4)),
        against_bar(by_class[5], 0, str(by_class[5])),
        f"{100 * ran.accepted:.0f}",
        f"{ran.seconds:,.0f}",
    ]


def page(rows: Sequence[Sequence[str]], plan: Plan, calls: int) -> list[str]:
    """The sections of contract.md."""
    from importlib.metadata import version

    return [
        "# What the description promises, and what the service does",
        f"`python -m bench contract`: schemathesis {version('schemathesis')} over `/openapi.json` of a running server, "
        f"all checks on, phases {', '.join(plan.phases)}, {plan.examples} examples an operation, seed {plan.seed}: "
        f"{calls:,} calls, counted by the server. Beside those that schemathesis makes up, words that must name "
        "something that is there (ids, moments, scopes, files) are replaced by real ones in three of four requests "
        "that fit the schema; a request that fits may still be refused with 400, 403, 404, 409 or 413, and must be "
        "refused well.",
        machine_lines(describe_machine()),
        table(HEADS, rows),
        "Left out:\n" + "\n".join(f"* `{path}`: {why}." for path, why in EXCLUDED.items()),
        "`backup`, `export`, `import`, `ingest` and `restore_backup` are asked with files of one temporary folder; "
        "`rotate_agent` and `revoke_agent` never with the names of the two identities that ask.",
    ]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench contract", description=__doc__)
    parser.add_argument("--examples", type=int, default=EXAMPLES, help="the most examples an operation and phase")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--only", default="", help="only the addresses that this regular expression fits")
    parser.add_argument("--out", type=Path, help="where the page goes; left out, bench/results for the usual run")
    chosen = parser.parse_args(arguments)
    plan = Plan(chosen.examples, chosen.seed, only=chosen.only)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder) / "home").start()
        try:
            ran = run(server, plan, Path(folder) / "run")
        finally:
            server.stop()
    calls = sum(group.calls for group in ran)
    print(table(HEADS, [row_of(group) for group in ran]))
    for group in ran:
        if group.failures:
            print(group.output)
            print("\n".join(group.failures))
    print("".join(line for line in server.log if '"level":"error"' in line), end="")
    usual = (chosen.examples, chosen.seed, chosen.only) == (EXAMPLES, SEED, "")
    if (where := chosen.out or (RESULTS if usual else None)) is not None:
        print(f"written: {write_page(where, 'contract', page([row_of(group) for group in ran], plan, calls), {})}")
    return int(any(group.failures for group in ran) or (usual and calls < CALLS_WANTED))
