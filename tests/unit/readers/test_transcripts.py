"""Transcripts of coding agents: who said what, and what was left out."""

from pathlib import Path

import pytest

from heldtrue.readers import talk
from heldtrue.readers.recognise import read
from heldtrue.readers.values import Conversation, Skipped, Turn, Value
from tests.unit.readers import samples
from tests.unit.readers.samples import (
    CODEX_META,
    code_line,
    codex_line,
    codex_message,
    dumps,
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


def test_a_session_of_claude_code_is_what_two_people_said_in_a_folder(tmp_path: Path) -> None:
    conversation, skipped = read_as(tmp_path, "claude-code", samples.CLAUDE_CODE)
    at = 1_770_091_506_789_000
    assert conversation == Conversation(
        thread="claude-code:5e55-otter",
        title="Counting otters",
        turns=(
            Turn(role="user", text="Count the otters in pond.py", at=at),
            Turn(role="assistant", text="I will look for otters.\n\nOne otter.", at=at),
            Turn(role="assistant", text="There is one otter.", at=at),
        ),
        started_at=at,
        folder="/home/ada/otters",
        origin="5e55.jsonl",
    )
    assert isinstance(skipped, Skipped)
    assert skipped.reason == (
        "skipped: line of type file-history-snapshot, message from a subagent, 2 × message from the program, "
        "reasoning, summary of another session, tool call, tool result"
    )


def test_a_session_that_was_renamed_has_its_last_name(tmp_path: Path) -> None:
    named = [{"type": "custom-title", "customTitle": name, "sessionId": "s"} for name in ("One", "Two")]
    summary = {"type": "summary", "summary": "Counting", "leafUuid": "u1"}
    values = read_as(tmp_path, "claude-code", dumps(*named, code_line("user", "otter", uuid="u1"), summary))
    assert [value.title for value in values if isinstance(value, Conversation)] == ["Two"]


def test_a_broken_line_of_a_transcript_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    data = dumps(code_line("user", "otter")) + b'{"type": "user", \n' + dumps(code_line("assistant", "kelp"))
    values = read_as(tmp_path, "claude-code", data)
    assert said(values) == [("user", "otter"), ("assistant", "kelp")]
    assert [value.path for value in values if isinstance(value, Skipped)] == ["5e55.jsonl:2"]


def test_a_codex_session_is_told_once_and_without_what_the_program_wrote(tmp_path: Path) -> None:
    conversation, skipped = read_as(tmp_path, "codex", samples.CODEX)
    at = 1_772_600_767_000_000
    assert conversation == Conversation(
        thread="codex:c0de-otter",
        turns=(
            Turn(role="user", text="Name the otters", at=at),
            Turn(role="assistant", text="The otter is Ada.", at=at),
        ),
        started_at=1_772_600_766_000_000,
        folder="/home/ada/otters",
        origin="rollout-1.jsonl",
    )
    assert isinstance(skipped, Skipped)
    assert skipped.reason == ("skipped: function call, function call output, message from the program, system message")


def test_events_count_where_there_are_no_messages(tmp_path: Path) -> None:
    events = [
        codex_line("event_msg", {"type": "user_message", "message": "otter?"}),
        codex_line("event_msg", {"type": "agent_message", "message": "otter!"}),
        codex_line("response_item", {"type": "reasoning", "summary": []}),
    ]
    values = read_as(tmp_path, "codex", dumps(CODEX_META, *events))
    assert said(values) == [("user", "otter?"), ("assistant", "otter!")]
    assert left_out(values) == "skipped: reasoning"


def test_a_rollout_without_envelopes_is_read(tmp_path: Path) -> None:
    block = [{"type": "input_text", "text": "otter"}]
    data = dumps(
        {"id": "old", "timestamp": "2025-06-01T00:00:00Z", "instructions": None},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": block},
    )
    path = tmp_path / "rollout.jsonl"
    path.write_bytes(data)
    values = list(read(path))
    assert said(values) == [("user", "otter")]
    assert [value.thread for value in values if isinstance(value, Conversation)] == ["codex:old"]


def test_of_what_an_editor_sends_only_the_request_is_what_a_person_said(tmp_path: Path) -> None:
    text = "# Context from my IDE setup:\n\n## Open tabs:\n- pond.py\n\n## My request for Codex:\nCount the otters\n"
    assert said(read_as(tmp_path, "codex", dumps(CODEX_META, codex_message("user", text)))) == [
        ("user", "Count the otters")
    ]


def test_a_turn_or_a_conversation_that_is_too_long_loses_only_what_is_beyond(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(talk, "SOURCE_BYTES_MAX", 10)
    monkeypatch.setattr(talk, "CONVERSATION_BYTES_MAX", 15)
    turns = [code_line("user", text) for text in ("x" * 11, "otter" * 2, "kelp!", "more")]
    values = read_as(tmp_path, "claude-code", dumps(*turns))
    assert said(values) == [("user", "otterotter"), ("user", "kelp!")]
    assert left_out(values) == "skipped: turn after the first 15 bytes of the conversation, turn longer than 10 bytes"


def test_what_a_program_puts_beside_the_words_of_a_person_does_not_cost_them(tmp_path: Path) -> None:
    blocks = [{"type": "text", "text": text} for text in ("<ide_opened_file>pond.py</ide_opened_file>", "Count otters")]
    for content in (blocks, "\n\n".join(block["text"] for block in blocks)):
        values = read_as(tmp_path, "claude-code", dumps(code_line("user", content)))
        assert said(values) == [("user", "Count otters")]
        assert left_out(values) == "skipped: message from the program"
    values = read_as(tmp_path, "claude-code", dumps(code_line("user", "<system-reminder>never closed")))
    assert said(values) == []
    texts = ("# AGENTS.md instructions for /pond\n\n<INSTRUCTIONS>\n</INSTRUCTIONS>", "Count otters")
    content = [{"type": "input_text", "text": text} for text in texts]
    item = codex_line("response_item", {"type": "message", "role": "user", "content": content})
    values = read_as(tmp_path, "codex", dumps(CODEX_META, item))
    assert said(values) == [("user", "Count otters")]
    assert left_out(values) == "skipped: message from the program"
