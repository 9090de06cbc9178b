"""An example that does not work is noticed, and one that does is not."""

import doctest
from pathlib import Path

import pytest

from tests.docs.console import ConsoleMismatchError, Step, read_steps
from tests.docs.markdown import read_relative_links
from tests.docs.running import run_document


def printing(text: str) -> str:
    return f'$ python -c "print({text!r})"'


def fenced(language: str, text: str, before: str = "") -> str:
    return f"{before}\n```{language}\n{text}\n```\n"


def test_python_blocks_share_a_namespace(newcomer: Path) -> None:
    run_document(fenced("python", "x = 20") + fenced("python", "assert x == 20"), "made-up.md", newcomer)
    with pytest.raises(NameError):
        run_document(fenced("python", "assert x == 20"), "made-up.md", newcomer)


def test_a_dialogue_is_compared(newcomer: Path) -> None:
    run_document(fenced("python", ">>> x = 4\n>>> x + 1\n5"), "made-up.md", newcomer)
    with pytest.raises(doctest.DocTestFailure):
        run_document(fenced("pycon", ">>> 4 + 1\n6"), "made-up.md", newcomer)


def test_a_block_marked_as_not_run_is_skipped(newcomer: Path) -> None:
    run_document(fenced("python", "1 / 0", before="<!-- not run: fails on purpose -->\n"), "made-up.md", newcomer)
    with pytest.raises(ZeroDivisionError):
        run_document(fenced("python", "1 / 0", before="<!-- some other remark -->\n"), "made-up.md", newcomer)


@pytest.mark.parametrize(
    ("shown", "prints"),
    [
        ("learned ... at once", "learned one two at once"),
        ("one\n...\nfour", "one\ntwo\nthree\nfour"),
        ("a    b", "a b"),
        ("since 2026-01-01T10:00:00Z", "since 2027-12-31T23:59:59.123456Z"),
        ("since 3 minutes ago", "since just now"),
        ("id 0190a000-0000-7000-8000-000000000001", "id 0198c0de-1111-7abc-9abc-000000000002"),
    ],
)
def test_output_that_agrees_is_accepted(shown: str, prints: str, newcomer: Path) -> None:
    run_document(fenced("console", f"{printing(prints)}\n{shown}"), "made-up.md", newcomer)


@pytest.mark.parametrize(
    ("shown", "prints"),
    [
        ("learned", "refused"),
        ("one\nthree", "one\ntwo\nthree"),
        ("since 2026-01-01", "since yesterday"),
        ("id 0190a000-0000-7000-8000-000000000001", "id none"),
        ("3 results", "4 results"),
    ],
)
def test_output_that_differs_is_noticed(shown: str, prints: str, newcomer: Path) -> None:
    with pytest.raises(ConsoleMismatchError, match="in the document but prints"):
        run_document(fenced("console", f"{printing(prints)}\n{shown}"), "made-up.md", newcomer)


def test_an_identifier_means_what_was_printed_in_its_place(newcomer: Path) -> None:
    steps = f"{printing('made cafe0002')}\nmade cafe0001\n$ python -c 'import sys; print(sys.argv[1])' cafe0001\n"
    run_document(fenced("console", f"{steps}cafe0001"), "made-up.md", newcomer)
    with pytest.raises(ConsoleMismatchError):
        run_document(
            fenced("console", f"{printing('made cafe0002')}\nmade cafe0001\n{printing('cafe0003')}\ncafe0001"),
            "made-up.md",
            newcomer,
        )


def test_a_failing_command_is_noticed(newcomer: Path) -> None:
    with pytest.raises(ConsoleMismatchError, match=r"made-up\.md, block at line 3: .* status 3"):
        run_document(fenced("console", "$ python -c 'raise SystemExit(3)'"), "made-up.md", newcomer)


def test_a_command_that_would_not_be_run_is_noticed(newcomer: Path) -> None:
    with pytest.raises(ConsoleMismatchError, match="only heldtrue and python"):
        run_document(fenced("console", "$ make run"), "made-up.md", newcomer)


def test_a_command_may_go_on_over_lines() -> None:
    assert read_steps("$ heldtrue learn \\\n    'a fact'\nlearned\n") == [Step("heldtrue learn 'a fact'", "learned\n")]


def test_links_are_found_in_prose_only() -> None:
    markdown = (
        "[a](one.md) and ![b](two.png#part) and [c](https://example.org) and [d](#here) and `[e](code.md)`\n"
        "\n```text\n[f](fenced.md)\n```\n[g]: three.md\n"
    )
    assert read_relative_links(markdown) == ["one.md", "two.png", "three.md"]
