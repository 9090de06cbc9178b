"""Hooks of Claude Code: memory goes into a session, the session becomes evidence, and nothing is ever in the way."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from heldtrue import Memory
from heldtrue.capabilities.agents import register_agent
from heldtrue.domain.limits import HOOK_CONTEXT_CHARS_MAX
from heldtrue.domain.privacy import SHARED
from heldtrue.domain.records import Source
from heldtrue.surfaces.projects import name_project
from tests.surfaces.conftest import ENVIRONMENT, Done
from tests.unit.recall.test_render import find_breaches

SESSION = "7f3c1d9e-52aa-4a0e-9c55-0d6f3b1f2a77"
THREAD, SCOPE = f"claude-code:{SESSION}", "project:web-shop"
SECRET = "sk-proj-Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb7cDe0f"


@dataclass
class Room:
    """A project that Claude Code works in, its transcript, and the memory."""

    project: Path
    transcript: Path
    home: Path

    def hook(self, event: str, *options: str, told: Any = None, **more: Any) -> Done:
        """Run a hook as Claude Code does: a process of its own, with JSON on standard input."""
        basis = {"session_id": SESSION, "transcript_path": str(self.transcript), "cwd": str(self.project)}
        given = basis | {"permission_mode": "default", "hook_event_name": event} | more if told is None else told
        done = subprocess.run(
            [sys.executable, "-m", "heldtrue", "hook", event, "--home", str(self.home), *options],
            input=given if isinstance(given, bytes) else json.dumps(given).encode(),
            capture_output=True,
            timeout=60,
            check=False,
            cwd=self.project,
            env={name: value for name, value in ENVIRONMENT.items() if not name.startswith("CLAUDE_")},
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    def quietly(self, event: str, *options: str, **more: Any) -> str:
        done = self.hook(event, *options, **more)
        assert (done.status, done.err) == (0, "")
        return done.out

    def context(self, event: str, *options: str, **more: Any) -> str:
        """What a hook puts before the model."""
        out = self.quietly(event, *options, **more)
        if not out:
            return ""
        (answer,) = json.loads(out).values()
        assert answer["hookEventName"] == {"session-start": "SessionStart", "prompt": "UserPromptSubmit"}[event]
        context: str = answer["additionalContext"]
        assert find_breaches(context) == []
        return context

    def write(self, *lines: dict[str, Any]) -> None:
        self.transcript.parent.mkdir(parents=True, exist_ok=True)
        with self.transcript.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)

    def register(self, memory: Memory) -> None:
        """Register the agent of the hooks, as `install` does."""
        register_agent(memory._call, "claude-code")

    def held(self) -> list[Source]:
        with Memory.open(self.home) as memory, memory._call.instance.store.read() as reading:
            return reading.sources.thread_turns(THREAD, SCOPE, SHARED, limit=100)

    def said(self) -> list[tuple[str | None, str]]:
        return [(source.speaker, source.content) for source in self.held()]

    def entries(self) -> int:
        with Memory.open(self.home) as memory, memory._call.instance.store.read() as reading:
            return reading.ledger.head().seq


@pytest.fixture
def room(tmp_path: Path) -> Room:
    project = tmp_path / "code" / "web shop"
    (project / ".git").mkdir(parents=True)
    return Room(project, tmp_path / ".claude" / "projects" / "-code-web-shop" / f"{SESSION}.jsonl", tmp_path / "home")


def line(kind: str, content: Any, minute: int, **more: Any) -> dict[str, Any]:
    """A line of a transcript as Claude Code 2.1 writes it."""
    message: dict[str, Any] = {"role": kind, "content": content}
    if kind == "assistant":
        message |= {"id": more.pop("id"), "type": "message", "model": "claude-opus-5", "stop_reason": None}
    return {
        "parentUuid": None,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/ada/code/web shop",
        "sessionId": SESSION,
        "version": "2.1.238",
        "gitBranch": "main",
        "type": kind,
        "message": message,
        "uuid": f"u-{minute}-{kind}",
        "timestamp": f"2026-05-04T10:{minute:02}:00.123Z",
        **more,
    }


def answer(text: str, minute: int, name: str | None = None) -> dict[str, Any]:
    return line("assistant", [{"type": "text", "text": text}], minute, id=name or f"msg_{minute}")


FIRST: list[dict[str, Any]] = [
    {"type": "file-history-snapshot", "messageId": "u0", "snapshot": {}, "isSnapshotUpdate": False},
    {"type": "attachment", "attachment": {"type": "hook_additional_context", "content": ["Port 1 is recalled."]}},
    line("user", "<command-name>/clear</command-name>", 0),
    line("user", "The staging database of the shop is called heron. Please move the tests to it.", 1),
    line("assistant", [{"type": "thinking", "thinking": "hm", "signature": "s"}], 2, id="msg_2"),
    line("assistant", [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}], 3, id="msg_2"),
    line("user", [{"type": "tool_result", "tool_use_id": "t", "content": "PASSWORD FILE"}], 4),
    answer("Done: the tests use heron now.", 5),
    line("assistant", [{"type": "text", "text": "I am a helper."}], 6, id="msg_6", isSidechain=True),
]
FIRST_SAID = [
    ("user", "The staging database of the shop is called heron. Please move the tests to it."),
    ("assistant", "Done: the tests use heron now."),
]


# Into the session


@pytest.mark.covers("E4", "A20")
def test_a_session_starts_with_what_counts_in_its_project(room: Room) -> None:
    with Memory.open(room.home) as memory:
        room.register(memory)
        memory.learn("We deploy on Tuesdays because Monday is full", kind="decision", scope=SCOPE)
        memory.learn("Greta prefers short answers", kind="preference")
        memory.learn("The other shop is written in COBOL", kind="decision", rationale="age", scope="project:other")
        memory.as_agent("codex").learn("Codex keeps this to itself", kind="lesson", scope="agent:codex")
    context = room.context("session-start", source="startup")
    assert "We deploy on Tuesdays" in context
    assert "Greta prefers short answers" in context
    assert "COBOL" not in context
    assert "Codex keeps" not in context
    assert "COBOL" in room.context("session-start", "--project", "other")


@pytest.mark.covers("E4")
def test_a_prompt_brings_what_is_known_about_it(room: Room) -> None:
    with Memory.open(room.home) as memory:
        room.register(memory)
        memory.learn("The billing API listens on port 8080", scope=SCOPE)
    assert "port 8080" in room.context("prompt", prompt="Which port does the billing API listen on?")
    for prompt in ("giraffes in Kenya", "/compact billing API port", "   ", "<task-notification>billing port"):
        assert room.quietly("prompt", prompt=prompt) == ""
    assert "port 8080" in room.context("prompt", prompt="billing API port " + "and so on " * 2_000)
    with Memory.open(room.home) as memory:
        assert {(item.by, item.channel) for item in memory.recalls().items} == {("agent:claude-code", "hook")}


def test_a_block_is_never_longer_than_claude_code_takes(room: Room) -> None:
    with Memory.open(room.home) as memory:
        room.register(memory)
        for number in range(10):
            memory.learn(f"Heron rule {number}: " + "ß" * 3_000 + f" {number}", kind="lesson", scope=SCOPE)
    for context in (room.context("session-start"), room.context("prompt", prompt="heron rule")):
        assert 0 < len(context) <= HOOK_CONTEXT_CHARS_MAX


def test_without_a_memory_nothing_is_said_and_none_is_made(room: Room) -> None:
    assert room.quietly("session-start") == ""
    assert room.quietly("prompt", prompt="Which port?") == ""
    assert not room.home.exists()


# Out of the session


@pytest.mark.covers("E4")
def test_what_was_said_is_kept_once_however_often_it_stops(room: Room) -> None:
    room.write(*FIRST)
    assert room.quietly("stop", stop_hook_active=False) == ""
    assert room.said() == FIRST_SAID
    assert {source.author for source in room.held()} == {"agent:claude-code"}
    entries = room.entries()
    for event in ("stop", "stop", "session-end"):
        assert room.quietly(event) == ""
    assert (room.said(), room.entries()) == (FIRST_SAID, entries)
    room.write(line("user", f"Thanks. The key is {SECRET}.", 7), answer("You are welcome.", 8))
    room.quietly("stop")
    room.write(line("user", "Bye.", 9))
    room.quietly("session-end", reason="prompt_input_exit")
    room.quietly("session-end", reason="other")
    said = room.said()
    assert said[:2] == FIRST_SAID
    assert [speaker for speaker, _ in said[2:]] == ["user", "assistant", "user"]
    assert SECRET not in str(said)
    assert said[-1] == ("user", "Bye.")


def test_an_answer_that_grows_after_a_stop_is_kept_whole(room: Room) -> None:
    room.write(*FIRST)
    for text in ("And the docs too.", "Also the README."):
        room.write(answer(text, 5))
        room.quietly("stop")
    room.quietly("stop")
    assert room.said() == [
        FIRST_SAID[0],
        ("assistant", "Done: the tests use heron now.\n\nAnd the docs too."),
        ("assistant", "Also the README."),
    ]


def test_what_heldtrue_put_there_is_no_evidence(room: Room) -> None:
    with Memory.open(room.home) as memory:
        room.register(memory)
        memory.learn("Heron is the staging database", kind="lesson", scope=SCOPE)
    block = room.context("session-start")
    room.write(line("user", block, 1), line("user", f"{block}\n\nUse heron, please.", 2))
    for _ in range(2):
        room.quietly("stop")
    assert room.said() == [("user", "Use heron, please.")]


def test_stops_that_come_at_once_keep_every_turn_once(room: Room) -> None:
    with Memory.open(room.home):
        room.write(*FIRST, *(line("user", f"Point {number}.", 10 + number) for number in range(20)))
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(room.quietly, ["stop"] * 4)) == {""}
    said = room.said()
    assert len(said) == len(set(said)) == 22


@pytest.mark.covers("E4")
def test_the_next_session_finds_what_this_one_said_and_this_one_does_not_hear_itself(room: Room) -> None:
    room.write(*FIRST)
    room.quietly("stop")
    question = "what is the staging database of the shop called?"
    assert "heron" in room.context("prompt", prompt=question, session_id="another-session")
    assert room.quietly("prompt", prompt=question) == ""


@pytest.mark.covers("E4")
def test_what_was_learned_is_proposed_and_counts_when_it_is_approved(room: Room) -> None:
    room.write(line("user", "Remember: we always use spaces, never tabs, in the shop.", 1), answer("Noted.", 2))
    room.quietly("session-end")
    with Memory.open(room.home) as memory:
        memory.work()
        waiting = [item for item in memory.inbox().items if "spaces" in item.memory.content]
        assert waiting, "the session proposes what it learned"
        assert "spaces" not in room.context("session-start")
        memory.approve(waiting[0].memory.id, reason="as agreed")
    assert "spaces" in room.context("session-start") + room.context("prompt", prompt="spaces or tabs in the shop?")


# Never in the way


@pytest.mark.covers("A20")
@pytest.mark.parametrize("event", ["session-start", "prompt", "stop", "session-end"])
@pytest.mark.parametrize("told", [b"", b"{", b"[]", b'{"prompt": 3}', b"\xff\x00", b'{"transcript_path": "/no/such"}'])
def test_whatever_it_is_told_the_session_goes_on(room: Room, event: str, told: bytes) -> None:
    done = room.hook(event, told=told)
    assert (done.status, done.out) == (0, "")
    assert done.err.count("\n") <= 1
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("event", "what"), [("prompt", "prompt"), ("stop", "transcript"), ("session-end", "transcript")]
)
def test_what_was_not_told_is_missed_in_one_line(room: Room, event: str, what: str) -> None:
    for told in (b"{}", b""):
        done = room.hook(event, told=told)
        assert (done.status, done.out) == (0, "")
        assert done.err == f"heldtrue: hook skipped: the input has no {what}\n"


def test_trouble_is_told_in_one_line_and_no_more(room: Room, tmp_path: Path) -> None:
    room.write(*FIRST)
    room.home.write_text("this is no folder")
    for name in ("broken", "sound"):
        Memory.open(tmp_path / name).close()
    for file in (tmp_path / "broken").glob("*.db*"):
        file.write_bytes(b"no database" * 1_000)
    troubles = [
        room.hook("stop"),
        room.hook("stop", "--home", str(tmp_path / "broken")),
        room.hook("session-start", "--home", str(tmp_path / "sound"), "--agent", "no name"),
        room.hook("session-start", "--no-such-option"),
        room.hook("no-such-event"),
    ]
    for done in troubles:
        assert (done.status, done.out) == (0, ""), done
        assert done.err.startswith("heldtrue: hook skipped: ")
        assert done.err.count("\n") == 1
    assert room.quietly("prompt", prompt="port?") == ""


def test_a_transcript_is_read_only_if_it_is_one(room: Room, tmp_path: Path) -> None:
    (tmp_path / "id_rsa").write_text("a key")
    for path in (tmp_path / "id_rsa", tmp_path, tmp_path / "gone.jsonl"):
        done = room.hook("stop", transcript_path=str(path))
        told = f"heldtrue: hook skipped: no transcript at {path}\n"
        assert (done.status, done.out, done.err) == (0, "", told)
    assert not room.home.exists()
    room.write({"type": "summary"}, line("user", "Cut off", 1))
    with room.transcript.open("a") as file:
        file.write('{"type": "user", "message": {"content": "half a li')
    room.quietly("stop")
    assert room.said() == [("user", "Cut off")]


# As it is installed


@pytest.mark.covers("A20", "E4")
def test_the_installed_commands_do_all_of_it(room: Room, tmp_path: Path, process: Callable[..., Done]) -> None:
    home = tmp_path / "a home"
    assert process("install", "claude-code", "--yes", "--json", home=home, HOME=str(tmp_path)).status == 0
    hooks = json.loads((tmp_path / ".claude" / "settings.json").read_bytes())["hooks"]
    with Memory.open(home) as memory:
        memory.learn("Heron is the staging database", kind="lesson", scope=SCOPE)
    room.write(*FIRST)
    told = {"session_id": SESSION, "transcript_path": str(room.transcript), "cwd": "/", "prompt": "staging database?"}
    for event in ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"):
        done = subprocess.run(
            ["/bin/sh", "-c", hooks[event][0]["hooks"][0]["command"]],
            input=json.dumps(told | {"hook_event_name": event}),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            cwd="/",
            env={"PYTHONPATH": ENVIRONMENT["PYTHONPATH"], "CLAUDE_PROJECT_DIR": str(room.project)},
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert ("Heron is the staging database" in done.stdout) == (event in ("SessionStart", "UserPromptSubmit"))
    room.home = home
    assert room.said() == FIRST_SAID


def test_a_project_is_called_after_its_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    main, tree = tmp_path / "web shop", tmp_path / "trees" / "feature"
    (main / ".git" / "worktrees" / "feature").mkdir(parents=True)
    (main / "src" / "deep").mkdir(parents=True)
    tree.mkdir(parents=True)
    (tree / ".git").write_text(f"gitdir: {main}/.git/worktrees/feature\n")
    (main / ".git" / "worktrees" / "feature" / "gitdir").write_text(f"{tree}/.git\n")
    assert {name_project(folder) for folder in (main, main / "src" / "deep", tree)} == {"web-shop"}
    (tmp_path / "a:b*c").mkdir()
    assert name_project(tmp_path / "a:b*c") == "a-b-c"
    monkeypatch.setenv("HOME", str(tmp_path))
    assert name_project(tmp_path) is None


def test_a_working_tree_that_git_made_is_of_its_repository(tmp_path: Path) -> None:
    main, tree = tmp_path / "payments", tmp_path / "trees" / "feature"
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C"]
    for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "x"], ["worktree", "add", "-q", str(tree)]):
        main.mkdir(exist_ok=True)
        subprocess.run([*git, str(main), *words], check=True, capture_output=True, timeout=60)
    assert name_project(tree) == "payments"
    # Newer ones write both pointers relative to where they stand.
    (tree / ".git").write_text("gitdir: ../../payments/.git/worktrees/feature\n")
    (main / ".git" / "worktrees" / "feature" / "gitdir").write_text("../../../../trees/feature/.git\n")
    assert name_project(tree) == "payments"


def test_a_folder_is_not_another_project_because_it_says_so(tmp_path: Path) -> None:
    kept = tmp_path / "payments" / ".git" / "worktrees" / "x"
    tree, stranger = tmp_path / "trees" / "x", tmp_path / "unpacked"
    for folder in (kept, tree, stranger):
        folder.mkdir(parents=True)
    pointer = stranger / ".git"
    pointer.write_text("gitdir: /nowhere/payments/.git/worktrees/x\n")
    assert name_project(stranger) == "unpacked", "there is no such repository"
    (tree / ".git").write_text(f"gitdir: {kept}\n")
    pointer.write_text(f"gitdir: {kept}\n")
    assert name_project(stranger) == "unpacked", "it has no pointer back"
    (kept / "gitdir").write_text(f"{tree}/.git\n")
    assert (name_project(stranger), name_project(tree)) == ("unpacked", "payments"), "it points to another"
    pointer.unlink()
    pointer.symlink_to(tree / ".git")
    assert name_project(stranger) == "unpacked", "the pointer of another is borrowed by a link"
    pointer.unlink()
    for text in ("gitdir: a\0b/.git/worktrees/x", "gitdir:", f"gitdir: {'x' * 5_000}/.git/worktrees/x"):
        pointer.write_text(text)
        assert name_project(stranger) == "unpacked"
    pointer.write_text(f"gitdir: {kept}\n")
    for back in (b"", b"\xff", b"a\0b"):
        (kept / "gitdir").write_bytes(back)
        assert name_project(stranger) == "unpacked"
