"""`make requirements` tells the truth about which rows the tests cover."""

from pathlib import Path

import pytest

from tools.requirements import PROJECT, main, read_rows

ROWS = """\
| id | what must hold | state |
| --- | --- | --- |
| A1 | Facts are kept. | partly |
| A2 | Facts are found. | partly |
| B1 | One way in. | partly |

- A1: the oldest.
- A2: the newest.
- B1: the way.
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
        "1 of 3 rows are covered by a test. States: 0 available, 3 partly, 0 planned.\n\nNot covered (2):\n"
        "  A2   partly     Facts are found.\n  B1   partly     One way in.\n"
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
    told = capsys.readouterr().out
    assert told == "3 of 3 rows are covered by a test. States: 0 available, 3 partly, 0 planned.\n"


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
        read_rows(ROWS + "| A1 | Again. | partly |\n")


def test_a_row_in_an_unknown_state_is_refused() -> None:
    with pytest.raises(SystemExit, match="the state of A1"):
        read_rows("| A1 | Facts are kept. | nearly |\n")


@pytest.mark.parametrize(
    ("row", "mark", "told"),
    [
        ("| B2 | Slow work. | available |", "A1", "B2 is called available, but no test covers it"),
        ("| B2 | Slow work. | planned |", "B2", "B2 is called planned, but a test covers it"),
        ("| B2 | Slow work. | partly |", "B2", "B2 holds partly, but the page does not say what is missing"),
        ("- B2: all of it.", "A1", "something is missing of B2, which is no row"),
        (
            "| B2 | Slow work. | planned |\n- B2: all of it.",
            "A1",
            "B2 is called planned, but the page says that something is missing",
        ),
    ],
)
def test_a_page_that_does_not_tell_the_truth_fails(
    project: Path, row: str, mark: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write_test(project, f'@pytest.mark.covers("{mark}")\ndef test_it(): ...')
    (project / "docs" / "requirements.md").write_text(f"{ROWS}{row}\n")
    assert main([str(project)]) == 1
    assert capsys.readouterr().err == f"{told}\n"


def test_the_project_lists_all_its_rows() -> None:
    rows = read_rows((PROJECT / "docs" / "requirements.md").read_text(encoding="utf-8"))
    counts = {"A": 33, "B": 33, "C": 22, "D": 30, "E": 10, "X": 9}
    assert list(rows) == [f"{group}{number}" for group, count in counts.items() for number in range(1, count + 1)]


def test_the_marks_of_this_project_and_its_page_agree(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(PROJECT)]) == 0, capsys.readouterr().err
