"""`heldtrue install` and `heldtrue uninstall`: show what would change, ask, and change it."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from heldtrue.domain.errors import HeldtrueError
from heldtrue.domain.limits import DIFF_LINE_CHARS_MAX
from heldtrue.domain.principal import OWNER, agent_principal
from heldtrue.domain.scope import parse_scope
from heldtrue.surfaces.cli.backends import CHANNEL
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
from heldtrue.wiring.homes import URL_VARIABLE, HomeChoice, default_home, find_home, locate_home
from heldtrue.wiring.instance import open_instance
from heldtrue.wiring.known_homes import KnownHome

DECLINED = 1
_OUTCOMES = {
    ADDED: "Heldtrue was added to {}.",
    CHANGED: "{} was changed.",
    REMOVED: "Heldtrue was removed from {}.",
}


def run_install(arguments: dict[str, Any], options: Options) -> int:
    """Connect a client, or list all clients."""
    machine = this_machine()
    if not arguments.get("client"):
        return _list_clients(machine, options)
    client, scope = CLIENTS[arguments["client"]], arguments.get("scope", USER)
    wish = _wish(client, scope, machine, arguments, options)
    parts = gather_parts(client, scope, machine, wish)
    if arguments.get("print"):
        return _print_pieces(parts, options)
    try:
        changes = [plan_install(part) for part in parts]
    except ByHand as problem:
        if problem.piece is not None:
            Screen(sys.stderr, options.color).write(f"{_without_secrets(problem.piece.shown)}\n")
        raise
    done = f"{client.title} is already connected"
    who = f"agent:{wish.agent}" if wish.url is None else "the token's agent"
    after = f"{client.title} acts as {who} and uses {wish.memory}.\n{client.next_step}"
    notes = _note_memory(client, scope, machine, wish, parts)
    status = _carry_out(client, changes, arguments, options, done=done, after=after, notes=notes)
    if status == 0 and wish.url is None:
        _register(wish)
    return status


def _register(wish: Wish) -> None:
    """Record the agent, so that the client finds it registered: without a record it would have the least reach."""
    from heldtrue.capabilities.agents import register_agent  # the first write of a home loads a lot
    from heldtrue.capabilities.call import Call

    instance = open_instance(wish.home)
    try:
        register_agent(Call(instance=instance, principal=OWNER, channel=CHANNEL), wish.agent)
    finally:
        instance.close()


def run_uninstall(arguments: dict[str, Any], options: Options) -> int:
    """Remove from a client what `install` added."""
    machine = this_machine()
    client, scope = CLIENTS[arguments["client"]], arguments.get("scope", USER)
    parts = gather_parts(client, scope, machine, _any_wish(client, machine, hooks=True))
    changes = [plan_uninstall(part) for part in parts]
    done = f"{client.title} is not connected"
    return _carry_out(client, changes, arguments, options, done=done, after="The store itself was not changed.")


def _note_memory(client: Client, scope: str, machine: Machine, wish: Wish, parts: Sequence[PlanPart]) -> list[str]:
    """Notes about the memory, for a person to read before they agree."""
    home = wish.url or str(wish.home)
    notes = [
        f"{client.title} will use {home} instead of {old}. The memories at {old} are kept."
        for old in find_homes(parts)
        if old != home
    ]
    if wish.url is not None:
        if has_hooks(client, scope, machine):
            notes.append(
                f"The hooks of {client.title} still use the store on this machine. To remove them: "
                f"heldtrue uninstall {client.name}"
            )
        return notes
    if url := machine.environment.get(URL_VARIABLE):
        notes.append(
            f"{client.title} will use {wish.memory}, not the service in {URL_VARIABLE}. To use the service, add "
            f"--url {url}."
        )
    if wish.is_named:
        return [*notes, f"All projects will share {home}."] if scope == USER else notes
    return notes + _note_rule(client, wish)


def _note_rule(client: Client, wish: Wish) -> list[str]:
    """Notes about a home that the entry does not name."""
    own = default_home()
    if client.starts_in_project:
        rule = (
            f"{client.title} will use {own}, except in folders that have their own home. heldtrue where shows which "
            "home is used."
        )
        return [rule, f"In this folder, it will use {wish.home}."] if wish.home != own else [rule]
    here = locate_home()
    rule = f"All projects will share {own}."
    if here.choice is not HomeChoice.FOLDER or not KnownHome(here.path).is_known:
        return [rule]
    return [rule, f"Commands in this folder use {here.path}. To use that home, add --home {here.path}."]


def _find_memory(client: Client, scope: str, options: Options) -> tuple[Path, bool]:
    """The home that the client will use here, and whether its entry has to name it.

    What is configured for one project names the home of its folder, since not every client starts servers there.
    """
    found = locate_home(options.home)
    if found.choice is HomeChoice.FOLDER and scope == USER:
        return (found.path if client.starts_in_project else default_home()), False
    home = name_fully(find_home(options.home))
    return home, found.choice is not HomeChoice.DEFAULT


def _wish(client: Client, scope: str, machine: Machine, arguments: dict[str, Any], options: Options) -> Wish:
    if url := options.url:
        token = find_token(
            url, client.name, scope, options, machine.environment, is_shown=arguments.get("print", False)
        )
        # The hooks know memories on this machine only.
        return Wish(
            start=find_start(), agent=client.name, home=default_home(), project=None, hooks=False, url=url, token=token
        )
    project = options.project
    if project is None and scope == PROJECT:
        project = name_project(machine.project)
    if project is not None:
        parse_scope(f"project:{project}", field="project")
    home, is_named = _find_memory(client, scope, options)
    return Wish(
        start=find_start(),
        agent=agent_principal(options.agent or client.name).name,
        home=home,
        is_named=is_named,
        project=project,
        # Hooks that are there already are kept in step with the server: both mean one memory.
        hooks=arguments.get("hooks", True) or (not arguments.get("print") and has_hooks(client, scope, machine)),
    )


def _any_wish(client: Client, machine: Machine, *, hooks: bool) -> Wish:
    """A wish that is enough to find what was added, whatever its arguments were."""
    return Wish(start=["heldtrue"], agent=client.name, home=machine.home, project=None, hooks=hooks)


# Output


def _list_clients(machine: Machine, options: Options) -> int:
    rows = [_describe_client(client, machine) for client in CLIENTS.values()]
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
    page.text(dim("To connect one: heldtrue install CLIENT"))
    screen.write(str(page))
    return 0


def _describe_client(client: Client, machine: Machine) -> dict[str, Any]:
    files = {scope: file for scope in (USER, PROJECT) if (file := client.config_file(scope, machine)) is not None}
    installed = [scope for scope in files if _is_installed(client, scope, machine)]
    return {
        "client": client.name,
        "title": client.title,
        "found": client.is_found(machine),
        "installed": installed,
        "file": str(files[PROJECT if installed == [PROJECT] else USER]),
        "scopes": list(files),
    }


def _is_installed(client: Client, scope: str, machine: Machine) -> bool:
    try:
        (part,) = gather_parts(client, scope, machine, _any_wish(client, machine, hooks=False))
        return part.file.data is not None and part.piece.as_found(part.file.text) is not None
    except (HeldtrueError, Unreadable):
        return False


def _print_pieces(parts: Sequence[PlanPart], options: Options) -> int:
    """Print only the pieces; the file names go to standard error, so that the output can be piped."""
    screen = Screen(sys.stdout, options.color)
    if options.json:
        pieces = [{"file": str(part.file.path), "text": part.piece.shown} for part in parts]
        screen.write_bytes(encode_answer({"pieces": pieces}, pretty=screen.is_terminal))
        return 0
    for part in parts:
        page = Page(aside := Screen(sys.stderr, options.color), 0)
        page.line(dim(f"Add to {part.file.path}:"))
        aside.write(str(page))
        screen.write(part.piece.shown)
    return 0


def _carry_out(
    client: Client,
    changes: Sequence[FileChange],
    arguments: dict[str, Any],
    options: Options,
    *,
    done: str,
    after: str,
    notes: Sequence[str] = (),
) -> int:
    """Show the changes, ask for confirmation unless --yes was given, and make them."""
    screen = Screen(sys.stdout, options.color)
    wanted = [change for change in changes if change.outcome != UNCHANGED]
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
    if not arguments.get("yes") and not _ask(screen, options):
        return _report(screen, client, [], options, "Nothing was changed.") or DECLINED
    for change in wanted:
        change.apply()
    return _report(screen, client, changes, options, after, notes)


def _ask(screen: Screen, options: Options) -> bool:
    refused = UsageProblem(
        "nothing was changed, because the question was not answered", field="yes", hint="add --yes to skip the question"
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
    page.line(bold(_name_file(change)))
    if file.link is not None:
        is_last = file.link == file.named
        page.line(
            dim(
                f"{file.named} is a symbolic link to this file."
                if is_last
                else f"{file.named} is the same file, because {file.link} is a symbolic link."
            )
        )
    old, new = file.text.splitlines(), change.text.splitlines()
    lines = list(difflib.unified_diff(old, new, n=2, lineterm=""))[2:]
    if any(len(line) > DIFF_LINE_CHARS_MAX for line in lines):
        before, after = (_show_piece(change.piece, text) for text in (file.text, change.text))
        lines = list(difflib.unified_diff(before, after, n=2, lineterm=""))[2:]
    for line in lines:
        _show_line(page, line)


def _show_piece(piece: ConfigPiece, text: str) -> list[str]:
    current = piece.as_found(text)
    return current.shown.splitlines() if current is not None else []


def _without_secrets(text: str) -> str:
    from heldtrue.language.masking import mask_text

    return mask_text(text).text


def _show_line(page: Page, line: str) -> None:
    # Lines around the change belong to other programs and may contain their keys.
    shown = _without_secrets(line.replace("\t", "    "))
    color = {"+": "green", "-": "red", "@": "dim"}.get(line[:1])
    page.line(ink(shown, color) if color else shown)


def _name_file(change: FileChange) -> str:
    path = change.file.path
    if change.data is None:
        return f"{path} (will be deleted, because it contains nothing else)"
    return f"{path} (new file)" if change.file.data is None else str(path)


def _report(
    screen: Screen,
    client: Client,
    changes: Sequence[FileChange],
    options: Options,
    closing: str,
    notes: Sequence[str] = (),
) -> int:
    if options.json:
        answer = _describe_changes(client, changes) | {"notes": list(notes)}
        screen.write_bytes(encode_answer(answer, pretty=screen.is_terminal))
        return 0
    page = Page(screen, 0)
    made = [change for change in changes if change.outcome != UNCHANGED]
    if options.quiet:
        for change in made:
            page.line(str(change.file.path))
        screen.write(str(page))
        return 0
    for change in made:
        # A path is on one line, however long, so that it can be copied.
        page.line(_OUTCOMES[change.outcome].format(change.file.path))
        if change.file.backup.exists():
            page.line(dim(f"  backup: {change.file.backup}"))
    for line in closing.splitlines():
        page.line(line)
    screen.write(("\n" if made else "") + str(page))
    return 0


def _describe_changes(client: Client, changes: Sequence[FileChange]) -> dict[str, Any]:
    files = [
        {
            "file": str(change.file.path),
            "outcome": change.outcome,
            "backup": str(change.file.backup) if change.file.backup.exists() else None,
        }
        for change in changes
    ]
    return {"client": client.name, "changed": any(change.outcome != UNCHANGED for change in changes), "files": files}
