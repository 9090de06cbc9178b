"""The acceptance scenarios of the shared agent memory proposal, and its ten verbs."""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from heldtrue import Memory
from heldtrue.models.scripted import ScriptedEmbedder
from tests.acceptance.homes import KINDS, MakeHome, entries, recalled

OAT = "Remember: I prefer oat milk in my coffee, never dairy."


@pytest.mark.covers("B11", "B22", "B15", "A7", "B30")
def test_scenario_1_an_agent_in_a_project_gets_global_preferences_and_its_own_conventions_without_noise(
    kind: str, make_home: MakeHome
) -> None:
    home = make_home(kind)
    with Memory.open(home) as owner:
        owner.learn("Sebas prefers tests written before the code.", kind="preference", topic="style")
        owner.learn("Tests live beside the code they test.", kind="convention", scope="project:a", source="a/README:9")
        owner.learn("Tests run with make check.", kind="convention", scope="repo:a-core")
        owner.learn("Tests are written in Gherkin.", kind="convention", scope="project:b")
        owner.learn("Tests of the billing repo take an hour.", kind="convention", scope="repo:b-billing")
    with Memory.open(home, agent="codex", project="a", repo="a-core") as agent:
        answer = agent.recall("how do we write and run tests")
        assert {result.memory.content for result in answer.results} == {
            "Sebas prefers tests written before the code.",
            "Tests live beside the code they test.",
            "Tests run with make check.",
        }
        assert {result.matched_scope for result in answer.results} == {"global", "project:a", "repo:a-core"}
        cited = {
            result.memory.content: [evidence.reference for evidence in result.evidence] for result in answer.results
        }
        assert cited["Tests live beside the code they test."] == ["a/README:9"]
        assert all(result.explanation for result in answer.results)
    with Memory.open(home, agent="codex", project="b") as agent:
        assert set(recalled(agent, "how do we write tests")) == {
            "Sebas prefers tests written before the code.",
            "Tests are written in Gherkin.",
        }, "in the other project the noise is the other way round"


@pytest.mark.covers("B22")
def test_scenario_2_a_decision_appears_in_another_project_only_when_strongly_relevant(
    kind: str, make_home: MakeHome
) -> None:
    home = make_home(kind)
    decision = "We use Terraform for every server because it can be reviewed."
    with Memory.open(home) as owner:
        owner.learn(decision, kind="decision", scope="project:a", rationale="it can be reviewed")
        owner.learn("The servers of b stand in Lyon.", scope="project:b")
    with Memory.open(home, agent="codex", project="b") as agent:
        assert decision not in recalled(agent, "servers"), "by itself it stays where it was made"
        assert decision not in recalled(agent, "where do the servers stand?", elsewhere=True), "a weak match too"
        strongly = recalled(agent, "do we use Terraform for every server?", elsewhere=True)
        assert strongly == [decision]


@pytest.mark.covers("B3", "B5", "B30", "B4")
def test_scenario_4_a_conversation_stays_raw_until_it_is_captured_then_waits_then_may_count(
    kind: str, make_home: MakeHome, tmp_path: Path
) -> None:
    said = "I prefer window seats on long trains."
    chat = tmp_path / "chat.txt"
    chat.write_text(said, "utf-8")
    with Memory.open(make_home(kind)) as owner:
        assert owner.status().ledger_entries == 0, "a file that lies there is nobody's memory"
        captured = owner.capture_conversation(
            messages=[{"name": "Ines", "content": chat.read_text("utf-8")}], thread="t"
        )
        assert recalled(owner, "which seats on trains?") == []
        assert [job.state for job in owner.jobs().items] == ["waiting"]
        owner.work()
        (item,) = owner.inbox().items
        assert item.evidence[0].source_id == captured.sources[0]
        assert recalled(owner, "which seats on trains?") == [], "a candidate is not yet believed"
        owner.approve(item.memory.id, reason="she said so to me as well")
        assert recalled(owner, "which seats on trains?") == [item.memory.content]


@pytest.mark.covers("B3", "B6", "B30")
def test_scenario_5_handing_in_a_session_never_waits_for_its_extraction(kind: str, make_home: MakeHome) -> None:
    home = make_home(kind)
    turns = [{"role": "user", "content": f"We decided to keep build {n} because it is small."} for n in range(40)]
    with Memory.open(home, agent="codex", session="s1") as agent:
        answer: Any = agent.capture_session(turns)
        assert answer.captured == 40
        assert (agent.job(answer.job).job.state, agent.job(answer.job).job.done) == ("waiting", 0)
        assert agent.inbox().items == []
        assert agent.learn("The build runs on Mondays.").outcome == "created", "the agent goes on with its work"
    with Memory.open(home) as owner:
        owner.work()
        assert owner.job(answer.job).job.state == "done"


@pytest.mark.covers("B22", "A3", "A28", "B30")
def test_scenario_3_a_saved_preference_is_there_at_once_for_everyone(kind: str, make_home: MakeHome) -> None:
    home = make_home(kind)
    with Memory.open(home) as owner, Memory.open(home, agent="codex") as codex:
        answer = owner.learn("Sebas prefers short answers.", kind="profile", topic="style")
        assert (answer.outcome, answer.memory.status) == ("created", "active")
        found = codex.recall("how long should answers be").results
        assert [result.memory.content for result in found] == ["Sebas prefers short answers."]
        assert (found[0].memory.kind, found[0].memory.human_verified) == ("profile", True)
        waiting = codex.learn("Sebas prefers long walks.", kind="profile")
        assert waiting.memory.status == "inbox", "while what an agent says of him waits"
        assert recalled(codex, "walks") == []


@pytest.mark.covers("B7", "B12", "D4", "E6", "B30")
def test_scenario_6_two_contradictory_facts_coexist_with_status_and_evidence(kind: str, make_home: MakeHome) -> None:
    with Memory.open(make_home(kind, settings='[conflicts]\ndefault = "coexist"\n')) as owner:
        codex, claude = owner.as_agent("codex"), owner.as_agent("claude")
        old = codex.learn("The release day is Tuesday.", source="wiki/release:3")
        new = claude.learn("The release day is Thursday.", source="chat 2026-05-02")
        assert (new.outcome, new.memory.status) == ("created", "active")
        results = owner.recall("when is the release day").results
        assert {result.memory.content for result in results} == {
            "The release day is Tuesday.",
            "The release day is Thursday.",
        }
        for result in results:
            other = new.memory.id if result.memory.id == old.memory.id else old.memory.id
            assert [tag.memory_id for tag in result.trust if tag.tag == "conflicting"] == [other]
            assert len(result.evidence) == 1
            assert "conflicting" in result.explanation
        assert results[0].memory.id == old.memory.id, "the stronger claim comes first"
        assert {result.evidence[0].reference for result in results} == {"wiki/release:3", "chat 2026-05-02"}
        conflict = owner.conflicts().items[0]
        assert (conflict.conflict.status, conflict.old.id, conflict.new.id) == ("pending", old.memory.id, new.memory.id)
        assert [link.relationship for link in owner.get(new.memory.id).links] == ["contradicts"]
        owner.resolve(conflict.conflict.id, "keep_new", reason="the calendar says so")
        assert recalled(owner, "release day") == ["The release day is Thursday."]
        assert owner.get(old.memory.id).memory.status == "contradicted", "the other one is kept, with its status"


@pytest.mark.covers("B7", "B15", "B20", "B30")
def test_scenario_7_words_and_meaning_are_combined_and_each_result_says_why_it_was_chosen(
    kind: str, make_home: MakeHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ScriptedEmbedder(synonyms={"watchman": "keeper", "beacon": "lighthouse"})
    monkeypatch.setattr("heldtrue.wiring.models.open_static", lambda: model)
    by_words, by_meaning = "The keeper of the lighthouse is called Ines.", "A watchman of the beacon sleeps at noon."
    with Memory.open(make_home(kind)) as owner:
        for text in (by_words, by_meaning, "The bakery opens at six."):
            owner.learn(text)
        found = {result.memory.content: result for result in owner.recall("keeper of the lighthouse").results}
        assert list(found) == [by_words, by_meaning], "what has the words too comes first, what has neither not at all"
        assert found[by_words].breakdown["text"] > 0 == found[by_meaning].breakdown["text"]
        assert min(result.breakdown["meaning"] for result in found.values()) > 0
        assert '"keeper"' in found[by_words].explanation
        assert '"keeper"' not in found[by_meaning].explanation
        assert "meaning" in found[by_meaning].explanation
        model.fails_from = model.calls + 1
        assert recalled(owner, "keeper of the lighthouse") == [by_words], "the control: by words alone"


@pytest.mark.covers("B29", "B18", "B13", "D28")
@pytest.mark.parametrize(("source", "target"), [KINDS, KINDS[::-1]], ids=["to PostgreSQL", "to SQLite"])
def test_scenario_8_export_and_import_keep_ids_times_links_statuses_and_history(
    source: str, target: str, make_home: MakeHome, tmp_path: Path
) -> None:
    file = str(tmp_path / "space.jsonl")
    with Memory.open(make_home(source)) as here, Memory.open(make_home(target)) as there:
        one = here.learn("The cache lives in Redis.", source_kind="document", source="adr/4.md:1", scope="project:a")
        two = here.as_agent("codex").learn("The queue lives in Redis.", source_kind="run", scope="project:a")
        waiting = here.as_agent("codex").learn("Sebas likes Redis.", kind="profile")
        here.link(one.memory.id, two.memory.id, "supports", reason="same server")
        gone = here.learn("The log lives in Redis.").memory.id
        here.forget(gone, reason="it moved")
        corrected = here.correct(two.memory.id, "The queue lives in Postgres.", reason="it moved")
        talk = here.capture_conversation(messages=[{"name": "Mira", "content": OAT}], thread="t")
        here.work(names=["extract"])
        found = [item.memory.id for item in here.inbox(kinds=["preference"]).items]
        assert found, "it was taken in"
        here.export(file)
        there.import_(file)
        assert there.expand(talk.sources[0]) == here.expand(talk.sources[0])
        for memory_id in (one.memory.id, two.memory.id, waiting.memory.id, gone, corrected.memory.id, *found):
            before, after = here.get(memory_id), there.get(memory_id)
            assert after.memory == before.memory
            assert (after.links, after.evidence) == (before.links, before.evidence)
            assert there.history(memory_id) == here.history(memory_id)
        assert [tuple_of(entry) for entry in entries(there)] == [tuple_of(entry) for entry in entries(here)]
        assert Counter(item.status for item in there.list(statuses=list(STATUSES)).items) == {
            "active": 2,
            "inbox": 2,
            "superseded": 1,
            "retracted": 1,
        }
        assert {evidence.kind for evidence in there.get(one.memory.id).evidence} == {"document"}
        assert there.verify().head == here.verify().head


STATUSES: tuple[Any, ...] = ("inbox", "active", "superseded", "contradicted", "rejected", "retracted", "archived")


def tuple_of(entry: object) -> tuple[object, ...]:
    return tuple(
        getattr(entry, name) for name in ("seq", "recorded_at", "actor", "action", "outcome", "target", "hash")
    )


@pytest.mark.covers("B28", "D4", "B1", "B30")
def test_scenario_9_many_agents_share_one_memory_safely(kind: str, make_home: MakeHome) -> None:
    home, agents, each = make_home(kind), 6, 10
    problems: list[Exception] = []

    def work(number: int) -> None:
        try:
            with Memory.open(home, agent=f"agent-{number}") as memory:
                for step in range(each):
                    memory.learn(f"Crate c{number}x{step} holds part p{number}y{step}.")
                    memory.learn("The warehouse closes at noon.", confidence=0.5)
                    memory.recall("crate part warehouse")
        except Exception as problem:  # noqa: BLE001 - told to the test
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(agents)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    with Memory.open(home) as owner:
        assert owner.status().active == agents * each + 1, "what all of them said is one memory"
        shared = owner.recall("warehouse closes").results[0]
        assert shared.memory.confidence == 1.0
        assert {evidence.author for evidence in shared.evidence} == {
            f"agent:agent-{number}" for number in range(agents)
        }
        assert owner.verify().problems == []
        assert len(entries(owner)) == 2 * agents * each


@pytest.mark.covers("B26")
def test_each_of_the_ten_verbs_does_what_it_is_named_after(kind: str, make_home: MakeHome, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "pier.md").write_text("# Pier\n\nThe pier closes at nine.\n", "utf-8")
    likes = OAT
    with Memory.open(make_home(kind)) as owner, Memory.open(make_home(kind)) as elsewhere:
        assert owner.ingest(str(tmp_path / "notes"), extract=False).documents == 1
        (passage,) = owner.recall("when does the pier close?", within=["sources"]).results
        assert "closes at nine" in passage.passage.text

        turns = [{"role": "user", "name": "Mira", "content": likes}]
        session = owner.as_agent("codex").capture_session(turns, session="s1")
        talk = owner.capture_conversation(messages=[{"name": "Mira", "content": f"Morning! {likes}"}], thread="t")
        assert (session.captured, talk.captured) == (1, 1)
        owner.work(names=["extract"])
        assert [item.memory.status for item in owner.inbox().items] == ["inbox"]

        assert owner.consolidate().counts == {"promoted": 1}
        (oat,) = [result.memory for result in owner.search("what does Mira prefer in coffee?").results]
        assert (oat.status, "oat milk" in oat.content) == ("active", True)

        fact = owner.upsert_profile_fact("Mira lives in Porto.").memory
        context = owner.context_for(project="shop", repo="pay", task="bring Mira a coffee")
        assert fact.id in {result.memory.id for result in context.profile}
        assert "oat milk" in context.block

        explained = owner.explain(oat.id)
        assert {evidence.source_id for evidence in explained.evidence} == {*session.sources, *talk.sources}

        owner.export(str(tmp_path / "space.jsonl"))
        elsewhere.import_(str(tmp_path / "space.jsonl"))
        assert elsewhere.get(oat.id).memory == owner.get(oat.id).memory
        assert elsewhere.verify().head == owner.verify().head
