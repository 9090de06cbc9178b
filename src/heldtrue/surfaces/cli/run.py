"""One command, from what was typed to its exit status."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import msgspec

from heldtrue.access.identity import NoCredential, find_local
from heldtrue.capabilities.call import Call, Instance
from heldtrue.capabilities.registry import Capability
from heldtrue.capabilities.verb_index import find_capability
from heldtrue.domain.errors import HeldtrueError, InvalidInput, NotFound, Untrusted
from heldtrue.domain.principal import OWNER, Principal, agent_principal
from heldtrue.surfaces.cli.arguments import arguments_of, tell_line
from heldtrue.surfaces.cli.options import EXTRA_COMMANDS, Options, find_color, say_hint, split_command
from heldtrue.surfaces.cli.parser import parse_words
from heldtrue.surfaces.cli.screen import Screen, encode_answer
from heldtrue.wiring.clock import SystemClock
from heldtrue.wiring.instance import URL_VARIABLE, find_home, open_instance
from heldtrue.wiring.settings import read_settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from heldtrue.ports import Clock
    from heldtrue.surfaces.cli.progress import Progress

CHANNEL = "cli"
_HELP = ("-h", "--help")


class Performed(msgspec.Struct, frozen=True):
    """What a command came to."""

    status: int
    answer: Any = None


def run(words: list[str]) -> int:
    """Do what was typed; every error is told on standard error and ends in its exit status."""
    words = [_as_text(word) for word in words]
    typed = words[: words.index("--")] if "--" in words else words
    try:
        return perform(words).status
    except HeldtrueError as problem:
        report_problem(problem, as_json="--json" in typed, color=find_color(typed))
        return problem.exit_status
    except (BrokenPipeError, KeyboardInterrupt):
        raise
    except Exception as problem:  # noqa: BLE001 - the edge of the program: whatever it is, it is told in one line
        if "--debug" in typed:
            import traceback

            traceback.print_exc()
        told = " ".join(f"{type(problem).__name__}: {problem}".split())
        clear = HeldtrueError(f"something unexpected happened: {told}", hint="run it again with --debug")
        report_problem(clear, as_json="--json" in typed, color=find_color(typed))
        return clear.exit_status


def _as_text(word: str) -> str:
    """A word that was typed, as text: bytes that are no UTF-8 are replaced."""
    return word if word.isascii() else word.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def report_problem(problem: HeldtrueError, *, as_json: bool, color: str = "auto") -> None:
    """Say what went wrong: one line of JSON, or a sentence with what to do next below it."""
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
    verb = (command or "").replace("-", "_")
    capability = None
    if command is not None and command not in EXTRA_COMMANDS and not any(word in _HELP for word in typed):
        capability = find_capability(verb)
    if command is None or capability is None:
        from heldtrue.surfaces.cli.extras import perform_extra

        return Performed(perform_extra(command, rest))
    options, given = parse_words(command, arguments_of(capability), rest)
    if options.home is None and (url := os.environ.get(URL_VARIABLE)):
        answer = _ask_service(url, capability, options, given)
        print_answer(answer, options, given, SystemClock().now(), words)
        return Performed(_status_of(answer), answer)
    home = find_home(options.home)
    is_new = not home.is_dir()
    try:
        # Printed before the home is closed: closing it may wait for other writers, and whoever asked need not.
        with use_capability(capability, home, options, given, clock) as (answer, now):
            print_answer(answer, options, given, now, words)
    except InvalidInput as problem:
        tell_line(problem, given)
        raise
    if is_new:
        _note(options, f"a new memory was made at {home}")
    return Performed(_status_of(answer), answer)


def _status_of(answer: Any) -> int:
    return Untrusted.exit_status if getattr(answer, "ok", True) is False else 0


def _ask_service(url: str, capability: Capability, options: Options, given: dict[str, Any]) -> Any:
    """Use a capability of the service that HELDTRUE_URL names, as whoever the token was given to."""
    from heldtrue.surfaces.remote import Remote

    here = "run it where the memory is, with --home"
    check_visitor(options)
    if capability.declared.uses_files:
        raise InvalidInput(f"{capability.verb} reads or writes files beside the memory", field="command", hint=here)
    remote = Remote(url, None, project=options.project, repo=options.repo, session=options.session)
    try:
        with _progress(capability, options):
            return msgspec.json.decode(remote.use(capability, given), type=capability.answer)
    finally:
        remote.close()


def check_visitor(options: Options) -> None:
    """Refuse to ask a service without a token, or to act as someone else than whoever it was given to."""
    from heldtrue.surfaces.remote import TOKEN_VARIABLE

    if options.agent is not None:
        raise InvalidInput(f"with {URL_VARIABLE} set, who acts is the token's", field="agent", hint="leave --agent out")
    if not os.environ.get(TOKEN_VARIABLE):
        raise NoCredential(
            f"{URL_VARIABLE} names a service, and no token says who asks it",
            hint=f"set {TOKEN_VARIABLE} to the token that you were given, or name a memory on this machine with --home",
        )


@contextmanager
def use_capability(
    capability: Capability, home: Path, options: Options, given: dict[str, Any], clock: Clock | None
) -> Iterator[tuple[Any, int]]:
    """Open the home and use a capability; the answer and the time it was given, and the home is closed afterwards."""
    if options.agent is not None:
        agent_principal(options.agent)  # a name that is none is told before anything is opened
    instance = _open(capability, home, clock)
    try:
        principal = _principal(instance, options.agent) if options.agent is not None else OWNER
        call = Call(
            instance=instance,
            principal=principal,
            channel=CHANNEL,
            project=options.project,
            repo=options.repo,
            session=options.session,
        )
        with _progress(capability, options) as progress:
            if progress is not None:
                instance.engine.watch = progress.show_job
            answer = capability.invoke(call, given)
        yield answer, call.now
    finally:
        instance.close()


def _principal(instance: Instance, agent: str) -> Principal:
    with instance.store.read() as reading:
        return find_local(reading, agent)


def _open(capability: Capability, home: Path, clock: Clock | None) -> Instance:
    """The home that is meant. Only what can fill one makes one: there is nothing to look at where none is yet."""
    if not capability.declared.makes_home:
        require_home(home)
    return open_instance(home, clock=clock)


def require_home(home: Path) -> None:
    """Refuse a home that is not there yet."""
    if not _is_there(home):
        raise NotFound(
            f"there is no memory at {home} yet",
            field="home",
            hint="heldtrue learn makes one, or name another with --home",
        )


def _is_there(home: Path) -> bool:
    """Whether there is a memory at a home, or something that is none and says so when it is opened."""
    if not home.is_dir():
        return home.exists()
    file = read_settings(home).storage.file
    return file is None or (home / file).exists()


def _note(options: Options, text: str) -> None:
    """Tell a person at a terminal something beside the answer."""
    screen = Screen(sys.stderr, options.color)
    if screen.is_terminal and not (options.json or options.quiet):
        from heldtrue.surfaces.cli.page import Page, dim

        page = Page(screen, 0)
        page.text(dim(text))
        screen.write(str(page))


def _progress(capability: Capability, options: Options) -> AbstractContextManager[Progress | None]:
    doing = capability.declared.progress
    if doing is None or options.quiet or not sys.stderr.isatty():
        return nullcontext()
    from heldtrue.surfaces.cli.progress import Progress

    return Progress(doing)


def print_answer(answer: Any, options: Options, asked: dict[str, Any], now: int, typed: Sequence[str]) -> None:
    """Print an answer as JSON, as bare ids, or for people; `typed` is what it answers."""
    screen = Screen(sys.stdout, options.color)
    if options.json:
        screen.write_bytes(encode_answer(answer, pretty=screen.is_terminal))
        return
    from heldtrue.surfaces.cli.answers import essential_lines, show_answer

    if options.quiet:
        from heldtrue.surfaces.cli.text import clean

        screen.write("".join(f"{clean(line)}\n" for line in essential_lines(answer)))
        return
    from heldtrue.surfaces.cli.page import Page

    page = Page(screen, now, typed)
    show_answer(page, answer, asked)
    screen.write(str(page))
