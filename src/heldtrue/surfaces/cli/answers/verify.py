"""What is shown of a verification."""

from __future__ import annotations

from typing import Any

from heldtrue.audit.verify import Report
from heldtrue.domain.plural import count
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.page import Page, dim, ink


@shows(Report)
def show_report(page: Page, answer: Report, _asked: dict[str, Any]) -> None:
    """Whether the history is whole, or everything that does not agree."""
    extent = f"{count(answer.entries, 'entry')}, {count(answer.records, 'record')}"
    if answer.ok:
        page.line(ink("History is whole", "bold", "green"), f": {extent}.")
    else:
        found = count(len(answer.problems), "problem")
        page.line(ink("History does not agree with itself", "bold", "red"), f": {found} in {extent}.")
        for problem in answer.problems:
            page.text(f"{problem.what} {problem.where}: {problem.detail}", indent=4, first=ink("  !", "bold", "red"))
        page.text(dim("Do not build on it: restore a backup into a new home, or find out who changed the database."))
    page.line(dim("  head  "), dim(answer.head))
    for note in answer.notes:
        page.text(dim(note), indent=8, first=dim("  note"))
    if answer.ok and answer.entries:
        page.text(dim("Note the head down; later, heldtrue verify --head HEAD proves that nothing before it changed."),
                  indent=8)  # fmt: skip
