"""Exports of chats: who said what, and what was left out."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from heldtrue.readers.recognise import read
from heldtrue.readers.values import Conversation, Document, Skipped, Turn, Value
from tests.unit.readers import samples
from tests.unit.readers.making import zipped
from tests.unit.readers.samples import (
    CHATGPT_CONVERSATION,
    CLAUDE_CONVERSATION,
    message,
    node,
)

START = 1_700_000_000_250_000


def read_as(tmp_path: Path, kind: str, data: bytes) -> list[Value]:
    path = tmp_path / samples.FILES[kind][0]
    path.write_bytes(data)
    return list(read(path, kind))


def said(values: list[Value]) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for value in values if isinstance(value, Conversation) for turn in value.turns]


def left_out(values: list[Value]) -> str:
    return " / ".join(value.reason for value in values if isinstance(value, Skipped))


def test_a_chatgpt_conversation_is_the_branch_that_was_seen_last(tmp_path: Path) -> None:
    conversation, skipped = read_as(tmp_path, "chatgpt", samples.CHATGPT)
    assert conversation == Conversation(
        thread="chatgpt:6f1d-otter",
        title="Otters at sea",
        turns=(
            Turn(role="user", text="Where do otters sleep?", at=START),
            Turn(role="assistant", text="Otters sleep afloat.", at=START),
            Turn(role="user", text="Is this an otter?", at=START),
        ),
        started_at=1_700_000_000_500_000,
        origin="conversations.json#1",
    )
    assert skipped == Skipped(
        path="conversations.json#1", reason="skipped: image, message from another branch, tool result"
    )


def chat(**changes: Any) -> bytes:
    return json.dumps([{**copy.deepcopy(CHATGPT_CONVERSATION), **changes}]).encode()


@pytest.mark.parametrize("current", [None, "nowhere", 7])
def test_without_a_chosen_node_the_last_branch_is_followed(tmp_path: Path, current: Any) -> None:
    values = read_as(tmp_path, "chatgpt", chat(current_node=current))
    assert ("assistant", "Otters sleep afloat.") in said(values)
    assert ("assistant", "On land, I think.") not in said(values)


@pytest.mark.parametrize(
    "mapping",
    [
        {"a": node("b", message("user", "otter")), "b": node("a", message("assistant", "kelp"))},
        {"a": node("a", message("user", "otter"))},
        {"a": node("missing", message("user", "otter"))},
        {"a": node(["x"], message("user", "otter"))},  # type: ignore[arg-type]
    ],
)
def test_a_tree_that_is_none_comes_to_an_end(tmp_path: Path, mapping: dict[str, Any]) -> None:
    values = read_as(tmp_path, "chatgpt", chat(mapping=mapping, current_node="a"))
    assert ("user", "otter") in said(values)


@pytest.mark.parametrize(
    ("more", "name"),
    [
        (message("assistant", content_type="thoughts"), "reasoning"),
        (message("assistant", content_type="code"), "code"),
        (message("assistant", "call()", recipient="browser"), "tool call"),
        (message("user", "x", content_type="user_editable_context"), "custom instruction"),
        (message("user", "x", metadata={"is_visually_hidden_from_conversation": True}), "hidden message"),
        (message("system", "You are"), "system message"),
        (message("user", 3), "part of unknown type"),
        ({"author": None}, "message without author or content"),
        ("x", "message without author or content"),
    ],
)
def test_what_nobody_said_is_named_and_left_out(tmp_path: Path, more: Any, name: str) -> None:
    mapping = {"a": node(None, message("user", "otter")), "b": node("a", more)}
    values = read_as(tmp_path, "chatgpt", chat(mapping=mapping, current_node="b"))
    assert said(values) == [("user", "otter")]
    assert left_out(values) == f"skipped: {name}"


def test_spoken_words_that_were_written_down_are_words(tmp_path: Path) -> None:
    heard = {"content_type": "audio_transcription", "text": "an otter!", "direction": "in"}
    mapping = {"a": node(None, message("user", heard, content_type="multimodal_text"))}
    assert said(read_as(tmp_path, "chatgpt", chat(mapping=mapping, current_node="a"))) == [("user", "an otter!")]


@pytest.mark.parametrize("at", [None, "x", float("1e300"), -1e300, True, [], 10**200])
def test_a_time_that_is_none_is_unknown(tmp_path: Path, at: Any) -> None:
    mapping = {"a": node(None, message("user", "otter", at=at))}
    values = read_as(tmp_path, "chatgpt", chat(mapping=mapping, current_node="a", create_time=at))
    [conversation] = values
    assert isinstance(conversation, Conversation)
    assert (conversation.turns[0].at, conversation.started_at) == (None, None)


def test_broken_characters_are_marked_and_whole_ones_kept(tmp_path: Path) -> None:
    mapping = {"a": node(None, message("user", "\ud83e otter \ud83e\udda6 \x00"))}
    values = read_as(tmp_path, "chatgpt", chat(mapping=mapping, current_node="a", title="\udda6"))
    assert said(values) == [("user", "\ufffd otter 🦦 \ufffd")]


def test_one_broken_conversation_does_not_cost_the_others(tmp_path: Path) -> None:
    whole = json.dumps(CHATGPT_CONVERSATION)
    data = f'[{whole}, {{"mapping": 1}}, {{"mapping": {{"a": nul}}}}, 7, {whole}'.encode()
    values = read_as(tmp_path, "chatgpt", data)
    assert [
        (value.path, value.reason[:20])
        for value in values
        if isinstance(value, Skipped) and "skipped: " not in value.reason
    ] == [
        ("conversations.json#2", "it is not a conversa"),
        ("conversations.json#3", "it is not valid JSON"),
        ("conversations.json#4", "it is not a conversa"),
        ("conversations.json", "it is truncated; the"),
    ]
    assert sum(isinstance(value, Conversation) for value in values) == 2
    assert sum(isinstance(value, Conversation) for value in read_as(tmp_path, "chatgpt", data[:-1])) == 1


def test_a_single_conversation_and_the_shards_of_a_new_export_are_read(tmp_path: Path) -> None:
    assert said(read_as(tmp_path, "chatgpt", json.dumps(CHATGPT_CONVERSATION).encode()))
    path = tmp_path / "export.zip"
    shards = {f"conversations-00{number}_dot_json": samples.CHATGPT for number in range(2)}
    path.write_bytes(zipped(**shards, chat_dot_html=b"<html>", user_dot_json=b"{}"))
    values = list(read(path))
    assert [value.origin for value in values if isinstance(value, Conversation)] == [
        "conversations-000.json#1",
        "conversations-001.json#1",
    ]
    assert {value.path for value in values if isinstance(value, Skipped) and "is not part of" in value.reason} == {
        "chat.html",
        "user.json",
    }


def test_a_claude_conversation_has_its_text_blocks_its_attachments_and_its_times(tmp_path: Path) -> None:
    attached, conversation, skipped = read_as(tmp_path, "claude-export", samples.CLAUDE_EXPORT)
    at = 1_767_323_045_000_006
    assert attached == Document(
        path="conversations.json#1/field.txt",
        title="field.txt",
        text="Otter notes.",
        content_type="text/plain",
        lines=False,
        modified_at=at,
    )
    assert conversation == Conversation(
        thread="claude:c0ffee-otter",
        title="Otter rafts",
        turns=(
            Turn(role="user", text="Why do otters hold hands?", at=at),
            Turn(role="assistant", text="So that the otter raft holds.", at=1_767_323_055_000_000),
        ),
        started_at=at,
        origin="conversations.json#1",
    )
    assert skipped == Skipped(path="conversations.json#1", reason="skipped: file, reasoning, tool call")


def test_a_claude_message_without_blocks_is_its_text(tmp_path: Path) -> None:
    messages = [{"sender": "human", "text": "otter"}, {"sender": "assistant", "text": "kelp", "content": []}]
    data = json.dumps([{**CLAUDE_CONVERSATION, "chat_messages": [*messages, 3, {"sender": "cat", "text": "x"}]}])
    values = read_as(tmp_path, "claude-export", data.encode())
    assert said(values) == [("user", "otter"), ("assistant", "kelp")]
    assert left_out(values) == "skipped: message from an unknown sender, message that is not an object"


def test_where_claude_says_which_branch_is_shown_only_that_is_read(tmp_path: Path) -> None:
    messages = [
        {"uuid": "a", "sender": "human", "text": "otter?", "parent_message_uuid": "0000"},
        {"uuid": "b", "sender": "assistant", "text": "no", "parent_message_uuid": "a"},
        {"uuid": "c", "sender": "assistant", "text": "yes", "parent_message_uuid": "a"},
    ]
    data = json.dumps({**CLAUDE_CONVERSATION, "chat_messages": messages, "current_leaf_message_uuid": "c"})
    values = read_as(tmp_path, "claude-export", data.encode())
    assert said(values) == [("user", "otter?"), ("assistant", "yes")]
    assert left_out(values) == "skipped: message from another branch"


def test_what_claude_remembered_is_a_document(tmp_path: Path) -> None:
    path = tmp_path / "e.zip"
    path.write_bytes(zipped(conversations_dot_json=samples.CLAUDE_EXPORT, memories_dot_json=samples.CLAUDE_MEMORIES))
    documents = {value.path: value.text for value in read(path) if isinstance(value, Document)}
    assert documents["memories.json#1"] == "Keeps otters in mind."
    assert documents["memories.json#1/p1"] == "Otter survey."


@pytest.mark.parametrize("kind", ["chatgpt", "claude-export", "claude-code", "codex"])
def test_long_names_are_cut_and_threads_stay_apart(tmp_path: Path, kind: str) -> None:
    threads = set()
    for end in "ab":
        long = ("otter" * 60 + end).encode()
        data = (
            samples.FILES[kind][1]
            .replace(b"-otter", long)
            .replace(b"Otter rafts", long)
            .replace(b"Otters at sea", long)
        )
        values = read_as(tmp_path, kind, data)
        [conversation] = [value for value in values if isinstance(value, Conversation)]
        assert len(conversation.thread) <= 200
        assert len(conversation.title or "") <= 200
        threads.add(conversation.thread)
    assert len(threads) == 2
