"""Learning, correcting, forgetting, linking."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from heldtrue.capabilities.arguments import Content, MemoryRef, Reason, Scope, Topic
from heldtrue.capabilities.call import Call
from heldtrue.capabilities.registry import Effect, capability
from heldtrue.capabilities.shapes import Id, LinkOutcome, WriteOutcome
from heldtrue.capabilities.views import LinkView, MemoryView, view_link, view_memory
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
SourceRef = Annotated[
    str | None,
    Meta(description="Where it comes from: a file with a line (src/app.py:12), a URL, a conversation, a run."),
]
Moment = Annotated[str | None, Meta(description="A moment: 2026-05-17, 2026-05-17T09:30:00Z or '3 days ago'.")]


_CLOCK_SLACK_US = 3_600_000_000
"""How far the clock of whoever observed something may be ahead of ours."""


class WriteAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What a write came to, and why."""

    outcome: WriteOutcome
    """created, corroborated, refreshed, superseded, held, refused, retracted, rejected, approved, resolved,
    merged or unchanged."""
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


class LearnInput(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One memory of a batch; the arguments of `learn`."""

    content: Content
    confidence: Confidence = None
    topic: Topic = None
    source: SourceRef = None
    scope: Scope = None
    staleness: Staleness | None = None
    kind: Kind = Kind.NOTE
    title: str | None = None
    summary: str | None = None
    rationale: str | None = None
    category: str | None = None
    strength: Strength = Strength.EXPLICIT
    visibility: Visibility | None = None
    source_text: str | None = None
    source_kind: SourceKind = SourceKind.MANUAL
    valid_from: Moment = None
    valid_to: Moment = None
    observed_at: Moment = None
    on_conflict: Literal["wait", "refuse", "coexist"] | None = None


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


def propose(call: Call, given: LearnInput, *, vouched: bool = True) -> Candidate:
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


@capability("memory.learn", Effect.WRITE)
def learn(
    call: Call,
    content: Content,
    *,
    confidence: Confidence = None,
    topic: Topic = None,
    source: SourceRef = None,
    scope: Scope = None,
    staleness: Annotated[Staleness | None, Meta(description="How soon it should be doubted.")] = None,
    kind: Annotated[Kind, Meta(description="What sort of belief it is.")] = Kind.NOTE,
    title: Annotated[str | None, Meta(description="A short title; left out, its first sentence.")] = None,
    summary: Annotated[str | None, Meta(description="A shorter form of a long memory.")] = None,
    rationale: Annotated[
        str | None, Meta(description="Why it was decided; a decision needs one before it counts.")
    ] = None,
    category: Annotated[str | None, Meta(description="An area of life or work: work, health, preferences, ...")] = None,
    strength: Annotated[Strength, Meta(description="How the evidence says it.")] = Strength.EXPLICIT,
    visibility: Annotated[Visibility | None, Meta(description="Who may ever see it.")] = None,
    source_text: Annotated[str | None, Meta(description="The passage it was taken from, kept as evidence.")] = None,
    source_kind: Annotated[SourceKind, Meta(description="What sort of source it is.")] = SourceKind.MANUAL,
    valid_from: Annotated[str | None, Meta(description="Since when it holds in the world.")] = None,
    valid_to: Annotated[str | None, Meta(description="Until when it holds in the world.")] = None,
    observed_at: Annotated[str | None, Meta(description="When it was observed, if not now.")] = None,
    on_conflict: Annotated[
        Literal["wait", "refuse", "coexist"] | None,
        Meta(description="If it contradicts a held memory: wait in the inbox, be refused, or stand beside it."),
    ] = None,
) -> WriteAnswer:
    """Store a fact, preference, decision or rule, with its source, after checking it against what is held.

    The answer says what became of it and why: created; refreshed or corroborated where it was held already;
    superseded where it ends an older fact; held in the inbox where a person must decide; refused where it was
    rejected before. Secrets are masked before anything is stored.
    """
    given = LearnInput(
        content=content,
        confidence=confidence,
        topic=topic,
        source=source,
        scope=scope,
        staleness=staleness,
        kind=kind,
        title=title,
        summary=summary,
        rationale=rationale,
        category=category,
        strength=strength,
        visibility=visibility,
        source_text=source_text,
        source_kind=source_kind,
        valid_from=valid_from,
        valid_to=valid_to,
        observed_at=observed_at,
        on_conflict=on_conflict,
    )
    rule = call.instance.settings.conflict_rule
    plan = _plan(call, [propose(call, given)])
    return call.submit(lambda pen: answer_of(learn_all(pen, plan, rule)[0], pen), WriteAnswer)


def _plan(call: Call, candidates: list[Candidate]) -> Plan:
    """Find out beforehand what can be, so that others need not wait for it."""
    with call.instance.store.read() as reading:
        return plan_batch(reading, candidates, call.principal, call.instance.settings.conflict_rule)


@capability("memory.upsert_profile_fact", Effect.WRITE)
def upsert_profile_fact(
    call: Call,
    content: Content,
    *,
    source: SourceRef = None,
    scope: Scope = None,
    category: Annotated[str | None, Meta(description="An area of life or work: work, health, preferences, ...")] = None,
) -> WriteAnswer:
    """Say something about a person, in place of what was said before.

    Said by a person it counts at once and replaces what it contradicts; said by an agent it waits for a person.
    """
    candidate = propose(
        call, LearnInput(content=content, kind=Kind.PROFILE, source=source, scope=scope, category=category)
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


@capability("memory.learn_many", Effect.WRITE)
def learn_many(
    call: Call,
    memories: Annotated[
        list[LearnInput], Meta(min_length=1, max_length=BATCH_MAX, description="Objects with the arguments of learn.")
    ],
) -> BatchAnswer:
    """Store up to 1,000 memories in one durable step: all of them are kept, or none."""
    candidates = []
    for place, given in enumerate(memories):
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


@capability("memory.correct", Effect.WRITE)
def correct(
    call: Call,
    memory: MemoryRef,
    content: Annotated[str, Meta(description="What is right instead.")],
    *,
    reason: Reason,
    confidence: Confidence = None,
    source: SourceRef = None,
    rationale: Annotated[str | None, Meta(description="For a decision: why it is now decided so.")] = None,
) -> WriteAnswer:
    """Replace a memory by what is right; the old one, the reason and the time stay readable.

    Where the memory said several things and the correction speaks of one of them, the others stay standing as
    memories of their own. The old value stays rejected in its scope.
    """
    why = Intake().why(reason)

    def act(pen: Pen) -> WriteAnswer:
        old = call.find(pen.transaction, memory)
        scope, visibility = _where_corrected(old, pen)
        proposal = Proposal(
            content=content,
            kind=Kind(old.kind),
            rationale=rationale or (why if old.kind == Kind.DECISION else None),
            scope=scope,
            project=old.project_id,
            visibility=visibility,
            topic=old.topic,
            category=old.category,
            staleness=Staleness(old.staleness),
            confidence=confidence,
            source=source,
        )
        return answer_of(correct_memory(pen, old, prepare_candidate(proposal), why), pen)

    return call.submit(act, WriteAnswer)


def _where_corrected(old: MemoryVersion, pen: Pen) -> tuple[str, Visibility]:
    """Where a correction belongs: with what it corrects; that of an agent's private memory, with that agent."""
    if old.visibility == Visibility.PRIVATE and old.author != pen.actor.id and old.author.startswith("agent:"):
        return old.author, Visibility.LOCAL
    return old.scope, Visibility(old.visibility)


@capability("memory.forget", Effect.WRITE)
def forget(call: Call, memory: MemoryRef, *, reason: Reason) -> WriteAnswer:
    """Retract a memory: it is never recalled again and what it said stays rejected, but its history stays readable.

    This is not erasure: the words remain in the history for audit.
    """
    why = Intake().why(reason)
    return call.submit(
        lambda pen: answer_of(retire.forget(pen, call.find(pen.transaction, memory), why), pen), WriteAnswer
    )


@capability("memory.link", Effect.WRITE)
def link(
    call: Call,
    memory: MemoryRef,
    to: Annotated[str, Meta(description="Another memory, by id or IRI, or any IRI.")],
    relationship: Annotated[
        str,
        Meta(
            description="causes, requires, contradicts, supports, supersedes, applies_to, derived_from, related_to, "
            "overrides, or a word of your own."
        ),
    ] = "related_to",
    *,
    reason: Annotated[str | None, Meta(description="Why they belong together.")] = None,
) -> LinkAnswer:
    """Join a memory to another memory or to any IRI, by a typed relationship."""

    def act(pen: Pen) -> LinkAnswer:
        found = call.find(pen.transaction, memory)
        intake = Intake()
        target = _link_target(call, pen, to, found.memory_id)
        word = intake.name(relationship, field="relationship")
        if word is None:
            raise InvalidInput(
                "relationship is empty", field="relationship", hint="use for example supports or related_to"
            )
        made, outcome = retire.link(pen, found, target, word, intake.reason(reason))
        return LinkAnswer(outcome=outcome.outcome, link=view_link(made), reason=outcome.reason, seq=outcome.seq)

    return call.submit(act, LinkAnswer)


@capability("memory.unlink", Effect.WRITE)
def unlink(
    call: Call,
    memory: MemoryRef,
    to: Annotated[str, Meta(description="What it is linked to, by id or IRI.")],
    relationship: Annotated[str, Meta(description="The relationship to take back.")] = "related_to",
    *,
    reason: Reason,
) -> LinkAnswer:
    """Take a link back; that it was there stays in the history."""

    def act(pen: Pen) -> LinkAnswer:
        found = call.find(pen.transaction, memory)
        target = _link_target(call, pen, to, found.memory_id)
        present = pen.transaction.open_link(found.memory_id, target, relationship)
        if present is None:
            raise NotFound(
                f"there is no link {relationship!r} from that memory to {to!r}",
                field="to",
                hint="see: `explain`",
            )
        outcome = retire.unlink(pen, found, present, Intake().why(reason))
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
