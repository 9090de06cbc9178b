"""The guided tour: what a newcomer sees first, run for real."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from heldtrue import Memory
from tests.surfaces.conftest import CommandLine, Done

STEPS = ["Learn", "Learn many", "Agree", "Disagree", "Recall", "Decide", "Correct", "Stay corrected",
         "Look back in time", "Explain", "Forget", "Keep secrets out", "Verify"]  # fmt: skip


@pytest.mark.covers("A14", "A5", "A4")
def test_the_tour_shows_each_step_and_ends_well(process: Callable[..., Done], tmp_path: Path) -> None:
    done = process("tour")
    assert (done.status, done.err) == (0, "")
    assert re.findall(r"^ ?\d+  (.+?)  (?:\d+ days ago|today)$", done.out, re.MULTILINE) == STEPS
    answers = dict(
        zip(STEPS, re.split(r"^ ?\d+  .+?  (?:\d+ days ago|today)$", done.out, flags=re.MULTILINE)[1:], strict=True)
    )
    told = {name: " ".join(text.replace(" \\\n", " ").split()) for name, text in answers.items()}
    assert '$ heldtrue learn "The API listens on port 8080 and' in told["Learn"]
    assert "created" in told["Learn"]
    assert "5 memories: 5 created" in told["Learn many"]
    assert "corroborated" in told["Agree"]
    assert "pending" in told["Disagree"]
    assert "1 memory waiting for review" in told["Disagree"]
    assert "conflicting:" in told["Recall"]
    assert "port 8080" in told["Recall"]
    assert "rejected" in told["Decide"]
    assert "kept The API is deployed from the main branch" in told["Correct"]
    assert "refused" in told["Stay corrected"]
    assert "port 8080" in told["Look back in time"]
    assert 'since then: replaced by "The API listens on port 9090."' in told["Look back in time"]
    assert "Replaced by The API listens on port 9090." in told["Explain"]
    assert "status active → retracted why we deploy from tags now" in told["Forget"]
    assert "[redacted:github-token]" in told["Keep secrets out"]
    assert "Ledger verified" in told["Verify"]
    assert "Try it yourself" in told["Verify"]
    assert not (tmp_path / "home").exists()


def test_the_tour_leaves_nothing_behind_unless_asked(
    heldtrue: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    heldtrue("tour")
    assert list(tmp_path.iterdir()) == []
    told = heldtrue("tour", "--keep")
    (folder,) = tmp_path.iterdir()
    assert f"tour's store is in {folder / 'home'}" in told
    with Memory.open(folder / "home") as memory:
        assert memory.verify().ok
        assert memory.recall("which port does the API listen on?").results[0].memory.content.endswith("9090.")


def test_the_tour_has_colors_where_they_are_wanted(heldtrue: CommandLine) -> None:
    assert "\x1b[" not in heldtrue("tour")
    assert "\x1b[" in heldtrue("tour", "--color", "always")
