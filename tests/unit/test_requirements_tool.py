"""`make requirements` tells the truth about which rows the tests cover."""

from pathlib import Path

import pytest

from tools.requirements import PROJECT, main, read_rows

ROWS = """\
| id | what must hold |
| --- | --- |
| A1 | Facts are kept. |
| A2 | Facts are found. |
| B1 | One way in. |
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "requirements.md").write_text(ROWS)
    (tmp_path / "tests" / "unit").mkdir(parents=True)
    return tmp_path


def write_test(project: Path, text: str) -> None:
    (project / "tests" / "unit" / "test_it.py").write_text(f"import pytest\n{text}\n")


def test_uncovered_rows_are_listed_with_their_sentence(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_test(project, '@pytest.mark.covers("A1")\ndef test_it(): ...')
    assert main([str(project)]) == 0
    assert capsys.readouterr().out == (
        "1 of 3 rows are covered by a test.\n\nNo test covers these 2:\n  A2   Facts are found.\n  B1   One way in.\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        '@pytest.mark.covers("A1", "A2")\n@pytest.mark.covers("B1")\ndef test_it(): ...',
        'pytestmark = [pytest.mark.slow, pytest.mark.covers("A1", "A2", "B1")]',
        'class TestIt:\n    @pytest.mark.covers("A1", "A2", "B1")\n    def test_it(self): ...',
        'ROWS = [pytest.param(1, marks=pytest.mark.covers("A1", "A2", "B1"))]',
    ],
)
def test_a_mark_counts_wherever_it_stands(project: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    write_test(project, text)
    assert main([str(project)]) == 0
    assert capsys.readouterr().out == "3 of 3 rows are covered by a test.\n"


@pytest.mark.parametrize("text", ['# @pytest.mark.covers("A1")', '"""pytest.mark.covers("A1")"""', 'x.covers("A1")'])
def test_what_is_no_mark_does_not_count(project: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    write_test(project, text)
    assert main([str(project)]) == 0
    assert capsys.readouterr().out.startswith("0 of 3 rows")


def test_a_mark_that_names_an_unknown_row_fails(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_test(project, '@pytest.mark.covers("A1", "Z9")\ndef test_it(): ...')
    assert main([str(project)]) == 1
    assert capsys.readouterr().err == "tests/unit/test_it.py:2: docs/requirements.md has no row Z9\n"


def test_a_mark_that_cannot_be_read_fails(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_test(project, "@pytest.mark.covers(*ROWS)\ndef test_it(): ...")
    assert main([str(project)]) == 1
    assert "must be written as plain text" in capsys.readouterr().err


def test_a_row_that_stands_twice_is_refused(project: Path) -> None:
    with pytest.raises(SystemExit, match="A1 twice"):
        read_rows(ROWS + "| A1 | Again. |\n")


def test_the_project_lists_all_its_rows() -> None:
    rows = read_rows((PROJECT / "docs" / "requirements.md").read_text(encoding="utf-8"))
    counts = {"A": 31, "B": 31, "C": 21, "D": 28, "E": 9}
    assert list(rows) == [f"{group}{number}" for group, count in counts.items() for number in range(1, count + 1)]


def test_the_marks_of_this_project_name_existing_rows(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(PROJECT)]) == 0, capsys.readouterr().err
