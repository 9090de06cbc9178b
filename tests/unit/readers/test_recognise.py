"""What a file is, by what is in it; and reading it as it goes."""

from pathlib import Path

import pytest

from heldtrue.domain.errors import InvalidInput
from heldtrue.domain.limits import READ_CHUNK_BYTES, SOURCE_BYTES_MAX
from heldtrue.readers.recognise import FORMATS, read, recognise
from heldtrue.readers.values import Conversation, Document, Remark
from tests.unit.readers import samples
from tests.unit.readers.making import zipped

SHOWN = [kind for kind in samples.FILES if kind != "obsidian"]
"""A note of a vault alone is any note."""


@pytest.mark.parametrize("kind", SHOWN)
def test_a_file_is_known_by_its_bytes_under_any_name(tmp_path: Path, kind: str) -> None:
    name, data = samples.FILES[kind]
    if kind not in ("basic-memory", "agents-files"):  # these are Markdown, or a name and nothing else
        name = "download"
    (tmp_path / name).write_bytes(data)
    assert recognise(tmp_path / name) == kind


@pytest.mark.parametrize("kind", ["chatgpt", "claude-export", "claude-code", "codex", "server-memory", "mem0"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_an_encoding_does_not_hide_a_format(tmp_path: Path, kind: str, encoding: str) -> None:
    path = tmp_path / "download"
    path.write_bytes(samples.FILES[kind][1].decode().encode(encoding))
    assert recognise(path) == kind
    assert any(isinstance(value, Conversation | Remark) for value in read(path))


@pytest.mark.parametrize("kind", ["chatgpt", "claude-export", "claude-code", "codex", "mem0", "basic-memory"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_folder_or_a_zip_is_known_by_its_files(tmp_path: Path, kind: str, packed: bool) -> None:
    name, data = samples.FILES[kind]
    if packed:
        place = tmp_path / "e.zip"
        place.write_bytes(zipped(**{name: data, "Thumbs.db": b"\0"} if kind == "chatgpt" else {name: data}))
    else:
        place = tmp_path / "folder"
        place.mkdir()
        (place / name).write_bytes(data)
    assert recognise(place) == kind
    assert any(isinstance(value, Conversation | Remark) for value in read(place))


def test_a_project_with_an_export_deep_inside_is_documents(tmp_path: Path) -> None:
    for name, data in (
        ("tests/data/fixtures/conversations.json", samples.CHATGPT),
        ("README.md", b"# otter"),
        ("a.py", b"otter = 1"),
        ("CLAUDE.md", samples.AGENTS),
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    assert recognise(tmp_path) == "documents"
    (tmp_path / "empty").mkdir()
    assert recognise(tmp_path / "empty") == "documents"


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\0\0", b"SQLite format 3\0", b"\0"])
def test_what_is_no_format_is_refused_with_the_names_of_those_that_are(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "conversations.json").write_bytes(data)
    with pytest.raises(InvalidInput) as refusal:
        recognise(tmp_path / "conversations.json")
    assert refusal.value.field == "path"
    assert all(name in (refusal.value.hint or "") for name in FORMATS)


def test_a_format_that_is_not_known_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as refusal:
        read(tmp_path, "otters")
    assert refusal.value.field == "format"
    assert all(name in (refusal.value.hint or "") for name in FORMATS)


def test_a_folder_without_anything_of_the_named_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("otter")
    with pytest.raises(InvalidInput, match="does not contain a ChatGPT export"):
        list(read(tmp_path, "chatgpt"))


def test_a_reader_yields_as_it_goes_and_tells_the_bytes_it_has_read(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    one = samples.CHATGPT.strip()[1:-1]
    path.write_bytes(b"[" + b",".join([one] * 500) + b"]")
    told: list[int] = []
    values = read(path, progress=told.append)
    assert told == []
    next(values)
    assert told == [READ_CHUNK_BYTES]
    assert sum(isinstance(value, Conversation) for value in values) == 499
    assert told == sorted(told)
    assert told[-1] == path.stat().st_size


def test_the_progress_of_a_folder_and_of_a_zip_counts_all_their_files(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("a.md", "b.md"):
        (folder / name).write_bytes(b"otter")
    (tmp_path / "e.zip").write_bytes(zipped(a_dot_md=b"otter", b_dot_md=b"otter"))
    for path in (folder, tmp_path / "e.zip"):
        told: list[int] = []
        assert sum(isinstance(value, Document) for value in read(path, progress=told.append)) == 2
        assert told == [5, 10]


def test_a_large_transcript_in_a_folder_is_read_though_a_large_document_is_not(tmp_path: Path) -> None:
    line = samples.dumps(samples.code_line("user", "otter " * 1000))
    (tmp_path / "s.jsonl").write_bytes(line * (SOURCE_BYTES_MAX // len(line) + 1))
    assert recognise(tmp_path) == "claude-code"
    assert any(isinstance(value, Conversation) for value in read(tmp_path))
    assert not any(isinstance(value, Document) for value in read(tmp_path, "documents"))
