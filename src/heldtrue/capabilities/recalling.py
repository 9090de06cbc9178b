"""Recall: the question as it comes in, the answer as it goes out, and the log in between."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from time import perf_counter
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from heldtrue.capabilities import shapes
from heldtrue.capabilities.arguments import AsOf, Kinds, MinConfidence, ResultLimit, Scopes, ValidAt
from heldtrue.capabilities.call import Call
from heldtrue.capabilities.declaration import EverydayTool, Group, Route
from heldtrue.capabilities.evidence import visible_evidence
from heldtrue.capabilities.parameters import Mark, Metavar, Request
from heldtrue.capabilities.reading import Replacement, what_became
from heldtrue.capabilities.registry import capability
from heldtrue.capabilities.shapes import EntryName, Id, ScopeName
from heldtrue.capabilities.views import MemoryView, PassageView, SourceView, view_evidence, view_memory, view_passage
from heldtrue.domain import limits
from heldtrue.domain.action import Effect
from heldtrue.domain.errors import InvalidInput, TooLarge
from heldtrue.domain.ledger import Head
from heldtrue.domain.memory import Kind, Status
from heldtrue.domain.principal import Sight
from heldtrue.domain.times import parse_span
from heldtrue.ports import Collection, Glance, Reading, RecallRow
from heldtrue.recall.log import Asked, Logged, log_row, recall_id_of
from heldtrue.recall.pipeline import Recalled, Tools
from heldtrue.recall.pipeline import recall as run_pipeline
from heldtrue.recall.profiles import DEFAULT, PARTS, choose_profile
from heldtrue.recall.question import Question
from heldtrue.recall.standing import recall_standing
from heldtrue.recall.tell import Found
from heldtrue.recall.trust import TrustTag

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
ITEM_KINDS = (Kind.ENTITY, Kind.CLAIM, Kind.ARTIFACT)
"""What is taken from documents: the items of a project."""
_MESSAGES_READ = 5
_BEHIND_MAX = 64
"""Documents without a stored vector from which on storing them is worth a write."""


class RecallResult(msgspec.Struct, frozen=True, kw_only=True):
    """A memory, or a passage of evidence: its score in parts, what it rests on, and why it was chosen."""

    memory: MemoryView | None
    passage: PassageView | None
    score: float
    breakdown: dict[str, float]
    matched_scope: ScopeName
    evidence: list[SourceView]
    trust: list[TrustTag]
    explanation: str
    folded: list[Id]
    """Memories and sources that say the same and were left out."""
    around: list[PassageView] = []
    """For a hit in a conversation: the turns before and after it, where they were asked for."""
    since: Replacement | None = None
    """With `as_of`: what has become of it since, if anything."""


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


class Asking(RecallRequest):
    """A recall as any capability may ask for it."""

    weak_share: float = 0.35
    """What a result must score, as a share of the best, to be given beside it."""
    words_only: bool = False
    """Do without models: what costs more than looking words up is left out."""


@capability(
    "memory.recall",
    Effect.READ,
    group=Group.LOOK_UP,
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
    answer, finish = find(call, Asking(**msgspec.structs.asdict(request)))
    if request.max_tokens is not None:
        answer = _cut(answer, request.max_tokens)
    finish(answer, "recall", [])
    return answer


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
    asking = Asking(
        context=request.query,
        scopes=request.scopes,
        kinds=request.kinds,
        min_confidence=request.min_confidence,
        max_age=request.max_age,
        limit=request.limit,
        within=["memory"],
    )
    answer, finish = find(call, asking)
    finish(answer, "search", [])
    return answer


def find(call: Call, asking: Asking, *marks: object, caller: Call | None = None) -> tuple[RecallAnswer, Finish]:
    """Run a recall; `finish` logs it once it is known what was given out and what of it went into a prompt.

    `marks` tell it from another recall of the same at the same moment. It is logged as the `caller`'s, where that is
    not whose sight it has.
    """
    started = perf_counter()
    words, rewritten = _read_words(asking)
    now, tools = call.now, _tools(call, asking)
    with call.instance.store.read() as reading:
        seq = call.as_of_seq(reading, asking.as_of)
        glance = reading.glance(tools.embedder.name if tools.embedder is not None else None)
        question = _question(call, reading, asking, words, seq, glance)
        recalled = run_pipeline(reading, question, tools, glance)
        if asking.elsewhere and not recalled.results:
            recalled = _look_elsewhere(call, reading, asking, question, recalled, glance)
        results = [_view_result(call, reading, one, seq, now) for one in recalled.results]
        recall_id = _recall_id(call, glance.head, asking, marks, now)
        notes = _notes(reading, question, recalled)
    answer = RecallAnswer(
        recall_id=recall_id,
        as_of=None if seq is None else f"#{seq}",
        rewritten=rewritten,
        profile=question.profile.name,
        results=results,
        notes=notes,
    )
    if tools.embedder is not None and recalled.behind > (_BEHIND_MAX if tools.embedder.is_quick else 0):
        call.instance.keep_vectors_soon()
    return answer, Finish(caller or call, asking, rewritten, recalled, started, now)


def find_standing(call: Call, asking: Asking) -> list[RecallResult]:
    """The best of what is held, whatever is asked: chosen by the filters and the profile, not by words."""
    with call.instance.store.read() as reading:
        question = _question(call, reading, asking, "", None, reading.glance(None))
        return [_view_result(call, reading, one, None, call.now) for one in recall_standing(reading, question)]


def ask_nothing(call: Call, asking: Asking, *marks: object, caller: Call | None = None) -> tuple[RecallAnswer, Finish]:
    """A recall that looks for nothing, so that what is given all the same can be logged."""
    started, now = perf_counter(), call.now
    with call.instance.store.read() as reading:
        recall_id = _recall_id(call, reading.head(), asking, marks, now)
    answer = RecallAnswer(
        recall_id=recall_id, as_of=None, rewritten=None, profile=asking.profile or DEFAULT, results=[], notes=[]
    )
    nothing = Recalled(results=[], notes=[], weak=0, behind=0, cost={})
    return answer, Finish(caller or call, asking, None, nothing, started, now)


def _recall_id(call: Call, head: Head, asking: Asking, marks: Sequence[object], now: int) -> str:
    around = (call.action, call.project, call.repo, call.session)
    return recall_id_of(now=now, parts=(head.hash, call.principal.id, repr(asking), repr((around, marks))))


def _tools(call: Call, asking: Asking) -> Tools:
    tools = call.instance.tools()
    return msgspec.structs.replace(tools, embedder=None, reranker=None) if asking.words_only else tools


def _notes(reading: Reading, question: Question, recalled: Recalled) -> list[str]:
    """What there is to say about a search besides its results."""
    notes = list(recalled.notes)
    if recalled.results:
        return notes
    if recalled.weak:
        left = f"{recalled.weak:,} weak matches were" if recalled.weak > 1 else "a weak match was"
        notes.append(f"nothing good was found; {left} left out")
    is_unasked = Collection.SESSIONS not in question.collections
    if is_unasked and reading.shelves((Collection.SESSIONS,), question.chosen.sight):
        notes.append("captured conversations were not searched; to search them too, add sessions to within")
    return notes


class Finish:
    """Logs a recall."""

    def __init__(
        self, call: Call, asking: Asking, rewritten: str | None, recalled: Recalled, started: float, now: int
    ) -> None:
        self._call = call
        self._asking = asking
        self._rewritten = rewritten
        self._recalled = recalled
        self._milliseconds = (perf_counter() - started) * 1000
        self._now = now

    def __call__(
        self,
        answer: RecallAnswer,
        verb: str,
        injected: Sequence[str],
        *,
        tier: str = "items",
        uncounted: Container[str] = (),
        **cost: float,
    ) -> None:
        """Log what was given; what is `uncounted` was not asked for, and so it does not count as recalled."""
        memories = [one.memory.id for one in answer.results if one.memory is not None]
        counted = [memory_id for memory_id in memories if memory_id not in uncounted]
        # The row is made by whoever writes it: the caller has its answer by then.
        self._call.instance.recall_log.note_later(
            answer.recall_id, lambda: self._row(answer, verb, injected, tier, cost), counted
        )

    def _row(
        self, answer: RecallAnswer, verb: str, injected: Sequence[str], tier: str, cost: Mapping[str, float]
    ) -> RecallRow:
        call, asking = self._call, self._asking
        given = msgspec.structs.asdict(asking)
        arguments = {name: value for name, value in given.items() if value != _DEFAULTS[name] and name != "context"}
        return log_row(
            recall_id=answer.recall_id,
            now=self._now,
            principal=call.principal.id,
            channel=call.channel,
            verb=verb,
            question=asking.context,
            asked=Asked(arguments=arguments, rewritten=self._rewritten),
            tier=tier,
            results=[_log_result(one, injected) for one in answer.results],
            cost={"milliseconds": round(self._milliseconds, 3), **self._recalled.cost, **cost},
        )


_DEFAULTS = msgspec.structs.asdict(Asking(context=""))


def _log_result(result: RecallResult, injected: Sequence[str]) -> Logged:
    if result.memory is not None:
        what, ref, version, passage = "memory", result.memory.id, result.memory.version, None
    else:
        assert result.passage is not None
        what, ref, version, passage = "passage", result.passage.source_id, None, result.passage.number
    return Logged(
        id=ref,
        what=what,
        version=version,
        passage=passage,
        score=result.score,
        parts=result.breakdown,
        injected=ref in injected or f"{ref}#{passage}" in injected,
    )


# The question


def _read_words(asking: Asking) -> tuple[str, str | None]:
    """The words to look for, and the completed question if it had to be completed."""
    context = asking.context
    if len(context) > limits.QUERY_CHARS_MAX:
        raise TooLarge(
            f"context is longer than {limits.QUERY_CHARS_MAX:,} characters", field="context", hint="ask in fewer words"
        )
    if not context.strip():
        raise InvalidInput("context is empty", field="context", hint="say what you want to know")
    words = _plain_words(context)
    if not asking.messages:
        return words, None
    from heldtrue.language.rewrite import rewrite_question

    messages = [_plain_words(message[-limits.QUERY_CHARS_MAX :]) for message in asking.messages[-_MESSAGES_READ:]]
    rewritten = rewrite_question(words, messages)
    return rewritten.question, rewritten.question if rewritten.added else None


def _plain_words(text: str) -> str:
    """A text as it is matched; one of plain letters is clean already, and the tables need not be loaded for it."""
    if text.isascii() and text.isprintable():
        return text
    from heldtrue.language.normalise import clean_text

    return clean_text(text)


def _question(call: Call, reading: Reading, asking: Asking, words: str, seq: int | None, glance: Glance) -> Question:
    settings = call.instance.settings
    moment = moment_of(reading, seq, call.now)
    valid = call.moment(asking.valid_at, "valid_at")
    collections, kinds = _what_is_searched(asking)
    max_age = asking.max_age
    chosen = call.filter(
        asking.scopes,
        statuses=(Status.ACTIVE.value,),
        kinds=kinds,
        min_confidence=asking.min_confidence or None,
        seq=seq,
        valid_at=valid,
        observed_after=max(0, moment - parse_span(max_age, field="max_age")) if max_age else None,
        not_ended_by=moment if valid is None else None,
    )
    name = asking.profile or settings.recall_profile
    return Question(
        words=words,
        chosen=chosen,
        collections=collections,
        profile=choose_profile(
            name, _model_weights(call, asking), settings.profile_weights(name), _check_weights(asking.weights)
        ),
        topic=asking.topic,
        near=tuple(call.find(reading, ref, field="near").memory_id for ref in asking.near or ()),
        domain=None if call.principal.is_person else call.principal.id,
        tone=_tone(words),
        limit=asking.limit,
        now=moment,
        decay=settings.decay,
        floor=_floor(call, asking) if name == DEFAULT else 0.0,
        per_source=asking.per_source,
        weak_share=asking.weak_share,
        around=asking.around,
        beliefs_only=bool(asking.kinds or asking.min_confidence),
        has_links=glance.has_links,
        has_conflicts=glance.has_conflicts,
        visible_evidence=lambda rows: visible_evidence(call, reading, rows, seq),
        visible_conflicts=lambda conflicts: call.visible_conflicts(reading, conflicts),
        visible_links=lambda links: call.visible_links(reading, links),
    )


def _tone(words: str) -> str:
    from heldtrue.language.tone import read_tone

    return read_tone(words)


def _model_weights(call: Call, asking: Asking) -> Mapping[str, float]:
    embedder = _tools(call, asking).embedder
    return embedder.weights if embedder is not None else {}


_WORDS_FLOOR = 0.13
"""The score that the best result must have where there are only words to go by."""


def _floor(call: Call, asking: Asking) -> float:
    given, embedder = call.instance.settings.recall_floor, _tools(call, asking).embedder
    if given is not None:
        return given
    return embedder.floor if embedder is not None else _WORDS_FLOOR


def _check_weights(weights: Mapping[str, float] | None) -> Mapping[str, float]:
    for part, weight in (weights or {}).items():
        if part not in PARTS:
            raise InvalidInput(
                f"{part!r} is no part of a score", field="weights", hint=f"the parts are {', '.join(PARTS)}"
            )
        if not 0 <= weight <= 10:
            raise InvalidInput(f"the weight of {part} is {weight}", field="weights", hint="use a number from 0 to 10")
    return weights or {}


def _what_is_searched(asking: Asking) -> tuple[tuple[Collection, ...], tuple[str, ...]]:
    """The collections and kinds that a search covers."""
    within = set(asking.within or ("memory", "items", "sources"))
    kinds = tuple(kind.value for kind in asking.kinds or ())
    items = {kind.value for kind in ITEM_KINDS}
    if not kinds and {"memory", "items"} & within != {"memory", "items"}:
        kinds = tuple(kind.value for kind in Kind if (kind.value in items) == ("items" in within))
    collections = [Collection.MEMORY] if {"memory", "items"} & within else []
    collections += [one for one in (Collection.SOURCES, Collection.SESSIONS) if one.value in within]
    return tuple(collections), kinds if Collection.MEMORY in collections else ()


def moment_of(reading: Reading, seq: int | None, now: int) -> int:
    """The moment a question is asked from: now, or when the entry was recorded."""
    entry = reading.ledger_entry(seq) if seq else None
    return entry.recorded_at if entry else now


_ELSEWHERE_MIN = 0.5
"""What a memory of another project must score to be shown to someone who asked in his own."""


def _look_elsewhere(
    call: Call, reading: Reading, asking: Asking, question: Question, recalled: Recalled, glance: Glance
) -> Recalled:
    """Where the caller's own projects have nothing: what other projects know, if it fits very well."""
    own = question.chosen.sight.scopes
    if asking.scopes or own is None:
        return recalled
    shelves = reading.shelves((Collection.MEMORY,), Sight(reader=question.chosen.sight.reader))
    others = {shelf.scope for shelf in shelves if shelf.scope.startswith(("project:", "repo:"))} - set(own)
    scopes = tuple(sorted(scope for scope in others if call.may_see(scope)))
    if not scopes:
        return recalled
    sight = msgspec.structs.replace(question.chosen.sight, scopes=scopes)
    chosen = msgspec.structs.replace(question.chosen, sight=sight)
    found = run_pipeline(reading, msgspec.structs.replace(question, chosen=chosen), _tools(call, asking), glance)
    strong = [result for result in found.results if result.score >= _ELSEWHERE_MIN]
    if not strong:
        return recalled
    notes = [*found.notes, "nothing was found in your own scopes; this is from other projects"]
    return msgspec.structs.replace(found, results=strong, notes=notes)


# The answer


def _view_result(call: Call, reading: Reading, found: Found, seq: int | None, now: int) -> RecallResult:
    memory, passage = found.memory, found.passage
    assert memory is not None or passage is not None
    return RecallResult(
        memory=view_memory(memory, reading.space(), now) if memory is not None else None,
        passage=view_passage(passage) if passage is not None else None,
        score=found.score,
        breakdown=found.breakdown,
        matched_scope=memory.scope if memory is not None else passage.scope if passage is not None else "",
        evidence=view_evidence(found.evidence),
        trust=list(found.trust),
        explanation=found.explanation,
        folded=list(found.folded),
        around=[view_passage(one) for one in found.around],
        since=what_became(call, reading, memory) if seq is not None and memory is not None else None,
    )


def _cut(answer: RecallAnswer, max_tokens: int) -> RecallAnswer:
    """The results that fit into a number of tokens, in their order."""
    from heldtrue.language.tokens import count_tokens

    kept: list[RecallResult] = []
    spent = 0
    for result in answer.results:
        spent += count_tokens(text_of(result))
        if spent > max_tokens:
            break
        kept.append(result)
    left = len(answer.results) - len(kept)
    if not left:
        return answer
    note = f"{left} more did not fit into {max_tokens:,} tokens"
    return msgspec.structs.replace(answer, results=kept, notes=[*answer.notes, note])


def text_of(result: RecallResult) -> str:
    """What a result says."""
    if result.memory is not None:
        return result.memory.content
    return result.passage.text if result.passage is not None else ""
