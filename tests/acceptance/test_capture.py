"""Evidence is kept word for word and found in pieces; what was rejected, or is not to be trusted, is not shown."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apsw
import pytest

from heldtrue import HeldtrueError, InvalidInput, ManualClock, Memory, NotAllowed, NotFound, WrongState
from heldtrue.domain.errors import TooLarge
from heldtrue.domain.limits import CAPTURE_BYTES_MAX, CAPTURE_MESSAGES_MAX, SOURCE_BYTES_MAX
from heldtrue.domain.posting import from_bytes
from heldtrue.domain.principal import Sight
from heldtrue.domain.records import Source
from heldtrue.domain.rows import Collection, VersionFilter
from heldtrue.ingest.acts import reindex as rebuilding
from tests.acceptance.homes import MakeHome, entries, head_of, last_entry, listed, times

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
CHAT = [
    {"role": "user", "name": "Ana", "content": "The office is in Madrid."},
    {"role": "assistant", "content": "Noted. What about the lab?"},
    {"role": "user", "name": "Ana", "content": "The lab is in Rome."},
]


def store_of(memory: Memory) -> Any:
    return memory._call.instance.store


def shown(memory: Memory, *, seq: int | None = None, collections: Sequence[str] = tuple(Collection)) -> list[str]:
    """The texts of the passages that a search of the caller may find, in the order of their threads."""
    sight = Sight(memory._call.visible_scopes(None), reader=memory._call.reader)
    with store_of(memory).read() as reading:
        shelves = [shelf.no for shelf in reading.index.shelves(collections, sight)]
        found = reading.passages.newest(shelves, VersionFilter(sight=sight, seq=seq), limit=1_000)
        return [text.text for text in reading.passages.texts([passage.no for passage in found])]


def source_named(memory: Memory, source_id: str) -> Source:
    with store_of(memory).read() as reading:
        found = reading.sources.get(source_id)
    assert isinstance(found, Source)
    return found


def sources_of(memory: Memory) -> list[Source]:
    with store_of(memory).read() as reading:
        return list(reading.ledger.records_written("sources", after=0, until=2**60))


def derived_rows(memory: Memory) -> dict[str, object]:
    """All that was derived from the records, with the words wherever they are."""
    store = store_of(memory)
    ordered = {
        "shelves": "no", "memory_index": "no", "memory_keys": "key, no", "threads": "no", "passages": "no",
        "passage_keys": "key, no",
    }  # fmt: skip
    with store.write() as writing:
        writing.index.post_words()
    with store.connector.reading() as connection:
        rows: dict[str, object] = {
            table: connection.rows(f"SELECT * FROM {table} ORDER BY {order}", {}) for table, order in ordered.items()
        }
        posted = connection.rows("SELECT shelf, term, data FROM postings ORDER BY shelf, term, block", {})
    words: dict[tuple[int, str], list[int]] = {}
    for shelf, term, data in posted:
        words.setdefault((shelf, term), []).extend(from_bytes(data))
    return rows | {"words": words}


# Capturing


@pytest.mark.covers("B26", "B13", "B4", "B3")
def test_a_conversation_is_kept_turn_by_turn_and_nothing_is_learned_from_it(anywhere: Memory) -> None:
    answer = anywhere.capture(messages=CHAT, thread="chat-12", title="Moving", source="https://chat.example/12")
    assert (answer.outcome, answer.thread, answer.captured, answer.known) == ("captured", "chat-12", 3, 0)
    kept = [source_named(anywhere, source) for source in answer.sources]
    assert [(source.content, source.speaker, source.place) for source in kept] == [
        ("The office is in Madrid.", "Ana", 0),
        ("Noted. What about the lab?", "assistant", 1),
        ("The lab is in Rome.", "Ana", 2),
    ]
    assert {
        (source.kind, source.thread, source.title, source.reference, source.author, source.scope) for source in kept
    } == {("conversation", "chat-12", "Moving", "https://chat.example/12", "person:owner", "global")}
    assert shown(anywhere) == [turn["content"] for turn in CHAT]
    assert shown(anywhere, collections=["sources", "memory"]) == [], "turns are sessions"
    assert listed(anywhere) == [], "no memory was made of it"
    assert anywhere.verify().problems == []


@pytest.mark.covers("B5")
def test_one_entry_of_the_ledger_tells_of_a_capture(anywhere: Memory) -> None:
    answer = anywhere.as_agent("codex").capture(messages=CHAT, thread="chat-12", scope="project:alpha")
    entry = last_entry(anywhere)
    assert len(entries(anywhere)) == 1
    assert (entry.action, entry.outcome, entry.actor, entry.scope) == (
        "memory.capture", "captured", "agent:codex", "project:alpha",
    )  # fmt: skip
    assert (entry.target, entry.seq) == (answer.sources[0], answer.seq)
    assert all(word in entry.detail for word in ('"thread":"chat-12"', '"captured":3'))


@pytest.mark.covers("B26", "B13", "D2")
def test_a_text_is_kept_as_it_came_and_found_in_pieces(anywhere: Memory) -> None:
    text = "# Offices\n\n" + "\n\n".join(f"Paragraph {number} is about floor {number}. " * 12 for number in range(9))
    answer = anywhere.capture(text, source="docs/offices.md")
    assert answer.thread == "docs/offices.md"
    kept = source_named(anywhere, answer.sources[0])
    assert (kept.content, kept.kind, kept.place, kept.speaker) == (text, "document", 0, None)
    pieces = shown(anywhere, collections=["sources"])
    assert len(pieces) > 2
    assert all(len(piece) <= 1_200 and piece in text for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split()), "nothing of it is lost"
    with store_of(anywhere).read() as reading:
        found = reading.passages.of_source(kept.id)
        assert [kept.content[passage.span_start : passage.span_end] for passage in found] == pieces


@pytest.mark.covers("B13")
@pytest.mark.parametrize(
    ("given", "kind", "collection"),
    [({}, "document", "sources"), ({"kind": "run"}, "run", "sessions"), ({"kind": "import"}, "import", "sources")],
)
def test_the_kind_of_a_text_says_what_it_is_searched_with(
    owner: Memory, given: dict[str, Any], kind: str, collection: str
) -> None:
    answer = owner.capture("The office is in Madrid.", speaker="Ana", **given)
    kept = source_named(owner, answer.sources[0])
    assert (kept.kind, kept.speaker, kept.thread) == (kind, "Ana", kept.id)
    assert shown(owner, collections=[collection]) == ["The office is in Madrid."]


@pytest.mark.covers("D2", "B27")
def test_what_is_captured_again_is_known(anywhere: Memory) -> None:
    first = anywhere.capture(messages=CHAT, thread="chat-12")
    again = anywhere.capture(messages=CHAT, thread="chat-12")
    assert (again.outcome, again.captured, again.known) == ("unchanged", 0, 3)
    assert again.sources == first.sources
    assert last_entry(anywhere).outcome == "unchanged"
    text = anywhere.capture("The office is in Madrid.", source="notes.md")
    same = anywhere.capture("The office is in Madrid.", source="notes.md")
    assert (same.outcome, same.sources, same.thread) == ("unchanged", text.sources, "notes.md")
    assert len(sources_of(anywhere)) == 4
    # The controls: elsewhere, by another, in another scope or for other readers it is another source.
    assert anywhere.capture("The office is in Madrid.", source="other.md").captured == 1
    assert anywhere.capture("The office is in Madrid.", source="notes.md", thread="mine").captured == 1
    assert anywhere.as_agent("codex").capture("The office is in Madrid.", source="notes.md").captured == 1
    assert anywhere.capture("The office is in Madrid.", source="notes.md", scope="project:alpha").captured == 1
    assert anywhere.capture("The office is in Madrid.", source="notes.md", visibility="private").captured == 1


@pytest.mark.covers("D2")
def test_a_conversation_that_has_grown_adds_only_what_is_new(anywhere: Memory) -> None:
    first = anywhere.capture(messages=CHAT[:2], thread="chat-12")
    more = anywhere.capture(messages=CHAT, thread="chat-12")
    assert (more.captured, more.known) == (1, 2)
    assert more.sources[:2] == first.sources
    fewer = anywhere.capture(messages=CHAT[:1], thread="chat-12")
    assert (fewer.outcome, fewer.captured, fewer.known, fewer.sources) == ("unchanged", 0, 1, first.sources[:1])
    agent = anywhere.as_agent("codex").capture(messages=CHAT, thread="chat-12")
    assert agent.known == 3, "whoever sends it, it is the same conversation"
    assert sorted(source.place or 0 for source in sources_of(anywhere)) == [0, 1, 2]


@pytest.mark.covers("D2")
def test_a_conversation_that_begins_otherwise_goes_on_where_the_thread_ends(anywhere: Memory) -> None:
    anywhere.capture(messages=CHAT, thread="chat-12")
    rest = anywhere.capture(messages=[{"content": "Thanks."}, *CHAT[:1]], thread="chat-12")
    assert (rest.captured, rest.known) == (2, 0)
    assert [source_named(anywhere, source).place for source in rest.sources] == [3, 4]
    other = [dict(CHAT[0], name="Eva"), *CHAT[1:]]
    assert anywhere.capture(messages=other, thread="chat-12").captured == 3, "another said the same"
    assert shown(anywhere)[:4] == [*(turn["content"] for turn in CHAT), "Thanks."]


def test_threads_of_one_name_in_two_scopes_are_two(anywhere: Memory) -> None:
    anywhere.capture(messages=CHAT, thread="chat-12", scope="project:alpha")
    other = anywhere.capture(messages=CHAT, thread="chat-12", scope="project:beta")
    assert (other.captured, [source_named(anywhere, source).place for source in other.sources]) == (3, [0, 1, 2])


def test_a_passage_quoted_with_a_memory_does_not_break_its_thread(anywhere: Memory) -> None:
    anywhere.capture(messages=CHAT[:2], thread="chat-12")
    anywhere.learn(
        "The lab moved.", source="chat-12", source_text="They say the lab moved.", source_kind="conversation"
    )
    assert anywhere.capture(messages=CHAT, thread="chat-12").known == 2


@pytest.mark.covers("A3")
def test_a_session_names_the_thread_and_a_thread_without_a_name_is_new(owner: Memory) -> None:
    in_session = Memory.over(owner._call.instance, session="s1")
    assert in_session.capture(messages=CHAT).thread == "s1"
    assert in_session.capture(messages=CHAT).known == 3
    one, other = owner.capture(messages=CHAT), owner.capture(messages=CHAT)
    assert one.thread != other.thread
    assert other.captured == 3


@pytest.mark.covers("A3", "B11")
def test_a_capture_belongs_where_a_memory_would(owner: Memory) -> None:
    in_project = Memory.over(owner._call.instance, agent="codex", project="alpha")
    kept = source_named(owner, in_project.capture("The office is in Madrid.").sources[0])
    assert (kept.scope, kept.author, kept.visibility) == ("project:alpha", "agent:codex", "local")
    with store_of(owner).read() as reading:
        assert reading.ledger.knows("project", "alpha")
        assert reading.ledger.knows("principal", "agent:codex")


def test_every_turn_keeps_its_time(owner: Memory, clock: ManualClock) -> None:
    turns = [
        {"content": "One.", "at": "2026-05-01T08:00:00Z"},
        {"content": "Two."},
        {"content": "Three.", "at": "2 days ago"},
    ]
    answer = owner.capture(messages=turns, occurred_at="2026-05-02")
    with store_of(owner).read() as reading:
        happened = [reading.passages.of_source(source)[0].happened_at for source in answer.sources]
    days = [(moment - clock.now()) / 86_400_000_000 for moment in happened]
    assert [round(day, 2) for day in days] == [-3.04, -2.38, -2.0]
    plain = owner.capture("Four.")
    with store_of(owner).read() as reading:
        moment = reading.passages.of_source(plain.sources[0])[0].happened_at
    assert moment == source_named(owner, plain.sources[0]).recorded_at


@pytest.mark.covers("D5")
def test_secrets_are_masked_in_every_part_of_a_capture(anywhere: Memory) -> None:
    answer = anywhere.capture(
        messages=[{"content": f"The token is {SECRET}.", "name": f"bot {SECRET}"}, {"content": "The lab is in Rome."}],
        thread=f"chat {SECRET}",
        title=f"about {SECRET}",
        source=f"https://x.example/?token={SECRET}",
    )
    assert any("secret was masked" in note for note in answer.notes)
    text = anywhere.capture(f"# {SECRET}\n\nThe key is {SECRET}.")
    store = store_of(anywhere)
    with store.connector.reading() as connection:
        for table in ("sources", "passages", "threads", "unposted", "ledger", "idempotency"):
            assert SECRET.lower() not in str(connection.rows(f"SELECT * FROM {table}", {})).lower(), table
    assert SECRET not in str(answer) + str(text)
    assert shown(anywhere)[1] == "The lab is in Rome.", "the rest is kept word for word"
    again = anywhere.capture(
        messages=[{"content": f"The token is {SECRET}.", "name": f"bot {SECRET}"}], thread=answer.thread
    )
    assert again.known == 1, "masked, it is still the same"


@pytest.mark.covers("C18", "D2")
def test_raw_words_stay_as_they_came_and_are_found_as_they_read(anywhere: Memory) -> None:
    raw = "The  cafe\u0301 is in Ma\u200bdrid.\r\n\tIt is small. "
    answer = anywhere.capture(raw)
    assert source_named(anywhere, answer.sources[0]).content == raw
    assert any("invisible" in note for note in answer.notes)
    with store_of(anywhere).read() as reading:
        assert {"madrid", "café"} <= set(reading.index.unposted(0)[0].terms.split())


def test_turns_without_words_are_left_out(anywhere: Memory) -> None:
    answer = anywhere.capture(messages=[{"content": ""}, CHAT[0], {"content": " \u200b\n"}], thread="t")
    assert (answer.captured, [source_named(anywhere, source).content for source in answer.sources]) == (
        1, [CHAT[0]["content"]],
    )  # fmt: skip
    assert anywhere.capture(messages=[{"content": ""}, *CHAT], thread="t").known == 1


def too_many() -> list[dict[str, str]]:
    return [{"content": "x"}] * (CAPTURE_MESSAGES_MAX + 1)


@pytest.mark.covers("B1")
@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "content"),
        ({"content": "x", "messages": CHAT}, "messages"),
        ({"content": " \n"}, "content"),
        ({"messages": []}, "messages"),
        ({"messages": [{"content": " "}]}, "messages"),
        ({"messages": too_many()}, "messages"),
        ({"messages": [{"role": "user"}]}, "messages[0].content"),
        ({"messages": [{"content": "x", "text": "y"}]}, "messages[0].text"),
        ({"messages": CHAT, "kind": "document"}, "kind"),
        ({"messages": CHAT, "speaker": "Ana"}, "speaker"),
        ({"messages": [{"content": "x", "at": "soon"}]}, "messages[0].at"),
        ({"messages": [{"content": "x"}, {"content": "y", "at": "2030-01-01"}]}, "messages[1].at"),
        ({"messages": [{"content": "x" * (SOURCE_BYTES_MAX + 1)}]}, "messages[0].content"),
        ({"messages": [{"content": "ab " * 300_000}] * 3}, "messages"),
        ({"content": "x", "occurred_at": "2030-01-01"}, "occurred_at"),
        ({"content": "x", "scope": "everywhere"}, "scope"),
        ({"content": "x", "scope": f"project:{SECRET}"}, "scope"),
        ({"content": "x" * (SOURCE_BYTES_MAX + 1)}, "content"),
        ({"content": "x", "thread": "t" * 201}, "thread"),
    ],
    ids=range(19),
)
def test_a_capture_that_makes_no_sense_names_the_field_and_writes_nothing(
    owner: Memory, given: dict[str, Any], field: str
) -> None:
    assert CAPTURE_BYTES_MAX < 3 * 900_000
    before = head_of(owner)
    with pytest.raises(InvalidInput) as refused:
        owner.capture(**given)
    assert refused.value.field == field
    assert refused.value.hint or isinstance(refused.value, TooLarge)
    assert head_of(owner) == before
    assert sources_of(owner) == []


@pytest.mark.covers("B11")
def test_an_agent_captures_only_where_it_may_write(anywhere: Memory) -> None:
    codex = anywhere.as_agent("codex")
    for scope in ("team:platform", "agent:claude"):
        with pytest.raises(NotAllowed):
            codex.capture("The office is in Madrid.", scope=scope)
        assert last_entry(anywhere).outcome == "refused"
    assert sources_of(anywhere) == []
    assert codex.capture("The office is in Madrid.", scope="agent:codex").captured == 1


@pytest.mark.covers("B11")
def test_a_private_capture_is_seen_by_its_author_alone(anywhere: Memory) -> None:
    codex, claude = anywhere.as_agent("codex"), anywhere.as_agent("claude")
    codex.capture(messages=CHAT, thread="chat-12", visibility="private")
    assert shown(codex) == [turn["content"] for turn in CHAT]
    assert shown(claude) == []
    other = claude.capture(messages=CHAT, thread="chat-12")
    assert (other.captured, other.known) == (3, 0), "nothing tells that the same was there already"
    assert [source_named(anywhere, source).place for source in other.sources] == [0, 1, 2]
    assert len(shown(claude)) == 3
    assert len(shown(anywhere)) == 6


@pytest.mark.covers("B1")
def test_a_retried_capture_gets_its_first_answer(anywhere: Memory) -> None:
    first = anywhere.capture(messages=CHAT, idempotency_key="c-1")
    assert anywhere.capture(messages=CHAT, idempotency_key="c-1") == first
    assert len(sources_of(anywhere)) == 3


@pytest.mark.covers("D2")
def test_a_reference_of_any_length_names_a_thread(anywhere: Memory) -> None:
    long = "https://example.org/" + "漢" * 1_900
    first = anywhere.capture("The office is in Madrid.", source=long)
    assert len(first.thread) < 200
    assert anywhere.capture("The office is in Rome.", source=long).thread == first.thread
    assert anywhere.capture("The office is in Rome.", source=long + "x").thread != first.thread


@pytest.mark.covers("D2", "B18")
def test_the_passage_a_memory_was_taken_from_can_be_found_itself(anywhere: Memory) -> None:
    text = "We talked for an hour. The office is in Madrid. Lunch was good."
    learned = anywhere.learn("The office is in Madrid.", source_text=text, source="chat-12", source_kind="conversation")
    assert shown(anywhere, collections=["sessions"]) == [text]
    assert anywhere.capture(text, source="chat-12", kind="conversation").known == 1, "it is the same source"
    anywhere.learn("The lab is in Rome.")
    assert shown(anywhere) == [text], "what a memory says itself is no second piece of evidence"
    assert learned.outcome == "created"


@pytest.mark.covers("B11", "D2")
def test_the_source_of_a_private_memory_is_private(anywhere: Memory) -> None:
    codex = anywhere.as_agent("codex")
    codex.learn("The gate code is at the desk.", source_text="Gate code? At the desk.", visibility="private")
    assert shown(codex) == ["Gate code? At the desk."]
    assert shown(anywhere.as_agent("claude")) == []


# What was rejected


def reject_by_forget(owner: Memory) -> str:
    memory = owner.learn("The office is in Madrid.").memory.id
    owner.forget(memory, reason="we moved")
    return memory


def reject_by_correct(owner: Memory) -> str:
    memory = owner.learn("The office is in Madrid.").memory.id
    owner.correct(memory, "The office is in Porto.", reason="we moved")
    return memory


def reject_by_reject(owner: Memory) -> str:
    held = owner.as_agent("codex").learn("The office is in Madrid.", kind="profile")
    owner.reject(held.memory.id, reason="not so")
    return str(held.memory.id)


def reject_by_resolve(owner: Memory) -> str:
    old = owner.as_agent("codex").learn("The office is in Madrid.")
    new = owner.as_agent("claude").learn("The office is in Porto.")
    owner.resolve(new.conflicts[0], "keep_new", reason="asked")
    return str(old.memory.id)


REJECTIONS = [reject_by_forget, reject_by_correct, reject_by_reject, reject_by_resolve]


@pytest.mark.covers("A5", "A4", "A14", "D2")
@pytest.mark.parametrize("reject", REJECTIONS)
def test_evidence_of_what_was_rejected_is_hidden_from_then_on_and_shown_again_with_it(
    anywhere: Memory, reject: Any
) -> None:
    anywhere.capture(messages=CHAT, thread="chat-12")
    anywhere.capture("# Places\n\nTHE OFFICE is in  Madrid!", source="notes.md")
    assert len(shown(anywhere)) == 4
    memory = reject(anywhere)
    seq = last_entry(anywhere).seq
    rest = [CHAT[1]["content"], CHAT[2]["content"]]
    assert shown(anywhere) == rest, "the turns beside it stay"
    assert shown(anywhere, seq=seq) == rest
    assert len(shown(anywhere, seq=seq - 1)) == 4, "as of before, it is there"
    later = anywhere.capture("Somebody said that the office is in Madrid. The office is in Madrid.")
    assert later.captured == 1, "what is said is kept, whatever it says"
    assert shown(anywhere) == rest
    assert shown(anywhere, seq=later.seq) == rest
    anywhere.restore(memory, reason="it was right")
    assert len(shown(anywhere)) == 5
    assert anywhere.verify().problems == []


@pytest.mark.covers("A5")
def test_a_source_that_a_rejected_memory_was_taken_from_is_hidden_whatever_its_words(anywhere: Memory) -> None:
    words = "Ana told me where they sit these days: Madrid, near the park."
    learned = anywhere.learn("The office is in Madrid.", source_text=words)
    anywhere.learn("The park is green.", source_text="The park is really green these days.")
    anywhere.forget(learned.memory.id, reason="they moved")
    assert shown(anywhere) == ["The park is really green these days."]
    anywhere.restore(learned.memory.id, reason="they are back")
    assert len(shown(anywhere)) == 2


@pytest.mark.covers("A5")
def test_of_a_long_source_only_what_a_memory_was_taken_from_is_hidden(anywhere: Memory) -> None:
    filler = [f"Room {number} has {number + 3} windows and a view of the yard. " * 15 for number in range(6)]
    told = "Sources close to us place the office near the Prado."
    text = "\n\n".join([*filler[:3], told, *filler[3:]])
    learned = anywhere.learn(told, source_text=text, source="report.md")
    pieces = shown(anywhere)
    assert len(pieces) > 3
    anywhere.forget(learned.memory.id, reason="hearsay")
    assert any(told in piece for piece in pieces)
    assert shown(anywhere) == [piece.replace(told, "[…]") for piece in pieces]


@pytest.mark.covers("A5")
def test_evidence_under_a_title_that_says_it_is_hidden_too(anywhere: Memory) -> None:
    anywhere.capture(messages=[{"content": "It has two floors."}], title="The office is in Madrid")
    anywhere.capture(messages=[{"content": "It has three floors."}], title="The lab is in Rome")
    gone = anywhere.learn("The office is in Madrid.").memory.id
    anywhere.forget(gone, reason="we moved")
    assert shown(anywhere) == ["It has three floors."]
    anywhere.restore(gone, reason="we are back")
    assert len(shown(anywhere)) == 2


@pytest.mark.covers("A4")
def test_a_correction_of_one_half_leaves_evidence_of_the_other_alone(anywhere: Memory) -> None:
    both = anywhere.learn("Alice lives in Berlin and works at Acme.")
    anywhere.capture(messages=[{"content": "Alice lives in Berlin."}, {"content": "Alice works at Acme."}])
    anywhere.correct(both.memory.id, "Alice lives in Porto.", reason="she moved")
    assert shown(anywhere) == ["Alice works at Acme."]


@pytest.mark.covers("B11", "A5")
def test_what_is_rejected_in_one_scope_is_hidden_there_and_below(anywhere: Memory) -> None:
    for scope in ("global", "project:alpha", "project:beta"):
        anywhere.capture("The office is in Madrid.", scope=scope, source=scope)
    in_alpha = anywhere.learn("The office is in Madrid.", scope="project:alpha").memory.id
    anywhere.forget(in_alpha, reason="not there")
    assert len(shown(anywhere)) == 2
    for_all = anywhere.learn("The office is in Madrid.", scope="global").memory.id
    anywhere.forget(for_all, reason="nowhere")
    assert shown(anywhere) == []
    anywhere.restore(for_all, reason="it is")
    assert len(shown(anywhere)) == 2, "in alpha it is still rejected"


@pytest.mark.covers("B11", "A5")
def test_what_a_repo_says_is_hidden_with_what_its_project_rejects(anywhere: Memory) -> None:
    repo = Memory.over(anywhere._call.instance, project="alpha")
    repo.learn("The parser is fast.", scope="repo:core")
    anywhere.capture("The office is in Madrid.", scope="repo:core")
    anywhere.capture("The office is in Madrid.", scope="repo:other")
    gone = anywhere.learn("The office is in Madrid.", scope="project:alpha").memory.id
    anywhere.forget(gone, reason="not there")
    assert len(shown(anywhere)) == 1


@pytest.mark.covers("B11", "A5")
def test_what_is_rejected_in_private_hides_nothing_of_others(anywhere: Memory) -> None:
    codex, claude = anywhere.as_agent("codex"), anywhere.as_agent("claude")
    codex.capture("The office is in Madrid.", visibility="private")
    claude.capture("The office is in Madrid.")
    mine = codex.learn("The office is in Madrid.", visibility="private").memory.id
    codex.forget(mine, reason="not so")
    assert shown(codex) == ["The office is in Madrid."], "that of the other"
    assert shown(claude) == ["The office is in Madrid."]
    assert len(shown(anywhere)) == 1


@pytest.mark.covers("A5")
def test_a_thing_with_a_similar_name_is_not_hidden(anywhere: Memory) -> None:
    anywhere.capture(messages=[{"content": "`fooBar` is slow."}, {"content": "`foobars` is slow."}])
    gone = anywhere.learn("`fooBar` is slow.").memory.id
    anywhere.forget(gone, reason="fixed")
    assert shown(anywhere) == ["`foobars` is slow."]


@pytest.mark.covers("A5", "A14")
def test_evidence_comes_back_only_when_nothing_hides_it_any_more(anywhere: Memory) -> None:
    anywhere.capture("The office is in Madrid and the lab is in Rome.")
    one = anywhere.learn("The office is in Madrid.").memory.id
    other = anywhere.learn("The lab is in Rome.").memory.id
    first = anywhere.forget(one, reason="moved").seq
    second = anywhere.forget(other, reason="moved").seq
    anywhere.restore(one, reason="back")
    assert shown(anywhere) == []
    assert [len(shown(anywhere, seq=seq)) for seq in (first, second - 1, second)] == [1, 1, 0]
    anywhere.restore(other, reason="back")
    assert len(shown(anywhere)) == 1


@pytest.mark.covers("A5")
def test_a_person_who_says_it_again_shows_what_only_an_agent_had_rejected(anywhere: Memory) -> None:
    codex = anywhere.as_agent("codex")
    codex.capture("Somebody said: The office is in Madrid.")
    anywhere.capture("The office is in Madrid.")
    codex.forget(codex.learn("The office is in Madrid.").memory.id, reason="I doubt it")
    assert shown(anywhere) == ["The office is in Madrid."], "it hides what it brought itself, and nothing else"
    assert anywhere.learn("The office is in Madrid.").outcome == "created"
    assert len(shown(anywhere)) == 2


# Quarantine


def poisoned(owner: Memory) -> tuple[str, str, str]:
    """A source, a memory that rests on it alone, and one that rests on a person's word too."""
    codex = owner.as_agent("codex")
    text = "The office is in Madrid. The lab is in Rome. The moon is made of cheese."
    alone = codex.learn("The office is in Madrid.", source_text=text, source="forged.html").memory.id
    both = codex.learn("The lab is in Rome.", source_text=text, source="forged.html").memory.id
    owner.learn("The lab is in Rome.")
    source = owner.explain(alone).evidence[0].source_id
    assert owner.explain(both).evidence[0].source_id == source
    return source, alone, both


@pytest.mark.covers("B8", "D2", "A14")
def test_a_source_in_quarantine_takes_out_what_rests_on_it_alone(anywhere: Memory, clock: ManualClock) -> None:
    source, alone, both = poisoned(anywhere)
    before = last_entry(anywhere).seq
    clock.advance(hours=1)
    answer = anywhere.quarantine(source, reason="the page was forged")
    assert (answer.outcome, answer.source, answer.passages, answer.memories) == ("quarantined", source, 1, [alone])
    assert anywhere.get(alone).memory.status == "inbox"
    assert "the page was forged" in (anywhere.get(alone).memory.reason or "")
    assert anywhere.get(both).memory.status == "active", "a person's own word supports it"
    assert shown(anywhere) == []
    assert shown(anywhere, seq=before) == [], "not even as of before"
    assert [entry.action for entry in anywhere.history(alone).entries][-1] == "memory.quarantine"
    assert [(item.memory.id, item.waits_because) for item in anywhere.inbox().items] == [
        (alone, "its source is in quarantine: the page was forged")
    ]
    entry = last_entry(anywhere)
    assert (entry.action, entry.outcome, entry.target, entry.reason) == (
        "memory.quarantine", "quarantined", source, "the page was forged",
    )  # fmt: skip
    assert anywhere.verify().problems == []


@pytest.mark.covers("B8", "D2")
def test_a_source_that_is_released_brings_back_what_it_took(anywhere: Memory) -> None:
    source, alone, both = poisoned(anywhere)
    anywhere.quarantine(source, reason="the page was forged")
    answer = anywhere.quarantine(source, reason="it was genuine", release=True)
    assert (answer.outcome, answer.passages, answer.memories) == ("released", 1, [alone])
    memory = anywhere.get(alone).memory
    assert (memory.status, memory.change, memory.agent) == ("active", "release", "agent:codex")
    assert anywhere.get(both).memory.version == 2, "what stayed was not touched"
    assert len(shown(anywhere)) == 1
    again = anywhere.quarantine(source, reason="forged after all")
    assert again.memories == [alone]
    assert anywhere.verify().problems == []


@pytest.mark.covers("B8")
def test_a_memory_that_is_its_own_source_can_be_taken_out_too(anywhere: Memory) -> None:
    memory = anywhere.as_agent("codex").learn("The roof is red.").memory.id
    answer = anywhere.quarantine(anywhere.explain(memory).evidence[0].source_id, reason="hearsay")
    assert (answer.passages, answer.memories) == (0, [memory])
    assert anywhere.as_agent("codex").learn("The roof is red.").outcome == "refused"
    assert anywhere.as_agent("claude").learn("The roof is red.").outcome == "corroborated", "from another source"


@pytest.mark.covers("B8")
def test_a_release_leaves_alone_what_a_person_decided_meanwhile(anywhere: Memory) -> None:
    codex = anywhere.as_agent("codex")
    facts = ["The office is in Madrid.", "The lab is in Rome.", "The canteen opens at noon.", "The roof is red."]
    approved, rejected, untouched, buried = (
        codex.learn(fact, source_text=" ".join(facts), source="page").memory.id for fact in facts
    )
    source = anywhere.explain(approved).evidence[0].source_id
    taken = anywhere.quarantine(source, reason="forged")
    assert sorted(taken.memories) == sorted([approved, rejected, untouched, buried])
    anywhere.approve(approved, reason="I know it")
    anywhere.reject(rejected, reason="never")
    elsewhere = anywhere.learn("The roof is red.", scope="project:alpha").memory.id
    anywhere.forget(elsewhere, reason="it is blue")
    answer = anywhere.quarantine(source, reason="genuine", release=True)
    assert sorted(answer.memories) == sorted([untouched, buried]), "what alpha rejected is rejected in alpha alone"
    statuses = [anywhere.get(memory_id).memory.status for memory_id in (approved, rejected, untouched)]
    assert statuses == ["active", "rejected", "active"]
    assert answer.passages == 1
    assert shown(anywhere) == [" ".join(facts).replace("The lab is in Rome.", "[…]")]


@pytest.mark.covers("B8")
def test_what_was_rejected_elsewhere_does_not_come_back_with_its_source(anywhere: Memory) -> None:
    codex = anywhere.as_agent("codex")
    memory = codex.learn("The roof is red.", source_text="The roof is red.", scope="project:alpha").memory.id
    source = anywhere.explain(memory).evidence[0].source_id
    anywhere.quarantine(source, reason="forged")
    anywhere.forget(anywhere.learn("The roof is red.").memory.id, reason="it is blue")
    assert anywhere.quarantine(source, reason="genuine", release=True).memories == []
    assert anywhere.get(memory).memory.status == "rejected"


@pytest.mark.covers("B7", "B8")
def test_what_comes_back_and_contradicts_what_is_held_by_now_is_a_conflict(anywhere: Memory) -> None:
    codex, claude = anywhere.as_agent("codex"), anywhere.as_agent("claude")
    memory = codex.learn(
        "The API timeout is 30 seconds.", source_text="Timeout: The API timeout is 30 seconds."
    ).memory.id
    source = anywhere.explain(memory).evidence[0].source_id
    anywhere.quarantine(source, reason="forged")
    assert claude.learn("The API timeout is 60 seconds.").outcome == "created"
    answer = anywhere.quarantine(source, reason="genuine", release=True)
    assert (answer.memories, len(answer.conflicts)) == ([memory], 1)
    assert anywhere.conflicts().items[0].conflict.id == answer.conflicts[0]


@pytest.mark.covers("B8")
def test_a_memory_of_two_sources_counts_while_one_of_them_does(anywhere: Memory) -> None:
    codex, claude = anywhere.as_agent("codex"), anywhere.as_agent("claude")
    memory = codex.learn("The office is in Madrid.", source_text="One: The office is in Madrid.").memory.id
    claude.learn("The office is in Madrid.", source_text="Two: The office is in Madrid.")
    one, two = (evidence.source_id for evidence in anywhere.explain(memory).evidence)
    assert anywhere.quarantine(one, reason="forged").memories == []
    assert anywhere.quarantine(two, reason="forged too").memories == [memory]
    assert anywhere.quarantine(one, reason="genuine", release=True).memories == [memory]
    assert anywhere.quarantine(two, reason="genuine", release=True).memories == []
    assert anywhere.get(memory).memory.status == "active"


@pytest.mark.covers("B8", "B7")
def test_an_agent_gets_nothing_in_from_a_source_in_quarantine(anywhere: Memory) -> None:
    source, alone, _both = poisoned(anywhere)
    codex = anywhere.as_agent("codex")
    text = "The office is in Madrid. The lab is in Rome. The moon is made of cheese."
    anywhere.quarantine(source, reason="the page was forged")
    refused = codex.learn("The moon is made of cheese.", source_text=text, source="forged.html")
    assert (refused.outcome, "quarantine" in refused.reason) == ("refused", True)
    assert codex.learn("The office is in Madrid.", source_text=text, source="forged.html").outcome == "refused"
    assert anywhere.get(alone).memory.version == 2
    known = codex.capture(text, source="forged.html")
    assert (known.outcome, shown(codex)) == ("unchanged", [])
    # The controls: another source, or a person who quotes the same one.
    assert codex.learn("The bridge is made of stone.", source_text="The bridge is made of stone, they say.").memory
    anywhere.quarantine(source, reason="it was genuine", release=True)
    assert codex.learn("The moon is made of cheese.", source_text=text, source="forged.html").outcome != "refused"


@pytest.mark.covers("B7")
def test_only_a_person_takes_a_source_out_and_mistakes_are_named(anywhere: Memory) -> None:
    source, *_ = poisoned(anywhere)
    codex = anywhere.as_agent("codex")
    for ref in (source, "no-such-source"):
        with pytest.raises(NotAllowed):
            codex.quarantine(ref, reason="I do not like it")
        with pytest.raises(NotAllowed):
            codex.quarantine(ref, reason="I do", release=True)
    before = head_of(anywhere)
    with pytest.raises(NotFound) as missing:
        anywhere.quarantine("no-such-source", reason="gone")
    assert missing.value.field == "source"
    with pytest.raises(WrongState):
        anywhere.quarantine(source, reason="why not", release=True)
    assert head_of(anywhere) == before
    anywhere.quarantine(source.upper(), reason="forged")
    with pytest.raises(WrongState, match="forged"):
        anywhere.quarantine(source, reason="forged again")
    assert len(shown(codex)) == 0


# What was derived follows from the records


def lead_a_life(owner: Memory) -> None:
    """Captures, quotations, rejections, corrections, a quarantine and a release, in several scopes."""
    codex = owner.as_agent("codex")
    owner.capture(messages=CHAT, thread="chat-12")
    codex.capture(messages=CHAT, thread="chat-12", visibility="private", scope="project:alpha")
    owner.capture(
        "# Places\n\nThe office is in Madrid.\n\n## Labs\n\n" + "The lab is in Rome. " * 99, source="places.md"
    )
    gone = owner.learn("The office is in Madrid.", source_text="Our office? Madrid.", topic="places")
    owner.forget(gone.memory.id, reason="we moved")
    owner.capture(messages=[*CHAT, {"content": "The office is in Madrid, still."}], thread="chat-12")
    owner.learn("The canteen opens at noon.", scope="repo:core", source_text="It opens at noon.", title="Canteen")
    back = owner.learn("The printer is on floor two.", source_text="The printer is on floor two, left.")
    owner.forget(back.memory.id, reason="was it?")
    owner.restore(back.memory.id, reason="it is")
    both = owner.learn("Alice lives in Berlin and works at Acme.", scope="team:x")
    owner.correct(both.memory.id, "Alice lives in Porto.", reason="she moved")
    forged = codex.learn("The moon is made of cheese.", source_text="Moon: cheese. Stars: salt.")
    owner.quarantine(owner.explain(forged.memory.id).evidence[0].source_id, reason="forged")
    other = codex.capture("The stars are made of salt.", source="sky.md")
    owner.quarantine(other.sources[0], reason="forged")
    owner.quarantine(other.sources[0], reason="no", release=True)
    owner.capture("The printer is on floor two. The office is in Madrid.", source="later.md")


@pytest.mark.covers("B19", "B27")
def test_an_index_made_anew_is_the_same_row_for_row(anywhere: Memory) -> None:
    lead_a_life(anywhere)
    before, told = derived_rows(anywhere), shown(anywhere)
    assert any(row[9] is None for row in before["passages"])  # type: ignore[attr-defined]
    assert {0, 6} <= {row[9] for row in before["passages"]}  # type: ignore[attr-defined]
    anywhere.reindex()
    after = derived_rows(anywhere)
    for name, rows in before.items():
        assert after[name] == rows, name
    assert shown(anywhere) == told
    assert anywhere.verify().problems == []


@pytest.mark.covers("B29", "B27")
def test_an_export_carries_threads_and_what_is_hidden(
    anywhere: Memory, kind: str, make_home: MakeHome, clock: ManualClock, tmp_path: Path
) -> None:
    lead_a_life(anywhere)
    anywhere.export(str(tmp_path / "file"))
    before = derived_rows(anywhere)
    other = "sqlite" if kind == "postgres" else "postgres"
    with Memory.open(make_home(other), clock=clock) as moved:
        assert moved.import_(str(tmp_path / "file")).how == "replayed"
        assert shown(moved) == shown(anywhere)
        after = derived_rows(moved)
        for name, rows in before.items():
            assert after[name] == rows, name
        assert moved.capture(messages=CHAT, thread="chat-12").known == 3
        assert moved.verify().problems == []


@pytest.mark.covers("B28", "B19")
def test_what_is_captured_while_the_index_is_made_anew_is_in_it_in_order(
    anywhere: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        anywhere.capture(messages=[{"content": f"Turn {number}."}], thread=f"chat-{number % 2}")
    monkeypatch.setattr(rebuilding, "REINDEX_BATCH_ENTRIES", 1)
    steps: list[int] = []

    def meanwhile(done: int) -> None:
        steps.append(done)
        if len(steps) == 1:
            anywhere.capture(messages=[{"content": "A late turn."}], thread="chat-1", idempotency_key="late")
            anywhere.learn("The office is in Madrid.")

    assert rebuilding.rebuild_index(store_of(anywhere), meanwhile) == 1
    assert len(steps) == 8
    assert shown(anywhere) == ["Turn 0.", "Turn 2.", "Turn 4.", "Turn 1.", "Turn 3.", "Turn 5.", "A late turn."]
    assert anywhere.verify().problems == []


@pytest.mark.covers("B19")
def test_a_rebuild_that_was_cut_short_is_reported_and_the_next_one_mends_it(
    anywhere: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    anywhere.capture(messages=CHAT, thread="chat-12")
    anywhere.learn("The canteen opens at noon.")
    monkeypatch.setattr(rebuilding, "REINDEX_BATCH_ENTRIES", 1)

    def give_up(_done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rebuilding.rebuild_index(store_of(anywhere), give_up)
    anywhere.capture("The lab is in Rome.")
    problems = [(problem.what, problem.detail) for problem in anywhere.verify().problems]
    assert {what for what, _ in problems} == {"index"}
    assert all("run heldtrue reindex" in detail for _, detail in problems)
    anywhere.reindex()
    assert anywhere.verify().problems == []
    assert len(shown(anywhere)) == 4


def test_of_two_rebuilds_the_first_gives_way(anywhere: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    anywhere.capture(messages=CHAT, thread="chat-12")
    anywhere.capture(messages=CHAT, thread="chat-13")
    monkeypatch.setattr(rebuilding, "REINDEX_BATCH_ENTRIES", 1)
    store = store_of(anywhere)

    def rebuild_again(_done: int) -> None:
        rebuilding.rebuild_index(store)

    with pytest.raises(WrongState, match="another rebuild"):
        rebuilding.rebuild_index(store, rebuild_again)
    assert anywhere.verify().problems == []
    assert len(shown(anywhere)) == 6


@pytest.mark.covers("B19", "D2")
@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM unposted",
        "DELETE FROM passages WHERE span_start = 0",
        "DELETE FROM memory_index",
        "DELETE FROM shelves",
        "UPDATE passages SET terms = terms + 1",
    ],
)
def test_an_index_that_lost_something_is_reported_and_can_be_made_anew(anywhere: Memory, damage: str) -> None:
    lead_a_life(anywhere)
    assert anywhere.verify().problems == []
    with store_of(anywhere).connector.writing() as connection:
        connection.run(damage, {})
    problems = anywhere.verify().problems
    assert {problem.what for problem in problems} == {"index"}
    assert all("run heldtrue reindex" in problem.detail for problem in problems)
    anywhere.reindex()
    assert anywhere.verify().problems == []


@pytest.mark.covers("B29", "B19")
def test_a_backup_without_an_index_is_restored_with_one(owner: Memory, make_home: MakeHome, tmp_path: Path) -> None:
    """As one is that was made before the index had its present form."""
    lead_a_life(owner)
    told = shown(owner)
    owner.backup(str(tmp_path / "backup.db"))
    connection = apsw.Connection(str(tmp_path / "backup.db"))
    for table in ("memory_index", "unposted", "postings", "passages", "shelves"):
        connection.execute(f"DELETE FROM {table}")
    connection.close()
    with Memory.open(make_home()) as restored:
        restored.restore_backup(str(tmp_path / "backup.db"))
        assert shown(restored) == told
        assert restored.verify().problems == []


FACTS = [f"The {room} is in {city}." for room in ("office", "lab") for city in ("Madrid", "Rome", "Porto")]
SCOPES = ["global", "project:alpha", "repo:core"]


class Chance:
    """Does something at random; what makes no sense at that moment is refused and changes nothing."""

    def __init__(self, owner: Memory, seed: int) -> None:
        self.random = random.Random(seed)
        self.owner = owner
        self.callers = [owner, owner.as_agent("codex"), owner.as_agent("claude")]
        self.done: Counter[str] = Counter()

    def act(self) -> None:
        name = self.random.choice(
            ["capture", "capture", "learn", "learn", "forget", "restore", "correct", "sift", "sift"]
        )
        try:
            getattr(self, name)(self.random.choice(self.callers))
            self.done[name] += 1
        except HeldtrueError:
            self.done["refused"] += 1

    def capture(self, caller: Memory) -> None:
        turns = [{"content": " ".join(self.random.sample(FACTS, self.random.randint(1, 2)))} for _ in range(2)]
        title = self.random.choice([None, None, self.random.choice(FACTS)])
        caller.capture(messages=turns, thread=self.random.choice("ab"), title=title, **self.where())

    def learn(self, caller: Memory) -> None:
        fact = self.random.choice(FACTS)
        text = self.random.choice([None, f"They say: {fact} {self.random.choice(FACTS)}", "Somebody told me where."])
        caller.learn(fact, source_text=text, source=self.random.choice([None, "a"]), **self.where())

    def where(self) -> dict[str, Any]:
        return {"scope": self.random.choice(SCOPES), "visibility": self.random.choice(["local", "local", "private"])}

    def memory(self, *statuses: Any) -> str:
        found = self.owner.list(statuses=list(statuses), limit=1_000).items
        if not found:
            raise NotFound("nothing yet")
        return str(self.random.choice(found).id)

    def forget(self, caller: Memory) -> None:
        caller.forget(self.memory("active", "inbox"), reason="at random")

    def restore(self, _caller: Memory) -> None:
        self.owner.restore(self.memory("retracted", "superseded", "rejected"), reason="at random")

    def correct(self, caller: Memory) -> None:
        caller.correct(self.memory("active"), self.random.choice(FACTS), reason="at random")

    def sift(self, _caller: Memory) -> None:
        sources = sources_of(self.owner)
        if sources:
            release = self.random.random() < 0.5
            self.owner.quarantine(self.random.choice(sources).id, reason="at random", release=release)


@pytest.mark.slow
@pytest.mark.covers("B27", "B19", "A5")
@pytest.mark.parametrize("seed", range(4))
def test_whatever_was_done_the_index_is_what_the_records_say(
    seed: int, make_home: MakeHome, clock: ManualClock, tmp_path: Path
) -> None:
    with Memory.open(make_home(), clock=clock) as owner, Memory.open(make_home(), clock=clock) as moved:
        chance = Chance(owner, seed)
        for _ in range(times(120)):
            chance.act()
        assert min(chance.done[name] for name in ("capture", "learn", "forget", "restore", "sift")) > 2
        live, told = derived_rows(owner), shown(owner)
        assert told
        owner.reindex()
        assert derived_rows(owner) == live
        assert shown(owner) == told
        owner.export(str(tmp_path / "file"))
        moved.import_(str(tmp_path / "file"))
        assert derived_rows(moved) == live
        assert owner.verify().problems == moved.verify().problems == []
