"""Numbers of the last listing: one terminal, one store, and only what is still as it was shown."""

from __future__ import annotations

import os
import pty
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldtrue.domain.errors import WrongState
from heldtrue.domain.ids import ends_id, is_id, new_id
from heldtrue.domain.limits import NUMBERED_LINES_MAX
from heldtrue.surfaces.cli.last_listing import (
    TerminalListing,
    find_lines,
    find_terminal,
    is_numbers,
    read_numbers,
    refuse_changed,
    remember_listing,
)
from heldtrue.surfaces.cli.page import Line
from heldtrue.surfaces.cli.screen import SESSION_VARIABLE
from heldtrue.surfaces.cli.usage import UsageProblem

SHED, GATE = Line("memory", "shed", "inbox, version 1"), Line("memory", "gate", "inbox, version 1")
CONFLICT, JOB = Line("conflict", "clash", "pending"), Line("job", "work", "failed")
LISTING = TerminalListing("/srv/notes", [[SHED], [GATE, CONFLICT], [JOB]])


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv(SESSION_VARIABLE, "one")
    return tmp_path / "heldtrue" / "listings"


def find(text: str, *what: str) -> list[Line]:
    return find_lines(text, what or ("memory",), LISTING.store)


def test_a_number_stands_for_what_its_line_showed(state: Path) -> None:
    remember_listing(LISTING)
    assert find("1") == [SHED]
    assert find("2,1") == [GATE, SHED]
    assert find("1-2") == [SHED, GATE]
    assert find("2", "conflict") == [CONFLICT]
    assert find("3", "job") == [JOB]
    (file,) = state.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(state.stat().st_mode) == 0o700


def test_the_newest_listing_counts() -> None:
    remember_listing(LISTING)
    remember_listing(TerminalListing(LISTING.store, [[GATE]]))
    assert find("1") == [GATE]
    with pytest.raises(UsageProblem, match="there is no line 2: the last listing in this terminal has 1 line"):
        find("1-2")
    remember_listing(None)
    with pytest.raises(UsageProblem, match="no listing has been shown"):
        find("1")


def test_a_listing_is_of_one_session_and_one_store(monkeypatch: pytest.MonkeyPatch) -> None:
    remember_listing(LISTING)
    with pytest.raises(UsageProblem, match=r"is from /srv/notes, not from /srv/other"):
        find_lines("1", ("memory",), "/srv/other")
    monkeypatch.setenv(SESSION_VARIABLE, "two")
    with pytest.raises(UsageProblem, match="no listing has been shown"):
        find("1")
    monkeypatch.setenv(SESSION_VARIABLE, "one")
    assert find("1") == [SHED], "the control: it is still there for the first"


def test_an_old_listing_is_not_taken_and_goes_away(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remember_listing(LISTING)
    (file,) = state.iterdir()
    long_ago = time.time() - 25 * 3600
    os.utime(file, (long_ago, long_ago))
    with pytest.raises(UsageProblem, match="no listing has been shown"):
        find("1")
    monkeypatch.setenv(SESSION_VARIABLE, "two")
    remember_listing(LISTING)
    assert file not in list(state.iterdir())


def test_a_file_that_is_no_listing_is_none(state: Path) -> None:
    remember_listing(LISTING)
    (file,) = state.iterdir()
    file.write_bytes(b'{"store": 3')
    with pytest.raises(UsageProblem, match="no listing has been shown"):
        find("1")


def test_a_line_of_another_kind_is_refused() -> None:
    remember_listing(LISTING)
    with pytest.raises(UsageProblem, match="line 3 of the last listing is a job, not a memory"):
        find("3")
    with pytest.raises(UsageProblem, match="not a memory or source"):
        find("3", "memory", "source")


def test_what_has_changed_is_refused() -> None:
    refuse_changed(SHED, "inbox, version 1")
    refuse_changed(Line("source", "x"), None)
    with pytest.raises(
        WrongState, match=r"\(it was inbox, version 1 and is now active, version 2\); nothing was changed"
    ):
        refuse_changed(SHED, "active, version 2")
    with pytest.raises(WrongState, match="it no longer exists"):
        refuse_changed(SHED, None)


@pytest.mark.parametrize(
    ("text", "numbers"), [("7", [7]), ("1-3", [1, 2, 3]), ("1-3,2,9", [1, 2, 3, 9]), (" 4 , 1", [4, 1]), ("999", [999])]
)
def test_lines_are_written_as_numbers_and_ranges(text: str, numbers: list[int]) -> None:
    assert is_numbers(text)
    assert read_numbers(text) == numbers


@pytest.mark.parametrize("text", ["0", "3-1", "1,0", "0-2"])
def test_lines_that_cannot_be_are_refused(text: str) -> None:
    assert is_numbers(text)
    with pytest.raises(UsageProblem, match="is not a line number or a range of line numbers"):
        read_numbers(text)


@given(st.integers(min_value=0, max_value=2**42), st.integers(min_value=0, max_value=NUMBERED_LINES_MAX))
def test_no_number_is_an_id_and_no_id_is_a_number(moment: int, number: int) -> None:
    name = new_id(moment)
    assert is_id(name)
    assert not any(is_numbers(name[-length:]) for length in range(4, 37))
    for text in (str(number), f"{number}-{number}", f"{number},{number}"):
        assert is_numbers(text)
        assert not ends_id(text)


@pytest.fixture
def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Lets standard output be a new terminal."""
    monkeypatch.delenv(SESSION_VARIABLE)
    kept = os.dup(1)
    opened: list[int] = []

    def change() -> None:
        ours, theirs = pty.openpty()
        os.dup2(theirs, 1)
        opened.extend((ours, theirs))

    yield change
    os.dup2(kept, 1)
    for descriptor in (kept, *opened):
        os.close(descriptor)


def test_every_terminal_is_one_of_its_own(on_terminal: Callable[[], None], capfd: pytest.CaptureFixture[str]) -> None:
    with capfd.disabled():
        on_terminal()
        first = find_terminal()
        assert first == find_terminal()
        on_terminal()
        assert find_terminal() not in (None, first)


def test_where_there_is_no_terminal_nothing_is_kept(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SESSION_VARIABLE)
    monkeypatch.setattr("heldtrue.surfaces.cli.last_listing.find_terminal", lambda: None)
    remember_listing(LISTING)
    assert not state.exists()
    with pytest.raises(UsageProblem, match="does not run in a terminal"):
        find("1")
