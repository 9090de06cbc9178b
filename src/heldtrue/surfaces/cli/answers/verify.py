"""How the report of `verify` is shown."""

from __future__ import annotations

from typing import Any

from heldtrue.audit.verify import Report
from heldtrue.domain.plural import count
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.options import say_hint
from heldtrue.surfaces.cli.page import Page, dim, ink


@shows(Report)
def show_report(page: Page, answer: Report, _arguments: dict[str, Any]) -> None:
    """That the ledger is intact, or every problem found."""
    extent = f"{count(answer.entries, 'entry')}, {count(answer.records, 'record')}"
    if answer.ok:
        page.line(ink("Ledger verified", "bold", "green"), f": {extent}, no tampering found.")
    else:
        problems = count(len(answer.problems), "problem")
        page.line(ink("Ledger verification failed", "bold", "red"), f": {problems} in {extent}.")
        for problem in answer.problems:
            page.text(f"{problem.what} {problem.where}: {problem.detail}", indent=4, first=ink("  !", "bold", "red"))
        page.text(
            dim("Do not rely on this store. Find out who changed the database, or restore a backup into a new home.")
        )
    page.line(dim("  head  "), dim(answer.head))
    page.text(dim(say_hint("; ".join(answer.outside))), indent=15, first=dim("  not verified"))
    for note in answer.notes:
        page.text(dim(note), indent=8, first=dim("  note"))
    if answer.ok and answer.entries:
        hint = "Write down this head. Later, heldtrue verify --head HEAD proves that no earlier entry has changed."
        page.text(dim(hint), indent=8)
