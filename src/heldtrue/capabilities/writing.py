"""Learn, correct and forget memories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from heldtrue.capabilities.arguments import (
    Content,
    KindWord,
    MemoryRef,
    OptionalVisibility,
    Reason,
    Scope,
    SourceRef,
    StalenessWord,
    StrengthWord,
    Topic,
)
from heldtrue.capabilities.call import Call
from heldtrue.capabilities.declaration import Change, EverydayCommand, EverydayTool, Group, Route
from heldtrue.capabilities.parameters import Mark, Metavar, Request
from heldtrue.capabilities.registry import capability
from heldtrue.capabilities.shapes import CauseName, Id, WriteOutcome, Written
from heldtrue.capabilities.views import MemoryView, view_memory
from heldtrue.domain.action import Effect
from heldtrue.domain.cause import RetractionCause
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.errors import InvalidInput
from heldtrue.domain.judged import TextJudgement
from heldtrue.domain.limits import BATCH_MAX, CLOCK_AHEAD_US
from heldtrue.domain.memory import Kind, MemoryVersion, Staleness, Strength, Visibility
from heldtrue.domain.records import Disposition, SourceKind
from heldtrue.ingest.acts import retract
from heldtrue.ingest.acts.batch import learn_act
from heldtrue.ingest.acts.correct import correct as correct_memory
from heldtrue.ingest.acts.learn import learn as learn_candidate
from heldtrue.ingest.acts.review import resolve as resolve_conflict
from heldtrue.ingest.gate import CORRECTED
from heldtrue.ingest.gateway import PlannedAct, Planning
from heldtrue.ingest.outcome import Outcome
from heldtrue.ingest.stages.candidate import Candidate, Proposal, name_item, prepare_candidate, prepare_candidates
from heldtrue.ingest.stages.intake import Intake
from heldtrue.ingest.stages.journal import WriteSession

Confidence = Annotated[
    Annotated[float, Meta(ge=0, le=1)] | None,
    Meta(description="How well the evidence supports the memory, 0 to 1. Default: derived from strength."),
]
Cause = Annotated[
    RetractionCause | None,
    Meta(description="For programs: the memory was not wrong, but was replaced or deleted."),
]

Moment = Annotated[str | None, Meta(description="A time: 2026-05-17, 2026-05-17T09:30:00Z or '3 days ago'.")]


class WriteAnswer(Written[WriteOutcome], frozen=True, kw_only=True):
    """The outcome of a write, with its reason."""

    memory: MemoryView | None
    cause: CauseName | None = None
    """A fixed word for why the memory is pending or was refused. `reason` says the same in a sentence."""
    hint: str | None = None
    notes: list[str] = msgspec.field(default_factory=list)
    conflicts: list[Id] = msgspec.field(default_factory=list)
    kept: list[MemoryView] = msgspec.field(default_factory=list)


class BatchAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The outcomes of a batch of writes."""

    counts: dict[str, int]
    answers: list[WriteAnswer]


def answer_of(outcome: Outcome, session: WriteSession) -> WriteAnswer:
    """Convert an outcome into the answer that surfaces show."""
    return WriteAnswer(
        outcome=outcome.outcome.value,
        cause=outcome.cause.value if outcome.cause else None,
        memory=view_memory(outcome.memory, session.space, session.now) if outcome.memory else None,
        reason=outcome.reason,
        hint=outcome.hint,
        notes=list(outcome.notes),
        conflicts=list(outcome.conflicts),
        kept=[view_memory(memory, session.space, session.now) for memory in outcome.kept],
        seq=outcome.seq,
    )


def past_moment(call: Call, text: str | None, field: str, *, hint: str | None = None) -> int | None:
    """Parse a time that must not lie in the future."""
    moment = call.moment(text, field)
    if moment is not None and moment > call.now + CLOCK_AHEAD_US:
        raise InvalidInput(f"{field} is in the future", field=field, hint=hint or "use a past time, or leave it out")
    return moment


def propose(call: Call, memory: NewMemory) -> Candidate:
    """Prepare a new memory for the gate, with the defaults of the space."""
    proposal = _fill_in(call, memory)
    return call.instance.analysis.run(prepare_candidate, proposal, chars=proposal.chars)


def _fill_in(call: Call, memory: NewMemory) -> Proposal:
    settings = call.instance.settings
    observed_at = past_moment(
        call, memory.observed_at, "observed_at", hint="for a fact that becomes true later, use `valid_from`"
    )
    return Proposal(
        content=memory.content,
        kind=memory.kind,
        title=memory.title,
        summary=memory.summary,
        rationale=memory.rationale,
        scope=memory.scope or call.default_scope,
        project=call.project or call.principal.own_project,
        topic=memory.topic,
        category=memory.category,
        visibility=memory.visibility or Visibility(settings.default_visibility),
        staleness=memory.staleness or Staleness(settings.default_staleness),
        strength=memory.strength,
        confidence=memory.confidence,
        source=memory.source,
        source_text=memory.source_text,
        source_kind=memory.source_kind,
        valid_from=call.moment(memory.valid_from, "valid_from"),
        valid_to=call.moment(memory.valid_to, "valid_to"),
        observed_at=observed_at,
        on_conflict=memory.on_conflict,
    )


class NewMemory(Request):
    """A memory to learn: the request of `learn`, and one item of `learn_many`."""

    content: Content
    confidence: Confidence = None
    topic: Topic = None
    source: SourceRef = None
    scope: Scope = None
    staleness: Annotated[StalenessWord | None, Meta(description="How soon the memory becomes stale.")] = None
    kind: Annotated[KindWord, Meta(description="The kind of memory.")] = Kind.NOTE
    title: Annotated[str | None, Meta(description="A short title. Default: the first sentence."), Mark.PROSE] = None
    summary: Annotated[str | None, Meta(description="A summary, for a long memory."), Mark.PROSE] = None
    rationale: Annotated[
        str | None,
        Meta(description="Why it was decided. A decision without a rationale stays in the inbox."),
        Mark.PROSE,
    ] = None
    category: Annotated[str | None, Meta(description="An area of life or work: work, health, preferences, ...")] = None
    strength: Annotated[StrengthWord, Meta(description="How directly the evidence states it.")] = Strength.EXPLICIT
    visibility: OptionalVisibility = None
    source_text: Annotated[
        str | None,
        Meta(description="The passage that the memory was taken from. It is stored as evidence."),
        Mark.PROSE,
        Mark.STDIN,
    ] = None
    source_kind: Annotated[SourceKind, Meta(description="The kind of source."), Metavar("KIND")] = SourceKind.MANUAL
    valid_from: Annotated[str | None, Meta(description="When it became true."), Mark.MOMENT, Metavar("WHEN")] = None
    valid_to: Annotated[str | None, Meta(description="When it stops being true."), Mark.MOMENT, Metavar("WHEN")] = None
    observed_at: Annotated[
        str | None, Meta(description="When it was observed. Default: now."), Mark.MOMENT, Metavar("WHEN")
    ] = None
    on_conflict: Annotated[
        Literal["wait", "refuse", "coexist"] | None,
        Meta(
            description="What to do if it contradicts an existing memory: put it into the inbox (wait), refuse it, or "
            "keep both (coexist)."
        ),
        Metavar("RULE"),
    ] = None


@capability(
    "memory.learn",
    Effect.WRITE,
    group=Group.REMEMBER,
    everyday=EverydayCommand(1, "Remember a fact, preference, decision or lesson"),
    synonyms=("add", "remember", "save", "store", "memorize", "memorise", "put"),
    positional=("content",),
    makes_home=True,
    creates=("created", "pending", "superseded"),
    change=Change.ADDED,
    routes=(Route("POST", "/v1/memories"),),
    tool=EverydayTool(
        "Remember one fact, preference, decision or lesson that will matter later. It is checked against existing "
        "memories; read `outcome` (created, corroborated, pending, refused) and `reason` in the response.",
        {
            "content": "One self-contained statement",
            "kind": "",
            "topic": "",
            "source": "File:line, URL or conversation",
            "scope": "global, project:ID, repo:ID, agent:ID",
            "confidence": "0 to 1",
            "staleness": "",
            "rationale": "The reason. A decision needs this and a source",
        },
        rank=3,
    ),
    examples=(
        'heldtrue learn "The API listens on port 8080" --source docs/deploy.md:12',
        'heldtrue learn "Maria prefers short answers" --kind profile --agent codex',
        "git log -1 --format=%B | heldtrue learn - --kind episode",
    ),
)
def learn(call: Call, request: NewMemory) -> WriteAnswer:
    """Store a fact, preference, decision or rule with its source, after checking it against existing memories.

    The response contains the reason and the outcome: created; refreshed or corroborated (it already existed);
    superseded (it replaces an older fact); pending (it is in the inbox until a person decides); or refused (it was
    rejected before). Secrets are masked before anything is stored.
    """
    rule_for = call.instance.settings.conflict_rule
    act = learn_act([propose(call, request)], rule_for, lambda outcomes, session: answer_of(outcomes[0], session))
    return call.submit(act, WriteAnswer)


class UpsertProfileFactRequest(Request):
    content: Content
    source: SourceRef = None
    scope: Scope = None
    category: Annotated[str | None, Meta(description="An area of life or work: work, health, preferences, ...")] = None


@capability(
    "memory.upsert_profile_fact",
    Effect.WRITE,
    group=Group.REMEMBER,
    positional=("content",),
    makes_home=True,
)
def upsert_profile_fact(call: Call, request: UpsertProfileFactRequest) -> WriteAnswer:
    """Set a fact about a person, replacing the previous one.

    A fact from a person takes effect at once and replaces what it contradicts. A fact from an agent waits in the
    inbox.
    """
    candidate = propose(
        call,
        NewMemory(
            content=request.content,
            kind=Kind.PROFILE,
            source=request.source,
            scope=request.scope,
            category=request.category,
        ),
    )
    rule_for = call.instance.settings.conflict_rule

    def act(session: WriteSession) -> WriteAnswer:
        outcome = learn_candidate(session, candidate, rule_for)
        if session.actor.is_person and outcome.outcome is OutcomeKind.PENDING:
            for conflict in outcome.conflicts:
                outcome = _replace_by(session, conflict, outcome)
        return answer_of(outcome, session)

    return call.submit(act, WriteAnswer)


def _replace_by(session: WriteSession, conflict_id: str, learned: Outcome) -> Outcome:
    """Replace the profile fact that the new one contradicts."""
    conflict = session.transaction.records.conflict(conflict_id)
    if conflict is None or conflict.recorded_to is not None:
        return learned
    settled = resolve_conflict(session, conflict, Disposition.KEEP_NEW, "replaced by a newer profile fact", None)
    memory = session.transaction.memories.version(learned.memory.memory_id) if learned.memory else None
    return msgspec.structs.replace(
        learned, outcome=OutcomeKind.CREATED, cause=None, memory=memory, reason=settled.reason, seq=settled.seq
    )


class LearnManyRequest(Request):
    memories: Annotated[
        list[NewMemory],
        Meta(min_length=1, max_length=BATCH_MAX, description="A list of objects, each with the arguments of `learn`."),
    ]


@capability(
    "memory.learn_many",
    Effect.WRITE,
    group=Group.REMEMBER,
    positional=("memories",),
    makes_home=True,
    change=Change.ADDED,
    examples=("heldtrue learn-many facts.jsonl", "make-facts | heldtrue learn-many -"),
)
def learn_many(call: Call, request: LearnManyRequest) -> BatchAnswer:
    """Store up to 1,000 memories in one transaction: all or none."""
    proposals = []
    for number, memory in enumerate(request.memories):
        with name_item("memories", number):
            proposals.append(_fill_in(call, memory))
    chars = sum(proposal.chars for proposal in proposals)
    candidates = call.instance.analysis.run(prepare_candidates, proposals, chars=chars)
    return call.submit(learn_act(candidates, call.instance.settings.conflict_rule, _answer_batch), BatchAnswer)


def _answer_batch(outcomes: Sequence[Outcome], session: WriteSession) -> BatchAnswer:
    answers = [answer_of(outcome, session) for outcome in outcomes]
    return BatchAnswer(counts=dict(Counter(answer.outcome for answer in answers)), answers=answers)


class CorrectRequest(Request):
    memory: MemoryRef
    content: Annotated[str, Meta(description="The correct statement."), Mark.PROSE, Mark.STDIN, Mark.SENTENCE]
    reason: Reason
    confidence: Confidence = None
    source: SourceRef = None
    rationale: Annotated[str | None, Meta(description="For a decision: the new rationale."), Mark.PROSE] = None
    valid_from: Annotated[
        str | None,
        Meta(description="When it became true, or `none`. Default: as in the corrected memory."),
        Mark.MOMENT,
        Metavar("WHEN"),
    ] = None
    valid_to: Annotated[
        str | None,
        Meta(description="When it stops being true, or `none`. Default: as in the corrected memory."),
        Mark.MOMENT,
        Metavar("WHEN"),
    ] = None
    cause: Cause = None


@capability(
    "memory.correct",
    Effect.WRITE,
    group=Group.REMEMBER,
    everyday=EverydayCommand(4, "Replace a memory that is wrong or out of date"),
    synonyms=("edit", "update", "change", "replace", "fix"),
    positional=("memory", "content"),
    destructive=True,
    change=Change.CORRECTED,
    routes=(Route("PATCH", "/v1/memories/{id}", renamed={"id": "memory"}),),
    tool=EverydayTool(
        "Replace a memory that is wrong or outdated. For a new fact use memory_learn.",
        {
            "memory": "The memory's id",
            "content": "The correct statement",
            "reason": "The reason",
            "confidence": "",
            "source": "",
        },
        rank=4,
    ),
    examples=('heldtrue correct ID "The API listens on port 9090" --reason "moved behind the gateway"',),
)
def correct(call: Call, request: CorrectRequest) -> WriteAnswer:
    """Replace a memory that is wrong. The old memory stays in the history, with the reason and the time.

    If the memory stated several things and the correction is about one of them, the others are kept as separate
    memories. The old claim is rejected in its scope. The correction is valid for the same period as the old
    memory, unless you specify `valid_from` or `valid_to`.
    """
    why = Intake().why(request.reason)

    def plan(planning: Planning) -> TextJudgement | None:
        return planning.judge.judge_text(request.content, planning.actor, CORRECTED.worth)

    def carry_out(session: WriteSession, judged: TextJudgement | None) -> WriteAnswer:
        old = call.find(session.transaction, request.memory)
        scope, visibility = _where_corrected(old, session)
        proposal = Proposal(
            content=request.content,
            kind=Kind(old.kind),
            rationale=request.rationale or (why if old.kind == Kind.DECISION else None),
            scope=scope,
            project=old.project_id,
            visibility=visibility,
            topic=old.topic,
            category=old.category,
            staleness=Staleness(old.staleness),
            confidence=request.confidence,
            source=request.source,
            valid_from=_corrected_moment(call, request.valid_from, "valid_from", old.valid_from),
            valid_to=_corrected_moment(call, request.valid_to, "valid_to", old.valid_to),
        )
        rule_for = call.instance.settings.conflict_rule
        candidate = msgspec.structs.replace(prepare_candidate(proposal), judgement=judged)
        return answer_of(correct_memory(session, old, candidate, why, rule_for, request.cause), session)

    return call.submit(PlannedAct(plan, carry_out), WriteAnswer)


def _corrected_moment(call: Call, given: str | None, field: str, old: int | None) -> int | None:
    """The valid time of a correction: the specified one, nothing if `none` was specified, otherwise the old one."""
    if given is None:
        return old
    return None if given.strip().lower() == "none" else call.moment(given, field)


def _where_corrected(old: MemoryVersion, session: WriteSession) -> tuple[str, Visibility]:
    """Return the scope and visibility of a correction: those of the old memory, or the agent's if it was private."""
    if old.privacy.is_private and old.author != session.actor.id and old.author.startswith("agent:"):
        return old.author, Visibility.LOCAL
    return old.scope, Visibility(old.visibility)


class ForgetRequest(Request):
    memory: MemoryRef
    reason: Reason
    cause: Cause = None


@capability(
    "memory.forget",
    Effect.WRITE,
    group=Group.REMEMBER,
    everyday=EverydayCommand(5, "Retract a memory but keep its history"),
    synonyms=("delete", "rm", "remove", "del", "retract"),
    positional=("memory",),
    destructive=True,
    repeatable=True,
    change=Change.RETRACTED,
    routes=(Route("DELETE", "/v1/memories/{id}", renamed={"id": "memory"}),),
    tool=EverydayTool(
        "Retract a memory that is no longer true and has no replacement (otherwise use memory_correct). Its "
        "history is kept.",
        {"memory": "The memory's id", "reason": "The reason"},
        rank=5,
    ),
    examples=('heldtrue forget ID --reason "the service is gone"',),
)
def forget(call: Call, request: ForgetRequest) -> WriteAnswer:
    """Retract a memory. It is no longer recalled, its claim is rejected, and its history is kept.

    This does not erase the text, which stays in the history for audit.
    """
    why = Intake().why(request.reason)

    def act(session: WriteSession) -> WriteAnswer:
        memory = call.find(session.transaction, request.memory)
        return answer_of(retract.forget(session, memory, why, request.cause), session)

    return call.submit(act, WriteAnswer)
