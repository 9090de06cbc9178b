"""One story told three times, to a home in this process, over REST and over MCP: the answers must be the same."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from heldtrue import HeldtrueError, Memory
from heldtrue.capabilities.registry import IDEMPOTENCY
from heldtrue.capabilities.verb_index import all_capabilities
from heldtrue.domain.action import Effect
from tests.service.server import Server

Use = Callable[..., Any]
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_MINUTE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(?= UTC)")
_HASH = re.compile(r"\b[0-9a-f]{64}\b")
_KEY_NAME = re.compile(r"\b[0-9a-f]{16}\b")
_FENCE = re.compile(r'fence="[0-9a-f]+"')
_TOKEN = re.compile(r"ht_[A-Za-z0-9_-]{43}")
_VARYING = frozenset(
    "milliseconds seconds ms bytes size_bytes size head database_bytes recall_id channel cost path home places tokens "
    "bytes_on_disk confirm copies".split()
)
"""What depends on the moment or on the machine. A service does not know where its client keeps a copy."""


def tell_story(use: Use, folder: Path) -> None:
    """Every capability at least once, each needing what the ones before have made."""
    first = use("learn", content="The staging database lives in Frankfurt", source="docs/infra.md:12", topic="infra")
    one = first["memory"]["id"]
    use("learn", content="", source="x")  # a mistake is answered alike, too
    use("learn_many", memories=[{"content": "Deploys happen on Tuesdays"}, {"content": "The API speaks JSON"}])
    use("upsert_profile_fact", content="Ada lives in Lisbon")
    other = use("learn", content="The office plant is called Fern")["memory"]["id"]
    recalled = use("recall", context="where is the staging database?")
    use("search", context="staging")
    use("why", recall_id=recalled["recall_id"])
    use("feedback", recall_id=recalled["recall_id"], used=[one])
    use("recalls", limit=5)
    use("inject", question="where is the staging database?")
    use("context_for", task="move the staging database")
    use("expand", ref=one)
    use("get", memory=one)
    use("get", memory="nothing-of-ours")
    use("list")
    use("about", name="Ada", also=["Frankfurt"])
    use("about", name="Ada", export=str(folder / "ada"))
    use("about", name="Ada", export=str(folder / "ada.json"))  # exists
    use("about", name="Ada", export=str(folder / "ada.txt"))
    use("link", memory=one, to=other, relationship="mentions")
    use("merge", memory=one, other=other)
    use("unlink", memory=one, to=other, relationship="mentions", reason="a mistake")
    use("explain", memory=one)
    fixed = use("correct", memory=one, content="The staging database lives in Dublin", reason="it moved")
    use("history", memory=one)
    use("diff", since="#0")
    use("forget", memory=other, reason="it died")
    use("restore", memory=other, reason="it lives")
    use("save_view", name="infra", context="staging database")
    use("views")
    use("view", name="infra")
    use("drop_view", name="infra")
    use("capture", content="Notes: the cache is flushed at noon.", source="notes/cache.md")
    use("capture_conversation", messages=[{"role": "user", "content": "I prefer tea over coffee."}], conversation="c1")
    use("capture_session", messages=[{"role": "user", "content": "We always deploy from main."}], session="s1")
    use("work")
    jobs = use("jobs")["items"]
    use("job", job=jobs[0]["id"])
    use("retry", job=jobs[0]["id"])
    use("cancel", job=jobs[0]["id"])
    use("rescue", job=jobs[0]["id"], candidate=1)
    use("learn", content="The team decided to use Kafka for orders", kind="decision")
    use("learn", content="The team decided to print invoices in blue", kind="decision")
    waiting = use("inbox")["items"]
    use("approve", memory=waiting[0]["memory"]["id"])
    use("reject", memory=waiting[-1]["memory"]["id"], reason="not so")
    use("review", decision="reject", reason="none of it", kind="pattern")
    use("rejections")
    use("refusals")
    use("learn", content="The team decided to rent a second office", kind="decision")
    use("dismiss", memory=use("inbox")["items"][0]["memory"]["id"], reason="badly worded")
    use("learn", content="The staging database lives in Oslo", on_conflict="wait")
    conflicts = use("conflicts")["items"]
    pending = conflicts[0]["conflict"]["id"] if conflicts else "none"
    use("resolve", conflict=pending, disposition="keep_old", reason="checked")
    use("consolidate")
    use("compact", dry_run=True)
    use("undo", entry=f"#{fixed['seq']}", reason="a try")
    use("summaries")
    source = use("get", memory=fixed["memory"]["id"])
    use("quarantine", source=source["evidence"][0]["source_id"], reason="doubtful")
    use("add_agent", name="seo", role="skill")
    use("share", to="seo", action="analyse", memories=[fixed["memory"]["id"]], context="titles")
    use("handed")
    use("rotate_agent", name="seo")
    use("revoke_agent", name="seo")
    use("agents")
    use("events", after="0.0", limit=3)
    use("export", path=str(folder / "all.jsonl"))
    use("import", path=str(folder / "all.jsonl"))
    planned = use("erase", memories=[other], reason="request 12")
    use("erase", memories=[other], reason="request 12", confirm="no such code")
    use("erase", memories=[other], reason="request 12", confirm=planned["confirm"])
    use("export_key", path=str(folder / "store.key"))
    use("import_key", path=str(folder / "store.key"))
    use("ingest", path=str(folder / "nothing-here"))
    use("backup", path=str(folder / "copy.db"))
    use("restore_backup", path=str(folder / "copy.db"))  # refused alike: this home has a history
    use("reindex")
    use("maintain")
    use("verify")
    use("status")


class Plain:
    """Answers with what differs from run to run made the same: ids by the order in which they appear, times, hashes."""

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._names: dict[str, str] = {}

    def __call__(self, answer: Any) -> Any:
        match answer:
            case dict():
                return {self(name): self(value) for name, value in answer.items() if name not in _VARYING}
            case list() | tuple():
                return [self(item) for item in answer]
            case str():
                text = _ID.sub(self._name, answer.replace(self._folder, "FOLDER"))
                text = _KEY_NAME.sub("KEY", _FENCE.sub("FENCE", text))
                return _TOKEN.sub("TOKEN", _HASH.sub("HASH", _MINUTE.sub("TIME", _TIME.sub("TIME", text))))
            case float():
                return round(answer, 2)
        return answer

    def _name(self, found: re.Match[str]) -> str:
        return self._names.setdefault(found[0], f"id{len(self._names) + 1}")


class Teller:
    """Uses capabilities one way, and notes what came of each."""

    def __init__(self, folder: Path, ask: Callable[[str, dict[str, Any]], Any]) -> None:
        self.told: list[tuple[str, Any]] = []
        self._ask = ask
        self._plain = Plain(folder)

    def __call__(self, verb: str, **arguments: Any) -> Any:
        if all_capabilities()[verb].effect is Effect.WRITE:
            # The client of a service sends a key by itself, and the history shows that the answer was kept for it.
            arguments[IDEMPOTENCY] = f"write {len(self.told)}"
        try:
            answer = self._ask(verb, arguments)
        except HeldtrueError as problem:
            # What to do next is said in the words of each surface: a command here, a tool there.
            answer = {"code": problem.code, "message": problem.message, "field": problem.field}
        self.told.append((verb, self._plain(answer)))
        return answer


def tell_embedded(folder: Path) -> list[tuple[str, Any]]:
    with Memory.open(folder / "home") as memory:
        memory.rotate_agent("owner")  # as a server does when it starts for the first time
        teller = Teller(folder, lambda verb, given: msgspec.to_builtins(memory.invoke(f"memory.{verb}", **given)))
        tell_story(teller, folder)
    return teller.told


def tell_rest(folder: Path) -> list[tuple[str, Any]]:
    server = Server(folder / "home", ("--no-engine",)).start()
    try:
        memory = server.owner()
        teller = Teller(folder, lambda verb, given: msgspec.to_builtins(memory.invoke(f"memory.{verb}", **given)))
        tell_story(teller, folder)
    finally:
        server.stop()
    return teller.told


def serve_files_of(folder: Path) -> Server:
    """A server that reads and writes the files of a folder on its own machine, as they are named in a request."""
    home = folder / "home"
    home.mkdir()
    (home / "heldtrue.toml").write_text(f'[server]\nfiles = "{folder}"\n', "utf-8")
    return Server(home, ("--no-engine",)).start()


def tell_mcp(folder: Path) -> list[tuple[str, Any]]:
    server = serve_files_of(folder)
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}

    def ask(verb: str, given: dict[str, Any]) -> Any:
        params = {"name": f"memory_{verb}", "arguments": given}
        sent = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        result = server.ask("POST", "/mcp?tools=all", sent, headers=headers).json["result"]
        if result.get("isError"):
            told = result["_meta"]["heldtrue/error"]
            return {name: told[name] for name in ("code", "message", "field")}
        return result["structuredContent"]

    try:
        teller = Teller(folder, ask)
        tell_story(teller, folder)
    finally:
        server.stop()
    return teller.told


@pytest.mark.covers("A26", "B1", "B27")
def test_every_capability_answers_alike_embedded_over_rest_and_over_mcp(tmp_path: Path) -> None:
    told = {}
    for name, tell in (("embedded", tell_embedded), ("rest", tell_rest), ("mcp", tell_mcp)):
        folder = tmp_path / name
        folder.mkdir()
        told[name] = tell(folder)
    assert {verb for verb, _ in told["embedded"]} == set(all_capabilities())
    for other in ("rest", "mcp"):
        for (verb, expected), (_, answer) in zip(told["embedded"], told[other], strict=True):
            assert answer == expected, (other, verb, json.dumps(answer)[:2000])
