"""Memory for a prompt: a block to put before a message, and the context for a task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from heldtrue.access.identity import find_local, find_named
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

Detail = Annotated[Level, Meta(description="Detail of each entry: one line (L0), a summary (L1) or everything (L2).")]
BlockTokens = Annotated[
    Annotated[int, Meta(ge=1, le=limits.ANSWER_TOKENS_MAX)] | None,
    Meta(
        description="Maximum number of tokens of the whole block. "
        f"Default: {limits.BLOCK_TOKENS_DEFAULT:,}. Entries that do not fit are shortened, then dropped."
    ),
]
InjectLimit = Annotated[int, Meta(ge=1, le=limits.INJECTED_MAX, description="Maximum number of memories.")]
Tier = Annotated[
    Literal["auto", "summaries", "items"],
    Meta(
        description="What the block contains. `summaries`: summaries of up to three categories. `items`: the "
        "individual memories. `auto` (default): summaries if they cover all the items, otherwise the items."
    ),
]


class ChatMessage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One message of a chat."""

    role: str
    content: str


class InjectAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A block of recalled memory for a prompt; empty if there is no good match."""

    block: str
    recall_id: Id
    injected: list[Id]
    """The ids of the memories in the block, and of the sources of its passages."""
    tier: shapes.Tier
    """The tier that was used: summaries, items, or none."""
    tokens: int
    notes: list[str]
    note_codes: list[NoteName] = []
    """A code for each note, for programs; the texts may change."""
    messages: list[ChatMessage] = []
    """The given chat with the block inserted before its last user message. Earlier blocks are removed."""


class Citation(msgspec.Struct, frozen=True, kw_only=True):
    """A source of an entry in the bundle."""

    id: Id
    source: Id | None
    kind: str
    reference: str | None
    author: str


class ContextBundle(msgspec.Struct, frozen=True, kw_only=True):
    """The context for a task: general knowledge, knowledge relevant to the task, and the sources of both."""

    recall_id: Id
    task: str | None
    scopes: list[ScopeName]
    """The scopes that were searched."""
    profile: list[RecallResult]
    """Profile facts and preferences of the person the agent works for."""
    decisions: list[RecallResult]
    conventions: list[RecallResult]
    """Conventions, lessons and patterns."""
    facts: list[RecallResult]
    """Other memories relevant to the task."""
    episodes: list[RecallResult]
    """Past events relevant to the task."""
    evidence: list[RecallResult]
    """Captured passages relevant to the task."""
    citations: list[Citation]
    block: str
    """The whole bundle as text for a prompt, general knowledge first."""
    injected: list[Id]
    """The ids of the entries in the block."""
    tokens: int
    notes: list[str]
    note_codes: list[NoteName] = []
    """A code for each note, for programs; the texts may change."""


# Before a message


_WEAK_SHARE = 0.55
"""The minimum score for a prompt, as a share of the best score; it is higher than for a reader."""


class InjectRequest(Narrowed):
    context: Annotated[
        str, Meta(description="The user's message or question, in plain words."), Mark.PROSE, Mark.SENTENCE
    ]
    messages: Messages = None
    chat: Annotated[
        list[ChatMessage] | None,
        Meta(description="The chat so far (role and content of each message); the block is inserted into it."),
    ] = None
    limit: InjectLimit = limits.INJECTED_MAX
    max_tokens: BlockTokens = None
    under_budget: Annotated[
        bool, Meta(description="Return a faster result: at most five memories, found by keyword search only.")
    ] = False
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
    """Recall memories for a message, as a block of text to put before it in the prompt.

    The block marks its text as data, so no entry can be mistaken for an instruction or for the end of the block.
    Each entry has its id, kind, category, confidence, age and trust. Entries that rarely change come first, which
    keeps a model's prompt cache valid. The block is logged, so that `feedback` can report which entries were used.
    """
    chat = [message for message in request.chat or () if not message.content.startswith(PREAMBLE)]
    earlier = (
        request.messages if request.messages is not None else [message.content for message in chat[: _last_user(chat)]]
    )
    query = RecallQuery(
        context=request.context,
        messages=earlier or None,
        limit=min(request.limit, limits.INJECTED_UNDER_BUDGET_MAX) if request.under_budget else request.limit,
        topic=request.topic,
        scopes=request.scopes,
        kinds=request.kinds,
        trusted=request.trusted,
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
        messages=_insert_block(chat, block.text),
    )


def _last_user(chat: Sequence[ChatMessage]) -> int:
    """The index of the last user message, or the end if there is none."""
    indexes = [index for index, message in enumerate(chat) if message.role == "user"]
    return indexes[-1] if indexes else len(chat)


def _insert_block(chat: Sequence[ChatMessage], block: str) -> list[ChatMessage]:
    """Insert the block before the last user message, with the user role, so that it has no higher authority."""
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
    task: Annotated[str | None, Meta(description="The task. Leave it out at the start of a session."), Mark.PROSE] = (
        None
    )
    project: Annotated[str | None, Meta(description="The project of the task. Default: the caller's project.")] = None
    repo: Annotated[str | None, Meta(description="The repository of the task. Default: the caller's repository.")] = (
        None
    )
    agent: Annotated[
        str | None,
        Meta(description="The agent that will do the task. A person can specify any agent, an agent only itself."),
    ] = None
    limit: InjectLimit = limits.INJECTED_MAX
    max_tokens: BlockTokens = None
    detail: Detail = "L2"


@capability(
    "memory.context_for",
    Effect.READ,
    group=Group.PROMPT,
    tool=EverydayTool(
        "Call this first when a task or session begins. Returns the profile, decisions, conventions, lessons and "
        "facts relevant to the task, as one block.",
        {"task": "What you are about to do", "project": "", "max_tokens": ""},
        rank=1,
        name="memory_context",
    ),
    examples=(
        'heldtrue --project shop context-for --task "move the shop to the new server"',
        "heldtrue context-for --only-agent codex",
    ),
)
def context_for(call: Call, request: ContextForRequest) -> ContextBundle:
    """Return the context for a task: profile, decisions, conventions, lessons and relevant facts, with sources.

    It searches the global scope, the project, the repository, the session, teams and the agent's own scope, as far
    as the agent may see them. Half of the entries are general knowledge, ranked by confidence, recency and use. The
    other half are relevant to the task. If one half has too few entries, the other half gets more. Without a task,
    general knowledge comes first, and the highest-ranked other memories fill the rest.
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
        # A session begins: general knowledge comes first, and the best other memories fill the rest.
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
    """Recall for a task; without one, an empty outcome that can still be logged."""
    if task is not None:
        return run_query(call, query, *marks)
    with call.instance.store.read() as reading:
        return recall_nothing(reading, query, make_standpoint(call, reading, query, *marks))


def _find_best(call: Call, limit: int, scopes: list[str], kinds: list[Kind]) -> tuple[Result, ...]:
    """The best memories of some kinds, independent of the question: ranked by filters and profile, not by words."""
    query = RecallQuery(context="", profile="rank", limit=limit, scopes=scopes, kinds=kinds)
    instance = call.instance
    with instance.store.read() as reading:
        standpoint = make_standpoint(call, reading, query)
        return find_best_of_scope(reading, query, standpoint, instance.tools(), instance.settings)


def _act_for(call: Call, project: str | None, repo: str | None, agent: str | None) -> Call:
    """The call with the permissions of the agent that will do the task."""
    principal = call.principal
    if agent is not None:
        principal = _agent_named(call, agent)
    changed = {"project": project or call.project or principal.own_project, "repo": repo or call.repo}
    return msgspec.structs.replace(call, principal=principal, **changed)


def _agent_named(call: Call, agent: str) -> Principal:
    caller = call.principal
    with call.instance.store.read() as reading:
        named = (find_named if caller.is_person else find_local)(reading, agent.removeprefix("agent:"))
    if named.id == caller.id:
        return caller
    if not is_allowed(caller, _FOR_ANOTHER):
        raise NotAllowed(
            f"{caller.id} may not read the context of {named.id}",
            field="agent",
            hint="leave `agent` out, or specify your own name",
        )
    return named


def _scopes_around(call: Call) -> list[str]:
    """The scopes that the context of a task is taken from."""
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
"""The part of a bundle that each kind belongs to; all other kinds are facts."""


def _bundle(outcome: RecallOutcome, task: str | None, scopes: list[str], block: Block) -> ContextBundle:
    parts: dict[str, list[RecallResult]] = {name: [] for name in (*_PARTS.values(), "facts", "evidence")}
    for result in outcome.results:
        part = "evidence" if result.memory is None else _PARTS.get(Kind(result.memory.kind), "facts")
        parts[part].append(view_result(result, outcome.space, outcome.moment))
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
    """Every source of a result, listed once."""
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
