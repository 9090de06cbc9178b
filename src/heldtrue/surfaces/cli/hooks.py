"""`heldtrue hook EVENT`: Claude Code runs it when a session starts, a prompt is sent, an answer ends or a session ends.

A hook must never block a session: every error is one line on standard error, and the exit status is always 0, because
Claude Code gives other values a meaning of its own (2 would refuse the prompt).
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
from heldtrue.domain.limits import (
    HOOK_CONTEXT_CHARS_MAX,
    HOOK_INPUT_BYTES_MAX,
    HOOK_LOCK_MS,
    HOOK_PROMPT_CHARS_MAX,
    HOOK_PROMPT_TOKENS_MAX,
    HOOK_START_TOKENS_MAX,
    HOOK_TURNS_MAX,
)
from heldtrue.domain.privacy import Privacy
from heldtrue.surfaces.cli.arguments import Argument
from heldtrue.surfaces.cli.options import Options
from heldtrue.surfaces.cli.parser import parse_words
from heldtrue.surfaces.projects import folder_at_work, project_at_work

if TYPE_CHECKING:
    from heldtrue.domain.records import Source
    from heldtrue.readers.values import Turn

AGENT = "claude-code"
CHANNEL = "hook"
_THREADS = "claude-code"
_BETWEEN = "\n\n"
"""The separator that the reader puts between the parts of one answer."""
_EVERYWHERE = ["memory", "items", "sources", "sessions"]


class HookInput(msgspec.Struct, frozen=True):
    """The fields that are used of the input from Claude Code."""

    session_id: str = ""
    transcript_path: str | None = None
    cwd: str | None = None
    prompt: str | None = None


def run_hook(words: list[str], parameters: Sequence[Parameter]) -> int:
    """Run the hook of an event. No error stops the session, not even a wrong argument."""
    try:
        options, given = parse_words("hook", [Argument(parameter) for parameter in parameters], words)
        answer = _EVENTS[given["event"]](_read_input(), options)
        if answer:
            sys.stdout.write(answer)
            sys.stdout.flush()
    except (KeyboardInterrupt, BrokenPipeError):
        raise
    except Exception as problem:  # noqa: BLE001 - the edge of the program: an error must not end the session
        _report_skip(problem)
    return 0


def _report_skip(problem: Exception) -> None:
    """Print on one line why the hook did nothing."""
    text = " ".join(str(getattr(problem, "message", problem) or type(problem).__name__).split())
    print(f"heldtrue: hook skipped: {text[:300]}", file=sys.stderr)


def _read_input() -> HookInput:
    raw = sys.stdin.buffer.read(HOOK_INPUT_BYTES_MAX)
    return msgspec.json.decode(raw or b"{}", type=HookInput)


@contextmanager
def _open(hook: HookInput, options: Options, *, make: bool) -> Iterator[Call | None]:
    """Open the memory as the agent in its project; None if there is no home and `make` is false."""
    from heldtrue.access.identity import find_local
    from heldtrue.wiring.homes import find_home
    from heldtrue.wiring.instance import open_instance

    home = find_home(options.home, start=folder_at_work(hook.cwd))
    if not make and not home.is_dir():
        yield None
        return
    # Whoever is stopped in the middle of a write must not stop a session too; what is missed is captured next time.
    instance = open_instance(home, patience_ms=HOOK_LOCK_MS)
    try:
        with instance.store.read() as reading:
            principal = find_local(reading, options.agent or AGENT)
        project = options.project or project_at_work(principal, hook.cwd)
        yield Call(instance=instance, principal=principal, channel=CHANNEL, project=project, repo=options.repo)
    finally:
        instance.close()


def _use(call: Call, verb: str, **arguments: Any) -> Any:
    capability = find_capability(verb)
    assert capability is not None
    return capability.invoke(call, arguments)


# Memory for the model


def _start_session(hook: HookInput, options: Options) -> str:
    """The context of the project, at most ten memories, before the first prompt."""
    with _open(hook, options, make=False) as call:
        if call is None:
            return ""
        return _as_context("SessionStart", _fit(call, "context_for", HOOK_START_TOKENS_MAX))


def _send_prompt(hook: HookInput, options: Options) -> str:
    """The memories for a prompt. The first prompt of a session also searches earlier sessions."""
    if hook.prompt is None:
        raise InvalidInput("the input has no prompt", field="prompt")
    prompt = hook.prompt.strip()
    if not prompt or prompt.startswith(("/", "<")):
        return ""
    with _open(hook, options, make=False) as call:
        if call is None:
            return ""
        # Later prompts do not search sessions: they would find this session, which the model already sees.
        is_first = not _is_captured(call, hook.session_id)
        within = {"within": _EVERYWHERE} if is_first else {}
        block = _fit(call, "inject", HOOK_PROMPT_TOKENS_MAX, context=prompt[:HOOK_PROMPT_CHARS_MAX], **within)
        return _as_context("UserPromptSubmit", block)


def _fit(call: Call, verb: str, tokens: int, **arguments: Any) -> str:
    """A block that is short enough for Claude Code."""
    for part in (1, 2, 4):
        block: str = _use(call, verb, max_tokens=tokens // part, **arguments).block
        if len(block) <= HOOK_CONTEXT_CHARS_MAX:
            return block
    return ""


def _as_context(event: str, block: str) -> str:
    if not block:
        return ""
    answer = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": block}}
    return msgspec.json.encode(answer).decode() + "\n"


# The transcript as evidence


def _capture(hook: HookInput, options: Options) -> str:
    """Capture the turns since the last call; Claude Code runs this hook again as a session grows."""
    if not hook.transcript_path:
        raise InvalidInput("the input has no transcript", field="transcript_path")
    turns, thread, origin = _read_transcript(Path(hook.transcript_path).expanduser())
    if not turns:
        return ""
    with _open(hook, options, make=True) as call:
        assert call is not None
        fresh = list(_find_new_turns(turns, _captured_turns(call, thread), call.now))
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
    """The turns of a session, its thread and its file."""
    from heldtrue.readers.recognise import read
    from heldtrue.readers.values import Conversation

    if path.suffix != ".jsonl" or not path.is_file():
        raise NotFound(f"no transcript at {path}", field="transcript_path")
    conversation = next((value for value in read(path, _THREADS) if isinstance(value, Conversation)), None)
    return ((), "", "") if conversation is None else (conversation.turns, conversation.thread, str(path))


def _name_session(session_id: str) -> str:
    from heldtrue.readers.plain import name_thread

    return name_thread(_THREADS, session_id, "")


def _is_captured(call: Call, session_id: str) -> bool:
    with call.instance.store.read() as reading:
        return reading.sources.thread_length(_name_session(session_id), call.default_scope, _privacy(call)) > 0


def _captured_turns(call: Call, thread: str) -> list[Source]:
    with call.instance.store.read() as reading:
        return reading.sources.thread_turns(thread, call.default_scope, _privacy(call), limit=HOOK_TURNS_MAX)


def _privacy(call: Call) -> Privacy:
    return Privacy.of(call.instance.settings.default_visibility, call.principal.id)


def _find_new_turns(turns: Iterable[Turn], captured: Sequence[Source], now: int) -> Iterator[Turn]:
    """The turns that are not captured yet, compared by speaker and time: a stored text may have masked secrets.

    An answer is written to the transcript in parts. If it has grown since, the new part is a turn of its own.
    """
    from heldtrue.language.own_output import leave_out_own

    known: dict[tuple[str | None, int], list[str]] = {}
    undated = {(source.speaker, source.content) for source in captured if source.occurred_at is None}
    for source in captured:
        if source.occurred_at is not None:
            known.setdefault((source.speaker, source.occurred_at), []).append(source.content)
    for turn in turns:
        text, at = leave_out_own(turn.text)[0], turn.at if turn.at is not None and turn.at <= now else None
        before = _BETWEEN.join(known.get((turn.role, at), ())) if at is not None else ""
        if before and (text == before or not text.startswith(before)):
            continue
        text = text[len(before) :].strip()
        if text and (turn.role, text) not in undated:
            yield msgspec.structs.replace(turn, text=text, at=at)


def _in_parts(turns: Sequence[Turn]) -> Iterator[list[Turn]]:
    """The turns in parts that are small enough for one capture."""
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
    """The idempotency key of some turns: two hooks at the same time store them once."""
    from hashlib import blake2b

    content = [(turn.role, turn.at, turn.text) for turn in part]
    return f"hook:{blake2b(msgspec.json.encode([thread, content]), digest_size=16).hexdigest()}"


_EVENTS: dict[str, Callable[[HookInput, Options], str]] = {
    "session-start": _start_session,
    "prompt": _send_prompt,
    "stop": _capture,
    "session-end": _capture,
}
