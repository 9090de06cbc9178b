"""Archives: what is read of them, what is passed over, and what is refused."""

import io
import os
import stat
import zipfile
from pathlib import Path

import pytest

from heldtrue.domain.errors import HeldtrueError, InvalidInput, TooLarge
from heldtrue.domain.limits import SOURCE_BYTES_MAX
from heldtrue.readers import archives
from heldtrue.readers.recognise import read
from tests.unit.readers.making import sort_out, zipped


def write_zip(path: Path, *members: tuple[str | zipfile.ZipInfo, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return path


def test_the_members_of_a_zip_are_read_without_unpacking_it(tmp_path: Path) -> None:
    path = write_zip(
        tmp_path / "e.zip",
        ("b.md", b"otter"),
        ("a/", b""),
        ("a/c.md", b"kelp"),
        ("node_modules/x.js", b"x"),
        (".git/config", b"x"),
        ("__MACOSX/b.md", b"x"),
    )
    before = sorted(tmp_path.iterdir())
    documents, skipped = sort_out(list(read(path)))
    assert documents == ["a/c.md", "b.md"]
    assert set(skipped) == {"node_modules/x.js", ".git/config", "__MACOSX/b.md"}
    assert sorted(tmp_path.iterdir()) == before


def link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("../up.md", b"otter", "points outside"),
        ("a/../../up.md", b"otter", "points outside"),
        ("/etc/otter.md", b"otter", "not a valid path"),
        ("C:/otter.md", b"otter", "not a valid path"),
        ("a\\..\\otter.md", b"otter", "not a valid path"),
        (link("l.md"), b"/etc/passwd", "links are not followed"),
        ("inner.zip", zipped(a_dot_md=b"x"), "nested archives"),
        ("inner.md", zipped(a_dot_md=b"x"), "nested archives"),
        ("bomb.md", b"\0" * 900_000, "100 times"),
        ("large.md", os.urandom(SOURCE_BYTES_MAX + 1), "larger than"),
    ],
)
def test_a_member_that_is_not_what_it_seems_is_left_out(
    tmp_path: Path, name: str | zipfile.ZipInfo, data: bytes, reason: str
) -> None:
    noise = os.urandom(50_000).hex().encode()
    path = write_zip(tmp_path / "e.zip", (name, data), ("kept.md", b"otter"), ("noise.txt", noise))
    documents, skipped = sort_out(list(read(path, "documents")))
    assert documents == ["kept.md", "noise.txt"]
    assert len(skipped) == 1
    assert reason in next(iter(skipped.values()))


def test_a_member_without_a_name_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "e.zip").write_bytes(zipped(no_dot_md=b"otter", kept_dot_md=b"otter").replace(b"no.md", b"\0o.md"))
    documents, skipped = sort_out(list(read(tmp_path / "e.zip")))
    assert (documents, skipped) == (["kept.md"], {"": "its path points outside the archive"})


def test_a_member_with_a_password_or_a_strange_packing_is_left_out(tmp_path: Path) -> None:
    data = bytearray(zipped(a_dot_md=b"otter"))
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "locked.zip").write_bytes(data)
    with zipfile.ZipFile(tmp_path / "lzma.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a.md", b"otter")
    assert sort_out(list(read(tmp_path / "locked.zip")))[1] == {"a.md": "it is protected by a password"}
    assert sort_out(list(read(tmp_path / "lzma.zip")))[1] == {"a.md": "its compression method is not supported"}


def test_an_archive_of_too_many_members_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_zip(tmp_path / "e.zip", *((f"{number}.md", b"otter") for number in range(5)))
    monkeypatch.setattr(archives, "FOLDER_ENTRIES_MAX", 5)
    assert len(list(read(path, "documents"))) == 5
    monkeypatch.setattr(archives, "FOLDER_ENTRIES_MAX", 4)
    with pytest.raises(TooLarge) as refusal:
        next(read(path, "documents"))
    assert refusal.value.field == "path"


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_zip(tmp_path / "e.zip", ("a.md", b"otter"), ("b.md", b"otter"))
    monkeypatch.setattr(archives, "READ_BYTES_MAX", 10)
    assert len(list(read(path, "documents"))) == 2
    monkeypatch.setattr(archives, "READ_BYTES_MAX", 9)
    with pytest.raises(TooLarge):
        next(read(path, "documents"))


def test_members_that_lie_over_one_another_are_refused_as_a_bomb(tmp_path: Path) -> None:
    """Every entry of the directory points at the same packed bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0.md", b"otter " * 100_000)
        first = archive.infolist()[0]
        for number in range(1, 1_000):
            again = zipfile.ZipInfo(f"{number}.md")
            for name in ("header_offset", "CRC", "compress_size", "file_size", "compress_type"):
                setattr(again, name, getattr(first, name))
            archive.filelist.append(again)
            archive.NameToInfo[again.filename] = again
        archive._didModify = True  # type: ignore[attr-defined]
    path = tmp_path / "e.zip"
    path.write_bytes(file.getvalue())
    with pytest.raises(HeldtrueError, match=r"100 times|Overlapped"):
        list(read(path, "documents"))


@pytest.mark.parametrize("cut", [4, 40, 100])
def test_a_zip_that_is_not_whole_is_refused(tmp_path: Path, cut: int) -> None:
    (tmp_path / "e.zip").write_bytes(zipped(a_dot_md=b"otter" * 50)[:cut])
    with pytest.raises(InvalidInput) as refusal:
        list(read(tmp_path / "e.zip"))
    assert refusal.value.field == "path"


def test_a_member_whose_bytes_are_damaged_is_left_out(tmp_path: Path) -> None:
    data = bytearray(zipped(a_dot_md=os.urandom(300).hex().encode(), b_dot_md=b"otter"))
    data[60] ^= 0xFF
    (tmp_path / "e.zip").write_bytes(data)
    documents, skipped = sort_out(list(read(tmp_path / "e.zip", "documents")))
    assert documents == ["b.md"]
    assert "cannot be read" in skipped["a.md"]
