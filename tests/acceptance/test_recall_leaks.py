"""Scope and status never leak: not as a text, not as a word, not as a score. Every hidden thing has a canary in it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from heldtrue import HeldtrueError, ManualClock, Memory
from heldtrue.domain.principal import OWNER, Principal, new_agent
from heldtrue.recall.index.embedding import keep_vectors
from tests.acceptance.homes import MakeHome, times

EVERYWHERE: list[Any] = ["memory", "items", "sessions", "sources"]
SCOPES = ("global", "project:a", "project:b", "team:t", "agent:x", "agent:y", "session:s")
STATUSES = ("active", "inbox", "rejected", "retracted", "superseded")
ELSEWHERE = "no match in your own scopes"
SHARED = "lantern harbour"
"""Words that everything says, so that everything would be found by them."""


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """Something that was written, and who may ever be shown it."""

    canary: str
    sort: str
    scope: str
    author: str
    private: bool
    status: str = "active"
    id: str = ""

    def is_foreign_to(self, principal: Principal) -> bool:
        """Whether that caller may never see it, by any way of asking."""
        private = self.private and not principal.is_person and principal.id != self.author
        return private or not principal.sight.reaches(self.scope)

    def is_around(self, scopes: tuple[str, ...] | None) -> bool:
        return scopes is None or self.scope in scopes


def make_canaries(chance: random.Random) -> Iterator[str]:
    """Words that nobody would use, none of them a typing mistake of another."""
    seen: set[str] = set()
    while True:
        syllables = [chance.choice("bdfgklmnprstvz") + chance.choice("aeiou") for _ in range(3)]
        stem = "".join(syllables)
        if stem not in seen:
            seen.add(stem)
            yield f"{stem}qux{stem[::-1]}ow"


class Space:
    """A home with many callers, each of whom may see something else."""

    def __init__(self, home: Memory, clock: ManualClock, seed: int) -> None:
        self.owner, self.clock = home, clock
        self.chance = random.Random(seed)
        self.canaries = make_canaries(self.chance)
        instance = home._call.instance
        self.callers = {
            "owner": home,
            "owner in a": Memory.over(instance, project="a"),
            "x in a": Memory.over(instance, agent="x", project="a"),
            "x in a and s": Memory.over(instance, agent="x", project="a", session="s"),
            "y in b": Memory.over(instance, agent="y", project="b"),
            "z": Memory.over(instance, agent="z"),
        }
        self.writers = {OWNER.id: home} | {f"agent:{name}": home.as_agent(name) for name in ("x", "y", "z")}
        self.items: list[Item] = []

    def visible(self, caller: Memory) -> list[Item]:
        return [item for item in self.items if not item.is_foreign_to(caller._call.principal)]

    def foreign(self, caller: Memory) -> set[str]:
        return {item.canary for item in self.items if item.is_foreign_to(caller._call.principal)}

    # Writing

    def fill(self, count: int) -> None:
        for _ in range(count):
            self.write_one()
            self.clock.advance(hours=1)

    def write_one(self) -> None:
        scope = self.chance.choice(SCOPES)
        author = self.chance.choice([writer for writer in self.writers if may_write(writer, scope)])
        private = self.chance.random() < 0.3
        sort = self.chance.choice(("memory", "memory", "memory", "document", "conversation"))
        place = {"scope": scope, "visibility": "private" if private else "local"}
        told = Item(canary=next(self.canaries), sort=sort, scope=scope, author=author, private=private)
        if sort == "memory":
            self.learn(told, place)
        else:
            self.capture(told, place)

    def learn(self, item: Item, fields: dict[str, Any]) -> None:
        writer, status = self.writers[item.author], self.chance.choice(STATUSES)
        if item.author == OWNER.id and status in ("inbox", "rejected"):
            status = "active"
        spy = next(self.canaries)
        given = fields | ({"kind": "profile"} if status in ("inbox", "rejected") else {})
        if status != "superseded":  # what replaces it keeps its topic
            given["topic"] = item.canary
        if status != "inbox":  # what waits rests on evidence that may be found as such
            given |= {"source": f"notes/{item.canary}.md", "source_text": sentence(item.canary, spy)}
        learned = writer.learn(sentence(item.canary), **given)
        if learned.outcome != "created" and learned.memory.status != "inbox":
            raise AssertionError(f"{item} came to {learned.outcome}: {learned.reason}")
        ref = learned.memory.id
        if status == "rejected":
            self.owner.reject(ref, reason="not so")
        elif status == "retracted":
            self.owner.forget(ref, reason="not so")
        elif status == "superseded":
            better = next(self.canaries)
            new = self.owner.correct(ref, sentence(better), reason="not so").memory
            # What replaces a private memory is the owner's word; whose it is to see follows from the record.
            replaced = msgspec.structs.replace(item, canary=better, author=new.agent, id=new.id)
            self.items.append(msgspec.structs.replace(replaced, private=new.visibility == "private", scope=new.scope))
        now = self.owner.get(ref).memory.status
        self.items += [
            msgspec.structs.replace(item, status=now, id=ref),
            msgspec.structs.replace(item, canary=spy, status=now, sort="source of a memory"),
        ]

    def capture(self, item: Item, fields: dict[str, Any]) -> None:
        writer = self.writers[item.author]
        title = next(self.canaries)
        if item.sort == "document":
            kept = writer.capture(sentence(item.canary), title=f"Notes about {title}", **fields)
        else:
            turns = [
                {"name": f"Speaker {title}", "content": sentence(item.canary)},
                {"content": f"Is that so? The {SHARED} again?"},
                {"name": f"Speaker {title}", "content": f"Yes, by the {item.canary}."},
            ]
            kept = writer.capture(messages=turns, thread=f"talk of {title}", **fields)
        status = "active"
        if self.chance.random() < 0.25:
            status = "quarantined"
            for source in kept.sources:
                self.owner.quarantine(source, reason="not so")
        self.items += [
            msgspec.structs.replace(item, status=status),
            msgspec.structs.replace(item, canary=title, status=status, sort=f"title of a {item.sort}"),
        ]

    def tie(self) -> None:
        """Link memories with one another, wherever they are."""
        memories = [item for item in self.items if item.id and item.status == "active"]
        for memory in memories:
            other = self.chance.choice(memories)
            if other.id != memory.id:
                self.owner.link(
                    memory.id, other.id, self.chance.choice(("related_to", "supports")), reason=memory.canary
                )
        for name, caller in self.callers.items():
            caller.save_view(f"view of {name}", f"the {SHARED}", arguments={"within": EVERYWHERE, "limit": 100})


def sentence(*canaries: str) -> str:
    return (
        f"{canaries[0].capitalize()} keeps the {SHARED} "
        + " ".join(f"beside {canary}" for canary in canaries[1:])
        + "."
    )


def may_write(author: str, scope: str) -> bool:
    if author == OWNER.id:
        return True
    return new_agent(author.removeprefix("agent:")).sight.reaches(scope)


def text_of(answer: object) -> str:
    return msgspec.json.encode(answer).decode().lower()


def leaked(answer: object, canaries: set[str]) -> set[str]:
    text = text_of(answer)
    return {canary for canary in canaries if canary in text}


MODELS = ("auto", "none")


@pytest.fixture(params=MODELS, ids=["with vectors", "by words"])
def home(request: pytest.FixtureRequest, make_home: MakeHome, clock: ManualClock) -> Iterator[Memory]:
    settings = f'[recall]\nvector_model = "{request.param}"\nfloor = 0.0\n'
    with Memory.open(make_home(settings=settings), clock=clock) as memory:
        yield memory


# What may be shown

READS: dict[str, Callable[[Memory, Space], object]] = {
    "recall": lambda view, space: view.recall(SHARED, within=EVERYWHERE, around=5, limit=100, per_source=100),
    "recall by another profile": lambda view, space: view.recall(SHARED, profile="dual", within=EVERYWHERE, limit=100),
    "recall what is certain": lambda view, space: view.recall(SHARED, min_confidence=0.1, limit=100),
    "recall as of then": lambda view, space: view.recall(SHARED, within=EVERYWHERE, as_of="#20", limit=100, around=5),
    "recall what held": lambda view, space: view.recall(SHARED, within=EVERYWHERE, valid_at="now", limit=100),
    "inject": lambda view, space: view.inject(SHARED, within=EVERYWHERE),
    "inject summaries": lambda view, space: view.inject(SHARED, tier="summaries"),
    "context": lambda view, space: view.context_for(task=SHARED),
    "context without a task": lambda view, space: view.context_for(),
    "views": lambda view, space: view.views(),
    "list": lambda view, space: view.list(limit=1_000),
    "list of every status": lambda view, space: view.list(
        statuses=["inbox", "active", "superseded", "contradicted", "rejected", "retracted", "archived"], limit=1_000
    ),
    "inbox": lambda view, space: view.inbox(limit=1_000),
    "conflicts": lambda view, space: view.conflicts(settled=True),
    "diff": lambda view, space: view.diff("2000-01-01", limit=1_000),
    "status": lambda view, space: view.status(),
    "recalls": lambda view, space: view.recalls(),
}


@pytest.mark.covers("C13", "C14", "B11", "C11")
@pytest.mark.parametrize("seed", range(times(2)))
def test_nobody_is_ever_shown_what_is_not_theirs_to_see(home: Memory, clock: ManualClock, seed: int) -> None:
    space = Space(home, clock, seed)
    space.fill(55)
    space.tie()
    assert all(space.foreign(caller) for name, caller in space.callers.items() if not name.startswith("owner"))
    for upkeep in (lambda: None, home.maintain, home.reindex):
        upkeep()
        # In turns, so that each finds the caches as another has left them.
        for name, caller in sorted(space.callers.items(), key=lambda _: space.chance.random()):
            foreign = space.foreign(caller)
            for read, ask in READS.items():
                assert leaked(ask(caller, space), foreign) == set(), f"{name} by {read}"
            check_single_reads(space, name, caller, foreign)


def check_single_reads(space: Space, name: str, caller: Memory, foreign: set[str]) -> None:
    """What is shown of one thing that the caller may see, and that nothing else is shown at all."""
    answer = caller.recall(SHARED, within=EVERYWHERE, limit=100, per_source=100)
    seen = [result.memory.id for result in answer.results if result.memory]
    assert leaked(caller.why(answer.recall_id), foreign) == set(), name
    for ref in space.chance.sample(seen, k=min(3, len(seen))):
        for read in (caller.get, caller.history, caller.explain, caller.expand):
            assert leaked(read(ref), foreign) == set(), name
        assert leaked(caller.recall(SHARED, near=[ref], within=EVERYWHERE, limit=100), foreign) == set(), name
    sources = [result.passage.source_id for result in answer.results if result.passage]
    for source in space.chance.sample(sources, k=min(3, len(sources))):
        assert leaked(caller.expand(source, around=10), foreign) == set(), name
    for view in caller.views().items:
        assert leaked(caller.view(view.name, author=view.author), foreign) == set(), name
    hidden = [item for item in space.items if item.id and item.is_foreign_to(caller._call.principal)]
    for item in space.chance.sample(hidden, k=min(3, len(hidden))):
        for read in (caller.get, caller.history, caller.explain, caller.expand):
            with pytest.raises(HeldtrueError) as refused:
                read(item.id)
            assert item.canary not in str(refused.value).lower()
        with pytest.raises(HeldtrueError):
            caller.recall(SHARED, near=[item.id])
        if not caller._call.principal.sight.reaches(item.scope):
            with pytest.raises(HeldtrueError):
                caller.recall(SHARED, scopes=[item.scope])


@pytest.mark.covers("C13", "C14", "A5", "B21", "B12")
@pytest.mark.parametrize("seed", range(times(2)))
def test_a_recall_gives_all_that_is_active_around_its_caller_and_nothing_else(
    home: Memory, clock: ManualClock, seed: int
) -> None:
    space = Space(home, clock, 100 + seed)
    space.fill(50)
    for upkeep in (lambda: None, home.maintain):
        upkeep()
        for name, caller in space.callers.items():
            around = caller._call.visible_scopes(None)
            told = {item for item in space.visible(caller) if item.sort in ("memory", "document", "conversation")}
            wanted = {item.canary for item in told if item.status == "active" and item.is_around(around)}
            answer = caller.recall(SHARED, within=EVERYWHERE, limit=100, per_source=100)
            found = {
                item.canary
                for item in space.items
                if item.canary in text_of([told_of(result) for result in answer.results])
            }
            assert wanted <= found, f"{name} is told of everything that is theirs"
            hidden = {item.canary for item in space.items if item.status != "active"}
            assert leaked(answer, hidden - wanted) == set(), f"{name} is told of nothing that does not count"
            if not any(ELSEWHERE in note for note in answer.notes):
                beyond = {item.canary for item in space.items if not item.is_around(around)}
                assert leaked(answer, beyond - wanted) == set(), f"{name} is told of nothing from elsewhere"
            block = caller.inject(SHARED, within=EVERYWHERE)
            assert leaked(block, hidden - wanted) == set()
            assert not wanted or leaked(block, wanted)
            for scope in (scope for scope in SCOPES if caller._call.principal.sight.reaches(scope)):
                own = caller.recall(SHARED, within=EVERYWHERE, scopes=[scope], limit=100, per_source=100)
                inside = {item.canary for item in told if item.status == "active" and item.scope == scope}
                assert leaked(own, inside) == inside
                assert leaked(own, {item.canary for item in space.items} - inside_of(space, scope)) == set()


def told_of(result: Any) -> tuple[str, ...]:
    return (result.memory.content,) if result.memory else (result.passage.text,)


def inside_of(space: Space, scope: str) -> set[str]:
    return {item.canary for item in space.items if item.scope == scope}


# Words


@pytest.mark.covers("C13", "C14", "B12")
@pytest.mark.parametrize("seed", range(times(2)))
def test_asking_for_a_word_does_not_tell_whether_somebody_else_uses_it(
    home: Memory, clock: ManualClock, seed: int
) -> None:
    space = Space(home, clock, 200 + seed)
    space.fill(40)
    memories = [item for item in space.items if item.sort == "memory"]
    for upkeep in (lambda: None, home.maintain):
        upkeep()
        for name, caller in space.callers.items():
            around = caller._call.visible_scopes(None)
            for item in space.chance.sample(memories, k=min(8, len(memories))):
                is_own = not item.is_foreign_to(caller._call.principal) and item.is_around(around)
                for typed in (item.canary, mistype(item.canary, space.chance)):
                    answer = caller.recall(typed, within=EVERYWHERE, elsewhere=False)
                    assert bool(leaked(answer.results, {item.canary})) == (is_own and item.status == "active"), name
                    if typed != item.canary and not (is_own and item.status == "active"):
                        assert leaked(answer, {item.canary}) == set(), f"{name} is not told how it is spelled"


@pytest.mark.covers("C13", "B12")
def test_a_word_that_only_others_use_is_like_one_that_nobody_uses(make_home: MakeHome, clock: ManualClock) -> None:
    with Memory.open(make_home(settings='[recall]\nvector_model = "none"\n'), clock=clock) as home:
        space = Space(home, clock, 300)
        space.fill(40)
        for upkeep in (lambda: None, home.maintain):
            upkeep()
            for name, caller in space.callers.items():
                foreign = sorted(space.foreign(caller))
                unused = next(space.canaries)
                strange = caller.recall(f"{unused} {SHARED}", within=EVERYWHERE, limit=100)
                for canary in space.chance.sample(foreign, k=min(6, len(foreign))):
                    answer = caller.recall(f"{canary} {SHARED}", within=EVERYWHERE, limit=100)
                    assert answer.results == strange.results, name
                    assert [note.replace(canary, unused) for note in answer.notes] == strange.notes


def mistype(word: str, chance: random.Random) -> str:
    place = chance.randrange(2, len(word) - 2)
    return word[:place] + word[place + 1 :]


# What was taken out


HIDDEN_TURN = "The pass word is zanzibar, spoken by the gate."
TURNS = ["Good morning to you.", HIDDEN_TURN, "Fine, see you then.", "Until later."]


def hide(owner: Memory, way: str, source: str) -> None:
    if way == "quarantine":
        owner.quarantine(source, reason="overheard")
    else:
        owner.forget(owner.learn(HIDDEN_TURN).memory.id, reason="changed")


@pytest.mark.covers("C13", "C14", "A5")
@pytest.mark.parametrize("way", ["quarantine", "forget"])
def test_a_turn_that_was_taken_out_speaks_for_nobody_not_for_its_neighbours_either(home: Memory, way: str) -> None:
    kept = home.capture(messages=[{"content": turn} for turn in TURNS], thread="gate")
    home.capture(messages=[{"content": f"Turn {number} of another talk."} for number in range(4)], thread="other")
    question: dict[str, Any] = {"within": EVERYWHERE, "limit": 100}
    before = home.recall("zanzibar pass word", **question)
    assert {result.passage.text for result in before.results} >= {HIDDEN_TURN, TURNS[2]}, "its neighbours lean on it"
    hide(home, way, kept.sources[1])
    for upkeep in (lambda: None, home.maintain, home.reindex):
        upkeep()
        assert home.recall("zanzibar pass word", **question).results == []
        around = home.recall("fine, see you then", around=5, **question).results[0]
        assert [passage.text for passage in around.around] == [TURNS[0], TURNS[3]]
        assert "zanzibar" not in text_of(home.inject("zanzibar pass word", within=EVERYWHERE))
    told = home.why(before.recall_id)
    assert HIDDEN_TURN not in [result.content for result in told.results]
    assert TURNS[2] in [result.content for result in told.results]


@pytest.mark.covers("B24", "C13")
def test_a_memory_is_not_shown_with_evidence_that_was_taken_out(home: Memory) -> None:
    said = "The heron nests beside the weir."
    for name in ("x", "y"):
        home.as_agent(name).learn(said, source=f"{name}.md", source_text=f"{said} So says {name * 6}.")
    answer = home.recall("where does the heron nest")
    assert leaked(answer, {"xxxxxx", "yyyyyy"}) == {"xxxxxx", "yyyyyy"}
    forged = next(evidence.source_id for evidence in answer.results[0].evidence if "xxxxxx" in evidence.content)
    home.quarantine(forged, reason="forged")
    for caller in (home, home.as_agent("x"), home.as_agent("z")):
        assert leaked(caller.recall("where does the heron nest", within=EVERYWHERE), {"xxxxxx", "yyyyyy"}) == {"yyyyyy"}
        assert "xxxxxx" not in text_of(caller.inject("where does the heron nest", within=EVERYWHERE))


# Scores

NEUTRAL = (
    "the lantern of the harbour",
    "which boat had the blue sail?",
    "when did the ferry leave",
    "Mira and the nets",
)


def write_shared(memory: Memory, clock: ManualClock, number: int) -> None:
    """Something that the asker may see."""
    agent = Memory.over(memory._call.instance, agent="x", project="a")
    agent.learn(f"Boat b{number}x had the lantern of the harbour.", scope="global" if number % 2 else "project:a")
    turns = [
        {"name": "Mira", "content": f"Did boat b{number}x have the blue sail?"},
        {"name": "Oskar", "content": f"The ferry left the harbour at {number % 12} o'clock."},
        {"name": "Mira", "content": "Then mend the nets."},
    ]
    agent.capture(messages=turns, thread=f"quay {number % 3}", scope="project:a")
    agent.capture(f"The log of day d{number}y: lantern lit, nets dry.", title=f"Day {number}", scope="global")
    # A little more than an hour: what else is written may move a moment by microseconds, but never an age.
    clock.advance(hours=1, seconds=60)


def write_hidden(memory: Memory, number: int) -> None:
    """The same words where the asker may not look: in other scopes, and private to others."""
    other = memory.as_agent("y")
    hidden: list[dict[str, Any]] = [{"scope": "agent:y"}]
    hidden += [{"scope": scope, "visibility": "private"} for scope in ("project:a", "global")]
    for fields in hidden:
        other.learn(f"Boat h{number}z had the lantern, the blue sail and the nets of the harbour ferry.", **fields)
        turns = [{"name": "Mira", "content": f"The ferry h{number}z left the harbour with the blue sail."}] * 3
        other.capture(messages=turns, thread=f"quay {number % 3}", **fields)
    memory.learn(f"Boat t{number}z had the lantern of the harbour.", scope="team:t")
    memory.capture(f"The nets of t{number}z: lantern, ferry, blue sail.", title=f"Day {number}", scope="project:b")


def told(caller: Memory, within: list[Any]) -> list[Any]:
    """Everything about an answer that another store could say alike."""
    answers = []
    for question in NEUTRAL:
        answer = caller.recall(question, within=within, limit=50, around=2, elsewhere=False)
        answers.append(
            [
                (
                    told_of(result), result.score, result.breakdown, result.explanation, result.matched_scope,
                    len(result.folded), [passage.text for passage in result.around], [tag.tag for tag in result.trust],
                )
                for result in answer.results
            ]
            + [answer.notes]
        )  # fmt: skip
    return answers


@pytest.mark.covers("C13", "C14", "B11", "C11")
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    "within", [["memory"], ["sessions"], ["sources"], EVERYWHERE], ids=lambda shelves: "+".join(shelves)
)
def test_scores_are_the_same_with_and_without_what_the_asker_may_not_see(
    make_home: MakeHome, model: str, within: list[str]
) -> None:
    answers: dict[bool, list[Any]] = {}
    for crowded in (False, True):
        clock = ManualClock(1_777_885_200_000_000)
        settings = f'[recall]\nvector_model = "{model}"\nfloor = 0.0\n'
        with Memory.open(make_home(settings=settings), clock=clock) as memory:
            asker = Memory.over(memory._call.instance, agent="x", project="a")
            answers[crowded] = []
            for number in range(12):
                write_shared(memory, clock, number)
                if crowded:
                    write_hidden(memory, number)
                    memory.recall(NEUTRAL[0], within=EVERYWHERE)
                if number == 7:
                    answers[crowded].append(told(asker, within))
                    memory.maintain()
            answers[crowded].append(told(asker, within))
            if model == "auto":
                keep_vectors(memory._call.instance.store, memory._call.instance.tools().embedder)  # type: ignore[arg-type]
            memory.maintain()
            answers[crowded].append(told(asker, within))
            assert not crowded or len(memory.recall("boat", within=EVERYWHERE, limit=100).results) > 20
    assert answers[True] == answers[False]
    assert all(any(len(part) > 1 for part in answer) for answer in answers[False])
