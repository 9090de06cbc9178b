"""What is shown of exports, imports, backups and restores."""

from __future__ import annotations

from typing import Any

from heldtrue.capabilities.transfer import BackupAnswer, ExportAnswer, ImportAnswer, RestoreBackupAnswer
from heldtrue.domain.plural import count
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.answers.parts import (
    color_word,
)
from heldtrue.surfaces.cli.page import Page, dim, ink
from heldtrue.surfaces.cli.text import size


def _show_file(page: Page, done: str, answer: ExportAnswer | BackupAnswer) -> None:
    page.line(ink(done, "bold", "green"), f": {count(answer.entries, 'entry')}, {size(answer.bytes)}")
    page.line("  ", answer.path)
    page.line(dim("  head  "), dim(answer.head))


@shows(ExportAnswer)
def show_export(page: Page, answer: ExportAnswer, _asked: dict[str, Any]) -> None:
    _show_file(page, "Exported", answer)
    page.text(dim(f"To read it elsewhere: heldtrue --home NEW_FOLDER import {answer.path}"), indent=2)


@shows(BackupAnswer)
def show_backup(page: Page, answer: BackupAnswer, _asked: dict[str, Any]) -> None:
    _show_file(page, "Backed up and verified", answer)
    page.text(dim(f"To bring it back: heldtrue --home NEW_FOLDER restore-backup {answer.path}"), indent=2)


@shows(ImportAnswer)
def show_import(page: Page, answer: ImportAnswer, _asked: dict[str, Any]) -> None:
    """How it was taken in, and what was refused."""
    if answer.how == "replayed":
        page.line(
            ink("Imported", "bold", "green"),
            f": {count(answer.entries, 'entry')}, word for word, each checked against the hash chain.",
        )
        return
    counts = ", ".join(f"{number:,} {word}" for word, number in answer.counts.items()) or "nothing in it"
    page.line(ink("Imported", "bold", "green"), f": {count(answer.entries, 'entry')} proposed: {counts}.")
    for reason in answer.refused:
        page.text(reason, indent=12, first=ink("  refused", "red"))


@shows(RestoreBackupAnswer)
def show_restored_backup(page: Page, answer: RestoreBackupAnswer, _asked: dict[str, Any]) -> None:
    page.line(color_word("restored"), "  ", count(answer.entries, "entry"), " of history are back and verified.")
    page.row("from", answer.path)
