"""Folders: what is read of them, what is passed over, and what is refused."""

import os
from pathlib import Path

import pytest

from heldtrue.domain.errors import NotFound, TooLarge
from heldtrue.domain.limits import SOURCE_BYTES_MAX
from heldtrue.readers import feeds, folders
from heldtrue.readers.recognise import read
from heldtrue.readers.values import Value
from tests.unit.readers.making import sort_out


def fill(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("otter")


def test_a_folder_is_read_in_the_order_of_names_and_what_is_no_text_of_its_owner_is_passed_over(tmp_path: Path) -> None:
    fill(tmp_path, "b.md", "a/z.md", "a/deep/c.md", "a/y.md", "c.py")
    fill(tmp_path, ".git/config", "node_modules/x/index.js", "src/__pycache__/a.txt", "py/pyvenv.cfg", "py/lib.py")
    fill(tmp_path, ".env", "old.zip", ".venv/x.py", "venv/y.py")
    documents, skipped = sort_out(list(read(tmp_path, "documents")))
    assert documents == ["a/deep/c.md", "a/y.md", "a/z.md", "b.md", "c.py"]
    assert skipped == {
        ".git": "a hidden folder",
        ".venv": "a hidden folder",
        ".env": "a hidden file",
        "node_modules": "a folder of installed packages",
        "src/__pycache__": "a folder of compiled files",
        "py": "a virtual environment",
        "venv": "a virtual environment",
        "old.zip": "nested archives are not read",
    }


def test_no_link_is_followed_and_no_pipe_waited_for(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    fill(outside, "secret.md")
    inside = tmp_path / "inside"
    fill(inside, "kept.md")
    (inside / "file.md").symlink_to(outside / "secret.md")
    (inside / "folder").symlink_to(outside)
    (inside / "own.md").symlink_to(inside / "kept.md")
    os.mkfifo(inside / "pipe.md")
    documents, skipped = sort_out(list(read(inside, "documents")))
    assert documents == ["kept.md"]
    assert set(skipped) == {"file.md", "folder", "own.md", "pipe.md"}
    assert sort_out(list(read(outside, "documents")))[0] == ["secret.md"]


def test_a_file_that_turns_into_a_link_before_it_is_opened_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    fill(outside, "secret.md")
    inside = tmp_path / "inside"
    fill(inside, "a.md", "b.md")
    found: list[Value] = []
    for value in read(inside, "documents"):
        found.append(value)
        if len(found) == 1:
            (inside / "b.md").unlink()
            (inside / "b.md").symlink_to(outside / "secret.md")
    documents, skipped = sort_out(found)
    assert documents == ["a.md"]
    assert set(skipped) == {"b.md"}


def test_a_folder_with_too_many_entries_is_refused_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path, *(f"{number}.md" for number in range(5)))
    monkeypatch.setattr(folders, "FOLDER_ENTRIES_MAX", 5)
    assert len(list(read(tmp_path, "documents"))) == 5
    monkeypatch.setattr(folders, "FOLDER_ENTRIES_MAX", 4)
    with pytest.raises(TooLarge) as refusal:
        next(read(tmp_path, "documents"))
    assert refusal.value.field == "path"


def test_a_folder_with_too_many_bytes_is_refused_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path, "a.md", "b.md")
    monkeypatch.setattr(folders, "READ_BYTES_MAX", 10)
    assert len(list(read(tmp_path, "documents"))) == 2
    monkeypatch.setattr(folders, "READ_BYTES_MAX", 9)
    with pytest.raises(TooLarge) as refusal:
        next(read(tmp_path, "documents"))
    assert refusal.value.field == "path"


def test_a_file_that_grows_while_it_is_read_ends_at_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path, "a.md")
    monkeypatch.setattr(feeds, "READ_BYTES_MAX", 4)
    with pytest.raises(TooLarge):
        list(read(tmp_path / "a.md", "documents"))


def test_a_large_file_is_left_out_and_the_others_are_read(tmp_path: Path) -> None:
    fill(tmp_path, "a.md")
    (tmp_path / "big.txt").write_bytes(b"x" * (SOURCE_BYTES_MAX + 1))
    documents, skipped = sort_out(list(read(tmp_path, "documents")))
    assert documents == ["a.md"]
    assert "larger than 1,048,576 bytes" in skipped["big.txt"]


def test_folders_nested_too_deep_are_left_out(tmp_path: Path) -> None:
    fill(tmp_path, "/".join("d" * 31) + "/kept.md", "/".join("d" * 32) + "/lost.md")
    documents, skipped = sort_out(list(read(tmp_path, "documents")))
    assert [path[-7:] for path in documents] == ["kept.md"]
    assert skipped == {"/".join("d" * 32): "folders are nested deeper than 32 levels"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_opened_is_named(tmp_path: Path) -> None:
    fill(tmp_path, "a.md", "b/c.md")
    (tmp_path / "a.md").chmod(0)
    (tmp_path / "b").chmod(0)
    documents, skipped = sort_out(list(read(tmp_path, "documents")))
    (tmp_path / "b").chmod(0o700)
    assert documents == []
    assert set(skipped) == {"a.md", "b"}


def test_a_name_that_is_no_text_is_shown_as_one(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.md")).write_text("otter")
    documents, _ = sort_out(list(read(tmp_path, "documents")))
    assert documents == ["\ufffd.md"]


@pytest.mark.parametrize("path", ["missing", "a\0b"])
def test_a_path_that_is_not_there_is_not_found(tmp_path: Path, path: str) -> None:
    with pytest.raises(NotFound) as refusal:
        read(f"{tmp_path}/{path}")
    assert refusal.value.field == "path"
