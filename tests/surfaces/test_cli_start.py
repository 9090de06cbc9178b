"""The first steps: words that people bring from elsewhere, a home of one's own, and its settings."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from heldtrue.capabilities.verb_index import verbs
from heldtrue.surfaces.cli.builtin_commands import BUILTIN_COMMANDS, NOT_THERE
from heldtrue.wiring.settings import Settings, read_settings, setting_names
from tests.surfaces.conftest import CommandLine, Done

Process = Callable[..., Done]


def test_words_from_elsewhere_run_the_command_that_is_meant(process: Process) -> None:
    for word in ("add", "remember", "save"):
        done = process(word, f"The {word} button is green.", "--json")
        assert (done.status, done.answer["outcome"]) == (0, "created")
    listed = process("ls", "--json").answer["items"]
    assert len(listed) == 3
    assert listed == process("list", "--json").answer["items"]
    assert "The save button" in process("find", "the save button").out
    assert "The save button" in process("search", "save button").out
    assert "The save button is green." in process("show", listed[0]["id"]).out
    assert process("add", "--help").out == process("learn", "--help").out
    assert process("help", "rm").out == process("forget", "--help").out


@pytest.mark.parametrize("word", ["delete", "rm", "remove"])
def test_what_is_destructive_is_named_and_not_done(heldtrue: CommandLine, word: str) -> None:
    memory = heldtrue.json("learn", "The shed is green.")["memory"]["id"]
    done = heldtrue.run(word, memory)
    assert done.status == 2
    told = " ".join(done.err.split())
    assert f"there is no command '{word}'" in told
    assert "use heldtrue forget MEMORY --reason WHY: retract a memory but keep its history" in told
    assert heldtrue.json("get", memory)["memory"]["status"] == "active"


def test_what_is_not_there_is_said_plainly(heldtrue: CommandLine) -> None:
    for word in ("purge", "wipe"):
        assert "heldtrue erase" in " ".join(heldtrue.run(word, "x").err.split())
    assert "needs no login" in " ".join(heldtrue.run("login").err.split())
    assert "heldtrue init" in heldtrue.run("setup").err


def test_other_words_get_the_nearest_command(heldtrue: CommandLine) -> None:
    assert "did you mean heldtrue recall?" in heldtrue.run("recal", "x").err
    assert "heldtrue help --all" in heldtrue.run("qqqqqq").err


def test_no_word_has_two_meanings() -> None:
    names = [*(verb.replace("_", "-") for verb in verbs()), *BUILTIN_COMMANDS, *NOT_THERE]
    words = [word for known in verbs().values() for word in known.synonyms]
    words += [word for builtin in BUILTIN_COMMANDS.values() for word in builtin.synonyms]
    assert len(words) == len(set(words))
    assert not set(words) & set(names)
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "words",
    [
        ["learn", "The shed is green.", "--scope", "nowhere"],
        ["learn", "The shed is green.", "--confidence", "7"],
        ["capture", "The shed is green.", "--scope", "nowhere"],
        ["ingest", "/no/such/file"],
        ["import", "/no/such/file"],
        ["restore-backup", "/no/such/file"],
    ],
)
def test_a_mistake_leaves_no_home_behind(process: Process, tmp_path: Path, words: list[str]) -> None:
    assert process(*words).status != 0
    assert not (tmp_path / "home").exists()


def test_the_first_right_command_makes_the_home(process: Process, tmp_path: Path) -> None:
    assert process("learn", "The shed is green.").status == 0
    assert (tmp_path / "home" / "heldtrue.db").exists()


def test_init_makes_a_home_with_commented_settings(process: Process, tmp_path: Path) -> None:
    home = tmp_path / "home"
    done = process("init")
    assert (done.status, done.err) == (0, "")
    assert f"Created a home at {home}" in done.out
    text = (home / "heldtrue.toml").read_text()
    assert read_settings(home) == Settings()
    for name in setting_names():
        assert f"\n# {name.rpartition('.')[2]} =" in text
    assert process("list").status == 0
    assert home.stat().st_mode & 0o777 == 0o700
    assert (home / "heldtrue.toml").stat().st_mode & 0o777 == 0o600


def test_init_changes_nothing_that_is_there(process: Process, tmp_path: Path) -> None:
    home = tmp_path / "home"
    process("learn", "The shed is green.")
    (home / "heldtrue.toml").write_text('[project]\nname = "mine"\n')
    done = process("init", "--json")
    assert done.answer == {
        "home": str(home),
        "settings": str(home / "heldtrue.toml"),
        "created": False,
        "settings_written": False,
    }
    assert (home / "heldtrue.toml").read_text() == '[project]\nname = "mine"\n'
    assert "already" in process("init").out
    assert "The shed is green." in process("list").out


def test_settings_are_read_and_changed_one_by_one(process: Process, tmp_path: Path) -> None:
    file = tmp_path / "home" / "heldtrue.toml"
    process("init")
    assert process("config", "get", "server.port", "--quiet").out == "7373\n"
    assert f"the default; not set in {file}" in process("config", "get", "server.port").out
    done = process("config", "set", "server.port", "8080")
    assert done.status == 0
    assert "server.port = 8080" in done.out
    assert f"set in {file}" in done.out
    assert tomllib.loads(file.read_text())["server"] == {"port": 8080}
    assert process("config", "get", "server.port", "--json").answer == {
        "key": "server.port",
        "value": 8080,
        "default": 7373,
        "source": "file",
    }
    listed = process("config", "list", "server").out
    assert "server.port = 8080\n" in listed
    assert 'server.host = "127.0.0.1"   (default)' in listed
    assert "storage" not in listed
    every = process("config", "--json").answer["settings"]
    assert [setting["key"] for setting in every] == setting_names()
    assert process("config", "unset", "server.port").status == 0
    assert process("config", "get", "server.port", "-q").out == "7373\n"
    assert process("settings", "get", "server.port", "-q").out == "7373\n"


def test_a_setting_that_cannot_be_is_refused(process: Process, tmp_path: Path) -> None:
    process("init")
    before = (tmp_path / "home" / "heldtrue.toml").read_bytes()
    done = process("config", "set", "server.port", "many")
    assert done.status != 0
    assert 'nothing was changed: [server] port: "many" is not a whole number' in done.err
    done = process("config", "set", "server.prot", "1")
    assert "did you mean server.port?" in done.err
    assert "needs a VALUE" in process("config", "set", "server.port").err
    assert "needs a KEY" in process("config", "get").err
    assert "takes no value" in process("config", "get", "server.port", "8").err
    assert "only a person" in process("--agent", "codex", "config", "set", "server.port", "1").err
    assert (tmp_path / "home" / "heldtrue.toml").read_bytes() == before


def test_no_password_is_shown(process: Process) -> None:
    process("init")
    process("config", "set", "storage.url", "postgresql://ada:hunter22@db.example/x")
    told = [process("config", *words) for words in (["list"], ["get", "storage.url"], ["--json"])]
    for done in told:
        assert "postgresql://ada:***@db.example/x" in done.out
        assert "hunter22" not in done.out + done.err


def test_settings_of_a_service_are_on_its_machine(process: Process) -> None:
    for words in (["init"], ["config", "list"]):
        done = process(*words, HELDTRUE_URL="http://127.0.0.1:1")
        assert done.status == 2
        assert "on its own machine" in done.err
