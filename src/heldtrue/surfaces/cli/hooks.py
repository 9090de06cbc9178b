"""`heldtrue hook EVENT`: what Claude Code runs when a session starts, a prompt is sent, an answer ends, and at the end.

It is there because a person installed it. It must never be in the way: whatever goes wrong is one line on standard
error, and the status is always 0, since Claude Code takes others for a word of its own (2 would refuse the prompt).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from heldtrue.capabilities.call import Call
from heldtrue.capabilities.parameters import Parameter
from heldtrue.capabilities.verb_index import find_capability
from heldtrue.domain.errors import InvalidInput, NotFound
from heldtrue.domain.privacy import Privacy
from heldtrue.surfaces.cli.arguments import Argument
from heldtrue.surfaces.cli.options import Options
from heldtrue.surfaces.cli.parser import parse_words
from heldtrue.surfaces.projects import project_at_work

if TYPE_CHECKING:
    from heldtrue.domain.records import Source
    from heldtrue.readers.values import Turn

AGENT = "claude-code"
CHANNEL = "hook"
CONTEXT_CHARS_MAX = 10_000
"""What Claude Code takes from one hook; of more, its model sees the beginning only."""
_START_TOKENS, _PROMPT_TOKENS = 2_000, 1_200
_PROMPT_CHARS = 2_000
_INPUT_BYTES_MAX = 16 * 1024 * 1024
_THREADS = "claude-code"
_TURNS_MAX = 100_000
_BETWEEN = "\n\n"
"""What the reader puts between the pieces of one answer."""
_EVERYWHERE = ["memory", "items", "sources", "sessions"]


class Told(msgspec.Struct, frozen=True):
    """What Claude Code says about a moment; of what it may say, the parts that are used."""

    session_id: str = ""
    transcript_path: str | None = None
    cwd: str | None = None
    prompt: str | None = None


def run_hook(words: list[str], parameters: Sequence[Parameter]) -> int:
    """Do what an event asks for. Whatever happens, also to the words themselves, the session goes on."""
    try:
        options, given = parse_words("hook", [Argument(one) for one in parameters], words)
        answer = _EVENTS[given["event"]](_read_told(), options)
        if answer:
            sys.stdout.write(answer)
            sys.stdout.flush()
    except (KeyboardInterrupt, BrokenPipeError):
        raise
    except Exception as problem:  # noqa: BLE001 - the edge of the program: a session does not end with our trouble
        _excuse(problem)
    return 0


def _excuse(problem: Exception) -> None:
    """Say in one line why nothing came of it."""
    told = " ".join(str(getattr(problem, "message", problem) or type(problem).__name__).split())
    print(f"heldtrue: nothing came of this hook: {told[:300]}", file=sys.stderr)


def _read_told() -> Told:
    raw = sys.stdin.buffer.read(_INPUT_BYTES_MAX)
    return msgspec.json.decode(raw or b"{}", type=Told)


@contextmanager
def _open(told: Told, options: Options, *, make: bool) -> Iterator[Call | None]:
    """The memory as the agent sees it from the project that it works in; none where nothing was ever kept."""
    from heldtrue.access.identity import find_local
    from heldtrue.wiring.instance import find_home, open_instance

    home = find_home(options.home)
    if not make and not home.is_dir():
        yield None
        return
    instance = open_instance(home)
    try:
        with instance.store.read() as reading:
            principal = find_local(reading, options.agent or AGENT)
        project = options.project or project_at_work(principal, told.cwd)
        yield Call(instance=instance, principal=principal, channel=CHANNEL, project=project, repo=options.repo)
    finally:
        instance.close()


def _use(call: Call, verb: str, **arguments: Any) -> Any:
    capability = find_capability(verb)
    assert capability is not None
    return capability.invoke(call, arguments)


# Memory for the model


def _start_session(told: Told, options: Options) -> str:
    """What always counts in this project, at most ten memories, before the first prompt."""
    with _open(told, options, make=False) as call:
        if call is None:
            return ""
        return _as_context("SessionStart", _fit(call, "context_for", _START_TOKENS))


def _send_prompt(told: Told, options: Options) -> str:
    """What is known about a prompt. The first of a session also finds what earlier sessions said."""
    if told.prompt is None:
        raise InvalidInput("no prompt was told", field="prompt")
    prompt = told.prompt.strip()
    if not prompt or prompt.startswith(("/", "<")):
        return ""
    with _open(told, options, make=False) as call:
        if call is None:
            return ""
        # Later on, what was said would be what was said a moment ago, which the model has before it anyway.
        is_first = not _is_captured(call, told.session_id)
        within = {"within": _EVERYWHERE} if is_first else {}
        block = _fit(call, "inject", _PROMPT_TOKENS, context=prompt[:_PROMPT_CHARS], **within)
        return _as_context("UserPromptSubmit", block)


def _fit(call: Call, verb: str, tokens: int, **arguments: Any) -> str:
    """A block that Claude Code takes whole."""
    for part in (1, 2, 4):
        block: str = _use(call, verb, max_tokens=tokens // part, **arguments).block
        if len(block) <= CONTEXT_CHARS_MAX:
            return block
    return ""


def _as_context(event: str, block: str) -> str:
    if not block:
        return ""
    answer = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": block}}
    return msgspec.json.encode(answer).decode() + "\n"


# The transcript as evidence


def _capture(told: Told, options: Options) -> str:
    """Keep what was said since the last time; Claude Code asks for this again and again as a session grows."""
    if not told.transcript_path:
        raise InvalidInput("no transcript was told", field="transcript_path")
    turns, thread, origin = _read_transcript(Path(told.transcript_path).expanduser())
    if not turns:
        return ""
    with _open(told, options, make=True) as call:
        assert call is not None
        fresh = list(_find_fresh(turns, _held(call, thread), call.now))
        for part in _in_parts(fresh):
            _use(
                call,
                "capture_session",
                messages=[_message(turn) for turn in part],
                session=thread,
                source=origin,
                idempotency_key=_name_part(thread, part),
            )
    return ""


def _read_transcript(path: Path) -> tuple[Sequence[Turn], str, str]:
    """The turns of a session with the names of its thread and of its file."""
    from heldtrue.readers.recognise import read
    from heldtrue.readers.values import Conversation

    if path.suffix != ".jsonl" or not path.is_file():
        raise NotFound(f"there is no transcript at {path}", field="transcript_path")
    found = next((one for one in read(path, _THREADS) if isinstance(one, Conversation)), None)
    return ((), "", "") if found is None else (found.turns, found.thread, str(path))


def _name_session(session_id: str) -> str:
    from heldtrue.readers.plain import name_thread

    return name_thread(_THREADS, session_id, "")


def _is_captured(call: Call, session_id: str) -> bool:
    with call.instance.store.read() as reading:
        return reading.sources.thread_length(_name_session(session_id), call.default_scope, _privacy(call)) > 0


def _held(call: Call, thread: str) -> list[Source]:
    with call.instance.store.read() as reading:
        return reading.sources.thread_turns(thread, call.default_scope, _privacy(call), limit=_TURNS_MAX)


def _privacy(call: Call) -> Privacy:
    return Privacy.of(call.instance.settings.default_visibility, call.principal.id)


def _find_fresh(turns: Iterable[Turn], held: Sequence[Source], now: int) -> Iterator[Turn]:
    """The turns that are not held yet, told by who spoke and when: a text may be kept with a secret masked.

    An answer is written down piece by piece. Of one that has grown since, what is new comes as a turn of its own.
    """
    from heldtrue.language.own_output import leave_out_own

    known: dict[tuple[str | None, int], list[str]] = {}
    undated = {(one.speaker, one.content) for one in held if one.occurred_at is None}
    for one in held:
        if one.occurred_at is not None:
            known.setdefault((one.speaker, one.occurred_at), []).append(one.content)
    for turn in turns:
        text, at = leave_out_own(turn.text)[0], turn.at if turn.at is not None and turn.at <= now else None
        before = _BETWEEN.join(known.get((turn.role, at), ())) if at is not None else ""
        if before and (text == before or not text.startswith(before)):
            continue
        text = text[len(before) :].strip()
        if text and (turn.role, text) not in undated:
            yield msgspec.structs.replace(turn, text=text, at=at)


def _in_parts(turns: Sequence[Turn]) -> Iterator[list[Turn]]:
    """As many turns as one capture takes."""
    from heldtrue.domain.limits import CAPTURE_BYTES_MAX, CAPTURE_MESSAGES_MAX

    part: list[Turn] = []
    size = 0
    for turn in turns:
        length = len(turn.text.encode())
        if part and (len(part) >= CAPTURE_MESSAGES_MAX or size + length > CAPTURE_BYTES_MAX):
            yield part
            part, size = [], 0
        part.append(turn)
        size += length
    if part:
        yield part


def _message(turn: Turn) -> dict[str, Any]:
    from heldtrue.domain.times import to_iso

    at = {"at": to_iso(turn.at)} if turn.at is not None else {}
    return {"content": turn.text, "role": turn.role, **at}


def _name_part(thread: str, part: Sequence[Turn]) -> str:
    """The same for the same turns: two moments that come at once keep them once."""
    from hashlib import blake2b

    said = [(turn.role, turn.at, turn.text) for turn in part]
    return f"hook:{blake2b(msgspec.json.encode([thread, said]), digest_size=16).hexdigest()}"


_EVENTS: dict[str, Callable[[Told, Options], str]] = {
    "session-start": _start_session,
    "prompt": _send_prompt,
    "stop": _capture,
    "session-end": _capture,
}
