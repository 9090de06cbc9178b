"""Memory for a prompt: what to put before a message, and what to know at the start of a task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from heldtrue.access.identity import find_local
from heldtrue.access.policy import is_allowed, require
from heldtrue.capabilities import shapes
from heldtrue.capabilities.arguments import AsOf, Topic
from heldtrue.capabilities.call import Call
from heldtrue.capabilities.declaration import EverydayTool, Group
from heldtrue.capabilities.parameters import Mark, Request
from heldtrue.capabilities.recalling import (
    Messages,
    Narrowed,
    NoteName,
    RecallResult,
    Within,
    make_standpoint,
    run_query,
    view_result,
)
from heldtrue.capabilities.registry import capability
from heldtrue.capabilities.shapes import Id, ScopeName
from heldtrue.domain import limits
from heldtrue.domain.action import READ, Action, Audience, Effect, ScopeResource
from heldtrue.domain.errors import NotAllowed
from heldtrue.domain.memory import Kind
from heldtrue.domain.principal import Principal, Sight
from heldtrue.domain.rows import Collection
from heldtrue.domain.scope import GLOBAL, parse_scope
from heldtrue.recall.answer import RecallOutcome, Result
from heldtrue.recall.best_of_scope import find_best_of_scope
from heldtrue.recall.context import share_context, take_turns
from heldtrue.recall.log import Delivery, log_recall
from heldtrue.recall.pipeline import recall_nothing
from heldtrue.recall.prompt import PromptOptions, make_entry, note_block, render_entries, render_prompt
from heldtrue.recall.query import RecallQuery
from heldtrue.recall.render import LASTING, PREAMBLE, Block, Level

Detail = Annotated[Level, Meta(description="How much of each is told: a line (L0), a summary (L1) or everything (L2).")]
BlockTokens = Annotated[
    Annotated[int, Meta(ge=1, le=limits.ANSWER_TOKENS_MAX)] | None,
    Meta(
        description="At most this many tokens, the block's own words included; "
        f"left out, {limits.BLOCK_TOKENS_DEFAULT:,}. What does not fit is shortened, then left out."
    ),
]
InjectLimit = Annotated[int, Meta(ge=1, le=limits.INJECTED_MAX, description="At most this many memories.")]
Tier = Annotated[
    Literal["auto", "summaries", "items"],
    Meta(
        description="What is given: summaries of up to three categories, the items themselves, or (auto) the summaries "
        "where they say all that the items would."
    ),
]


class ChatMessage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One message of a chat."""

    role: str
    content: str


class InjectAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A block of recalled memory for a prompt; an empty one where nothing good was found."""

    block: str
    recall_id: Id
    injected: list[Id]
    """The ids of what is in the block: memories, and of passages their sources."""
    tier: shapes.Tier
    """Which tier answered: summaries, items, or none."""
    tokens: int
    notes: list[str]
    note_codes: list[NoteName] = []
    """What each note is about, for programs: the texts are only for display."""
    messages: list[ChatMessage] = []
    """The chat that was given, with the block right before its last user message, and without blocks of before."""


class Citation(msgspec.Struct, frozen=True, kw_only=True):
    """What an entry of a bundle rests on."""

    id: Id
    source: Id | None
    kind: str
    reference: str | None
    author: str


class ContextBundle(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent should know before it starts: what always counts, what fits the task, and what it rests on."""

    recall_id: Id
    task: str | None
    scopes: list[ScopeName]
    """Where it was looked for."""
    profile: list[RecallResult]
    """Whom the agent works for: profile facts and preferences."""
    decisions: list[RecallResult]
    conventions: list[RecallResult]
    """Conventions, lessons and patterns."""
    facts: list[RecallResult]
    """What else is known and fits the task."""
    episodes: list[RecallResult]
    """What happened before and fits the task."""
    evidence: list[RecallResult]
    """Captured passages that fit the task."""
    citations: list[Citation]
    block: str
    """All of it for a prompt, what always counts first."""
    injected: list[Id]
    """The ids of what is in the block."""
    tokens: int
    notes: list[str]
    note_codes: list[NoteName] = []
    """What each note is about, for programs: the texts are only for display."""


# Before a message


_WEAK_SHARE = 0.55
"""What a result must score, as a share of the best, to go into a prompt beside it: more than for a reader."""


class InjectRequest(Narrowed):
    context: Annotated[str, Meta(description="What the user says or wants, in plain words."), Mark.PROSE, Mark.SENTENCE]
    messages: Messages = None
    chat: Annotated[
        list[ChatMessage] | None,
        Meta(description="The chat so far, role and content of each message: the block is put into it."),
    ] = None
    limit: InjectLimit = limits.INJECTED_MAX
    max_tokens: BlockTokens = None
    under_budget: Annotated[bool, Meta(description="Do less: at most five memories, found by their words alone.")] = (
        False
    )
    tier: Tier = "auto"
    detail: Detail = "L2"
    topic: Topic = None
    within: Within = None
    as_of: AsOf = None


@capability(
    "memory.inject",
    Effect.READ,
    group=Group.PROMPT,
    positional=("context",),
    examples=(
        'heldtrue inject "how do I deploy the shop?" --max-tokens 800',
        '{ heldtrue inject "$PROMPT"; echo "$PROMPT"; } | my-model',
        'heldtrue inject "and the port?" --chat chat.jsonl --json',
    ),
)
def inject(call: Call, request: InjectRequest) -> InjectAnswer:
    """Recall what matters for a message, as a block of text to put right before it.

    The block is data: it is fenced so that nothing in it can pass for an instruction or for the end of the block,
    and each entry has its id, kind, category, confidence, age and trust. What seldom changes comes first, so that a
    model's prompt cache survives. What was put in is logged, so that `feedback` can tell what helped.
    """
    said = [message for message in request.chat or () if not message.content.startswith(PREAMBLE)]
    earlier = (
        request.messages if request.messages is not None else [message.content for message in said[: _last_user(said)]]
    )
    query = RecallQuery(
        context=request.context,
        messages=earlier or None,
        limit=min(request.limit, limits.INJECTED_UNDER_BUDGET_MAX) if request.under_budget else request.limit,
        topic=request.topic,
        scopes=request.scopes,
        kinds=request.kinds,
        within=request.within,
        as_of=request.as_of,
        words_only=request.under_budget,
        weak_share=_WEAK_SHARE,
    )
    budget = request.max_tokens or limits.BLOCK_TOKENS_DEFAULT
    outcome = run_query(call, query, request.tier, request.detail, budget)
    tier, block = render_prompt(outcome, PromptOptions(tier=request.tier, detail=request.detail, budget_tokens=budget))
    delivery = Delivery(
        principal=call.principal.id,
        channel=call.channel,
        verb="inject",
        results=outcome.results,
        injected=block.keys,
        tier=tier,
        tokens=block.tokens,
    )
    log_recall(call.instance.recall_log, outcome, delivery)
    notes = note_block(outcome.notes, len(outcome.results), block, budget)
    return InjectAnswer(
        block=block.text,
        recall_id=outcome.id,
        injected=list(block.ids),
        tier=tier,
        tokens=block.tokens,
        notes=[note.text for note in notes],
        note_codes=[note.code.value for note in notes],
        messages=_place_block(said, block.text),
    )


def _last_user(chat: Sequence[ChatMessage]) -> int:
    """The index of the last user message; the end, where there is none."""
    indexes = [index for index, message in enumerate(chat) if message.role == "user"]
    return indexes[-1] if indexes else len(chat)


def _place_block(chat: Sequence[ChatMessage], block: str) -> list[ChatMessage]:
    """The chat with the block before its last user message. It speaks as the user does: no more is it to be obeyed."""
    if not block:
        return list(chat)
    last = _last_user(chat)
    return [*chat[:last], ChatMessage(role="user", content=block), *chat[last:]] if chat else []


# At the start of a task


_FOR_ANOTHER = Action("memory.context_for with agent", Effect.READ, Audience.PEOPLE)
_SESSION_START = "the start of a session"
_STANDING = [Kind(kind) for kind in LASTING]
_OTHERS = [kind for kind in Kind if kind not in _STANDING]


class ContextForRequest(Request):
    task: Annotated[
        str | None, Meta(description="What is to be done; left out, a session only begins."), Mark.PROSE
    ] = None
    project: Annotated[str | None, Meta(description="The project it is in; left out, the caller's own.")] = None
    repo: Annotated[str | None, Meta(description="The repository it is in; left out, the caller's own.")] = None
    agent: Annotated[
        str | None, Meta(description="Who will do it: for a person, any agent; an agent can only name itself.")
    ] = None
    limit: InjectLimit = limits.INJECTED_MAX
    max_tokens: BlockTokens = None
    detail: Detail = "L2"


@capability(
    "memory.context_for",
    Effect.READ,
    group=Group.PROMPT,
    tool=EverydayTool(
        "Call first, when a task or session begins: the profile, decisions, conventions, lessons and facts that fit, "
        "as one block.",
        {"task": "What is to be done", "project": "", "max_tokens": ""},
        rank=1,
        name="memory_context",
    ),
    examples=(
        'heldtrue --project shop context-for --task "move the shop to the new server"',
        "heldtrue context-for --only-agent codex",
    ),
)
def context_for(call: Call, request: ContextForRequest) -> ContextBundle:
    """What to know before a task: profile, decisions, conventions, lessons, and what fits, each with its sources.

    Only the global scope, the project, the repository, the session, teams and the agent's own scope are looked at,
    and only as far as the agent may see them. Half of the places are for what always counts, ranked by confidence,
    freshness and use, and half for what fits the task; what one side leaves free, the other takes. Without a task,
    the best of all else takes what is left free.
    """
    acting = _act_for(call, request.project, request.repo, request.agent)
    scopes = _scopes_around(acting)
    budget = request.max_tokens or limits.BLOCK_TOKENS_DEFAULT
    query = RecallQuery(
        context=request.task or _SESSION_START, limit=request.limit, scopes=scopes, weak_share=_WEAK_SHARE
    )
    outcome = _recall_task(acting, request.task, query, request.detail, budget)
    standing = _find_best(acting, request.limit, scopes, _STANDING)
    if request.task is not None:
        always, fitting = share_context(standing, outcome.results, request.limit)
    else:
        # A session begins: what always counts comes first, and the best of all else fills what it leaves free.
        others = _find_best(acting, request.limit, scopes, _OTHERS)
        always, fitting = list(standing), list(others[: max(0, request.limit - len(standing))])
    chosen = take_turns(always, fitting)
    entries = [make_entry(result, lasting=lasting) for result, lasting in chosen]
    options = PromptOptions(detail=request.detail, budget_tokens=budget)
    tier, block = render_entries(outcome, entries, options)
    results = [result for result, _ in chosen]
    delivery = Delivery(
        principal=call.principal.id,
        channel=call.channel,
        verb="context_for",
        results=results,
        injected=block.keys,
        tier=tier,
        uncounted={result.key for result in results} - {result.key for result in outcome.results},
        tokens=block.tokens,
    )
    log_recall(call.instance.recall_log, outcome, delivery)
    notes = note_block(outcome.notes, len(results), block, budget)
    return _bundle(
        msgspec.structs.replace(outcome, results=tuple(results), notes=tuple(notes)), request.task, scopes, block
    )


def _recall_task(call: Call, task: str | None, query: RecallQuery, *marks: object) -> RecallOutcome:
    """What fits a task; nothing where there is none, with what the log needs all the same."""
    if task is not None:
        return run_query(call, query, *marks)
    with call.instance.store.read() as reading:
        return recall_nothing(reading, query, make_standpoint(call, reading, query, *marks))


def _find_best(call: Call, limit: int, scopes: list[str], kinds: list[Kind]) -> tuple[Result, ...]:
    """The best of some kinds, whatever is asked: chosen by the filters and the profile, not by words."""
    query = RecallQuery(context="", profile="rank", limit=limit, scopes=scopes, kinds=kinds)
    instance = call.instance
    with instance.store.read() as reading:
        standpoint = make_standpoint(call, reading, query)
        return find_best_of_scope(reading, query, standpoint, instance.tools(), instance.settings)


def _act_for(call: Call, project: str | None, repo: str | None, agent: str | None) -> Call:
    """The call as the one who will do the task would make it: its sight, and no more."""
    principal = call.principal
    if agent is not None:
        principal = _agent_named(call, agent)
    changed = {"project": project or call.project or principal.own_project, "repo": repo or call.repo}
    return msgspec.structs.replace(call, principal=principal, **changed)


def _agent_named(call: Call, agent: str) -> Principal:
    caller = call.principal
    with call.instance.store.read() as reading:
        named = find_local(reading, agent.removeprefix("agent:"))
    if named.id == caller.id:
        return caller
    if not is_allowed(caller, _FOR_ANOTHER):
        raise NotAllowed(
            f"{caller.id} may not see what {named.id} sees", field="agent", hint="leave it out, or name yourself"
        )
    return named


def _scopes_around(call: Call) -> list[str]:
    """Where the context of a task may be from."""
    named = [("project", call.project), ("repo", call.repo), ("session", call.session)]
    scopes = [GLOBAL, *(parse_scope(f"{kind}:{name}", field=kind) for kind, name in named if name)]
    with call.instance.store.read() as reading:
        shelves = reading.index.shelves((Collection.MEMORY,), Sight(reader=call.reader))
    teams = sorted({shelf.scope for shelf in shelves if shelf.scope.startswith("team:")})
    scopes += [team for team in teams if call.may_see(team)]
    if not call.principal.is_person:
        scopes.append(f"agent:{call.principal.name}")
    for scope in scopes:
        require(call.principal, READ, ScopeResource(scope, scope.partition(":")[0]))
    return scopes


_PARTS = {
    Kind.PROFILE: "profile",
    Kind.PREFERENCE: "profile",
    Kind.DECISION: "decisions",
    Kind.CONVENTION: "conventions",
    Kind.LESSON: "conventions",
    Kind.PATTERN: "conventions",
    Kind.EPISODE: "episodes",
}
"""Where memories of a kind stand in a bundle; all others are facts."""


def _bundle(outcome: RecallOutcome, task: str | None, scopes: list[str], block: Block) -> ContextBundle:
    parts: dict[str, list[RecallResult]] = {name: [] for name in (*_PARTS.values(), "facts", "evidence")}
    for result in outcome.results:
        part = "evidence" if result.memory is None else _PARTS.get(Kind(result.memory.kind), "facts")
        parts[part].append(view_result(result, outcome.space, outcome.now))
    return ContextBundle(
        recall_id=outcome.id,
        task=task,
        scopes=scopes,
        citations=[citation for result in outcome.results for citation in _cite(result)],
        block=block.text,
        injected=list(block.ids),
        tokens=block.tokens,
        notes=[note.text for note in outcome.notes],
        note_codes=[note.code.value for note in outcome.notes],
        **parts,
    )


def _cite(result: Result) -> list[Citation]:
    """Every source of a result, each once."""
    memory, passage = result.memory, result.passage
    if memory is None:
        assert passage is not None
        return [
            Citation(
                id=passage.source_id,
                source=passage.source_id,
                kind=passage.kind,
                reference=passage.reference,
                author=passage.author,
            )
        ]
    sources = {source.id: source for _, source in result.evidence}
    cited = [
        Citation(
            id=memory.memory_id, source=source.id, kind=source.kind, reference=source.reference, author=source.author
        )
        for source in sources.values()
    ]
    return cited or [Citation(id=memory.memory_id, source=None, kind="none", reference=None, author=memory.author)]
