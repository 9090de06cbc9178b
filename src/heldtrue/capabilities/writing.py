"""Learning, correcting, forgetting, linking."""

from __future__ import annotations

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
from heldtrue.capabilities.declaration import Change, EverydayTool, Group, Route
from heldtrue.capabilities.parameters import Mark, Metavar, Request
from heldtrue.capabilities.registry import capability
from heldtrue.capabilities.shapes import Id, LinkOutcome, WriteOutcome
from heldtrue.capabilities.views import LinkView, MemoryView, view_link, view_memory
from heldtrue.domain.action import Effect
from heldtrue.domain.errors import InvalidInput, NotFound
from heldtrue.domain.limits import BATCH_MAX
from heldtrue.domain.memory import Kind, MemoryVersion, Staleness, Strength, Visibility
from heldtrue.domain.records import Disposition, SourceKind
from heldtrue.ingest import retire
from heldtrue.ingest.batch import Plan, learn_all, plan_batch
from heldtrue.ingest.candidate import Candidate, Proposal, prepare_candidate
from heldtrue.ingest.correct import correct as correct_memory
from heldtrue.ingest.intake import Intake
from heldtrue.ingest.journal import Pen
from heldtrue.ingest.learn import learn as learn_candidate
from heldtrue.ingest.outcome import Outcome

Confidence = Annotated[
    Annotated[float, Meta(ge=0, le=1)] | None,
    Meta(description="How well the evidence supports it, 0 to 1; left out, it follows from strength."),
]
Moment = Annotated[str | None, Meta(description="A moment: 2026-05-17, 2026-05-17T09:30:00Z or '3 days ago'.")]


_CLOCK_SLACK_US = 3_600_000_000
"""How far the clock of whoever observed something may be ahead of ours."""


class WriteAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What a write came to, and why."""

    outcome: WriteOutcome
    """created, corroborated, refreshed, superseded, pending, refused, retracted, rejected, approved, restored,
    resolved, merged or unchanged."""
    memory: MemoryView | None
    reason: str
    hint: str | None = None
    notes: list[str] = []
    conflicts: list[Id] = []
    kept: list[MemoryView] = []
    seq: int


class BatchAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What each of many writes came to."""

    counts: dict[str, int]
    answers: list[WriteAnswer]


class LinkAnswer(msgspec.Struct, frozen=True, kw_only=True):
    outcome: LinkOutcome
    link: LinkView
    reason: str
    seq: int


def answer_of(outcome: Outcome, pen: Pen) -> WriteAnswer:
    """An outcome as surfaces show it."""
    return WriteAnswer(
        outcome=outcome.outcome,
        memory=view_memory(outcome.memory, pen.space, pen.now) if outcome.memory else None,
        reason=outcome.reason,
        hint=outcome.hint,
        notes=list(outcome.notes),
        conflicts=list(outcome.conflicts),
        kept=[view_memory(one, pen.space, pen.now) for one in outcome.kept],
        seq=outcome.seq,
    )


def past_moment(call: Call, text: str | None, field: str, *, hint: str | None = None) -> int | None:
    """The moment at which something was seen or said: none that is yet to come."""
    moment = call.moment(text, field)
    if moment is not None and moment > call.now + _CLOCK_SLACK_US:
        raise InvalidInput(f"{field} lies in the future", field=field, hint=hint or "say when it was, or leave it out")
    return moment


def propose(call: Call, given: NewMemory, *, vouched: bool = True) -> Candidate:
    """What a caller gave, with the defaults of the space, made ready for the gate."""
    settings = call.instance.settings
    observed_at = past_moment(call, given.observed_at, "observed_at", hint="use valid_from for what is to come")
    return prepare_candidate(
        Proposal(
            content=given.content,
            kind=given.kind,
            title=given.title,
            summary=given.summary,
            rationale=given.rationale,
            scope=given.scope or call.default_scope,
            project=call.project or call.principal.own_project,
            topic=given.topic,
            category=given.category,
            visibility=given.visibility or Visibility(settings.default_visibility),
            staleness=given.staleness or Staleness(settings.default_staleness),
            strength=given.strength,
            confidence=given.confidence,
            source=given.source,
            source_text=given.source_text,
            source_kind=given.source_kind,
            valid_from=call.moment(given.valid_from, "valid_from"),
            valid_to=call.moment(given.valid_to, "valid_to"),
            observed_at=observed_at,
            on_conflict=given.on_conflict,
            vouched=vouched,
        )
    )


class NewMemory(Request):
    """What is to be learned: the request of `learn`, and one of a batch."""

    content: Content
    confidence: Confidence = None
    topic: Topic = None
    source: SourceRef = None
    scope: Scope = None
    staleness: Annotated[StalenessWord | None, Meta(description="How soon it should be doubted.")] = None
    kind: Annotated[KindWord, Meta(description="What sort of belief it is.")] = Kind.NOTE
    title: Annotated[str | None, Meta(description="A short title; left out, its first sentence."), Mark.PROSE] = None
    summary: Annotated[str | None, Meta(description="A shorter form of a long memory."), Mark.PROSE] = None
    rationale: Annotated[
        str | None, Meta(description="Why it was decided; a decision needs one before it counts."), Mark.PROSE
    ] = None
    category: Annotated[str | None, Meta(description="An area of life or work: work, health, preferences, ...")] = None
    strength: Annotated[StrengthWord, Meta(description="How the evidence says it.")] = Strength.EXPLICIT
    visibility: OptionalVisibility = None
    source_text: Annotated[
        str | None, Meta(description="The passage it was taken from, kept as evidence."), Mark.PROSE, Mark.STDIN
    ] = None
    source_kind: Annotated[SourceKind, Meta(description="What sort of source it is."), Metavar("KIND")] = (
        SourceKind.MANUAL
    )
    valid_from: Annotated[
        str | None, Meta(description="Since when it holds in the world."), Mark.MOMENT, Metavar("WHEN")
    ] = None
    valid_to: Annotated[
        str | None, Meta(description="Until when it holds in the world."), Mark.MOMENT, Metavar("WHEN")
    ] = None
    observed_at: Annotated[
        str | None, Meta(description="When it was observed, if not now."), Mark.MOMENT, Metavar("WHEN")
    ] = None
    on_conflict: Annotated[
        Literal["wait", "refuse", "coexist"] | None,
        Meta(description="If it contradicts a held memory: wait in the inbox, be refused, or stand beside it."),
        Metavar("RULE"),
    ] = None


@capability(
    "memory.learn",
    Effect.WRITE,
    group=Group.REMEMBER,
    positional=("content",),
    makes_home=True,
    creates=("created", "pending", "superseded"),
    change=Change.ADDED,
    routes=(Route("POST", "/v1/memories"),),
    tool=EverydayTool(
        "Remember one fact, preference, decision or lesson that will matter later. It is checked against what is "
        "held: read outcome (created, corroborated, pending, refused) and reason.",
        {
            "content": "In words that stand alone",
            "kind": "",
            "topic": "",
            "source": "File:line, URL or conversation",
            "scope": "global, project:ID, repo:ID, agent:ID",
            "confidence": "0 to 1",
            "staleness": "",
            "rationale": "Why; a decision needs it, and a source",
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
    """Store a fact, preference, decision or rule, with its source, after checking it against what is held.

    The answer says what became of it and why: created; refreshed or corroborated where it was held already;
    superseded where it ends an older fact; held in the inbox where a person must decide; refused where it was
    rejected before. Secrets are masked before anything is stored.
    """
    rule = call.instance.settings.conflict_rule
    plan = _plan(call, [propose(call, request)])
    return call.submit(lambda pen: answer_of(learn_all(pen, plan, rule)[0], pen), WriteAnswer)


def _plan(call: Call, candidates: list[Candidate]) -> Plan:
    """Find out beforehand what can be, so that others need not wait for it."""
    with call.instance.store.read() as reading:
        return plan_batch(reading, candidates, call.principal, call.instance.settings.conflict_rule)


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
    """Say something about a person, in place of what was said before.

    Said by a person it counts at once and replaces what it contradicts; said by an agent it waits for a person.
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

    def act(pen: Pen) -> WriteAnswer:
        outcome = learn_candidate(pen, candidate, rule_for)
        if pen.actor.is_person and outcome.outcome == "pending":
            for conflict in outcome.conflicts:
                outcome = _replace_by(pen, conflict, outcome)
        return answer_of(outcome, pen)

    return call.submit(act, WriteAnswer)


def _replace_by(pen: Pen, conflict_id: str, learned: Outcome) -> Outcome:
    """Let a new profile fact stand in the place of the one that it contradicts."""
    from heldtrue.ingest.review import resolve

    conflict = pen.transaction.conflict(conflict_id)
    if conflict is None or conflict.recorded_to is not None:
        return learned
    settled = resolve(pen, conflict, Disposition.KEEP_NEW, "it was said anew", None)
    memory = pen.transaction.version(learned.memory.memory_id) if learned.memory else None
    return msgspec.structs.replace(learned, outcome="created", memory=memory, reason=settled.reason, seq=settled.seq)


class LearnManyRequest(Request):
    memories: Annotated[
        list[NewMemory],
        Meta(min_length=1, max_length=BATCH_MAX, description="Objects with the arguments of learn."),
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
    """Store up to 1,000 memories in one durable step: all of them are kept, or none."""
    candidates = []
    for place, given in enumerate(request.memories):
        try:
            candidates.append(propose(call, given))
        except InvalidInput as problem:
            problem.field = f"memories[{place}].{problem.field}" if problem.field else f"memories[{place}]"
            raise
    rule = call.instance.settings.conflict_rule
    plan = _plan(call, candidates)

    def act(pen: Pen) -> BatchAnswer:
        answers = [answer_of(outcome, pen) for outcome in learn_all(pen, plan, rule)]
        counts: dict[str, int] = {}
        for answer in answers:
            counts[answer.outcome] = counts.get(answer.outcome, 0) + 1
        return BatchAnswer(counts=counts, answers=answers)

    return call.submit(act, BatchAnswer)


class CorrectRequest(Request):
    memory: MemoryRef
    content: Annotated[str, Meta(description="What is right instead."), Mark.PROSE, Mark.STDIN, Mark.SENTENCE]
    reason: Reason
    confidence: Confidence = None
    source: SourceRef = None
    rationale: Annotated[str | None, Meta(description="For a decision: why it is now decided so."), Mark.PROSE] = None


@capability(
    "memory.correct",
    Effect.WRITE,
    group=Group.REMEMBER,
    positional=("memory", "content"),
    destructive=True,
    change=Change.CORRECTED,
    routes=(Route("PATCH", "/v1/memories/{id}", renamed={"id": "memory"}),),
    tool=EverydayTool(
        "Replace a memory that is wrong or out of date. Not for new facts.",
        {"memory": "Its id", "content": "What is right", "reason": "Why", "confidence": "", "source": ""},
        rank=4,
    ),
    examples=('heldtrue correct ID "The API listens on port 9090" --reason "moved behind the gateway"',),
)
def correct(call: Call, request: CorrectRequest) -> WriteAnswer:
    """Replace a memory by what is right; the old one, the reason and the time stay readable.

    Where the memory said several things and the correction speaks of one of them, the others stay standing as
    memories of their own. The old value stays rejected in its scope.
    """
    why = Intake().why(request.reason)

    def act(pen: Pen) -> WriteAnswer:
        old = call.find(pen.transaction, request.memory)
        scope, visibility = _where_corrected(old, pen)
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
        )
        return answer_of(correct_memory(pen, old, prepare_candidate(proposal), why), pen)

    return call.submit(act, WriteAnswer)


def _where_corrected(old: MemoryVersion, pen: Pen) -> tuple[str, Visibility]:
    """Where a correction belongs: with what it corrects; that of an agent's private memory, with that agent."""
    if old.visibility == Visibility.PRIVATE and old.author != pen.actor.id and old.author.startswith("agent:"):
        return old.author, Visibility.LOCAL
    return old.scope, Visibility(old.visibility)


class ForgetRequest(Request):
    memory: MemoryRef
    reason: Reason


@capability(
    "memory.forget",
    Effect.WRITE,
    group=Group.REMEMBER,
    positional=("memory",),
    destructive=True,
    repeatable=True,
    change=Change.RETRACTED,
    routes=(Route("DELETE", "/v1/memories/{id}", renamed={"id": "memory"}),),
    tool=EverydayTool(
        "Retract a memory that must not be believed any more and has no replacement; else memory_correct. Its "
        "history stays.",
        {"memory": "Its id", "reason": "Why"},
        rank=5,
    ),
    examples=('heldtrue forget ID --reason "the service is gone"',),
)
def forget(call: Call, request: ForgetRequest) -> WriteAnswer:
    """Retract a memory: it is never recalled again and what it said stays rejected, but its history stays readable.

    This is not erasure: the words remain in the history for audit.
    """
    why = Intake().why(request.reason)
    return call.submit(
        lambda pen: answer_of(retire.forget(pen, call.find(pen.transaction, request.memory), why), pen), WriteAnswer
    )


class LinkRequest(Request):
    memory: MemoryRef
    to: Annotated[str, Meta(description="Another memory, by id or IRI, or any IRI.")]
    relationship: Annotated[
        str,
        Meta(
            description="causes, requires, contradicts, supports, supersedes, applies_to, derived_from, related_to, "
            "overrides, or a word of your own."
        ),
    ] = "related_to"
    reason: Annotated[str | None, Meta(description="Why they belong together."), Mark.PROSE, Metavar("WHY")] = None


@capability(
    "memory.link",
    Effect.WRITE,
    group=Group.REMEMBER,
    positional=("memory", "to", "relationship"),
    repeatable=True,
    change=Change.LINKED,
    tool=EverydayTool(
        "Note how a memory relates to another one, or to an IRI.",
        {
            "memory": "Its id",
            "to": "Id or IRI",
            "relationship": "causes, requires, contradicts, supports, supersedes, applies_to, derived_from, related_to",
        },
        rank=6,
    ),
    examples=('heldtrue link ID OTHER_ID supports --reason "same incident"', "heldtrue link ID https://example.org/x"),
)
def link(call: Call, request: LinkRequest) -> LinkAnswer:
    """Join a memory to another memory or to any IRI, by a typed relationship."""

    def act(pen: Pen) -> LinkAnswer:
        found = call.find(pen.transaction, request.memory)
        intake = Intake()
        target = _link_target(call, pen, request.to, found.memory_id)
        word = intake.name(request.relationship, field="relationship")
        if word is None:
            raise InvalidInput(
                "relationship is empty", field="relationship", hint="use for example supports or related_to"
            )
        made, outcome = retire.link(pen, found, target, word, intake.reason(request.reason))
        return LinkAnswer(outcome=outcome.outcome, link=view_link(made), reason=outcome.reason, seq=outcome.seq)

    return call.submit(act, LinkAnswer)


class UnlinkRequest(Request):
    memory: MemoryRef
    to: Annotated[str, Meta(description="What it is linked to, by id or IRI.")]
    relationship: Annotated[str, Meta(description="The relationship to take back.")] = "related_to"
    reason: Reason


@capability(
    "memory.unlink",
    Effect.WRITE,
    group=Group.REMEMBER,
    positional=("memory", "to", "relationship"),
    destructive=True,
    repeatable=True,
    change=Change.LINKED,
)
def unlink(call: Call, request: UnlinkRequest) -> LinkAnswer:
    """Take a link back; that it was there stays in the history."""

    def act(pen: Pen) -> LinkAnswer:
        found = call.find(pen.transaction, request.memory)
        target = _link_target(call, pen, request.to, found.memory_id)
        present = pen.transaction.open_link(found.memory_id, target, request.relationship)
        if present is None:
            raise NotFound(
                f"there is no link {request.relationship!r} from that memory to {request.to!r}",
                field="to",
                hint="see: `explain`",
            )
        outcome = retire.unlink(pen, found, present, Intake().why(request.reason))
        return LinkAnswer(outcome=outcome.outcome, link=view_link(present), reason=outcome.reason, seq=outcome.seq)

    return call.submit(act, LinkAnswer)


def _link_target(call: Call, pen: Pen, to: str, from_id: str) -> str:
    """The far end of a link: a memory the caller may see, or an IRI."""
    target = call.memory_id(pen.transaction, to)
    if target is not None:
        call.find(pen.transaction, target, field="to")
        if target == from_id:
            raise InvalidInput("a memory cannot be linked to itself", field="to", hint="name another memory or an IRI")
        return target
    iri = Intake().reference(to, field="to") or ""
    scheme, colon, rest = iri.partition(":")
    if (
        not colon
        or not rest
        or not scheme.isascii()
        or not scheme[:1].isalpha()
        or any(mark in iri for mark in ' <>"{}|\\^`')
    ):
        raise InvalidInput(
            f"{to!r} is neither a memory nor an IRI",
            field="to",
            hint="use a memory's id, or an IRI such as https://...",
        )
    return iri
