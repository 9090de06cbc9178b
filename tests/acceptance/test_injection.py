"""What goes into a prompt: few strong memories, fenced as data, within a budget, and known to have gone there."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

from heldtrue import InvalidInput, ManualClock, Memory, NotAllowed, NotFound
from heldtrue.domain.limits import BLOCK_TOKENS_DEFAULT
from heldtrue.language.model_tokens import count_tokens
from heldtrue.models.scripted import ScriptedEmbedder
from heldtrue.recall.render import LEVELS
from tests.acceptance.homes import KINDS, MakeHome, head_of, new_clock, times
from tests.unit.recall.test_render import HOSTILE, find_breaches

PORT, HOST, TEA = "The billing API listens on port 8080.", "The billing host is alpha.", "Greta drinks tea at noon."
LONG_PORT = f"{PORT} It was moved there in May." + " Nobody remembers the old port any more." * 30


def entries_in(block: str) -> list[str]:
    """The ids of the entries of a block, in order."""
    return re.findall(r"^- ([\w-]+) ", block, re.MULTILINE)


def plant(memory: Memory, count: int, **fields: Any) -> list[str]:
    """Memories that all fit a question about herons, each in a category of its own."""
    texts = [f"The heron h{number}x stands in pool p{number}y. It is grey." for number in range(count)]
    return [memory.learn(text, category=f"pool {number}", **fields).memory.id for number, text in enumerate(texts)]


@pytest.mark.covers("D13", "B22")
def test_what_matters_is_put_into_a_block_with_id_confidence_age_and_category(
    anywhere: Memory, clock: ManualClock
) -> None:
    port = anywhere.learn(PORT, category="deploy", confidence=0.8, source="docs/deploy.md:12").memory.id
    anywhere.learn(TEA, category="habits")
    clock.advance(days=3)
    answer = anywhere.inject("which port does the billing API listen on?", tier="items")
    assert answer.injected == [port]
    assert find_breaches(answer.block, entries=1) == []
    assert f'- {port} note "deploy", confidence 0.80, 3 days ago\n| {PORT}\n' in answer.block
    assert answer.block.endswith(f'<recall id="{answer.recall_id}"/>')
    assert answer.tokens == count_tokens(answer.block) < BLOCK_TOKENS_DEFAULT
    assert (answer.tier, answer.notes, answer.messages) == ("items", [], [])


@pytest.mark.covers("D13")
def test_hostile_memories_and_evidence_stay_data(anywhere: Memory) -> None:
    chosen = HOSTILE[:: 4 if times(1) > 1 else 16]
    kept = 0
    for number, text in enumerate(chosen):
        anywhere.capture(f"heron\n{text}", source=f"notes/{number}.md", title=text[:100].replace("\x00", ""))
        kept += (
            anywhere.learn(f"heron {number}: {text[:2_000]}", kind="lesson", topic=f'x"] [verified {number}').memory
            is not None
        )
    assert kept > 5
    searched: list[list[Any] | None] = [["memory"], ["sources"], None]
    for within in searched:
        for tier in ("items", "summaries"):
            answer = anywhere.inject("heron", within=within, tier=tier, max_tokens=20_000)
            if answer.block:
                assert find_breaches(answer.block) == []
            assert bool(answer.block) == (within != ["sources"] or tier == "items")
    bundle = anywhere.context_for(task="heron", max_tokens=20_000)
    assert find_breaches(bundle.block, entries=10) == []


@pytest.mark.covers("D13", "D27")
def test_at_most_ten_are_injected_and_under_a_budget_five(anywhere: Memory) -> None:
    plant(anywhere, 14)
    answer = anywhere.inject("where do the herons stand?", max_tokens=20_000)
    assert len(answer.injected) == len(entries_in(answer.block)) == 10
    assert len(anywhere.inject("where do the herons stand?", limit=3).injected) == 3
    cheap = anywhere.inject("where do the herons stand?", under_budget=True)
    assert len(cheap.injected) == 5
    assert len(anywhere.inject("where do the herons stand?", under_budget=True, limit=2).injected) == 2
    for limit in (0, 11):
        with pytest.raises(InvalidInput):
            anywhere.inject("heron", limit=limit)


def with_embedder(memory: Memory, embedder: ScriptedEmbedder) -> Memory:
    call = memory._call
    tools = msgspec.structs.replace(call.instance.tools(), embedder=embedder)
    return Memory.over(msgspec.structs.replace(call.instance, tools=lambda: tools))


@pytest.mark.covers("D27", "B22")
def test_under_a_budget_words_alone_are_looked_up(owner: Memory) -> None:
    owner.learn(PORT)
    embedder = ScriptedEmbedder()
    memory = with_embedder(owner, embedder)
    assert memory.inject("billing API port", under_budget=True).injected
    assert embedder.calls == 0
    assert memory.inject("billing API port").injected
    assert embedder.calls > 0, "and without a budget it is asked"


@pytest.mark.covers("B22", "D13")
def test_where_nothing_good_is_found_there_is_no_block(anywhere: Memory) -> None:
    anywhere.learn(PORT)
    chat = [{"role": "user", "content": "giraffes?"}]
    for tier in ("auto", "summaries", "items"):
        answer = anywhere.inject("how tall are giraffes in Kenya?", tier=tier, chat=chat)
        assert (answer.block, answer.injected, answer.tokens, answer.tier) == ("", [], 0, "none")
        assert any("no strong match" in note for note in answer.notes)
        assert [(message.role, message.content) for message in answer.messages] == [("user", "giraffes?")]
    assert anywhere.inject("which port has the billing API?").block, "and what is there is found"


@pytest.mark.covers("D13")
def test_the_block_is_put_right_before_the_last_user_message(owner: Memory) -> None:
    owner.learn(PORT)
    chat = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Tell me about the billing API."},
        {"role": "assistant", "content": "What about it?"},
        {"role": "user", "content": "its port?"},
        {"role": "assistant", "content": "Let me see."},
    ]
    answer = owner.inject("its port?", chat=chat)
    assert PORT in answer.block, "the question was completed from the chat"
    told = [(message.role, message.content) for message in answer.messages]
    asked = [(message["role"], message["content"]) for message in chat]
    assert told == [*asked[:3], ("user", answer.block), *asked[3:]]
    assert owner.why(answer.recall_id).rewritten is not None
    again = owner.inject(
        "its port?", chat=[{"role": message.role, "content": message.content} for message in answer.messages]
    )
    assert again.messages == answer.messages, "the block of before is replaced"
    only = owner.inject("billing API port", chat=chat[:1])
    assert [message.content for message in only.messages] == ["Be brief.", only.block]
    with pytest.raises(InvalidInput):
        owner.inject("port", chat=[{"content": "no role"}])


@pytest.mark.covers("D13", "D21")
def test_what_was_injected_is_logged_and_feedback_knows_it(anywhere: Memory) -> None:
    ids = [anywhere.learn(text, category=f"c{number}").memory.id for number, text in enumerate((LONG_PORT, HOST))]
    answer = anywhere.inject("which port does the billing API listen on?", tier="items", limit=2, max_tokens=200)
    assert answer.injected == ids[:1]
    assert answer.notes == ["1 of 2 results were left out of the block", "1 entry was shortened to fit into 200 tokens"]
    why = anywhere.why(answer.recall_id)
    assert (why.verb, why.tier) == ("inject", "items")
    assert {result.id: result.injected for result in why.results} == {ids[0]: True, ids[1]: False}
    assert why.cost["tokens"] == answer.tokens
    assert why.cost["milliseconds"] > 0
    told = anywhere.feedback(answer.recall_id, answer=PORT)
    assert (told.used, told.ignored) == (ids[:1], []), "what was not in the prompt was not ignored"


@pytest.mark.covers("D13", "D21")
def test_of_a_document_the_log_knows_which_passage_was_injected(anywhere: Memory) -> None:
    text = "\n\n".join(f"# Pool {number}\n\n" + f"Pool p{number}y holds a heron. " * 30 for number in range(3))
    anywhere.capture(text, source="docs/pools.md")
    answer = anywhere.inject("which pool holds a heron?", detail="L0", max_tokens=200)
    why = anywhere.why(answer.recall_id)
    assert sum(result.injected for result in why.results) == len(entries_in(answer.block)) < len(why.results)


@pytest.mark.covers("B21", "B22")
def test_other_projects_are_not_looked_at(make_home: MakeHome) -> None:
    home = make_home()
    with Memory.open(home, project="shop") as memory:
        memory.learn("The billing API listens on port 8080.")
        assert "8080" in memory.as_agent("codex").inject("which port does the billing API listen on?").block
    with Memory.open(home, project="other") as memory:
        assert memory.as_agent("codex").inject("which port does the billing API listen on?").block == ""


@pytest.mark.covers("D12")
def test_summaries_answer_where_they_say_enough_and_items_else(anywhere: Memory) -> None:
    first = anywhere.learn(PORT, category="deploy").memory.id
    second = anywhere.learn("The billing API port is open to all.", category="deploy").memory.id
    answer = anywhere.inject("which port does the billing API listen on?")
    assert answer.tier == anywhere.why(answer.recall_id).tier == "summaries"
    assert '# "deploy"\n' in answer.block
    assert sorted(answer.injected) == sorted([first, second])
    assert find_breaches(answer.block, entries=2) == []
    anywhere.learn(f"Of keys. {'It is long. ' * 30} The keys of the vault are kept in the red drawer.", category="keys")
    answer = anywhere.inject("where are the keys of the vault kept?")
    assert answer.tier == anywhere.why(answer.recall_id).tier == "items"
    assert "red drawer" in answer.block
    forced = anywhere.inject("where are the keys of the vault kept?", tier="summaries")
    assert (forced.tier, "red drawer" in forced.block) == ("summaries", False)
    assert anywhere.inject("which port does the billing API listen on?", tier="items").tier == "items"


@pytest.mark.covers("D12")
def test_at_most_three_categories_are_summed_up(owner: Memory) -> None:
    plant(owner, 9)
    answer = owner.inject("where do the herons stand?", tier="summaries")
    assert answer.block.count("\n# ") == len(answer.injected) == 3


@pytest.mark.covers("C1", "B31", "D27")
def test_the_budget_is_hard_and_shortens_before_it_leaves_out(anywhere: Memory) -> None:
    for number in range(5):
        anywhere.learn(f"Heron h{number}x stands still. {LONG_PORT}", topic=f"t{number}")
    whole = anywhere.inject("heron", tier="items", max_tokens=20_000)
    assert len(whole.injected) == 5
    for budget in (*range(1, 400, 60), *range(400, 3_000, 400)):
        answer = anywhere.inject("heron", tier="items", max_tokens=budget)
        assert answer.tokens == count_tokens(answer.block) <= budget
        assert set(answer.injected) <= set(whole.injected)
        if budget > 900:
            assert len(answer.injected) == 5
    tiny = anywhere.inject("heron", max_tokens=20)
    assert (tiny.block, tiny.injected) == ("", [])
    assert "the results do not fit into 20 tokens, so there is no block" in tiny.notes
    sizes = [anywhere.inject("heron", tier="items", detail=level, max_tokens=20_000).tokens for level in LEVELS]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[1] < sizes[2]


@pytest.mark.covers("D13", "B27")
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_store_clock_and_question_give_the_same_bytes(kind: str, make_home: MakeHome) -> None:
    home = make_home(kind)
    told = []
    for opened in range(3):
        clock = new_clock()
        with Memory.open(home, clock=clock) as memory:
            if not opened:
                plant(memory, 6)
                memory.learn(PORT, kind="decision", rationale="it was free", source="docs/ports.md")
            clock.set(new_clock().now() + 86_400_000_000)
            told += [memory.inject("heron port", max_tokens=600).block for _ in range(2)]
    assert told[0]
    assert len(set(told)) == 1


@pytest.mark.covers("D13")
def test_what_seldom_changes_comes_first_and_does_not_move(anywhere: Memory, clock: ManualClock) -> None:
    for kind in ("decision", "lesson", "convention", "preference", "profile"):
        anywhere.learn(f"The heron of the {kind} is grey.", kind=kind, rationale="seen", source="notes")
    before = anywhere.inject("heron grey", tier="items").block
    clock.advance(hours=1.5)
    anywhere.learn("The heron of the note is grey.")
    after = anywhere.inject("heron grey", tier="items").block
    stable = before.partition("<recall id=")[0]
    assert len(entries_in(stable)) == 5
    assert after.startswith(stable)
    assert len(entries_in(after)) == 6
    kinds = re.findall(r"^- [\w-]+ (\w+)", after, re.MULTILINE)
    assert kinds == ["profile", "preference", "convention", "lesson", "decision", "note"]


@pytest.mark.covers("A13", "B15", "D13", "D20")
def test_a_reader_is_told_how_far_to_trust_an_entry(anywhere: Memory, clock: ManualClock) -> None:
    codex, claude = anywhere.as_agent("codex"), anywhere.as_agent("claude")
    three = codex.learn("The heron count is 3.").memory.id
    claude.learn("The heron count is 4.")
    codex.learn("The heron nests in May.", confidence=0.2)
    anywhere.learn("The heron is at the pond.", staleness="hourly")
    clock.advance(hours=2)
    answer = anywhere.inject("heron", tier="items")
    heads = [line for line in answer.block.splitlines() if line.startswith("- ")]
    tags = {text: head for head, text in zip(heads, re.findall(r"^\| (.*)", answer.block, re.MULTILINE), strict=True)}
    (other,) = [item.new.id for item in anywhere.conflicts().items]
    assert f"[conflicting with {other}]" in tags["The heron count is 3."]
    assert three in tags["The heron count is 3."]
    assert "[unconfirmed]" in tags["The heron nests in May."]
    assert "[uncertain]" in tags["The heron nests in May."]
    assert tags["The heron is at the pond."].endswith("[stale]")


@pytest.mark.covers("A9", "D13")
def test_what_was_believed_then_can_be_injected_and_is_marked(owner: Memory) -> None:
    old = owner.learn(PORT)
    owner.correct(old.memory.id, "The billing API listens on port 9090.", reason="moved")
    answer = owner.inject("billing API port", as_of=f"#{old.seq}", tier="items")
    assert PORT in answer.block
    assert "[since then superseded]" in answer.block
    assert "9090" in owner.inject("billing API port").block


@pytest.mark.covers("C18", "B11", "B21")
def test_nothing_that_is_hidden_from_the_caller_is_injected(owner: Memory) -> None:
    codex, claude = owner.as_agent("codex"), owner.as_agent("claude")
    codex.learn("The heron nests beside the quarry.", visibility="private")
    codex.learn("The heron sings in the quarry.", scope="agent:codex")
    owner.learn("The heron of the team is in the quarry.", scope="team:a")
    codex.capture("The heron was seen in the quarry at dawn.", visibility="private", source="log")
    for tier in ("auto", "items", "summaries"):
        assert claude.inject("heron quarry", tier=tier).block == ""
    assert len(codex.inject("heron quarry", tier="items").injected) == 3
    assert len(owner.inject("heron quarry", tier="items").injected) == 4
    with pytest.raises(NotAllowed):
        claude.inject("heron", scopes=["agent:codex"])


def test_injecting_writes_nothing_but_the_log(owner: Memory) -> None:
    owner.learn(PORT)
    head = head_of(owner)
    owner.inject("billing port")
    owner.context_for(task="billing port")
    assert head_of(owner) == head


# Expanding


@pytest.mark.covers("B31", "B22")
def test_a_memory_is_told_at_any_level_of_detail_with_its_evidence(anywhere: Memory) -> None:
    kept = anywhere.learn(LONG_PORT, title="Billing port", summary="The port is 8080.", source="docs/deploy.md:12")
    told = {level: anywhere.expand(kept.memory.id, detail=level) for level in LEVELS}
    assert [told[level].text for level in LEVELS] == ["Billing port", "The port is 8080.", LONG_PORT]
    assert all(rendering.tokens == count_tokens(rendering.text) for rendering in told.values())
    full = told["L2"]
    assert (full.id, full.what, full.kind, full.title) == (kept.memory.id, "memory", "note", "Billing port")
    (source,) = full.evidence
    assert (source.reference, source.content) == ("docs/deploy.md:12", LONG_PORT)
    assert told["L0"].evidence[0].content == PORT
    assert anywhere.expand(kept.memory.iri).text == full.text
    assert anywhere.expand(source.source_id).text == LONG_PORT


CHAT = [{"role": "user", "name": "Ana", "content": f"Turn {number} is about pool {number}."} for number in range(9)]


@pytest.mark.covers("B31")
def test_a_turn_is_told_with_its_neighbours(anywhere: Memory) -> None:
    sources = anywhere.capture(messages=CHAT, thread="chat-1").sources
    anywhere.capture(messages=[{"content": "Another chat."}], thread="chat-2")
    told = anywhere.expand(sources[4])
    assert (told.what, told.kind, told.text) == ("source", "conversation", CHAT[4]["content"])
    assert [passage.text for passage in told.around] == [CHAT[index]["content"] for index in (2, 3, 5, 6)]
    assert [passage.source_id for passage in told.around] == [sources[index] for index in (2, 3, 5, 6)]
    assert [passage.text for passage in anywhere.expand(sources[0], around=1).around] == [CHAT[1]["content"]]
    assert [passage.text for passage in anywhere.expand(sources[8]).around] == [CHAT[6]["content"], CHAT[7]["content"]]
    assert anywhere.expand(sources[4], around=0).around == []


@pytest.mark.covers("B31")
def test_a_document_is_told_whole_or_by_the_passage(anywhere: Memory) -> None:
    text = "# Pools\n\n" + "\n\n".join(f"Pool p{number}y holds heron h{number}x. " * 20 for number in range(8))
    (source,) = anywhere.capture(text, source="docs/pools.md").sources
    assert anywhere.expand(source).text == text
    assert anywhere.expand(source).around == []
    assert anywhere.expand(source, detail="L0").text == "# Pools"
    hit = anywhere.recall("heron h5x pool p5y", per_source=1).results[0].passage
    told = anywhere.expand(source, passage=hit.number, around=1)
    assert told.text == hit.text
    assert [passage.number for passage in told.around] == [hit.number - 1, hit.number + 1]
    for wrong in (hit.number + 1_000, 0):
        with pytest.raises(NotFound):
            anywhere.expand(source, passage=wrong)


@pytest.mark.covers("B31", "A6")
def test_what_is_rejected_or_quarantined_cannot_be_expanded(anywhere: Memory) -> None:
    said = "The office is in Madrid."
    turns = anywhere.capture(
        messages=[{"content": "Where is it?"}, {"content": said}, {"content": "Thanks."}], thread="t"
    )
    memory = anywhere.learn(said, source_text=said)
    by_itself = anywhere.expand(memory.memory.id).evidence[0].source_id
    assert anywhere.expand(by_itself).text == said
    assert anywhere.expand(turns.sources[1]).text == said
    anywhere.forget(memory.memory.id, reason="it moved")
    for hidden in (turns.sources[1], by_itself):
        with pytest.raises(NotFound):
            anywhere.expand(hidden)
    assert [passage.text for passage in anywhere.expand(turns.sources[0]).around] == ["Thanks."]
    gone = anywhere.expand(memory.memory.id)
    assert gone.notes == ["this memory is retracted: it moved"]
    assert gone.evidence == []
    plain = anywhere.learn("The lab is in Oslo.").memory.id
    alone = anywhere.expand(plain).evidence[0].source_id
    assert anywhere.expand(alone).text == "The lab is in Oslo."
    anywhere.forget(plain, reason="it burned down")
    with pytest.raises(NotFound):
        anywhere.expand(alone)
    (page,) = anywhere.capture("The lab is in Rome, they say.", source="https://example.org/page").sources
    assert "Rome" in anywhere.expand(page).text
    anywhere.quarantine(page, reason="forged")
    with pytest.raises(NotFound):
        anywhere.expand(page)
    anywhere.quarantine(page, reason="it was genuine", release=True)
    assert "Rome" in anywhere.expand(page).text


@pytest.mark.covers("C18", "B11")
def test_what_one_may_not_see_cannot_be_expanded_and_nothing_tells_it_from_what_never_was(owner: Memory) -> None:
    codex, claude = owner.as_agent("codex"), owner.as_agent("claude")
    hidden = [
        codex.learn("The heron nests beside the quarry.", visibility="private").memory.id,
        codex.learn("The heron sings.", scope="agent:codex").memory.id,
        codex.capture("The heron was seen.", visibility="private", source="log").sources[0],
        codex.capture("The heron was heard.", scope="agent:codex", source="log").sources[0],
    ]
    hidden += [codex.expand(hidden[0]).evidence[0].source_id]
    messages = set()
    for ref in (*hidden, hidden[0][:-12] + "000000000000", "no id"):
        with pytest.raises(NotFound) as refused:
            claude.expand(ref)
        messages.add(str(refused.value).replace(ref, "REF"))
    assert len(messages) == 1
    for ref in hidden:
        assert "heron" in codex.expand(ref).text
        assert "heron" in owner.expand(ref).text
