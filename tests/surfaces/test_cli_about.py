"""What `heldtrue about` prints, and the files it writes."""

from __future__ import annotations

import json
from pathlib import Path

from tests.surfaces.conftest import CommandLine


def test_the_listing_counts_numbers_and_names_the_sources(heldtrue: CommandLine) -> None:
    heldtrue("learn", "Ann Quill lives in Porto.", "--source", "chat 12")
    heldtrue("learn", "Bob Marsh lives in Oslo.")
    heldtrue("recall", "Where does Ann Quill live?")
    printed = heldtrue("about", "Ann", "Quill", "--also", "Quill, Ann")
    assert "3 items about Ann Quill" in printed
    for words in ("1  Memories", "1  Sources", "1  Logged questions", "  1   Ann Quill lives in Porto.", "(chat 12)"):
        assert words in printed
    assert "Oslo" not in printed
    assert "active" in printed
    assert "Nothing mentions Cleo." in heldtrue("about", "Cleo")
    assert heldtrue.json("about", "Ann Quill")["counts"]["memories"] == 1
    assert "--cursor" in heldtrue("about", "Ann Quill", "--limit", "1")
    lines = heldtrue("--quiet", "about", "Ann Quill").split()
    assert len(lines) == 3


def test_an_agent_is_refused(heldtrue: CommandLine) -> None:
    heldtrue("learn", "Ann Quill lives in Porto.")
    refused = heldtrue.run("--agent", "codex", "about", "Ann Quill")
    assert (refused.status, refused.out) == (4, "")
    assert "only a person" in refused.err
    assert "Porto" in heldtrue("about", "Ann Quill")


def test_the_ending_decides_which_file_is_written(heldtrue: CommandLine, tmp_path: Path) -> None:
    heldtrue("learn", "Ann Quill lives in Porto.")
    printed = heldtrue("about", "Ann Quill", "--export", str(tmp_path / "ann.json"))
    assert "Written" in printed
    assert json.loads((tmp_path / "ann.json").read_text("utf-8"))["names"] == ["Ann Quill"]
    refused = heldtrue.run("about", "Ann Quill", "--export", str(tmp_path / "ann"))
    assert refused.status == 2
    assert "--overwrite" in refused.err
    assert not (tmp_path / "ann.html").exists()
    heldtrue("about", "Ann Quill", "--export", str(tmp_path / "ann"), "--overwrite")
    assert "Porto" in (tmp_path / "ann.html").read_text("utf-8")
    inside = heldtrue.run("about", "Ann Quill", "--export", str(heldtrue.home / "ann.json"))
    assert (inside.status, "inside the home" in " ".join(inside.err.split())) == (2, True)
