"""What goes wrong is told on standard error, in one shape, with a status that says what kind it was."""

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import apsw
import pytest

from heldtrue.capabilities.following import EventName
from heldtrue.domain.errors import Busy
from heldtrue.surfaces.cli.builtin_commands import FollowedEvent
from tests.surfaces.conftest import ENVIRONMENT, CommandLine, Done

PORT = "The API listens on port 8080."
NOWHERE = "01a1e0ff-9cff-7608-b754-86feeb3bb4a8"


@pytest.mark.parametrize(
    ("words", "status", "code", "field"),
    [
        (["learn", ""], 2, "invalid_input", "content"),
        (["learn", PORT, "--scope", "galaxy:far"], 2, "invalid_input", "scope"),
        (["recall", "x", "--limit", "0"], 2, "invalid_input", "limit"),
        (["recall", "x", "--as-of", "someday"], 2, "invalid_input", "as_of"),
        (["recall", "x" * 20_000], 2, "too_large", "context"),
        (["recall", "x", "--limit", "many"], 2, "usage", "limit"),
        (["recall"], 2, "usage", "context"),
        (["forget", NOWHERE], 2, "usage", "reason"),
        (["correct", NOWHERE, "x"], 2, "usage", "reason"),
        (["quarantine", NOWHERE], 2, "usage", "reason"),
        (["learn", PORT, "--kind", "fact"], 2, "usage", "kind"),
        (["learn", PORT, "--on-conflict", "fight"], 2, "usage", "on_conflict"),
        (["learn", PORT, "--reason"], 2, "usage", "reason"),
        (["list", "--limit"], 2, "usage", "limit"),
        (["get", NOWHERE, "extra"], 2, "usage", None),
        (["status", "--colour", "never"], 2, "usage", "colour"),
        (["status", "--color", "blue"], 2, "usage", "color"),
        (["nonsense"], 2, "usage", "command"),
        (["get", NOWHERE], 3, "not_found", "memory"),
        (["import", "no-such-file.jsonl"], 3, "not_found", "path"),
        (["learn-many", "no-such-file.jsonl"], 3, "not_found", "memories"),
        (["--agent", "scout", "verify"], 4, "not_allowed", None),
        (["--agent", "scout", "learn", PORT, "--scope", "agent:other"], 4, "not_allowed", "scope"),
    ],
)
def test_errors_have_one_shape_and_a_status_of_their_class(
    heldtrue: CommandLine, words: list[str], status: int, code: str, field: str | None
) -> None:
    heldtrue("learn", "The queue drains at midnight.")
    done = heldtrue.run(*words, "--json")
    assert (done.status, done.out) == (status, "")
    assert done.err.count("\n") == 1
    error = json.loads(done.err)["error"]
    assert list(error) == ["code", "message", "field", "hint"]
    assert (error["code"], error["field"]) == (code, field)
    told = heldtrue.run(*words)
    assert (told.status, told.out) == (status, "")
    assert told.err.startswith("heldtrue: ")
    assert " ".join(error["message"].split()).rstrip(".") in " ".join(told.err.split())
    assert not error["hint"] or " ".join(error["hint"].split()) in " ".join(told.err.split())


def test_a_wrong_state_has_its_own_status(heldtrue: CommandLine) -> None:
    memory = heldtrue("learn", PORT, "--quiet").strip()
    heldtrue("forget", memory, "--reason", "gone")
    assert heldtrue.run("forget", memory, "--reason", "gone").status == 5


def test_a_storage_problem_has_its_own_status(process: Callable[..., Done], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    done = process("learn", PORT, "--json", home=tmp_path / "file")
    assert (done.status, json.loads(done.err)["error"]["code"]) == (7, "storage")


def test_a_busy_store_has_its_own_status(heldtrue: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_given: object, **_named: object) -> None:
        raise Busy

    monkeypatch.setattr("heldtrue.surfaces.cli.backends.open_instance", refuse)
    assert heldtrue.run("learn", PORT).status == 6


def test_a_history_that_does_not_verify_is_reported_and_has_its_own_status(heldtrue: CommandLine) -> None:
    heldtrue("learn", PORT)
    assert "Ledger verified: 1 entry," in heldtrue("verify")
    file = apsw.Connection(str(heldtrue.home / "heldtrue.db"))
    for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        file.execute(f"DROP TRIGGER {name}")
    file.execute("UPDATE memory_versions SET content = 'The API listens on port 1.'")
    file.close()
    done = heldtrue.run("verify")
    assert done.status == 8
    assert "Ledger verification failed" in done.out
    assert "memory_versions" in done.out
    assert heldtrue.run("verify", "--json").answer["ok"] is False


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["recal", "x"], "heldtrue recall"),
        (["lern", "x"], "heldtrue learn"),
        (["learn_mny", "x"], "heldtrue learn-many"),
        (["recall", "x", "--limt", "3"], "--limit"),
        (["learn", "x", "--kind", "decison"], "decision"),
        (["learn", "x", "--kind", "rule"], "convention"),
        (["status", "--hoem", "x"], "--home"),
        (["recall", "x", "--agnt", "codex"], "--agent"),
        (["--agnt", "codex", "recall", "x"], "--agent"),
        (["--json", "--proyect", "p", "recall", "x"], "--project"),
    ],
)
def test_a_slip_of_the_finger_gets_a_suggestion(heldtrue: CommandLine, words: list[str], meant: str) -> None:
    done = heldtrue.run(*words)
    assert done.status == 2
    assert f"did you mean {meant}" in done.err


def test_an_option_of_one_command_comes_after_it(heldtrue: CommandLine) -> None:
    assert "after the command" in heldtrue.run("--limit", "3", "recall", "x").err
    assert heldtrue.run("--quiet", "--agent", "codex", "learn", "The shed is green.").status == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["learn", PORT, "--project", "a", "--project", "b"],
            "--project takes one value, but it was given 'a' and 'b'",
        ),
        (["--project", "a", "learn", PORT, "--project=b"], "--project takes one value, but it was given 'a' and 'b'"),
        (
            ["learn", PORT, "--kind", "note", "--kind", "claim"],
            "--kind takes one value, but it was given 'note' and 'claim'",
        ),
        (["recall", "port", "--limit", "3", "--limit", "4"], "--limit takes one value, but it was given '3' and '4'"),
        (["add-agent", "bot", "--project", "a", "--project", "b"], "to specify several, use --in-project"),
    ],
)
def test_an_option_of_one_value_that_is_given_two_is_refused(
    heldtrue: CommandLine, words: list[str], told: str
) -> None:
    done = heldtrue.run(*words)
    assert done.status == 2
    assert told in " ".join(done.err.split())
    assert not heldtrue.home.exists(), "nothing was done"


def test_an_option_may_be_repeated_where_that_is_no_question_of_which(heldtrue: CommandLine) -> None:
    learned = heldtrue.json("learn", PORT, "--project", "a", "--project", "a")
    assert learned["memory"]["scope"] == "project:a"
    listed = heldtrue.json("list", "--scope", "global", "--scope", "project:a")
    assert [item["id"] for item in listed["items"]] == [learned["memory"]["id"]], "the control: lists take many"


@pytest.mark.parametrize("command", ["capture", "learn", "capture-conversation"])
def test_the_name_of_a_file_is_not_kept_for_what_is_in_it(
    heldtrue: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my notes.md").write_text("The pier closes at nine.", "utf-8")
    (tmp_path / "docs").mkdir()
    for name, kind in (("my notes.md", "file"), (str(tmp_path / "my notes.md"), "file"), ("docs", "folder")):
        done = heldtrue.run(command, name)
        assert done.status == 2
        told = " ".join(done.err.split())
        assert f"is the name of a {kind}, not its content" in told
        assert "to import its content: heldtrue ingest " in told
    assert not heldtrue.home.exists(), "nothing was kept"
    assert heldtrue.run("ingest", "my notes.md").status == 0, "what is told works"


def test_words_that_are_no_file_are_kept_and_a_name_is_on_request(
    heldtrue: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.md").write_text("The pier closes at nine.", "utf-8")
    for words in ("The notes are in notes.md", "x" * 5_000, "~nobody/notes.md", "other.md"):
        assert heldtrue.run("capture", words).status == 0
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"notes.md\n")))
    assert heldtrue.run("capture", "-").status == 0


def test_a_far_off_word_gets_none(heldtrue: CommandLine) -> None:
    assert "did you mean" not in heldtrue.run("qqqqqq").err


def test_a_line_that_is_no_json_is_named(heldtrue: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "notes.jsonl"
    file.write_text('{"content": "one"}\nnot json\n', "utf-8")
    assert "line 2" in heldtrue.run("learn-many", str(file)).err


LINES = [
    ('{"conten": "two"}', "line 3: unknown key 'conten', did you mean 'content'?"),
    ('{"kind": "note"}', "line 3: content is missing."),
    ('{"content": "two", "kind": "fact"}', "line 3: kind: 'fact' is not one of profile, preference, decision,"),
    ('{"content": "two", "kind": "todo"}', "did you mean task_hint?"),
    ('{"content": "two", "valid_from": "foo"}', "line 3: valid_from: 'foo' is not a date or time."),
    ('{"content": ""}', "line 3: content is empty."),
]


@pytest.mark.parametrize(("line", "told"), LINES)
@pytest.mark.parametrize("command", ["learn-many", "import"])
def test_a_wrong_line_is_named_by_its_number_in_the_file(
    heldtrue: CommandLine, tmp_path: Path, command: str, line: str, told: str
) -> None:
    heldtrue("init")
    file = tmp_path / "notes.jsonl"
    file.write_text(f'{{"content": "{PORT}"}}\n\n{line}\n', "utf-8")
    done = heldtrue.run(command, str(file))
    assert done.status == 2
    assert told in " ".join(done.err.split())
    assert heldtrue.json("list")["items"] == [], "all of them are kept, or none"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["forget", NOWHERE, "--reason", ""], "reason is empty. specify the reason in plain words"),
        (["learn", PORT, "--valid-from", "foo"], "valid_from: 'foo' is not a date or time."),
        (["recall", "port", "--as-of", "foo"], "as_of: 'foo' is not a date or time."),
        (["recall", "port", "--max-age", "foo"], "max_age: 'foo' is not a duration."),
        (["recall", "port", "--limit", "0"], "limit: 0 is not a whole number of at least 1."),
        (["recall", "port", "--min-confidence", "3"], "min_confidence: 3.0 is not a number of at most 1."),
    ],
)
def test_an_error_names_the_argument_and_what_it_takes(heldtrue: CommandLine, words: list[str], told: str) -> None:
    heldtrue("learn", PORT)
    assert told in " ".join(heldtrue.run(*words).err.split())


def test_a_word_that_is_only_a_little_alike_is_not_suggested(heldtrue: CommandLine) -> None:
    done = heldtrue.run("learn", PORT, "--kind", "tact")
    assert "artifact," in done.err
    assert "did you mean" not in done.err


def test_an_error_as_text_says_what_to_do_next_and_the_command_line_says_it_once(heldtrue: CommandLine) -> None:
    assert str(Busy("the store is busy", hint="try again")) == "the store is busy (try again)"
    assert str(Busy()) == Busy.__doc__
    assert str(Busy(hint="try again")).endswith("nothing was written (try again)")
    assert Busy("x", hint="y").as_answer() == {"error": {"code": "busy", "message": "x", "field": None, "hint": "y"}}
    assert heldtrue.run("recall", "x").err.count("create one with heldtrue init") == 1


def test_the_unexpected_is_one_line_and_a_traceback_only_when_asked(
    heldtrue: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(*_given: object, **_named: object) -> None:
        raise RuntimeError("the \x1b[31mcat\ndid it")

    monkeypatch.setattr("heldtrue.surfaces.cli.backends.open_instance", break_down)
    done = heldtrue.run("learn", PORT)
    assert done.status == 1
    told, hint = done.err.splitlines()
    assert told.endswith("RuntimeError: the \\x1b[31mcat did it.")
    assert hint.strip() == "run the command again with --debug to see the traceback"
    assert "Traceback" in heldtrue.run("learn", PORT, "--debug").err
    assert json.loads(heldtrue.run("learn", PORT, "--json").err)["error"]["code"] == "internal"


def test_an_interrupt_ends_quietly(heldtrue: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_given: object, **_named: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("heldtrue.surfaces.cli.backends.open_instance", interrupt)
    done = heldtrue.run("learn", PORT)
    assert (done.status, done.out, done.err) == (130, "", "")


def test_a_reader_who_leaves_early_ends_it_quietly(process: Callable[..., Done], tmp_path: Path) -> None:
    process("learn", PORT)
    running = subprocess.Popen(
        [sys.executable, "-m", "heldtrue", "--home", str(tmp_path / "home"), "list"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    assert running.stdout is not None
    assert running.stderr is not None
    running.stdout.close()
    told = running.stderr.read()
    running.stderr.close()
    assert running.wait(60) == 141
    assert told == b""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["agents", "add", "x", "--role", "project"], "specify one with --in-project, --in-repo or --team"),
        (["capture"], "specify one of --content and --message"),
        (["share", "x", "--action", "look"], "specify --memory or --context"),
        (["follow", "--name", "bogus"], "choose one of: memory:read, memory:write, memory:flush, memory:compact,"),
        (["follow", "--name", "memory:writ"], "did you mean memory:write?"),
        (["serve", "--port", "abc"], "The port to listen on, from 1 to 65535"),
        (["serve", "--port", "99999"], "choose a port up to 65535"),
    ],
)
def test_a_hint_says_what_to_type(heldtrue: CommandLine, words: list[str], told: str) -> None:
    heldtrue("learn", PORT)
    done = heldtrue.run(*words)
    assert done.status == 2
    assert told in " ".join(done.err.split())


def test_the_events_that_can_be_followed_are_those_that_there_are() -> None:
    assert set(get_args(FollowedEvent)) == {str(event) for event in EventName}
