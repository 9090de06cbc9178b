"""What a person erases is gone from every file, and the ledger still proves everything else."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from heldtrue import HeldtrueError, Memory
from heldtrue.domain.erasure import ERASABLE, REBUILT, WITHOUT_WORDS, WORKING
from heldtrue.storage.sqlite.connector import SqliteConnector
from heldtrue.storage.store import SqlStore
from tests.acceptance.homes import MakeHome, entries, new_clock, recalled

Target = dict[str, Any]
WayIn = Callable[[Memory, str, Path], Target]


def hits(folder: Path, word: str) -> list[str]:
    """The files that contain a word, in any spelling of its capitals."""
    files = [folder] if folder.is_file() else [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in files if word.lower().encode() in path.read_bytes().lower()]


def erase(memory: Memory, **target: Any) -> Any:
    """Erase after a dry run, as a person does."""
    planned = memory.erase(**target, reason="request 4711")
    assert planned.outcome == "planned"
    return memory.erase(**target, reason="request 4711", confirm=planned.confirm)


# Every way in, and the path by which it is erased


def _learn(**fields: Any) -> WayIn:
    def way(memory: Memory, word: str, _folder: Path) -> Target:
        given = {name: value.format(word) for name, value in fields.items()}
        learned = memory.learn(**given)
        assert learned.outcome == "created"
        return {"memories": [learned.memory.id]}

    return way


def _by_subject(act: Callable[[Memory, str, Path], object]) -> WayIn:
    def way(memory: Memory, word: str, folder: Path) -> Target:
        act(memory, word, folder)
        return {"subject": [word]}

    return way


def _other(memory: Memory, word: str) -> str:
    """A memory that has nothing to do with a word."""
    return str(memory.learn(f"Dock {word[-2:]} has {word[-2:]} bollards of cast iron").memory.id)


def _capture(path: str, **fields: Any) -> WayIn:
    def way(memory: Memory, word: str, _folder: Path) -> Target:
        given = {name: value.format(word) for name, value in fields.items()}
        given.setdefault("content", f"The tide table for berth {word[-2:]} hangs in the office")
        answer = memory.capture(**given)
        memory.work()
        return {"sources": answer.sources} if path == "source" else {"conversation": answer.thread}

    return way


def _say(memory: Memory, word: str, _folder: Path) -> Target:
    turns = [
        {"role": "user", "name": "Nora", "content": f"Our pilot boat is called {word}. The weather is fine today."},
        {"role": "assistant", "content": f"I will remember {word}."},
    ]
    thread = memory.capture(messages=turns, thread=f"talk-{word}").thread
    memory.work()
    return {"conversation": thread}


def _say_in_session(memory: Memory, word: str, _folder: Path) -> Target:
    turns = [{"role": "user", "content": f"Our crane driver is {word}."}]
    memory.capture_session(messages=turns, session=f"session-{word}")
    memory.work()
    return {"conversation": f"session-{word}"}


def _learn_as_agent(memory: Memory, word: str, _folder: Path) -> Target:
    agent = memory.as_agent(f"agent{word[-2:]}")
    agent.learn(f"The {word} lamp burns oil", idempotency_key=f"key-{word}")
    agent.recall(f"which lamp is {word}")
    agent.capture(content=f"Notes on {word} and its wick.", thread=f"notes-{word[-2:]}")
    return {"author": f"agent{word[-2:]}"}


def _be_refused(memory: Memory, word: str, _folder: Path) -> Target:
    first = memory.learn(f"The {word} gate opens at dawn").memory.id
    memory.forget(first, reason=f"{word} was demolished")
    assert memory.as_agent("codex").learn(f"The {word} gate opens at dawn").outcome == "refused"
    return {"memories": [first]}


def _contradict(memory: Memory, word: str, _folder: Path) -> Target:
    first = memory.learn(f"The {word} ferry leaves at 9").memory.id
    assert memory.as_agent("codex").learn(f"The {word} ferry leaves at 11").outcome == "pending"
    return {"subject": [word], "memories": [first]}


def _correct(memory: Memory, word: str, _folder: Path) -> Target:
    first = memory.learn(f"The {word} beacon is red").memory.id
    memory.correct(first, f"The {word} beacon is white", reason="repainted")
    return {"subject": [word]}


def _ingest(memory: Memory, word: str, folder: Path) -> Target:
    (folder / "notes").mkdir(exist_ok=True)
    (folder / "notes" / f"{word}.md").write_text(f"# Harbour\n\nThe {word} winch pulls 9 tonnes.\n", "utf-8")
    memory.ingest(str(folder / "notes"))
    memory.work()
    return {"subject": [word]}


def _import(memory: Memory, word: str, folder: Path) -> Target:
    file = folder / "lines.jsonl"
    file.write_text(json.dumps({"content": f"The {word} net is 40 metres long"}) + "\n", "utf-8")
    memory.import_(str(file))
    return {"subject": [word]}


WAYS: dict[str, WayIn] = {
    "content": _learn(content="The {} relay listens on port 4410"),
    "title": _learn(content="The rowing boat was painted green", title="About {}"),
    "summary": _learn(content="Gulls nest on the old crane", summary="It is about {}"),
    "rationale": _learn(content="Fenders are checked every spring", rationale="because {} said so"),
    "topic": _learn(content="Eels are sold at the market", topic="{}"),
    "category": _learn(content="Tar is kept in the shed", category="{}"),
    "reference": _learn(content="Anchors are weighed on delivery", source="docs/{}.md:12"),
    "source text": _learn(
        content="Sails are sewn by hand", source_text="In the log we read that {} has sailed.", source="log.txt"
    ),
    "german": _learn(content="Der Leuchtturm {} steht auf dem Kap"),
    "many words": _learn(content="The harbour master of {} keeps the keys in the third drawer of the desk"),
    "profile": lambda m, word, _f: {"memories": [m.upsert_profile_fact(f"Alice lives in {word}").memory.id]},
    "batch": lambda m, word, _f: {
        "memories": [m.learn_many([{"content": f"The {word} barge carries sand"}]).answers[0].memory.id]
    },
    "idempotency key": lambda m, word, _f: {
        "memories": [m.learn(f"The {word} rope is new", idempotency_key=f"key-{word}").memory.id]
    },
    "an agent": _learn_as_agent,
    "a refusal": _be_refused,
    "a contradiction": _contradict,
    "a correction": _correct,
    "document": _capture("source", content="The {} sluice is closed in winter."),
    "document by thread": _capture("conversation", content="The {} quay has 12 rings.", thread="quay-{}"),
    "title of a document": _capture("source", title="Report on {}"),
    "speaker": _capture("source", speaker="{}"),
    "reference of a document": _capture("source", source="reports/{}.txt"),
    "conversation": _say,
    "session": _say_in_session,
    "file": _ingest,
    "import": _import,
    "question": _by_subject(lambda m, word, _f: m.recall(f"who has seen {word}?")),
    "saved view": _by_subject(lambda m, word, _f: m.save_view(f"view-{word}", f"where is {word}?")),
    "reason to forget": _by_subject(lambda m, word, _f: m.forget(_other(m, word), reason=f"{word} asked for it")),
    "reason to correct": _by_subject(
        lambda m, word, _f: m.correct(
            _other(m, word), f"Dock {word[-2:]} has no bollards", reason=f"{word} counted them"
        )
    ),
    "reason of a link": _by_subject(
        lambda m, word, _f: m.link(_other(m, word), "https://harbour.example/dock", reason=f"as {word} says")
    ),
    "target of a link": _by_subject(lambda m, word, _f: m.link(_other(m, word), f"https://harbour.example/{word}")),
    "kind of a link": _by_subject(
        lambda m, word, _f: m.link(_other(m, word), "https://harbour.example/q", relationship=word)
    ),
    "message": _by_subject(
        lambda m, word, _f: m.share("codex", action=f"call {word}", context=f"{word} waits at the gate")
    ),
    "reason to quarantine": _by_subject(
        lambda m, word, _f: m.quarantine(
            m.capture(content=f"A leaflet about dock {word[-2:]}").sources[0], reason=f"{word} forged it"
        )
    ),
    "feedback": _by_subject(
        lambda m, word, _f: m.feedback(m.recall(f"bollards {word}").recall_id, answer=f"{word} has none")
    ),
}


@pytest.mark.slow
@pytest.mark.covers("X1")
def test_nothing_is_left_of_any_canary_in_any_file(make_home: MakeHome, tmp_path: Path) -> None:
    home, clock = make_home(), new_clock()
    words = {name: f"zorbel{number:02}" for number, name in enumerate(WAYS, 10)}
    with Memory.open(home, clock=clock) as memory:
        kept = memory.learn("The lighthouse keeper lives in the white house")
        targets = {name: way(memory, words[name], tmp_path) for name, way in WAYS.items()}
        clock.advance(seconds=90)
        memory.backup(str(tmp_path / "older.db"))
        memory.export(str(tmp_path / "older.jsonl"))
        untouched = [name for name in WAYS if not hits(tmp_path / "older.db", words[name])]
        assert untouched == [], "every way in stored its canary"
        for name, target in targets.items():
            if hits(home, words[name]):  # a logged question goes with the first memory that answered it
                erase(memory, **target)
            assert hits(home, words[name]) == [], name
        report = memory.verify(deep=True)
        assert report.problems == []
        assert any("erased" in note for note in report.notes)
        assert kept.memory.content in recalled(memory, "where does the lighthouse keeper live?")
        assert len([entry for entry in entries(memory) if entry.action == "memory.erase"]) > 30
        memory.backup(str(tmp_path / "fresh.db"))
        memory.export(str(tmp_path / "fresh.jsonl"))
    for file in ("fresh.db", "fresh.jsonl"):
        left = [name for name in WAYS if hits(tmp_path / file, words[name])]
        assert left == [], file
    with Memory.open(tmp_path / "restored", clock=clock) as memory:
        answer = memory.restore_backup(str(tmp_path / "older.db"))
        assert answer.note is not None
        assert "erased again" in answer.note
        assert memory.verify(deep=True).problems == []
        assert kept.memory.content in recalled(memory, "where does the lighthouse keeper live?")
    with Memory.open(tmp_path / "imported", clock=clock) as memory:
        assert "erased again" in str(memory.import_(str(tmp_path / "older.jsonl")).note)
        assert memory.verify(deep=True).problems == []
    for folder in ("restored", "imported"):
        assert [name for name in WAYS if hits(tmp_path / folder, words[name])] == [], folder


@pytest.mark.covers("X1", "D28")
def test_nothing_is_left_in_any_table_or_index_of_postgresql(
    make_home: MakeHome, tmp_path: Path, postgres_dsn: str
) -> None:
    import psycopg

    home, clock = make_home("postgres"), new_clock()
    schema = re.search(r'space = "(\w+)"', (home / "heldtrue.toml").read_text("utf-8"))
    assert schema is not None
    ways = dict(list(WAYS.items())[::3])
    words = {name: f"quandel{number:02}" for number, name in enumerate(ways, 10)}

    def stored(word: str) -> list[str]:
        with psycopg.connect(postgres_dsn, autocommit=True) as connection:
            connection.execute("CHECKPOINT")
            files = connection.execute(
                "SELECT c.relname, current_setting('data_directory') || '/' || pg_relation_filepath(c.oid) "
                "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                "WHERE pg_relation_filepath(c.oid) IS NOT NULL AND (n.nspname = %s OR c.oid IN (SELECT t.reltoastrelid "
                "FROM pg_class t JOIN pg_namespace m ON m.oid = t.relnamespace WHERE m.nspname = %s))",
                (schema[1], schema[1]),
            ).fetchall()
        assert len(files) > 60, "tables and indexes"
        return [name for name, path in files if word.encode() in Path(path).read_bytes().lower()]

    with Memory.open(home, clock=clock) as memory:
        kept = memory.learn("The lighthouse keeper lives in the white house")
        targets = {name: way(memory, words[name], tmp_path) for name, way in ways.items()}
        memory.recall("lighthouse")
        clock.advance(seconds=90)
        assert [name for name in ways if not stored(words[name])] == [], "every way in stored its canary"
        for name, target in targets.items():
            if stored(words[name]):
                erase(memory, **target)
                assert stored(words[name]) == [], name
        assert memory.verify(deep=True).problems == []
        assert kept.memory.content in recalled(memory, "where does the lighthouse keeper live?")


@pytest.mark.covers("X1")
def test_the_erased_value_stays_out_for_agents_and_not_for_a_person(anywhere: Memory) -> None:
    statement, sibling = "The Larkspur gateway listens on port 4410", "The Larkspur gateway is written in Go"
    first = anywhere.learn(statement)
    anywhere.learn(sibling)
    erase(anywhere, memories=[first.memory.id])
    agent = anywhere.as_agent("codex")
    again = agent.learn(statement)
    assert (again.outcome, again.cause) == ("refused", "erased_before")
    agent.capture(content=statement, thread="elsewhere")
    turns = [{"role": "user", "content": statement}]
    agent.capture(messages=turns, thread="talk")
    anywhere.work()
    assert recalled(anywhere, "on which port does the Larkspur gateway listen?") == [sibling]
    found = anywhere.recall("Larkspur gateway port", within=["memory", "sources", "sessions"])
    assert "4410" not in str(found)
    assert anywhere.verify(deep=True).problems == []
    assert anywhere.learn(statement).outcome == "created", "a person may state it again"


@pytest.mark.covers("X1")
def test_a_conversation_that_is_captured_again_brings_nothing_back_and_doubles_nothing(owner: Memory) -> None:
    turns = [{"role": "user", "content": text} for text in ("The Quill vault code is 7781.", "Lunch was nice.", "Bye.")]
    first = owner.capture(messages=turns, thread="talk")
    erase(owner, sources=[first.sources[0]])
    again = owner.capture(messages=[*turns, {"role": "user", "content": "One more thing."}], thread="talk")
    assert (again.known, again.captured) == (3, 1)
    assert "7781" not in str(owner.recall("Quill vault code", within=["sessions"]))


@pytest.mark.covers("X1")
def test_history_and_explanations_say_that_something_was_erased_and_not_what(owner: Memory) -> None:
    passage: Any = {"source_text": "Mia drives a Volvo. Mia has a dog named Rex.", "source": "chat-12"}
    volvo = owner.learn("Mia drives a Volvo", **passage).memory
    dog = owner.learn("Mia has a dog named Rex", **passage).memory
    done = erase(owner, memories=[volvo.id])
    assert done.weakened == [dog.id]
    history = owner.history(volvo.id)
    assert {version.content for version in history.versions} == {"[erased]"}
    assert (history.entries[-1].action, history.entries[-1].actor) == ("memory.erase", "person:owner")
    assert history.entries[-1].reason == "request 4711"
    explained = owner.get(dog.id)
    assert explained.memory.content == dog.content
    assert [(source.erased, source.content) for source in explained.evidence] == [(True, "[erased]")]
    assert "Volvo" not in str(owner.explain(dog.id))
    assert dog.content in recalled(owner, "who has a dog?")


@pytest.mark.covers("X1")
def test_a_dry_run_changes_nothing_and_a_stale_code_is_refused(anywhere: Memory) -> None:
    first = anywhere.learn("The Heron boiler runs at 80 degrees")
    before = len(entries(anywhere))
    planned = anywhere.erase(memories=[first.memory.id], reason="request 9")
    assert len(entries(anywhere)) == before
    assert planned.memories[0].words == "The Heron boiler runs at 80 degrees"
    anywhere.as_agent("codex").learn("The Heron boiler runs at 80 degrees")
    with pytest.raises(HeldtrueError, match="has changed since the dry run"):
        anywhere.erase(memories=[first.memory.id], reason="request 9", confirm=planned.confirm)
    with pytest.raises(HeldtrueError, match="the reason repeats words"):
        anywhere.erase(memories=[first.memory.id], reason="the Heron matter")
    assert recalled(anywhere, "at what temperature does the Heron boiler run?"), "nothing was erased so far"


@pytest.mark.covers("X1")
def test_no_agent_can_erase(owner: Memory) -> None:
    first = owner.learn("The Heron boiler runs at 80 degrees")
    with pytest.raises(HeldtrueError, match=r"person|people"):
        owner.as_agent("codex").erase(memories=[first.memory.id], reason="request 9")


@pytest.mark.covers("X1")
def test_known_copies_are_named_as_long_as_they_exist(owner: Memory, tmp_path: Path) -> None:
    owner.learn("The pier has 12 lamps")
    owner.export(str(tmp_path / "before.jsonl"))
    first = owner.learn("The Heron boiler runs at 80 degrees")
    owner.backup(str(tmp_path / "after.db"))
    planned = owner.erase(memories=[first.memory.id], reason="request 9")
    assert [Path(copy.path).name for copy in planned.copies] == ["after.db"], "the export is older than the memory"
    (tmp_path / "after.db").unlink()
    assert owner.erase(memories=[first.memory.id], reason="request 9").copies == []


@pytest.mark.covers("X1", "D2")
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE memory_versions SET content = 'The pier is closed' WHERE salt IS NULL",
        "UPDATE tombstones SET lookup_key = lookup_key + 1 WHERE salt IS NULL",
        "UPDATE sources SET salt = NULL, content = '' WHERE salt IS NOT NULL",
        "DELETE FROM erased WHERE entity = 'tombstones'",
    ],
)
def test_verify_tells_an_erasure_from_tampering(change: str, make_home: MakeHome) -> None:
    import apsw

    home = make_home()
    with Memory.open(home) as memory:
        memory.learn("The pier has 12 lamps")
        erase(memory, memories=[memory.learn("The Heron boiler runs at 80 degrees").memory.id])
        assert memory.verify().problems == []
    database = apsw.Connection(str(home / "heldtrue.db"))
    triggers = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")]
    for name in triggers:
        database.execute(f"DROP TRIGGER {name}")
    database.execute(change)
    assert database.changes() > 0
    database.close()
    with Memory.open(home) as memory:
        found = [problem.what for problem in memory.verify().problems if problem.what != "database"]
        assert found != []


@pytest.mark.covers("X1")
def test_every_column_with_words_is_known_to_the_eraser() -> None:
    store = SqlStore(SqliteConnector(None))
    with store.connector.reading() as connection:
        tables = connection.rows("SELECT name FROM sqlite_master WHERE type = 'table'", {})
        columns = {
            name: [row[1] for row in connection.rows(f"PRAGMA table_info({name})", {}) if row[2] == "TEXT"]
            for (name,) in tables
        }
    store.close()
    erasable = {spec.table: tuple(spec.words) for spec in ERASABLE}
    unknown = [
        f"{table}.{column}"
        for table, found in columns.items()
        if table not in REBUILT
        for column in found
        if column not in (*erasable.get(table, ()), *WORKING.get(table, ()), *WITHOUT_WORDS.get(table, ()))
    ]
    assert unknown == [], "add it to domain/erasure.py"
    assert "memory_versions" in columns, "a control: the schema was read"


# What attackers tried


@pytest.mark.covers("X1")
def test_an_older_home_is_erased_when_it_is_opened(make_home: MakeHome, tmp_path: Path) -> None:
    home = make_home()
    with Memory.open(home) as memory:
        memory.learn("The pier has 12 lamps")
        first = memory.learn("Zygmunt has a daughter in Lodz").memory.id
        memory.recall("does zygmunt have children?")
    shutil.copytree(home, tmp_path / "older")
    with Memory.open(home) as memory:
        erase(memory, memories=[first])
    with Memory.open(tmp_path / "older") as memory:
        assert memory.get(first).memory.content == "[erased]"
        assert memory.recalls().items == [], "which of the logged questions were erased is not known any more"
        assert memory.verify(deep=True).problems == []
        assert "The pier has 12 lamps" in recalled(memory, "how many lamps has the pier?")
        before = len(entries(memory))
    assert hits(tmp_path / "older", "zygmunt") == []
    with Memory.open(tmp_path / "older") as memory:
        assert len(entries(memory)) == before, "once is enough"


@pytest.mark.covers("X1")
def test_two_erasures_with_the_same_number_are_both_remembered(make_home: MakeHome, tmp_path: Path) -> None:
    with Memory.open(make_home()) as memory:
        memory.learn("The pier has 12 lamps")
        memory.backup(str(tmp_path / "before.db"))
        first = memory.learn("Zygmunt has a daughter in Lodz").memory.id
        memory.backup(str(tmp_path / "with.db"))
        erase(memory, memories=[first])
    with Memory.open(tmp_path / "other") as memory:
        memory.restore_backup(str(tmp_path / "before.db"))
        erase(memory, memories=[memory.learn("The crane lifts 40 tonnes").memory.id])
    with Memory.open(tmp_path / "last") as memory:
        assert "erased again" in str(memory.restore_backup(str(tmp_path / "with.db")).note)
    assert hits(tmp_path / "last", "zygmunt") == []


@pytest.mark.covers("X1")
def test_a_restored_copy_and_what_it_erases_leave_the_logs_of_the_first_store_alone(
    make_home: MakeHome, tmp_path: Path
) -> None:
    home, clock = make_home(), new_clock()
    with Memory.open(home, clock=clock) as memory:
        memory.learn("The pier has 12 lamps")
        first = memory.learn("Zygmunt has a daughter in Lodz").memory.id
        memory.backup(str(tmp_path / "older.db"))
        erase(memory, memories=[first])
        memory.recall("how many lamps has the pier?")
    with Memory.open(tmp_path / "copy", clock=clock) as memory:
        memory.restore_backup(str(tmp_path / "older.db"))
        erase(memory, memories=[memory.learn("The crane lifts 40 tonnes").memory.id])
    for _ in range(2):
        with Memory.open(home, clock=clock) as memory:
            assert len(memory.recalls().items) == 1
            assert len([entry for entry in entries(memory) if entry.action == "memory.erase"]) == 1
        with Memory.open(tmp_path / "copy", clock=clock) as memory:
            assert len([entry for entry in entries(memory) if entry.action == "memory.erase"]) == 2


@pytest.mark.covers("X1", "B2")
def test_work_that_waits_in_an_older_backup_is_still_done(make_home: MakeHome, tmp_path: Path) -> None:
    with Memory.open(make_home()) as memory:
        first = memory.learn("Zygmunt has a daughter in Lodz").memory.id
        memory.capture(messages=[{"role": "user", "name": "Sam", "content": "I prefer tea."}], thread="t")
        memory.backup(str(tmp_path / "older.db"))
        erase(memory, memories=[first])
    with Memory.open(tmp_path / "restored") as memory:
        memory.restore_backup(str(tmp_path / "older.db"))
        assert [job.state for job in memory.jobs().items] == ["waiting"]


@pytest.mark.covers("X1")
def test_a_question_erased_alone_does_not_come_back_from_a_backup(make_home: MakeHome, tmp_path: Path) -> None:
    clock = new_clock()
    with Memory.open(make_home(), clock=clock) as memory:
        memory.learn("The pier has 12 lamps")
        memory.recall("is Zygmunt Frobisher ill?")
        clock.advance(seconds=5)
        memory.backup(str(tmp_path / "older.db"))
        assert hits(tmp_path / "older.db", "frobisher")
        done = erase(memory, subject=["Zygmunt Frobisher"])
        assert (done.memories, done.counts) == ([], {"recalls": 1})
    with Memory.open(tmp_path / "restored", clock=clock) as memory:
        memory.restore_backup(str(tmp_path / "older.db"))
        assert memory.recalls().items == []
    assert hits(tmp_path / "restored", "frobisher") == []


@pytest.mark.covers("X1")
def test_names_are_found_in_json_short_statements_in_texts_and_scripts_without_spaces(owner: Memory) -> None:
    owner.save_view("debts", "list of debtors:\nAnn Roe")
    erase(owner, subject=["Ann Roe"])
    assert owner.views().items == []
    short = owner.learn("Kowalski earns 95k").memory.id
    owner.capture(content="Minutes. Kowalski earns 95k. End.", thread="minutes")
    japanese = owner.learn("田中太郎は癌の治療を受けている").memory.id
    owner.capture(content="今日の会議で田中太郎は癌の治療を受けていると聞いた。", thread="kaigi")
    assert len(erase(owner, memories=[short]).sources) == 2
    assert len(erase(owner, memories=[japanese]).sources) == 2


@pytest.mark.covers("X1")
def test_the_words_of_other_memories_and_our_own_phrases_stay(owner: Memory) -> None:
    codex, gemini = owner.as_agent("codex"), owner.as_agent("gemini")
    others = [codex.learn(text).memory.id for text in ("Deploys happen on Tuesdays", "Bob prefers dark mode")]
    rome = gemini.learn("Kim lives in Rome").memory.id
    oslo = codex.learn("Kim lives in Oslo")
    assert oslo.outcome == "pending"
    wallet = owner.learn("The lost wallet was found in a new conflict zone").memory.id
    erase(owner, memories=[wallet])
    reasons = [owner.history(memory).entries[0].reason for memory in others]
    assert reasons == ["new; no conflict found"] * 2
    done = erase(owner, memories=[oslo.memory.id])
    assert [item.id for item in done.memories] == [oslo.memory.id]
    assert owner.get(rome).memory.content == "Kim lives in Rome", "it says the opposite"
    assert owner.verify(deep=True).problems == []


@pytest.mark.covers("X1")
def test_a_revoked_agent_can_be_erased_and_the_store_still_verifies(owner: Memory, tmp_path: Path) -> None:
    owner.add_agent("crawler", projects=["p"])
    owner.as_agent("crawler").learn("Snow falls on the pass", scope="project:p", idempotency_key="a1")
    owner.revoke_agent("crawler")
    owner.add_agent("crawler", projects=["p"])
    erase(owner, subject=["crawler"])
    assert owner.verify().problems == []
    owner.backup(str(tmp_path / "copy.db"))


@pytest.mark.covers("X1")
def test_a_code_confirms_only_what_it_was_given_for(owner: Memory) -> None:
    owner.recall("is Zygmunt Frobisher ill?")
    owner.recall("is Other Person ill?")
    first, second = (owner.erase(subject=[name], reason="r 1") for name in ("Zygmunt Frobisher", "Other Person"))
    assert first.confirm != second.confirm
    with pytest.raises(HeldtrueError, match="the code does not match"):
        owner.erase(subject=["Zygmunt Frobisher"], reason="r 1", confirm=second.confirm)


@pytest.mark.covers("X1")
def test_an_export_of_a_state_before_an_erasure_and_one_with_a_changed_rest_are_refused(
    owner: Memory, tmp_path: Path
) -> None:
    learned = owner.learn("The Heron boiler runs at 80 degrees")
    erase(owner, memories=[learned.memory.id])
    with pytest.raises(HeldtrueError, match="no earlier state can be exported"):
        owner.export(str(tmp_path / "past.jsonl"), as_of=f"#{learned.seq}")
    owner.export(str(tmp_path / "now.jsonl"))
    lines = (tmp_path / "now.jsonl").read_text("utf-8").splitlines()
    forged = [re.sub(r'"lookup_key":(-?\d)', r'"lookup_key":\g<1>7', line) for line in lines]
    assert forged != lines
    (tmp_path / "forged.jsonl").write_text("\n".join(forged) + "\n", "utf-8")
    with Memory.open(tmp_path / "target") as memory:
        with pytest.raises(HeldtrueError, match="was modified"):
            memory.import_(str(tmp_path / "forged.jsonl"))
        assert memory.import_(str(tmp_path / "now.jsonl")).how == "replayed"
