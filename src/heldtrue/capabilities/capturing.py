"""Capture evidence, and quarantine a source that cannot be trusted."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from heldtrue.capabilities.arguments import OptionalVisibility, Reason, Scope, SourceRef
from heldtrue.capabilities.call import Call
from heldtrue.capabilities.declaration import EverydayTool, Group, Route
from heldtrue.capabilities.parameters import Mark, Reference, Request
from heldtrue.capabilities.registry import capability
from heldtrue.capabilities.shapes import CaptureOutcome, Id, QuarantineOutcome, Written
from heldtrue.capabilities.writing import Moment, past_moment
from heldtrue.domain.action import Audience, Effect
from heldtrue.domain.errors import InvalidInput
from heldtrue.domain.job import Job
from heldtrue.domain.limits import CAPTURE_MESSAGES_MAX
from heldtrue.domain.memory import Visibility
from heldtrue.domain.plural import count
from heldtrue.domain.records import SourceKind
from heldtrue.engine.queue import NewJob, ask_for
from heldtrue.ingest.acts import quarantine as quarantining
from heldtrue.ingest.acts.capture import Capture, CapturedText, CaptureResult, capture_act, check_size, take_material
from heldtrue.ingest.stages.candidate import UNPARSED, read_scope
from heldtrue.ingest.stages.intake import Intake
from heldtrue.ingest.stages.journal import WriteSession
from heldtrue.ingest.stages.passages import SPOKEN
from heldtrue.language.guard import count_unparsed


class MessageInput(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One turn of a conversation."""

    content: str
    role: str = "user"
    name: str | None = None
    at: Moment = None


class CaptureAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What was captured, and what had been captured before."""

    outcome: CaptureOutcome
    """`captured`, or `unchanged` if everything was captured before."""
    thread: str
    sources: list[Id]
    """The ids of the sources in order, both new and existing ones."""
    captured: int
    known: int
    job: Id | None
    """The id of the extraction job, if one was queued. `job` shows it."""
    notes: list[str]
    seq: int


class QuarantineAnswer(Written[QuarantineOutcome], frozen=True, kw_only=True):
    """What changed when a source was quarantined or released."""

    source: Id
    passages: int
    """How many passages of the source are now hidden, or visible again."""
    memories: list[Id]
    """Memories that moved to the inbox because this was their only source, or that are active again."""
    conflicts: list[Id]
    """Conflicts between released memories and current ones, for a person to resolve."""


Messages = Annotated[
    Annotated[list[MessageInput], Meta(min_length=1, max_length=CAPTURE_MESSAGES_MAX)] | None,
    Meta(
        description="The messages of a conversation in order: objects with `content`, and optionally `role`, `name` "
        "and `at`."
    ),
    Mark.PROSE,
]


class CaptureRequest(Request):
    content: Annotated[
        str | None,
        Meta(description="A text to store as evidence, word for word."),
        Mark.PROSE,
        Mark.STDIN,
        Mark.SENTENCE,
    ] = None
    messages: Messages = None
    thread: Annotated[
        str | None,
        Meta(
            description="The conversation or document that the text belongs to. Default: the source, or a new document."
        ),
    ] = None
    title: Annotated[str | None, Meta(description="The title."), Mark.PROSE] = None
    source: SourceRef = None
    scope: Scope = None
    kind: Annotated[
        SourceKind | None,
        Meta(description="The kind of source. Default: conversation for messages, otherwise document."),
    ] = None
    speaker: Annotated[str | None, Meta(description="Who said or wrote the text.")] = None
    occurred_at: Annotated[str | None, Meta(description="When the text was said or written. Default: now.")] = None
    visibility: OptionalVisibility = None
    extract: Annotated[
        bool | None,
        Meta(description="Whether to extract memories from the text later. Default: the value in the settings."),
    ] = None


@capability(
    "memory.capture",
    Effect.WRITE,
    group=Group.REMEMBER,
    positional=("content",),
    makes_home=True,
    creates=("captured",),
    routes=(Route("POST", "/v1/sources"),),
    tool=EverydayTool(
        "Store a text or a conversation word for word as searchable evidence. For single facts use memory_learn.",
        {
            "content": "The text, if it is not a conversation",
            "messages": "The messages of a conversation",
            "title": "",
            "source": "Where the text comes from",
        },
        rank=11,
    ),
    examples=(
        "heldtrue capture --message chat.jsonl --thread chat-12",
        "cat notes.md | heldtrue capture - --source notes.md",
    ),
)
def capture(call: Call, request: CaptureRequest) -> CaptureAnswer:
    """Store a text or a conversation word for word as evidence that recall can search.

    `work` later extracts memories from it and puts them into the inbox. Capturing the same text again changes
    nothing; a longer version of a conversation adds its new messages. Secrets are masked before anything is stored.
    Passages that state a rejected claim are stored but not shown.
    """
    scope, settings = read_scope(request.scope or call.default_scope), call.instance.settings
    intake = Intake(scope)
    given = Capture(
        scope=scope,
        project_id=call.project or call.principal.own_project,
        kind=request.kind or (SourceKind.DOCUMENT if request.messages is None else SourceKind.CONVERSATION),
        visibility=request.visibility or Visibility(settings.default_visibility),
        thread=intake.name(request.thread or (call.session if request.messages is not None else None), field="thread"),
        title=intake.name(request.title, field="title"),
        reference=intake.reference(request.source),
        is_spoken=request.messages is not None,
    )
    happened = past_moment(call, request.occurred_at, "occurred_at")
    if request.messages is None:
        material = [_take_text(intake, request.content, request.speaker, happened)]
    else:
        _check_turns(request.content, given.kind, request.speaker)
        material = _take_turns(call, intake, request.messages, happened)
    return hand_in(call, given, material, intake, extract=request.extract)


class CaptureSessionRequest(Request):
    messages: Annotated[
        list[MessageInput],
        Meta(min_length=1, max_length=CAPTURE_MESSAGES_MAX, description="The messages of the session, in order."),
        Mark.PROSE,
    ]
    session: Annotated[str | None, Meta(description="The session's id. Default: the caller's session.")] = None
    source: SourceRef = None
    scope: Scope = None


@capability(
    "memory.capture_session",
    Effect.WRITE,
    group=Group.REMEMBER,
    positional=("messages",),
    makes_home=True,
)
def capture_session(call: Call, request: CaptureSessionRequest) -> CaptureAnswer:
    """Capture the transcript of an agent's session when it ends; memories are extracted from it later."""
    thread = request.session or call.session
    if thread is None:
        raise InvalidInput(
            "session is missing", field="session", hint="specify `session`, or open the store with a session"
        )
    captured = CaptureRequest(
        messages=request.messages, thread=thread, source=request.source, scope=request.scope, kind=SourceKind.RUN
    )
    return capture(call, captured)


class CaptureConversationRequest(Request):
    content: Annotated[
        str | None, Meta(description="Notes or a summary of the conversation."), Mark.PROSE, Mark.STDIN, Mark.SENTENCE
    ] = None
    messages: Messages = None
    capture_mode: Annotated[
        Literal["transcript", "notes", "summary"],
        Meta(description="What you provide: the messages themselves, notes, or a summary."),
    ] = "transcript"
    thread: Annotated[str | None, Meta(description="The conversation's id.")] = None
    source: SourceRef = None
    scope: Scope = None
    occurred_at: Annotated[str | None, Meta(description="When the conversation took place. Default: now.")] = None


@capability(
    "memory.capture_conversation",
    Effect.WRITE,
    group=Group.REMEMBER,
    positional=("content",),
    makes_home=True,
)
def capture_conversation(call: Call, request: CaptureConversationRequest) -> CaptureAnswer:
    """Capture a conversation between people: its messages, notes or a summary."""
    if (request.capture_mode == "transcript") != (request.messages is not None):
        wanted = "messages" if request.capture_mode == "transcript" else "content"
        raise InvalidInput(f"{request.capture_mode} needs {wanted}", field="capture_mode", hint=f"give {wanted}")
    captured = CaptureRequest(
        content=request.content,
        messages=request.messages,
        thread=request.thread,
        source=request.source,
        scope=request.scope,
        title=None if request.capture_mode == "transcript" else request.capture_mode,
        kind=SourceKind.CONVERSATION,
        occurred_at=request.occurred_at,
    )
    return capture(call, captured)


def hand_in(
    call: Call, capture: Capture, material: list[CapturedText], intake: Intake, *, extract: bool | None
) -> CaptureAnswer:
    """Store material and queue its extraction in the same transaction."""
    wanted = call.instance.settings.extracts if extract is None else extract
    unparsed = count_unparsed()

    def answer(result: CaptureResult, session: WriteSession) -> CaptureAnswer:
        job = _ask_to_extract(session, capture, result) if wanted and result.captured else None
        notes = intake.notes if count_unparsed() == unparsed else [*intake.notes, UNPARSED]
        if result.withheld:
            were = count(result.withheld, "text was", "texts were")
            notes = [*notes, f"{were} not stored again, because of an earlier erasure"]
        return _answer(result, notes, job)

    return call.submit(capture_act(capture, material, answer, call.instance.analysis), CaptureAnswer)


def _ask_to_extract(session: WriteSession, capture: Capture, result: CaptureResult) -> Job:
    """Queue the extraction of new sources, in the transaction that stores them."""
    new = NewJob(
        name="extract",
        scope=capture.scope,
        asked_by=session.actor.id,
        trigger="capture",
        arguments={
            "sources": result.sources[result.known :],
            "project": capture.project_id,
            "about": capture.reference or capture.title or result.thread,
        },
        total=result.captured,
    )
    return ask_for(session.transaction, new, now=session.now)


def _check_turns(content: str | None, kind: SourceKind, speaker: str | None) -> None:
    if content is not None:
        raise InvalidInput(
            "content and messages were both given", field="messages", hint="specify one of `content` and `messages`"
        )
    if kind not in SPOKEN:
        raise InvalidInput(
            f"messages cannot be of kind {kind.value}", field="kind", hint="use the kind conversation or run"
        )
    if speaker is not None:
        raise InvalidInput(
            "`speaker` cannot be combined with `messages`", field="speaker", hint="give each message a name"
        )


def _take_text(intake: Intake, content: str | None, speaker: str | None, happened: int | None) -> CapturedText:
    if content is None:
        raise InvalidInput(
            "neither content nor messages was given",
            field="content",
            hint="specify one of `content` and `messages`",
        )
    who = intake.name(speaker, field="speaker")
    text = take_material(intake, content, field="content", speaker=who, occurred_at=happened)
    if text is None:
        raise InvalidInput("content is empty", field="content", hint="specify the text to store")
    return text


def _take_turns(call: Call, intake: Intake, messages: list[MessageInput], happened: int | None) -> list[CapturedText]:
    turns = []
    for number, message in enumerate(messages):
        field = f"messages[{number}]"
        at = past_moment(call, message.at, f"{field}.at")
        speaker = intake.name(message.name, field=f"{field}.name") or intake.name(message.role, field=f"{field}.role")
        turn = take_material(
            intake,
            message.content,
            field=f"{field}.content",
            speaker=speaker or "user",
            occurred_at=happened if at is None else at,
        )
        # A message without text, such as one that only calls a tool, is not evidence.
        if turn is not None:
            turns.append(turn)
    if not turns:
        raise InvalidInput("all messages are empty", field="messages", hint="specify the messages to store")
    check_size(turns, field="messages")
    return turns


def _answer(captured: CaptureResult, notes: list[str], job: Job | None) -> CaptureAnswer:
    return CaptureAnswer(
        outcome=captured.outcome.value,
        thread=captured.thread,
        sources=list(captured.sources),
        captured=captured.captured,
        known=captured.known,
        job=job.id if job is not None else None,
        notes=notes,
        seq=captured.seq,
    )


class QuarantineRequest(Request):
    source: Annotated[
        str,
        Meta(min_length=1, description="The id of a source, as shown by `explain` and `capture`."),
        Mark.PATH,
        Reference(("source",)),
    ]
    reason: Reason
    release: Annotated[bool, Meta(description="Release the source from quarantine.")] = False


@capability(
    "memory.quarantine",
    Effect.WRITE,
    audience=Audience.PEOPLE,
    group=Group.REMEMBER,
    positional=("source",),
    destructive=True,
    examples=(
        'heldtrue quarantine SOURCE_ID --reason "the page was forged"',
        'heldtrue quarantine SOURCE_ID --release --reason "it was genuine"',
    ),
)
def quarantine(call: Call, request: QuarantineRequest) -> QuarantineAnswer:
    """Hide an untrusted source, and move memories that have no other source to the inbox (people only).

    `release` makes its passages searchable again, except those that state a rejected claim, and reactivates the
    memories that were in the inbox only because of the quarantine. Nothing is erased.
    """
    why = Intake().why(request.reason)

    def act(session: WriteSession) -> QuarantineAnswer:
        found = call.source_id(session.transaction, request.source) or request.source
        done = (quarantining.release if request.release else quarantining.quarantine)(session, found, why)
        return QuarantineAnswer(
            outcome=done.outcome.value,
            source=done.source,
            passages=done.passages,
            memories=list(done.memories),
            conflicts=list(done.conflicts),
            reason=why,
            seq=done.seq,
        )

    return call.submit(act, QuarantineAnswer)
