"""Import files, folders, and the exports and transcripts of other products."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from heldtrue.capabilities.arguments import OptionalVisibility, Scope
from heldtrue.capabilities.call import Call
from heldtrue.capabilities.capturing import hand_in
from heldtrue.capabilities.declaration import FileUse, Group
from heldtrue.capabilities.file_access import SentFile, resolve_path
from heldtrue.capabilities.parameters import Mark, Request
from heldtrue.capabilities.registry import capability
from heldtrue.capabilities.shapes import Id
from heldtrue.domain.action import Audience, Effect
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.errors import HeldtrueError, InvalidInput
from heldtrue.domain.limits import CAPTURE_BYTES_MAX, CAPTURE_MESSAGES_MAX, INGEST_BATCH_MAX, LEFT_OUT_SHOWN_MAX
from heldtrue.domain.memory import Kind, Strength, Visibility
from heldtrue.domain.records import SourceKind
from heldtrue.ingest.acts.capture import Capture, CapturedText, take_material
from heldtrue.ingest.acts.extracted_lane import (
    IMPORTED_ELSEWHERE,
    INGEST,
    expire_gone,
    find_gone,
    return_gone,
    withdraw_document,
)
from heldtrue.ingest.acts.learn import learn
from heldtrue.ingest.gate import EXTRACTED
from heldtrue.ingest.gateway import PlannedAct, Planning
from heldtrue.ingest.stages.candidate import Candidate, Proposal, prepare_candidate, read_scope
from heldtrue.ingest.stages.evidence import name_thread
from heldtrue.ingest.stages.intake import Intake
from heldtrue.ingest.stages.journal import WriteSession
from heldtrue.language.masking import mask_text

if TYPE_CHECKING:
    from heldtrue.readers.values import Conversation, Document, NamedLink, Remark, Value


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """Something that was not imported, and why."""

    path: str
    reason: str


class IngestAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What was found and imported."""

    format: str
    documents: int
    conversations: int
    turns: int
    """New messages in conversations."""
    memories: dict[str, int]
    """Memories of another product, counted by outcome."""
    unchanged: int
    """Documents and conversations that had already been imported."""
    expired: int
    """Memories that were archived because their only source file was removed from the folder."""
    returned: int
    """Archived memories that are active again because their file exists again."""
    left_out: int
    details: list[LeftOut]
    """Items that were skipped or only partly read, at most a hundred."""
    jobs: list[Id]
    """The ids of the extraction jobs that were queued. `work` runs them."""


class IngestRequest(Request):
    path: Annotated[str, Meta(min_length=1, description="A file, a folder or a zip file on this machine."), Mark.PATH]
    source_format: Annotated[str | None, Meta(description="The format. Default: detected from the content.")] = None
    scope: Scope = None
    visibility: OptionalVisibility = None
    extract: Annotated[
        bool | None,
        Meta(description="Whether to extract memories from the files later. Default: the value in the settings."),
    ] = None


@capability(
    "memory.ingest",
    Effect.ADMIN,
    audience=Audience.PEOPLE,
    group=Group.FILES,
    positional=("path",),
    makes_home=True,
    file=FileUse.READS,
    progress="importing",
    examples=(
        "heldtrue --project shop ingest docs/",
        "heldtrue ingest chatgpt-export.zip",
        "heldtrue ingest ~/.claude/projects/shop --source-format claude-code",
    ),
)
def ingest(call: Call, request: IngestRequest) -> IngestAnswer:
    """Import files, folders, exports and transcripts as evidence, and memories from other products into the inbox.

    Formats: documents (notes, code, JSON, HTML, PDF), chatgpt, claude-export, claude-code, codex, server-memory,
    mem0, basic-memory, obsidian, agents-files. A second import reads only what is new or changed. Skipped items are
    listed with the reason.
    """
    settings = call.instance.settings
    given = Capture(
        scope=read_scope(request.scope or call.default_scope),
        project_id=call.project or call.principal.own_project,
        kind=SourceKind.DOCUMENT,
        visibility=request.visibility or Visibility(settings.default_visibility),
    )

    name, tally = take_in_all(call, given, request)
    return IngestAnswer(
        format=name,
        documents=tally.documents,
        conversations=tally.conversations,
        turns=tally.turns,
        memories=dict(sorted(tally.memories.items())),
        unchanged=tally.unchanged,
        expired=tally.expired,
        returned=tally.returned,
        left_out=tally.left_out,
        details=[LeftOut(path=where, reason=why) for where, why in tally.details],
        jobs=tally.jobs,
    )


class Tally:
    """The running counts of an import."""

    def __init__(self) -> None:
        self.documents = self.conversations = self.turns = self.unchanged = self.left_out = 0
        self.expired = self.returned = 0
        self.memories: dict[str, int] = {}
        self.details: list[tuple[str, str]] = []
        self.jobs: list[str] = []

    def leave_out(self, path: str, reason: str) -> None:
        self.left_out += 1
        self.note(path, reason)

    def note(self, path: str, reason: str) -> None:
        if len(self.details) < LEFT_OUT_SHOWN_MAX:
            self.details.append((path, reason))


def take_in_all(call: Call, capture: Capture, request: IngestRequest) -> tuple[str, Tally]:
    """Read a path in the given or the detected format, and import all of it."""
    from heldtrue.readers.recognise import FORMATS, read, recognise  # nothing else needs the readers

    path = resolve_path(call.files, request.path)
    name = request.source_format or recognise(path)
    if name not in FORMATS:
        raise InvalidInput(
            f"{name} is not a known format", field="source_format", hint=f"use one of {', '.join(FORMATS)}"
        )
    tally = Tally()
    # What was sent is known by the path that it has on the sender's machine.
    origin = Path(request.path) if isinstance(call.files, SentFile) else path.resolve()
    _take_all(call, capture, origin, read(path, name), tally, request.extract)
    if path.is_dir():
        _expire_missing(call, capture, path.resolve(), tally)
    return name, tally


def _expire_missing(call: Call, capture: Capture, folder: Path, tally: Tally) -> None:
    """Withdraw the documents whose files were removed from the folder, so that recall no longer finds their text."""
    with call.instance.store.read() as reading:
        # All names below a folder come after its own name with a slash, and before the same with the next character.
        within = (f"{folder}/", f"{folder}0")
        known = reading.sources.documents_between(*within, author=call.principal.id, scope=capture.scope)
    missing: dict[tuple[str, str], list[str]] = {}
    for source_id, thread, reference in known:
        # A thread is named by the whole path of its file, if that is not too long for a name.
        if thread.endswith(f"/{reference}") and not Path(thread).exists():
            missing.setdefault((thread, reference), []).append(source_id)
    for (_, reference), sources in missing.items():
        if (expired := _withdraw(call, sources)) is not None:
            tally.expired += expired
            tally.note(reference, "the file was removed, so recall no longer finds its text")


def _withdraw(call: Call, sources: Sequence[str]) -> int | None:
    """Withdraw a document, given its texts, oldest first.

    Returns the number of memories archived with it, or None if it was already withdrawn.
    """
    with call.instance.store.read() as reading:
        newest = reading.sources.get(sources[-1])
    if newest is None or not newest.content:
        return None

    def act(session: WriteSession) -> int:
        withdraw_document(session, newest)
        return len(expire_gone(session, set(sources)))

    return call.submit(act, int)


def _return_memories(call: Call, source_id: str) -> int:
    """Reactivate the memories that were archived while a source's file was missing. If there are none, only read."""
    with call.instance.store.read() as reading:
        source = reading.sources.get(source_id)
        if source is None or not find_gone(reading, source):
            return 0

    def act(session: WriteSession) -> int:
        return len(return_gone(session, source))

    return call.submit(act, int)


def _take_all(
    call: Call, capture: Capture, root: Path, values: Iterable[Value], tally: Tally, extract: bool | None
) -> None:
    from heldtrue.readers.values import Conversation, Document, FileNote, NamedLink, Remark, Skipped

    proposals: list[Proposal] = []
    for value in values:
        match value:
            case Document():
                _take_document(call, capture, root, value, tally, extract)
            case Conversation():
                _take_conversation(call, capture, value, tally, extract)
            case Remark() | NamedLink():
                proposals.append(_propose(capture, value))
            case Skipped():
                tally.leave_out(value.path, value.reason)
                tally.expired += _withdraw_emptied(call, capture, root, value.path) if value.is_empty else 0
            case FileNote():
                tally.note(value.path, value.text)
        if len(proposals) >= INGEST_BATCH_MAX:
            _learn(call, proposals, tally)
            proposals = []
    _learn(call, proposals, tally)


def _take_document(
    call: Call, capture: Capture, root: Path, document: Document, tally: Tally, extract: bool | None
) -> None:
    intake = Intake(capture.scope)
    try:
        material = take_material(
            intake, document.text, field="text", speaker=None, occurred_at=_past(call, document.modified_at)
        )
        if mask_text(str(root / document.path), capture.scope).findings:
            tally.leave_out(intake.reference(document.path) or "", "its path contains a secret or personal data")
            return
        if material is None:
            tally.leave_out(document.path, "the file is empty")
            tally.expired += _withdraw_emptied(call, capture, root, document.path)
            return
        here = msgspec.structs.replace(
            capture,
            thread=_thread_of(root, document.path),
            title=intake.name(document.title, field="title"),
            reference=intake.reference(document.path),
        )
        answer = hand_in(call, here, [material], intake, extract=extract)
    except HeldtrueError as problem:
        tally.leave_out(document.path, problem.message)
        return
    tally.documents += answer.captured
    tally.unchanged += answer.known
    tally.jobs += [answer.job] if answer.job else []
    if answer.captured:
        tally.returned += _return_memories(call, answer.sources[0])
    for note in answer.notes:
        tally.note(document.path, note)


def _thread_of(root: Path, path: str) -> str:
    """The thread of a file: its whole path."""
    whole = f"{root}/{path}" if root.name != path else str(root)
    return name_thread(whole) or whole


def _withdraw_emptied(call: Call, capture: Capture, root: Path, path: str) -> int:
    """Withdraw the earlier text of a file that is now empty, and return the number of memories archived with it."""
    name = _thread_of(root, path)
    with call.instance.store.read() as reading:
        known = reading.sources.documents_between(name[:-1], f"{name}!", author=call.principal.id, scope=capture.scope)
    sources = [source_id for source_id, thread, _ in known if thread == name]
    return (_withdraw(call, sources) or 0) if sources else 0


def _take_conversation(
    call: Call, capture: Capture, conversation: Conversation, tally: Tally, extract: bool | None
) -> None:
    fresh = 0
    for part, turns in enumerate(_in_parts(call, conversation)):
        intake = Intake(capture.scope)
        # A conversation too long for one entry is split; each part starts at the same message on the next import.
        thread = conversation.thread if not part else f"{conversation.thread} ({part + 1})"
        try:
            here = msgspec.structs.replace(
                capture,
                kind=SourceKind.CONVERSATION,
                is_spoken=True,
                thread=intake.name(thread, field="thread"),
                title=intake.name(conversation.title, field="title"),
                reference=intake.reference(conversation.origin),
            )
            material = [text for turn in turns if (text := _take_turn(intake, turn)) is not None]
            if not material:
                continue
            answer = hand_in(call, here, material, intake, extract=extract)
        except HeldtrueError as problem:
            tally.leave_out(conversation.origin, problem.message)
            continue
        fresh += answer.captured
        tally.jobs += [answer.job] if answer.job else []
    tally.turns += fresh
    tally.conversations += bool(fresh)
    tally.unchanged += not fresh


def _take_turn(intake: Intake, turn: CapturedText) -> CapturedText | None:
    return take_material(
        intake, turn.content, field="text", speaker=turn.speaker or "user", occurred_at=turn.occurred_at
    )


def _in_parts(call: Call, conversation: Conversation) -> Iterator[Sequence[CapturedText]]:
    """Split the messages of a conversation into parts that fit into one ledger entry."""
    part: list[CapturedText] = []
    size = 0
    for turn in conversation.turns:
        length = len(turn.text.encode("utf-8", "replace"))
        if part and (len(part) >= CAPTURE_MESSAGES_MAX or size + length > CAPTURE_BYTES_MAX):
            yield part
            part, size = [], 0
        part.append(CapturedText(turn.text, turn.speaker or turn.role, _past(call, turn.at)))
        size += length
    if part:
        yield part


def _past(call: Call, moment: int | None) -> int | None:
    """A time from a file, unless it lies in the future."""
    return moment if moment is not None and moment <= call.now else None


def _propose(capture: Capture, value: Remark | NamedLink) -> Proposal:
    """Turn a memory from another product into a proposal for the inbox."""
    from heldtrue.readers.values import NamedLink

    if isinstance(value, NamedLink):
        content, kind, created_at, topic = f"{value.from_name} {value.relation} {value.to_name}", Kind.CLAIM, None, None
    else:
        content, created_at, topic = _with_subject(value), value.created_at, value.subject
        kind = Kind(value.kind) if value.kind in set(Kind) else Kind.NOTE
    return Proposal(
        content=content,
        kind=kind,
        scope=capture.scope,
        project=capture.project_id,
        visibility=capture.visibility,
        topic=topic,
        strength=Strength.IMPLIED,
        source=value.origin,
        source_kind=SourceKind.IMPORT,
        observed_at=created_at,
        hold_because=IMPORTED_ELSEWHERE,
    )


def _with_subject(remark: Remark) -> str:
    """The content of a remark, with its subject if the content does not mention it."""
    subject = remark.subject
    if subject is None or subject.casefold() in remark.content.casefold():
        return remark.content
    return f"{subject} {remark.content}" if remark.content[:1].islower() else f"{subject}: {remark.content}"


def _learn(call: Call, proposals: Sequence[Proposal], tally: Tally) -> None:
    candidates = []
    for proposal in proposals:
        try:
            candidates.append(prepare_candidate(proposal))
        except HeldtrueError as problem:
            tally.leave_out(proposal.source or "", problem.message)
    if not candidates:
        return

    def plan(planning: Planning) -> list[Candidate]:
        return planning.judge.judge_candidates(candidates, planning.actor, EXTRACTED.worth)

    def carry_out(session: WriteSession, judged: list[Candidate]) -> list[tuple[str, str, str]]:
        rule_for = call.instance.settings.conflict_rule
        done = [(ready, learn(session, ready, rule_for, lane=EXTRACTED, action=INGEST)) for ready in judged]
        return [(outcome.outcome.value, ready.reference or "", outcome.reason) for ready, outcome in done]

    for outcome, reference, reason in call.submit(PlannedAct(plan, carry_out), list[tuple[str, str, str]]):
        tally.memories[outcome] = tally.memories.get(outcome, 0) + 1
        if outcome == OutcomeKind.REFUSED:
            tally.leave_out(reference, reason)
