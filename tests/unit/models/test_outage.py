"""An endpoint that failed is left alone for a while, by this process and by the next ones."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from heldtrue.domain.limits import MODEL_REST_SECONDS
from heldtrue.models.outage import Outage, outage_file


@pytest.fixture
def now() -> list[float]:
    return [1_000.0]


def make(file: Path | None, now: list[float]) -> Outage:
    return Outage(file, monotonic=lambda: now[0])


def test_a_failure_is_remembered_for_a_while_and_one_caller_tries_again(now: list[float]) -> None:
    outage = make(None, now)
    assert outage.current() is None
    outage.begin("returned status 500")
    note = outage.current()
    assert note is not None
    assert (note.reason, outage.seconds_since(note)) == ("returned status 500", 0.0)
    now[0] += MODEL_REST_SECONDS - 1
    assert outage.current() == note
    now[0] += 1
    assert outage.current() is None, "its time is over: this caller tries"
    assert outage.current() is not None, "and the others wait for what comes of it"
    outage.end()
    assert outage.current() is None


def test_processes_of_one_home_share_what_they_know(tmp_path: Path, now: list[float]) -> None:
    file = outage_file(tmp_path, "questions", "http://localhost:1/v1", "otter")
    here, there = make(file, now), make(file, now)
    here.begin("did not respond in time")
    assert there.current() == here.current() is not None
    other = outage_file(tmp_path, "questions", "http://localhost:2/v1", "otter")
    assert make(other, now).current() is None, "another endpoint has nothing to do with it"
    now[0] += MODEL_REST_SECONDS
    assert there.current() is None
    there.end()
    assert make(file, now).current() is None
    assert list(tmp_path.iterdir()) == [], "nothing is left behind"


def test_a_note_from_before_the_machine_was_started_anew_says_nothing(tmp_path: Path, now: list[float]) -> None:
    file = outage_file(tmp_path, "questions")
    make(file, now).begin("did not respond in time")
    assert make(file, [5.0]).current() is None


@pytest.mark.parametrize("content", [b"", b"\xff", b"[]", b'{"failed_at": "x"}', b"[" * 100_000])
def test_a_file_that_is_not_a_note_says_nothing(tmp_path: Path, now: list[float], content: bytes) -> None:
    file = tmp_path / "endpoint.down"
    file.write_bytes(content)
    assert make(file, now).current() is None


def test_what_cannot_be_read_or_written_is_remembered_by_the_process_alone(tmp_path: Path, now: list[float]) -> None:
    pipe, folder = tmp_path / "pipe", tmp_path / "folder"
    os.mkfifo(pipe)
    folder.mkdir()
    for file in (pipe, folder, tmp_path / "missing" / "note"):
        outage = make(file, now)
        assert outage.current() is None
        outage.begin("did not respond in time")
        assert outage.current() is not None
        assert make(file, now).current() is None
        outage.end()
        assert outage.current() is None


def test_a_space_in_memory_has_no_file() -> None:
    assert outage_file(None, "questions") is None
