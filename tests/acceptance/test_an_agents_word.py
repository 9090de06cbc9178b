"""An agent's word binds the agent: what it forgets, corrects, links, ignores or repeats changes nothing for others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from heldtrue import Memory, NotAllowed
from tests.acceptance.homes import last_entry, recalled

TEAMS = ("Heron", "Otter", "Falcon", "Badger", "Lynx")
SERVICES = ("invoice", "billing", "search", "login", "backup")


def planted(number: int) -> str:
    """One of many statements that have nothing to do with each other."""
    return f"The {SERVICES[number % 5]} service {number} is owned by Team {TEAMS[number // 5 % 5]}."


def shown(memory: Memory, words: str, **arguments: Any) -> list[str]:
    """What a question brings up, memories and captured passages alike."""
    results = memory.recall(words, **arguments).results
    return [result.memory.content if result.memory else result.passage.text for result in results]


@pytest.fixture
def beta(anywhere: Memory) -> Memory:
    return anywhere.as_agent("beta")


@pytest.fixture
def alpha(anywhere: Memory) -> Memory:
    return anywhere.as_agent("alpha")


def forget_in_advance(alpha: Memory, _owner: Memory, text: str) -> None:
    alpha.forget(alpha.learn(text).memory.id, reason="not so")


def correct_in_advance(alpha: Memory, _owner: Memory, text: str) -> None:
    instead = f"Locker {text.split()[3]} holds spare cables."
    assert alpha.correct(alpha.learn(text).memory.id, instead, reason="not so").outcome == "superseded"


def forget_anothers(alpha: Memory, owner: Memory, text: str) -> None:
    assert alpha.forget(owner.as_agent("beta").learn(text).memory.id, reason="not so").outcome == "pending"


def correct_anothers(alpha: Memory, owner: Memory, text: str) -> None:
    said = owner.as_agent("beta").learn(text).memory.id
    assert alpha.correct(said, text.replace("Team", "Group"), reason="not so").outcome == "pending"


def forget_a_document(alpha: Memory, owner: Memory, text: str) -> None:
    owner.capture(text, source=f"{text}.md")
    owner.work()
    said = alpha.learn(text)
    with pytest.raises(NotAllowed, match="waiting for a person"):
        alpha.forget(said.memory.id, reason="not so")


ATTACKS: dict[str, Callable[[Memory, Memory, str], None]] = {
    "forgotten in advance": forget_in_advance,
    "corrected in advance": correct_in_advance,
    "another's, forgotten": forget_anothers,
    "another's, corrected": correct_anothers,
    "a person's document, confirmed and forgotten": forget_a_document,
}


@pytest.mark.covers("A5", "B7")
@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_what_an_agent_rejects_is_refused_from_nobody_else_and_hides_nothing(
    anywhere: Memory, alpha: Memory, beta: Memory, attack: Callable[[Memory, Memory, str], None]
) -> None:
    for text in map(planted, range(20)):
        attack(alpha, anywhere, text)
        assert beta.learn(text).outcome in ("created", "corroborated", "refreshed")
        assert text in shown(beta, text, limit=1)[0]
        anywhere.capture(f"Notes of today. {text}", source=f"later {text}.md", extract=False)
        assert any(text in found for found in shown(anywhere, text, within=["sources"]))
        assert anywhere.learn(text).outcome in ("created", "corroborated", "refreshed")
    assert anywhere.verify().ok


@pytest.mark.covers("A5", "B7")
def test_the_control_a_persons_rejection_holds_for_everyone_and_hides_the_evidence(
    anywhere: Memory, alpha: Memory, beta: Memory
) -> None:
    for text in map(planted, range(20)):
        anywhere.capture(f"Notes of today. {text}", source=f"{text}.md", extract=False)
        anywhere.forget(beta.learn(text).memory.id, reason="not so")
        assert [agent.learn(text).outcome for agent in (alpha, beta)] == ["refused", "refused"]
        assert not any(text in found for found in shown(beta, text, within=["sources"]))


@pytest.mark.covers("A5")
def test_an_agent_is_bound_by_its_own_word(anywhere: Memory, alpha: Memory) -> None:
    for attack in (forget_in_advance, forget_anothers, correct_anothers):
        text = planted(hash(attack.__name__) % 1000)
        attack(alpha, anywhere, text)
        again = alpha.learn(text)
        assert (again.outcome, again.cause) == ("refused", "rejected_before")


@pytest.mark.covers("B7", "B8")
def test_an_administrator_among_agents_has_no_more_say(anywhere: Memory, beta: Memory) -> None:
    anywhere.add_agent("root", role="admin")
    root = anywhere.as_agent("root")
    said = beta.learn(planted(1)).memory.id
    assert root.forget(said, reason="no").outcome == "pending"
    assert root.correct(planted_id(beta, 2), "The billing service 2 is gone.", reason="no").outcome == "pending"
    assert beta.get(said).memory.status == "active"


def planted_id(agent: Memory, number: int) -> str:
    return str(agent.learn(planted(number)).memory.id)


@pytest.mark.covers("B7", "B24")
def test_a_person_decides_about_what_an_agent_asks_to_forget(anywhere: Memory, alpha: Memory, beta: Memory) -> None:
    kept, gone = planted_id(beta, 1), planted_id(beta, 2)
    asked = [alpha.forget(memory, reason="outdated") for memory in (kept, gone)]
    assert [(answer.outcome, answer.cause) for answer in asked] == [("pending", "protected")] * 2
    assert anywhere.status().pending_conflicts == 2
    assert {item.conflict.kind for item in anywhere.conflicts().items} == {"retraction"}
    again = alpha.forget(kept, reason="really")
    assert (again.outcome, again.conflicts) == ("unchanged", asked[0].conflicts)

    anywhere.resolve(asked[0].conflicts[0], "keep_old", reason="still so")
    anywhere.resolve(asked[1].conflicts[0], "remove_both", reason="indeed")
    assert anywhere.get(kept).memory.verified_by == "person:owner"
    assert anywhere.get(kept).memory.confidence == beta.learn(planted(3)).memory.confidence, "it was never in doubt"
    assert alpha.learn(planted(1)).outcome == "corroborated", "what it rejected for itself was lifted"
    assert anywhere.get(gone).memory.status == "retracted"
    assert beta.learn(planted(2)).outcome == "refused", "now a person has rejected it"
    with pytest.raises(NotAllowed, match="decided to keep"):
        alpha.forget(kept, reason="once more")


@pytest.mark.covers("B7")
def test_a_request_to_forget_has_two_answers(anywhere: Memory, alpha: Memory, beta: Memory) -> None:
    conflict = alpha.forget(planted_id(beta, 1), reason="no").conflicts[0]
    for disposition in ("keep_new", "keep_both", "merge"):
        with pytest.raises(Exception, match=r"cannot be used|text"):
            anywhere.resolve(conflict, disposition, reason="hm", **({"text": "A"} if disposition == "merge" else {}))
    assert anywhere.forget(planted_id(beta, 1), reason="yes").outcome == "retracted"
    assert anywhere.conflicts().items == [], "a person who forgets it has answered"


@pytest.mark.covers("B7", "A4")
def test_what_a_person_decides_about_a_proposed_correction_is_done(
    anywhere: Memory, alpha: Memory, beta: Memory
) -> None:
    text, better = planted(1), planted(1).replace("Heron", "Swan")
    first = alpha.correct(planted_id(beta, 1), better, reason="moved")
    assert recalled(beta, text)[0] == text
    anywhere.resolve(first.conflicts[0], "keep_new", reason="yes")
    assert recalled(beta, text)[0] == better

    other = alpha.correct(planted_id(beta, 2), planted(2).replace("Heron", "Swan"), reason="moved")
    anywhere.resolve(other.conflicts[0], "keep_old", reason="no")
    assert alpha.learn(planted(2)).outcome != "refused", "what alpha rejected for itself was lifted"


@pytest.mark.covers("B7")
def test_an_agent_changes_what_nobody_else_stands_behind(anywhere: Memory, alpha: Memory, beta: Memory) -> None:
    assert alpha.forget(planted_id(alpha, 1), reason="I erred").outcome == "retracted"
    assert alpha.correct(planted_id(alpha, 2), "The search service 2 is gone.", reason="x").outcome == "superseded"
    waiting = alpha.learn("Mira lives in Ghent.", kind="profile")
    assert waiting.outcome == "pending"
    assert alpha.forget(waiting.memory.id, reason="I erred").outcome == "retracted"

    shared = planted_id(alpha, 3)
    assert beta.learn(planted(3)).outcome == "corroborated"
    assert alpha.forget(shared, reason="I erred").outcome == "pending", "beta stands behind it too"
    assert alpha.learn(planted(4), valid_from="2026-01-01").outcome == "created"
    assert anywhere.verify().ok


@pytest.mark.covers("B7", "A14")
def test_an_agent_does_not_end_a_fact_that_another_confirmed(anywhere: Memory, alpha: Memory, beta: Memory) -> None:
    first, later = "The API timeout is 30 seconds.", "The API timeout is 60 seconds."
    alpha.learn(first, valid_from="2026-01-01")
    control = alpha.learn("The cache size is 10 MB.", valid_from="2026-01-01")
    beta.learn(first)
    assert alpha.learn(later, valid_from="2026-03-01").outcome == "pending"
    ended = alpha.learn("The cache size is 20 MB.", valid_from="2026-03-01")
    assert (ended.outcome, anywhere.get(control.memory.id).memory.valid_to is not None) == ("superseded", True)


@pytest.mark.covers("B7", "B25")
def test_a_correction_by_an_agent_passes_the_gate(anywhere: Memory, alpha: Memory, beta: Memory) -> None:
    beta.learn("The API port is 8080.")
    harmless = alpha.learn("The lamp is made of brass.").memory.id
    around = alpha.correct(harmless, "The API port is 9999.", reason="hm")
    assert (around.outcome, around.cause) == ("pending", "contradiction")
    assert recalled(beta, "API port") == ["The API port is 8080."]
    assert beta.recall("API port").results[0].memory.confidence == pytest.approx(0.9)
    assert anywhere.correct(harmless, "The API port is 9999.", reason="hm").outcome == "superseded", "a person may"


@pytest.mark.covers("B7", "B21")
def test_an_agent_links_nothing_over_what_others_wrote(anywhere: Memory, alpha: Memory, beta: Memory) -> None:
    mine, theirs = planted_id(alpha, 1), planted_id(beta, 2)
    for relationship in ("overrides", "supersedes"):
        with pytest.raises(NotAllowed, match="only a person"):
            alpha.link(mine, theirs, relationship)
    assert alpha.link(mine, theirs, "supports").outcome == "linked"
    assert alpha.link(mine, planted_id(alpha, 3), "overrides").outcome == "linked"


@pytest.mark.covers("E6")
def test_an_agent_in_a_narrower_scope_does_not_override_a_persons_word(anywhere: Memory, alpha: Memory) -> None:
    anywhere.learn("The API port is 8080.")
    alpha.learn("The API port is 9999.", scope="project:shop")
    scopes = ["global", "project:shop"]
    tags = {
        result.memory.content: {tag.tag for tag in result.trust}
        for result in anywhere.recall("API port", scopes=scopes).results
    }
    assert "overridden" not in tags["The API port is 8080."]
    anywhere.learn("The API port is 7777.", scope="project:web")
    told = anywhere.recall("API port", scopes=["global", "project:web"]).results
    assert "overridden" in {tag.tag for tag in told[-1].trust}, "the control: a person's own word does"


@pytest.mark.covers("D21")
def test_an_agent_that_ignores_what_another_wrote_puts_it_no_lower_than_it_started(
    anywhere: Memory, alpha: Memory, beta: Memory
) -> None:
    theirs, mine = planted_id(beta, 1), planted_id(alpha, 6)
    moved: dict[str, float] = {}
    for _ in range(5):
        for memory, text in ((theirs, planted(1)), (mine, planted(6))):
            recall = alpha.recall(text, limit=1)
            anywhere.recall(text)  # so that the next recall is another one
            moved[memory] = moved.get(memory, 0.0) + alpha.feedback(recall.recall_id, ignored=[memory]).moved[memory]
            alpha.learn(f"Something happened {len(text)} {last_entry(anywhere).seq}.")
    assert moved[theirs] == 0.0
    assert moved[mine] < 0, "the control: its own goes down"


@pytest.mark.covers("D4")
def test_an_agents_confidence_comes_from_the_evidence(anywhere: Memory, alpha: Memory) -> None:
    sure = alpha.learn(planted(1), confidence=1.0)
    assert sure.memory.confidence == pytest.approx(0.9)
    for _ in range(5):
        assert alpha.learn(planted(1), confidence=1.0).memory.confidence == pytest.approx(0.9)
    assert alpha.learn(planted(2), confidence=0.4).memory.confidence == pytest.approx(0.4), "it may be less sure"
    assert alpha.learn(planted(3), strength="inferred", confidence=0.9).memory.confidence == pytest.approx(0.5)
    corrected = alpha.correct(sure.memory.id, planted(9), reason="x", confidence=1.0)
    assert corrected.memory.confidence == pytest.approx(0.9)
    assert anywhere.learn(planted(4), confidence=1.0).memory.confidence == 1.0, "the control: a person may be sure"


@pytest.mark.covers("A5", "B8")
def test_a_person_sees_what_agents_have_rejected(anywhere: Memory, alpha: Memory, beta: Memory) -> None:
    forget_in_advance(alpha, anywhere, planted(1))
    forget_anothers(alpha, anywhere, planted(2))
    anywhere.forget(planted_id(beta, 3), reason="it is not")
    by_agents = anywhere.rejections(by_agents=True).items
    assert [(item.content, item.by, item.holds_for) for item in by_agents] == [
        (planted(2), "agent:alpha", "agent:alpha"),
        (planted(1), "agent:alpha", "agent:alpha"),
    ]
    every = anywhere.rejections().items
    assert [item.holds_for for item in every] == ["everyone", "agent:alpha", "agent:alpha"]
    assert anywhere.status().rejected_by_agents == 2
    pages: list[Any] = []
    cursor = None
    while not pages or cursor:
        page = anywhere.rejections(limit=1, cursor=cursor)
        pages += page.items
        cursor = page.next_cursor
    assert pages == every
    with pytest.raises(NotAllowed):
        alpha.rejections()


@pytest.mark.covers("B29", "A5")
def test_what_an_agent_rejected_elsewhere_is_not_rejected_here(anywhere: Memory, alpha: Memory, tmp_path: Any) -> None:
    forget_in_advance(alpha, anywhere, planted(1))
    anywhere.forget(planted_id(alpha, 2), reason="no")
    anywhere.export(str(tmp_path / "all.jsonl"))
    with Memory.open(":memory:") as other:
        other.learn("The well is dry.")
        other.import_(str(tmp_path / "all.jsonl"))
        assert other.as_agent("beta").learn(planted(1)).outcome == "created"
        assert other.as_agent("beta").learn(planted(2)).outcome == "refused", "the control: a person's rejection comes"
