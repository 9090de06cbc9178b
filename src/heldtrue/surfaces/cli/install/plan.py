"""The changes of a command to each file, computed before any file is changed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import msgspec

from heldtrue.domain.errors import HeldtrueError, InvalidInput
from heldtrue.surfaces.cli.install.clients import PROJECT, USER, Client, Machine, make_hooks
from heldtrue.surfaces.cli.install.files import (
    ConfigFile,
    NotEditable,
    drop_backup,
    read_backup,
    read_config,
    write_config,
)
from heldtrue.surfaces.cli.install.json_text import Unreadable
from heldtrue.surfaces.cli.install.pieces import NAME, SERVICE, CannotEdit, ConfigPiece
from heldtrue.surfaces.remote import TOKEN_VARIABLE

ADDED, CHANGED, REMOVED, UNCHANGED = "added", "changed", "removed", "unchanged"


class PlanPart(msgspec.Struct, frozen=True):
    """A piece and the file that it belongs in."""

    file: ConfigFile
    piece: ConfigPiece
    is_secret: bool = False
    """Whether the piece contains a token."""


class FileChange(msgspec.Struct, frozen=True):
    """The change of one file."""

    file: ConfigFile
    piece: ConfigPiece
    outcome: str
    data: bytes | None
    """The new content; None if the file will be deleted."""
    is_restored: bool = False
    """Whether it is byte for byte what it was before Heldtrue was added."""
    is_secret: bool = False
    """Whether it then contains a token, so that nobody else may read it."""

    @property
    def text(self) -> str:
        return msgspec.structs.replace(self.file, data=self.data).text

    def apply(self) -> None:
        # The copy is of the file without Heldtrue: what is changed about the piece later on leaves it alone.
        is_first = self.outcome == ADDED or read_backup(self.file) is None
        write_config(self.file, self.data, keep_copy=is_first and not self.is_restored, private=self.is_secret)
        if self.is_restored:
            drop_backup(self.file)


class Wish(msgspec.Struct, frozen=True):
    """The arguments with which the server will be started."""

    start: list[str]
    agent: str
    home: Path
    """The home that the server uses in this folder."""
    project: str | None
    is_named: bool = False
    """Whether the entry contains the home; otherwise the server finds it each time, as commands do."""
    hooks: bool = True
    url: str | None = None
    """The URL of the service; None for the store at `home`."""
    token: str = ""
    """The token that identifies the agent to the service."""

    @property
    def memory(self) -> str:
        """The store or service, for messages."""
        return f"the store at {self.home}" if self.url is None else f"the service at {self.url}"

    @property
    def environment(self) -> dict[str, str]:
        return {TOKEN_VARIABLE: self.token} if self.url is not None else {}

    @property
    def options(self) -> list[str]:
        if self.url is not None:
            return [SERVICE, self.url]
        named = ["--project", self.project] if self.project else []
        home = ["--home", str(self.home)] if self.is_named else []
        return ["--agent", self.agent, *home, *named]


def gather_parts(client: Client, scope: str, machine: Machine, wish: Wish) -> list[PlanPart]:
    """The files of a client with the piece for each."""
    path = client.config_file(scope, machine)
    if path is None:
        raise InvalidInput(
            f"{client.title} has no project configuration", field="scope", hint=f"remove --scope {PROJECT}"
        )
    project = _project_of(scope, machine)
    # Hooks take the project of the folder where none is named; what is started beside them is told to do the same.
    here = ["--here"] if wish.url is None and wish.project is None and client.starts_in_project else []
    server = client.server([*wish.start, "mcp", *wish.options, *here], scope, wish.environment)
    parts = [PlanPart(read_config(path, project=project), server, is_secret=bool(wish.environment))]
    hooks = client.hooks_file(scope, machine) if wish.hooks else None
    if hooks is not None:
        parts.append(PlanPart(read_config(hooks, project=project), make_hooks(wish.start, wish.options)))
    return parts


def has_hooks(client: Client, scope: str, machine: Machine) -> bool:
    """Whether our hooks are among those of a client."""
    path = client.hooks_file(scope, machine)
    try:
        file = read_config(path, project=_project_of(scope, machine)) if path is not None else None
        return file is not None and make_hooks([NAME], []).as_found(file.text) is not None
    except (HeldtrueError, Unreadable):
        return False


def _project_of(scope: str, machine: Machine) -> Path | None:
    """The folder that files of a scope must lie in."""
    return None if scope == USER else machine.project


def find_homes(parts: Sequence[PlanPart]) -> list[str]:
    """The memories that a client is connected to as its files are; what cannot be read names none."""
    found = []
    for part in parts:
        try:
            held = part.piece.as_found(part.file.text) if part.file.data is not None else None
            words = held.words if held is not None else []
        except Unreadable:
            continue
        found += [value for name, value in pairwise(words) if name in ("--home", SERVICE)]
    return list(dict.fromkeys(found))


def plan_install(part: PlanPart) -> FileChange:
    """The change that adds a piece to its file."""
    file, piece = part.file, part.piece
    try:
        text = piece.put(file.text)
        was_there = file.data is not None and piece.as_found(file.text) is not None
    except Unreadable as problem:
        raise _unreadable(file, problem) from None
    except CannotEdit as problem:
        hint = f"nothing was changed; add this to {file.path} by hand"
        message = f"{file.path} cannot be edited automatically: {problem}"
        raise ByHand(message, field="file", hint=hint, piece=piece) from None
    if file.data is not None and text == file.text:
        return FileChange(file, piece, UNCHANGED, file.data)
    return FileChange(file, piece, CHANGED if was_there else ADDED, file.encode(text), is_secret=part.is_secret)


def plan_uninstall(part: PlanPart) -> FileChange:
    """The change that removes a piece; if nothing else was changed since, the original file is restored."""
    file = part.file
    try:
        found = part.piece.as_found(file.text) if file.data is not None else None
        if found is None:
            return FileChange(file, part.piece, UNCHANGED, file.data)
        before = read_backup(file)
        if before is None and found.put("") == file.text:
            return FileChange(file, found, REMOVED, None, is_restored=True)
        if before is not None and _leads_to(before, found, file):
            return FileChange(file, found, REMOVED, before, is_restored=True)
        data = file.encode(found.take(file.text))
        return FileChange(file, found, REMOVED, data, is_restored=data == before)
    except Unreadable as problem:
        raise _unreadable(file, problem) from None
    except CannotEdit as problem:
        raise NotEditable(
            f"{file.path} cannot be edited automatically: {problem}",
            field="file",
            hint="remove heldtrue from the file by hand",
        ) from None


def _leads_to(before: bytes, piece: ConfigPiece, file: ConfigFile) -> bool:
    """Whether a file is what putting the piece into its copy makes."""
    copy = msgspec.structs.replace(file, data=before)
    try:
        return copy.encode(piece.put(copy.text)) == file.data
    except (Unreadable, CannotEdit, UnicodeDecodeError):
        return False


def _unreadable(file: ConfigFile, problem: Unreadable) -> NotEditable:
    return NotEditable(
        f"{file.path}, line {problem.line}: {problem}",
        field="file",
        hint="nothing was changed; fix that line and run the command again, or add the output of --print by hand",
    )


class ByHand(NotEditable):
    """A configuration is written in a way that only a person can edit."""

    code = "by_hand"

    def __init__(
        self,
        message: str | None = None,
        *,
        field: str | None = None,
        hint: str | None = None,
        piece: ConfigPiece | None = None,
    ) -> None:
        super().__init__(message, field=field, hint=hint)
        self.piece = piece
