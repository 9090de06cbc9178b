"""`heldtrue install` and `heldtrue uninstall`: show what would change, ask, and change it."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from heldtrue.domain.errors import HeldtrueError, NotAllowed
from heldtrue.domain.principal import agent_principal
from heldtrue.domain.scope import parse_scope
from heldtrue.surfaces.cli.install.clients import CLIENTS, PROJECT, USER, Client, Machine, this_machine
from heldtrue.surfaces.cli.install.json_text import Unreadable
from heldtrue.surfaces.cli.install.pieces import ConfigPiece
from heldtrue.surfaces.cli.install.plan import (
    ADDED,
    CHANGED,
    REMOVED,
    UNCHANGED,
    ByHand,
    FileChange,
    PlanPart,
    Wish,
    find_homes,
    gather_parts,
    has_hooks,
    plan_install,
    plan_uninstall,
)
from heldtrue.surfaces.cli.install.service import find_token
from heldtrue.surfaces.cli.options import Options
from heldtrue.surfaces.cli.page import Page, bold, dim, ink
from heldtrue.surfaces.cli.program_path import find_start, name_fully
from heldtrue.surfaces.cli.screen import Screen, encode_answer
from heldtrue.surfaces.cli.usage import UsageProblem
from heldtrue.surfaces.projects import name_project
from heldtrue.wiring.instance import HOME_FOLDER, HOME_VARIABLE, URL_VARIABLE, find_home
from heldtrue.wiring.known_homes import refuse_unknown_home

DECLINED = 1
_DEEDS = {
    ADDED: "Heldtrue was added to {}.",
    CHANGED: "{} was changed.",
    REMOVED: "Heldtrue was taken out of {}.",
}
_LINE_CHARS_MAX = 1_000
"""A file in one long line has no difference that a person could read."""


def run_install(given: dict[str, Any], options: Options) -> int:
    """Connect a client, or list them all."""
    machine = this_machine()
    if not given.get("client"):
        return _list_clients(machine, options)
    client, scope = CLIENTS[given["client"]], given.get("scope", USER)
    wish = _wish(client, scope, machine, given, options)
    parts = gather_parts(client, scope, machine, wish)
    if given.get("print"):
        return _print_pieces(parts, options)
    try:
        changes = [plan_install(part) for part in parts]
    except ByHand as problem:
        if problem.piece is not None:
            Screen(sys.stderr, options.color).write(f"{_without_secrets(problem.piece.shown)}\n")
        raise
    done = f"{client.title} has Heldtrue already"
    who = f"agent:{wish.agent}" if wish.url is None else "the agent that the token was given to,"
    after = f"It acts as {who} on {wish.memory}.\n{client.next_step}"
    notes = _note_memory(client, scope, machine, wish, parts)
    return _carry_out(client, changes, given, options, done=done, after=after, notes=notes)


def run_uninstall(given: dict[str, Any], options: Options) -> int:
    """Take out of a client what `install` put in."""
    machine = this_machine()
    client, scope = CLIENTS[given["client"]], given.get("scope", USER)
    parts = gather_parts(client, scope, machine, _any_wish(client, machine, hooks=True))
    changes = [plan_uninstall(part) for part in parts]
    done = f"{client.title} has nothing of Heldtrue"
    return _carry_out(client, changes, given, options, done=done, after="What is remembered stays where it is.")


def _note_memory(client: Client, scope: str, machine: Machine, wish: Wish, parts: Sequence[PlanPart]) -> list[str]:
    """What becomes of the memory, for a person to know before they agree."""
    home = wish.url or str(wish.home)
    notes = [
        f"Its memory moves from {old} to {home}; what is kept at {old} stays there."
        for old in find_homes(parts)
        if old != home
    ]
    if wish.url is not None:
        if has_hooks(client, scope, machine):
            notes.append(
                f"Its hooks stay with the memory on this machine; heldtrue uninstall {client.name} takes them out."
            )
        return notes
    if url := machine.environment.get(URL_VARIABLE):
        notes.append(
            f"It gets {wish.memory}, and not the service that {URL_VARIABLE} names: for that, add --url {url}."
        )
    if scope != USER:
        return notes
    notes.append(f"Every project will share {home}.")
    with suppress(NotAllowed):  # one that only came with the folder is used by nobody
        here = find_home().absolute()
        if here != wish.home:
            notes.append(f"Commands in this folder use {here}; name the other with --home {home}.")
    return notes


def _find_memory(scope: str, machine: Machine, options: Options) -> Path:
    """The memory that is meant: one that is named, else your own for all that you do, or that of the project."""
    if options.home or machine.environment.get(HOME_VARIABLE):
        return name_fully(find_home(options.home))
    home = (machine.home if scope == USER else machine.project) / HOME_FOLDER
    if home.is_dir():
        # What is written names it, and what is named is believed from then on.
        refuse_unknown_home(home)
    return home


def _wish(client: Client, scope: str, machine: Machine, given: dict[str, Any], options: Options) -> Wish:
    if url := given.get("url"):
        token = find_token(url, client.name, scope, options, machine.environment, is_shown=given.get("print", False))
        # The hooks know memories on this machine only.
        start, home = find_start(), machine.home / HOME_FOLDER
        return Wish(start=start, agent=client.name, home=home, project=None, hooks=False, url=url, token=token)
    project = options.project
    if project is None and scope == PROJECT:
        project = name_project(machine.project)
    if project is not None:
        parse_scope(f"project:{project}", field="project")
    return Wish(
        start=find_start(),
        agent=agent_principal(options.agent or client.name).name,
        home=_find_memory(scope, machine, options),
        project=project,
        # Hooks that are there already are kept in step with the server: both mean one memory.
        hooks=given.get("hooks", True) or (not given.get("print") and has_hooks(client, scope, machine)),
    )


def _any_wish(client: Client, machine: Machine, *, hooks: bool) -> Wish:
    """Enough to find what was put in, whatever it was started with."""
    return Wish(start=["heldtrue"], agent=client.name, home=machine.home, project=None, hooks=hooks)


# What is shown


def _list_clients(machine: Machine, options: Options) -> int:
    rows = [_tell_client(one, machine) for one in CLIENTS.values()]
    screen = Screen(sys.stdout, options.color)
    if options.json:
        screen.write_bytes(encode_answer({"clients": rows}, pretty=screen.is_terminal))
        return 0
    page = Page(screen, 0)
    for row in rows:
        state = "installed" if row["installed"] else "found" if row["found"] else "not found"
        color = {"installed": "green", "found": "cyan"}.get(state, "dim")
        page.line(f"{row['client']:<16}", ink(f"{state:<11}", color), dim(row["file"]))
    page.gap()
    page.text(dim("Connect one: heldtrue install CLIENT"))
    screen.write(str(page))
    return 0


def _tell_client(client: Client, machine: Machine) -> dict[str, Any]:
    places = {scope: place for scope in (USER, PROJECT) if (place := client.place(scope, machine)) is not None}
    installed = [scope for scope, place in places.items() if _is_installed(client, scope, machine)]
    return {
        "client": client.name,
        "title": client.title,
        "found": client.is_found(machine),
        "installed": installed,
        "file": str(places[PROJECT if installed == [PROJECT] else USER]),
        "scopes": list(places),
    }


def _is_installed(client: Client, scope: str, machine: Machine) -> bool:
    try:
        (part,) = gather_parts(client, scope, machine, _any_wish(client, machine, hooks=False))
        return part.file.data is not None and part.piece.as_found(part.file.text) is not None
    except (HeldtrueError, Unreadable):
        return False


def _print_pieces(parts: Sequence[PlanPart], options: Options) -> int:
    """The pieces alone: where they go is told beside them, so that the rest can be piped."""
    screen = Screen(sys.stdout, options.color)
    if options.json:
        pieces = [{"file": str(one.file.path), "text": one.piece.shown} for one in parts]
        screen.write_bytes(encode_answer({"pieces": pieces}, pretty=screen.is_terminal))
        return 0
    for one in parts:
        page = Page(aside := Screen(sys.stderr, options.color), 0)
        page.line(dim(f"in {one.file.path}:"))
        aside.write(str(page))
        screen.write(one.piece.shown)
    return 0


def _carry_out(
    client: Client,
    changes: Sequence[FileChange],
    given: dict[str, Any],
    options: Options,
    *,
    done: str,
    after: str,
    notes: Sequence[str] = (),
) -> int:
    """Show the changes, ask unless that was answered already, and make them."""
    screen = Screen(sys.stdout, options.color)
    wanted = [one for one in changes if one.outcome != UNCHANGED]
    if not wanted:
        return _report(screen, client, changes, options, f"Nothing to change: {done}.")
    if not (options.json or options.quiet):
        page = Page(screen, 0)
        for change in wanted:
            _show_change(page, change)
        page.gap()
        for note in notes:
            page.line(note)
        screen.write(str(page))
    if not given.get("yes") and not _ask(screen, options):
        return _report(screen, client, [], options, "Nothing was changed.") or DECLINED
    for change in wanted:
        change.apply()
    return _report(screen, client, changes, options, after, notes)


def _ask(screen: Screen, options: Options) -> bool:
    refused = UsageProblem(
        "nothing was changed, since nobody was there to ask", field="yes", hint="--yes makes the change without asking"
    )
    if options.json:
        raise refused
    screen.write("\nMake this change? [y/N] ")
    answer = sys.stdin.readline()
    if not answer:
        screen.write("\n")
        raise refused
    return answer.strip().lower() in ("y", "yes")


def _show_change(page: Page, change: FileChange) -> None:
    file = change.file
    page.gap()
    page.line(bold(_tell_deed(change)))
    if file.link is not None:
        is_last = file.link == file.named
        page.line(dim(f"{file.named} is a link to it." if is_last else f"{file.named} is it: {file.link} is a link."))
    old, new = file.text.splitlines(), change.text.splitlines()
    lines = list(difflib.unified_diff(old, new, n=2, lineterm=""))[2:]
    if any(len(line) > _LINE_CHARS_MAX for line in lines):
        before, after = (_show_piece(change.piece, text) for text in (file.text, change.text))
        lines = list(difflib.unified_diff(before, after, n=2, lineterm=""))[2:]
    for line in lines:
        _show_line(page, line)


def _show_piece(piece: ConfigPiece, text: str) -> list[str]:
    found = piece.as_found(text)
    return found.shown.splitlines() if found is not None else []


def _without_secrets(text: str) -> str:
    from heldtrue.language.secrets import redact_secrets

    return redact_secrets(text).text


def _show_line(page: Page, line: str) -> None:
    # What stands beside the change belongs to others, and may hold their keys; so may a line that only gets a comma.
    shown = _without_secrets(line.replace("\t", "    "))
    color = {"+": "green", "-": "red", "@": "dim"}.get(line[:1])
    page.line(ink(shown, color) if color else shown)


def _tell_deed(change: FileChange) -> str:
    path = change.file.path
    if change.data is None:
        return f"{path} (taken away: there is nothing else in it)"
    return f"{path} (a new file)" if change.file.data is None else str(path)


def _report(
    screen: Screen,
    client: Client,
    changes: Sequence[FileChange],
    options: Options,
    closing: str,
    notes: Sequence[str] = (),
) -> int:
    if options.json:
        told = _tell(client, changes) | {"notes": list(notes)}
        screen.write_bytes(encode_answer(told, pretty=screen.is_terminal))
        return 0
    page = Page(screen, 0)
    made = [one for one in changes if one.outcome != UNCHANGED]
    if options.quiet:
        for one in made:
            page.line(str(one.file.path))
        screen.write(str(page))
        return 0
    for one in made:
        # Paths stand on one line, however long, so that they can be copied.
        page.line(_DEEDS[one.outcome].format(one.file.path))
        if one.file.backup.exists():
            page.line(dim(f"  as it was before: {one.file.backup}"))
    for line in closing.splitlines():
        page.line(line)
    screen.write(("\n" if made else "") + str(page))
    return 0


def _tell(client: Client, changes: Sequence[FileChange]) -> dict[str, Any]:
    files = [
        {
            "file": str(one.file.path),
            "outcome": one.outcome,
            "backup": str(one.file.backup) if one.file.backup.exists() else None,
        }
        for one in changes
    ]
    return {"client": client.name, "changed": any(one.outcome != UNCHANGED for one in changes), "files": files}
