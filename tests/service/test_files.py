"""A person who only has a URL backs up, exports, imports and ingests; no request reaches a file of the server."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from heldtrue import HeldtrueError, InvalidInput, Memory, StorageProblem, WrongState
from heldtrue.surfaces.remote import BrainClient
from tests.service.server import ENVIRONMENT, Server

FILE = {"Content-Type": "application/octet-stream"}


def contents(memory: Memory) -> set[str]:
    return {item.content for item in memory.list(limit=100).items}


@pytest.mark.covers("B29")
def test_a_person_with_a_url_backs_up_and_the_backup_restores(shared: Server, tmp_path: Path) -> None:
    owner = shared.owner()
    owner.learn("The lighthouse keeper is called Brigid.")
    answer = owner.backup(tmp_path / "copy.db")
    assert (answer.path, answer.bytes) == (str(tmp_path / "copy.db"), (tmp_path / "copy.db").stat().st_size)
    exported = owner.export(tmp_path / "copy.jsonl")
    assert exported.head == answer.head
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600
    for file in ("copy.db", "copy.jsonl"):
        with Memory.open(tmp_path / f"home-{file}") as restored:
            assert restored.restore_backup(tmp_path / file).entries == answer.entries
            assert "The lighthouse keeper is called Brigid." in contents(restored)
            assert restored.verify(head=answer.head).ok
    with pytest.raises(InvalidInput, match="already exists"):
        owner.backup(tmp_path / "copy.db")
    assert owner.backup(tmp_path / "copy.db", overwrite=True).entries == answer.entries
    with pytest.raises(StorageProblem):
        owner.backup(tmp_path / "no-such-folder" / "copy.db")
    assert not list(tmp_path.glob(".*.part"))


@pytest.mark.covers("B29")
def test_the_command_line_backs_up_a_service_by_its_url(shared: Server, tmp_path: Path) -> None:
    shared.owner().learn("The ferry leaves at seven.")
    words = [sys.executable, "-m", "heldtrue", "--url", shared.url, "--json", "backup", "there.db"]
    done = subprocess.run(
        words, env=ENVIRONMENT | {"HELDTRUE_TOKEN": shared.token}, cwd=tmp_path, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["bytes"] == (tmp_path / "there.db").stat().st_size
    with Memory.open(tmp_path / "new") as restored:
        restored.restore_backup(tmp_path / "there.db")
        assert "The ferry leaves at seven." in contents(restored)


@pytest.mark.covers("B29", "B4")
def test_files_are_imported_and_ingested_through_the_url(shared: Server, tmp_path: Path) -> None:
    owner = shared.owner()
    with Memory.open(tmp_path / "other") as other:
        other.learn("The harbour has two cranes.")
        other.export(tmp_path / "other.jsonl")
    answer = owner.import_(tmp_path / "other.jsonl")
    assert (answer.how, sum(answer.counts.values())) == ("proposed", answer.entries)
    assert "The harbour has two cranes." in contents(owner)
    notes = tmp_path / "tides é.md"
    notes.write_text("# Tides\n\nSpring tide is on the ninth.\n", "utf-8")
    assert owner.ingest(notes, extract=False).documents == 1
    assert owner.ingest(notes, extract=False).unchanged == 1, "the same file again is the same document"
    notes.write_text("# Tides\n\nSpring tide is on the tenth.\n", "utf-8")
    assert owner.ingest(notes, extract=False).documents == 1
    found = owner.recall("when is spring tide?", within=["sources"]).results
    assert "tenth" in found[0].passage.text
    with pytest.raises(InvalidInput, match="folder"):
        owner.ingest(tmp_path)
    with pytest.raises(WrongState, match="not empty"):
        owner.restore_backup(tmp_path / "other.jsonl")
    with BrainClient(shared.url, shared.token) as client:
        assert client.export(str(tmp_path / "thin.jsonl"))["entries"] > 0
        assert client.import_(str(tmp_path / "thin.jsonl"))["how"] == "proposed"


@pytest.mark.covers("B24")
def test_a_request_names_no_file_of_the_server_unless_a_folder_is_set(tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("The vault code is 4711.", "utf-8")
    server = Server(tmp_path / "home").start()
    try:
        for verb in ("export", "backup", "import", "restore_backup", "ingest", "export_key", "import_key"):
            refused = server.ask("POST", f"/v1/memory.{verb}", {"path": str(secret)})
            assert (refused.status, refused.json["code"]) == (403, "not_allowed"), verb
        assert secret.read_text("utf-8") == "The vault code is 4711."
    finally:
        server.stop()
    files = tmp_path / "files"
    (files / "inner").mkdir(parents=True)
    (files / "out").symlink_to(secret)
    (files / "notes.md").write_text("The pier is long.", "utf-8")
    (tmp_path / "home" / "heldtrue.toml").write_text(f'[server]\nfiles = "{files}"\n', "utf-8")
    server.start()
    try:
        for path in (str(secret), "../secret.md", "inner/../../secret.md", "out", "/etc/passwd", "~/x", "inner/\x00"):
            refused = server.ask("POST", "/v1/memory.ingest", {"path": path})
            assert refused.status in (400, 403, 404), path
            refused = server.ask("POST", "/v1/memory.export", {"path": path, "overwrite": True})
            assert refused.status in (400, 403) or path == "~/x", path
        assert secret.read_text("utf-8") == "The vault code is 4711."
        assert server.ask("POST", "/v1/memory.ingest", {"path": "notes.md"}).json["documents"] == 1
        assert server.ask("POST", "/v1/memory.backup", {"path": "inner/copy.db"}).status == 200
        assert (files / "inner" / "copy.db").exists()
    finally:
        server.stop()


@pytest.mark.covers("B24")
def test_an_agent_neither_sends_nor_fetches_files(shared: Server) -> None:
    token = shared.let_in("loader", role="admin")
    for method, path in (("GET", "/v1/files/backup"), ("GET", "/v1/files/export"), ("GET", "/v1/files/export_key")):
        assert shared.ask(method, path, token=token).status == 403
        assert shared.ask(method, path).status == 200, "the owner does"
    for verb in ("import", "ingest", "restore_backup", "import_key"):
        path = f"/v1/files/{verb}?path=x"
        assert shared.ask("POST", path, b"{}", token=token, headers=FILE).status == 403
        assert shared.ask("POST", path, b"{}", token=None, headers=FILE).status == 401


def test_a_file_route_takes_only_a_file_and_names_what_is_wrong(shared: Server) -> None:
    assert shared.ask("POST", "/v1/files/import?path=x", b"{}").status == 415
    assert shared.ask("POST", "/v1/files/import?path=x&colour=red", b"", headers=FILE).json["field"] == "colour"
    assert shared.ask("GET", "/v1/files/backup?path=/etc/x").json["field"] == "path"
    big = {"Content-Length": str(10**13), **FILE}
    assert shared.ask("POST", "/v1/files/import?path=x", headers=big).status == 413
    assert shared.ask("HEAD", "/v1/files/backup").status == 200
    told = shared.ask("GET", "/v1/files/export")
    assert json.loads(told.headers["heldtrue-answer"])["bytes"] == len(told.body)


def peak_bytes(process_id: int) -> int:
    """The most memory that a process has ever used."""
    lines = Path(f"/proc/{process_id}/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024


@pytest.mark.covers("B24")
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of a process is read from /proc")
def test_a_large_file_passes_through_without_filling_the_memory_of_the_server(server: Server, tmp_path: Path) -> None:
    owner = server.owner()
    owner.learn("The quay is made of granite.")
    owner.export(tmp_path / "first.jsonl")
    owner.import_(tmp_path / "first.jsonl")
    before = peak_bytes(server.process.pid)
    large = tmp_path / "large.jsonl"
    line = b'{"content": "' + b"x" * 1024 * 1024 + b'"}\n'
    with large.open("wb") as file:
        file.writelines([b'{"content": "The first line is fine."}\n', *[line] * 256])
    with pytest.raises(HeldtrueError, match="line 2"):
        owner.import_(large)
    assert peak_bytes(server.process.pid) - before < 64 * 1024 * 1024
    assert "The first line is fine." not in contents(owner)
