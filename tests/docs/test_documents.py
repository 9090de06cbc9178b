"""Every example in the documents works as it is shown, and every link between them leads somewhere."""

from pathlib import Path

import pytest

from tests.docs.markdown import documents, read_relative_links
from tests.docs.running import run_document

PROJECT = Path(__file__).parents[2]
DOCUMENTS = documents(PROJECT)


def name_of(document: Path) -> str:
    return document.relative_to(PROJECT).as_posix()


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_the_examples_of_a_document_work(document: Path, newcomer: Path) -> None:
    run_document(document.read_text(encoding="utf-8"), name_of(document), newcomer)


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_the_links_of_a_document_lead_to_files(document: Path) -> None:
    links = read_relative_links(document.read_text(encoding="utf-8"))
    assert [link for link in links if not (document.parent / link).exists()] == []
