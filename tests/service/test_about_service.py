"""`about` over a service: the owner gets the listing and the files, an agent gets neither."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from heldtrue import InvalidInput, NotAllowed
from tests.service.server import ENVIRONMENT, Server


def test_the_files_come_to_the_machine_of_the_person(shared: Server, tmp_path: Path) -> None:
    owner = shared.owner()
    learned = owner.learn("Ann Quill plays the cello.").memory.id
    owner.learn("Bob Marsh plays the harp.")
    assert [item.id for item in owner.about("Ann Quill").items if item.versions] == [learned]
    answer = owner.about("Ann Quill", also=["ann@example.com"], export=tmp_path / "ann")
    assert [(file.path, file.bytes) for file in answer.files] == [
        (str(tmp_path / f"ann{ending}"), (tmp_path / f"ann{ending}").stat().st_size) for ending in (".json", ".html")
    ]
    told = json.loads((tmp_path / "ann.json").read_text("utf-8"))
    assert told["names"] == ["Ann Quill", "ann@example.com"]
    assert [item["id"] for item in told["sections"]["memories"]] == [learned]
    page = (tmp_path / "ann.html").read_text("utf-8")
    assert "cello" in page
    assert "harp" not in page
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in tmp_path.iterdir())
    with pytest.raises(InvalidInput, match="already exists"):
        owner.about("Ann Quill", export=tmp_path / "ann.json")
    assert owner.about("Ann Quill", export=tmp_path / "ann.json", overwrite=True).files


def test_rest_sends_one_file_by_its_ending_and_writes_none_of_its_own(shared: Server) -> None:
    shared.owner().learn("Ann Quill plays the cello.")
    sent = shared.ask("GET", "/v1/files/about?name=Ann+Quill&also=ann%40example.com&export=ann.json")
    assert sent.status == 200
    assert json.loads(sent.body)["names"] == ["Ann Quill", "ann@example.com"]
    page = shared.ask("GET", "/v1/files/about?name=Ann+Quill&export=ann.html")
    assert page.body.startswith(b"<!doctype html>")
    for query in ("name=Ann+Quill", "name=Ann+Quill&export=ann", "name=Ann+Quill&export=ann.txt", "export=ann.json"):
        assert shared.ask("GET", f"/v1/files/about?{query}").status == 400, query
    refused = shared.ask("POST", "/v1/memory.about", {"name": "Ann Quill", "export": "/tmp/ann.json"})
    assert (refused.status, refused.json["field"]) == (403, "export")
    listed = shared.ask("POST", "/v1/memory.about", {"name": "Ann Quill"})
    assert listed.json["counts"]["memories"] == 1


def test_an_agent_gets_neither_the_list_nor_a_file(shared: Server, tmp_path: Path) -> None:
    shared.owner().learn("Ann Quill plays the cello.")
    token = shared.let_in("auditor", role="admin")
    agent = shared.connect(token)
    for export in (None, tmp_path / "ann.json"):
        with pytest.raises(NotAllowed, match="only a person"):
            agent.about("Ann Quill", export=export)
    assert list(tmp_path.iterdir()) == []
    assert shared.owner().about("Ann Quill").items


def test_the_command_line_writes_both_files(shared: Server, tmp_path: Path) -> None:
    shared.owner().learn("Ann Quill plays the cello.")
    words = [sys.executable, "-m", "heldtrue", "--url", shared.url, "about", "Ann", "Quill", "--export", "ann"]
    environment = ENVIRONMENT | {"HELDTRUE_TOKEN": shared.token}
    done = subprocess.run(words, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"ann.json", "ann.html"}
    assert "ann.html" in done.stdout
    again = subprocess.run(words, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (again.returncode, "--overwrite" in again.stderr) == (2, True)
