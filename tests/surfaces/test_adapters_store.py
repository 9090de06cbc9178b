"""The LangGraph store: a key-value store to its users, and memories with evidence and history to everyone else."""

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.store.base import BaseStore, GetOp, ListNamespacesOp, MatchCondition, PutOp, SearchOp

from heldtrue import InvalidInput, ManualClock, Memory
from heldtrue.adapters import HeldtrueStore
from heldtrue.language.masking import mask_text
from heldtrue.language.statements import analyse_statement
from heldtrue.surfaces.adapters.items import path_of, read_item, topic_of, write_item
from heldtrue.surfaces.adapters.langgraph import NotStored

ALICE, BOB = ("users", "alice"), ("users", "bob")
SCOPE = "project:langgraph"


@pytest.fixture(params=["agent", "person"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "home", agent="bot" if request.param == "agent" else None) as opened:
        yield opened


@pytest.fixture
def store(memory: Memory) -> HeldtrueStore:
    return HeldtrueStore(memory)


def value_at(store: BaseStore, namespace: tuple[str, ...], key: str) -> dict[str, Any] | None:
    item = store.get(namespace, key)
    return None if item is None else item.value


# --- a key-value store ----------------------------------------------------------------------------------


def test_what_is_put_is_got(store: HeldtrueStore) -> None:
    assert store.get(ALICE, "prefs") is None
    store.put(ALICE, "prefs", {"theme": "dark", "font": {"size": 12}, "tags": ["a", None, True, 1.5]})
    item = store.get(ALICE, "prefs")
    assert item is not None
    assert (item.namespace, item.key) == (ALICE, "prefs")
    assert item.value == {"theme": "dark", "font": {"size": 12}, "tags": ["a", None, True, 1.5]}
    assert store.get(BOB, "prefs") is None
    assert store.get(ALICE, "Prefs") is None
    assert store.get(("users",), "alice/prefs") is None


def test_a_put_replaces_and_tells_since_when_the_item_is_there(tmp_path: Path) -> None:
    clock = ManualClock(datetime(2026, 5, 1, tzinfo=UTC))
    with Memory.open(tmp_path / "home", agent="bot", clock=clock) as memory:
        store = HeldtrueStore(memory)
        for theme in ("dark", "light", "light", "sepia"):
            store.put(ALICE, "prefs", {"theme": theme})
            clock.advance(days=1)
        item = store.get(ALICE, "prefs")
        assert item is not None
        assert item.value == {"theme": "sepia"}
        assert (item.created_at.day, item.updated_at.day) == (1, 4)
        store.delete(ALICE, "prefs")
        store.put(ALICE, "prefs", {"theme": "sepia"})
        again = store.get(ALICE, "prefs")
        assert again is not None
        assert (again.created_at.day, again.updated_at.day) == (5, 5)


def test_a_value_may_come_back_as_often_as_the_store_itself_replaced_it(store: HeldtrueStore) -> None:
    for theme in ("dark", "light", "dark", "light", "dark", "Dark", "dark"):
        store.put(ALICE, "prefs", {"theme": theme})
        assert value_at(store, ALICE, "prefs") == {"theme": theme}
    for _ in range(3):
        store.delete(ALICE, "prefs")
        assert store.get(ALICE, "prefs") is None
        store.put(ALICE, "prefs", {"theme": "dark"})
        assert value_at(store, ALICE, "prefs") == {"theme": "dark"}
    store.delete(ALICE, "prefs")
    store.delete(ALICE, "prefs")
    store.delete(ALICE, "never there")


def test_keys_and_values_that_look_alike_are_kept_apart(store: HeldtrueStore) -> None:
    keys = ["k", "K", "k.", "k-1", "k1", "k 1", "k/1", "k%2F1", "ключ", "κ", "k`", " k", "k" * 300, "k" * 301]
    for number, key in enumerate(keys):
        store.put(ALICE, key, {"n": 1, "place": number})
    for number, key in enumerate(keys):
        assert value_at(store, ALICE, key) == {"n": 1, "place": number}
    for key in keys:
        store.put(BOB, key, {"n": 1})
    assert len(store.search(BOB, limit=99)) == len(keys)
    for value in ({"n": True}, {"n": 1}, {"n": 1.0}, {"n": "1"}, {"N": 1}, {"n": "one."}, {"n": "one"}, {"n": "ONE"}):
        store.put(ALICE, "k", value)
        assert repr(value_at(store, ALICE, "k")) == repr(value)


def test_sentences_in_a_value_are_not_taken_apart(store: HeldtrueStore, memory: Memory) -> None:
    text = "The host is db1 and the port is 8080. Alice lives in Rome. Use tabs, and never push to main."
    store.put(ALICE, "facts", {"text": text, "revision": 1})
    store.put(BOB, "facts", {"text": text.replace("8080", "9090").replace("Rome", "Oslo"), "revision": 1})
    store.put(ALICE, "facts", {"text": text, "revision": 2})
    store.put(ALICE, "facts", {"text": text + " " + text * 20, "revision": 3})
    store.put(ALICE, "facts", {"text": text, "revision": 4})
    assert value_at(store, ALICE, "facts") == {"text": text, "revision": 4}
    assert len(memory.list(scopes=[SCOPE]).items) == 2
    assert memory.conflicts().items == []
    assert memory.inbox().items == []
    assert memory.learn("The port is 8080.").outcome == "created"  # what the store replaced is no verdict elsewhere


@pytest.mark.parametrize("text", ["hello", "ok", "I think it may rain, but I am not sure.", "?", "", "  two  spaces  "])
def test_small_talk_and_guesses_are_kept_too(text: str, store: HeldtrueStore) -> None:
    store.put(ALICE, "said", {"text": text})
    assert value_at(store, ALICE, "said") == {"text": text}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
# A name such as PW with a number looks like a password, which is refused.
item_values = st.dictionaries(st.text(), json_values, max_size=5).filter(
    lambda value: not mask_text(json.dumps(value, ensure_ascii=False)).findings
)
names = st.text(min_size=1, max_size=40).filter(lambda text: text.isprintable())


@given(st.lists(names, min_size=1, max_size=4), names, item_values)
@settings(max_examples=120)
def test_an_item_is_written_as_one_statement_and_read_back_to_the_letter(
    namespace: list[str], key: str, value: dict[str, Any]
) -> None:
    path = path_of(namespace, key)
    content = write_item(path, value)
    item = read_item(content)
    assert item is not None
    assert (item.namespace, item.key, repr(item.value)) == (tuple(namespace), key, repr(value))
    assert len(analyse_statement(content).claims) == 1
    assert len(topic_of(path)) <= 200


@given(st.lists(item_values, min_size=1, max_size=3))
@settings(max_examples=25)
def test_any_values_go_through_the_gate(values: list[dict[str, Any]]) -> None:
    with Memory.open(":memory:", agent="bot") as memory:
        store = HeldtrueStore(memory)
        for value in [*values, *values]:
            store.put(ALICE, "any", value)
            assert repr(value_at(store, ALICE, "any")) == repr(value)


def test_a_long_value_is_kept_whole_and_a_longer_one_is_refused(store: HeldtrueStore) -> None:
    long = {"text": "Grüße, and a `tick`. " * 1_500}
    store.put(ALICE, "long", long)
    assert value_at(store, ALICE, "long") == long
    with pytest.raises(InvalidInput, match="longer than 65,536 bytes"):
        store.put(ALICE, "long", {"text": "x" * 70_000})
    assert value_at(store, ALICE, "long") == long


# --- search ---------------------------------------------------------------------------------------------


def test_a_search_with_a_query_is_a_recall_within_the_namespace(store: HeldtrueStore) -> None:
    store.put(ALICE, "m1", {"text": "Alice likes pizza with olives"})
    store.put(ALICE, "m2", {"text": "Alice works in Lisbon"})
    store.put(BOB, "m1", {"text": "Bob likes pizza with ham"})
    found = store.search(ALICE, query="pizza")
    assert [(item.namespace, item.key) for item in found] == [(ALICE, "m1")]
    assert found[0].score is not None
    assert {item.namespace for item in store.search(("users",), query="pizza")} == {ALICE, BOB}
    assert store.search(("teams",), query="pizza") == []
    store.put(ALICE, "m1", {"text": "Alice likes soup"})
    store.delete(BOB, "m1")
    assert store.search(("users",), query="pizza") == []


def test_the_same_words_under_many_keys_are_all_found(store: HeldtrueStore) -> None:
    for index in range(8):
        store.put(("users", f"u{index}"), "likes", {"text": "pizza with olives"})
    assert len(store.search(("users",), query="pizza", limit=20)) == 8
    assert [item.namespace for item in store.search(("users", "u3"), query="pizza")] == [("users", "u3")]


def test_a_namespace_among_many_is_found() -> None:
    with Memory.open(":memory:", agent="bot") as memory:
        store = HeldtrueStore(memory)
        for index in range(130):
            store.put(("users", f"user{index}"), "likes", {"text": f"pizza number {index}"})
        store.put(("users", "zoe"), "likes", {"text": "a calm evening, music, a long book, sometimes pizza, tea"})
        assert [item.key for item in store.search(("users", "zoe"), query="pizza")] == ["likes"]


def test_a_search_without_a_query_filters_and_pages(store: HeldtrueStore) -> None:
    for index in range(5):
        store.put(ALICE, f"k{index}", {"n": index, "tags": ["a", index], "deep": {"even": index % 2 == 0}})

    def keys(**asked: Any) -> set[str]:
        return {item.key for item in store.search(ALICE, **asked)}

    assert keys() == {"k0", "k1", "k2", "k3", "k4"}
    assert keys(filter={"n": 2}) == {"k2"}
    assert keys(filter={"n": {"$gte": 3}}) == {"k3", "k4"}
    assert keys(filter={"n": {"$gt": 0, "$lt": 3, "$ne": 1}}) == {"k2"}
    assert keys(filter={"n": {"$lte": 0}, "deep": {"even": True}}) == {"k0"}
    assert keys(filter={"tags": ["a", 1]}) == {"k1"}
    assert keys(filter={"missing": {"$gt": 1}}) == keys(filter={"n": {"$eq": "2"}}) == set()
    assert [len(store.search(ALICE, limit=2, offset=offset)) for offset in (0, 2, 4, 6)] == [2, 2, 1, 0]
    with pytest.raises(ValueError, match=r"unknown operator \$like"):
        store.search(ALICE, filter={"n": {"$like": 1}})


def test_namespaces_are_listed(store: HeldtrueStore) -> None:
    for namespace in (
        ("users", "alice", "facts"),
        ("users", "bob", "facts"),
        ("users", "bob", "prefs"),
        ("teams", "x"),
    ):
        store.put(namespace, "k", {"n": 1})
    assert store.list_namespaces(prefix=("users",)) == [
        ("users", "alice", "facts"),
        ("users", "bob", "facts"),
        ("users", "bob", "prefs"),
    ]
    assert store.list_namespaces(max_depth=2) == [("teams", "x"), ("users", "alice"), ("users", "bob")]
    assert store.list_namespaces(suffix=("facts",), limit=1, offset=1) == [("users", "bob", "facts")]
    assert store.list_namespaces(prefix=("users", "*", "prefs")) == [("users", "bob", "prefs")]


def test_operations_come_in_batches_sync_and_async(store: HeldtrueStore) -> None:
    ops: list[Any] = [
        PutOp(ALICE, "a", {"n": 1}),
        GetOp(ALICE, "a"),
        SearchOp(("users",)),
        ListNamespacesOp((MatchCondition("prefix", ("users",)),)),
        PutOp(ALICE, "a", None),
        GetOp(ALICE, "a"),
    ]
    for results in (store.batch(ops), asyncio.run(store.abatch(ops))):
        assert results[0] is None
        assert results[1].value == {"n": 1}
        assert [item.key for item in results[2]] == ["a"]
        assert results[3:] == [[ALICE], None, None]

    async def use() -> dict[str, Any] | None:
        await store.aput(BOB, "b", {"n": 2})
        await asyncio.gather(*(store.aput(BOB, f"b{index}", {"n": index}) for index in range(5)))
        assert len(await store.asearch(BOB)) == 6
        item = await store.aget(BOB, "b")
        await store.adelete(BOB, "b")
        return None if item is None else item.value

    assert asyncio.run(use()) == {"n": 2}
    assert store.get(BOB, "b") is None


def test_writers_of_one_key_leave_one_value(store: HeldtrueStore, memory: Memory) -> None:
    stores = [store, store, HeldtrueStore(memory), HeldtrueStore(memory)]  # two as if of other processes
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda index: stores[index % 4].put(ALICE, "shared", {"n": index}), range(16)))
    store.put(ALICE, "shared", {"n": 99})
    assert value_at(store, ALICE, "shared") == {"n": 99}
    assert len(memory.list(scopes=[SCOPE]).items) == 1


def test_there_is_no_time_to_live(store: HeldtrueStore) -> None:
    with pytest.raises(NotImplementedError, match="TTL is not supported"):
        store.put(ALICE, "k", {"n": 1}, ttl=5)


# --- what the gate does ---------------------------------------------------------------------------------


def test_an_item_is_a_memory_with_its_author_and_its_history(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "home", agent="bot") as memory:
        store = HeldtrueStore(memory)
        store.put(ALICE, "prefs", {"theme": "dark"})
        store.put(ALICE, "prefs", {"theme": "light"})
        (held,) = memory.list(scopes=[SCOPE]).items
        assert (held.topic, held.agent, held.status) == ("users/alice/prefs", "agent:bot", "active")
        (old,) = memory.list(scopes=[SCOPE], statuses=["superseded"]).items
        assert '{"theme": "dark"}' in old.content
        assert old.reason == "replaced by a later put of the same key"
        store.delete(ALICE, "prefs")
        assert memory.history(held.id).versions[-1].reason == "deleted from the store"


def test_what_a_person_rejected_stays_out_of_the_store(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "home") as person:
        store = HeldtrueStore(person.as_agent("bot"))
        store.put(ALICE, "prefs", {"theme": "dark"})
        store.put(ALICE, "prefs", {"theme": "light"})
        store.put(ALICE, "prefs", {"theme": "dark"})
        (held,) = person.list(scopes=[SCOPE]).items
        person.forget(held.id, reason="she never said so")
        assert store.get(ALICE, "prefs") is None
        with pytest.raises(
            NotStored, match=r"the value of users/alice/prefs was refused: .*she never said so"
        ) as refused:
            store.put(ALICE, "prefs", {"theme": "dark"})
        assert refused.value.field == "value"
        assert "restore" in str(refused.value.hint)
        store.put(ALICE, "prefs", {"theme": "light"})
        assert value_at(store, ALICE, "prefs") == {"theme": "light"}
        with pytest.raises(NotStored):
            store.put(ALICE, "prefs", {"theme": "dark"})
        assert value_at(store, ALICE, "prefs") == {"theme": "light"}


def test_what_a_person_put_waits_for_a_person_to_change(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "home") as person:
        agent = HeldtrueStore(person.as_agent("bot"))
        HeldtrueStore(person).put(ALICE, "prefs", {"theme": "dark"})
        for _ in range(2):
            with pytest.raises(NotStored, match="is waiting for a person's approval"):
                agent.put(ALICE, "prefs", {"theme": "light"})
        for _ in range(2):
            with pytest.raises(NotStored, match="was not deleted"):
                agent.delete(ALICE, "prefs")
        assert value_at(agent, ALICE, "prefs") == {"theme": "dark"}
        agent.put(ALICE, "prefs", {"theme": "dark"})


def test_a_secret_is_not_stored_and_nothing_is_changed(store: HeldtrueStore, memory: Memory) -> None:
    token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    store.put(ALICE, "login", {"token": "see the vault"})
    for value in ({"token": token}, {"pad": "x" * 330, "token": token}):
        with pytest.raises(InvalidInput, match="contains a secret") as refused:
            store.put(ALICE, "login", value)
        assert token not in str(refused.value)
    assert value_at(store, ALICE, "login") == {"token": "see the vault"}
    assert memory.status().active == 1


def test_what_is_no_json_is_refused(store: HeldtrueStore) -> None:
    loop: dict[str, Any] = {}
    loop["self"] = loop
    for value in ({"when": object()}, {"set": {1}}, loop):
        with pytest.raises(InvalidInput, match="is not JSON"):
            store.put(ALICE, "k", value)


def test_other_memories_of_the_scope_are_no_items(store: HeldtrueStore, memory: Memory) -> None:
    memory.learn("`users/alice/prefs v1 nothing`", scope=SCOPE, kind="episode", topic="users/alice/prefs")
    memory.learn("We met Alice in Rome.", scope=SCOPE, kind="episode", topic="users/alice/prefs")
    assert store.get(ALICE, "prefs") is None
    assert store.search(("users",)) == []
    assert store.search((), query="Alice in Rome") == []


def test_stores_of_other_scopes_and_homes_are_apart(memory: Memory) -> None:
    one, other = HeldtrueStore(memory), HeldtrueStore(memory, scope="project:other")
    one.put(ALICE, "k", {"n": 1})
    other.put(ALICE, "k", {"n": 2})
    assert (value_at(one, ALICE, "k"), value_at(other, ALICE, "k")) == ({"n": 1}, {"n": 2})
    one.delete(ALICE, "k")
    assert value_at(other, ALICE, "k") == {"n": 2}
    with pytest.raises(InvalidInput, match="is not a scope"):
        HeldtrueStore(memory, scope="elsewhere").get(ALICE, "k")


def test_a_deleted_value_may_come_back_after_it_was_put_away(tmp_path: Path) -> None:
    clock = ManualClock(datetime(2026, 5, 1, tzinfo=UTC))
    with Memory.open(tmp_path / "home", clock=clock) as memory:
        store = HeldtrueStore(memory)
        store.put(ALICE, "k", {"n": 1})
        store.delete(ALICE, "k")
        clock.advance(days=60)
        memory.compact()
        assert [item.status for item in memory.list(statuses=["archived"]).items] == ["archived"]
        assert store.get(ALICE, "k") is None
        store.put(ALICE, "k", {"n": 1})
        assert value_at(store, ALICE, "k") == {"n": 1}
