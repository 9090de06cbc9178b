"""What is printed is harmless, fits the page, and has colours only where they are wanted."""

import json
import os
import pty
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldtrue.domain.plural import count
from heldtrue.surfaces.cli.progress import Progress
from heldtrue.surfaces.cli.screen import encode_answer, escape_hidden
from heldtrue.surfaces.cli.text import age, shorten, size, width_of, wrap
from heldtrue.surfaces.safe_text import clean, is_hidden
from tests.surfaces.conftest import ENVIRONMENT, CommandLine, Done

TITLE = "\x1b]0;owned\x07"
CLEAR = "\x1b[2J"
C1 = "\x9b31m"
BIDI = "\u202egnp.exe\u202c"
HOSTILE = f"The report {TITLE}is called {CLEAR}{C1}{BIDI} today."


def on_terminal(*words: str, home: Path, **environment: str) -> str:
    """What a command sends to a real terminal."""
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "heldtrue", *words],
        stdout=theirs,
        stderr=theirs,
        stdin=subprocess.DEVNULL,
        env={name: value for name, value in ENVIRONMENT.items() if name != "NO_COLOR"}
        | {"HELDTRUE_HOME": str(home), "TERM": "xterm"}
        | environment,
    )
    os.close(theirs)
    pieces = []
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # Linux says so when the other side has gone
            break
        if not piece:
            break
        pieces.append(piece)
    os.close(ours)
    assert running.wait(60) in (0, 2, 3, 4, 5)
    return b"".join(pieces).decode()


@pytest.fixture
def hostile_home(tmp_path: Path) -> tuple[Path, str]:
    """A home with a text that would steer a terminal, in every place a text can be, put there past the gate."""
    from heldtrue import Memory

    home = tmp_path / "home"
    with Memory.open(home) as memory:
        kept = memory.learn("The report is called plain today.", topic="plain").memory
        memory.link(kept.id, "https://example.org/plain", "plainly", reason="plain")
    import apsw

    file = apsw.Connection(str(home / "heldtrue.db"))
    for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        file.execute(f"DROP TRIGGER {name}")
    file.execute("UPDATE memory_versions SET content = ?, title = ?, topic = ?, reason = ?", (HOSTILE,) * 4)
    file.execute("UPDATE sources SET content = ?, reference = ?", (HOSTILE, HOSTILE))
    file.execute("UPDATE links SET relationship = ?, to_ref = ?, reason = ?", (HOSTILE,) * 3)
    file.execute("UPDATE ledger SET reason = ?", (HOSTILE,))
    file.close()
    return home, kept.id


def strip_colors(text: str) -> str:
    """Without our own colours, which are the only sequences that may be there."""
    import re

    return re.sub(r"\x1b\[[0-9;]+m", "", text)


@pytest.mark.parametrize("command", ["recall", "get", "list", "history", "explain", "diff", "status"])
def test_stored_text_never_steers_a_terminal(hostile_home: tuple[Path, str], command: str) -> None:
    home, memory = hostile_home
    words = {"recall": ["recall", "report"], "list": ["list"], "diff": ["diff", "#0"], "status": ["status"]}
    shown = on_terminal(*words.get(command, [command, memory]), home=home)
    assert "\x1b[" in shown, "the positive control: this is a terminal, and our own colours are there"
    plain = strip_colors(shown)
    assert not [letter for letter in plain if is_hidden(letter) and letter not in "\r\n"]
    assert "\\x1b]0;owned\\x07" in plain
    assert "The report" in plain


def test_json_on_a_terminal_is_pretty_harmless_and_the_same(hostile_home: tuple[Path, str]) -> None:
    home, memory = hostile_home
    shown = on_terminal("get", memory, "--json", home=home)
    assert not [letter for letter in shown if is_hidden(letter) and letter not in "\r\n"]
    assert json.loads(shown)["memory"]["content"] == HOSTILE
    assert '\n  "memory"' in shown.replace("\r", "")


def test_errors_do_not_echo_what_steers_a_terminal(heldtrue: CommandLine) -> None:
    heldtrue("learn", "The queue drains at midnight.")
    for words in (
        ["get", f"x{CLEAR}"],
        [f"learn{CLEAR}"],
        ["learn", "x", f"--kind={CLEAR}"],
        ["recall", "x", f"-{C1}"],
    ):
        done = heldtrue.run(*words)
        assert done.status in (2, 3)
        assert "\x1b" not in done.err
        assert "\x9b" not in done.err


def test_plain_text_is_shown_as_it_is(heldtrue: CommandLine) -> None:
    text = "Кухня открыта; 会議は金曜日です; l'été à Zürich — 👩‍💻 naïve"
    heldtrue("learn", text)
    assert text in heldtrue("list")


def test_colors_follow_the_terminal_and_what_was_asked(process: Callable[..., Done], tmp_path: Path) -> None:
    process("learn", "The queue drains at midnight.")
    home = tmp_path / "home"
    assert "\x1b[" not in process("list").out
    assert "\x1b[" in process("list", "--color", "always").out
    assert "\x1b[" in on_terminal("list", home=home)
    assert "\x1b[" not in on_terminal("list", home=home, NO_COLOR="1")
    assert "\x1b[" not in on_terminal("list", "--color=never", home=home)
    assert "\x1b[" not in on_terminal("list", home=home, TERM="dumb")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_no_encoding_makes_it_stumble(process: Callable[..., Done], encoding: str) -> None:
    assert process("learn", "会議 → Zürich", PYTHONIOENCODING=encoding).status == 0
    for words in (["list"], ["recall", "Zürich"], ["help"], ["list", "--json"]):
        done = process(*words, PYTHONIOENCODING=encoding)
        assert (done.status, done.err) == (0, "")
    answer = process("list", "--json", PYTHONIOENCODING=encoding).answer
    assert answer["items"][0]["content"] == "会議 → Zürich"


def test_bytes_that_are_no_text_are_taken_as_far_as_they_go(process: Callable[..., Done]) -> None:
    done = process("learn", b"The caf\xff opens at nine.", "--json")
    assert done.answer["memory"]["content"] == "The caf\ufffd opens at nine."
    assert process("recall", b"caf\xff").status == 0


def test_answers_with_lone_surrogates_are_still_json() -> None:
    assert json.loads(encode_answer({"path": "/tmp/\udcff"}, pretty=False)) == {"path": "/tmp/\udcff"}


@pytest.mark.parametrize("columns", [80, 96, 110])
def test_lines_fit_the_page(heldtrue: CommandLine, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    text = "The quick brown fox jumps over the lazy dog while the 会議 goes on and on. " * 4
    memory = heldtrue("learn", text, "--topic", "animals", "--quiet").strip()
    for words in (["list"], ["recall", "fox"], ["get", memory], ["explain", memory], ["history", memory]):
        assert max(width_of(line) for line in heldtrue(*words).splitlines()) <= columns


def test_a_program_that_starts_to_read_loads_nothing_that_writes(process: Callable[..., Done], tmp_path: Path) -> None:
    """With words alone: vectors bring numpy, which brings half of the standard library."""
    process("learn", "The queue drains at midnight.")
    (tmp_path / "home" / "heldtrue.toml").write_text('[recall]\nvector_model = "none"\n')
    script = (
        "import sys; sys.argv[1:] = ['recall', 'queue']\n"
        "from heldtrue.surfaces.cli.main import main\n"
        "assert main() == 0\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env=ENVIRONMENT | {"HELDTRUE_HOME": str(tmp_path / "home")},
    )
    assert "The queue drains at midnight." in done.stdout
    heavy = {"inspect", "difflib", "tempfile", "shutil", "json", "random", "importlib.resources", "logging", "numpy"}
    ours = {"heldtrue.ingest", "heldtrue.language.secrets", "heldtrue.language.normalise", "heldtrue.surfaces.sdk"}
    assert not (heavy | ours) & set(done.stderr.split())


def test_long_work_shows_a_sign_of_life_and_cleans_up(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("heldtrue.surfaces.cli.progress.PROGRESS_DELAY_SECONDS", 0.01)
    with Progress("verifying"):
        time.sleep(0.1)
    assert capsys.readouterr().err == "\rverifying ... 0 s\r\x1b[K"
    with Progress("verifying"):
        pass
    assert capsys.readouterr().err in ("", "\rverifying ... 0 s\r\x1b[K")


def test_long_work_tells_how_far_it_has_come(
    heldtrue: CommandLine, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("heldtrue.surfaces.cli.progress.PROGRESS_DELAY_SECONDS", 0.0)
    monkeypatch.setattr("heldtrue.surfaces.cli.progress.PROGRESS_STEP_SECONDS", 0.001)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    file = tmp_path / "talk.jsonl"
    file.write_text('{"content": "Remember: I prefer oat milk in my coffee, never dairy."}\n' * 60, "utf-8")
    heldtrue("capture", "--message", str(file), "--thread", "t")
    told = heldtrue.run("work").err
    assert "working ... extract 20 of 60," in told
    assert told.endswith("\r\x1b[K")
    assert "extract" not in heldtrue.run("verify").err


# The small parts


@given(st.text())
def test_clean_text_is_one_harmless_line(text: str) -> None:
    cleaned = clean(text)
    assert not any(is_hidden(letter) for letter in cleaned)
    assert clean(cleaned) == cleaned


@given(st.text(st.characters(codec="utf-8")))
def test_json_without_hidden_letters_means_the_same(text: str) -> None:
    document = escape_hidden(json.dumps({"text": text}, ensure_ascii=False))
    assert not any(is_hidden(letter) for letter in document)
    assert json.loads(document) == {"text": text}


@given(st.text(), st.integers(10, 120))
def test_wrapped_lines_fit_and_lose_no_letter(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert all(width_of(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(clean(text).split())


def test_words_for_amounts() -> None:
    assert [count(1, "entry"), count(2, "memory"), count(5, "day"), count(1200, "record")] == [
        "1 entry", "2 memories", "5 days", "1,200 records",
    ]  # fmt: skip
    assert [size(999), size(17_700), size(2_500_000_000)] == ["999 bytes", "17.7 kB", "2.5 GB"]
    assert shorten("one two three", 9) == "one two…"


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0, "just now"), (59, "just now"), (60, "1 minute ago"), (7_300, "2 hours ago"), (86_400 * 5, "5 days ago"),
     (86_400 * 15, "2 weeks ago"), (86_400 * 400, "1 year ago"), (-86_400, "on 2026-05-17")],
)  # fmt: skip
def test_ages_are_told_in_the_largest_unit(seconds: int, told: str) -> None:
    noon = 1_779_019_200  # 2026-05-17T12:00:00Z
    assert age("2026-05-17T12:00:00.000000Z", (noon + seconds) * 1_000_000) == told
