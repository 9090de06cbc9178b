"""Who comes in: the matrix of every address and tool with no, a wrong, another's and the right identity; and roles."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from heldtrue import Memory, NotAllowed, NotFound
from heldtrue.access.identity import NoCredential
from heldtrue.access.rates import TooOften
from heldtrue.capabilities.verb_index import all_capabilities
from heldtrue.domain.action import Audience, Effect
from heldtrue.surfaces.rest.routes import Form, forms
from tests.service.server import Reply, Server
from tests.waiting import wait_until

CLOSED = ("/metrics", "/openapi.json", "/v1/openapi.json", "/v1/events", "/mcp", "/v1/nowhere", "/")
PERSONS = frozenset(
    capability.verb for capability in all_capabilities().values() if capability.declared.audience is Audience.PEOPLE
)
"""What only a person may do, whatever an agent's role."""


def use(server: Server, form: Form, token: str | None) -> Reply:
    path = form.path.replace("{id}", "01a1e2c7-9c51-753f-9497-000000000000")
    return server.ask(form.method, path, {} if form.in_body else None, token=token)


@pytest.mark.covers("B1")
def test_every_address_refuses_a_caller_it_does_not_know(shared: Server) -> None:
    token = shared.let_in("passing", role="admin")
    shared.owner().revoke_agent("passing")
    unknown = {
        "none": None,
        "wrong": "ht_" + "x" * 43,
        "revoked": token,
        "no token of ours": "Bearer",
        "long": "ht_" * 900,
    }
    for name, sent in unknown.items():
        for form in forms():
            reply = use(shared, form, sent)
            assert (reply.status, reply.json["code"]) == (401, "no_credential"), (name, form.path)
            assert reply.headers["www-authenticate"].startswith("Bearer")
        for path in CLOSED:
            for method in ("GET", "POST", "PUT", "DELETE", "OPTIONS"):
                assert shared.ask(method, path, token=sent).status == 401, (name, method, path)
    for form in forms():
        assert use(shared, form, "").status not in (401, 403), form.path  # the owner's own token opens each of them


@pytest.mark.covers("C11")
def test_a_skill_agent_may_use_nothing_but_what_it_was_handed(shared: Server) -> None:
    token = shared.let_in("skilled", role="skill")
    for form in forms():
        reply = use(shared, form, token)
        if form.capability.verb == "handed":
            assert reply.status == 200
        else:
            assert (reply.status, reply.json["code"]) == (403, "not_allowed"), form.path
    assert [(tool, answer["structuredContent"]) for tool, answer in call_tools(shared, token)] == [
        ("memory_handed", {"items": [], "next_cursor": None})
    ]
    for tool, answer in call_tools(shared, token, listed_for=""):
        assert answer["isError"], tool
        assert "handed" in json.dumps(answer), tool


@pytest.mark.covers("A20", "C11")
def test_the_tools_are_those_that_a_caller_may_use(shared: Server) -> None:
    agents = {role: shared.let_in(f"lists-{role}", role=role, projects=["p"]) for role in ("admin", "project")}
    everyday = [tool["name"] for tool in list_tools(shared, "")]
    assert "memory_compact" in everyday  # the owner's token is a person's
    for role, token in agents.items():
        listed = [tool["name"] for tool in list_tools(shared, token)]
        assert listed == [tool for tool in everyday if tool != "memory_compact"], role


@pytest.mark.covers("C11")
def test_what_a_person_does_is_refused_to_every_agent(shared: Server) -> None:
    tokens = {role: shared.let_in(f"acts-{role}", role=role, projects=["p"]) for role in ("admin", "project")}
    arguments: dict[str, dict[str, Any]] = {
        "add_agent": {"name": "another", "projects": ["p"]},
        "approve": {"memory": "x", "reason": "r"},
        "backup": {"path": "x"},
        "export": {"path": "x"},
        "import": {"path": "x"},
        "ingest": {"path": "x"},
        "merge": {"memory": "x", "other": "y"},
        "reject": {"memory": "x", "reason": "r"},
        "rescue": {"job": "x", "candidate": 1, "reason": "r"},
        "resolve": {"conflict": "x", "disposition": "keep_old", "reason": "r"},
        "review": {"decision": "approve", "reason": "r"},
        "revoke_agent": {"name": "x"},
        "rotate_agent": {"name": "owner"},
        "undo": {"what": "#1", "reason": "r"},
        "quarantine": {"source": "x", "reason": "r"},
    }
    for role, token in tokens.items():
        for verb in sorted(PERSONS):
            reply = shared.ask("POST", f"/v1/memory.{verb}", arguments.get(verb, {}), token=token)
            assert reply.status in (400, 403, 404), (role, verb, reply.body)
            assert reply.status == 403 or verb not in (
                "add_agent",
                "agents",
                "rotate_agent",
                "export",
                "backup",
                "verify",
            ), verb


def call_tools(server: Server, token: str, listed_for: str | None = None) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every tool that is offered to a caller, or to another, called with what its schema needs."""
    for tool in list_tools(server, token if listed_for is None else listed_for):
        needed = dict.fromkeys(tool["inputSchema"].get("required", []), "x")
        sent = rpc("tools/call", {"name": tool["name"], "arguments": needed})
        while (reply := server.ask("POST", "/mcp", sent, token=token)).status == 429:
            time.sleep(0.2)  # there are more tools than requests in a second
        yield tool["name"], reply.json["result"]


def list_tools(server: Server, token: str) -> list[dict[str, Any]]:
    answer = server.ask("POST", "/mcp", rpc("tools/list", {}), token=token).json
    listed: list[dict[str, Any]] = answer["result"]["tools"]
    assert listed
    return listed


def rpc(method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


@pytest.mark.covers("C11", "E7")
def test_a_project_agent_reads_its_own_and_the_memory_of_all_and_writes_its_own(server: Server) -> None:
    owner = server.owner()
    owner.learn("Everyone knows the harbour pilot is Ada", scope="global")
    mine = owner.learn("The shop warehouse is in Bremen", scope="project:shop").memory.id
    theirs = owner.learn("The bank vault opens with Ottawa", scope="project:bank").memory.id
    team = owner.learn("The core team meets under the clock", scope="team:core").memory.id
    shop = server.connect(server.let_in("shopkeeper", projects=["shop"], teams=["core"]))
    bank = server.connect(server.let_in("banker", projects=["bank"]))

    assert {item.scope for item in shop.list().items} == {"global", "project:shop", "team:core"}
    assert shop.get(mine).memory.content
    assert shop.get(team).memory.content
    assert shop.recall("where is the shop warehouse?").results[0].memory.id == mine
    for foreign in (theirs,):
        with pytest.raises(NotFound):
            shop.get(foreign)
        with pytest.raises(NotFound):
            shop.explain(foreign)
        with pytest.raises(NotFound):
            shop.history(foreign)
        with pytest.raises(NotFound):
            shop.correct(foreign, "The bank vault opens with Oslo", reason="x")
    with pytest.raises(NotFound):
        bank.get(team)
    assert "Ottawa" not in json.dumps(to_plain(shop.recall("what opens the bank vault?", min_confidence=0.0)))
    assert bank.recall("what opens the bank vault?").results[0].memory.id == theirs  # the control: it can be found

    written = shop.learn("The shop closes at eight")
    assert (written.memory.scope, written.memory.agent) == ("project:shop", "agent:shopkeeper")
    assert shop.learn("The core team eats at noon", scope="team:core").memory.scope == "team:core"
    assert shop.learn("I look things up twice", scope="agent:shopkeeper").memory.scope == "agent:shopkeeper"
    for scope in ("global", "project:bank", "team:other", "agent:banker", "repo:any", "session:any"):
        with pytest.raises(NotAllowed):
            shop.learn("Something for others", scope=scope)
    assert owner.verify().ok


@pytest.mark.covers("C11")
@pytest.mark.parametrize(
    "scope", ["project:*", "project:%", "*", "", " ", "project:", "project:shop,project:bank", "project:bank\x00"]
)
def test_no_spelling_of_a_scope_reaches_further(shared: Server, scope: str) -> None:
    name = f"speller{abs(hash(scope))}"
    token = shared.let_in(name, projects=["shop"])
    reply = shared.ask("POST", "/v1/memory.list", {"scopes": [scope]}, token=token)
    assert reply.status in (400, 403)
    header = shared.ask(
        "POST", "/v1/memory.list", {}, token=token, headers={"Heldtrue-Project": scope.replace("\x00", "")}
    )
    assert header.status in (400, 403), header.body
    fine = shared.ask("POST", "/v1/memory.list", {"scopes": ["project:shop"]}, token=token)
    assert fine.status == 200


def test_surroundings_and_names_only_narrow_what_the_token_allows(shared: Server) -> None:
    token = shared.let_in("narrow", projects=["tea"])
    shared.owner().learn("The kettle of the coffee project is copper", scope="project:coffee")
    for headers in ({"Heldtrue-Project": "coffee"}, {"Heldtrue-Repo": "x"}, {"Heldtrue-Session": "another/1"}):
        assert (
            shared.ask("POST", "/v1/memory.recall", {"context": "kettle"}, token=token, headers=headers).status == 403
        )
    for body in ({"project": "coffee"}, {"agent": "owner"}, {"agent": "other"}, {"repo": "x"}):
        assert shared.ask("POST", "/v1/memory.context_for", {"task": "kettle", **body}, token=token).status == 403, body
    assert shared.ask("POST", "/v1/memory.context_for", {"task": "kettle"}, token=token).status == 200
    own = shared.ask("POST", "/v1/memory.list", {}, token=token, headers={"Heldtrue-Session": "narrow/1"})
    assert own.status == 200


@pytest.mark.covers("C11")
def test_an_administrator_reads_and_writes_every_scope_but_stays_an_agent(server: Server) -> None:
    server.owner().learn("The attic holds the archive", scope="project:house")
    admin = server.connect(server.let_in("steward", role="admin"))
    assert [item.scope for item in admin.list().items] == ["project:house"]
    assert admin.learn("The cellar holds the wine", scope="project:house").memory.human_verified is False
    assert admin.learn("All doors lock at night", scope="global").memory.scope == "global"
    assert admin.learn("Ada is allergic to nuts", kind="profile", scope="global").outcome == "pending"
    with pytest.raises(NotAllowed):
        admin.add_agent("another", projects=["x"])


@pytest.mark.covers("C11", "C12")
def test_a_skill_agent_gets_the_context_that_is_handed_to_it_and_no_more(server: Server) -> None:
    owner = server.owner()
    first = owner.learn("The user prefers short answers", scope="project:blog").memory.id
    second = owner.learn("The blog is about gardening", scope="project:blog").memory.id
    owner.learn("The blog password is a pet's name", scope="project:blog")
    writer = server.connect(server.let_in("writer", projects=["blog"]))
    skill = server.connect(server.let_in("seo", role="skill"))
    assert skill.handed().items == []
    sent = writer.share(
        "seo", action="analyse", memories=[first, second], context="Find better titles", expires="1 hour"
    )
    assert sent.message.to == "agent:seo"
    [got] = skill.handed().items
    assert (got.sender, got.to, got.type, got.payload.action) == ("agent:writer", "agent:seo", "request", "analyse")
    assert got.payload.context.memory_snippet == "The user prefers short answers\nThe blog is about gardening"
    assert got.payload.context.project_context == "Find better titles"
    raw = server.ask("POST", "/v1/memory.handed", {}, token=server.let_in("seo2", role="skill")).json
    assert raw == {"items": [], "next_cursor": None}
    owner.forget(first, reason="it changed")
    [got] = skill.handed().items
    assert got.payload.context.memory_snippet == "The blog is about gardening"
    assert got.payload.context.gone == 1
    for refused in (
        lambda: skill.recall("titles"),
        lambda: skill.learn("x"),
        lambda: skill.get(second),
        lambda: skill.share("writer", action="x", context="y"),
    ):
        with pytest.raises(NotAllowed):
            refused()
    writer.share("seo", action="hurry", context="Until noon", expires="1 second")
    wait_until(lambda: [item.payload.action for item in skill.handed().items] == ["analyse"])
    other = owner.learn("The other project ships on Friday", scope="project:other").memory.id
    with pytest.raises(NotFound):
        writer.share("seo", action="x", memories=[other])
    assert owner.verify().ok


def test_a_token_is_nowhere_at_rest_and_ends_when_it_is_replaced_or_taken(server: Server) -> None:
    token = server.let_in("keeper", projects=["p"])
    keeper = server.connect(token)
    keeper.learn("The name of the canary service is quokkacanary.")
    fresh = server.owner().rotate_agent("keeper").token
    with pytest.raises(NoCredential):
        keeper.list()
    again = server.connect(str(fresh))
    assert again.list().items
    server.owner().revoke_agent("keeper")
    with pytest.raises(NoCredential):
        again.list()
    server.stop()
    held = {path: path.read_bytes() for path in server.home.rglob("*") if path.is_file()}
    assert any(b"quokkacanary" in content for content in held.values())  # the control: the search would find it
    for secret in (token, str(fresh), server.token):
        assert not [path for path, content in held.items() if secret.encode() in content]


@pytest.mark.covers("D23")
def test_each_agent_has_its_rates_and_is_told_when_to_come_again(server: Server) -> None:
    eager = server.connect(server.let_in("eager", projects=["p"], writes_per_minute=3, requests_per_second=100))
    for number in range(3):
        eager.learn(f"Crate {number} holds {number} apples")
    with pytest.raises(TooOften) as told:
        eager.learn("Crate 4 holds pears")
    assert 0 < told.value.retry_after_seconds <= 20
    assert len(eager.list().items) == 3  # reading goes on
    calm = server.connect(server.let_in("calm", projects=["p"]))
    assert calm.learn("Crate 5 holds plums").outcome == "created"  # and so do others
    hasty = server.let_in("hasty", projects=["p"], requests_per_second=2)
    replies = [server.ask("GET", "/v1/memories", token=hasty) for _ in range(8)]
    assert {reply.status for reply in replies} == {200, 429}
    assert all(int(reply.headers["retry-after"]) >= 1 for reply in replies if reply.status == 429)
    mcp = rpc("tools/call", {"name": "memory_learn", "arguments": {"content": "Crate 6 holds figs"}})
    over = server.ask(
        "POST",
        "/mcp",
        mcp,
        token=server.let_in("slow", projects=["p"], writes_per_minute=1),
        headers={"Accept": "application/json, text/event-stream"},
    )
    assert over.status == 200


@pytest.mark.covers("D23")
def test_what_others_wrote_is_found_but_ranks_below_ones_own_and_the_part_is_shown(server: Server) -> None:
    one = server.connect(server.let_in("one", projects=["p"]))
    two = server.connect(server.let_in("two", projects=["p"]))
    one.learn("The ferry to the island takes forty minutes")
    mine = one.recall("how long does the ferry to the island take?").results[0]
    theirs = two.recall("how long does the ferry to the island take?").results[0]
    assert mine.memory.id == theirs.memory.id
    assert mine.score > theirs.score
    assert mine.breakdown["domain"] > theirs.breakdown.get("domain", 0.0)


def test_an_agents_record_counts_on_this_machine_too(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "home") as owner:
        owner.learn("The reef is mapped in the blue folder", scope="project:reef")
        owner.add_agent("diver", projects=["wreck"])
        local = owner.as_agent("diver")
        assert local.list().items == []
        with pytest.raises(NotAllowed):
            local.learn("Everyone should know", scope="global")
        assert local.learn("The wreck lies at forty metres").memory.scope == "project:wreck"
        assert owner.as_agent("passer-by").list(scopes=["project:reef"]).items  # one without a record: as before


DOORS: dict[str, tuple[dict[str, str], set[int]]] = {
    "foreign host": ({"Host": "attacker.example"}, {421}),
    "foreign host with our port": ({"Host": "attacker.example:7373"}, {421}),
    "host that begins like ours": ({"Host": "localhost.attacker.example"}, {421}),
    "user in host": ({"Host": "localhost@attacker.example"}, {421}),
    "empty host": ({"Host": ""}, {400, 421}),
    "foreign origin": ({"Origin": "https://attacker.example"}, {403}),
    "null origin": ({"Origin": "null"}, {403}),
    "origin that begins like ours": ({"Origin": "http://localhost.attacker.example"}, {403}),
    "file origin": ({"Origin": "file://"}, {403}),
    "cross-site fetch": ({"Sec-Fetch-Site": "cross-site"}, {403}),
    "extension origin": ({"Origin": "chrome-extension://abc"}, {403}),
    "origin that is no address": ({"Origin": "http://[::1"}, {403}),
}


@pytest.mark.covers("B1")
@pytest.mark.parametrize("case", DOORS)
def test_a_page_from_elsewhere_is_refused_at_every_address_even_with_a_token(shared: Server, case: str) -> None:
    headers, statuses = DOORS[case]
    paths = {(form.method, form.path.replace("{id}", "x")) for form in forms()} | {("GET", path) for path in CLOSED}
    paths |= {("POST", "/mcp"), ("GET", "/healthz"), ("GET", "/readyz")}
    for method, path in sorted(paths):
        body: dict[str, Any] | None = {} if method in ("POST", "PATCH") else None
        reply = shared.ask(method, path, body, headers=headers)
        assert reply.status in statuses, (method, path)
        assert "access-control-allow-origin" not in reply.headers


def test_a_page_on_another_port_of_this_machine_has_no_token_and_gets_nothing(shared: Server) -> None:
    headers = {"Origin": "http://localhost:9999", "Sec-Fetch-Site": "same-site"}
    assert shared.ask("POST", "/v1/memory.list", {}, token=None, headers=headers).status == 401
    assert shared.ask("POST", "/v1/memory.list", {}, headers=headers).status == 200  # the control: only the token lacks
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        reply = shared.ask("POST", "/v1/memory.list", b"{}", headers={"Content-Type": kind})
        assert reply.status == 415, kind


def test_no_capability_reads_who_acts_from_its_arguments() -> None:
    """Who acts comes from the token: an argument of that meaning could only be a way around it."""
    named = {
        capability.name: {p.name for p in capability.parameters} & {"principal", "user", "user_id", "actor"}
        for capability in all_capabilities().values()
    }
    assert not {name: found for name, found in named.items() if found}
    assert {capability.effect for capability in all_capabilities().values()} == set(Effect)


def to_plain(answer: Any) -> Any:
    import msgspec

    return msgspec.to_builtins(answer)
