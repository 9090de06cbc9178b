"""Memory for a prompt: what to put before a message, and what to know at the start of a task."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import chain, zip_longest
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
    Asking,
    Messages,
    Narrowed,
    RecallAnswer,
    RecallResult,
    Within,
    ask_nothing,
    find,
    find_standing,
)
from heldtrue.capabilities.registry import capability
from heldtrue.capabilities.shapes import Id, ScopeName
from heldtrue.capabilities.views import MemoryView, PassageView
from heldtrue.domain import limits
from heldtrue.domain.action import READ, Action, Audience, Effect, ScopeResource
from heldtrue.domain.errors import NotAllowed
from heldtrue.domain.memory import Kind, Status, short_title
from heldtrue.domain.principal import Principal, Sight
from heldtrue.domain.scope import GLOBAL, parse_scope
from heldtrue.domain.times import from_datetime
from heldtrue.ports import Collection
from heldtrue.recall.render import (
    LASTING,
    PREAMBLE,
    Block,
    Entry,
    Level,
    name_tags,
    render_block,
    render_groups,
)
from heldtrue.recall.summaries import cover_question, summarise

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
    asking = Asking(
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
    answer, finish = find(call, asking, request.tier, request.detail, budget)
    entries = [entry_of(result) for result in answer.results]
    answered, block = _render_tier(
        answer,
        entries,
        request.tier,
        request.detail,
        question=answer.rewritten or request.context,
        now=call.now,
        budget_tokens=budget,
    )
    finish(answer, "inject", _name_entries(block), tier=answered, tokens=block.tokens)
    return InjectAnswer(
        block=block.text,
        recall_id=answer.recall_id,
        injected=list(block.ids),
        tier=answered,
        tokens=block.tokens,
        notes=_notes(answer, block, budget),
        messages=_place_block(said, block.text),
    )


def _render_tier(
    answer: RecallAnswer,
    entries: Sequence[Entry],
    tier: str,
    detail: Level,
    *,
    question: str,
    now: int,
    budget_tokens: int,
) -> tuple[str, Block]:
    """The block, and the tier it is from: summaries where they were asked for or are enough, else items."""
    if tier != "items":
        summaries = summarise(entries)
        if tier == "summaries" or cover_question(summaries, entries, question):
            groups = [(summary.subject, summary.entries) for summary in summaries]
            block = render_groups(groups, now=now, budget_tokens=budget_tokens, recall_id=answer.recall_id)
            return "summaries" if block.ids else "none", block
    block = render_block(entries, now=now, budget_tokens=budget_tokens, detail=detail, recall_id=answer.recall_id)
    return "items" if block.ids else "none", block


def _notes(answer: RecallAnswer, block: Block, budget: int) -> list[str]:
    notes = list(answer.notes)
    if not answer.results and not any("nothing good" in note for note in notes):
        notes.append("nothing good was found, so there is no block")
    elif answer.results and not block.ids:
        notes.append(f"what was found does not fit into {budget:,} tokens, so there is no block")
    elif left := len(answer.results) - len(block.entries):
        notes.append(f"{left} of {len(answer.results)} that were found are not in the block")
    if block.shortened:
        notes.append(f"{block.shortened} are shortened to fit into {budget:,} tokens")
    return notes


def _last_user(chat: Sequence[ChatMessage]) -> int:
    """The place of the last user message; the end, where there is none."""
    places = [place for place, message in enumerate(chat) if message.role == "user"]
    return places[-1] if places else len(chat)


def _place_block(chat: Sequence[ChatMessage], block: str) -> list[ChatMessage]:
    """The chat with the block before its last user message. It speaks as the user does: no more is it to be obeyed."""
    if not block:
        return list(chat)
    place = _last_user(chat)
    return [*chat[:place], ChatMessage(role="user", content=block), *chat[place:]] if chat else []


# Results as entries of a block


def entry_of(result: RecallResult, *, lasting: bool | None = None) -> Entry:
    """A result as it is put into a prompt; left open, its kind says whether it seldom changes."""
    tags = name_tags((tag.tag, tag.detail, tag.memory_id) for tag in result.trust)
    if result.memory is not None:
        since = result.since
        became = [f"since then {since.status if since.status != Status.ACTIVE else 'changed'}"] if since else []
        return memory_entry(result.memory, (*tags, *became), lasting)
    assert result.passage is not None
    return _passage_entry(result.passage, tags)


def memory_entry(memory: MemoryView, tags: tuple[str, ...], lasting: bool | None) -> Entry:
    """A memory as it is told; left open, its kind says whether it seldom changes."""
    return Entry(
        id=memory.id,
        kind=memory.kind,
        subject=memory.category or memory.topic,
        confidence=memory.confidence,
        observed_at=_moment(memory.observed_at),
        tags=tags,
        title=None if memory.title == short_title(memory.content) else memory.title,
        summary=memory.summary,
        text=memory.content,
        rationale=memory.rationale,
        lasting=memory.kind in LASTING if lasting is None else lasting,
    )


def _passage_entry(passage: PassageView, tags: tuple[str, ...]) -> Entry:
    return Entry(
        id=passage.source_id,
        kind=passage.kind,
        subject=passage.reference or passage.title or passage.thread,
        speaker=passage.speaker,
        passage=passage.number,
        observed_at=_moment(passage.occurred_at or passage.recorded_at),
        tags=tags,
        text=passage.text,
    )


def _name_entries(block: Block) -> list[str]:
    """What is in a block, passages told apart from others of their source."""
    return [one.id if one.passage is None else f"{one.id}#{one.passage}" for one in block.entries]


def _moment(iso: str) -> int:
    return from_datetime(datetime.fromisoformat(iso))


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
    asking = Asking(context=request.task or _SESSION_START, limit=request.limit, scopes=scopes, weak_share=_WEAK_SHARE)
    ask = find if request.task is not None else ask_nothing
    answer, finish = ask(acting, asking, request.detail, budget, caller=call)
    standing = find_standing(
        acting, Asking(context="", profile="rank", limit=request.limit, scopes=scopes, kinds=_STANDING)
    )
    if request.task is not None:
        always, fitting = _share_places(standing, answer.results, request.limit)
    else:
        # A session begins: what always counts comes first, and the best of all else fills the places it leaves.
        others = Asking(context="", profile="rank", limit=request.limit, scopes=scopes, kinds=_OTHERS)
        always, fitting = (
            standing[: request.limit],
            find_standing(acting, others)[: max(0, request.limit - len(standing))],
        )
    # Both in turn, so that a small budget leaves the best of each.
    turns = zip_longest(
        ((one, entry_of(one, lasting=False)) for one in fitting), ((one, entry_of(one, lasting=True)) for one in always)
    )
    chosen = [pair for pair in chain.from_iterable(turns) if pair is not None]
    results = [result for result, _ in chosen]
    entries = [entry for _, entry in chosen]
    block = render_block(entries, now=call.now, budget_tokens=budget, detail=request.detail, recall_id=answer.recall_id)
    given = msgspec.structs.replace(answer, results=results)
    asked_for = {_id_of(result) for result in answer.results}
    finish(
        given,
        "context_for",
        _name_entries(block),
        tier="items" if block.ids else "none",
        uncounted={_id_of(one) for one in results} - asked_for,
        tokens=block.tokens,
    )
    return _bundle(given, request.task, scopes, block, _notes(given, block, budget))


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
        shelves = reading.shelves((Collection.MEMORY,), Sight(reader=call.reader))
    teams = sorted({shelf.scope for shelf in shelves if shelf.scope.startswith("team:")})
    scopes += [team for team in teams if call.may_see(team)]
    if not call.principal.is_person:
        scopes.append(f"agent:{call.principal.name}")
    for scope in scopes:
        require(call.principal, READ, ScopeResource(scope, scope.partition(":")[0]))
    return scopes


def _share_places(
    standing: Sequence[RecallResult], found: Sequence[RecallResult], limit: int
) -> tuple[list[RecallResult], list[RecallResult]]:
    """What always counts, and what fits the task: half of the places each, and those that the other leaves free."""
    fitting = {_id_of(result): result for result in reversed(found)}
    always = list(standing[: (limit + 1) // 2])
    names = {_id_of(result) for result in always}
    others = [result for result in found if _id_of(result) not in names][: limit - len(always)]
    names |= {_id_of(result) for result in others}
    rest = [result for result in standing if _id_of(result) not in names]
    always += rest[: limit - len(always) - len(others)]
    # What does both is told with why it fits.
    return [fitting.get(_id_of(result), result) for result in always], others


def _id_of(result: RecallResult) -> str:
    if result.memory is not None:
        return result.memory.id
    assert result.passage is not None
    return f"{result.passage.source_id}#{result.passage.number}"


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


def _bundle(answer: RecallAnswer, task: str | None, scopes: list[str], block: Block, notes: list[str]) -> ContextBundle:
    parts: dict[str, list[RecallResult]] = {name: [] for name in (*_PARTS.values(), "facts", "evidence")}
    for result in answer.results:
        kind = result.memory.kind if result.memory is not None else None
        parts["evidence" if kind is None else _PARTS.get(Kind(kind), "facts")].append(result)
    return ContextBundle(
        recall_id=answer.recall_id,
        task=task,
        scopes=scopes,
        citations=[citation for result in answer.results for citation in _cite(result)],
        block=block.text,
        injected=list(block.ids),
        tokens=block.tokens,
        notes=notes,
        **parts,
    )


def _cite(result: RecallResult) -> list[Citation]:
    """Every source of a result, each once."""
    if result.passage is not None:
        one = result.passage
        return [
            Citation(id=one.source_id, source=one.source_id, kind=one.kind, reference=one.reference, author=one.author)
        ]
    assert result.memory is not None
    memory, sources = result.memory, {source.source_id: source for source in result.evidence}
    cited = [
        Citation(id=memory.id, source=one.source_id, kind=one.kind, reference=one.reference, author=one.author)
        for one in sources.values()
    ]
    return cited or [Citation(id=memory.id, source=None, kind="none", reference=None, author=memory.agent)]
