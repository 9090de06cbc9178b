"""Files of every kind as documents."""

import codecs
from pathlib import Path

import pytest

from heldtrue.distribution import suggest_install
from heldtrue.domain.errors import HeldtrueError, InvalidInput, TooLarge
from heldtrue.domain.limits import SOURCE_BYTES_MAX
from heldtrue.readers import pdf
from heldtrue.readers.html_text import read_html
from heldtrue.readers.pdf import ReaderMissing
from heldtrue.readers.recognise import read
from heldtrue.readers.values import Document, FileNote, Skipped, Value
from tests.unit.readers.making import make_pdf, zipped
from tests.unit.readers.samples import HTML


def read_one(tmp_path: Path, name: str, data: bytes) -> list[Value]:
    path = tmp_path / name
    path.write_bytes(data)
    return list(read(path, "documents"))


@pytest.mark.parametrize(
    ("name", "content_type"),
    [
        ("a.md", "text/markdown"),
        ("a.txt", "text/plain"),
        ("a.py", "text/x-python"),
        ("a.json", "application/json"),
        ("a.jsonl", "application/jsonl"),
        ("Makefile", "text/plain"),
    ],
)
def test_a_text_is_kept_word_for_word_under_the_type_of_its_suffix(
    tmp_path: Path, name: str, content_type: str
) -> None:
    [document] = read_one(tmp_path, name, b'{"otter": 1}\n')
    assert isinstance(document, Document)
    assert (document.path, document.text, document.content_type) == (name, '{"otter": 1}\n', content_type)
    assert document.lines
    assert document.modified_at == (tmp_path / name).stat().st_mtime_ns // 1000


@pytest.mark.parametrize(
    ("data", "title"),
    [
        (b"---\ntitle: Rafts\n---\n# Otters\n", "Rafts"),
        (b"Some words\n\n# Otters #\n", "Otters"),
        (b"no heading\n", None),
    ],
)
def test_a_note_has_the_title_it_gives_itself(tmp_path: Path, data: bytes, title: str | None) -> None:
    [document] = read_one(tmp_path, "a.md", data)
    assert isinstance(document, Document)
    assert document.title == title


@pytest.mark.parametrize(
    ("data", "text", "note"),
    [
        (codecs.BOM_UTF8 + "é\r\n1\r2\n".encode(), "é\n1\n2\n", None),
        (codecs.BOM_UTF16_LE + "é otter".encode("utf-16-le"), "é otter", None),
        (codecs.BOM_UTF16_BE + "é otter".encode("utf-16-be"), "é otter", None),
        (codecs.BOM_UTF32_LE + "é otter".encode("utf-32-le"), "é otter", None),
        (codecs.BOM_UTF16_LE + b"a\x00b", "a\ufffd", "not valid UTF-16-LE"),
        ("é otter".encode("latin-1"), "é otter", "read as Latin-1"),
        (b"x" * 9000 + b"\x00", "x" * 9000 + "\ufffd", None),
    ],
)
def test_every_encoding_is_read_or_said_to_be_guessed(tmp_path: Path, data: bytes, text: str, note: str | None) -> None:
    *notes, document = read_one(tmp_path, "a.txt", data)
    assert isinstance(document, Document)
    assert document.text == text
    assert [str(note) in value.text for value in notes if isinstance(value, FileNote)] == [True] * bool(note)


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.txt", b"", "contains no text"),
        ("a.md", b" \n\n", "contains no text"),
        ("a.png", b"\x89PNG\r\n\x1a\n\x00\x00", "not a text file"),
        ("a.dat", b"\xff\xfe\xfa otter"[2:], "not a text file"),
        ("a.html", b"<html><script>otter()</script></html>", "contains no text"),
    ],
)
def test_what_has_no_text_is_named(tmp_path: Path, name: str, data: bytes, reason: str) -> None:
    [skipped] = read_one(tmp_path, name, data)
    assert isinstance(skipped, Skipped)
    assert reason in skipped.reason


def test_an_archive_in_the_clothes_of_a_note_is_not_read_as_one(tmp_path: Path) -> None:
    inner = zipped(a_dot_md=b"otter")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "b.md").write_bytes(inner)
    [skipped] = read(tmp_path / "folder", "documents")
    assert isinstance(skipped, Skipped)
    assert "archive" in skipped.reason


def test_a_text_at_the_limit_is_read_and_one_beyond_it_refused(tmp_path: Path) -> None:
    [document] = read_one(tmp_path, "a.txt", b"x" * SOURCE_BYTES_MAX)
    assert isinstance(document, Document)
    with pytest.raises(TooLarge) as refusal:
        read_one(tmp_path, "a.txt", b"x" * (SOURCE_BYTES_MAX + 1))
    assert refusal.value.field == "path"


def test_a_saved_page_is_text_with_its_structure_and_without_what_is_not_shown(tmp_path: Path) -> None:
    [document] = read_one(tmp_path, "saved", HTML)
    assert isinstance(document, Document)
    assert (document.title, document.content_type, document.lines) == ("Otter & sea", "text/html", False)
    assert document.text == (
        "# Otters\n\nAn otter sleeps afloat.\n\n- kelp\n- clams\n  1. one\n  2. two\n\n"
        "name | age\nAda | 3\n\n```\nraft  =  [otter]\n```"
    )


def test_comments_before_a_page_do_not_hide_it_nor_keep_us_busy(tmp_path: Path) -> None:
    [page] = read_one(tmp_path, "saved", b"<?xml?>\n<!-- a --><!-- b -->\n" + HTML)
    assert isinstance(page, Document)
    assert page.content_type == "text/html"
    [text] = read_one(tmp_path, "saved", b"<!-- -->" * 1_000 + b"<")
    assert isinstance(text, Document)
    assert text.content_type == "text/plain"


def test_an_item_with_nothing_in_it_leaves_no_mark() -> None:
    page = read_html("<ul><li><button>x</button></li><li>otter</li><li><ul><li>kelp</li></ul></li><li></li></ul><p>end")
    assert page.text == "- otter\n  - kelp\n\nend"


@pytest.mark.parametrize(
    "markup",
    [
        piece * 100_000
        for piece in (
            "<a ",
            "<!--",
            "<script>",
            "</script",
            "<",
            "<nav>",
            "&",
            "</",
            "<ul><li>",
            "<![if",
            "<a b='",
            "<pre>",
        )
    ],
)
def test_a_page_made_to_keep_a_parser_busy_is_read_at_once(markup: str) -> None:
    read_html(markup)
    assert read_html(f"<p>otter</p>{markup}").text.startswith("otter")


def test_each_page_of_a_pdf_is_a_document_and_a_scan_is_named(tmp_path: Path) -> None:
    pytest.importorskip("pypdf")
    first, third, scans = read_one(tmp_path, "r.pdf", make_pdf("An otter page", "", "The end"))
    assert isinstance(first, Document)
    assert isinstance(third, Document)
    assert (first.path, first.text, first.title) == ("r.pdf#page=1", "An otter page", "Otter report")
    assert (third.path, third.text, third.lines) == ("r.pdf#page=3", "The end", False)
    assert isinstance(scans, Skipped)
    assert "1 of 3 pages have no text" in scans.reason


@pytest.mark.parametrize("data", [b"%PDF-1.4\n", b"%PDF-1.4\nrubbish" * 50, make_pdf("otter")[:100]])
def test_a_broken_pdf_is_refused_in_words(tmp_path: Path, data: bytes) -> None:
    pytest.importorskip("pypdf")
    with pytest.raises(InvalidInput, match=r"r\.pdf is not a readable PDF"):
        read_one(tmp_path, "r.pdf", data)


def test_without_its_package_a_pdf_is_refused_with_the_command_that_brings_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(pdf, "import_module", missing)
    with pytest.raises(ReaderMissing, match="pypdf") as refusal:
        read_one(tmp_path, "r.pdf", make_pdf("otter"))
    assert isinstance(refusal.value, HeldtrueError)
    assert refusal.value.hint == suggest_install("documents")
    (tmp_path / "a.md").write_text("otter")
    found = list(read(tmp_path, "documents"))
    assert [type(value) for value in found] == [Document, Skipped]
    assert "[documents]" in str(found[1])
