"""Run one command, from its words to its exit status."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import msgspec

from heldtrue.capabilities.registry import Capability
from heldtrue.capabilities.verb_index import find_capability, find_synonym, verbs
from heldtrue.domain.action import Effect
from heldtrue.domain.errors import HeldtrueError, InvalidInput, Untrusted
from heldtrue.surfaces.cli.arguments import arguments_of, name_options, name_source_line
from heldtrue.surfaces.cli.backends import Backend, find_url, open_backend
from heldtrue.surfaces.cli.options import Options, find_color, say_hint, split_command
from heldtrue.surfaces.cli.parser import parse_words
from heldtrue.surfaces.cli.screen import Screen, encode_answer, has_terminal
from heldtrue.surfaces.cli.shortage import is_shortage
from heldtrue.wiring.homes import find_home

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from heldtrue.ports import Clock
    from heldtrue.surfaces.cli.arguments import Argument
    from heldtrue.surfaces.cli.page import Line

_HELP = ("-h", "--help")


class Performed(msgspec.Struct, frozen=True):
    """The result of a command."""

    status: int
    answer: Any = None


def run(words: list[str]) -> int:
    """Run a command line; every error is printed to standard error and has its exit status."""
    words = [_as_text(word) for word in words]
    if words[:1] == ["__complete"]:
        from heldtrue.surfaces.cli.completion.command import run_complete

        return run_complete(words[1:])
    typed = words[: words.index("--")] if "--" in words else words
    try:
        return perform(words).status
    except HeldtrueError as problem:
        report_problem(problem, as_json="--json" in typed, color=find_color(typed))
        return problem.exit_status
    except (BrokenPipeError, KeyboardInterrupt):
        raise
    except Exception as problem:  # the edge of the program: any error is reported on one line
        if "--debug" in typed:
            import traceback

            traceback.print_exc()
        if is_shortage(problem):
            raise
        text = " ".join(f"{type(problem).__name__}: {problem}".split())
        clear = HeldtrueError(
            f"unexpected error: {text}", hint="run the command again with --debug to see the traceback"
        )
        report_problem(clear, as_json="--json" in typed, color=find_color(typed))
        return clear.exit_status


def _as_text(word: str) -> str:
    """A typed word as text: bytes that are not UTF-8 are replaced."""
    return word if word.isascii() else word.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def report_problem(problem: HeldtrueError, *, as_json: bool, color: str = "auto") -> None:
    """Print an error: one line of JSON, or a sentence with its hint below."""
    screen = Screen(sys.stderr, color)
    if problem.hint:
        problem.hint = say_hint(problem.hint)
    if as_json:
        screen.write_bytes(encode_answer(problem.as_answer(), pretty=False))
        return
    from heldtrue.surfaces.cli.page import Page, dim, ink

    page = Page(screen, 0)
    end = "" if problem.message.endswith(("?", ".")) else "."
    page.text(f"{problem.message}{end}", indent=10, first=ink("heldtrue:", "bold", "red"))
    if problem.hint:
        page.text(dim(problem.hint), indent=10)
    screen.write(str(page))


def perform(words: list[str], *, clock: Clock | None = None) -> Performed:
    """Run one command and print its answer."""
    command, rest = split_command(words)
    typed = rest[: rest.index("--")] if "--" in rest else rest
    wants_help = any(word in _HELP for word in typed)
    capability = _find_command(command) if command is not None and not wants_help else None
    if capability is None:
        from heldtrue.surfaces.cli.builtin_commands import perform_builtin

        return Performed(perform_builtin(command, rest))
    arguments = arguments_of(capability)
    options, given = parse_words(capability.verb.replace("_", "-"), arguments, rest)
    new_home = _find_new_home(options) if capability.declared.makes_home else None
    try:
        # Print before the home is closed: closing it may wait for other writers.
        with open_backend(capability, options, _first_part(given), clock) as backend:
            performed = _use(backend, capability, arguments, options, given, words)
    except HeldtrueError as problem:
        if problem.hint:
            problem.hint = name_options(problem.hint, arguments)
        if isinstance(problem, InvalidInput):
            name_source_line(problem, given)
        raise
    if new_home is not None:
        from heldtrue.surfaces.cli.page import note

        note(f"created a new store at {new_home}", options)
    return performed


def _find_new_home(options: Options) -> Path | None:
    """The home that this command creates; None if it exists or a service is used."""
    if find_url(options) is not None:
        return None
    home = find_home(options.home)
    return None if home.is_dir() else home


def _use(
    backend: Backend,
    capability: Capability,
    arguments: Sequence[Argument],
    options: Options,
    values: dict[str, Any],
    words: Sequence[str],
) -> Performed:
    """Invoke a capability for each id, and print each answer."""
    requests = [values]
    if not options.json and any(argument.names_ids and argument.name in values for argument in arguments):
        from heldtrue.surfaces.cli.line_numbers import read_references

        named = read_references(capability, arguments, values, backend.name)
        requests = named.requests
        if capability.effect is not Effect.READ:
            _refuse_changed(backend, named.lines)
    performed = Performed(0)
    for number, request in enumerate(requests):
        if number and not options.quiet:
            sys.stdout.write("\n")
        try:
            answer = _use_once(backend, capability, request)
        except HeldtrueError as problem:
            if len(requests) == 1:
                raise
            report_problem(problem, as_json=False, color=options.color)
            performed = Performed(problem.exit_status)
            continue
        print_answer(answer, options, request, backend, words)
        performed = Performed(performed.status or _status_of(answer), answer)
    return performed


def _use_once(backend: Backend, capability: Capability, request: dict[str, Any]) -> Any:
    if isinstance(request.get("messages"), list):
        from heldtrue.surfaces.cli.long_captures import use_in_parts

        return use_in_parts(backend, capability, request)
    return backend.use(capability, request)


def _first_part(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of the first request: of a long conversation, the first part."""
    if not isinstance(messages := arguments.get("messages"), list):
        return arguments
    from heldtrue.surfaces.cli.long_captures import split_messages

    return arguments | {"messages": next(split_messages(messages))}


def _refuse_changed(backend: Backend, lines: Sequence[Line]) -> None:
    """Refuse to act, before anything is changed, if an item has changed since it was listed."""
    from heldtrue.surfaces.cli.last_listing import refuse_changed

    for line in lines:
        refuse_changed(line, backend.state_of(line) if line.state else "")


def _find_command(command: str) -> Capability | None:
    """The capability that a word names or is a synonym of; a destructive one has no synonyms."""
    capability = find_capability(command.replace("-", "_"))
    if capability is None and (meant := find_synonym(command)) is not None and not verbs()[meant].destructive:
        return find_capability(meant)
    return capability


def _status_of(answer: Any) -> int:
    return Untrusted.exit_status if getattr(answer, "ok", True) is False else 0


def print_answer(
    answer: Any, options: Options, arguments: dict[str, Any], backend: Backend, typed: Sequence[str]
) -> None:
    """Print an answer as JSON, as bare ids, or for people; `typed` is the command line."""
    screen = Screen(sys.stdout, options.color)
    if options.json:
        screen.write_bytes(encode_answer(answer, pretty=screen.is_terminal))
        return
    from heldtrue.surfaces.cli.answers import essential_lines, show_answer

    if options.quiet:
        from heldtrue.surfaces.safe_text import clean

        screen.write("".join(f"{clean(line)}\n" for line in essential_lines(answer)))
        return
    from heldtrue.surfaces.cli.page import Page

    page = Page(screen, backend.now, typed, compact=options.compact)
    show_answer(page, answer, arguments)
    screen.write(str(page))
    if page.listed is not None and has_terminal():
        from heldtrue.surfaces.cli.last_listing import keep_listing

        keep_listing(backend.name, page.listed, seen=screen.is_terminal)
