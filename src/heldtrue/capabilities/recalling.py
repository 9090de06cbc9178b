"""The requests and answers of recall. `heldtrue.recall` does the work."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from heldtrue.capabilities import shapes
from heldtrue.capabilities.arguments import AsOf, Kinds, MinConfidence, ResultLimit, Scopes, ValidAt
from heldtrue.capabilities.call import Call
from heldtrue.capabilities.declaration import EverydayCommand, EverydayTool, Group, Route
from heldtrue.capabilities.parameters import Mark, Metavar, Request
from heldtrue.capabilities.registry import capability
from heldtrue.capabilities.shapes import EntryName, Id, ScopeName, When
from heldtrue.capabilities.views import (
    MemoryView,
    PassageView,
    Replacement,
    SourceView,
    to_iso,
    view_change,
    view_evidence,
    view_memory,
    view_passage,
)
from heldtrue.domain import limits
from heldtrue.domain.action import Effect
from heldtrue.domain.continuity import find_lost
from heldtrue.domain.records import Space
from heldtrue.ports import ReadTransaction
from heldtrue.recall.answer import NoteCode as NoteCode  # surfaces read it too
from heldtrue.recall.answer import RecallNote, RecallOutcome, Result, Trust
from heldtrue.recall.budget import fit_budget
from heldtrue.recall.explain import describe_trust
from heldtrue.recall.log import Delivery, log_recall
from heldtrue.recall.pipeline import recall as run_pipeline
from heldtrue.recall.query import RecallQuery, Standpoint

Within = Annotated[
    list[Literal["memory", "items", "sessions", "sources"]] | None,
    Meta(
        description="What to search: memory, items (entities, claims and artifacts), sources (captured documents), "
        "sessions (captured conversations). Default: all but sessions."
    ),
]
ProfileName = Annotated[
    Literal["default", "brain", "hybrid", "dual", "rank"] | None,
    Meta(description="The scoring profile. Default: the value in the settings."),
]
Messages = Annotated[
    list[str] | None,
    Meta(description="The last messages, oldest first. They are used to complete a follow-up question."),
    Mark.PROSE,
]
TokenLimit = Annotated[
    Annotated[int, Meta(ge=1, le=limits.ANSWER_TOKENS_MAX)] | None,
    Meta(description="Maximum number of tokens in the results. Results that do not fit are dropped."),
]


# Without numbers: an agent is not told how large the whole store is.
_STORE_CHANGED = RecallNote(
    NoteCode.STORE_CHANGED,
    "this store was replaced or restored from an older copy, so results may be outdated or wrong; run heldtrue verify",
)

TrustName = Annotated[str, shapes.one_of(Trust)]
NoteName = Annotated[str, shapes.one_of(NoteCode)]


class TrustView(msgspec.Struct, frozen=True):
    """A reason to trust or doubt a result, and the memory it refers to."""

    tag: TrustName
    detail: str
    memory_id: Id | None = None


class RecallResult(msgspec.Struct, frozen=True, kw_only=True):
    """A memory or a passage of evidence, with its score, its evidence and why it was chosen."""

    memory: MemoryView | None
    passage: PassageView | None
    score: float
    breakdown: dict[str, float]
    matched_scope: ScopeName
    evidence: list[SourceView]
    trust: list[TrustView]
    explanation: str
    folded: list[Id]
    """Ids of memories and sources that say the same thing and are not listed separately."""
    around: list[PassageView] = []
    """For a result from a conversation: the messages before and after it, if requested."""
    since: Replacement | None = None
    """With `as_of`: how the memory has changed since then, if it has."""

    @property
    def reason(self) -> str:
        """Why the result was chosen, without the warnings in `trust`."""
        return self.explanation.removesuffix(describe_trust((tag.tag, tag.detail) for tag in self.trust))


class RecallAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The results, best first, with notes about the search."""

    recall_id: Id
    as_of: EntryName | None
    as_of_time: When | None
    """The time that `as_of` refers to."""
    rewritten: str | None
    """The question that was searched for, if it was completed from earlier messages."""
    profile: shapes.ProfileName
    results: list[RecallResult]
    notes: list[str]
    """Notes about the search, such as a model that failed or results that are not shown."""
    note_codes: list[NoteName] = []
    """A code for each note, for programs; the texts may change."""


class Narrowed(Request):
    """Filters that every search takes."""

    scopes: Scopes = None
    kinds: Kinds = None
    trusted: Annotated[
        bool, Meta(description="Only memories that a person stated or verified; no captured evidence.")
    ] = False


class Filtered(Narrowed):
    """The search filters, with a minimum confidence, a maximum age and a limit."""

    min_confidence: MinConfidence = 0.0
    max_age: Annotated[
        str | None,
        Meta(description="Maximum time since the memory was observed: 7d, 36h or 2 weeks."),
        Mark.SPAN,
        Metavar("AGE"),
    ] = None
    limit: ResultLimit = limits.RESULTS_DEFAULT


class RecallRequest(Filtered):
    context: Annotated[str, Meta(description="The question, in plain words."), Mark.PROSE, Mark.SENTENCE]
    topic: Annotated[str | None, Meta(description="A topic; memories of this topic rank higher.")] = None
    within: Within = None
    near: Annotated[list[str] | None, Meta(description="Ids of memories; memories linked to them rank higher.")] = None
    profile: ProfileName = None
    weights: Annotated[
        dict[str, float] | None,
        Meta(description='Weights for parts of the score, 0 to 10, for example {"recency": 2}.'),
    ] = None
    messages: Messages = None
    around: Annotated[
        int, Meta(ge=0, le=5, description="Number of messages to show before and after a result from a conversation.")
    ] = 0
    per_source: Annotated[
        int, Meta(ge=1, le=limits.RESULTS_MAX, description="Maximum number of results from one document.")
    ] = 3
    elsewhere: Annotated[
        bool,
        Meta(description="Whether to show very good matches from other projects if your own scopes have no match."),
    ] = False
    max_tokens: TokenLimit = None
    as_of: AsOf = None
    valid_at: ValidAt = None


@capability(
    "memory.recall",
    Effect.READ,
    group=Group.LOOK_UP,
    everyday=EverydayCommand(2, "Search memory for an answer, best match first"),
    synonyms=("ask", "query", "find"),
    positional=("context",),
    is_search=True,
    routes=(Route("GET", "/v1/recall"),),
    tool=EverydayTool(
        "Find the memories that answer a question, best first, each with an explanation and trust tags. Use this "
        "before you assume something or ask the user.",
        {
            "context": "The question, in plain words",
            "topic": "",
            "limit": "Default 10",
            "min_confidence": "",
            "max_age": "For example 7d",
            "scopes": "For example project:shop",
            "within": "Add sessions to include captured conversations",
            "as_of": "The state at that time: 2026-05-17, '3 days ago'",
        },
        rank=2,
    ),
    examples=(
        "heldtrue recall which port does the API use",
        'heldtrue recall "deploy" --scope project:shop --limit 3 --json',
        'heldtrue recall "API port" --as-of "3 days ago"',
    ),
)
def recall(call: Call, request: RecallRequest) -> RecallAnswer:
    """Find the memories that answer a question, best first, each with its score, evidence and explanation.

    Only active memories are returned, never pending, rejected, retracted or replaced ones, and only captured
    evidence that does not state a rejected claim. With `as_of`, the results show the state at that time and what
    has changed since. If there is no good match, there are no results.

    With `trusted`, only memories that a person has stated or verified are returned. If one agent has written many
    nearly identical memories that no person has verified, at most two of them are among ten results. The ids of the
    others are in `folded`.
    """
    given = msgspec.structs.asdict(request)
    max_tokens = given.pop("max_tokens")
    outcome = fit_budget(run_query(call, RecallQuery(**given)), max_tokens)
    _log(call, outcome, "recall")
    return _view_outcome(outcome)


class SearchRequest(Filtered):
    query: Annotated[str, Meta(description="The keywords to search for.")]


@capability(
    "memory.search",
    Effect.READ,
    group=Group.LOOK_UP,
    positional=("query",),
    is_search=True,
)
def search(call: Call, request: SearchRequest) -> RecallAnswer:
    """Search memories with keywords and filters, like `recall`, but without captured evidence."""
    query = RecallQuery(
        context=request.query,
        scopes=request.scopes,
        kinds=request.kinds,
        min_confidence=request.min_confidence,
        trusted=request.trusted,
        max_age=request.max_age,
        limit=request.limit,
        within=["memory"],
    )
    outcome = run_query(call, query)
    _log(call, outcome, "search")
    bare = tuple(msgspec.structs.replace(result, evidence=()) for result in outcome.results)
    return _view_outcome(msgspec.structs.replace(outcome, results=bare))


def run_query(call: Call, query: RecallQuery, *marks: object) -> RecallOutcome:
    """Run a recall as this caller. `marks` distinguish it from an equal one at the same time."""
    instance = call.instance
    stored = instance.heads.stored()  # before the view begins: the ledger can only have grown since
    with instance.store.read() as reading:
        standpoint = make_standpoint(call, reading, query, *marks)
        outcome = run_pipeline(reading, query, standpoint, instance.tools(), instance.settings)
        if find_lost(stored, reading.ledger.head(), reading.ledger.entry):
            outcome = msgspec.structs.replace(outcome, notes=(_STORE_CHANGED, *outcome.notes))
    if outcome.needs_rebuild:
        instance.rebuild_soon()
    elif outcome.needs_vectors:
        instance.keep_vectors_soon()
    return outcome


def warm_up(call: Call, words: str) -> None:
    """Run a search to load caches and models. It is not logged."""
    run_query(call, RecallQuery(context=words, limit=1))


def make_standpoint(call: Call, reading: ReadTransaction, query: RecallQuery, *marks: object) -> Standpoint:
    """Resolve the scopes, times and ids of a query for this caller."""
    state = call.state_at(reading, query.as_of)
    return Standpoint(
        principal=call.principal,
        now=call.now,
        moment=state.moment,
        seq=state.seq,
        valid_at=call.moment(query.valid_at, "valid_at"),
        scopes=call.visible_scopes(query.scopes),
        near=tuple(call.find(reading, ref, field="near").memory_id for ref in query.near or ()),
        marks=(call.action, call.project, call.repo, call.session, *marks),
    )


def _log(call: Call, outcome: RecallOutcome, verb: str) -> None:
    delivery = Delivery(principal=call.principal.id, channel=call.channel, verb=verb, results=outcome.results)
    log_recall(call.instance.recall_log, outcome, delivery)


def _view_outcome(outcome: RecallOutcome) -> RecallAnswer:
    return RecallAnswer(
        recall_id=outcome.id,
        as_of=None if outcome.seq is None else f"#{outcome.seq}",
        as_of_time=None if outcome.seq is None else to_iso(outcome.moment),
        rewritten=outcome.rewritten,
        profile=outcome.profile,
        results=[view_result(result, outcome.space, outcome.moment) for result in outcome.results],
        notes=[note.text for note in outcome.notes],
        note_codes=[note.code.value for note in outcome.notes],
    )


def view_result(result: Result, space: Space, moment: int) -> RecallResult:
    memory, passage = result.memory, result.passage
    assert memory is not None or passage is not None
    return RecallResult(
        memory=view_memory(memory, space, moment) if memory is not None else None,
        passage=view_passage(passage) if passage is not None else None,
        score=result.score,
        breakdown=result.breakdown,
        matched_scope=memory.scope if memory is not None else passage.scope if passage is not None else "",
        evidence=view_evidence(result.evidence),
        trust=[TrustView(tag.tag.value, tag.detail, tag.memory_id) for tag in result.trust],
        explanation=result.explanation,
        folded=list(result.folded),
        around=[view_passage(turn) for turn in result.around],
        since=view_change(result.since) if result.since is not None else None,
    )
