"""Recall: the request as it comes in, and the answer as it goes out. What lies between is in `heldtrue.recall`."""

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
from heldtrue.capabilities.shapes import EntryName, Id, ScopeName
from heldtrue.capabilities.views import (
    MemoryView,
    PassageView,
    Replacement,
    SourceView,
    view_change,
    view_evidence,
    view_memory,
    view_passage,
)
from heldtrue.domain import limits
from heldtrue.domain.action import Effect
from heldtrue.domain.records import Space
from heldtrue.ports import ReadTransaction
from heldtrue.recall.answer import NoteCode as NoteCode  # surfaces read it too
from heldtrue.recall.answer import RecallOutcome, Result, Trust
from heldtrue.recall.budget import fit_budget
from heldtrue.recall.explain import describe_trust
from heldtrue.recall.log import Delivery, log_recall
from heldtrue.recall.pipeline import recall as run_pipeline
from heldtrue.recall.query import RecallQuery, Standpoint

Within = Annotated[
    list[Literal["memory", "items", "sessions", "sources"]] | None,
    Meta(
        description="What is searched: memory, items (entities, claims and artifacts), sources (captured documents), "
        "sessions (captured conversations); left out, all but sessions."
    ),
]
ProfileName = Annotated[
    Literal["default", "brain", "hybrid", "dual", "rank"] | None,
    Meta(description="How results are weighed; left out, as the settings say."),
]
Messages = Annotated[
    list[str] | None,
    Meta(description="The last messages, oldest first: a question that leans on them is completed from them."),
    Mark.PROSE,
]
TokenLimit = Annotated[
    Annotated[int, Meta(ge=1, le=limits.ANSWER_TOKENS_MAX)] | None,
    Meta(description="At most this many tokens of results; what does not fit is left out."),
]


TrustName = Annotated[str, shapes.one_of(Trust)]
NoteName = Annotated[str, shapes.one_of(NoteCode)]


class TrustView(msgspec.Struct, frozen=True):
    """One thing to know about a result before acting on it, and the memory it concerns."""

    tag: TrustName
    detail: str
    memory_id: Id | None = None


class RecallResult(msgspec.Struct, frozen=True, kw_only=True):
    """A memory, or a passage of evidence: its score in parts, what it rests on, and why it was chosen."""

    memory: MemoryView | None
    passage: PassageView | None
    score: float
    breakdown: dict[str, float]
    matched_scope: ScopeName
    evidence: list[SourceView]
    trust: list[TrustView]
    explanation: str
    folded: list[Id]
    """Memories and sources that say the same and were left out."""
    around: list[PassageView] = []
    """For a hit in a conversation: the turns before and after it, where they were asked for."""
    since: Replacement | None = None
    """With `as_of`: what has become of it since, if anything."""

    @property
    def reason(self) -> str:
        """Why it was chosen, without what `trust` says."""
        return self.explanation.removesuffix(describe_trust((tag.tag, tag.detail) for tag in self.trust))


class RecallAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The results, best first, and what there is to know about the search itself."""

    recall_id: Id
    as_of: EntryName | None
    rewritten: str | None
    """What was looked for instead, where the question leaned on the messages before it."""
    profile: shapes.ProfileName
    results: list[RecallResult]
    notes: list[str]
    """What was missing, did not work, or was left out."""
    note_codes: list[NoteName] = []
    """What each note is about, for programs: the texts are only for display."""


class Narrowed(Request):
    """What narrows a search, whichever capability makes it."""

    scopes: Scopes = None
    kinds: Kinds = None


class Filtered(Narrowed):
    """The same, with how sure and how recent a result must be."""

    min_confidence: MinConfidence = 0.0
    max_age: Annotated[
        str | None,
        Meta(description="Leave out what was observed longer ago: 7d, 36h, 2 weeks."),
        Mark.SPAN,
        Metavar("AGE"),
    ] = None
    limit: ResultLimit = limits.RESULTS_DEFAULT


class RecallRequest(Filtered):
    context: Annotated[str, Meta(description="What you want to know, in plain words."), Mark.PROSE, Mark.SENTENCE]
    topic: Annotated[str | None, Meta(description="A subject: what is filed under it ranks higher.")] = None
    within: Within = None
    near: Annotated[
        list[str] | None, Meta(description="Memories you ask from; what is linked to them ranks higher.")
    ] = None
    profile: ProfileName = None
    weights: Annotated[
        dict[str, float] | None,
        Meta(description='Other weights for single parts of the score, 0 to 10, such as {"recency": 2}.'),
    ] = None
    messages: Messages = None
    around: Annotated[
        int, Meta(ge=0, le=5, description="Show so many turns before and after a hit in a conversation.")
    ] = 0
    per_source: Annotated[
        int, Meta(ge=1, le=limits.RESULTS_MAX, description="At most this many results from one document.")
    ] = 3
    elsewhere: Annotated[
        bool,
        Meta(
            description="Where your own scopes have nothing: also show what other projects know, if it fits very well."
        ),
    ] = False
    max_tokens: TokenLimit = None
    as_of: AsOf = None
    valid_at: ValidAt = None


@capability(
    "memory.recall",
    Effect.READ,
    group=Group.LOOK_UP,
    everyday=EverydayCommand(2, "Answer a question from memory, best match first"),
    synonyms=("ask", "query", "find"),
    positional=("context",),
    is_search=True,
    routes=(Route("GET", "/v1/recall"),),
    tool=EverydayTool(
        "Look up what is known about a question, best first, with the reason and how far to trust it. Use it before "
        "you assume or ask.",
        {
            "context": "The question, in plain words",
            "topic": "",
            "limit": "10 if left out",
            "min_confidence": "",
            "max_age": "Such as 7d",
            "scopes": "Such as project:shop",
            "within": "Add sessions to search captured conversations too",
            "as_of": "What was believed then: 2026-05-17, '3 days ago'",
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
    """Find what matters for a question, best first, each with its score in parts, its evidence and its reason.

    Only active memories are recalled: nothing that waits, was rejected, retracted or replaced; and captured
    evidence that says nothing which was rejected. Ask `as_of` a moment to get what was believed then, and what has
    become of it since. Where nothing good is found, nothing is returned.
    """
    given = msgspec.structs.asdict(request)
    max_tokens = given.pop("max_tokens")
    outcome = fit_budget(run_query(call, RecallQuery(**given)), max_tokens)
    _log(call, outcome, "recall")
    return _view_outcome(outcome)


class SearchRequest(Filtered):
    query: Annotated[str, Meta(description="Words to look for.")]


@capability(
    "memory.search",
    Effect.READ,
    group=Group.LOOK_UP,
    positional=("query",),
    is_search=True,
)
def search(call: Call, request: SearchRequest) -> RecallAnswer:
    """Look memories up by words and filters; like recall, without evidence beneath them."""
    query = RecallQuery(
        context=request.query,
        scopes=request.scopes,
        kinds=request.kinds,
        min_confidence=request.min_confidence,
        max_age=request.max_age,
        limit=request.limit,
        within=["memory"],
    )
    outcome = run_query(call, query)
    _log(call, outcome, "search")
    return _view_outcome(outcome)


def run_query(call: Call, query: RecallQuery, *marks: object) -> RecallOutcome:
    """Run a recall with the sight of a caller. `marks` tell it from another one of the same at the same moment."""
    instance = call.instance
    with instance.store.read() as reading:
        standpoint = make_standpoint(call, reading, query, *marks)
        outcome = run_pipeline(reading, query, standpoint, instance.tools(), instance.settings)
    if outcome.needs_vectors:
        instance.keep_vectors_soon()
    return outcome


def warm_up(call: Call, words: str) -> None:
    """Search for something as anyone would, so that caches and models are ready; nothing is logged."""
    run_query(call, RecallQuery(context=words, limit=1))


def make_standpoint(call: Call, reading: ReadTransaction, query: RecallQuery, *marks: object) -> Standpoint:
    """What the scopes, moments and ids of a query mean for this caller."""
    return Standpoint(
        principal=call.principal,
        now=call.now,
        seq=call.as_of_seq(reading, query.as_of),
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
        rewritten=outcome.rewritten,
        profile=outcome.profile,
        results=[view_result(result, outcome.space, outcome.now) for result in outcome.results],
        notes=[note.text for note in outcome.notes],
        note_codes=[note.code.value for note in outcome.notes],
    )


def view_result(result: Result, space: Space, now: int) -> RecallResult:
    memory, passage = result.memory, result.passage
    assert memory is not None or passage is not None
    return RecallResult(
        memory=view_memory(memory, space, now) if memory is not None else None,
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
