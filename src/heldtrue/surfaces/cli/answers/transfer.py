"""How exports, imports, backups and restores are shown."""

from __future__ import annotations

from typing import Any

from heldtrue.capabilities.transfer import BackupAnswer, ExportAnswer, ImportAnswer, RestoreBackupAnswer
from heldtrue.domain.plural import count
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.answers.parts import (
    color_word,
)
from heldtrue.surfaces.cli.options import say_hint
from heldtrue.surfaces.cli.page import Page, dim, ink
from heldtrue.surfaces.cli.text import size


def _show_file(page: Page, title: str, answer: ExportAnswer | BackupAnswer) -> None:
    page.line(ink(title, "bold", "green"), f": {count(answer.entries, 'entry')}, {size(answer.bytes)}")
    page.line("  ", answer.path)
    page.line(dim("  head  "), dim(answer.head))


@shows(ExportAnswer)
def show_export(page: Page, answer: ExportAnswer, _arguments: dict[str, Any]) -> None:
    _show_file(page, "Exported", answer)
    if not answer.has_code:
        page.text("The file is not signed, because the store's key could not be saved.", indent=2)
    page.text(dim(f"To import this file elsewhere: heldtrue --home NEW_FOLDER import {answer.path}"), indent=2)


@shows(BackupAnswer)
def show_backup(page: Page, answer: BackupAnswer, _arguments: dict[str, Any]) -> None:
    _show_file(page, "Backed up and verified", answer)
    page.text(dim(f"To restore this backup: heldtrue --home NEW_FOLDER restore-backup {answer.path}"), indent=2)


@shows(ImportAnswer)
def show_import(page: Page, answer: ImportAnswer, _arguments: dict[str, Any]) -> None:
    """How many entries were imported, and which were refused."""
    if answer.how == "replayed":
        page.line(
            ink("Imported", "bold", "green"),
            f": {count(answer.entries, 'entry')}, each verified against the hash chain.",
        )
        if answer.note:
            page.text(answer.note, indent=2)
        return
    counts = ", ".join(f"{number:,} {word.replace('_', ' ')}" for word, number in answer.counts.items())
    counts = counts or "the file is empty"
    page.line(ink("Imported", "bold", "green"), f": {count(answer.entries, 'entry')} proposed: {counts}.")
    for reason in answer.refused:
        page.text(reason, indent=12, first=ink("  refused", "red"))
    if answer.left_out:
        actions = ", ".join(f"{number:,} {action}" for action, number in sorted(answer.left_out.items()))
        page.text(f"these are imported only into an empty home: {actions}", indent=12, first=dim("  left out"))
    if answer.note is not None:
        page.text(say_hint(answer.note), indent=12, first=ink("  note", "yellow"))


@shows(RestoreBackupAnswer)
def show_restored_backup(page: Page, answer: RestoreBackupAnswer, _arguments: dict[str, Any]) -> None:
    page.line(color_word("restored"), "  ", count(answer.entries, "ledger entry"), ", verified")
    page.row("from", answer.path)
    if answer.note:
        page.text(answer.note, indent=2)
